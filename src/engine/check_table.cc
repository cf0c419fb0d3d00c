#include "engine/check_table.h"

#include "base/bitmap.h"
#include "base/epoch.h"
#include "store/key_index.h"
#include "store/table.h"
#include "txn/block_view.h"

namespace hdb {

namespace {

class TableChecker {
 public:
  TableChecker(const TableDef& def, const Snapshot& snapshot, EpochManager& epochs) : def_(def), table_(*def.table), snapshot_(snapshot), epochs_(epochs) {
    for (uint32_t c = 0; c < table_.column_count(); ++c) all_.push_back(c);
  }

  void check_block(uint64_t index) {
    if (table_.block(index).rows == 0) return;
    const EpochManager::Guard guard(epochs_);
    view_.open(table_, index, all_, snapshot_);
    out_.rows += view_.visible_count();
    for (uint32_t c = 0; c < all_.size(); ++c) check_zone(c);
    for (const auto& i : def_.indexes) {
      if (i->key != nullptr) check_key(*i->key);
    }
  }
  TableCheck result() { return std::move(out_); }

 private:
  void found(const std::string& what) {
    if (out_.findings++ == 0) out_.first = what;
  }

  void check_zone(uint32_t c) {
    const Lane lane = table_.type(c).lane();
    Zone rows;
    for_each_bit(view_.visible(), bitmap_words(view_.rows()), [&](uint32_t slot) { rows.add(lane, view_.column(c).at(slot)); });
    const Zone& kept = view_.zone(c);
    const std::string where = "block " + std::to_string(view_.block()) + ", column " + def_.columns[c].name;
    if (lane == Lane::kInt64 && rows.low <= rows.high && (rows.low < kept.low || rows.high > kept.high)) found(where + ": a value is outside of the bounds");
    if (lane == Lane::kDouble && !kept.unbounded && rows.low_real <= rows.high_real && (rows.low_real < kept.low_real || rows.high_real > kept.high_real))
      found(where + ": a value is outside of the bounds");
    if (!view_.current()) return;  // C6
    if (rows.nulls != kept.nulls) found(where + ": the count of NULLs is another");
    if (lane == Lane::kInt64 && !(rows.sum == kept.sum)) found(where + ": the sum is another");
  }

  void check_key(const KeyIndex& key) {
    const auto columns = key.columns();
    DatumArray<kKeyColumnsMax> mine, there;
    for_each_bit(view_.visible(), bitmap_words(view_.rows()), [&](uint32_t slot) {
      for (size_t i = 0; i < columns.size(); ++i) mine[i] = view_.column(columns[i]).at(slot);
      uint64_t hash = 0;
      if (!hash_key(table_, columns, mine, &hash)) return;
      const uint64_t row = view_.first_row() + slot;
      bool self = false, twin = false;
      key.find(mine, hash, [&](uint64_t candidate) {
        if (candidate == row) self = true;
        else twin |= read_row(table_, candidate, columns, snapshot_, there) && keys_equal(table_, columns, mine, there);
        return false;
      });
      if (!self) found("row " + std::to_string(row) + " is not in index " + key.name());
      if (twin) found("row " + std::to_string(row) + " has a key that another row has, in index " + key.name());
    });
  }

  const TableDef& def_;
  const Table& table_;
  const Snapshot snapshot_;
  EpochManager& epochs_;
  std::vector<uint32_t> all_;
  BlockView view_;
  TableCheck out_;
};

}  // namespace

TableCheck check_table(const TableDef& def, const Snapshot& snapshot, EpochManager& epochs, const CancelToken* cancel) {
  TableChecker checker(def, snapshot, epochs);
  for (uint64_t b = 0; b < def.table->block_count(); ++b) {
    if (cancel != nullptr) cancel->check();
    checker.check_block(b);
  }
  return checker.result();
}

}  // namespace hdb
