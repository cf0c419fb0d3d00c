#include "exec/key_table.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "exec/test_run.h"

using namespace hdb;
using namespace hdb::testing;

namespace {

// The numbers that keys get by their text; equal texts are equal keys, with zeros and NaNs made alike.
struct Reference {
  std::map<std::string, uint32_t> ids;
  uint32_t id(const std::string& key) { return ids.emplace(key, static_cast<uint32_t>(ids.size())).first->second; }
};

std::string key_text(const std::vector<Vector>& keys, uint32_t row) {
  std::string s;
  for (const Vector& v : keys) s += (v.is_null(row) ? std::string("NULL") : v.lane == Lane::kDouble && v.f64[v.at(row)] == 0 ? std::string("0.0")
                                                                                                                    : "'" + to_text(value_at(v, row))) + "|";
  return s;
}

Ints random_ints(std::mt19937& random, uint32_t rows, int64_t low, uint64_t span, uint32_t null_in) {
  Ints out;
  for (uint32_t i = 0; i < rows; ++i) {
    if (null_in != 0 && random() % null_in == 0) out.push_back(std::nullopt);
    else out.push_back(static_cast<int64_t>(static_cast<uint64_t>(low) + (uint64_t{random()} << 32 | random()) % span));
  }
  return out;
}

void check_rows(KeyTable& table, Reference& reference, const std::vector<Vector>& keys, uint32_t rows, Scratch& scratch) {
  std::vector<uint32_t> ids(rows);
  const uint32_t before = table.size();
  table.insert(keys.data(), rows, scratch, ids.data());
  for (uint32_t i = 0; i < rows; ++i) REQUIRE(ids[i] == reference.id(key_text(keys, i)));
  REQUIRE(table.size() == reference.ids.size());
  KeyTable::Finder finder;
  std::vector<uint32_t> found(rows);
  table.find(keys.data(), rows, scratch, finder, found.data());
  for (uint32_t i = 0; i < rows; ++i) {
    bool null = false;
    for (const Vector& v : keys) null = null || v.is_null(i);
    REQUIRE(found[i] == (null ? KeyTable::kNone : ids[i]));
  }
  // New keys read back as they were put in.
  for (uint32_t i = 0; i < rows; ++i) {
    if (ids[i] < before) continue;
    std::vector<Vector> back;
    for (uint32_t k = 0; k < keys.size(); ++k) back.push_back(table.key(k, &ids[i], 1, scratch));
    REQUIRE(key_text(back, 0) == key_text(keys, i));
  }
}

}  // namespace

TEST_CASE("integer keys are numbered in order, while the range grows from an array into a hash table") {
  std::mt19937 random(11);
  for (const uint32_t columns : {1u, 2u, 3u}) {
    for (const uint32_t null_in : {0u, 9u}) {
      KeyTable table(std::vector<Type>(columns, Type::bigint()), 20000, nullptr);
      Reference reference;
      uint64_t span = 3;
      bool was_direct = table.direct();
      for (int round = 0; round < 14; ++round, span *= round < 12 ? 4 : uint64_t{1} << 18) {
        TestChunk t;
        for (uint32_t c = 0; c < columns; ++c) t.ints(random_ints(random, 90, -static_cast<int64_t>(span / 2), span, null_in));
        check_rows(table, reference, t.chunk.columns, 90, t.scratch);
      }
      REQUIRE(was_direct);
      REQUIRE_FALSE(table.direct());
    }
  }
}

TEST_CASE("the ends of the integer range are keys like others") {
  KeyTable table({Type::bigint()}, 100, nullptr);
  Reference reference;
  for (const Ints& values : {Ints{INT64_MAX, INT64_MAX - 1}, Ints{INT64_MIN, INT64_MAX}, Ints{0, INT64_MIN + 1, std::nullopt}}) {
    TestChunk t;
    t.ints(values);
    check_rows(table, reference, t.chunk.columns, static_cast<uint32_t>(values.size()), t.scratch);
  }
}

TEST_CASE("doubles, wide decimals and texts of several forms") {
  std::mt19937 random(12);
  Dictionary first(nullptr), second(nullptr);
  KeyTable table({Type::real(), Type::decimal(30, 2), Type::text(), Type::text()}, 100, nullptr);
  Reference reference;
  for (int round = 0; round < 30; ++round) {
    TestChunk t;
    const uint32_t rows = 40;
    Reals reals;
    Texts texts, more;
    for (uint32_t i = 0; i < rows; ++i) {
      const double values[] = {0.0, -0.0, 1.5, NAN, INFINITY, -NAN};
      reals.push_back(random() % 9 == 0 ? std::nullopt : std::optional<double>(values[random() % 6]));
      texts.push_back(random() % 9 == 0 ? std::nullopt : std::optional<std::string>(std::string(random() % 3, 'x')));
      more.push_back("t" + std::to_string(random() % 4));
    }
    t.reals(reals);
    t.wide(random_ints(random, rows, -1, 3, 7), Type::decimal(30, 2));
    // Views first, so that the first dictionary seen is not the first text seen.
    if (round % 3 == 0) t.texts(texts);
    else t.coded(texts, round % 3 == 1 ? first : second);
    if (round % 2 == 0) t.coded(more, second);
    else t.texts(more);
    check_rows(table, reference, t.chunk.columns, rows, t.scratch);
  }
}

TEST_CASE("over 32 key columns") {
  std::mt19937 random(13);
  KeyTable table(std::vector<Type>(70, Type::bigint()), 100, nullptr);
  Reference reference;
  for (int round = 0; round < 5; ++round) {
    TestChunk t;
    for (int c = 0; c < 70; ++c) {
      Ints values(40, 1);
      if (c % 10 == 0) values = random_ints(random, 40, 0, 2, 5);
      t.ints(values);
    }
    check_rows(table, reference, t.chunk.columns, 40, t.scratch);
  }
}
