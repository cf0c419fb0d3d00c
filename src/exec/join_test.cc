#include "exec/join.h"

#include <catch2/catch.hpp>

#include "exec/test_run.h"

using namespace hdb;
using namespace hdb::testing;

namespace {

struct Side {
  TestChunk t;
  Ints number, key;
  Texts text;
};

void fill(Side& s, std::mt19937& random, uint32_t rows, int64_t span, bool coded, Dictionary& dictionary) {
  for (uint32_t i = 0; i < rows; ++i) {
    s.number.push_back(i);
    s.key.push_back(random() % 10 == 0 ? std::nullopt : std::optional<int64_t>(static_cast<int64_t>(random() % static_cast<uint64_t>(span))));
    s.text.push_back(random() % 10 == 0 ? std::nullopt : std::optional<std::string>("t" + std::to_string(random() % 3)));
  }
  s.t.ints(s.number);
  s.t.ints(s.key);
  if (coded) s.t.coded(s.text, dictionary);
  else s.t.texts(s.text);
}

}  // namespace

TEST_CASE("joins equal a nested loop: kinds, keys, residuals, NULLs, threads") {
  std::mt19937 random(51);
  for (int round = 0; round < 60; ++round) {
    Dictionary dictionary(nullptr), other(nullptr);
    Side left, right;
    const int64_t span = round % 3 == 0 ? 5 : round % 3 == 1 ? 200 : int64_t{1} << 40;
    fill(left, random, round % 5 == 0 ? 10 : 400, span, round % 2 == 0, dictionary);
    fill(right, random, round % 7 == 0 ? 0 : 60, span, round % 4 < 2, round % 8 < 4 ? dictionary : other);
    const JoinKind kind = round % 6 == 5 ? JoinKind::kCross : round % 2 == 0 ? JoinKind::kInner : JoinKind::kLeft;
    const uint32_t keys = kind == JoinKind::kCross ? 0 : round % 3 == 2 ? 2 : 1;
    const bool residual = kind != JoinKind::kCross && round % 4 != 0;
    std::vector<std::string> expected;
    for (size_t l = 0; l < left.number.size(); ++l) {
      bool any = false;
      for (size_t r = 0; r < right.number.size(); ++r) {
        if (keys >= 1 && (!left.key[l] || left.key[l] != right.key[r])) continue;
        if (keys >= 2 && (!left.text[l] || left.text[l] != right.text[r])) continue;
        if (residual && !(*left.number[l] % 7 < *right.number[r] % 9)) continue;
        any = true;
        expected.push_back(std::to_string(l) + "|" + left.text[l].value_or("NULL") + "|" + std::to_string(r) + "|" + right.text[r].value_or("NULL"));
      }
      if (!any && kind == JoinKind::kLeft) expected.push_back(std::to_string(l) + "|" + left.text[l].value_or("NULL") + "|NULL|NULL");
    }
    for (const uint32_t threads : {1u, 3u}) {
      Bench bench(threads);
      Executor executor(bench.context);
      // The right rows: number, key, text with the ids 10, 11, 12, then the keys again.
      std::vector<Type> types = right.t.map.types();
      std::vector<Vector> columns = right.t.chunk.columns;
      for (uint32_t k = 0; k < keys; ++k) {
        types.push_back(types[k + 1]);
        columns.push_back(columns[k + 1]);
      }
      auto rows = std::make_shared<Rows>(types, nullptr);
      rows->append(columns.data(), right.t.chunk.rows, nullptr);
      const auto table = build_join(rows, keys, executor.worker(0));
      JoinShape shape;
      shape.kind = kind;
      for (uint32_t k = 0; k < keys; ++k) shape.left_keys.push_back(col(k + 1, left.t.map.type(k + 1)));
      shape.left = shape.both = left.t.map;
      for (uint32_t c = 0; c < 3; ++c) shape.both.add(10 + c, right.t.map.type(c));
      const Type big = Type::bigint();
      if (residual) {
        shape.residual.push_back(call(Function::kLess, Type::boolean(), {call(Function::kModulo, big, {col(0, big), lit(7)}),
                                                                              call(Function::kModulo, big, {col(10, big), lit(9)})}));
      }
      shape.out = {0, 2, 3, 5};
      ColumnMap out;
      for (const uint32_t place : shape.out) out.add(shape.both.id(place), shape.both.type(place));
      Pipeline p = pieces(rows_of(left.t), left.t.map);
      p.stages.push_back(probe_stage(shape, table));
      p.map = out;
      REQUIRE(drain(executor, std::move(p)) == expected);
    }
  }
}
