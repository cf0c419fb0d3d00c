#include <catch2/catch.hpp>

#include "exec/test_queries.h"

using namespace hdb;
using namespace hdb::testing;
using F = Function;

namespace {

const Type B = Type::bigint(), Bool = Type::boolean(), T = Type::text(), R = Type::real();

struct Condition {
  ExprPtr expr;
  std::function<bool(int64_t, const Row&)> holds;
};

std::vector<Condition> conditions(std::mt19937& random) {
  const ExprPtr id = col(0, B), g = col(1, T), v = col(2, B), d = col(3, R);
  const int64_t x = static_cast<int64_t>(random() % 300) - 100, y = static_cast<int64_t>(random() % 40000);
  return {
      {call(F::kLess, Bool, {v, lit(x)}), [x](int64_t, const Row& r) { return r.v && *r.v < x; }},
      {call(F::kGreaterEqual, Bool, {v, lit(x)}), [x](int64_t, const Row& r) { return r.v && *r.v >= x; }},
      {call(F::kNotEqual, Bool, {lit(x), v}), [x](int64_t, const Row& r) { return r.v && *r.v != x; }},
      {call(F::kGreater, Bool, {lit(y), id}), [y](int64_t i, const Row&) { return i < y; }},
      {call(F::kEqual, Bool, {g, lit("g3")}), [](int64_t, const Row& r) { return r.g && *r.g == "g3"; }},
      {call(F::kIsNull, Bool, {g}), [](int64_t, const Row& r) { return !r.g; }},
      {call(F::kIsNotNull, Bool, {v}), [](int64_t, const Row& r) { return r.v.has_value(); }},
      {call(F::kIsNotTrue, Bool, {call(F::kLike, Bool, {g, lit("g1%")})}), [](int64_t, const Row& r) { return !r.g || r.g->rfind("g1", 0) != 0; }},
      {call(F::kLess, Bool, {d, lit(Value::make_real(0.5))}), [](int64_t, const Row& r) { return r.d < 0.5; }},
      {call(F::kEqual, Bool, {call(F::kModulo, B, {id, lit(3)}), lit(1)}), [](int64_t i, const Row&) { return i % 3 == 1; }},
      {call(F::kEqual, Bool, {v, lit(Value::make_null(B))}), [](int64_t, const Row&) { return false; }},
  };
}

// SQL's three values: 1 true, 0 false, -1 NULL.
using Truth = std::function<int(int64_t, const Row&)>;

// A random tree of AND, OR, NOT over single-column conditions: those that run on encoded blocks, and a few that do not.
std::pair<ExprPtr, Truth> random_tree(std::mt19937& random, int depth) {
  const ExprPtr id = col(0, B), g = col(1, T), v = col(2, B), d = col(3, R);
  const uint32_t kind = random() % (depth > 0 ? 12 : 8);
  if (kind >= 8 && kind <= 10) {
    const bool any = kind != 8;
    std::vector<ExprPtr> args;
    std::vector<Truth> truths;
    for (uint32_t n = 2 + random() % 2; n > 0; --n) {
      auto [e, t] = random_tree(random, depth - 1);
      args.push_back(std::move(e));
      truths.push_back(std::move(t));
    }
    return {make(any ? ExprKind::kOr : ExprKind::kAnd, Bool, std::move(args)), [any, truths](int64_t i, const Row& r) {
              int out = any ? 0 : 1;
              for (const Truth& t : truths) {
                const int x = t(i, r);
                if (x == (any ? 1 : 0)) return x;
                if (x < 0) out = -1;
              }
              return out;
            }};
  }
  if (kind == 11) {
    auto [e, t] = random_tree(random, depth - 1);
    return {call(F::kNot, Bool, {e}), [t = t](int64_t i, const Row& r) { const int x = t(i, r); return x < 0 ? x : 1 - x; }};
  }
  const int64_t x = static_cast<int64_t>(random() % 300) - 100, y = static_cast<int64_t>(random() % 40000);
  switch (kind) {
    case 0: return {call(F::kLessEqual, Bool, {v, lit(x)}), [x](int64_t, const Row& r) { return r.v ? *r.v <= x : -1; }};
    case 1: return {call(F::kNotEqual, Bool, {v, lit(x)}), [x](int64_t, const Row& r) { return r.v ? *r.v != x : -1; }};
    case 2: return {call(F::kLess, Bool, {id, lit(y)}), [y](int64_t i, const Row&) { return i < y ? 1 : 0; }};
    case 3: return {call(F::kIsNull, Bool, {v}), [](int64_t, const Row& r) { return r.v ? 0 : 1; }};
    case 4: return {call(F::kLike, Bool, {g, lit("g%3")}), [](int64_t, const Row& r) { return r.g ? *r.g == "g3" : -1; }};
    case 5: {
      std::vector<ExprPtr> args{random() % 3 == 0 ? id : v};
      const bool on_id = args[0] == id;
      std::vector<int64_t> items;
      for (uint32_t n = 1 + random() % (random() % 2 == 0 ? 4 : 300); n > 0; --n) {
        items.push_back(on_id ? static_cast<int64_t>(random() % 40000) : static_cast<int64_t>(random() % 300) - 60);
      }
      for (const int64_t item : items) args.push_back(lit(item));
      const bool null = random() % 5 == 0;
      if (null) args.push_back(lit(Value::make_null(B)));
      std::sort(items.begin(), items.end());
      return {make(ExprKind::kIn, Bool, std::move(args)), [on_id, null, items](int64_t i, const Row& r) {
                if (!on_id && !r.v) return -1;
                return std::binary_search(items.begin(), items.end(), on_id ? i : *r.v) ? 1 : null ? -1 : 0;
              }};
    }
    case 6: {
      std::vector<ExprPtr> args{g, lit("g0"), lit("g2"), lit("none")};
      const bool null = random() % 4 == 0;
      if (null) args.push_back(lit(Value::make_null(T)));
      return {make(ExprKind::kIn, Bool, std::move(args)), [null](int64_t, const Row& r) { return !r.g ? -1 : *r.g == "g0" || *r.g == "g2" ? 1 : null ? -1 : 0; }};
    }
    default: return {call(F::kGreater, Bool, {d, lit(Value::make_real(1.0))}), [](int64_t, const Row& r) { return r.d > 1.0 ? 1 : 0; }};
  }
}

std::string line(int64_t id, const Row& r) {
  return std::to_string(id) + "|" + r.g.value_or("NULL") + "|" + (r.v ? std::to_string(*r.v) : "NULL") + "|" + to_text(Value::make_real(r.d));
}

Row random_row(std::mt19937& random, bool wide) {
  Row r;
  if (random() % 6 != 0) r.g = "g" + std::to_string(random() % 5);
  if (random() % 6 != 0) r.v = wide && random() % 50 == 0 ? static_cast<int64_t>(random()) << 20 : static_cast<int64_t>(random() % 200) - 50;
  r.d = static_cast<double>(random() % 8) / 4;
  return r;
}

// Sums and counts by g, as the direct and the general path must give them.
NodePtr grouped(const Queries& q, std::vector<ExprPtr> filters, bool key, bool general) {
  auto n = std::make_shared<Node>();
  n->kind = NodeKind::kAggregate;
  n->inputs = {q.scan(std::move(filters))};
  ColumnId id = 100;
  if (key) {
    n->output.push_back({id, {}, T});
    n->exprs.push_back({col(1, T), n->output.back()});
    ++id;
  }
  const ExprPtr v = col(2, B);
  const auto add = [&](AggregateKind kind, ExprPtr argument, Type type) {
    Aggregate a;
    a.kind = kind;
    a.argument = std::move(argument);
    a.type = type;
    if (a.argument != nullptr) a.measure_type = a.argument->type;
    a.id = id;
    n->output.push_back({id++, {}, type});
    n->aggregates.push_back(a);
  };
  add(AggregateKind::kCountStar, nullptr, B);
  // COALESCE over one argument is the column, but no plain column.
  const ExprPtr argument = general ? make(ExprKind::kCoalesce, B, {v, lit(Value::make_null(B))}) : v;
  add(AggregateKind::kSum, argument, B);
  add(AggregateKind::kCount, argument, B);
  add(AggregateKind::kAvg, argument, R);
  return n;
}

NodePtr sorted(const Queries& q, std::vector<ExprPtr> filters, const std::vector<SortKey>& keys, int64_t limit, int64_t offset) {
  auto n = std::make_shared<Node>();
  n->kind = NodeKind::kSort;
  n->inputs = {q.scan(std::move(filters))};
  n->output = n->inputs[0]->output;
  n->keys = keys;
  if (limit >= 0) n->limit = lit(limit);
  if (limit >= 0) n->offset = lit(offset);
  return n;
}

// The first rows are those of the whole order, whichever blocks were visited first or not at all.
void check_top(const Queries& q, const std::vector<ExprPtr>& filters, std::mt19937& random) {
  std::vector<SortKey> keys;
  const ExprPtr columns[] = {col(2, B), col(0, B), col(3, R), col(1, T)};
  for (uint32_t n = 1 + random() % 2; n > 0; --n) keys.push_back({columns[random() % (keys.empty() ? 2 : 4)], random() % 2 == 0, random() % 2 == 0});
  const std::vector<std::string> all = q.run(sorted(q, filters, keys, -1, 0), 1);
  const int64_t limits[] = {0, 1, 20, 500, 30000};
  const int64_t limit = limits[random() % 5], offset = random() % 3 == 0 ? static_cast<int64_t>(random() % 100) : 0;
  std::vector<std::string> first;
  for (size_t i = static_cast<size_t>(offset); i < all.size() && i < static_cast<size_t>(offset + limit); ++i) first.push_back(all[i]);
  for (const uint32_t threads : {1, 3}) REQUIRE(q.run(sorted(q, filters, keys, limit, offset), threads) == first);
}

void check_all(TestStore& store, const Snapshot& snapshot, std::mt19937& random) {
  const Queries q(store, snapshot);
  const hdb::testing::Rows rows = store.scan(snapshot);
  for (int round = 0; round < 20; ++round) {
    std::vector<Condition> all = conditions(random), chosen;
    for (uint32_t n = random() % 3; n > 0; --n) chosen.push_back(all[random() % all.size()]);
    std::vector<ExprPtr> filters;
    for (uint32_t n = random() % 3; n > 0; --n) {
      auto [e, truth] = random_tree(random, 2);
      chosen.push_back({e, [truth = truth](int64_t i, const Row& r) { return truth(i, r) == 1; }});
    }
    for (const Condition& c : chosen) filters.push_back(c.expr);
    std::vector<std::string> expected;
    for (const auto& [id, r] : rows) {
      bool keep = true;
      for (const Condition& c : chosen) keep = keep && c.holds(id, r);
      if (keep) expected.push_back(line(id, r));
    }
    std::vector<std::string> got = q.run(q.scan(filters), 1);
    REQUIRE(got == q.run(q.scan(filters), 3));
    check_top(q, filters, random);
    std::sort(got.begin(), got.end());
    std::sort(expected.begin(), expected.end());
    REQUIRE(got == expected);
    for (const bool key : {false, true}) {
      const auto general = q.run(grouped(q, filters, key, true), 1);
      REQUIRE(q.run(grouped(q, filters, key, false), 1) == general);
      REQUIRE(q.run(grouped(q, filters, key, false), 3) == general);
    }
  }
}

}  // namespace

