// engine/statement.h: a statement of a connection: its text, its parameters, and the rows of its last run.
//
// What:       plain state; engine/connection prepares and executes it. A statement may outlive its connection: it then answers with 08003.
// States:     ready -> executed (row counts up as rows are read) -> ready (reset).
// Invariants: R1 values of parameters stay over reset. R2 a result is released before the database's memory counter is.
// Callers:    engine/ (connection, c_api). Guarded by its connection's mutex.
// Held by:    src/engine/connection_test.cc, src/engine/c_api_test.cc
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/statement_cache.h"
#include "exec/context.h"
#include "sql/fingerprint.h"

namespace hdb {

class Connection;

struct ResultColumn {
  std::string name;
  Type type;
};

struct Statement {
  std::shared_ptr<Connection> connection;
  std::string text;                        // up to and with its `;`
  size_t base = 0;                         // where `text` begins in what the caller gave: errors point into that
  sql::StatementKind kind = sql::StatementKind::kSelect;
  CompiledPtr compiled;
  uint32_t user_parameters = 0;
  std::vector<Value> parameters;           // the user's, then the literals'
  std::vector<Value> converted;            // the same as the plan wants them, where they differ
  size_t begin = 0;                        // of its first word, and the places of its literals: for errors (sql/fingerprint.h, 5)
  std::vector<sql::ExtractedLiteral> literals;  // their texts are not valid any more

  // Of statements that plan no SELECT: SHOW, EXPLAIN, summary_verify's kin.
  std::vector<ResultColumn> columns;
  ExecResult result;
  bool executed = false;
  uint32_t next_row = 0;                   // row() is next_row - 1
};

}  // namespace hdb
