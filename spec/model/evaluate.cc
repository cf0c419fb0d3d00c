#include "evaluate.h"

#include <cmath>

namespace model {

namespace {

Value null_value() { return Value{}; }

// One value in another type of the numeric kinds (the engine's implicit conversions and CAST).
Value convert(const Value& v, const Type& to) {
  if (v.is_null() || (v.kind == to.kind && v.scale == to.scale && v.kind != Kind::kDec)) return v;
  switch (to.kind) {
    case Kind::kDec: {
      if (v.kind == Kind::kDbl) throw Fault{"0A000"};
      const int up = to.scale - v.scale;
      const Big n = up >= 0 ? Big(to_big(v.n) * power_of_ten(up)) : divide_half_away(to_big(v.n), power_of_ten(-up));
      if (to.precision > 0 && abs(n) >= power_of_ten(to.precision)) throw Fault{"22003"};
      return make_dec_checked(n, to.scale);
    }
    case Kind::kInt: {
      if (v.kind == Kind::kDec) return make_int_checked(to_big(v.n) / power_of_ten(v.scale));
      if (v.kind == Kind::kDbl) {
        if (!(std::fabs(v.d) < 9.3e18)) throw Fault{"22003"};
        return make_int_checked(Big(std::trunc(v.d)));
      }
      return make_int(static_cast<int64_t>(v.n));
    }
    case Kind::kDbl:
      return make_dbl(round_ratio(to_big(v.n), power_of_ten(v.scale)));
    case Kind::kText:
      return make_text(to_text(v));
    default:
      return v;
  }
}

Value arithmetic(Op op, const Type& type, const Value& a, const Value& b) {
  if (a.is_null() || b.is_null()) return null_value();
  if (type.kind == Kind::kDbl) {
    const double x = convert(a, type).d, y = convert(b, type).d;
    if (op == Op::kAdd) return make_dbl(x + y);
    if (op == Op::kSubtract) return make_dbl(x - y);
    if (op == Op::kMultiply) return make_dbl(x * y);
    if (y == 0) throw Fault{"22012"};
    return make_dbl(op == Op::kDivide ? x / y : std::fmod(x, y));
  }
  Big x = to_big(a.n), y = to_big(b.n);
  if (type.kind == Kind::kInt) {
    if ((op == Op::kDivide || op == Op::kModulo) && y == 0) throw Fault{"22012"};
    if (op == Op::kAdd) return make_int_checked(x + y);
    if (op == Op::kSubtract) return make_int_checked(x - y);
    if (op == Op::kMultiply) return make_int_checked(x * y);
    return make_int_checked(op == Op::kDivide ? Big(x / y) : Big(x % y));
  }
  if (op == Op::kMultiply) return make_dec_checked(x * y, type.scale);
  if (op == Op::kDivide) {
    if (y == 0) throw Fault{"22012"};
    // (x / 10^sa) / (y / 10^sb) scaled by 10^s.
    return make_dec_checked(divide_half_away(x * power_of_ten(b.scale + type.scale), y * power_of_ten(a.scale)), type.scale);
  }
  x *= power_of_ten(type.scale - a.scale);
  y *= power_of_ten(type.scale - b.scale);
  if (op == Op::kModulo) {
    if (y == 0) throw Fault{"22012"};
    return make_dec_checked(x % y, type.scale);
  }
  return make_dec_checked(op == Op::kAdd ? Big(x + y) : Big(x - y), type.scale);
}

int compare_numeric(const Value& a, const Value& b) {
  if (a.kind == b.kind || (a.kind != Kind::kDbl && b.kind != Kind::kDbl)) return compare(a, b);
  return compare(convert(a, simple_type(Kind::kDbl)), convert(b, simple_type(Kind::kDbl)));
}

bool holds(Op op, int order) {
  switch (op) {
    case Op::kEq:
      return order == 0;
    case Op::kNe:
      return order != 0;
    case Op::kLt:
      return order < 0;
    case Op::kLe:
      return order <= 0;
    case Op::kGt:
      return order > 0;
    default:
      return order >= 0;
  }
}

Value compare_values(Op op, const Value& a, const Value& b) {
  if (a.is_null() || b.is_null()) return null_value();
  return make_bool(holds(op, compare_numeric(a, b)));
}

// Three-valued AND and OR: `ruling` decides alone (false for AND, true for OR).
Value combine(const Value& a, const Value& b, bool ruling) {
  if ((!a.is_null() && a.truth() == ruling) || (!b.is_null() && b.truth() == ruling)) return make_bool(ruling);
  return a.is_null() || b.is_null() ? null_value() : make_bool(!ruling);
}

Value negated(const Value& v) { return v.is_null() ? v : make_bool(!v.truth()); }

size_t character_bytes(const std::string& s, size_t i) {
  size_t n = 1;
  while (i + n < s.size() && (static_cast<uint8_t>(s[i + n]) & 0xc0) == 0x80) ++n;
  return n;
}

bool like(const std::string& s, size_t i, const std::string& p, size_t j) {
  if (j == p.size()) return i == s.size();
  if (p[j] == '%') {
    for (size_t k = i; k <= s.size(); ++k) {
      if (like(s, k, p, j + 1)) return true;
    }
    return false;
  }
  if (i == s.size()) return false;
  if (p[j] == '_') return like(s, i + character_bytes(s, i), p, j + 1);
  return s[i] == p[j] && like(s, i + 1, p, j + 1);
}

Value evaluate_in(const Expr& e, const std::vector<const Row*>& rows) {
  const Value x = evaluate(*e.kids[0], rows);
  Value found = make_bool(false);
  for (size_t i = 1; i < e.kids.size(); ++i) {
    found = combine(found, compare_values(Op::kEq, x, evaluate(*e.kids[i], rows)), true);
  }
  return e.op == Op::kIn ? found : negated(found);
}

Value evaluate_branches(const Expr& e, const std::vector<const Row*>& rows) {
  if (e.op == Op::kCoalesce) {
    for (const ExprPtr& kid : e.kids) {
      Value v = evaluate(*kid, rows);
      if (!v.is_null()) return convert(v, e.type);
    }
    return null_value();
  }
  for (size_t i = 0; i + 1 < e.kids.size(); i += 2) {
    if (evaluate(*e.kids[i], rows).truth()) return convert(evaluate(*e.kids[i + 1], rows), e.type);
  }
  return convert(evaluate(*e.kids.back(), rows), e.type);
}

Value negate(const Expr& e, const Value& v) {
  if (v.is_null()) return v;
  if (v.kind == Kind::kDbl) return make_dbl(-v.d);
  return e.type.kind == Kind::kInt ? make_int_checked(-to_big(v.n)) : make_dec_checked(-to_big(v.n), v.scale);
}

}  // namespace

Value evaluate(const Expr& e, const std::vector<const Row*>& rows) {
  switch (e.op) {
    case Op::kLiteral:
      return e.literal;
    case Op::kColumn: {
      const Row* row = rows[static_cast<size_t>(e.relation)];
      return row == nullptr ? null_value() : (*row)[static_cast<size_t>(e.column)];
    }
    case Op::kIn:
    case Op::kNotIn:
      return evaluate_in(e, rows);
    case Op::kCase:
    case Op::kCoalesce:
      return evaluate_branches(e, rows);
    case Op::kAggregate:
      throw Fault{"42803"};
    default:
      break;
  }
  const Value a = evaluate(*e.kids[0], rows);
  switch (e.op) {
    case Op::kNegate:
      return negate(e, a);
    case Op::kNot:
      return negated(a);
    case Op::kIsNull:
      return make_bool(a.is_null());
    case Op::kIsNotNull:
      return make_bool(!a.is_null());
    case Op::kCast:
      return convert(a, e.type);
    default:
      break;
  }
  const Value b = evaluate(*e.kids[1], rows);
  switch (e.op) {
    case Op::kAnd:
      return combine(a, b, false);
    case Op::kOr:
      return combine(a, b, true);
    case Op::kBetween:
      return combine(compare_values(Op::kGe, a, b), compare_values(Op::kLe, a, evaluate(*e.kids[2], rows)), false);
    case Op::kLike:
      return a.is_null() || b.is_null() ? null_value() : make_bool(like(a.s, 0, b.s, 0));
    case Op::kNotLike:
      return a.is_null() || b.is_null() ? null_value() : make_bool(!like(a.s, 0, b.s, 0));
    case Op::kNullIf:
      return compare_values(Op::kEq, a, b).truth() ? null_value() : a;
    default:
      break;
  }
  return e.op <= Op::kModulo ? arithmetic(e.op, e.type, a, b) : compare_values(e.op, a, b);
}

}  // namespace model
