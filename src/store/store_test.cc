// Invariants checked: S1, S3, S4 (columns), C9 (dictionaries), C8, D1, D2 (keys), V1 (values and dates).
#include <catch2/catch.hpp>

#include <functional>
#include <random>
#include <set>

#include "base/hash.h"
#include "store/dictionary.h"
#include "store/key_index.h"
#include "store/table.h"
#include "store/value.h"

using namespace hdb;

namespace {
std::string code_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.sqlstate();
  }
  return "";
}
}  // namespace

TEST_CASE("a column keeps its values through every widening, re-basing and first NULL") {
  std::mt19937_64 random(5);
  for (int round = 0; round < 200; ++round) {
    std::vector<Datum> values;
    BufferRef buffer;
    for (uint32_t i = 0; i < 120; ++i) {
      Datum d;
      if (random() % 10 != 0) {
        const auto v = static_cast<int64_t>(random() >> (random() % 64));
        d = Datum::of(random() % 2 == 0 ? v : -v);
      }
      const Layout add = layout_for(Type::bigint(), &d, 1);
      if (!buffer) buffer = BufferRef(ColumnBuffer::make(add.encoding, add.width, add.base, add.nulls, nullptr, nullptr));
      else if (!covers(*buffer, add)) buffer = re_encode(*buffer, i, widen(*buffer, i, add, random() % 2 == 0));
      REQUIRE(buffer->represents(d));
      buffer->put(i, d);
      values.push_back(d);
    }
    for (uint32_t i = 0; i < values.size(); ++i) {
      const Datum d = buffer->at(i);
      REQUIRE(d.null == values[i].null);
      if (!d.null) REQUIRE(d.raw == values[i].raw);
    }
  }
}

TEST_CASE("widening with undo entries keeps what the old layout could represent") {
  std::mt19937_64 random(6);
  for (int round = 0; round < 2000; ++round) {
    const auto pick = [&] { return static_cast<int64_t>(random() >> (random() % 64)) * (random() % 2 == 0 ? 1 : -1); };
    const Datum a = Datum::of(pick()), b = Datum::of(pick());
    const Layout first = layout_for(Type::bigint(), &a, 1);
    const BufferRef old(ColumnBuffer::make(first.encoding, first.width, first.base, false, nullptr, nullptr));
    const BufferRef fresh = re_encode(*old, 0, widen(*old, 0, layout_for(Type::bigint(), &b, 1), true));
    REQUIRE(fresh->represents(a));
    REQUIRE(fresh->represents(b));
  }
}

TEST_CASE("a dictionary gives 65,536 values a code and the next one a heap entry") {
  Dictionary dictionary(nullptr);
  for (uint32_t i = 0; i < kDictionaryValuesMax; ++i) REQUIRE(dictionary.intern("value " + std::to_string(i))->code == i);
  REQUIRE_FALSE(dictionary.overflowed());
  const TextEntry* heap = dictionary.intern("one more");
  REQUIRE(heap->code == TextEntry::kNoCode);
  REQUIRE(heap->view() == "one more");
  REQUIRE(dictionary.overflowed());
  REQUIRE(dictionary.find("one more") == TextEntry::kNoCode);
  REQUIRE(dictionary.find("value 65535") == 65535);
  REQUIRE(dictionary.intern("value 7")->code == 7);
  REQUIRE(dictionary.text(7) == "value 7");
}

TEST_CASE("texts of up to nine bytes that differ in one of them have entries of their own, asked for in any order") {
  Dictionary dictionary(nullptr);
  std::vector<std::string> texts{""};
  for (size_t bytes = 1; bytes <= 9; ++bytes) {
    texts.emplace_back(bytes, 'a');
    for (size_t at = 0; at < bytes; ++at) {
      for (const char c : {'b', '\x7f', '0'}) {
        texts.emplace_back(bytes, 'a');
        texts.back()[at] = c;
      }
    }
  }
  std::vector<const TextEntry*> entries;
  for (const auto& t : texts) entries.push_back(dictionary.intern(t));
  REQUIRE(dictionary.size() == texts.size());
  for (uint64_t i = 0; i < 20'000; ++i) {
    const size_t at = hash64(i / 2) % texts.size();  // each twice in a row
    REQUIRE(dictionary.intern(texts[at]) == entries[at]);
    REQUIRE(entries[at]->view() == texts[at]);
  }
}

