// oracle/support/sqlite_judge.h: SQLite as a judge, with sums that are exact.
//
// What:       SQLite finds the rows, joins, filters and groups; SUM and AVG are aggregates registered here that add in unbounded
//             integers (SQLite's own round doubles and stop at 64 bits). DECIMAL is a scaled integer, DATE its text.
// Invariants: S1 nothing here is shared with the engine; oracle/judges.md says which type and operator it judges.
// Callers:    oracle/.
// Held by:    oracle/model_selftest.cc (against the executable model)
#pragma once

#include <sqlite3.h>

#include <string>
#include <vector>

#include "model/database.h"

namespace judge {

class SqliteJudge {
 public:
  SqliteJudge();
  ~SqliteJudge();
  SqliteJudge(const SqliteJudge&) = delete;
  SqliteJudge& operator=(const SqliteJudge&) = delete;

  void execute(const std::string& sql);  // throws Failure if SQLite objects
  void load(const model::TableDef& table, const std::vector<model::Row>& rows);
  model::Outcome query(const model::Query& query);
  model::Outcome query(const std::string& sql, const std::vector<model::Type>& types, bool ordered);

 private:
  sqlite3* db_ = nullptr;
};

}  // namespace judge
