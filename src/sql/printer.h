// sql/printer.h: a tree to canonical SQL text.
//
// What:       key words in capitals, one space between tokens, parentheses only where the levels of sql/precedence.h ask for
//             them, CAST(x AS t) for x::t, $N for every parameter, names in quotes only where they must be.
// Invariants: R1 parse(print(t)) equals t in all but spans, quoting of names and names of parameters.
// Cost:       linear; recursion as deep as the tree is high (T3).
// Callers:    catalog/ (DEFAULT kept as text, SHOW CREATE TABLE), plan/ (EXPLAIN), tests. Thread-safe.
// Held by:    src/sql/printer_test.cc
#pragma once

#include <string>
#include <string_view>

#include "sql/tree.h"

namespace hdb::sql {

std::string print(const Expr& expr);
std::string print(const Query& query);
std::string print(const Statement& statement);
std::string print(const TypeName& type);

std::string print_name(std::string_view name);    // in double quotes only where needed
std::string print_string(std::string_view text);  // in single quotes

}  // namespace hdb::sql
