// txn/snapshot.h: what a reader may see, and the register of readers.
//
// Terms:      commit number: 1, 2, ... in the order of commits. H: the newest commit. D: the newest durable one (C7; D = H unless a log
//             with synchronous = full is attached). A snapshot is (S, own transaction, position in its journal).
// Invariants: C1 an entry is visible iff its commit number <= S, or it is the transaction's own and its position <= p.
//             C3 D is read and the snapshot registered under one hold of the registry latch; the reclaimer's bound is
//                min(registered snapshots, D), read under the same latch.
// Callers:    every read path. SnapshotRegistry is thread-safe; a Snapshot is a plain value.
// Held by:    spec/concurrency.md, spec/models/, src/txn/*_test.cc
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/latch.h"

namespace hdb {

inline constexpr uint64_t kUncommitted = UINT64_MAX;

// The part of a transaction that journal entries point to: it outlives them. An entry is never stamped by itself (C4).
struct TransactionState {
  std::atomic<uint64_t> commit{kUncommitted};
  // Entries in its journal now: a plane serves only a position that is the journal's end (C1).
  std::atomic<uint64_t> journal_end{0};
};

struct Snapshot {
  uint64_t commit = 0;                          // S
  const TransactionState* transaction = nullptr; // own changes, null for none
  uint64_t position = 0;                        // p: own entries at positions < p are visible (positions count from 0)

  bool sees(uint64_t entry_commit, const TransactionState* entry_transaction, uint64_t entry_position) const {
    if (entry_transaction == transaction && transaction != nullptr) return entry_position < position;
    return entry_commit <= commit;
  }
};

class SnapshotRegistry {
 public:
  // Registers a reader at D and returns its S.
  uint64_t open();
  // Registers a second reader at a given S that is registered already, or at H0 by the holder of the writer's turn.
  void open_at(uint64_t commit);
  uint64_t close(uint64_t commit) noexcept;     // returns bound() without it
  // min(registered snapshots, D).
  uint64_t bound() const;
  uint32_t distinct() const;                    // how many different S are registered
  // Is there a registered S with low <= S < high? (C5: whether two deltas may merge)
  bool any_in(uint64_t low, uint64_t high) const;

  uint64_t newest() const { return newest_.load(std::memory_order_acquire); }    // H
  uint64_t durable() const { return durable_.load(std::memory_order_acquire); }  // D
  void publish(uint64_t commit) noexcept;       // H = commit, and D too while no log holds it back
  void set_durable(uint64_t commit) noexcept;   // from the log, when it holds D back
  void hold_durable(bool on) noexcept { holds_durable_.store(on, std::memory_order_relaxed); }

 private:
  struct Slot {
    uint64_t commit;
    uint32_t readers;
  };
  uint64_t least() const noexcept;              // the latch is held
  mutable Latch latch_;
  std::vector<Slot> slots_;  // unordered; few distinct S at a time
  std::atomic<uint64_t> newest_{0};
  std::atomic<uint64_t> durable_{0};
  std::atomic<bool> holds_durable_{false};
};

}  // namespace hdb
