// The insert of one row: the path of INSERT ... VALUES, so it allocates nothing once its block's columns are in place.
#include <boost/container/small_vector.hpp>

#include "store/column_cache.h"
#include "store/key_index.h"
#include "txn/bulk.h"
#include "txn/change.h"
#include "txn/place.h"
#include "txn/sinks.h"
#include "txn/undo.h"

namespace hdb {

namespace {

// Takes back what an insert has done to indexes and sinks when it fails half-way.
class RowGuard {
 public:
  RowGuard(Table& table, const Datum* row, uint64_t row_id) : table_(table), row_(row), row_id_(row_id) {}
  ~RowGuard() {
    if (kept_) return;
    for (const auto& [index, hash] : keys_) index->erase(hash, row_id_);
    for (size_t s = 0; s < applied_; ++s) table_.sinks[s]->apply(row_, -1);
  }
  void keep() { kept_ = true; }
  void add_key(KeyIndex* index, uint64_t hash) { keys_.emplace_back(index, hash); }
  void apply_sinks() {
    for (; applied_ < table_.sinks.size(); ++applied_) table_.sinks[applied_]->apply(row_, +1);
  }

 private:
  Table& table_;
  const Datum* row_;
  const uint64_t row_id_;
  boost::container::small_vector<std::pair<KeyIndex*, uint64_t>, 4> keys_;
  size_t applied_ = 0;
  bool kept_ = false;
};

void add_keys(Table& table, const Datum* row, uint64_t row_id, RowGuard& guard) {
  for (const auto& index : table.keys) {
    const auto columns = index->columns();
    // Behind all other keys: none of them can be the same, and undoing leaves a run as it is (D1).
    if (index->integer_key() && !row[columns[0]].null && index->insert_run(row[columns[0]].i64(), row_id, 1)) continue;
    DatumArray<kKeyColumnsMax> key;
    for (size_t i = 0; i < columns.size(); ++i) key[i] = row[columns[i]];
    uint64_t hash = 0;
    if (!hash_key(table, columns, key, &hash)) continue;
    if (find_live(table, *index, key, hash, row_id) != kNoRow) fail_duplicate(table, *index, key);
    if (index->insert(key, hash, row_id)) guard.add_key(index.get(), hash);
  }
}

void check_parents(Transaction& transaction, Table& table, const Datum* row, uint64_t row_id) {
  for (size_t f = 0; f < table.references.size(); ++f) {
    const ReferenceCheck& reference = table.references[f];
    DatumArray<kKeyColumnsMax> key;
    for (size_t i = 0; i < reference.columns.size(); ++i) key[i] = row[reference.columns[i]];
    uint64_t hash = 0;
    if (!hash_key(table, reference.columns, key, &hash)) continue;
    const auto parent = reference.parent.lock();
    if (parent == nullptr) fail_no_parent(table, reference, key);
    // A row may refer to itself: what is not there yet is looked at again at the statement's end.
    if (find_live(*parent, *reference.parent_key, key, hash, kNoRow) == kNoRow) transaction.checks().parents.push_back({&table, f, row_id});
  }
}

}  // namespace

void place_in_slot(Transaction& transaction, Table& table, Block& b, uint32_t slot, const Datum* row) {
  const uint32_t width = table.column_count();
  for (uint32_t c = 0; c < width; ++c) {
    if (row[c].null && table.shape(c).not_null) fail_not_null(table, c);
  }
  transaction.hold(table, b);
  transaction.reserve_visible();
  UndoEntry* entry = transaction.new_entry(UndoKind::kInsert, table, b, slot, 1, 0, 0, 0);
  const uint64_t row_id = b.first_row() + slot;
  RowGuard guard(table, row, row_id);
  add_keys(table, row, row_id, guard);
  check_parents(transaction, table, row, row_id);
  guard.apply_sinks();
  const ExclusiveLatch hold(b.latch);
  // S5: nobody looks at this slot before it is visible, so a column that is ready may be written while another one still fails.
  for (uint32_t c = 0; c < width; ++c) {
    const BufferRef& buffer = b.columns[c];
    if (!buffer || !buffer->represents(row[c]) || buffer->shared()) prepare_column(table, b, c, layout_for(table.type(c), &row[c], 1));
    else if (!b.homes.empty()) table.cache()->no_home(b, c);
    buffer->put(slot, row[c]);
  }
  own_visible(b, transaction.spare_visible());
  guard.keep();
  bit_set(b.visible->words, slot);
  for (uint32_t c = 0; c < width; ++c) b.zones[c].add(table.type(c).lane(), row[c]);
  b.rows = std::max(b.rows, slot + 1);
  ++b.live;
  adjust_extension(b, slot, +1);
  transaction.link(entry);
}

}  // namespace hdb
