// Expressions: literals, names, operators, CASE, CAST, calls and aggregates.
#include "base/error.h"
#include "exact/decimal.h"
#include "plan/binder_impl.h"
#include "plan/make.h"
#include "plan/type_rules.h"

namespace hdb {
namespace {

Type literal_type(sql::LiteralKind kind, uint8_t precision, uint8_t scale) {
  switch (kind) {
    case sql::LiteralKind::kBoolean: return Type::boolean();
    case sql::LiteralKind::kInteger: return Type::bigint();
    case sql::LiteralKind::kDecimal: return Type::decimal(precision, scale);
    case sql::LiteralKind::kDouble: return Type::real();
    case sql::LiteralKind::kString: return Type::text();
    case sql::LiteralKind::kDate: return Type::date();
    case sql::LiteralKind::kTimestamp: return Type::timestamp();
    case sql::LiteralKind::kNull: break;
  }
  return Type::null();
}

int128 decimal_digits(std::string_view digits, int64_t position) {
  int128 v = 0;
  uint32_t significant = 0;
  for (const char c : digits) {
    if (significant > 0 || c != '0') ++significant;
    if (significant > kDecimalDigitsMax) {
      fail(sqlstate::kOutOfRange, "the number has more than " + std::to_string(kDecimalDigitsMax) + " digits", position);
    }
    v = v * 10 + (c - '0');
  }
  return v;
}

int64_t dated(const sql::Literal& e) {
  try {
    return e.literal_kind == sql::LiteralKind::kDate ? parse_date(e.text) : parse_timestamp(e.text);
  } catch (Error& error) {
    error.set_position(e.span.begin);
    throw;
  }
}

Function function_of(sql::BinaryOp op) {
  switch (op) {
    case sql::BinaryOp::kAdd: return Function::kAdd;
    case sql::BinaryOp::kSubtract: return Function::kSubtract;
    case sql::BinaryOp::kMultiply: return Function::kMultiply;
    case sql::BinaryOp::kDivide: return Function::kDivide;
    case sql::BinaryOp::kModulo: return Function::kModulo;
    case sql::BinaryOp::kConcat: return Function::kConcat;
    case sql::BinaryOp::kEqual: return Function::kEqual;
    case sql::BinaryOp::kNotEqual: return Function::kNotEqual;
    case sql::BinaryOp::kLess: return Function::kLess;
    case sql::BinaryOp::kLessEqual: return Function::kLessEqual;
    case sql::BinaryOp::kGreater: return Function::kGreater;
    case sql::BinaryOp::kGreaterEqual: return Function::kGreaterEqual;
    case sql::BinaryOp::kIsDistinct: return Function::kDistinctFrom;
    case sql::BinaryOp::kIsNotDistinct: break;
  }
  return Function::kNotDistinctFrom;
}

AggregateKind aggregate_kind(std::string_view name) {
  if (name == "count") return AggregateKind::kCount;
  if (name == "sum") return AggregateKind::kSum;
  if (name == "avg") return AggregateKind::kAvg;
  if (name == "min") return AggregateKind::kMin;
  if (name == "max") return AggregateKind::kMax;
  return AggregateKind::kSumExact;
}

Type aggregate_type(AggregateKind kind, const Type& t) {
  switch (kind) {
    case AggregateKind::kCountStar: case AggregateKind::kCount: return Type::bigint();
    case AggregateKind::kMin: case AggregateKind::kMax: return t;
    case AggregateKind::kSum:
      return t.id == TypeId::kDecimal ? to_type(decimal_sum_type({t.precision, t.scale})) : t;
    case AggregateKind::kSumExact: return Type::decimal(kDecimalDigitsMax, t.id == TypeId::kDecimal ? t.scale : 0);
    default: return t.id == TypeId::kDecimal ? to_type(decimal_average_type({t.precision, t.scale})) : Type::real();
  }
}

}  // namespace

ExprPtr Binder::bind_expr(const sql::Expr& e) {
  switch (e.kind) {
    case sql::ExprKind::kLiteral: return bind_literal(e.as<sql::Literal>());
    case sql::ExprKind::kParameter: return bind_parameter(e.as<sql::Parameter>());
    case sql::ExprKind::kColumnRef: return bind_column(e.as<sql::ColumnRef>());
    case sql::ExprKind::kUnary: return bind_unary(e.as<sql::Unary>());
    case sql::ExprKind::kBinary: return bind_binary(e.as<sql::Binary>());
    case sql::ExprKind::kLogical: return bind_logical(e.as<sql::Logical>());
    case sql::ExprKind::kIsNull: {
      const auto& test = e.as<sql::IsNull>();
      ExprPtr arg = bind_expr(*test.operand);
      if (is_untyped(*arg)) arg = coercion_.to(arg, Type::text());
      return make_call(test.negated ? Function::kIsNotNull : Function::kIsNull, Type::boolean(), {std::move(arg)}, e.span.begin);
    }
    case sql::ExprKind::kIsTruth: {
      const auto& test = e.as<sql::IsTruth>();
      const Function f = test.truth ? (test.negated ? Function::kIsNotTrue : Function::kIsTrue)
                                    : (test.negated ? Function::kIsNotFalse : Function::kIsFalse);
      return make_call(f, Type::boolean(), {condition(*test.operand, "the operand of IS TRUE or IS FALSE")}, e.span.begin);
    }
    case sql::ExprKind::kIn: return bind_in_list(e.as<sql::In>());
    case sql::ExprKind::kBetween: return bind_between(e.as<sql::Between>());
    case sql::ExprKind::kLike: return bind_like_test(e.as<sql::Like>());
    case sql::ExprKind::kCase: return bind_case(e.as<sql::Case>());
    case sql::ExprKind::kCast: return bind_cast(e.as<sql::Cast>());
    case sql::ExprKind::kCall: return bind_call(e.as<sql::Call>());
    case sql::ExprKind::kStar: fail(sqlstate::kSyntax, "* stands only as an item of SELECT", e.span.begin);
    default: fail(sqlstate::kFeature, "subqueries are not supported yet", e.span.begin);
  }
}

ExprPtr Binder::bind_value(const sql::Expr& e) { return bind_expr(e); }

ExprPtr Binder::condition(const sql::Expr& e, std::string_view what) {
  ExprPtr bound = bind_expr(e);
  if (bound->type.id == TypeId::kText && is_constant(*bound)) bound = coercion_.to(bound, Type::boolean());  // WHERE 't'
  return bind_condition(std::move(bound), what, coercion_);
}

ExprPtr Binder::bind_literal(const sql::Literal& e) {
  const int64_t at = e.span.begin;
  switch (e.literal_kind) {
    case sql::LiteralKind::kNull: return make_null(Type::null(), at);
    case sql::LiteralKind::kBoolean: return make_boolean(e.boolean, at);
    case sql::LiteralKind::kInteger: return make_constant(Value::bigint(static_cast<int64_t>(e.magnitude)), at);
    case sql::LiteralKind::kDouble: return make_constant(Value::make_real(e.number), at);
    case sql::LiteralKind::kString: return make_constant(Value::make_text(std::string(e.text)), at);
    case sql::LiteralKind::kDecimal:
      return make_constant(Value::make_number(Type::decimal(e.precision, e.scale), decimal_digits(e.text, at)), at);
    default: return make_constant(Value::make_number(literal_type(e.literal_kind, 0, 0), dated(e)), at);
  }
}

ExprPtr Binder::bind_parameter(const sql::Parameter& e) {
  const Type own = e.from_literal ? literal_type(e.literal_kind, e.precision, e.scale) : Type::null();
  return coercion_.parameter(e.index - 1, own, e.span.begin);
}

ExprPtr Binder::bind_column(const sql::ColumnRef& e) {
  if (e.table.empty() && aliases_ != nullptr && scope_.find(e.column) == nullptr) {
    if (const SelectItem* item = item_by_name(e.column, *aliases_)) {
      if (in_aggregate_ || aggregates_ == nullptr) {
        std::vector<ColumnId> used;
        collect_columns(*item->expr, &used);
        for (const ColumnId id : used) {
          if (id >= from_end_) fail(sqlstate::kGrouping, "an aggregate cannot stand in " + std::string(in_aggregate_ ? "an aggregate" : clause_), e.span.begin);
        }
      }
      return item->expr;
    }
  }
  const ScopeColumn& c = scope_.require(e);
  return make_column(c.id, c.type, e.span.begin);
}

ExprPtr Binder::bind_unary(const sql::Unary& e) {
  if (e.op == sql::UnaryOp::kNot) return make_not(condition(*e.operand, "the operand of NOT"), e.span.begin);
  if (e.op == sql::UnaryOp::kPlus) return bind_expr(*e.operand);
  if (e.operand->is<sql::Literal>()) {
    const auto& literal = e.operand->as<sql::Literal>();
    if (literal.literal_kind == sql::LiteralKind::kInteger) {  // 2^63 is only here
      return make_constant(Value::bigint(static_cast<int64_t>(0 - literal.magnitude)), e.span.begin);
    }
  }
  return bind_negate(bind_expr(*e.operand), e.span.begin, coercion_);
}

ExprPtr Binder::bind_binary(const sql::Binary& e) {
  ExprPtr left = bind_expr(*e.left);
  ExprPtr right = bind_expr(*e.right);
  const Function f = function_of(e.op);
  const int64_t at = e.op_span.begin;
  if (f == Function::kConcat) return bind_concat(std::move(left), std::move(right), at, coercion_);
  if (f <= Function::kModulo) return bind_arithmetic(f, std::move(left), std::move(right), at, coercion_);
  return bind_comparison(f, std::move(left), std::move(right), at, coercion_);
}

ExprPtr Binder::bind_logical(const sql::Logical& e) {
  std::vector<ExprPtr> args;
  args.reserve(e.operands.size());
  for (const sql::Expr* operand : e.operands) args.push_back(condition(*operand, e.is_and ? "an operand of AND" : "an operand of OR"));
  return e.is_and ? make_and(std::move(args), e.span.begin) : make_or(std::move(args), e.span.begin);
}

ExprPtr Binder::bind_in_list(const sql::In& e) {
  std::vector<ExprPtr> args;
  args.reserve(e.items.size() + 1);
  args.push_back(bind_expr(*e.operand));
  for (const sql::Expr* item : e.items) args.push_back(bind_expr(*item));
  ExprPtr in = bind_in(std::move(args), e.span.begin, coercion_);
  return e.negated ? make_not(std::move(in), e.span.begin) : in;
}

ExprPtr Binder::bind_between(const sql::Between& e) {
  const ExprPtr x = bind_expr(*e.operand);
  ExprPtr low = bind_comparison(Function::kGreaterEqual, x, bind_expr(*e.low), e.low->span.begin, coercion_);
  ExprPtr high = bind_comparison(Function::kLessEqual, x, bind_expr(*e.high), e.high->span.begin, coercion_);
  ExprPtr both = make_and({std::move(low), std::move(high)}, e.span.begin);
  return e.negated ? make_not(std::move(both), e.span.begin) : both;
}

ExprPtr Binder::bind_like_test(const sql::Like& e) {
  std::vector<ExprPtr> args{bind_expr(*e.operand), bind_expr(*e.pattern)};
  if (e.escape != nullptr) args.push_back(bind_expr(*e.escape));
  ExprPtr like = bind_like(e.ignore_case ? Function::kILike : Function::kLike, std::move(args), e.pattern->span.begin, coercion_);
  return e.negated ? make_not(std::move(like), e.span.begin) : like;
}

ExprPtr Binder::bind_case(const sql::Case& e) {
  const ExprPtr operand = e.operand != nullptr ? bind_expr(*e.operand) : nullptr;
  std::vector<ExprPtr> whens, values;
  for (const sql::CaseBranch& b : e.branches) {
    whens.push_back(operand ? bind_comparison(Function::kEqual, operand, bind_expr(*b.when), b.when->span.begin, coercion_)
                            : condition(*b.when, "WHEN"));
    values.push_back(bind_expr(*b.then));
  }
  values.push_back(e.otherwise != nullptr ? bind_expr(*e.otherwise) : make_null(Type::null(), e.span.begin));
  const Type type = common_type(values, "CASE");
  std::vector<ExprPtr> args;
  for (size_t i = 0; i < whens.size(); ++i) {
    args.push_back(std::move(whens[i]));
    args.push_back(coercion_.to(std::move(values[i]), type));
  }
  args.push_back(coercion_.to(std::move(values.back()), type));
  return make_case(type, std::move(args), e.span.begin);
}

ExprPtr Binder::bind_cast(const sql::Cast& e) {
  ExprPtr arg = bind_expr(*e.operand);
  const Type type = type_of(e.type);
  if (!castable(arg->type, type)) {
    fail(sqlstate::kTypeMismatch, "a value of type " + to_string(arg->type) + " cannot be cast to " + to_string(type), e.span.begin);
  }
  if (is_untyped(*arg)) return coercion_.to(std::move(arg), type);
  return make_cast(std::move(arg), type, e.span.begin);
}

ExprPtr Binder::bind_call(const sql::Call& e) {
  if (is_aggregate_name(e.name.folded)) return bind_aggregate(e);
  if (e.star || e.distinct) {
    fail(sqlstate::kSyntax, std::string(e.star ? "*" : "DISTINCT") + " stands only in an aggregate, and " + std::string(e.name.spelling) + " is none",
         e.span.begin);
  }
  std::vector<ExprPtr> args;
  args.reserve(e.arguments.size());
  for (const sql::Expr* a : e.arguments) args.push_back(bind_expr(*a));
  return bind_function(e.name.folded, std::move(args), e.span.begin, coercion_);
}

ExprPtr Binder::bind_aggregate(const sql::Call& e) {
  const int64_t at = e.span.begin;
  const std::string name(e.name.spelling);
  if (in_aggregate_) fail(sqlstate::kGrouping, "the aggregate " + name + " cannot stand in an aggregate", at);
  if (aggregates_ == nullptr) fail(sqlstate::kGrouping, "the aggregate " + name + " cannot stand in " + std::string(clause_), at);
  Aggregate a;
  a.kind = e.star ? AggregateKind::kCountStar : aggregate_kind(e.name.folded);
  a.distinct = e.distinct && a.kind != AggregateKind::kMin && a.kind != AggregateKind::kMax;
  a.position = at;
  if (e.star && e.name.folded != "count") fail(sqlstate::kUndefinedFunction, "there is no function " + name + "(*)", at);
  if (!e.star) {
    if (e.arguments.size() != 1) fail(sqlstate::kUndefinedFunction, name + " takes one argument", at);
    in_aggregate_ = true;
    a.argument = bind_expr(*e.arguments[0]);
    in_aggregate_ = false;
    const bool sums = a.kind == AggregateKind::kSum || a.kind == AggregateKind::kAvg || a.kind == AggregateKind::kSumExact;
    if (is_untyped(*a.argument)) a.argument = coercion_.to(a.argument, sums ? Type::bigint() : Type::text());
    const Type& t = a.argument->type;
    if (sums && !(a.kind == AggregateKind::kSumExact ? t.exact_number() : t.number())) {
      fail(sqlstate::kUndefinedFunction, "there is no function " + name + "(" + to_string(t) + ")", at);
    }
    a.measure_type = t;
  }
  a.type = aggregate_type(a.kind, a.measure_type);
  for (const Aggregate& known : *aggregates_) {  // R2
    const bool same = known.kind == a.kind && known.distinct == a.distinct && (a.argument == nullptr || equal(*known.argument, *a.argument));
    if (same) return make_column(known.id, known.type, at);
  }
  a.id = new_id();
  aggregates_->push_back(a);
  return make_column(a.id, a.type, at);
}

}  // namespace hdb
