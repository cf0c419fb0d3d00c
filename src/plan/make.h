// plan/make.h: makers of bound expressions. They set the hash, fold constants and drop conversions that change nothing.
//
// What:       one function a kind. Every bound expression is made here, so that equal() and hashes agree everywhere.
// Invariants: B3 folding never raises: what would raise stays as it is and raises when a row reaches it.
//             B4 AND and OR are flat: no AND directly below an AND; their constants are folded away.
// Callers:    plan/ only.
// Held by:    src/plan/binder_test.cc
#pragma once

#include <vector>

#include "plan/expression.h"

namespace hdb {

ExprPtr make_constant(Value value, int64_t position = -1);
ExprPtr make_boolean(bool value, int64_t position = -1);
ExprPtr make_null(const Type& type, int64_t position = -1);
ExprPtr make_parameter(uint32_t index, const Type& type, int64_t position);
ExprPtr make_column(ColumnId id, const Type& type, int64_t position = -1);
ExprPtr make_call(Function function, const Type& type, std::vector<ExprPtr> args, int64_t position);
ExprPtr make_cast(ExprPtr arg, const Type& type, int64_t position);  // without a check that such a cast exists
ExprPtr make_and(std::vector<ExprPtr> args, int64_t position = -1);  // no argument: TRUE
ExprPtr make_or(std::vector<ExprPtr> args, int64_t position = -1);   // no argument: FALSE
ExprPtr make_not(ExprPtr arg, int64_t position);
ExprPtr make_case(const Type& type, std::vector<ExprPtr> args, int64_t position);
ExprPtr make_coalesce(const Type& type, std::vector<ExprPtr> args, int64_t position);
ExprPtr make_in(std::vector<ExprPtr> args, int64_t position);
// The same node over other arguments (after a substitution).
ExprPtr with_args(const Expr& e, std::vector<ExprPtr> args);

// The conjuncts of a condition: an AND's arguments, else the condition itself; nothing for TRUE.
void split_conjuncts(const ExprPtr& condition, std::vector<ExprPtr>* out);

inline bool is_constant(const Expr& e) { return e.kind == ExprKind::kConstant; }
inline bool is_null_constant(const Expr& e) { return is_constant(e) && e.constant.null; }
bool is_true(const Expr& e);
// May evaluation raise? Without it a filter or a CASE may be moved past another freely.
bool can_raise(const Expr& e);

// A call or cast of constants as a constant; null where it is not worth it or would raise (B3).
ExprPtr fold_call(const Expr& e);
ExprPtr fold_cast(const Expr& e);
// value as `type`, exactly as CAST does it; throws what CAST throws.
Value cast_value(const Value& value, const Type& type);

}  // namespace hdb
