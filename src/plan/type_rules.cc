#include "plan/type_rules.h"

#include "base/error.h"
#include "base/limits.h"
#include "plan/make.h"

namespace hdb {

Type to_type(const DecimalType& d) { return Type::decimal(static_cast<uint8_t>(d.precision), static_cast<uint8_t>(d.scale)); }

Type type_of(const sql::TypeName& name) {
  const int64_t at = name.span.begin;
  switch (name.word) {
    case sql::TypeWord::kBoolean: return Type::boolean();
    case sql::TypeWord::kBigint: return Type::bigint();
    case sql::TypeWord::kDouble: return Type::real();
    case sql::TypeWord::kText: return Type::text();
    case sql::TypeWord::kDate: return Type::date();
    case sql::TypeWord::kTimestamp: return Type::timestamp();
    case sql::TypeWord::kVarchar:
      if (name.arguments[0] == 0 || name.arguments[0] > kVarcharMax) {
        fail(sqlstate::kInvalidParameter, "the length of VARCHAR(n) is from 1 to " + std::to_string(kVarcharMax), at);
      }
      return Type::text(name.arguments[0]);
    case sql::TypeWord::kDecimal: break;
  }
  const uint32_t precision = name.argument_count > 0 ? name.arguments[0] : 18;
  const uint32_t scale = name.argument_count > 1 ? name.arguments[1] : name.argument_count == 1 ? 0 : 3;
  if (precision == 0 || precision > kDecimalDigitsMax) {
    fail(sqlstate::kInvalidParameter, "the precision of DECIMAL is from 1 to " + std::to_string(kDecimalDigitsMax), at);
  }
  if (scale > precision) fail(sqlstate::kInvalidParameter, "the scale of a DECIMAL is at most its precision", at);
  return Type::decimal(static_cast<uint8_t>(precision), static_cast<uint8_t>(scale));
}

Type column_type(const sql::TypeName& name) {
  const Type t = type_of(name);
  if (t.id == TypeId::kDecimal && t.precision > kDecimalColumnDigitsMax) {
    fail(sqlstate::kFeature, "a DECIMAL column of more than " + std::to_string(kDecimalColumnDigitsMax) + " digits is not supported yet",
         name.span.begin);
  }
  return t;
}

DecimalType as_decimal(const Expr& e) {
  if (e.type.id == TypeId::kDecimal) return {e.type.precision, e.type.scale};
  if (!is_constant(e) || e.constant.null) return kBigintAsDecimal;
  int digits = 1;
  for (int128 v = e.constant.number < 0 ? -e.constant.number : e.constant.number; v >= 10; v /= 10) ++digits;
  return {digits, 0};
}

bool is_unknown_text(const Expr& e) {
  return e.type.id == TypeId::kText && (is_constant(e) || e.kind == ExprKind::kParameter);
}

bool is_untyped(const Expr& e) { return e.type.id == TypeId::kNull; }

Type common_type(const Expr& a, const Expr& b) {
  const auto any_length = [](Type t) {  // a VARCHAR's limit is its column's, not that of what it is compared with
    t.length = 0;
    return t;
  };
  if (is_untyped(a)) return any_length(b.type);
  if (is_untyped(b)) return any_length(a.type);
  const TypeId x = a.type.id, y = b.type.id;
  if (a.type.number() && b.type.number()) {
    if (x == TypeId::kDouble || y == TypeId::kDouble) return Type::real();
    if (x == TypeId::kBigint && y == TypeId::kBigint) return Type::bigint();
    return to_type(decimal_common_type(as_decimal(a), as_decimal(b)));
  }
  if (x == y) return x == TypeId::kText ? Type::text() : a.type;
  const auto dated = [](TypeId id) { return id == TypeId::kDate || id == TypeId::kTimestamp; };
  if (dated(x) && dated(y)) return Type::timestamp();
  const auto takes_text = [&](TypeId id) { return dated(id) || id == TypeId::kBoolean; };
  if (takes_text(x) && is_unknown_text(b)) return a.type;  // Y1
  if (takes_text(y) && is_unknown_text(a)) return b.type;
  return Type::null();
}

Type common_type(const std::vector<ExprPtr>& all, std::string_view what) {
  // Two operands have the pairwise rule; the rest folds in through a stand-in that is neither literal nor NULL.
  ExprPtr so_far;
  for (const ExprPtr& e : all) {
    if (!so_far || is_untyped(*so_far)) {
      so_far = e;
      continue;
    }
    const Type t = common_type(*so_far, *e);
    if (t.id == TypeId::kNull) {
      fail(sqlstate::kTypeMismatch, std::string(what) + " has values of type " + to_string(so_far->type) + " and of type " + to_string(e->type),
           e->position);
    }
    if (t == so_far->type && !(is_unknown_text(*so_far) && !is_unknown_text(*e))) continue;
    so_far = t.id == TypeId::kText && is_unknown_text(*so_far) && is_unknown_text(*e) ? so_far : make_column(kNoColumn, t);
  }
  return so_far->type;
}

bool castable(const Type& from, const Type& to) {
  if (from.id == TypeId::kNull || from.id == to.id || from.id == TypeId::kText || to.id == TypeId::kText) return true;
  if (from.number() && to.number()) return true;
  const auto pair = [&](TypeId a, TypeId b) { return (from.id == a && to.id == b) || (from.id == b && to.id == a); };
  return pair(TypeId::kBoolean, TypeId::kBigint) || pair(TypeId::kDate, TypeId::kTimestamp);
}

bool assignable(const Expr& from, const Type& to) {
  if (is_untyped(from) || from.type.id == to.id || to.id == TypeId::kText) return true;
  if (is_unknown_text(from)) return true;
  if (from.type.id == TypeId::kBoolean || to.id == TypeId::kBoolean || from.type.id == TypeId::kText) return false;
  return castable(from.type, to);
}

void no_operator(std::string_view op, const Type& left, const Type& right, int64_t position) {
  fail(sqlstate::kUndefinedFunction, "there is no operator " + to_string(left) + " " + std::string(op) + " " + to_string(right) +
       "; CAST one side to the type of the other", position);
}

}  // namespace hdb
