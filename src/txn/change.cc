#include "txn/change.h"

#include <algorithm>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "base/check.h"
#include "store/column_cache.h"
#include "store/key_index.h"
#include "txn/bulk.h"
#include "txn/place.h"
#include "txn/sinks.h"
#include "txn/undo.h"

namespace hdb {

namespace {

// Whole rows side by side; one or two of them without the heap.
using RowData = boost::container::small_vector<Datum, 24>;

bool intersects(std::span<const uint32_t> a, std::span<const uint32_t> b) {
  return std::any_of(a.begin(), a.end(), [&](uint32_t x) { return std::find(b.begin(), b.end(), x) != b.end(); });
}

}  // namespace

// Makes the block's column buffer one that the writer may write into and that represents `add` (C2, S3). Under the exclusive latch.
void prepare_column(Table& table, Block& b, uint32_t column, const Layout& add) {
  BufferRef& buffer = b.columns[column];
  ColumnStore& store = table.column(column);
  if (!b.homes.empty()) table.cache()->no_home(b, column);
  if (!buffer || (b.rows == 0 && !covers(*buffer, add))) {
    // First placement: side by side with its neighbours in the column's segment. The width that the last block came to is a good guess.
    Layout l = add;
    if (b.index() > 0 && add.encoding == Encoding::kOffset) {
      // Only the writer ever takes a second block's latch.
      const Block& last = table.block(b.index() - 1);
      const SharedLatch hold(last.latch);
      const BufferRef& before = last.columns[column];
      if (before && before->encoding == Encoding::kOffset && covers(*before, add)) l = {before->encoding, before->width, before->base, add.nulls};
    }
    const uint64_t bytes = (uint64_t{l.width} * kBlockRows + 128) * kSegmentBlocks;
    if (l.width > 0 && b.index() > 0 && (store.segment == nullptr || store.segment->bytes - store.segment->used < uint64_t{l.width} * kBlockRows + 64)) {
      Segment* fresh = Segment::make(bytes, table.budget());
      if (store.segment != nullptr) store.segment->release();
      store.segment = fresh;
    }
    buffer = BufferRef(ColumnBuffer::make(l.encoding, l.width, l.base, l.nulls, store.dictionary.get(), table.budget(), store.segment));
    return;
  }
  if (!covers(*buffer, add)) {
    // Widen before writing: a reader that sees the new width must never see an old-width value; it holds the old buffer.
    buffer = re_encode(*buffer, b.rows, widen(*buffer, b.rows, add, b.undo_head != nullptr));
  } else if (buffer->shared()) {
    buffer = copy_of(*buffer, b.rows);
  }
}

namespace {

// Takes back what an insert has done to indexes and sinks when it fails half-way.
class InsertGuard {
 public:
  InsertGuard(Table& table, const RowData& rows) : table_(table), rows_(rows) {}
  ~InsertGuard() {
    if (kept_) return;
    for (const auto& k : keys_) k.index->erase(k.hash, k.row);
    const uint32_t columns = table_.column_count();
    for (size_t s = 0; s < applied_.size(); ++s) {
      for (uint32_t r = 0; r < applied_[s]; ++r) table_.sinks[s]->apply(&rows_[size_t{r} * columns], -1);
    }
  }
  void keep() { kept_ = true; }
  void add_key(KeyIndex* index, uint64_t hash, uint64_t row) { keys_.push_back({index, hash, row}); }
  void apply_sinks(uint32_t count) {
    applied_.assign(table_.sinks.size(), 0);
    for (size_t s = 0; s < table_.sinks.size(); ++s) {
      for (uint32_t r = 0; r < count; ++r) {
        table_.sinks[s]->apply(&rows_[size_t{r} * table_.column_count()], +1);
        applied_[s] = r + 1;
      }
    }
  }

