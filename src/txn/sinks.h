// txn/sinks.h: what the journal tells planes and the log: the seams by which lower layers call up.
//
// What:       RowSink follows the rows of one table (a summary's pending delta). CommitLog takes the redo group of each commit.
// Invariants: C4 prepare may throw and reserves everything; publish allocates nothing and cannot fail.
//             C5 undoing an entry applies its inverse to the pending delta, so statement failure and savepoints need nothing else.
// Callers:    txn/ calls, holding the writer's turn; plane/ and log/ implement; engine/ wires.
// Held by:    src/txn/transaction_test.cc
#pragma once

#include <cstdint>
#include <span>

#include "store/column_run.h"

namespace hdb {

class Transaction;

class RowSink {
 public:
  virtual ~RowSink() = default;
  // Table columns that apply() looks at.
  virtual std::span<const uint32_t> columns() const = 0;
  // Adds sign * cell(row) to the pending delta; row is indexed by table column, filled for columns(). May throw 54000 or 53200; then nothing
  // was added. The inverse of a call that succeeded always succeeds.
  virtual void apply(const Datum* row, int sign) = 0;
  // apply(+1) for values [from, from + count) of each column; runs are indexed by table column. All of them, or it throws and none.
  virtual void apply_runs(const ColumnRun* columns, uint32_t column_count, uint32_t from, uint32_t count);
  virtual void prepare() = 0;
  virtual void publish(uint64_t commit) noexcept = 0;
  // The transaction is over without a commit and every entry has been undone: drops what is left of the pending delta.
  virtual void discard() noexcept = 0;
  // No snapshot with S < bound exists, D >= bound: older deltas may be merged or dropped (C5).
  virtual void reclaim(const class SnapshotRegistry& registry) noexcept = 0;
};

class CommitLog {
 public:
  virtual ~CommitLog() = default;
  // Appends the transaction's redo group with this commit number. Throws (58030): then nothing was appended.
  virtual void append(const Transaction& transaction, uint64_t commit) = 0;
  // Blocks until the group is durable, without holding any turn. Throws 58030 with "outcome unknown" if the sync failed.
  virtual void wait_durable(uint64_t commit) = 0;
};

}  // namespace hdb
