// store/block.h: a block of a table: 16,384 slots, the unit of latch, zone map, pin and rewind.
//
// Terms:      slot: a row's place in its block. Row id: block * kBlockRows + slot. Undo entry: the before-image of one change; a block's entries
//             form a chain, newest first.
// Invariants: C2 under `latch`, a reader pins columns, visibility, zones and chain head together; the writer links its undo entry and changes
//                bytes as one step, in place if the buffer is not pinned, else on a copy that it swaps in.
//             C6 `last` names the last change; zones, live and the extension belong to the latest state only.
//             S5 slots at and above `rows` were never live; their bytes mean nothing.
// Callers:    txn/ (change, rewind), plane/block_cells. Fields are guarded by `latch`; `rows` only grows.
// Held by:    spec/store.md, src/txn/*_test.cc
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/latch.h"
#include "base/limits.h"
#include "store/column.h"
#include "store/zone_map.h"

namespace hdb {

struct UndoEntry;         // txn/journal.h
struct TransactionState;  // txn/snapshot.h
class Block;

// What a higher layer keeps per block beside the zone map (block cells). It belongs to the block's latest state.
struct BlockExtension {
  virtual ~BlockExtension() = default;
  // Under the exclusive latch: the row in `slot` leaves (sign -1, before its bytes change) or has arrived (sign +1, after). False: it could
  // not follow and must be dropped.
  virtual bool adjust(const Block& block, uint32_t slot, int sign) noexcept = 0;
};

// Who changed a block last. transaction is null once that transaction's entries have been reclaimed; then commit counts.
struct LastChange {
  const TransactionState* transaction = nullptr;
  uint64_t commit = 0;
};

class Block {
 public:
  Block(uint64_t index, uint32_t column_count) : index_(index), columns(column_count), zones(column_count) {}

  uint64_t index() const { return index_; }
  uint64_t first_row() const { return index_ * kBlockRows; }

 private:
  const uint64_t index_;

 public:
  mutable Latch latch;
  std::vector<BufferRef> columns;
  std::vector<Zone> zones;
  VisibleRef visible{new VisibleBitmap};
  uint32_t rows = 0;                    // slots in use
  uint32_t live = 0;                    // visible ones
  UndoEntry* undo_head = nullptr;
  uint32_t keys_returned = 0;           // entries in the chain with key_returned
  LastChange last;
  uint64_t version = 0;                 // counts changes: a recomputed value is installed only if it has not moved
  std::shared_ptr<BlockExtension> extension;
};

}  // namespace hdb
