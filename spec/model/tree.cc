#include "tree.h"

#include <algorithm>

namespace model {

int TableDef::find(const std::string& wanted) const {
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].name == wanted) return static_cast<int>(i);
  }
  return -1;
}

int TableDef::primary() const {
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].primary) return static_cast<int>(i);
  }
  return -1;
}

bool Query::grouped() const {
  if (!group.empty() || (having && has_aggregate(*having))) return true;
  return std::any_of(outputs.begin(), outputs.end(), [](const ExprPtr& e) { return has_aggregate(*e); });
}

bool has_aggregate(const Expr& e) {
  if (e.op == Op::kAggregate) return true;
  return std::any_of(e.kids.begin(), e.kids.end(), [](const ExprPtr& k) { return has_aggregate(*k); });
}

bool same(const Expr& a, const Expr& b) {
  if (a.op != b.op || a.type.kind != b.type.kind || a.type.scale != b.type.scale || a.fn != b.fn) return false;
  if (a.relation != b.relation || a.column != b.column || a.kids.size() != b.kids.size()) return false;
  if (a.op == Op::kLiteral && key_of(a.literal) != key_of(b.literal)) return false;
  for (size_t i = 0; i < a.kids.size(); ++i) {
    if (!same(*a.kids[i], *b.kids[i])) return false;
  }
  return true;
}

namespace {

std::shared_ptr<Expr> node(Op op, const Type& type, std::vector<ExprPtr> kids) {
  auto e = std::make_shared<Expr>();
  e->op = op;
  e->type = type;
  e->kids = std::move(kids);
  return e;
}

Type arithmetic_type(Op op, const Type& a, const Type& b) {
  if (a.kind == Kind::kDbl || b.kind == Kind::kDbl) return simple_type(Kind::kDbl);
  if (a.kind == Kind::kInt && b.kind == Kind::kInt) return int_type();
  if (op == Op::kMultiply) return dec_type(38, a.scale + b.scale);
  if (op == Op::kDivide) return dec_type(38, std::max({a.scale, b.scale, 6}));
  return dec_type(38, std::max(a.scale, b.scale));
}

Type common_type(const Type& a, const Type& b) {
  if (a.kind == Kind::kNull) return b;
  if (b.kind == Kind::kNull || a.kind == b.kind) {
    return a.kind == Kind::kDec && b.kind == Kind::kDec ? dec_type(38, std::max(a.scale, b.scale)) : a;
  }
  if (a.kind == Kind::kDbl || b.kind == Kind::kDbl) return simple_type(Kind::kDbl);
  return dec_type(38, std::max(a.scale, b.scale));
}

Type aggregate_type(Fn fn, const Type& a) {
  switch (fn) {
    case Fn::kCountStar:
    case Fn::kCount:
    case Fn::kCountDistinct:
      return int_type();
    case Fn::kSumExact:
      return dec_type(38, 0);
    case Fn::kSum:
      return a.kind == Kind::kDec ? dec_type(38, a.scale) : a;
    case Fn::kAvg:
      return a.kind == Kind::kDec ? dec_type(38, a.scale + 6) : simple_type(Kind::kDbl);
    case Fn::kMin:
    case Fn::kMax:
      return a;
  }
  return a;
}

}  // namespace

ExprPtr literal(Value value, const Type& type) {
  auto e = node(Op::kLiteral, type, {});
  e->literal = std::move(value);
  return e;
}

ExprPtr literal(int64_t n) { return literal(make_int(n), int_type()); }

ExprPtr column(const std::vector<Relation>& from, int relation, int column) {
  auto e = node(Op::kColumn, from[static_cast<size_t>(relation)].table->columns[static_cast<size_t>(column)].type, {});
  e->relation = relation;
  e->column = column;
  return e;
}

ExprPtr column_of(const TableDef& table, int column) {
  auto e = node(Op::kColumn, table.columns[static_cast<size_t>(column)].type, {});
  e->column = column;
  return e;
}

ExprPtr unary(Op op, ExprPtr a) {
  const Type type = op == Op::kNegate ? a->type : simple_type(Kind::kBool);
  return node(op, type, {std::move(a)});
}

ExprPtr binary(Op op, ExprPtr a, ExprPtr b) {
  const bool arithmetic = op >= Op::kAdd && op <= Op::kModulo;
  const Type type = arithmetic ? arithmetic_type(op, a->type, b->type) : simple_type(Kind::kBool);
  return node(op, type, {std::move(a), std::move(b)});
}

ExprPtr many(Op op, std::vector<ExprPtr> kids) {
  Type type = simple_type(Kind::kBool);
  if (op == Op::kNullIf) type = kids[0]->type;
  if (op == Op::kCoalesce || op == Op::kCase) {
    type = simple_type(Kind::kNull);
    for (size_t i = 0; i < kids.size(); ++i) {
      if (op == Op::kCoalesce || i % 2 == 1 || i + 1 == kids.size()) type = common_type(type, kids[i]->type);
    }
  }
  return node(op, type, std::move(kids));
}

ExprPtr cast(ExprPtr a, const Type& type) { return node(Op::kCast, type, {std::move(a)}); }

ExprPtr aggregate(Fn fn, ExprPtr a) {
  auto e = node(Op::kAggregate, aggregate_type(fn, a ? a->type : int_type()), {});
  e->fn = fn;
  if (a) e->kids.push_back(std::move(a));
  return e;
}

}  // namespace model
