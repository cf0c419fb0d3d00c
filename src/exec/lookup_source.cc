#include "base/epoch.h"
#include "exec/block_columns.h"
#include "exec/cells_source.h"
#include "store/key_index.h"
#include "txn/block_view.h"

namespace hdb {

namespace {

class LookupSource final : public Source {
 public:
  LookupSource(const Node& scan, ExecContext& context) : scan_(&scan), table_(*scan_->table->table), map_(scan_output(*scan_)) {
    for (const ScanColumn& c : scan_->columns) ordinals_.push_back(c.ordinal);
    const KeyIndex& index = *scan_->access.index->key;
    for (const uint32_t c : index.columns()) ordinals_.push_back(c);
    for (const ExprPtr& e : scan_->access.key) key_.push_back(evaluate_constant(*e, context.parameters));
  }
  uint32_t morsels() const override { return 1; }
  uint64_t rows_hint() const override { return 1; }

  void run(uint32_t, Worker& worker, Operator& out) override {
    worker.scratch.reset();
    const KeyIndex& index = *scan_->access.index->key;
    DatumArray<kKeyColumnsMax> key;
    for (size_t i = 0; i < key_.size(); ++i) key[i] = datum_of(key_[i], worker.scratch);
    uint64_t hash = 0, found = 0;
    if (!hash_key(table_, index.columns(), key, &hash)) return;  // NULL equals nothing
    auto* row = worker.scratch.array<Datum>(ordinals_.size());
    {
      const EpochManager::Guard guard(*worker.context.epochs);
      // C8: candidates are a superset; key and visibility are checked on the row as of the snapshot.
      if (!index.find(key, hash, [&](uint64_t candidate) {
            found = candidate;
            return read_row(table_, candidate, ordinals_, worker.context.snapshot, row) &&
                   keys_equal(table_, index.columns(), key, row + scan_->columns.size());
          })) {
        return;
      }
    }
    Chunk chunk;
    chunk.rows = 1;
    chunk.columns.resize(map_.size());
    for (uint32_t c = 0; c < scan_->columns.size(); ++c) chunk.columns[c] = vector_of(row[c], map_.type(c), worker.scratch);
    if (scan_->row_id != kNoColumn) {
      auto* id = worker.scratch.array<int64_t>(1);
      *id = static_cast<int64_t>(found);
      chunk.columns[map_.size() - 1] = make_vector<int64_t>(Type::bigint(), id, nullptr);
    }
    uint32_t pass = 0;
    if (scan_->filters.empty() || worker.evaluator.filter(scan_->filters, map_, chunk, &pass) == 1) out.push(chunk);
  }

 private:
  static Datum datum_of(const Value& v, Scratch& scratch) {
    if (v.null) return {};
    if (v.type.lane() == Lane::kDouble) return Datum::of(v.real);
    if (v.type.lane() != Lane::kText) return Datum::of(v.int64());
    return text_datum(v.text, scratch);
  }

  const Node* scan_;
  const Table& table_;
  ColumnMap map_;
  std::vector<uint32_t> ordinals_;  // the scan's columns, then the key's
  std::vector<Value> key_;
};

}  // namespace

std::unique_ptr<Source> lookup_source(const Node& scan, ExecContext& context) {
  return std::make_unique<LookupSource>(scan, context);
}

}  // namespace hdb
