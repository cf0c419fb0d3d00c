// spec/model/print.h: the typed tree as SQL text, for HoloDb and for SQLite.
//
// What:       HoloDb's dialect as INTERFACE.md pins it. For SQLite a DECIMAL is its scaled integer, a DATE its text, a BOOLEAN 0 or
//             1, and SUM, AVG are calls of exact aggregates that oracle/sqlite_judge registers (SQLite's own round and wrap).
// Invariants: P1 both texts are made from one tree; expressible() is false where SQLite cannot mean the same.
// Callers:    oracle/, properties/, fuzz/.
// Held by:    oracle/model_selftest.cc
#pragma once

#include <string>

#include "tree.h"

namespace model {

enum class Dialect : uint8_t { kHolo, kSqlite };

std::string print(const Statement& statement, Dialect dialect = Dialect::kHolo);
std::string print(const Query& query, Dialect dialect = Dialect::kHolo);
std::string print_literal(const Value& value, const Type& type, Dialect dialect);
bool expressible(const Query& query);
bool expressible(const Statement& statement);

}  // namespace model
