#include <algorithm>

#include "generate.h"
#include "print.h"

namespace model {

namespace {

const std::vector<std::string> kPatterns = {"%", "a%", "%e%", "o___", "%d", "_", "%a_b%", "p%d", "%'%", "n%h"};

std::vector<Relation> only(const TableDef& t) {
  Relation a;
  a.table = &t;
  a.alias = "r0";
  return {a};
}

// f a JOIN p b ON a.pref = b.pid, in either order.
std::vector<Relation> joined(Random& r, const Schema& s, JoinKind kind) {
  const bool parent_first = r.chance(20);
  const TableDef& first = parent_first ? *s.parent : *s.fact;
  const TableDef& second = parent_first ? *s.fact : *s.parent;
  std::vector<Relation> from = only(first);
  Relation b;
  b.table = &second;
  b.alias = "r1";
  b.join = kind;
  from.push_back(b);
  const int key = s.parent->primary(), reference = columns_of(*s.fact, {Role::kForeign})[0];
  const ExprPtr left = column(from, 0, parent_first ? key : reference), right = column(from, 1, parent_first ? reference : key);
  from[1].on = r.chance(50) ? binary(Op::kEq, left, right) : binary(Op::kEq, right, left);
  return from;
}

struct Place {
  int relation, column;
};

std::vector<Place> places(const std::vector<Relation>& from, std::initializer_list<Role> roles) {
  std::vector<Place> out;
  for (size_t i = 0; i < from.size(); ++i) {
    for (int c : columns_of(*from[i].table, roles)) out.push_back({static_cast<int>(i), c});
  }
  return out;
}

const Column& at(const std::vector<Relation>& from, const Place& p) {
  return from[static_cast<size_t>(p.relation)].table->columns[static_cast<size_t>(p.column)];
}

ExprPtr some_column(Random& r, const std::vector<Relation>& from, std::initializer_list<Role> roles) {
  const std::vector<Place> all = places(from, roles);
  if (all.empty()) return nullptr;
  const Place& p = all[r.below(all.size())];
  return column(from, p.relation, p.column);
}

ExprPtr value_for(Random& r, const Column& c) {
  if (c.role == Role::kId || c.role == Role::kForeign) return literal(r.range(1, 60));
  for (int i = 0; i < 20; ++i) {
    Value v = random_value(r, c, r.chance(30));
    if (!v.is_null()) return literal(std::move(v), c.type);
  }
  return literal(make_int(0), c.type);
}

ExprPtr leaf(Random& r, const std::vector<Relation>& from) {
  const std::vector<Place> all = places(from, {Role::kId, Role::kForeign, Role::kDimension, Role::kDimension, Role::kSmall, Role::kHuge, Role::kGrowing,
                                               Role::kMoney, Role::kReal, Role::kDay, Role::kLabel, Role::kFlag});
  const Place& p = all[r.below(all.size())];
  const Column& c = at(from, p);
  const ExprPtr x = column(from, p.relation, p.column);
  if (r.chance(10)) return unary(r.chance(50) ? Op::kIsNull : Op::kIsNotNull, x);
  if (c.role == Role::kFlag) return r.chance(50) ? x : unary(Op::kNot, x);
  if (c.type.kind == Kind::kText && r.chance(20)) {
    return binary(r.chance(75) ? Op::kLike : Op::kNotLike, x, literal(make_text(r.pick(kPatterns)), c.type));
  }
  switch (r.below(5)) {
    case 0: {
      std::vector<ExprPtr> kids = {x};
      const size_t n = 1 + r.below(4);
      for (size_t i = 0; i < n; ++i) kids.push_back(value_for(r, c));
      return many(r.chance(75) ? Op::kIn : Op::kNotIn, kids);
    }
    case 1: {
      ExprPtr a = value_for(r, c), b = value_for(r, c);
      if (compare(a->literal, b->literal) > 0 && r.chance(90)) std::swap(a, b);
      return many(Op::kBetween, {x, a, b});
    }
    case 2: {
      static const std::vector<Op> kOps = {Op::kLt, Op::kLe, Op::kGt, Op::kGe, Op::kNe};
      return binary(r.pick(kOps), x, value_for(r, c));
    }
    default:
      return binary(c.role == Role::kDimension || r.chance(30) ? Op::kEq : Op::kGt, x, value_for(r, c));
  }
}

// A number that can be added up: a column, or a small expression over columns whose values are small.
ExprPtr summand(Random& r, const std::vector<Relation>& from, bool deep) {
  if (!deep || r.chance(55)) {
    return some_column(r, from, {Role::kSmall, Role::kHuge, Role::kHuge, Role::kGrowing, Role::kMoney});
  }
  const ExprPtr x = some_column(r, from, {Role::kSmall, Role::kMoney});
  switch (r.below(6)) {
    case 0:
      return unary(Op::kNegate, x);
    case 1:
      return binary(Op::kMultiply, x, literal(r.range(-3, 7)));
    case 2:
      return binary(r.chance(50) ? Op::kAdd : Op::kSubtract, x, some_column(r, from, {Role::kSmall}));
    case 3:
      return many(Op::kCase, {random_predicate(r, from, 0), x, r.chance(50) ? literal(0) : literal(Value{}, x->type)});
    case 4:
      return many(Op::kCoalesce, {x, literal(r.range(-9, 9))});
    default:
      return literal(r.range(-3, 3));
  }
}

ExprPtr random_aggregate(Random& r, const std::vector<Relation>& from, const Wishes& wishes, bool deep) {
  const ExprPtr any =
      some_column(r, from, {Role::kForeign, Role::kDimension, Role::kSmall, Role::kHuge, Role::kGrowing, Role::kMoney, Role::kDay, Role::kLabel});
  switch (r.below(12)) {
    case 0:
    case 1:
      return aggregate(Fn::kCountStar);
    case 2:
      return aggregate(Fn::kCount, any);
    case 3:
      return aggregate(Fn::kCountDistinct, any);
    case 4:
      return aggregate(Fn::kMin, any);
    case 5:
      return aggregate(Fn::kMax, any);
    case 6: {
      const ExprPtr x = some_column(r, from, {Role::kHuge, Role::kGrowing});
      return aggregate(x ? Fn::kSumExact : Fn::kCountStar, x);
    }
    case 7: {
      const ExprPtr x = wishes.reals && r.chance(50) ? some_column(r, from, {Role::kReal}) : nullptr;
      return aggregate(r.chance(50) ? Fn::kSum : Fn::kAvg, x ? x : summand(r, from, false));
    }
    case 8:
      return aggregate(Fn::kAvg, summand(r, from, deep));
    default: {
      const ExprPtr x = summand(r, from, deep);
      const bool integer = x->type.kind == Kind::kInt;
      const ExprPtr a = aggregate(integer && r.chance(40) ? Fn::kSumExact : Fn::kSum, x);
      return deep && r.chance(8) && x->op != Op::kColumn ? unary(Op::kNegate, a) : a;
    }
  }
}

ExprPtr random_key(Random& r, const std::vector<Relation>& from, const Wishes&) {
  if (r.chance(88)) return some_column(r, from, {Role::kDimension, Role::kDimension, Role::kForeign, Role::kFlag, Role::kDay});
  const ExprPtr x = some_column(r, from, {Role::kSmall});
  if (r.chance(50)) return binary(Op::kModulo, x, literal(r.range(2, 5)));
  return many(Op::kCase, {random_predicate(r, from, 0), literal(1), literal(r.range(0, 2))});
}

void order_by_all(Random& r, Query& q) {
  std::vector<int> outputs;
  for (size_t i = 0; i < q.outputs.size(); ++i) outputs.push_back(static_cast<int>(i));
  while (!outputs.empty()) {
    const size_t i = r.below(outputs.size());
    q.order.push_back({outputs[i], r.chance(40)});
    outputs.erase(outputs.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void maybe_limit(Random& r, Query& q, unsigned percent) {
  if (!r.chance(percent)) return;
  order_by_all(r, q);
  if (r.chance(60)) q.limit = r.range(1, 8);
  if (q.limit >= 0 && r.chance(25)) q.offset = r.range(1, 3);
}

void add_groups(Random& r, Query& q, const Wishes& wishes, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const ExprPtr key = random_key(r, q.from, wishes);
    const bool known = std::any_of(q.group.begin(), q.group.end(), [&key](const ExprPtr& g) { return same(*g, *key); });
    if (known) continue;
    q.group.push_back(key);
    if (r.chance(90)) q.outputs.push_back(key);
  }
}

void add_having(Random& r, Query& q) {
  const ExprPtr x = some_column(r, q.from, {Role::kSmall});
  ExprPtr a = aggregate(Fn::kCountStar);
  if (x && r.chance(60)) a = aggregate(r.chance(60) ? Fn::kSum : Fn::kMax, x);
  q.having = binary(r.chance(50) ? Op::kGt : Op::kLe, a, literal(r.chance(50) ? r.range(0, 6) : r.range(-500, 500)));
}

Query aggregate_query(Random& r, std::vector<Relation> from, const Wishes& wishes, bool deep) {
  Query q;
  q.from = std::move(from);
  if (r.chance(60)) add_groups(r, q, wishes, 1 + r.below(3));
  const size_t n = 1 + r.below(3);
  for (size_t i = 0; i < n; ++i) q.outputs.push_back(random_aggregate(r, q.from, wishes, deep));
  if (r.chance(45)) q.where = random_predicate(r, q.from, deep ? 2 : 1);
  if (!q.group.empty() && r.chance(20)) add_having(r, q);
  if (!q.group.empty()) maybe_limit(r, q, 30);
  return q;
}

Query row_query(Random& r, std::vector<Relation> from) {
  Query q;
  q.from = std::move(from);
  const size_t n = 1 + r.below(4);
  for (size_t i = 0; i < n; ++i) {
    q.outputs.push_back(some_column(
        r, q.from,
        {Role::kId, Role::kForeign, Role::kDimension, Role::kSmall, Role::kHuge, Role::kGrowing, Role::kMoney, Role::kDay, Role::kLabel, Role::kFlag}));
  }
  q.where = random_predicate(r, q.from, 2);
  q.distinct = r.chance(30);
  maybe_limit(r, q, 40);
  return q;
}

Query cross_query(Random& r, const Schema& s) {
  Query q;
  q.from = only(*s.parent);
  Relation b;
  b.table = s.parent.get();
  b.alias = "r1";
  b.join = JoinKind::kCross;
  q.from.push_back(b);
  q.group = {column(q.from, 0, columns_of(*s.parent, {Role::kDimension})[0])};
  q.outputs = {q.group[0], aggregate(Fn::kCountStar), aggregate(Fn::kCount, column(q.from, 1, columns_of(*s.parent, {Role::kDimension})[0]))};
  if (r.chance(50)) q.where = random_predicate(r, q.from, 1);
  return q;
}

std::vector<ExprPtr> exact_measures(Random& r, const std::vector<Relation>& from, int relation) {
  std::vector<ExprPtr> out = {aggregate(Fn::kCountStar)};
  const TableDef& t = *from[static_cast<size_t>(relation)].table;
  for (int c : columns_of(t, {Role::kSmall, Role::kHuge, Role::kGrowing, Role::kMoney})) {
    const ExprPtr x = column(from, relation, c);
    const Role role = t.columns[static_cast<size_t>(c)].role;
    if (!r.chance(60)) continue;
    if (role == Role::kHuge || role == Role::kGrowing) {
      out.push_back(aggregate(r.chance(80) ? Fn::kSumExact : Fn::kAvg, x));
    } else {
      out.push_back(aggregate(r.chance(75) ? Fn::kSum : Fn::kAvg, x));
    }
    if (r.chance(35)) out.push_back(aggregate(Fn::kCount, x));
  }
  return out;
}

Query shaped(std::vector<Relation> from, std::vector<ExprPtr> group, std::vector<ExprPtr> aggregates) {
  Query q;
  q.from = std::move(from);
  q.group = group;
  q.outputs = std::move(group);
  q.outputs.insert(q.outputs.end(), aggregates.begin(), aggregates.end());
  return q;
}

void add_joins(Random& r, const Schema& s, std::vector<Query>& out) {
  for (int attribute : columns_of(*s.parent, {Role::kDimension})) {
    std::vector<Relation> from = joined(r, s, JoinKind::kInner);
    const int fact = from[0].table == s.fact.get() ? 0 : 1;
    const ExprPtr key = column(from, 1 - fact, attribute);
    Query q = shaped(from, {key}, exact_measures(r, from, fact));
    out.push_back(q);
    Query filtered = shaped(from, {}, exact_measures(r, from, fact));
    filtered.where = binary(Op::kEq, key, value_for(r, s.parent->columns[static_cast<size_t>(attribute)]));
    out.push_back(filtered);
    const std::vector<int> dimensions = columns_of(*s.fact, {Role::kDimension});
    Query both = shaped(from, {key, column(from, fact, dimensions[r.below(dimensions.size())])}, exact_measures(r, from, fact));
    out.push_back(both);
  }
}

}  // namespace

ExprPtr random_predicate(Random& r, const std::vector<Relation>& from, int depth) {
  if (depth <= 0 || r.chance(50)) return leaf(r, from);
  if (r.chance(15)) return unary(Op::kNot, random_predicate(r, from, depth - 1));
  ExprPtr a = random_predicate(r, from, depth - 1), b = random_predicate(r, from, depth - 1);
  return binary(r.chance(60) ? Op::kAnd : Op::kOr, std::move(a), std::move(b));
}

Query point_query(Random& r, const TableDef& table, int64_t id) {
  Query q;
  q.from = only(table);
  for (size_t c = 0; c < table.columns.size(); ++c) q.outputs.push_back(column(q.from, 0, static_cast<int>(c)));
  const ExprPtr key = column(q.from, 0, table.primary());
  q.where = r.chance(70) ? binary(Op::kEq, key, literal(id)) : many(Op::kIn, {key, literal(id), literal(id + 1)});
  return q;
}

Query random_query(Random& r, const Schema& s, const Wishes& wishes) {
  for (;;) {
    Query q;
    const uint64_t kind = r.below(20);
    if (kind < 9) {
      q = aggregate_query(r, only(*s.fact), wishes, true);
    } else if (kind < 14) {
      q = aggregate_query(r, joined(r, s, r.chance(75) ? JoinKind::kInner : JoinKind::kLeft), wishes, false);
    } else if (kind < 17) {
      q = row_query(r, only(*s.fact));
    } else if (kind < 18) {
      q = row_query(r, joined(r, s, r.chance(60) ? JoinKind::kInner : JoinKind::kLeft));
    } else if (kind < 19) {
      q = cross_query(r, s);
    } else {
      q = point_query(r, r.chance(70) ? *s.fact : *s.parent, r.range(1, 100));
    }
    if (!wishes.sqlite || expressible(q)) return q;
  }
}

std::vector<Query> standing_panel(Random& r, const Schema& s, const Wishes& wishes) {
  std::vector<Query> out;
  const std::vector<Relation> fact = only(*s.fact);
  out.push_back(shaped(fact, {}, exact_measures(r, fact, 0)));
  std::vector<ExprPtr> every = {aggregate(Fn::kCountStar)};
  for (int c : columns_of(*s.fact, {Role::kHuge, Role::kGrowing})) {
    every.push_back(aggregate(Fn::kSumExact, column(fact, 0, c)));
    every.push_back(aggregate(Fn::kCount, column(fact, 0, c)));
    every.push_back(aggregate(Fn::kMin, column(fact, 0, c)));
    every.push_back(aggregate(Fn::kMax, column(fact, 0, c)));
  }
  for (int c : columns_of(*s.fact, {Role::kMoney, Role::kSmall})) every.push_back(aggregate(Fn::kSum, column(fact, 0, c)));
  if (wishes.reals) {
    for (int c : columns_of(*s.fact, {Role::kReal})) every.push_back(aggregate(Fn::kSum, column(fact, 0, c)));
  }
  out.push_back(shaped(fact, {}, every));
  const std::vector<int> dimensions = columns_of(*s.fact, {Role::kDimension, Role::kFlag, Role::kForeign});
  for (int d : dimensions) out.push_back(shaped(fact, {column(fact, 0, d)}, exact_measures(r, fact, 0)));
  for (int i = 0; i < 2; ++i) {
    const int a = dimensions[r.below(dimensions.size())], b = dimensions[r.below(dimensions.size())];
    std::vector<ExprPtr> keys = {column(fact, 0, a)};
    if (a != b) keys.push_back(column(fact, 0, b));
    out.push_back(shaped(fact, keys, exact_measures(r, fact, 0)));
    Query filtered = shaped(fact, {}, exact_measures(r, fact, 0));
    filtered.where = binary(Op::kEq, column(fact, 0, a), value_for(r, s.fact->columns[static_cast<size_t>(a)]));
    out.push_back(filtered);
  }
  for (int c : columns_of(*s.fact, {Role::kGrowing, Role::kHuge})) {  // zone bounds must let these rows through
    Query high = shaped(fact, {}, {aggregate(Fn::kCountStar), aggregate(Fn::kMax, column(fact, 0, c))});
    high.where = binary(Op::kGt, column(fact, 0, c), literal(r.range(90, 2000)));
    out.push_back(high);
    Query low = shaped(fact, {}, {aggregate(Fn::kCountStar), aggregate(Fn::kMin, column(fact, 0, c))});
    low.where = binary(Op::kLt, column(fact, 0, c), literal(r.range(-100, 5)));
    out.push_back(low);
  }
  std::vector<ExprPtr> domain;
  for (int d : dimensions) {
    domain.push_back(aggregate(Fn::kCountDistinct, column(fact, 0, d)));
    if (s.fact->columns[static_cast<size_t>(d)].role != Role::kFlag) domain.push_back(aggregate(Fn::kMax, column(fact, 0, d)));
  }
  out.push_back(shaped(fact, {}, domain));
  add_joins(r, s, out);
  return out;
}

}  // namespace model
