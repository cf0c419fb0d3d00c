#include "txn/undo.h"

#include <algorithm>
#include <new>

#include <boost/unordered/unordered_flat_set.hpp>

#include "base/check.h"
#include "store/column_cache.h"
#include "store/key_index.h"
#include "store/value.h"
#include "txn/sinks.h"

namespace hdb {

uint64_t find_live(const Table& table, const KeyIndex& index, const Datum* key, uint64_t hash, uint64_t except) {
  uint64_t found = kNoRow;
  index.find(key, hash, [&](uint64_t row) {
    if (row == except || !row_live(table, row)) return false;
    DatumArray<kKeyColumnsMax> there;
    const auto columns = index.columns();
    for (size_t i = 0; i < columns.size(); ++i) there[i] = row_value(table, row, columns[i]);
    if (!keys_equal(table, columns, key, there)) return false;
    found = row;
    return true;
  });
  return found;
}

std::string key_text(const Table& table, std::span<const uint32_t> columns, const Datum* key) {
  std::string names, values;
  for (size_t i = 0; i < columns.size(); ++i) {
    names += (i > 0 ? ", " : "") + table.shape(columns[i]).name;
    values += (i > 0 ? ", " : "") + (key[i].null ? std::string("NULL") : to_text(to_value(table.type(columns[i]), key[i])));
  }
  return "(" + names + ") = (" + values + ")";
}

void fail_not_null(const Table& table, uint32_t column) {
  fail(sqlstate::kNotNull, "column " + table.shape(column).name + " of table " + table.name() + " must not be NULL");
}

void fail_duplicate(const Table& table, const KeyIndex& index, const Datum* key) {
  fail(sqlstate::kUnique, std::string("duplicate key in table ") + table.name() + ": " + key_text(table, index.columns(), key) +
                              " exists already (" + index.name() + ")");
}

void fail_no_parent(const Table& child, const ReferenceCheck& reference, const Datum* key) {
  const auto parent = reference.parent.lock();
  fail(sqlstate::kForeignKey, "table " + child.name() + " refers to a row that does not exist in table " +
                                  (parent != nullptr ? parent->name() : std::string("?")) + ": " +
                                  key_text(child, reference.columns, key));
}

void zones_add(const Table& table, Block& block, uint32_t slot) {
  for (uint32_t c = 0; c < table.column_count(); ++c) block.zones[c].add(table.type(c).lane(), block.columns[c]->at(slot));
}
void zones_remove(const Table& table, Block& block, uint32_t slot) {
  for (uint32_t c = 0; c < table.column_count(); ++c) block.zones[c].remove(table.type(c).lane(), block.columns[c]->at(slot));
}

void adjust_extension(Block& block, uint32_t slot, int sign) noexcept {
  if (block.extension != nullptr && !block.extension->adjust(block, slot, sign)) block.extension.reset();
}

void own_visible(Block& block, VisibleRef& spare) {
  if (!block.visible->shared()) return;
  if (!spare) spare = VisibleRef(new VisibleBitmap);
  std::copy(block.visible->words, block.visible->words + kBlockWords, spare->words);
  block.visible = std::move(spare);
}

namespace {

void sinks_apply(Table& table, const Datum* row, int sign) {
  for (const auto& sink : table.sinks) sink->apply(row, sign);
}

void read_columns(const Table& table, const Block& block, uint32_t slot, Datum* row) {
  for (uint32_t c = 0; c < table.column_count(); ++c) row[c] = block.columns[c]->at(slot);
}

void erase_keys(Table& table, const Datum* row, uint64_t row_id) {
  for (const auto& index : table.keys) {
    DatumArray<kKeyColumnsMax> key;
    const auto columns = index->columns();
    for (size_t i = 0; i < columns.size(); ++i) key[i] = row[columns[i]];
    uint64_t hash = 0;
    if (hash_key(table, columns, key, &hash)) index->erase(hash, row_id);
  }
}

void erase_keys_of_slot(Table& table, const Block& block, uint32_t slot) {
  for (const auto& index : table.keys) {
    DatumArray<kKeyColumnsMax> key;
    const auto columns = index->columns();
    for (size_t i = 0; i < columns.size(); ++i) key[i] = block.columns[columns[i]]->at(slot);
    uint64_t hash = 0;
    if (hash_key(table, columns, key, &hash)) index->erase(hash, block.first_row() + slot);
  }
}

void undo_insert(Table& table, Block& b, UndoEntry& e) {
  std::vector<Datum> row(table.column_count());
  for (uint32_t s = e.slot; s < e.slot + e.count; ++s) {
    read_columns(table, b, s, row.data());
    sinks_apply(table, row.data(), -1);
    erase_keys(table, row.data(), b.first_row() + s);
  }
  const ExclusiveLatch hold(b.latch);
  VisibleRef spare;
  own_visible(b, spare);
  if (e.count > kAdjustRowsMax) b.extension.reset();
  for (uint32_t s = e.slot; s < e.slot + e.count; ++s) {
    adjust_extension(b, s, -1);
    zones_remove(table, b, s);
    bit_clear(b.visible->words, s);
  }
  b.live -= e.count;
  if (e.slot + e.count == b.rows) {
    b.rows = e.slot;  // the tail was never seen by anyone else: it is free again as if it had not been used
    if (b.extension != nullptr) b.extension->truncated(b.rows);
    table.append_block = std::min<uint64_t>(table.append_block, b.index());
  } else {
    for (uint32_t s = e.slot; s < e.slot + e.count; ++s) table.free_slots.push_back(b.first_row() + s);
  }
}

void undo_delete(Table& table, Block& b, UndoEntry& e) {
  {
    const ExclusiveLatch hold(b.latch);
    VisibleRef spare;
  own_visible(b, spare);
    bit_set(b.visible->words, e.slot);
    ++b.live;
    zones_add(table, b, e.slot);
    adjust_extension(b, e.slot, +1);
  }
  if (table.sinks.empty()) return;
  std::vector<Datum> row(table.column_count());
  read_columns(table, b, e.slot, row.data());
  sinks_apply(table, row.data(), +1);
}

void undo_update(Table& table, Block& b, UndoEntry& e) {
  std::vector<Datum> row(table.column_count());
  read_columns(table, b, e.slot, row.data());
  std::vector<Datum> old = row;
  for (uint32_t i = 0; i < e.image_count; ++i) old[e.images[i].column] = e.images[i].old;
  {
    const ExclusiveLatch hold(b.latch);
    adjust_extension(b, e.slot, -1);
    for (uint32_t i = 0; i < e.image_count; ++i) {
      const uint32_t c = e.images[i].column;
      const Lane lane = table.type(c).lane();
      BufferRef& buffer = b.columns[c];
      if (!b.homes.empty()) table.cache()->no_home(b, c);
      if (buffer->shared()) buffer = copy_of(*buffer, b.rows);
      CHECK(buffer->represents(e.images[i].old));  // S3
      b.zones[c].remove(lane, buffer->at(e.slot));
      buffer->put(e.slot, e.images[i].old);
      b.zones[c].add(lane, e.images[i].old);
    }
    adjust_extension(b, e.slot, +1);
  }
  for (const auto& sink : table.sinks) {
    const auto columns = sink->columns();
    const bool concerned = std::any_of(e.images, e.images + e.image_count, [&](const ColumnImage& image) {
      return std::find(columns.begin(), columns.end(), image.column) != columns.end();
    });
    if (!concerned) continue;
    sink->apply(row.data(), -1);
    sink->apply(old.data(), +1);
  }
  for (uint32_t i = 0; i < e.key_count; ++i) e.keys_added[i].index->erase(e.keys_added[i].hash, b.first_row() + e.slot);
}

}  // namespace

void undo_entry(UndoEntry& e) {
  Table& table = *e.table;
  Block& b = *e.block;
  switch (e.kind) {
    case UndoKind::kInsert:
      undo_insert(table, b, e);
      table.live_rows.fetch_sub(e.count, std::memory_order_relaxed);
      break;
    case UndoKind::kDelete:
      undo_delete(table, b, e);
      table.live_rows.fetch_add(1, std::memory_order_relaxed);
      break;
    case UndoKind::kUpdate: undo_update(table, b, e);
  }
  const ExclusiveLatch hold(b.latch);
  b.undo_head = e.next.load(std::memory_order_relaxed);
  if (b.undo_head != nullptr) b.undo_head->newer = nullptr;
  b.last = e.before;
  b.keys_returned -= e.key_returned ? 1 : 0;
  b.changed();
}

namespace {

// Does the row, or some entry that is still in the chain, need this key of it? (1 -> 4 -> 1 -> 5 holds key 1 twice.)
bool key_needed(const Table& table, const Block& b, uint32_t slot, const KeyChange& gone) {
  if (b.keys_returned == 0) return false;  // a key that has gone is back only by an update that found it still there
  DatumArray<kKeyColumnsMax> key;
  const auto columns = gone.index->columns();
  for (size_t i = 0; i < columns.size(); ++i) key[i] = b.columns[columns[i]]->at(slot);
  uint64_t hash = 0;
  if (hash_key(table, columns, key, &hash) && hash == gone.hash) return true;
  for (const UndoEntry* e = b.undo_head; e != nullptr; e = e->next.load(std::memory_order_relaxed)) {
    if (e->kind != UndoKind::kUpdate || e->slot != slot) continue;
    for (uint32_t k = 0; k < e->gone_count; ++k) {
      if (e->keys_gone[k].index == gone.index && e->keys_gone[k].hash == gone.hash) return true;
    }
  }
  return false;
}

// After an update's entry is cut: the keys that the row had before it leave their indexes, unless something still needs them. Reclaiming does not
// allocate. An index that has been dropped since is not touched.
void reclaim_update_keys(const Table& table, const Block& b, const UndoEntry& e) {
  for (uint32_t k = 0; k < e.gone_count; ++k) {
    const KeyChange& gone = e.keys_gone[k];
    const bool here = std::any_of(table.keys.begin(), table.keys.end(), [&](const auto& index) { return index.get() == gone.index; });
    if (here && !key_needed(table, b, e.slot, gone)) gone.index->erase(gone.hash, b.first_row() + e.slot);
  }
}

}  // namespace

void reclaim_entry(UndoEntry& e, uint64_t commit) {
  Table& table = *e.table;
  Block& b = *e.block;
  {
    const ExclusiveLatch hold(b.latch);
    if (e.newer != nullptr) e.newer->next.store(nullptr, std::memory_order_release);
    else b.undo_head = nullptr;
    if (b.last.transaction == e.transaction) b.last = {nullptr, commit};
    b.keys_returned -= e.key_returned ? 1 : 0;
    b.held.store(true, std::memory_order_relaxed);  // the keys below are of columns that the entry has kept here
  }
  if (e.kind == UndoKind::kDelete) {
    erase_keys_of_slot(table, b, e.slot);
    try {
      table.free_slots.push_back(b.first_row() + e.slot);
    } catch (const std::bad_alloc&) {
      // The slot stays unused: that costs its bytes and nothing else.
    }
  } else if (e.kind == UndoKind::kUpdate) {
    reclaim_update_keys(table, b, e);
  }
  b.held.store(false, std::memory_order_release);
}

// ---- checks at the end of a statement

namespace {

// Is there a live child row with one of these keys? Returns its key's index, or -1.
int64_t find_child(const Table& child, const ChildCheck& check, const std::vector<const Datum*>& keys) {
  const auto& columns = check.columns;
  boost::unordered_flat_set<uint64_t> hashes;
  int64_t low = INT64_MAX, high = INT64_MIN;
  const bool integer = columns.size() == 1 && child.type(columns[0]).lane() == Lane::kInt64;
  for (const Datum* key : keys) {
    uint64_t hash = 0;
    if (!hash_key(child, columns, key, &hash)) continue;
    hashes.insert(hash);
    if (integer) {
      low = std::min(low, key[0].i64());
      high = std::max(high, key[0].i64());
    }
  }
  std::vector<Datum> row(columns.size());
  std::vector<BufferRef> pins(columns.size());
  for (uint64_t i = 0; i < child.block_count(); ++i) {
    const Block& b = child.block(i);
    {
      const SharedLatch hold(b.latch);  // a reader may be tightening the zone
      if (b.live == 0 || (integer && (b.zones[columns[0]].high < low || b.zones[columns[0]].low > high))) continue;
    }
    for (size_t c = 0; c < columns.size(); ++c) pins[c] = child.pin(i, columns[c]);
    const ColumnBuffer& first = *pins[0];
    for (uint32_t s = 0; s < b.rows; ++s) {
      if (integer && (first.int_at(s) < low || first.int_at(s) > high)) continue;
      if (!bit_test(b.visible->words, s)) continue;
      for (size_t c = 0; c < columns.size(); ++c) row[c] = pins[c]->at(s);
      uint64_t hash = 0;
      if (!hash_key(child, columns, row.data(), &hash) || !hashes.contains(hash)) continue;
      for (size_t k = 0; k < keys.size(); ++k) {
        if (keys_equal(child, columns, keys[k], row.data())) return static_cast<int64_t>(k);
      }
    }
  }
  return -1;
}

void check_children(const std::vector<StatementChecks::Child>& all) {
  // Grouped by relation, so that each child table is read once however many parents went.
  std::vector<std::pair<const Table*, size_t>> done;
  for (const auto& first : all) {
    if (std::find(done.begin(), done.end(), std::make_pair(static_cast<const Table*>(first.parent), first.check)) != done.end()) continue;
    done.emplace_back(first.parent, first.check);
    const ChildCheck& check = first.parent->children[first.check];
    const auto child = check.child.lock();
    if (child == nullptr) continue;
    const KeyIndex* index = nullptr;
    for (const auto& k : first.parent->keys) {
      if (std::equal(k->columns().begin(), k->columns().end(), check.parent_columns.begin(), check.parent_columns.end())) index = k.get();
    }
    std::vector<const Datum*> gone;
    for (const auto& c : all) {
      if (c.parent != first.parent || c.check != first.check) continue;
      uint64_t hash = 0;
      if (!hash_key(*c.parent, check.parent_columns, c.key.data(), &hash)) continue;
      if (index != nullptr && find_live(*c.parent, *index, c.key.data(), hash, kNoRow) != kNoRow) continue;  // it came back
      gone.push_back(c.key.data());
    }
    if (gone.empty()) continue;
    if (const int64_t k = find_child(*child, check, gone); k >= 0) {
      fail(sqlstate::kForeignKey, "table " + child->name() + " still refers to a row of table " + first.parent->name() + ": " +
                                      key_text(*first.parent, check.parent_columns, gone[static_cast<size_t>(k)]));
    }
  }
}

}  // namespace

void check_statement(const StatementChecks& checks) {
  for (const auto& u : checks.unique) {
    if (!row_live(*u.table, u.row_id)) continue;
    const auto columns = u.index->columns();
    std::vector<Datum> key(columns.size());
    for (size_t i = 0; i < columns.size(); ++i) key[i] = row_value(*u.table, u.row_id, columns[i]);
    uint64_t hash = 0;
    if (hash_key(*u.table, columns, key.data(), &hash) && find_live(*u.table, *u.index, key.data(), hash, u.row_id) != kNoRow)
      fail_duplicate(*u.table, *u.index, key.data());
  }
  for (const auto& p : checks.parents) {
    if (!row_live(*p.child, p.row_id)) continue;
    const ReferenceCheck& reference = p.child->references[p.reference];
    const auto parent = reference.parent.lock();
    std::vector<Datum> key(reference.columns.size());
    for (size_t i = 0; i < key.size(); ++i) key[i] = row_value(*p.child, p.row_id, reference.columns[i]);
    uint64_t hash = 0;
    if (!hash_key(*p.child, reference.columns, key.data(), &hash)) continue;
    if (parent == nullptr || find_live(*parent, *reference.parent_key, key.data(), hash, kNoRow) == kNoRow)
      fail_no_parent(*p.child, reference, key.data());
  }
  check_children(checks.children);
}

}  // namespace hdb
