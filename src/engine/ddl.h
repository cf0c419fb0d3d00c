// engine/ddl.h: CREATE and DROP of tables and indexes, as changes of a transaction.
//
// What:       each statement checks names and definitions, makes the storage, and journals the catalog's change and what it attaches to tables
//             (keys, sinks, foreign keys), so that ROLLBACK, savepoints and a failed statement undo them like rows.
// Invariants: C11 a new version of a table shares its storage. C8 a unique index is built over the writer's own view.
//             D1 what is dropped is detached at once: the transaction's own view has no such index any more. A reader with an older snapshot goes on
//                with its plan's pointers: a key needs only the entries it had, a plane only the commits up to the drop. Undo attaches it again,
//                after everything that was changed meanwhile has been undone.
// Errors:     42P01, 42P07, 42701, 42703, 42704, 42P16, 42804, 2BP01, 23505, 0A000, 54000, 53200, with positions.
// Callers:    engine/ (execution, replay). The transaction holds the writer's turn.
// Held by:    src/engine/ddl_test.cc
#pragma once

#include <string>
#include <string_view>

#include "base/budget.h"
#include "base/pool.h"
#include "catalog/catalog.h"
#include "sql/tree.h"
#include "txn/transaction.h"

namespace hdb {

struct DdlContext {
  Catalog& catalog;
  Transaction& transaction;
  MemoryBudget* budget;
  const CancelToken* cancel;
  std::string_view text;  // of the statement: its words go into the log
  Pool* pool = nullptr;   // for a summary's first cells; null: the caller's thread
  uint32_t threads = 1;
  std::shared_ptr<ColumnCache> columns;  // of the database, for new tables; null: a memory database
};

bool is_ddl(sql::StatementKind kind);  // CREATE and DROP
void run_ddl(const DdlContext& context, const sql::Statement& statement);

// "CREATE TABLE ...", then "CREATE INDEX ..." for each index that no constraint made: each ends with ";".
std::string create_table_sql(const TableDef& table, const Catalog& catalog, const Snapshot& snapshot);
std::string column_list(const TableDef& table, const std::vector<uint32_t>& columns);  // "a, b", quoted where they must be

}  // namespace hdb
