// txn/bulk.h: inserts of many rows at once, block by block and column by column.
//
// What:       the same change as an insert row by row: the same entries (one range a block), checks, zone maps and sinks, found in one pass a column.
// Invariants: C2, C8, S3, S5, Z1-Z3 as in txn/change.h. C10 a load journals ranges. B1 the state after it, and each error, is that of single inserts.
// Cost:       keys that ascend by 1 behind all others cost a comparison each; a reference to a parent in a run of keys a look at the parent's row.
// Callers:    txn/change.cc; insert_runs (txn/change.h) is for everybody else. The transaction holds the writer's turn.
// Held by:    src/txn/bulk_test.cc, oracle/, properties/
#pragma once

#include <span>

#include "store/column_run.h"
#include "store/table.h"
#include "txn/transaction.h"

namespace hdb {

inline constexpr uint32_t kRunRowsMin = 16;  // fewer rows are inserted one by one

uint64_t insert_as_runs(Transaction& transaction, Table& table, std::span<const Datum* const> columns, uint32_t count);
// Under the block's exclusive latch: makes the block's column one that the writer may write into and that represents `add` (C2, S3).
void prepare_column(Table& table, Block& block, uint32_t column, const Layout& add);
// The block that takes the next rows.
Block& block_to_append(Table& table);

}  // namespace hdb