TEST_CASE("ascending keys cost no memory, others are found by hash") {
  MemoryBudget budget;
  KeyIndex index("k", {0}, true, true, &budget);
  Table table(1, "t", {{"k", Type::bigint(), true}}, &budget);
  const auto has = [&](int64_t k, uint64_t row) {
    const Datum d = Datum::of(k);
    uint64_t hash = 0;
    REQUIRE(hash_key(table, index.columns(), &d, &hash));
    return index.find(&d, hash, [&](uint64_t r) { return r == row; });
  };
  const auto put = [&](int64_t k, uint64_t row) {
    const Datum d = Datum::of(k);
    uint64_t hash = 0;
    hash_key(table, index.columns(), &d, &hash);
    return index.insert(&d, hash, row);
  };
  for (int64_t k = 0; k < 100'000; ++k) REQUIRE(put(k + 5, static_cast<uint64_t>(k)));
  REQUIRE(index.entries() == 0);
  REQUIRE(index.runs() == 1);
  REQUIRE(budget.used() == 0);
  std::mt19937_64 random(9);
  std::set<std::pair<int64_t, uint64_t>> pairs;
  for (int i = 0; i < 20'000; ++i) {
    const auto k = static_cast<int64_t>(random() % 50'000) * 7 - 100'000;
    const uint64_t row = 200'000 + random() % 40'000;
    REQUIRE(put(k, row) == pairs.emplace(k, row).second);
  }
  for (const auto& [k, row] : pairs) REQUIRE(has(k, row));
  REQUIRE(has(5, 0));
  REQUIRE(has(100'004, 99'999));
  REQUIRE_FALSE(has(100'004, 1));
}

TEST_CASE("an erased pair is gone and its place is used again") {
  KeyIndex index("k", {0}, false, false, nullptr);
  Table table(1, "t", {{"k", Type::text(), false}}, nullptr);
  uint64_t hash = 0;
  for (uint64_t i = 0; i < 5'000; ++i) {
    const Datum d = table.intern(0, "key " + std::to_string(i % 50));
    REQUIRE(hash_key(table, index.columns(), &d, &hash));
    REQUIRE(index.insert(&d, hash, i));
    if (i >= 50) {
      index.erase(hash, i - 50);
      REQUIRE_FALSE(index.find(&d, hash, [&](uint64_t r) { return r == i - 50; }));
    }
    REQUIRE(index.find(&d, hash, [&](uint64_t r) { return r == i; }));
  }
  REQUIRE(index.entries() == 50);
  REQUIRE(index.bytes() < 64 * 1024);
  const Datum null;
  REQUIRE_FALSE(hash_key(table, index.columns(), &null, &hash));
}

TEST_CASE("dates and timestamps read back as they were written, and refuse what does not exist") {
  for (int64_t day = parse_date("0001-01-01"); day <= parse_date("9999-12-31"); day += 97) REQUIRE(parse_date(date_text(day)) == day);
  REQUIRE(parse_date("1970-01-01") == 0);
  REQUIRE(parse_date("2026-11-30") == 20787);
  REQUIRE(timestamp_text(parse_timestamp("2026-11-30 12:00:00.120000")) == "2026-11-30 12:00:00.12");
  REQUIRE(timestamp_text(parse_timestamp("1969-12-31T23:59:59.999999")) == "1969-12-31 23:59:59.999999");
  REQUIRE(timestamp_text(parse_timestamp("2026-11-30")) == "2026-11-30 00:00:00");
  REQUIRE(date_text(parse_date("2024-02-29")) == "2024-02-29");
  REQUIRE(code_of([] { parse_date("2023-02-29"); }) == "22008");
  REQUIRE(code_of([] { parse_date("1900-02-29"); }) == "22008");
  REQUIRE(code_of([] { parse_date("2023-13-01"); }) == "22008");
  REQUIRE(code_of([] { parse_date("23-1-1"); }) == "22007");
  REQUIRE(code_of([] { parse_timestamp("2023-01-01 24:00:00"); }) == "22008");
  REQUIRE(code_of([] { parse_timestamp("2023-01-01 12:00:00."); }) == "22007");
}
