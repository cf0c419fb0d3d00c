#include "exec/sort.h"

#include <catch2/catch.hpp>

#include "exec/test_run.h"

using namespace hdb;
using namespace hdb::testing;

namespace {

std::vector<std::string> sorted(const TestChunk& t, const std::vector<SortKey>& keys, uint64_t limit, uint64_t offset, uint32_t threads) {
  Bench bench(threads);
  Executor executor(bench.context);
  Pipeline p = pieces(rows_of(t), t.map);
  SortSink sink(keys, t.map, limit, offset, &bench.budget);
  executor.run(p, sink, nullptr);
  Pipeline out;
  out.source = sink.source();
  out.map = t.map;
  return drain(executor, std::move(out));
}

// -1, 0, 1 for two values as ORDER BY places them.
int place(const Vector& v, uint32_t a, uint32_t b, const SortKey& key) {
  if (v.is_null(a) || v.is_null(b)) return v.is_null(a) == v.is_null(b) ? 0 : v.is_null(a) == key.nulls_first ? -1 : 1;
  int r = 0;
  switch (v.lane) {
    case Lane::kInt64: r = v.i64[a] < v.i64[b] ? -1 : v.i64[a] > v.i64[b]; break;
    case Lane::kInt128: r = v.i128[a] < v.i128[b] ? -1 : v.i128[a] > v.i128[b]; break;
    case Lane::kDouble: r = v.f64[a] < v.f64[b] ? -1 : v.f64[a] > v.f64[b]; break;
    case Lane::kText: r = v.text_at(a).compare(v.text_at(b)); break;
  }
  return key.descending ? -r : r;
}

}  // namespace

TEST_CASE("ORDER BY equals a stable sort; LIMIT and OFFSET cut it; threads change nothing") {
  std::mt19937 random(41);
  for (int round = 0; round < 24; ++round) {
    TestChunk t;
    Dictionary dictionary(nullptr);
    const uint32_t rows = round % 4 == 0 ? 30 : 900;
    Ints a, w;
    Reals r;
    Texts s;
    for (uint32_t i = 0; i < rows; ++i) {
      a.push_back(random() % 8 == 0 ? std::nullopt : std::optional<int64_t>(static_cast<int64_t>(random() % 12) - 6));
      w.push_back(random() % 8 == 0 ? std::nullopt : std::optional<int64_t>(static_cast<int64_t>(random()) - (int64_t{1} << 31)));
      r.push_back(static_cast<double>(static_cast<int64_t>(random() % 9) - 4) / 2);
      s.push_back(random() % 8 == 0 ? std::nullopt : std::optional<std::string>("prefix of 8 and " + std::to_string(random() % 30)));
    }
    std::vector<ExprPtr> columns{t.ints(a), t.wide(w, Type::decimal(30, 0)), t.reals(r), round % 2 == 0 ? t.coded(s, dictionary) : t.texts(s)};
    Ints number;
    for (uint32_t i = 0; i < rows; ++i) number.push_back(i);
    t.ints(number);
    std::vector<SortKey> keys;
    for (uint32_t k = 0; k < 1 + random() % 3; ++k) {
      SortKey key;
      key.expr = columns[random() % 4];
      key.descending = random() % 2 == 0;
      key.nulls_first = random() % 2 == 0;
      keys.push_back(key);
    }
    std::vector<uint32_t> order(rows);
    for (uint32_t i = 0; i < rows; ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](uint32_t x, uint32_t y) {
      for (const SortKey& k : keys) {
        if (const int p = place(t.chunk.columns[k.expr->column], x, y, k); p != 0) return p < 0;
      }
      return false;
    });
    const std::vector<std::string> all = lines(*rows_of(t));
    for (const auto& [limit, offset] : std::vector<std::pair<uint64_t, uint64_t>>{{UINT64_MAX, 0}, {7, 0}, {10, 5}, {0, 3}, {5, 10000}, {UINT64_MAX, 4}}) {
      std::vector<std::string> expected;
      for (uint64_t i = offset; i < rows && i - offset < limit; ++i) expected.push_back(all[order[i]]);
      REQUIRE(sorted(t, keys, limit, offset, 1) == expected);
      REQUIRE(sorted(t, keys, limit, offset, 3) == expected);
    }
  }
}

TEST_CASE("an expression as a key, and errors in it") {
  TestChunk t;
  const ExprPtr a = t.ints({1, 3, 2});
  SortKey key;
  key.expr = call(Function::kNegate, Type::bigint(), {a});
  REQUIRE(sorted(t, {key}, UINT64_MAX, 0, 1) == std::vector<std::string>{"3", "2", "1"});
  key.expr = call(Function::kDivide, Type::bigint(), {lit(6), call(Function::kSubtract, Type::bigint(), {a, lit(2)})});
  REQUIRE_THROWS_AS(sorted(t, {key}, UINT64_MAX, 0, 3), Error);
}
