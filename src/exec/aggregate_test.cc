#include "exec/aggregate.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "exact/number_text.h"
#include "exec/real_sum.h"
#include "exec/test_run.h"

using namespace hdb;
using namespace hdb::testing;
using K = AggregateKind;

namespace {

Aggregate agg(K kind, ExprPtr argument, Type type, bool distinct = false) {
  Aggregate a;
  a.kind = kind;
  a.argument = std::move(argument);
  a.type = type;
  a.distinct = distinct;
  if (a.argument != nullptr) a.measure_type = a.argument->type;
  a.position = 77;
  return a;
}

struct GroupBy {
  Node node;
  GroupBy(std::vector<ExprPtr> keys, std::vector<Aggregate> aggregates) {
    node.kind = NodeKind::kAggregate;
    ColumnId id = 1000;
    for (const ExprPtr& k : keys) {
      node.output.push_back({id, {}, k->type});
      node.exprs.push_back({k, node.output.back()});
      ++id;
    }
    for (Aggregate& a : aggregates) {
      a.id = id;
      node.output.push_back({id++, {}, a.type});
      node.aggregates.push_back(a);
    }
  }
  std::vector<std::string> run(const TestChunk& t, uint32_t threads) const {
    Bench bench(threads);
    Executor executor(bench.context);
    Pipeline p = pieces(rows_of(t), t.map);
    AggregateSink sink(node, t.map, 1000, &bench.budget);
    executor.run(p, sink, nullptr);
    Pipeline out;
    out.source = sink.source();
    for (const OutputColumn& c : node.output) out.map.add(c.id, c.type);
    return drain(executor, std::move(out));
  }
};

const Type B = Type::bigint(), R = Type::real(), Exact = Type::decimal(38, 0);
using Lines = std::vector<std::string>;

std::string sum_of(const Ints& values, K kind = K::kSum, Type type = Type::bigint()) {
  TestChunk t;
  const ExprPtr a = t.ints(values);
  const GroupBy g({}, {agg(kind, a, type)});
  try {
    const Lines one = g.run(t, 1), three = g.run(t, 3);
    REQUIRE(one == three);
    return one.at(0);
  } catch (const Error& e) {
    REQUIRE(e.position() == 77);
    return std::string(e.sqlstate()) + (e.message().find("sum_exact") != std::string::npos ? " sum_exact" : "");
  }
}

}  // namespace

TEST_CASE("cases 1 and 2: a sum is an error only by its exact value, in any order and cut") {
  const int64_t top = INT64_MAX;
  REQUIRE(sum_of({2, top}) == "22003 sum_exact");
  REQUIRE(sum_of({2, top}, K::kSumExact, Exact) == "9223372036854775809");
  REQUIRE(sum_of({top, 1, -5}) == "9223372036854775803");
  REQUIRE(sum_of({INT64_MIN, INT64_MIN, INT64_MAX, INT64_MAX, 2}) == "0");
  Ints halves(300, top / 200);  // fine in each part, too much in all
  REQUIRE(sum_of(halves) == "22003 sum_exact");
  REQUIRE(sum_of({std::nullopt, std::nullopt}) == "NULL");
  REQUIRE(sum_of({}) == "NULL");
}

TEST_CASE("cases 3 and 5: averages are rounded once, from the exact sum") {
  REQUIRE(sum_of({9007199254740994, -9007199254740993}, K::kAvg, R) == "0.5");
  REQUIRE(sum_of({INT64_MAX, INT64_MAX, INT64_MAX}, K::kAvg, R) == "9.223372036854776e+18");
  const Type d = Type::decimal(38, 0);
  int128 m = 1;
  for (int i = 0; i < 31; ++i) m *= 10;
  for (const int order : {0, 1}) {
    TestChunk t;
    auto* data = t.scratch.array<int128>(3);
    data[0] = m;
    data[1] = order == 0 ? m : -m;
    data[2] = order == 0 ? -m : m;
    t.chunk.rows = 3;
    t.chunk.columns.push_back(make_vector(d, static_cast<const int128*>(data), nullptr));
    t.map.add(0, d);
    const GroupBy g({}, {agg(K::kAvg, col(0, d), Type::decimal(38, 6)), agg(K::kSum, col(0, d), d)});
    REQUIRE(g.run(t, 1) == Lines{"3333333333333333333333333333333.333333|10000000000000000000000000000000"});
  }
  TestChunk t;
  const ExprPtr c = t.ints({100, 101, 101}, Type::decimal(10, 2));
  REQUIRE(GroupBy({}, {agg(K::kAvg, c, Type::decimal(38, 8)), agg(K::kSum, c, Type::decimal(38, 2))}).run(t, 1) == Lines{"1.00666667|3.02"});
}

