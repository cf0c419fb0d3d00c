// plan/operators.h: operators and scalar functions over bound operands: which exist for which types, and what they become.
//
// What:       each bind_* checks the operands' types, makes the implicit conversions explicit and returns the typed expression.
//             Coercion knows the statement's parameters: a parameter without a type takes that of its context.
// Invariants: Y1-Y3 of type_rules.h. An operator or function that does not exist for the types is 42883 at `position`.
// Callers:    plan/ (binder). One binder, not thread-safe.
// Held by:    src/plan/binder_test.cc
#pragma once

#include <string_view>
#include <vector>

#include "plan/expression.h"

namespace hdb {

class Coercion {
 public:
  explicit Coercion(const ParameterTypes& given) : types_(given.types) {}

  ExprPtr parameter(uint32_t index, const Type& own, int64_t position);  // own: of a literal, else kNull
  // e as `type`; the conversion is known to be legal.
  ExprPtr to(ExprPtr e, const Type& type);
  // A constant as `type` if it has exactly this value there, else null.
  static ExprPtr exact_constant(const Expr& e, const Type& type);

  const std::vector<Type>& types() const { return types_; }
  // Did some parameter get its type only after another use of it was bound? Then the statement is bound again with types().
  bool bind_again() const;

 private:
  std::vector<Type> types_;
  std::vector<uint32_t> untyped_uses_;
};

ExprPtr bind_arithmetic(Function f, ExprPtr left, ExprPtr right, int64_t position, Coercion& coercion);
ExprPtr bind_negate(ExprPtr arg, int64_t position, Coercion& coercion);
ExprPtr bind_comparison(Function f, ExprPtr left, ExprPtr right, int64_t position, Coercion& coercion);
ExprPtr bind_concat(ExprPtr left, ExprPtr right, int64_t position, Coercion& coercion);
ExprPtr bind_like(Function f, std::vector<ExprPtr> args, int64_t position, Coercion& coercion);
ExprPtr bind_in(std::vector<ExprPtr> args, int64_t position, Coercion& coercion);
ExprPtr bind_condition(ExprPtr e, std::string_view what, Coercion& coercion);  // BOOLEAN, or 42804
ExprPtr bind_coalesce(std::vector<ExprPtr> args, std::string_view what, int64_t position, Coercion& coercion);

// A scalar function by name (folded); 42883 if there is none for these arguments.
ExprPtr bind_function(std::string_view name, std::vector<ExprPtr> args, int64_t position, Coercion& coercion);
bool is_aggregate_name(std::string_view folded);

}  // namespace hdb
