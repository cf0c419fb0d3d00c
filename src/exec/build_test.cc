#include "exec/build.h"

#include <catch2/catch.hpp>

#include "exec/test_queries.h"

using namespace hdb;
using namespace hdb::testing;
using F = Function;
using Lines = std::vector<std::string>;

namespace {

const Type B = Type::bigint(), Bool = Type::boolean(), T = Type::text();

struct Loaded {
  TestStore store;
  Transaction writer{store.manager};
  explicit Loaded(int64_t rows) {
    writer.begin_write();
    for (int64_t i = 0; i < rows; ++i) {
      hdb::testing::Row r;
      r.g = "g" + std::to_string(i % 4);
      if (i % 5 != 0) r.v = i * 10;
      r.d = 0.5;
      store.insert(writer, i, r);
    }
    writer.end_statement();
  }
  Queries queries() { return Queries(store, writer.snapshot()); }
};

NodePtr above(NodeKind kind, NodePtr input) {
  auto n = std::make_shared<Node>();
  n->kind = kind;
  n->output = input->output;
  n->inputs = {std::move(input)};
  return n;
}

NodePtr values(const std::vector<std::vector<ExprPtr>>& rows, ColumnId first) {
  auto n = std::make_shared<Node>();
  n->kind = NodeKind::kValues;
  n->rows = rows;
  for (size_t c = 0; c < rows[0].size(); ++c) n->output.push_back({first + static_cast<ColumnId>(c), {}, rows[0][c]->type});
  return n;
}

NodePtr lookup(const Queries& q, ExprPtr key) {
  NodePtr n = q.scan({});
  n->access.kind = AccessKind::kIndexLookup;
  n->access.index = q.def->indexes[0];
  n->access.key = {std::move(key)};
  return n;
}

NodePtr join(JoinKind kind, NodePtr left, NodePtr right, ExprPtr left_key, ExprPtr right_key) {
  auto n = std::make_shared<Node>();
  n->kind = NodeKind::kJoin;
  n->join = kind;
  n->output = left->output;
  n->output.insert(n->output.end(), right->output.begin(), right->output.end());
  n->inputs = {std::move(left), std::move(right)};
  n->left_keys = {std::move(left_key)};
  n->right_keys = {std::move(right_key)};
  return n;
}

NodePtr filtered(NodePtr input, ExprPtr condition) {
  NodePtr n = above(NodeKind::kFilter, std::move(input));
  n->conjuncts = {std::move(condition)};
  return n;
}

}  // namespace

TEST_CASE("a look-up finds the row of its key, as of the snapshot, and nothing for NULL") {
  Loaded l(100);
  const Queries q = l.queries();
  REQUIRE(q.run(lookup(q, lit(7)), 1) == Lines{"7|g3|70|0.5"});
  REQUIRE(q.run(lookup(q, lit(1000)), 1).empty());
  REQUIRE(q.run(lookup(q, lit(Value::make_null(B))), 1).empty());
  NodePtr with_filter = lookup(q, lit(7));
  with_filter->filters = {call(F::kEqual, Bool, {col(1, T), lit("g0")})};
  REQUIRE(q.run(with_filter, 1).empty());
  Transaction older(l.store.manager);
  const Queries before(l.store, older.snapshot());
  REQUIRE(before.run(lookup(before, lit(7)), 1).empty());
}

TEST_CASE("a join of few rows looks its right rows up, and gives what the whole table gives") {
  Loaded l(40000);  // several blocks
  const Queries q = l.queries();
  const auto few = [] { return values({{lit(5), lit("a")}, {lit(39999), lit("b")}, {lit(5), lit("c")}, {lit(-1), lit("d")}, {lit(Value::make_null(B)), lit("e")}}, 50); };
  for (const JoinKind kind : {JoinKind::kInner, JoinKind::kLeft}) {
    for (const bool filter : {false, true}) {
      std::vector<ExprPtr> filters;
      if (filter) filters.push_back(call(F::kIsNotNull, Bool, {col(2, B)}));
      const Lines by_key = q.run(join(kind, few(), q.scan(filters), col(50, B), col(0, B)), 1);
      // The same key behind an expression: no index serves it.
      const Lines whole = q.run(join(kind, few(), q.scan(filters), col(50, B), call(F::kAdd, B, {col(0, B), lit(0)})), 3);
      REQUIRE(by_key == whole);
      REQUIRE(by_key.size() == (kind == JoinKind::kLeft ? 5 : filter ? 1 : 3));
    }
  }
}