TEST_CASE("cases 6, 7 and 8: sums of doubles are exact, infinities and all") {
  const auto sum = [](const Reals& values) {
    TestChunk t;
    const ExprPtr a = t.reals(values);
    const GroupBy g({}, {agg(K::kSum, a, R), agg(K::kAvg, a, R)});
    const Lines one = g.run(t, 1);
    REQUIRE(one == g.run(t, 3));
    return one.at(0);
  };
  REQUIRE(sum({1e308, 1e308, 0.0}) == "Infinity|6.666666666666666e+307");
  REQUIRE(sum({1e100, 1.0, -1e100}) == "1.0|0.3333333333333333");
  REQUIRE(sum({INFINITY, 1.0}) == "Infinity|Infinity");
  REQUIRE(sum({INFINITY, -INFINITY}) == "NaN|NaN");
  REQUIRE(sum({1e-39, 0.0}) == "1e-39|5e-40");
  REQUIRE(sum({std::nullopt}) == "NULL|NULL");
  Reals tenths(1000, 0.1);
  REQUIRE(sum(tenths) == "100.0|0.1");  // adding one after the other gives 99.9999999999986
}

TEST_CASE("the small sum of doubles equals the wide one, wherever the exponents lie") {
  std::mt19937_64 random(21);
  for (int round = 0; round < 300; ++round) {
    RealSum parts[2];
    DoubleSum wide;
    const int spread = round % 4 == 0 ? 2000 : round % 4 == 1 ? 130 : 20;
    for (int i = 0; i < 200; ++i) {
      double x = std::ldexp(static_cast<double>(random() >> 11), static_cast<int>(random() % static_cast<uint64_t>(spread)) - spread / 2 - 53);
      if (random() % 2 == 0) x = -x;
      if (round % 50 == 0 && i == 7) x = INFINITY;
      parts[random() % 2].add(x);
      wide.add(x);
    }
    parts[0].merge(parts[1]);
    REQUIRE(parts[0].value() == wide.value());
    REQUIRE(parts[0].average(200) == wide.average(200));
  }
}

TEST_CASE("cases 10, 11 and 12: NULLs, empty input, NULL as a key") {
  TestChunk t;
  const ExprPtr g = t.ints({1, std::nullopt, 1, std::nullopt, 2}), v = t.ints({5, 6, std::nullopt, 7, std::nullopt});
  const GroupBy by({g}, {agg(K::kCountStar, nullptr, B), agg(K::kCount, v, B), agg(K::kSum, v, B), agg(K::kMin, v, B), agg(K::kMax, v, B), agg(K::kAvg, v, R)});
  REQUIRE(by.run(t, 1) == Lines{"1|2|1|5|5|5|5.0", "NULL|2|2|13|6|7|6.5", "2|1|0|NULL|NULL|NULL|NULL"});
  TestChunk none;
  const ExprPtr e = none.ints({});
  REQUIRE(GroupBy({}, {agg(K::kCountStar, nullptr, B), agg(K::kSum, e, B), agg(K::kCount, e, B, true)}).run(none, 1) == Lines{"0|NULL|0"});
  REQUIRE(GroupBy({e}, {agg(K::kCountStar, nullptr, B)}).run(none, 1).empty());
}

TEST_CASE("MIN and MAX over all types") {
  TestChunk t;
  Dictionary dictionary(nullptr);
  const ExprPtr r = t.reals({0.0, -0.0, NAN, 1.0}), s = t.coded({"b", "a", std::nullopt, "ä"}, dictionary), u = t.texts({"b", "", "zz", std::nullopt});
  const ExprPtr w = t.wide({5, -5, 0, std::nullopt}, Type::decimal(30, 1));
  const auto both = [](const ExprPtr& e) { return std::vector<Aggregate>{agg(K::kMin, e, e->type), agg(K::kMax, e, e->type)}; };
  REQUIRE(GroupBy({}, both(r)).run(t, 1) == Lines{"-0.0|NaN"});
  REQUIRE(GroupBy({}, both(s)).run(t, 1) == Lines{"a|ä"});
  REQUIRE(GroupBy({}, both(u)).run(t, 1) == Lines{"|zz"});
  REQUIRE(GroupBy({}, both(w)).run(t, 1) == Lines{"-0.5|0.5"});
}

