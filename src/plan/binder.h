// plan/binder.h: from a syntax tree to a logical plan: names, types, conversions, aggregates, and the rewrites that always pay.
//
// What:       bind() takes SELECT, VALUES, INSERT, UPDATE, DELETE and TRUNCATE (EXPLAIN's inner statement, not EXPLAIN itself) and returns
//             a plan whose scans read rows; route() (plan/route.h) then chooses each scan's access.
// Parameters: one whose literal the statement cache took out has that literal's type. One of the user's has its type in `given` if that is
//             known (then TEXT acts as a string literal does), else the type of its context, else kNull in Plan::parameters: bind again when
//             its value is known. A parameter that stands for a DATE or TIMESTAMP literal is of that type: the caller parses its text.
// Literals:   a tree of the statement cache may be refused where the plain tree is not (GROUP BY a+1 needs the same 1 twice): whoever caches binds
//             the plain text again after any Error, and must not cache by fingerprint if Plan::literal_names is set.
// Errors:     42xxx with the position in `text`, 0A000, 22007 and 22003 for literals. Values are not computed here (B3).
// Cost:       a few microseconds for a point statement; linear in the statement and in the columns of its tables.
// Callers:    engine/, catalog/ for DEFAULT. Thread-safe: no state between calls.
// Held by:    src/plan/binder_test.cc
#pragma once

#include <string_view>

#include "catalog/catalog.h"
#include "plan/logical.h"
#include "sql/tree.h"

namespace hdb {

Plan bind(const sql::Statement& statement, std::string_view text, const Catalog& catalog, const Snapshot& snapshot,
          const ParameterTypes& given = {});

// DEFAULT of a column: a constant of the column's type. 0A000 if it is not one, 42804, and what the conversion throws.
Value bind_default(const sql::Expr& expr, const Type& type);

}  // namespace hdb
