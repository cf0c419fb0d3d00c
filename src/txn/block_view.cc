#include "txn/block_view.h"

#include "base/check.h"
#include "txn/journal.h"

namespace hdb {

bool is_current(const Block& block, const Snapshot& snapshot) {
  const LastChange& last = block.last;
  if (last.transaction == nullptr) return last.commit <= snapshot.commit;
  if (last.transaction == snapshot.transaction) return block.undo_head == nullptr || block.undo_head->position < snapshot.position;
  return last.transaction->commit.load(std::memory_order_acquire) <= snapshot.commit;
}

namespace {

bool sees(const Snapshot& snapshot, const UndoEntry& e) {
  return snapshot.sees(e.transaction->commit.load(std::memory_order_acquire), e.transaction, e.position);
}

// A copy that nobody else holds, so that before-images may be written into it.
ColumnBuffer& own(BufferRef& buffer, bool& owned, uint32_t rows) {
  if (!owned) {
    buffer = copy_of(*buffer, rows);
    owned = true;
  }
  return *buffer;
}

}  // namespace

void BlockView::open(const Table& table, uint64_t index, std::span<const uint32_t> columns, const Snapshot& snapshot) {
  block_ = index;
  columns_.resize(columns.size());
  zones_.resize(columns.size());
  const UndoEntry* head = nullptr;
  if (!pin(table.block(index), columns, snapshot, &head)) {
    // Absent ones are brought in, and pinned so that the next look finds them.
    std::vector<BufferRef> pins;
    do {
      pins.clear();
      for (const uint32_t c : columns) pins.push_back(table.pin(index, c));
    } while (!pin(table.block(index), columns, snapshot, &head));
  }
  if (!current_) rewind(columns, snapshot, head);
}

bool BlockView::open_heads(const Table& table, uint64_t index, std::span<const uint32_t> columns, const Snapshot& snapshot) {
  block_ = index;
  columns_.resize(columns.size());
  zones_.resize(columns.size());
  const UndoEntry* head = nullptr;
  const bool here = pin(table.block(index), columns, snapshot, &head);
  if (current_) return here;
  if (here) rewind(columns, snapshot, head);
  else open(table, index, columns, snapshot);
  return true;
}

// False: some column is absent.
bool BlockView::pin(const Block& b, std::span<const uint32_t> columns, const Snapshot& snapshot, const UndoEntry** head) {
  bool here = true;
  const SharedLatch hold(b.latch);
  for (size_t i = 0; i < columns.size(); ++i) {
    columns_[i] = b.columns[columns[i]];
    zones_[i] = b.zones[columns[i]];
    if (columns_[i]) columns_[i]->touch();
    else here = b.rows == 0;
  }
  visible_ = b.visible;
  rows_ = b.rows;
  visible_count_ = b.live;
  version_ = b.version();
  newest_ = b.last.transaction == nullptr ? b.last.commit : b.last.transaction->commit.load(std::memory_order_acquire);
  current_ = is_current(b, snapshot);
  extension_ = current_ ? b.extension : nullptr;
  *head = b.undo_head;
  return here;
}

void BlockView::rewind(std::span<const uint32_t> columns, const Snapshot& snapshot, const UndoEntry* head) {
  std::vector<char> owned(columns.size(), 0);
  VisibleRef visible(new VisibleBitmap);
  for (uint32_t w = 0; w < kBlockWords; ++w) visible->words[w] = visible_->words[w];
  // Newest first: an older before-image overwrites a newer one, so the oldest that is needed remains.
  for (const UndoEntry* e = head; e != nullptr && !sees(snapshot, *e); e = e->next.load(std::memory_order_acquire)) {
    switch (e->kind) {
      case UndoKind::kInsert:
        for (uint32_t s = e->slot; s < e->slot + e->count; ++s) bit_clear(visible->words, s);
        break;
      case UndoKind::kDelete: bit_set(visible->words, e->slot); break;
      case UndoKind::kUpdate:
        for (uint32_t k = 0; k < e->image_count; ++k) {
          for (size_t i = 0; i < columns.size(); ++i) {
            if (columns[i] != e->images[k].column) continue;
            bool mine = owned[i] != 0;
            ColumnBuffer& copy = own(columns_[i], mine, rows_);
            owned[i] = 1;
            CHECK(copy.represents(e->images[k].old));  // S3
            copy.put(e->slot, e->images[k].old);
          }
        }
    }
  }
  // A slot at or above rows_ was never live here; entries of later inserts cleared bits that are clear already.
  visible_ = std::move(visible);
  visible_count_ = bitmap_count(visible_->words, bitmap_words(rows_));
}

bool tighten_zone(const Table& table, uint64_t index, uint32_t column, uint64_t version, const Zone& bounds) {
  Block& b = table.block(index);
  const ExclusiveLatch hold(b.latch);
  if (b.version() != version) return false;
  // Z1: an older snapshot may still need a value that only its before-image or a deleted row holds.
  if (b.undo_head != nullptr) return false;
  Zone& z = b.zones[column];
  z.low = bounds.low;
  z.high = bounds.high;
  z.low_real = bounds.low_real;
  z.high_real = bounds.high_real;
  z.loose = false;
  return true;
}

bool read_row(const Table& table, uint64_t row_id, std::span<const uint32_t> columns, const Snapshot& snapshot, Datum* out) {
  const uint64_t index = row_id / kBlockRows;
  const auto slot = static_cast<uint32_t>(row_id % kBlockRows);
  if (index >= table.block_count()) return false;
  const Block& b = table.block(index);
  const UndoEntry* head = nullptr;
  bool there = false;
  std::vector<BufferRef> pins;  // of columns that were absent: the next look finds them
  for (;;) {
    bool here = true;
    {
      const SharedLatch hold(b.latch);
      if (slot >= b.rows) return false;
      there = bit_test(b.visible->words, slot);
      head = is_current(b, snapshot) ? nullptr : b.undo_head;
      if (head == nullptr && !there) return false;
      for (size_t i = 0; i < columns.size(); ++i) {
        const BufferRef& buffer = b.columns[columns[i]];
        here = static_cast<bool>(buffer);
        if (!here) break;
        buffer->touch();
        out[i] = buffer->at(slot);
      }
    }
    if (here) break;
    pins.clear();
    for (const uint32_t c : columns) pins.push_back(table.pin(index, c));
  }
  for (const UndoEntry* e = head; e != nullptr && !sees(snapshot, *e); e = e->next.load(std::memory_order_acquire)) {
    if (slot < e->slot || slot >= e->slot + e->count) continue;
    if (e->kind == UndoKind::kInsert) there = false;
    if (e->kind == UndoKind::kDelete) there = true;
    for (uint32_t k = 0; k < e->image_count; ++k) {
      for (size_t i = 0; i < columns.size(); ++i) {
        if (columns[i] == e->images[k].column) out[i] = e->images[k].old;
      }
    }
  }
  return there;
}

}  // namespace hdb