TEST_CASE("random groups equal a naive count, with distinct aggregates, the same bytes on one thread and three") {
  std::mt19937 random(31);
  for (int round = 0; round < 12; ++round) {
    TestChunk t;
    Dictionary dictionary(nullptr);
    const uint32_t rows = 1500;
    const int64_t span = round % 3 == 0 ? 4 : round % 3 == 1 ? 300 : INT64_MAX / 2;
    Ints a, v;
    Texts s;
    for (uint32_t i = 0; i < rows; ++i) {
      a.push_back(random() % 20 == 0 ? std::nullopt : std::optional<int64_t>(static_cast<int64_t>((uint64_t{random()} << 31 | random()) % static_cast<uint64_t>(span))));
      v.push_back(random() % 5 == 0 ? std::nullopt : std::optional<int64_t>(static_cast<int64_t>(random() % 50) - 25));
      s.push_back(random() % 10 == 0 ? std::nullopt : std::optional<std::string>(std::string(1, static_cast<char>('a' + random() % 5))));
    }
    const ExprPtr ea = t.ints(a), ev = t.ints(v), es = round % 2 == 0 ? t.coded(s, dictionary) : t.texts(s);
    const GroupBy by({ea, es}, {agg(K::kCountStar, nullptr, B), agg(K::kSum, ev, B), agg(K::kCount, ev, B, true), agg(K::kSum, ev, B, true), agg(K::kCount, es, B, true)});
    struct Naive {
      uint32_t order = 0;
      int64_t count = 0, sum = 0;
      bool any = false;
      std::map<int64_t, int> values;
      bool text = false;
    };
    std::map<std::pair<std::optional<int64_t>, std::optional<std::string>>, Naive> groups;
    for (uint32_t i = 0; i < rows; ++i) {
      const auto [place, fresh] = groups.emplace(std::make_pair(a[i], s[i]), Naive());
      Naive& n = place->second;
      if (fresh) n.order = static_cast<uint32_t>(groups.size() - 1);
      ++n.count;
      if (v[i]) {
        n.sum += *v[i];
        n.any = true;
        n.values[*v[i]] = 1;
      }
      n.text = s[i].has_value();
    }
    Lines expected(groups.size());
    for (const auto& [key, n] : groups) {
      int64_t distinct = 0;
      for (const auto& [value, one] : n.values) distinct += value;
      expected[n.order] = (key.first ? std::to_string(*key.first) : "NULL") + "|" + key.second.value_or("NULL") + "|" + std::to_string(n.count) + "|" +
                          (n.any ? std::to_string(n.sum) : "NULL") + "|" + std::to_string(n.values.size()) + "|" + (n.any ? std::to_string(distinct) : "NULL") + "|" +
                          (n.text ? "1" : "0");
    }
    REQUIRE(by.run(t, 1) == expected);
    REQUIRE(by.run(t, 3) == expected);
  }
}

TEST_CASE("distinct whole numbers without groups, near and far: as a set has them") {
  std::mt19937_64 random(32);
  for (int round = 0; round < 40; ++round) {
    TestChunk t;
    Ints v;
    const uint32_t rows = 1 + static_cast<uint32_t>(random() % 6000);
    std::set<int64_t> naive;
    int128 sum = 0;
    int64_t center = round % 4 == 0 ? 0 : round % 4 == 1 ? INT64_MIN + 5 : round % 4 == 2 ? INT64_MAX - 5 : static_cast<int64_t>(random());
    for (uint32_t i = 0; i < rows; ++i) {
      if (random() % 10 == 0) {
        v.push_back(std::nullopt);
        continue;
      }
      // The window moves; every other round far enough to burst.
      if (random() % 500 == 0 && __builtin_add_overflow(center, static_cast<int64_t>(random()) >> (round < 20 ? 45 : 8), &center)) center = 0;
      const int64_t wish = static_cast<int64_t>(random() % 400) - 200;
      int64_t value = 0;
      if (__builtin_add_overflow(center, wish, &value)) value = center;
      v.push_back(value);
      if (naive.insert(value).second) sum += value;
    }
    const ExprPtr e = t.ints(v);
    const GroupBy by({}, {agg(K::kCount, e, B, true), agg(K::kSumExact, e, Exact, true)});
    const std::string text = naive.empty() ? "NULL" : int128_to_text(sum);
    const Lines expected{std::to_string(naive.size()) + "|" + text};
    REQUIRE(by.run(t, 1) == expected);
    REQUIRE(by.run(t, 3) == expected);
  }
}

TEST_CASE("merge forms add cells up") {
  TestChunk t;
  const ExprPtr g = t.ints({1, 2, 1}), weight = t.ints({3, 1, 4}), count = t.ints({2, 0, 4});
  const ExprPtr sum = t.wide({10, 0, -4}, Type::decimal(38, 2));
  Aggregate s = agg(K::kMergeSum, sum, Type::decimal(38, 2)), a = agg(K::kMergeAvg, sum, Type::decimal(38, 8)), i = agg(K::kMergeSum, sum, B);
  s.value_count = a.value_count = i.value_count = count;
  s.measure_type = a.measure_type = Type::decimal(10, 2);
  i.measure_type = B;
  REQUIRE(GroupBy({g}, {agg(K::kMergeCount, weight, B), s, a, i}).run(t, 1) == Lines{"1|7|0.06|0.01000000|6", "2|1|NULL|NULL|NULL"});
  TestChunk none;
  const ExprPtr w = none.ints({});
  REQUIRE(GroupBy({}, {agg(K::kMergeCount, w, B)}).run(none, 1) == Lines{"0"});
}