TEST_CASE("scans, filters and direct aggregates equal a row-by-row reading, for new and old snapshots") {
  std::mt19937 random(61);
  for (const bool wide : {false, true}) {
    TestStore store;
    Transaction load(store.manager);
    load.begin_write();
    std::vector<uint64_t> ids;
    for (int64_t i = 0; i < 34000; ++i) ids.push_back(store.insert(load, i, random_row(random, false)));
    load.end_statement();
    load.commit();
    Transaction reader(store.manager);
    const Snapshot old = reader.snapshot();
    Transaction change(store.manager);
    change.begin_write();
    for (int i = 0; i < 3000; ++i) {
      const uint64_t row = ids[random() % ids.size()];
      if (random() % 2 == 0) delete_row(change, *store.table, row);
      else store.update(change, row, random_row(random, wide));
    }
    change.end_statement();
    const Snapshot own = change.snapshot();
    check_all(store, own, random);
    change.commit();
    check_all(store, old, random);
    Transaction latest(store.manager);
    check_all(store, latest.snapshot(), random);
  }
}

TEST_CASE("an empty table, and a statement that is canceled") {
  TestStore store;
  Transaction reader(store.manager);
  const Queries q(store, reader.snapshot());
  REQUIRE(q.run(q.scan({}), 1).empty());
  REQUIRE(q.run(grouped(q, {}, false, false), 1) == std::vector<std::string>{"0|NULL|0|NULL"});
  REQUIRE(q.run(grouped(q, {}, true, false), 1).empty());
  Bench bench(1);
  bench.context.epochs = &store.manager.epochs();
  bench.cancel.cancel();
  Plan plan;
  plan.root = q.scan({});
  REQUIRE_THROWS_AS(execute(plan, bench.context), Error);
}
