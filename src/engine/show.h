// engine/show.h: the results of SHOW and EXPLAIN as rows.
//
// What:       values that the engine knows about itself, as an ExecResult like that of a query.
// Invariants: INTERFACE.md: SHOW INDEXES has table_name, index_name, kind, columns, measures, cells, bytes; EXPLAIN one TEXT column `plan`.
// Callers:    engine/connection. Pure, apart from reading counters.
// Held by:    src/engine/sql_test.cc
#pragma once

#include <vector>

#include "catalog/catalog.h"
#include "engine/settings.h"
#include "engine/statement.h"
#include "exec/context.h"
#include "sql/tree.h"

namespace hdb {

// What the statement's result looks like (SHOW and EXPLAIN; nothing for others).
std::vector<ResultColumn> show_columns(const sql::Statement& statement);

ExecResult show_settings(const Settings& settings, const sql::ShowStatement& s, MemoryBudget* budget);
ExecResult show_restore_points(class Checkpointer* checkpointer, const sql::ShowStatement& s, MemoryBudget* budget);
// CHECK DATABASE: every page (rebuilt where that can be; written again if `repair`), every row of every table with its zones and keys, every summary.
ExecResult check_database(class Database& database, const Snapshot& snapshot, bool repair, const CancelToken* cancel, const sql::Statement& s);
ExecResult show_catalog(const Catalog& catalog, const Snapshot& snapshot, const sql::ShowStatement& s, MemoryBudget* budget);
ExecResult explain_result(const Plan& plan, const ExecResult& run, bool analyze, bool json, MemoryBudget* budget);

}  // namespace hdb