 private:
  struct Key {
    KeyIndex* index;
    uint64_t hash, row;
  };
  Table& table_;
  const RowData& rows_;
  boost::container::small_vector<Key, 4> keys_;
  boost::container::small_vector<uint32_t, 4> applied_;
  bool kept_ = false;
};

void insert_keys(Table& table, const RowData& rows, uint64_t first_row, uint32_t count, InsertGuard& guard) {
  const uint32_t width = table.column_count();
  DatumArray<kKeyColumnsMax> key, there;
  for (const auto& index : table.keys) {
    const auto columns = index->columns();
    for (uint32_t r = 0; r < count; ++r) {
      for (size_t i = 0; i < columns.size(); ++i) key[i] = rows[size_t{r} * width + columns[i]];
      uint64_t hash = 0;
      if (!hash_key(table, columns, key, &hash)) continue;
      const uint64_t row_id = first_row + r;
      const bool duplicate = index->find(key, hash, [&](uint64_t row) {
        if (row == row_id) return false;
        // A row of this very call counts before it is visible.
        if (row >= first_row && row < row_id) {
          for (size_t i = 0; i < columns.size(); ++i) there[i] = rows[size_t{row - first_row} * width + columns[i]];
        } else {
          if (!row_live(table, row)) return false;
          for (size_t i = 0; i < columns.size(); ++i) there[i] = row_value(table, row, columns[i]);
        }
        return keys_equal(table, columns, key, there);
      });
      if (duplicate) fail_duplicate(table, *index, key);
      if (index->insert(key, hash, row_id)) guard.add_key(index.get(), hash, row_id);
    }
  }
}

void check_parents(Transaction& transaction, Table& table, const RowData& rows, uint64_t first_row, uint32_t count) {
  const uint32_t width = table.column_count();
  DatumArray<kKeyColumnsMax> key;
  for (size_t f = 0; f < table.references.size(); ++f) {
    const ReferenceCheck& reference = table.references[f];
    const auto parent = reference.parent.lock();
    for (uint32_t r = 0; r < count; ++r) {
      for (size_t i = 0; i < reference.columns.size(); ++i) key[i] = rows[size_t{r} * width + reference.columns[i]];
      uint64_t hash = 0;
      if (!hash_key(table, reference.columns, key, &hash)) continue;
      if (parent == nullptr) fail_no_parent(table, reference, key);
      // A row may refer to one that comes later in the same statement: what is not there yet is looked at again at its end.
      if (find_live(*parent, *reference.parent_key, key, hash, kNoRow) == kNoRow)
        transaction.checks().parents.push_back({&table, f, first_row + r});
    }
  }
}

// Rows [0, count) of `columns` from `from` on go to slots [slot, slot + count) of the block, none of which is live.
void insert_range(Transaction& transaction, Table& table, Block& b, uint32_t slot, std::span<const Datum* const> columns, uint32_t from,
                  uint32_t count, bool checked) {
  const uint32_t width = table.column_count();
  RowData rows(size_t{count} * width, boost::container::default_init);
  for (uint32_t c = 0; c < width; ++c) {
    for (uint32_t r = 0; r < count; ++r) {
      const Datum& d = columns[c][from + r];
      if (checked && d.null && table.shape(c).not_null) fail_not_null(table, c);
      rows[size_t{r} * width + c] = d;
    }
  }
  transaction.hold(table, b);
  transaction.reserve_visible();
  UndoEntry* entry = transaction.new_entry(UndoKind::kInsert, table, b, slot, count, 0, 0, 0);
  {
    const ExclusiveLatch hold(b.latch);
    for (uint32_t c = 0; c < width; ++c) {
      prepare_column(table, b, c, layout_for(table.type(c), columns[c] + from, count));
      // S5: nobody looks at these slots before they are visible.
      for (uint32_t r = 0; r < count; ++r) b.columns[c]->put(slot + r, columns[c][from + r]);
    }
  }
  const uint64_t first_row = b.first_row() + slot;
  InsertGuard guard(table, rows);
  if (checked) {
    insert_keys(table, rows, first_row, count, guard);
    check_parents(transaction, table, rows, first_row, count);
  } else {
    for (const auto& index : table.keys) {
      DatumArray<kKeyColumnsMax> key;
      const auto key_columns = index->columns();
      for (uint32_t r = 0; r < count; ++r) {
        for (size_t i = 0; i < key_columns.size(); ++i) key[i] = rows[size_t{r} * width + key_columns[i]];
        uint64_t hash = 0;
        if (hash_key(table, key_columns, key, &hash) && index->insert(key, hash, first_row + r)) guard.add_key(index.get(), hash, first_row + r);
      }
    }
  }
  guard.apply_sinks(count);
  guard.keep();
  const ExclusiveLatch hold(b.latch);
  // A reader may have pinned a buffer since; it does not look at these slots, so its bytes are as good as before.
  own_visible(b, transaction.spare_visible());
  for (uint32_t r = 0; r < count; ++r) {
    bit_set(b.visible->words, slot + r);
    for (uint32_t c = 0; c < width; ++c) b.zones[c].add(table.type(c).lane(), rows[size_t{r} * width + c]);
    adjust_extension(b, slot + r, +1);
  }
  b.rows = std::max(b.rows, slot + count);
  b.live += count;
  transaction.link(entry);
}

// Is a slot that a deleted row has left used again? In a small table always; in a large one only while more than an eighth of it is free: rows at the
// end lie side by side and their keys in runs, one in a hole costs a cache miss a column and an entry in the key's hash.
bool fills_hole(const Table& table) {
  constexpr uint64_t kFreeShare = 8;
  const uint64_t live = table.live_rows.load(std::memory_order_relaxed);
  return !table.free_slots.empty() && (live < kBlockRows || table.free_slots.size() > live / kFreeShare);
}

}  // namespace

uint64_t insert_row(Transaction& transaction, Table& table, const Datum* row) {
  CHECK(transaction.writing());
  transaction.touch(table);
  uint64_t row_id = 0;
  if (!fills_hole(table)) {
    Block& b = block_to_append(table);
    row_id = b.first_row() + b.rows;
    place_in_slot(transaction, table, b, b.rows, row);
  } else {
    row_id = table.free_slots.back();
    table.free_slots.pop_back();
    try {
      place_in_slot(transaction, table, table.block(row_id / kBlockRows), static_cast<uint32_t>(row_id % kBlockRows), row);
    } catch (...) {
      table.free_slots.push_back(row_id);  // its place in the vector is still there
      throw;
    }
  }
  table.live_rows.fetch_add(1, std::memory_order_relaxed);
  return row_id;
}

uint64_t insert_rows(Transaction& transaction, Table& table, std::span<const Datum* const> columns, uint32_t count) {
  CHECK(transaction.writing() && columns.size() == table.column_count());
  if (count >= kRunRowsMin) return insert_as_runs(transaction, table, columns, count);
  transaction.touch(table);
  uint64_t first = kNoRow;
  if (count == 1) {
    RowData row(columns.size(), boost::container::default_init);
    for (size_t c = 0; c < columns.size(); ++c) row[c] = columns[c][0];
    return insert_row(transaction, table, row.data());
  }
  for (uint32_t done = 0; done < count;) {
    Block& b = block_to_append(table);
    const uint32_t n = std::min(count - done, kBlockRows - b.rows);
    if (first == kNoRow) first = b.first_row() + b.rows;
    insert_range(transaction, table, b, b.rows, columns, done, n, true);
    table.live_rows.fetch_add(n, std::memory_order_relaxed);
    done += n;
  }
  return first;
}

void place_rows(Transaction& transaction, Table& table, uint64_t first_row, std::span<const Datum* const> columns, uint32_t count) {
  const auto slot = static_cast<uint32_t>(first_row % kBlockRows);
  CHECK(transaction.writing() && columns.size() == table.column_count() && slot + count <= kBlockRows);
  transaction.touch(table);
  while (table.block_count() <= first_row / kBlockRows) table.add_block();
  // The slots may have been freed by an earlier group: they are not free any more.
  auto& free = table.free_slots;
  if (count > 1) {
    std::erase_if(free, [&](uint64_t row) { return row >= first_row && row - first_row < count; });
  } else if (const auto at = std::find(free.rbegin(), free.rend(), first_row); at != free.rend()) {
    free.erase(std::next(at).base());
  }
  insert_range(transaction, table, table.block(first_row / kBlockRows), slot, columns, 0, count, false);
  table.live_rows.fetch_add(count, std::memory_order_relaxed);
}

void place_row(Transaction& transaction, Table& table, uint64_t row_id, const Datum* row) {
  boost::container::small_vector<const Datum*, 24> columns(table.column_count());
  for (uint32_t c = 0; c < table.column_count(); ++c) columns[c] = row + c;
  place_rows(transaction, table, row_id, {columns.data(), columns.size()}, 1);
}

bool delete_row(Transaction& transaction, Table& table, uint64_t row_id) {
  CHECK(transaction.writing());
  if (!row_live(table, row_id)) return false;
  transaction.touch(table);
  Block& b = table.block(row_id / kBlockRows);
  const auto slot = static_cast<uint32_t>(row_id % kBlockRows);
  transaction.hold(table, b);
  RowData row(table.column_count(), boost::container::default_init);
  if (!table.sinks.empty() || !table.children.empty()) {
    for (uint32_t c = 0; c < table.column_count(); ++c) row[c] = b.columns[c]->at(slot);
  }
  transaction.reserve_visible();
  UndoEntry* entry = transaction.new_entry(UndoKind::kDelete, table, b, slot, 1, 0, 0, 0);
  for (size_t k = 0; k < table.children.size(); ++k) {
    std::vector<Datum> key;
    for (const uint32_t c : table.children[k].parent_columns) key.push_back(row[c]);
    transaction.checks().children.push_back({&table, k, std::move(key)});
  }
  size_t applied = 0;
  try {
    for (; applied < table.sinks.size(); ++applied) table.sinks[applied]->apply(row.data(), -1);
  } catch (...) {
    while (applied-- > 0) table.sinks[applied]->apply(row.data(), +1);
    throw;
  }
  {
    const ExclusiveLatch hold(b.latch);
    adjust_extension(b, slot, -1);
    own_visible(b, transaction.spare_visible());
    bit_clear(b.visible->words, slot);
    --b.live;
    zones_remove(table, b, slot);
    transaction.link(entry);
  }
  table.live_rows.fetch_sub(1, std::memory_order_relaxed);
  return true;
}

namespace {

// Which columns really change, and the row before and after, as far as somebody looks at it.
struct RowUpdate {
  boost::container::small_vector<uint32_t, 24> columns;
  RowData old, fresh;  // by table column
};

RowUpdate plan_update(const Table& table, const Block& b, uint32_t slot, std::span<const uint32_t> columns, const Datum* values) {
  RowUpdate u;
  u.old.resize(table.column_count());
  u.fresh.resize(table.column_count());
  for (size_t i = 0; i < columns.size(); ++i) {
    const uint32_t c = columns[i];
    if (values[i].null && table.shape(c).not_null) fail_not_null(table, c);
    const Datum old = b.columns[c]->at(slot);
    // Bit for bit: -0.0 and 0.0 differ, and so does a heap text from its twin.
    if (old.null == values[i].null && (old.null || old.raw == values[i].raw)) continue;
    u.columns.push_back(c);
  }
  if (u.columns.empty()) return u;
  // Of the other columns only what an index, a reference or a sink will look at: cold columns cost a cache miss each.
  const auto read = [&](std::span<const uint32_t> wanted) {
    for (const uint32_t c : wanted) u.fresh[c] = u.old[c] = b.columns[c]->at(slot);
  };
  const auto read_concerned = [&](std::span<const uint32_t> wanted) {
    if (intersects(wanted, u.columns)) read(wanted);
  };
  read(u.columns);
  for (const auto& index : table.keys) read_concerned(index->columns());
  for (const auto& child : table.children) read_concerned(child.parent_columns);
  for (const auto& sink : table.sinks) read_concerned(sink->columns());
  for (size_t i = 0; i < columns.size(); ++i) {
    if (std::find(u.columns.begin(), u.columns.end(), columns[i]) != u.columns.end()) u.fresh[columns[i]] = values[i];
  }
  return u;
}

std::vector<Datum> pick(const RowData& row, std::span<const uint32_t> columns) {
  std::vector<Datum> key;
  key.reserve(columns.size());
  for (const uint32_t c : columns) key.push_back(row[c]);
  return key;
}

// What an update does to the keys of its row.
struct KeyUpdate {
  boost::container::small_vector<KeyChange, 4> added, gone;
  bool returned = false;
};

// Keys and references that this update touches. What it adds to indexes goes into keys.added at once, for the caller to take back.
void update_keys(Transaction& transaction, Table& table, const RowUpdate& u, uint64_t row_id, KeyUpdate& keys) {
  for (const auto& index : table.keys) {
    if (!intersects(index->columns(), u.columns)) continue;
    uint64_t hash = 0;
    if (hash_key(table, index->columns(), pick(u.old, index->columns()).data(), &hash)) keys.gone.push_back({index.get(), hash});
    const auto key = pick(u.fresh, index->columns());
    if (!hash_key(table, index->columns(), key.data(), &hash)) continue;
    keys.added.reserve(keys.added.size() + 1);
    if (index->insert(key.data(), hash, row_id, &keys.returned)) keys.added.push_back({index.get(), hash});
    transaction.checks().unique.push_back({&table, index.get(), row_id});
  }
  for (size_t f = 0; f < table.references.size(); ++f) {
    if (intersects(table.references[f].columns, u.columns)) transaction.checks().parents.push_back({&table, f, row_id});
  }
  for (size_t k = 0; k < table.children.size(); ++k) {
    const auto& parent_columns = table.children[k].parent_columns;
    if (intersects(parent_columns, u.columns)) transaction.checks().children.push_back({&table, k, pick(u.old, parent_columns)});
  }
}

void write_update(Transaction& transaction, Table& table, Block& b, uint32_t slot, const RowUpdate& u, UndoEntry* entry) {
  const ExclusiveLatch hold(b.latch);
  for (const uint32_t c : u.columns) prepare_column(table, b, c, layout_for(table.type(c), &u.fresh[c], 1));
  adjust_extension(b, slot, -1);
  for (size_t i = 0; i < u.columns.size(); ++i) {
    const uint32_t c = u.columns[i];
    const Lane lane = table.type(c).lane();
    entry->images[i] = {c, u.old[c]};
    b.zones[c].remove(lane, u.old[c]);
    b.columns[c]->put(slot, u.fresh[c]);
    b.zones[c].add(lane, u.fresh[c]);
  }
  adjust_extension(b, slot, +1);
  transaction.link(entry);
}

}  // namespace

bool update_row(Transaction& transaction, Table& table, uint64_t row_id, std::span<const uint32_t> columns, const Datum* values) {
  CHECK(transaction.writing());
  if (!row_live(table, row_id)) return false;
  transaction.touch(table);
  Block& b = table.block(row_id / kBlockRows);
  const auto slot = static_cast<uint32_t>(row_id % kBlockRows);
  transaction.hold(table, b);
  const RowUpdate u = plan_update(table, b, slot, columns, values);
  if (u.columns.empty()) return true;
  KeyUpdate keys;
  // {sink, sign} pairs that have been applied, to be taken back in reverse.
  boost::container::small_vector<std::pair<RowSink*, int>, 8> applied;
  try {
    update_keys(transaction, table, u, row_id, keys);
    UndoEntry* entry = transaction.new_entry(UndoKind::kUpdate, table, b, slot, 1, static_cast<uint32_t>(u.columns.size()),
                                             static_cast<uint32_t>(keys.added.size()), static_cast<uint32_t>(keys.gone.size()));
    std::copy(keys.added.begin(), keys.added.end(), entry->keys_added);
    std::copy(keys.gone.begin(), keys.gone.end(), entry->keys_gone);
    entry->key_returned = keys.returned;
    for (const auto& sink : table.sinks) {
      if (!intersects(sink->columns(), u.columns)) continue;
      applied.reserve(applied.size() + 2);
      sink->apply(u.old.data(), -1);
      applied.emplace_back(sink.get(), -1);
      sink->apply(u.fresh.data(), +1);
      applied.emplace_back(sink.get(), +1);
    }
    write_update(transaction, table, b, slot, u, entry);
  } catch (...) {
    while (!applied.empty()) {
      const auto [sink, sign] = applied.back();
      sink->apply(sign < 0 ? u.old.data() : u.fresh.data(), -sign);
      applied.pop_back();
    }
    for (const KeyChange& k : keys.added) k.index->erase(k.hash, row_id);
    throw;
  }
  return true;
}

}  // namespace hdb
