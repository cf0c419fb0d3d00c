// store/block.h: a block of a table: 16,384 slots, the unit of latch, zone map, pin and rewind.
//
// Terms:      slot: a row's place in its block. Row id: block * kBlockRows + slot. Undo entry: the before-image of one change; a block's entries
//             form a chain, newest first.
// Invariants: C2 under `latch`, a reader pins columns, visibility, zones and chain head together; the writer links its undo entry and changes
//                bytes as one step, in place if the buffer is not pinned, else on a copy that it swaps in.
//             C6 `last` names the last change; zones, live and the extension belong to the latest state only.
//             C6 whatever changes a block calls changed() under its exclusive latch: the block's version, then its run's count, then the table's move.
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
  // Rows that are appended behind all others arrive without it: whoever keeps something knows how many slots it has seen. Slots at and above `rows`
  // are free again.
  virtual void truncated(uint32_t rows) noexcept = 0;
};

// What a higher layer keeps for a run of blocks, or for all of them (folded cells): true of their latest state at some count of changes.
struct ScopeExtension {
  virtual ~ScopeExtension() = default;
};

// Some blocks of a table, and how often anything in them has changed. Whoever finds the count where it was knows that no block has moved since.
struct ChangeScope {
  std::atomic<uint64_t> changes{0};
  mutable Latch latch;                          // guards `extension`; nothing is taken under it
  std::shared_ptr<ScopeExtension> extension;
};

// Where a file has a block column: an object of its pages. where == 0: nowhere.
struct ColumnHome {
  uint64_t where = 0;
  uint32_t bytes = 0, checksum = 0;
  bool operator==(const ColumnHome&) const = default;
};

// Who changed a block last. transaction is null once that transaction's entries have been reclaimed; then commit counts.
struct LastChange {
  const TransactionState* transaction = nullptr;
  uint64_t commit = 0;
};

class Block {
 public:
  // run, whole: the scopes that it belongs to; they outlive it.
  Block(uint64_t index, uint32_t column_count, ChangeScope* run, ChangeScope* whole)
      : index_(index), run_(run), whole_(whole), columns(column_count), zones(column_count) {}

  uint64_t index() const { return index_; }
  uint64_t first_row() const { return index_ * kBlockRows; }
  uint64_t version() const { return version_; }  // counts changes: a recomputed value is installed only if it has not moved
  ChangeScope& run() const { return *run_; }
  // The run moves before the table: who has seen the table's new count sees the run's (acquire). Only the holder of the turn counts, so no exchange.
  void changed() noexcept {
    ++version_;
    run_->changes.store(run_->changes.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    whole_->changes.store(whole_->changes.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

 private:
  const uint64_t index_;
  ChangeScope* const run_;
  ChangeScope* const whole_;
  uint64_t version_ = 0;

 public:
  mutable Latch latch;
  std::vector<BufferRef> columns;       // null: no rows yet, or absent (store/column_cache.h)
  std::vector<Zone> zones;
  VisibleRef visible{new VisibleBitmap};
  uint32_t rows = 0;                    // slots in use
  uint32_t live = 0;                    // visible ones
  UndoEntry* undo_head = nullptr;
  uint32_t keys_returned = 0;           // entries in the chain with key_returned
  LastChange last;
  std::shared_ptr<BlockExtension> extension;
  std::vector<ColumnHome> homes;        // by column; empty: none has one
  std::atomic<uint32_t> clean{0};       // columns that are here and have a home. Written under `latch`; without it, a hint
  std::atomic<bool> held{false};        // by the holder of the turn, who has seen that every column is here: none leaves
};

}  // namespace hdb
