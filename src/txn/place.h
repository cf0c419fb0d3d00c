// txn/place.h: how one row comes into a block.
//
// What:       the whole insert of a single row, without a copy of it and under one hold of the block's latch.
// Invariants: C2, C8, S3, S5 of spec/concurrency.md and spec/store.md, as in txn/change.h.
// Callers:    txn/change.cc, with the writer's turn.
// Held by:    src/txn/change_test.cc, properties/
#pragma once

#include "store/table.h"
#include "txn/transaction.h"

namespace hdb {

// The row, by table column, goes to a slot that is not live. Throws as insert_rows does, and then has undone what it did.
void place_in_slot(Transaction& transaction, Table& table, Block& block, uint32_t slot, const Datum* row);

}  // namespace hdb
