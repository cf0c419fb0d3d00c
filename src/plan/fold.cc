// Constants of constants. What is not folded here is computed once an execution by exec/.
#include <cmath>

#include "base/error.h"
#include "base/utf8.h"
#include "exact/decimal.h"
#include "exact/decimal_text.h"
#include "exact/double_text.h"
#include "exact/number_text.h"
#include "plan/make.h"

namespace hdb {
namespace {

constexpr int64_t kMicrosPerDay = 86'400'000'000;

int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

bool boolean_of(const std::string& text) {
  std::string word(trim_spaces(text));
  for (char& c : word) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  if (word == "true" || word == "t" || word == "yes" || word == "on" || word == "1") return true;
  if (word == "false" || word == "f" || word == "no" || word == "off" || word == "0") return false;
  fail(sqlstate::kInvalidText, "\"" + text + "\" is not a value of type BOOLEAN");
}

Value cast_text(const Value& v, const Type& type) {
  switch (type.id) {
    case TypeId::kBoolean: return Value::boolean(boolean_of(v.text));
    case TypeId::kBigint: return Value::bigint(parse_int64(v.text));
    case TypeId::kDecimal: return Value::make_number(type, parse_decimal(v.text, {type.precision, type.scale}));
    case TypeId::kDouble: return Value::make_real(parse_double(v.text));
    case TypeId::kDate: return Value::make_number(type, parse_date(v.text));
    case TypeId::kTimestamp: return Value::make_number(type, parse_timestamp(v.text));
    default: return v;
  }
}

Value cast_to_number(const Value& v, const Type& type) {
  const bool from_double = v.type.id == TypeId::kDouble;
  if (type.id == TypeId::kDouble) return from_double ? v : Value::make_real(decimal_to_double(v.number, v.type.scale));
  if (type.id == TypeId::kBigint) return Value::bigint(from_double ? double_to_int64(v.real) : decimal_to_int64(v.number, v.type.scale));
  const DecimalType target{type.precision, type.scale};
  if (from_double) return Value::make_number(type, decimal_from_double(v.real, target));
  return Value::make_number(type, decimal_checked(decimal_rescale(v.number, v.type.scale, target.scale), target.precision));
}

// -1, 0, 1; both not NULL and of the same family.
int compare_values(const Value& a, const Value& b) {
  switch (a.type.lane()) {
    case Lane::kText: return a.text < b.text ? -1 : a.text > b.text ? 1 : 0;
    case Lane::kDouble: return a.real < b.real ? -1 : a.real > b.real ? 1 : 0;
    default: break;
  }
  const auto order = compare_decimals(a.number, a.type.scale, b.number, b.type.scale);
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

bool has_nan(const Expr& e) {
  for (const ExprPtr& a : e.args) {
    if (a->type.id == TypeId::kDouble && std::isnan(a->constant.real)) return true;
  }
  return false;
}

ExprPtr fold_compare(const Expr& e) {
  const Value& a = e.args[0]->constant;
  const Value& b = e.args[1]->constant;
  if (has_nan(e)) return nullptr;  // exec/ knows where a NaN stands
  const bool null_safe = e.function == Function::kDistinctFrom || e.function == Function::kNotDistinctFrom;
  if (a.null || b.null) {
    if (!null_safe) return make_null(Type::boolean(), e.position);
    return make_boolean((a.null != b.null) == (e.function == Function::kDistinctFrom), e.position);
  }
  const int c = compare_values(a, b);
  switch (e.function) {
    case Function::kEqual: case Function::kNotDistinctFrom: return make_boolean(c == 0, e.position);
    case Function::kNotEqual: case Function::kDistinctFrom: return make_boolean(c != 0, e.position);
    case Function::kLess: return make_boolean(c < 0, e.position);
    case Function::kLessEqual: return make_boolean(c <= 0, e.position);
    case Function::kGreater: return make_boolean(c > 0, e.position);
    default: return make_boolean(c >= 0, e.position);
  }
}

ExprPtr fold_bigint(const Expr& e) {
  const int64_t a = e.args[0]->constant.int64();
  const int64_t b = e.args.size() > 1 ? e.args[1]->constant.int64() : 0;
  int64_t result = 0;
  bool overflow = false;
  switch (e.function) {
    case Function::kNegate: overflow = __builtin_sub_overflow(int64_t{0}, a, &result); break;
    case Function::kAdd: overflow = __builtin_add_overflow(a, b, &result); break;
    case Function::kSubtract: overflow = __builtin_sub_overflow(a, b, &result); break;
    case Function::kMultiply: overflow = __builtin_mul_overflow(a, b, &result); break;
    case Function::kDivide:
      if (b == 0 || b == -1) return nullptr;
      result = a / b;
      break;
    default: return nullptr;
  }
  return overflow ? nullptr : make_constant(Value::bigint(result), e.position);
}

ExprPtr fold_arithmetic(const Expr& e) {
  const bool bigint = e.type.id == TypeId::kBigint && e.args[0]->type.id == TypeId::kBigint && e.args.back()->type.id == TypeId::kBigint;
  if (bigint) return fold_bigint(e);
  const Value& a = e.args[0]->constant;
  if (e.function == Function::kNegate && e.type.id == TypeId::kDecimal) return make_constant(Value::make_number(e.type, -a.number), e.position);
  if (e.function == Function::kNegate && e.type.id == TypeId::kDouble) return make_constant(Value::make_real(-a.real), e.position);
  if (e.type.id != TypeId::kDecimal || e.args.size() != 2) return nullptr;
  const Value& b = e.args[1]->constant;
  int128 r = 0;
  switch (e.function) {
    case Function::kAdd: r = decimal_add(a.number, a.type.scale, b.number, b.type.scale); break;
    case Function::kSubtract: r = decimal_subtract(a.number, a.type.scale, b.number, b.type.scale); break;
    case Function::kMultiply: r = decimal_multiply(a.number, a.type.scale, b.number, b.type.scale); break;
    default: return nullptr;
  }
  return make_constant(Value::make_number(e.type, r), e.position);
}

ExprPtr fold_test(const Expr& e) {
  const Value& v = e.args[0]->constant;
  const bool truth = !v.null && v.number != 0;
  switch (e.function) {
    case Function::kIsNull: return make_boolean(v.null, e.position);
    case Function::kIsNotNull: return make_boolean(!v.null, e.position);
    case Function::kIsTrue: return make_boolean(truth, e.position);
    case Function::kIsNotTrue: return make_boolean(!truth, e.position);
    case Function::kIsFalse: return make_boolean(!v.null && !truth, e.position);
    case Function::kIsNotFalse: return make_boolean(v.null || truth, e.position);
    default: return v.null ? make_null(Type::boolean(), e.position) : make_boolean(!truth, e.position);
  }
}

}  // namespace

Value cast_value(const Value& value, const Type& type) {
  if (value.null) return Value::make_null(type);
  Value made = value;
  if (value.type.id == TypeId::kText) {
    made = cast_text(value, type);
  } else if (type.id == TypeId::kText) {
    made = Value::make_text(to_text(value));
  } else if (value.type.number() && type.number()) {
    made = cast_to_number(value, type);
  } else if (type.id == TypeId::kBoolean || type.id == TypeId::kBigint) {
    made.number = type.id == TypeId::kBoolean ? (value.number != 0 ? 1 : 0) : value.number;
  } else if (type.id == TypeId::kTimestamp && value.type.id == TypeId::kDate) {
    made.number = value.number * kMicrosPerDay;
  } else if (type.id == TypeId::kDate && value.type.id == TypeId::kTimestamp) {
    made.number = floor_div(value.int64(), kMicrosPerDay);
  }
  made.type = type;
  if (type.id == TypeId::kText && type.length != 0 && utf8_count(made.text) > type.length) {
    fail(sqlstate::kDataTooLong, "the text is longer than " + to_string(type) + " takes");
  }
  return made;
}

ExprPtr fold_cast(const Expr& e) {
  try {
    return make_constant(cast_value(e.args[0]->constant, e.type), e.args[0]->position);
  } catch (const Error&) {
    return nullptr;  // B3: it raises when a row reaches it
  }
}

ExprPtr fold_call(const Expr& e) {
  if (e.args.empty()) return nullptr;
  switch (e.function) {
    case Function::kEqual: case Function::kNotEqual: case Function::kLess: case Function::kLessEqual: case Function::kGreater:
    case Function::kGreaterEqual: case Function::kDistinctFrom: case Function::kNotDistinctFrom: return fold_compare(e);
    case Function::kIsNull: case Function::kIsNotNull: case Function::kIsTrue: case Function::kIsFalse: case Function::kIsNotTrue:
    case Function::kIsNotFalse: case Function::kNot: return fold_test(e);
    case Function::kGreatest: case Function::kLeast: return nullptr;
    default: break;
  }
  for (const ExprPtr& a : e.args) {
    if (is_null_constant(*a)) return make_null(e.type, e.position);  // every other function is strict
  }
  switch (e.function) {
    case Function::kNegate: case Function::kAdd: case Function::kSubtract: case Function::kMultiply: case Function::kDivide: break;
    case Function::kConcat: return make_constant(Value::make_text(e.args[0]->constant.text + e.args[1]->constant.text), e.position);
    default: return nullptr;
  }
  try {
    return fold_arithmetic(e);
  } catch (const Error&) {
    return nullptr;
  }
}

}  // namespace hdb
