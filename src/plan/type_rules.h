// plan/type_rules.h: which types meet, and what comes out of it. Strict: text and numbers never meet without CAST (INTERFACE).
//
// What:       common types, the result types of arithmetic, legal casts, and the conversions that make operands fit.
// Invariants: Y1 a literal or parameter of type TEXT beside DATE, TIMESTAMP or BOOLEAN is converted to that type (the unknown-literal rule);
//                beside a number it is not.
//             Y2 NULL takes the type of what it stands beside.
//             Y3 an integer literal beside a DECIMAL is a DECIMAL of just its digits, any other BIGINT is a DECIMAL(19,0).
// Callers:    plan/ (binder, function_registry). Pure.
// Held by:    src/plan/binder_test.cc, INTERFACE.md "Types and meaning"
#pragma once

#include <vector>

#include "exact/decimal.h"
#include "plan/expression.h"
#include "sql/tree.h"

namespace hdb {

// 42601, 22023 for bad arguments. DECIMAL alone is DECIMAL(18,3).
Type type_of(const sql::TypeName& name);
// The same for a stored column: 0A000 over kDecimalColumnDigitsMax digits.
Type column_type(const sql::TypeName& name);

DecimalType as_decimal(const Expr& e);            // of a BIGINT or DECIMAL: Y3
Type to_type(const DecimalType& d);

bool is_unknown_text(const Expr& e);              // a literal or parameter of type TEXT: Y1
bool is_untyped(const Expr& e);                   // NULL, or a parameter whose type is not known yet

// The type that both can be converted to without CAST; kNull if there is none.
Type common_type(const Expr& a, const Expr& b);
// Of all; fails with 42804, naming `what`, at the position of the first that does not fit. All untyped: kNull.
Type common_type(const std::vector<ExprPtr>& all, std::string_view what);

// Does CAST(from AS to) exist? And without CAST, when a value is stored in a column?
bool castable(const Type& from, const Type& to);
bool assignable(const Expr& from, const Type& to);

[[noreturn]] void no_operator(std::string_view op, const Type& left, const Type& right, int64_t position);

}  // namespace hdb
