#include "plan/operators.h"

#include "base/error.h"
#include "base/limits.h"
#include "plan/make.h"
#include "plan/type_rules.h"

namespace hdb {
namespace {

std::string_view symbol(Function f) {
  switch (f) {
    case Function::kAdd: return "+";
    case Function::kSubtract: return "-";
    case Function::kMultiply: return "*";
    case Function::kDivide: return "/";
    case Function::kModulo: return "%";
    case Function::kEqual: return "=";
    case Function::kNotEqual: return "<>";
    case Function::kLess: return "<";
    case Function::kLessEqual: return "<=";
    case Function::kGreater: return ">";
    case Function::kGreaterEqual: return ">=";
    case Function::kDistinctFrom: return "IS DISTINCT FROM";
    default: return "IS NOT DISTINCT FROM";
  }
}

ExprPtr call2(Function f, const Type& type, ExprPtr a, ExprPtr b, int64_t position) {
  std::vector<ExprPtr> args;
  args.reserve(2);
  args.push_back(std::move(a));
  args.push_back(std::move(b));
  return make_call(f, type, std::move(args), position);
}

DecimalType decimal_result(Function f, DecimalType a, DecimalType b) {
  switch (f) {
    case Function::kMultiply: return decimal_multiply_type(a, b);
    case Function::kDivide: return decimal_divide_type(a, b);
    case Function::kModulo: return decimal_modulo_type(a, b);
    default: return decimal_add_type(a, b);
  }
}

// DATE + n, n + DATE, DATE - n, DATE - DATE; null if it is none of these.
ExprPtr date_arithmetic(Function f, ExprPtr left, ExprPtr right, int64_t position, Coercion& coercion) {
  const bool add = f == Function::kAdd, subtract = f == Function::kSubtract;
  const bool l = left->type.id == TypeId::kDate, r = right->type.id == TypeId::kDate;
  if ((!l && !r) || (!add && !subtract)) return nullptr;
  if (l && subtract && (r || is_unknown_text(*right))) return call2(f, Type::bigint(), left, coercion.to(right, Type::date()), position);
  if (r && subtract && is_unknown_text(*left)) return call2(f, Type::bigint(), coercion.to(left, Type::date()), right, position);
  if (r && add && !l) std::swap(left, right);
  const bool counts_days = right->type.id == TypeId::kBigint || is_untyped(*right);
  if (left->type.id != TypeId::kDate || !counts_days) return nullptr;
  return call2(f, Type::date(), left, coercion.to(right, Type::bigint()), position);
}

// integer column <op> constant with a fraction: the same test between integers.
bool integer_bound(Function& f, const Expr& constant, ExprPtr* bound) {
  if (!is_constant(constant) || constant.constant.null || constant.type.id != TypeId::kDecimal) return false;
  const bool less = f == Function::kLess || f == Function::kLessEqual, greater = f == Function::kGreater || f == Function::kGreaterEqual;
  if (!less && !greater) return false;
  const int128 floor = decimal_floor(constant.constant.number, constant.type.scale);
  if (floor > INT64_MAX || floor < INT64_MIN) return false;
  f = less ? Function::kLessEqual : Function::kGreater;  // x < 2.5 is x <= 2; x > 2.5 is x > 2
  *bound = make_constant(Value::bigint(static_cast<int64_t>(floor)), constant.position);
  return true;
}

ExprPtr compare_exact(Function f, ExprPtr left, ExprPtr right, int64_t position, Coercion& coercion) {
  const Type boolean = Type::boolean();
  if (left->type == right->type) return call2(f, boolean, left, right, position);
  if (ExprPtr c = is_constant(*right) ? Coercion::exact_constant(*right, left->type) : nullptr) return call2(f, boolean, left, c, position);
  if (ExprPtr c = is_constant(*left) ? Coercion::exact_constant(*left, right->type) : nullptr) return call2(f, boolean, c, right, position);
  ExprPtr bound;
  if (left->type.id == TypeId::kBigint && integer_bound(f, *right, &bound)) return call2(f, boolean, left, bound, position);
  Function turned = mirrored(f);
  if (right->type.id == TypeId::kBigint && integer_bound(turned, *left, &bound)) return call2(turned, boolean, right, bound, position);
  if (left->type.id == TypeId::kBigint) left = coercion.to(left, to_type(as_decimal(*left)));
  if (right->type.id == TypeId::kBigint) right = coercion.to(right, to_type(as_decimal(*right)));
  return call2(f, boolean, left, right, position);
}

}  // namespace

ExprPtr Coercion::parameter(uint32_t index, const Type& own, int64_t position) {
  if (index >= types_.size()) types_.resize(index + 1);
  if (types_[index].id == TypeId::kNull) {
    types_[index] = own;
    if (own.id == TypeId::kNull) {
      if (index >= untyped_uses_.size()) untyped_uses_.resize(index + 1);
      ++untyped_uses_[index];
    }
  }
  return make_parameter(index, types_[index], position);
}

bool Coercion::bind_again() const {
  for (size_t i = 0; i < untyped_uses_.size(); ++i) {
    if (untyped_uses_[i] > 1 && types_[i].id != TypeId::kNull) return true;
  }
  return false;
}

ExprPtr Coercion::to(ExprPtr e, const Type& type) {
  if (type.id == TypeId::kNull) return e;
  if (e->kind == ExprKind::kParameter && is_untyped(*e)) {
    Type& own = types_[e->parameter];
    if (own.id == TypeId::kNull) own = type;
    own.length = 0;  // VARCHAR(n) is enforced by the cast
    e = make_parameter(e->parameter, own, e->position);
  }
  if (is_constant(*e) && e->constant.null) return make_null(type, e->position);
  const int64_t position = e->position;
  return make_cast(std::move(e), type, position);
}

ExprPtr Coercion::exact_constant(const Expr& e, const Type& type) {
  if (!is_constant(e) || e.constant.null || !e.type.exact_number() || !type.exact_number()) return nullptr;
  try {
    const Value made = cast_value(e.constant, type);
    if (compare_decimals(made.number, type.scale, e.constant.number, e.type.scale) != 0) return nullptr;
    return make_constant(made, e.position);
  } catch (const Error&) {
    return nullptr;  // out of the type's range
  }
}

ExprPtr bind_arithmetic(Function f, ExprPtr left, ExprPtr right, int64_t position, Coercion& coercion) {
  if (ExprPtr dated = date_arithmetic(f, left, right, position, coercion)) return dated;
  if (is_untyped(*left) && is_untyped(*right)) {
    left = coercion.to(left, Type::bigint());
    right = coercion.to(right, Type::bigint());
  }
  if (is_untyped(*left)) left = coercion.to(left, right->type);
  if (is_untyped(*right)) right = coercion.to(right, left->type);
  if (!left->type.number() || !right->type.number()) no_operator(symbol(f), left->type, right->type, position);
  if (left->type.id == TypeId::kDouble || right->type.id == TypeId::kDouble) {
    return call2(f, Type::real(), coercion.to(left, Type::real()), coercion.to(right, Type::real()), position);
  }
  if (left->type.id == TypeId::kBigint && right->type.id == TypeId::kBigint) return call2(f, Type::bigint(), left, right, position);
  const DecimalType a = as_decimal(*left), b = as_decimal(*right);
  return call2(f, to_type(decimal_result(f, a, b)), coercion.to(left, to_type(a)), coercion.to(right, to_type(b)), position);
}

ExprPtr bind_negate(ExprPtr arg, int64_t position, Coercion& coercion) {
  if (is_untyped(*arg)) arg = coercion.to(arg, Type::bigint());
  if (!arg->type.number()) fail(sqlstate::kUndefinedFunction, "there is no operator - " + to_string(arg->type), position);
  const Type type = arg->type;
  std::vector<ExprPtr> args;
  args.push_back(std::move(arg));
  return make_call(Function::kNegate, type, std::move(args), position);
}

ExprPtr bind_comparison(Function f, ExprPtr left, ExprPtr right, int64_t position, Coercion& coercion) {
  if (left->type.exact_number() && right->type.exact_number()) return compare_exact(f, left, right, position, coercion);
  const Type type = is_untyped(*left) && is_untyped(*right) ? Type::text() : common_type(*left, *right);
  if (type.id == TypeId::kNull) no_operator(symbol(f), left->type, right->type, position);
  return call2(f, Type::boolean(), coercion.to(left, type), coercion.to(right, type), position);
}

ExprPtr bind_concat(ExprPtr left, ExprPtr right, int64_t position, Coercion& coercion) {
  const auto is_text = [](const Expr& e) { return e.type.id == TypeId::kText || is_untyped(e); };
  if (!is_text(*left) && !is_text(*right)) no_operator("||", left->type, right->type, position);
  return call2(Function::kConcat, Type::text(), coercion.to(left, Type::text()), coercion.to(right, Type::text()), position);
}

ExprPtr bind_like(Function f, std::vector<ExprPtr> args, int64_t position, Coercion& coercion) {
  for (ExprPtr& a : args) {
    if (is_untyped(*a)) a = coercion.to(a, Type::text());
  }
  for (const ExprPtr& a : args) {
    if (a->type.id != TypeId::kText) no_operator(f == Function::kLike ? "LIKE" : "ILIKE", args[0]->type, args[1]->type, position);
  }
  return make_call(f, Type::boolean(), std::move(args), position);
}

ExprPtr bind_in(std::vector<ExprPtr> args, int64_t position, Coercion& coercion) {
  if (args.size() == 2) return bind_comparison(Function::kEqual, args[0], args[1], position, coercion);
  // As the operand's own type where every item has its exact value there: a test on stored values.
  bool fits = true;
  for (size_t i = 1; i < args.size() && fits; ++i) {
    const Expr& item = *args[i];
    if (item.type == args[0]->type || is_untyped(item)) continue;
    ExprPtr same = Coercion::exact_constant(item, args[0]->type);
    fits = same != nullptr;
    if (fits) args[i] = std::move(same);
  }
  Type type = args[0]->type;
  if (!fits || is_untyped(*args[0])) {
    ExprPtr so_far = args[0];
    for (size_t i = 1; i < args.size(); ++i) {
      const Type t = common_type(*so_far, *args[i]);
      if (t.id == TypeId::kNull && !(is_untyped(*so_far) && is_untyped(*args[i]))) no_operator("=", so_far->type, args[i]->type, args[i]->position);
      if (!(t == so_far->type)) so_far = make_column(kNoColumn, t);
    }
    type = is_untyped(*so_far) ? Type::text() : so_far->type;
  }
  type.length = 0;
  for (ExprPtr& a : args) a = coercion.to(std::move(a), type);
  return make_in(std::move(args), position);
}

ExprPtr bind_condition(ExprPtr e, std::string_view what, Coercion& coercion) {
  if (is_untyped(*e)) return coercion.to(e, Type::boolean());
  if (e->type.id != TypeId::kBoolean) {
    fail(sqlstate::kTypeMismatch, std::string(what) + " must be BOOLEAN, not " + to_string(e->type), e->position);
  }
  return e;
}

ExprPtr bind_coalesce(std::vector<ExprPtr> args, std::string_view what, int64_t position, Coercion& coercion) {
  const Type type = common_type(args, what);
  for (ExprPtr& a : args) a = coercion.to(std::move(a), type);
  return make_coalesce(type, std::move(args), position);
}

}  // namespace hdb
