// txn/change.h: the one way to insert, update and delete rows.
//
// What:       each call checks constraints, tells sinks, journals the before-image and changes the block as one step. A call that throws leaves the
//             transaction as before it, or with journaled changes that the statement's failure undoes.
// Invariants: C2 entry and bytes change under one hold of the block's latch. C8 uniqueness and references are checked against the writer's own view;
//             what an UPDATE or DELETE moves is checked at the end of the statement (StatementChecks).
// Errors:     23502, 23505, 23503, 54000, 53200.
// Callers:    exec/ (modify), engine/ (appender, replay). The transaction holds the writer's turn.
// Held by:    src/txn/change_test.cc, oracle/, properties/
#pragma once

#include <cstdint>
#include <span>

#include "store/column_run.h"
#include "store/table.h"
#include "txn/transaction.h"

namespace hdb {

// Inserts one row, by table column, where a slot is free (in a large table: where many are) or at the end. Returns its row id.
uint64_t insert_row(Transaction& transaction, Table& table, const Datum* row);
// Appends rows. columns[c] points to `count` values of table column c. Returns the first row id if they are contiguous.
uint64_t insert_rows(Transaction& transaction, Table& table, std::span<const Datum* const> columns, uint32_t count);

// The same for many rows (txn/bulk.cc): block by block, each column at once. Called by insert_rows too where that pays.
uint64_t insert_runs(Transaction& transaction, Table& table, std::span<const ColumnRun> columns, uint32_t count);

// Deletes a row. False: it is not there any more in the transaction's own view (already deleted by this statement, say).
bool delete_row(Transaction& transaction, Table& table, uint64_t row_id);

// Sets columns[i] = values[i]. False: as above. Equal values make no entry.
bool update_row(Transaction& transaction, Table& table, uint64_t row_id, std::span<const uint32_t> columns, const Datum* values);

// Replay (log/): puts a row exactly at this row id (C12), without constraint checks.
void place_row(Transaction& transaction, Table& table, uint64_t row_id, const Datum* row);
// The same for a range within one block, none of whose slots is live; columns[c] points to `count` values.
void place_rows(Transaction& transaction, Table& table, uint64_t first_row, std::span<const Datum* const> columns, uint32_t count);

}  // namespace hdb