TEST_CASE("values, projections, filters, limits") {
  Loaded l(10);
  const Queries q = l.queries();
  REQUIRE(q.run(values({{lit(1), lit("x")}, {lit(2), lit(Value::make_null(T))}}, 50), 1) == Lines{"1|x", "2|NULL"});
  NodePtr p = above(NodeKind::kProject, q.scan({}));
  p->output = {{60, {}, B}, {61, {}, T}};
  p->exprs = {{call(F::kMultiply, B, {col(0, B), lit(2)}), p->output[0]}, {col(1, T), p->output[1]}};
  NodePtr limit = above(NodeKind::kLimit, filtered(p, call(F::kGreater, Bool, {col(60, B), lit(4)})));
  limit->limit = lit(2);
  limit->offset = lit(1);
  REQUIRE(q.run(limit, 1) == Lines{"8|g0", "10|g1"});
  limit->limit = lit(-1);
  try {
    q.run(limit, 1);
    REQUIRE(false);
  } catch (const Error& e) {
    REQUIRE(std::string(e.sqlstate()) == "22023");
  }
}

TEST_CASE("a limit stops reading") {
  Loaded l(40000);
  const Queries q = l.queries();
  // Rows behind the first block would raise.
  NodePtr limit = above(NodeKind::kLimit, filtered(q.scan({}), call(F::kGreater, Bool, {call(F::kDivide, B, {lit(1), call(F::kSubtract, B, {col(0, B), lit(30000)})}), lit(-9)})));
  limit->limit = lit(3);
  REQUIRE(q.run(limit, 3).size() == 3);
  limit->limit = lit(39000);
  REQUIRE_THROWS_AS(q.run(limit, 3), Error);
}

TEST_CASE("insert from the same table sees none of its own rows; update and delete count what they change") {
  Loaded l(20);
  Transaction& w = l.writer;
  const auto modify = [&](NodeKind kind, NodePtr source, std::vector<uint32_t> set) {
    auto n = std::make_shared<Node>();
    const Queries q = l.queries();
    n->kind = kind;
    n->table = q.def;
    n->set_columns = std::move(set);
    n->inputs = {std::move(source)};
    Bench bench(1);
    bench.context.transaction = &w;
    bench.context.epochs = &l.store.manager.epochs();
    bench.context.snapshot = w.snapshot();
    Plan plan;
    plan.writes = true;
    plan.root = n;
    const ExecResult r = execute(plan, bench.context);
    w.end_statement();
    return r.changed;
  };
  Queries q = l.queries();
  NodePtr doubled = above(NodeKind::kProject, q.scan({}));
  doubled->output = {{70, {}, B}, {71, {}, T}, {72, {}, B}, {73, {}, Type::real()}};
  doubled->exprs = {{call(F::kAdd, B, {col(0, B), lit(100)}), doubled->output[0]}, {col(1, T), doubled->output[1]},
                    {col(2, B), doubled->output[2]}, {col(3, Type::real()), doubled->output[3]}};
  REQUIRE(modify(NodeKind::kInsert, doubled, {}) == 20);
  q = l.queries();
  REQUIRE(q.run(q.scan({}), 1).size() == 40);
  const auto targets = [&](ExprPtr condition, std::vector<NamedExpr> more) {
    NodePtr scan = q.scan({std::move(condition)});
    scan->row_id = 90;
    scan->output.push_back({90, {}, B});
    NodePtr p = above(NodeKind::kProject, scan);
    p->exprs = {{col(90, B), {90, {}, B}}};
    p->exprs.insert(p->exprs.end(), more.begin(), more.end());
    p->output.clear();
    for (const NamedExpr& e : p->exprs) p->output.push_back(e.output);
    return p;
  };
  const auto small = [] { return call(F::kLess, Bool, {col(0, B), lit(3)}); };
  REQUIRE(modify(NodeKind::kUpdate, targets(small(), {{lit("new"), {91, {}, T}}, {lit(Value::make_null(B)), {92, {}, B}}}), {1, 2}) == 3);
  q = l.queries();
  REQUIRE(q.run(q.scan({small()}), 1) == Lines{"0|new|NULL|0.5", "1|new|NULL|0.5", "2|new|NULL|0.5"});
  REQUIRE(modify(NodeKind::kDelete, targets(small(), {}), {}) == 3);
  q = l.queries();
  REQUIRE(q.run(q.scan({}), 1).size() == 37);
}

