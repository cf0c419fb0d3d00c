// spec/model/generate.h: seeded random schemas, rows, queries and changes as typed trees.
//
// What:       biased to what the engine is for: aggregates, groups, joins over a foreign key, summaries, and the histories that
//             break them: NULLs, sums beyond 64 bits with mixed signs, values that outgrow their column's width, deleted extremes,
//             emptied groups, reused keys, statements that fail half-way, savepoints.
// Invariants: G1 a query's rows are determined by the specification: LIMIT comes with an order over every output, expressions that
//                can fault are not put where evaluation order would decide, -0.0 and NaN are not generated.
//             G2 arithmetic is made over columns whose values are small (Role::kSmall, kMoney, ids); huge ones are aggregated
//                and compared only.
// Callers:    oracle/, properties/, fuzz/.
// Held by:    oracle/model_selftest.cc
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "database.h"
#include "random.h"
#include "tree.h"

namespace model {

// A parent table and a fact table that references it.
struct Schema {
  std::shared_ptr<const TableDef> parent, fact;
};

struct Wishes {
  bool sqlite = false;     // only what SQLite can mean too
  bool reals = true;       // DOUBLE columns
  bool references = true;  // REFERENCES clause on the foreign key
};

Schema random_schema(Random& r, const Wishes& wishes);
Schema ledger_schema(bool references);  // W1 of the workloads: customers and invoices

Value random_value(Random& r, const Column& column, bool growing);  // growing: may be wider than all before
Row random_row(Random& r, const TableDef& table, int64_t id, int64_t parents, bool growing);

SummaryDef random_summary(Random& r, const TableDef& fact, const std::string& name);

// A query over the schema. `limit_rows` bounds the rows of a cross join.
Query random_query(Random& r, const Schema& schema, const Wishes& wishes);
ExprPtr random_predicate(Random& r, const std::vector<Relation>& from, int depth);
Query point_query(Random& r, const TableDef& table, int64_t id);

// One change of the fact (mostly) or parent table, aimed at rows that `state` has.
Statement random_change(Random& r, const Schema& schema, const State& state, const Wishes& wishes);
// Deletes the rows that hold the largest (or least) values of a measure: bounds must follow.
Statement chop_extreme(Random& r, const TableDef& table, const State& state, int column);

// The standing questions of a history: totals, groups, filters, joins, extremes; asked again after every change.
std::vector<Query> standing_panel(Random& r, const Schema& schema, const Wishes& wishes);

Statement query_statement(Query query);
Statement control(Act act, const std::string& name = "");
Statement create_table(std::shared_ptr<const TableDef> table);
Statement create_summary(const SummaryDef& summary, std::shared_ptr<const TableDef> table);
Statement insert_rows(std::shared_ptr<const TableDef> table, std::vector<Row> rows);

std::vector<int> columns_of(const TableDef& table, std::initializer_list<Role> roles);

}  // namespace model
