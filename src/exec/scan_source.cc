#include "exec/scan_source.h"

#include <algorithm>

#include "base/bitmap.h"
#include "base/epoch.h"
#include "exec/block_columns.h"
#include "exec/encoded_filter.h"
#include "store/key_index.h"
#include "txn/block_view.h"

namespace hdb {

ColumnMap scan_output(const Node& scan) {
  ColumnMap map;
  for (const ScanColumn& c : scan.columns) map.add(c.id, scan.table->columns[c.ordinal].type);
  const auto hidden = [&](ColumnId id, const Type& type) {
    if (id != kNoColumn) map.add(id, type);
  };
  hidden(scan.access.weight, Type::bigint());
  for (const MeasureColumns& m : scan.access.measures) {
    const Type& own = scan.table->columns[m.measure].type;
    hidden(m.sum, Type::decimal(kDecimalDigitsMax, own.id == TypeId::kDecimal ? own.scale : 0));
    hidden(m.count, Type::bigint());
    hidden(m.min, own);
    hidden(m.max, own);
  }
  hidden(scan.row_id, Type::bigint());
  return map;
}

namespace {

class ScanSource final : public Source {
 public:
  ScanSource(std::shared_ptr<const Node> scan, ExecContext& context)
      : scan_(std::move(scan)), table_(*scan_->table->table), map_(scan_output(*scan_)), filter_(*scan_, map_, context),
        blocks_(table_.block_count()), wanted_(scan_->columns.size() - scan_->filter_only) {
    for (const ScanColumn& c : scan_->columns) ordinals_.push_back(c.ordinal);
  }
  uint32_t morsels() const override {
    return filter_.never() ? 0 : static_cast<uint32_t>((blocks_ + kSegmentBlocks - 1) / kSegmentBlocks);
  }
  uint64_t rows_hint() const override { return table_.live_rows.load(std::memory_order_relaxed); }

  void run(uint32_t morsel, Worker& worker, Operator& out) override {
    const uint64_t first = uint64_t{morsel} * kSegmentBlocks;
    BlockView view;
    for (uint64_t b = first; b < std::min<uint64_t>(first + kSegmentBlocks, blocks_) && out.wants_more(); ++b) {
      worker.context.cancel->check();
      {
        const EpochManager::Guard guard(*worker.context.epochs);
        view.open(table_, b, ordinals_, worker.context.snapshot);
      }
      if (view.visible_count() > 0 && filter_.may_pass(view)) scan_block(view, worker, out);
    }
  }

 private:
  void scan_block(const BlockView& view, Worker& worker, Operator& out) {
    uint64_t selection[kBlockWords];
    const uint32_t words = bitmap_words(view.rows());
    std::copy(view.visible(), view.visible() + words, selection);
    if (view.rows() % 64 != 0) selection[words - 1] &= (uint64_t{1} << (view.rows() % 64)) - 1;
    std::vector<ExprPtr> rest;
    filter_.apply(view, selection, &rest);
    rest.insert(rest.end(), filter_.rest().begin(), filter_.rest().end());
    // Slots of the block in runs of a vector's length.
    std::vector<uint32_t> slots(kVectorRows);
    uint32_t n = 0;
    for (uint32_t w = 0; w < words && out.wants_more(); ++w) {
      uint64_t bits = selection[w];
      if (bits == ~uint64_t{0}) {
        for (uint32_t i = 0; i < 64; ++i) slots[n + i] = w * 64 + i;
        n += 64;
      } else {
        for (; bits != 0; bits &= bits - 1) slots[n++] = w * 64 + static_cast<uint32_t>(__builtin_ctzll(bits));
      }
      if (n + 64 <= kVectorRows) continue;
      send(view, slots.data(), n, rest, worker, out);
      n = 0;
    }
    if (n > 0 && out.wants_more()) send(view, slots.data(), n, rest, worker, out);
  }

  void send(const BlockView& view, uint32_t* slots, uint32_t n, const std::vector<ExprPtr>& rest, Worker& worker, Operator& out) {
    worker.context.cancel->check();
    worker.scratch.reset();
    if (!rest.empty()) {
      // Only the columns that the rest looks at, then the slots that are left.
      Chunk looked;
      looked.rows = n;
      looked.columns.resize(map_.size());
      for (const ExprPtr& e : rest) {
        std::vector<ColumnId> ids;
        collect_columns(*e, &ids);
        for (const ColumnId id : ids) {
          const uint32_t c = map_.index(id);
          if (c < ordinals_.size()) looked.columns[c] = read_slots(view.column(c), map_.type(c), slots, n, worker.scratch);
        }
      }
      auto* rows = worker.scratch.array<uint32_t>(n);
      const uint32_t count = worker.evaluator.filter(rest, map_, looked, rows);
      if (count == 0) return;
      for (uint32_t i = 0; i < count; ++i) slots[i] = slots[rows[i]];
      n = count;
    }
    Chunk chunk;
    chunk.rows = n;
    chunk.columns.resize(map_.size());
    for (uint32_t c = 0; c < ordinals_.size(); ++c) {
      chunk.columns[c] = c < wanted_ ? read_slots(view.column(c), map_.type(c), slots, n, worker.scratch) : null_vector(map_.type(c));
    }
    if (scan_->row_id != kNoColumn) {
      auto* ids = worker.scratch.array<int64_t>(n);
      for (uint32_t i = 0; i < n; ++i) ids[i] = static_cast<int64_t>(view.first_row() + slots[i]);
      chunk.columns[map_.size() - 1] = make_vector<int64_t>(Type::bigint(), ids, nullptr);
    }
    out.push(chunk);
  }

  std::shared_ptr<const Node> scan_;
  const Table& table_;
  ColumnMap map_;
  EncodedFilter filter_;
  uint64_t blocks_;
  size_t wanted_;
  std::vector<uint32_t> ordinals_;
};

class LookupSource final : public Source {
 public:
  LookupSource(std::shared_ptr<const Node> scan, ExecContext& context) : scan_(std::move(scan)), table_(*scan_->table->table), map_(scan_output(*scan_)) {
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
    Datum key[kKeyColumnsMax];
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
  // A text of the caller gets an entry of its own: hashing and comparing go by content.
  static Datum datum_of(const Value& v, Scratch& scratch) {
    if (v.null) return {};
    if (v.type.lane() == Lane::kDouble) return Datum::of(v.real);
    if (v.type.lane() != Lane::kText) return Datum::of(v.int64());
    auto* e = reinterpret_cast<TextEntry*>(scratch.array<char>(sizeof(TextEntry) + v.text.size()));
    e->code = TextEntry::kNoCode;
    e->bytes = static_cast<uint32_t>(v.text.size());
    std::copy(v.text.begin(), v.text.end(), e->data);
    return Datum::of(e);
  }

  std::shared_ptr<const Node> scan_;
  const Table& table_;
  ColumnMap map_;
  std::vector<uint32_t> ordinals_;  // the scan's columns, then the key's
  std::vector<Value> key_;
};

}  // namespace

std::unique_ptr<Source> scan_source(std::shared_ptr<const Node> scan, ExecContext& context) {
  return std::make_unique<ScanSource>(std::move(scan), context);
}
std::unique_ptr<Source> lookup_source(std::shared_ptr<const Node> scan, ExecContext& context) {
  return std::make_unique<LookupSource>(std::move(scan), context);
}

}  // namespace hdb