TEST_CASE("cells from zone sums and blocks are the table's rows, weighted") {
  Loaded l(40000);
  const Queries q = l.queries();
  int64_t sum = 0, count = 0;
  for (int64_t i = 0; i < 40000; ++i) {
    if (i % 5 == 0) continue;
    sum += i * 10;
    ++count;
  }
  for (const AccessKind kind : {AccessKind::kZoneSums, AccessKind::kBlockCells}) {
    NodePtr scan = q.scan({});
    scan->access.kind = kind;
    scan->columns.clear();
    scan->output.clear();
    if (kind == AccessKind::kBlockCells) {
      scan->columns = {{1, 1}};
      scan->output = {{1, {}, T}};
    }
    scan->access.weight = 80;
    MeasureColumns m;
    m.measure = 2;
    m.sum = 81;
    m.count = 82;
    scan->access.measures = {m};
    scan->output.push_back({80, {}, B});
    scan->output.push_back({81, {}, Type::decimal(38, 0)});
    scan->output.push_back({82, {}, B});
    NodePtr a = above(NodeKind::kAggregate, scan);
    a->output.clear();
    const auto merge = [&](AggregateKind k, ExprPtr argument, ExprPtr counts, ColumnId id) {
      Aggregate g;
      g.kind = k;
      g.argument = std::move(argument);
      g.value_count = std::move(counts);
      g.measure_type = B;
      g.type = B;
      g.id = id;
      a->aggregates.push_back(g);
      a->output.push_back({id, {}, B});
    };
    if (kind == AccessKind::kBlockCells) {
      a->output.push_back({95, {}, T});
      a->exprs = {{col(1, T), a->output[0]}};
    }
    merge(AggregateKind::kMergeCount, col(80, B), nullptr, 96);
    merge(AggregateKind::kMergeSum, col(81, Type::decimal(38, 0)), col(82, B), 97);
    merge(AggregateKind::kMergeCount, col(82, B), nullptr, 98);
    const Lines got = q.run(a, 1);
    REQUIRE(got == q.run(a, 3));
    if (kind == AccessKind::kZoneSums) {
      REQUIRE(got == Lines{"40000|" + std::to_string(sum) + "|" + std::to_string(count)});
    } else {
      REQUIRE(got.size() == 4);
      REQUIRE(got[0].substr(0, 9) == "g0|10000|");
    }
  }
}

TEST_CASE("the memory limit and EXPLAIN ANALYZE's figures") {
  Loaded l(40000);
  const Queries q = l.queries();
  NodePtr sort = above(NodeKind::kSort, q.scan({}));
  SortKey key;
  key.expr = col(2, B);
  sort->keys = {key};
  {
    Bench bench(1);
    bench.budget.set_limit(100000);
    try {
      q.execute_on(bench, sort);
      REQUIRE(false);
    } catch (const Error& e) {
      REQUIRE(std::string(e.sqlstate()) == "53200");
    }
    REQUIRE(bench.budget.used() == 0);
  }
  for (const uint32_t threads : {1u, 3u}) {
    Bench bench(threads);
    bench.context.analyze = true;
    const ExecResult r = q.execute_on(bench, sort);
    REQUIRE(r.stats.size() == 2);
    REQUIRE(r.stats[0].node == sort.get());
    REQUIRE(r.stats[0].rows == 40000);
    REQUIRE(r.stats[1].rows == 40000);
    REQUIRE(r.stats[0].ns > 0);
  }
}
