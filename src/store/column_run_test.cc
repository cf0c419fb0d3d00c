// Invariants checked: R1, R2 (runs), D1 (runs of keys).
#include "store/column_run.h"

#include <catch2/catch.hpp>

#include <random>
#include <vector>

#include "store/key_index.h"
#include "store/table.h"

using namespace hdb;

namespace {

std::vector<uint64_t> rows_of(const KeyIndex& index, int64_t key, const Table& table) {
  const Datum k = Datum::of(key);
  uint64_t hash = 0;
  hash_key(table, index.columns(), &k, &hash);
  std::vector<uint64_t> rows;
  index.find(&k, hash, [&](uint64_t row) { return rows.push_back(row), false; });
  return rows;
}

bool same_zone(const Zone& a, const Zone& b) {
  return a.low == b.low && a.high == b.high && a.low_real == b.low_real && a.high_real == b.high_real && a.nulls == b.nulls &&
         a.unbounded == b.unbounded && a.sum == b.sum;
}

}  // namespace

TEST_CASE("R1 a run's description and bytes are those of its values one by one") {
  std::mt19937_64 random(11);
  Dictionary dictionary(nullptr);
  for (int round = 0; round < 600; ++round) {
    const Type type = round % 3 == 0 ? Type::bigint() : round % 3 == 1 ? Type::real() : Type::text();
    const auto from = static_cast<uint32_t>(random() % 130);
    const auto count = static_cast<uint32_t>(1 + random() % 300);
    const uint64_t shift = random() % 64, null_in = random() % 4 == 0 ? 3 : random() % 2 == 0 ? 200 : UINT64_MAX;
    std::vector<uint64_t> raw(from + count), nulls(bitmap_words(from + count), 0);
    std::vector<Datum> data;
    for (uint32_t i = 0; i < from + count; ++i) {
      Datum d = Datum::of(static_cast<int64_t>(random() >> shift) * (random() % 2 == 0 ? 1 : -1));
      if (round % 50 == 0) d = Datum::of(random() % 2 == 0 ? INT64_MIN : INT64_MAX);
      if (type.lane() == Lane::kDouble) d = Datum::of(random() % 40 == 0 ? NAN : static_cast<double>(d.i64()) / 3);
      if (type.lane() == Lane::kText) d = Datum::of(dictionary.intern(std::to_string(random() % (shift < 32 ? 5 : 700))));
      if (random() % null_in == 0) {
        d = {};
        bit_set(nulls.data(), i);
      }
      raw[i] = d.null ? random() | 1 : d.raw;  // R2: whatever it is
      data.push_back(d);
    }
    const ColumnRun run{raw.data(), null_in == UINT64_MAX ? nullptr : nulls.data()};
    const RunDescription got = describe(type, run, from, count);
    const Layout want = layout_for(type, data.data() + from, count);
    REQUIRE((got.layout.encoding == want.encoding && got.layout.width == want.width && got.layout.base == want.base));
    REQUIRE((got.layout.nulls == want.nulls && got.layout.values == want.values));
    Zone zone, merged;
    for (uint32_t i = from; i < from + count; ++i) zone.add(type.lane(), data[i]);
    REQUIRE(same_zone(got.zone, zone));
    merge_zone(merged, describe(type, run, from, count / 2).zone);
    merge_zone(merged, describe(type, run, from + count / 2, count - count / 2).zone);
    REQUIRE(same_zone(merged, zone));
    const BufferRef a(ColumnBuffer::make(want.encoding, want.width, want.base, want.nulls, &dictionary, nullptr));
    const auto slot = static_cast<uint32_t>(random() % 1000);
    put_run(*a, slot, run, from, count);
    for (uint32_t i = 0; i < count; ++i) {
      const Datum d = a->at(slot + i);
      REQUIRE(d.null == data[from + i].null);
      if (!d.null) REQUIRE(d.raw == data[from + i].raw);
    }
  }
}

TEST_CASE("D1 keys that come as a run are found where they are; a run is refused where another row could have one of them") {
  MemoryBudget budget;
  const Table table(1, "t", {{"id", Type::bigint(), true}}, &budget);
  KeyIndex index("k", {0}, true, true, &budget);
  REQUIRE(index.insert_run(10, 100, 50));       // 10..59 at 100..149
  REQUIRE(index.insert_run(60, 150, 10));       // goes on
  REQUIRE(index.runs() == 1);
  REQUIRE(index.insert_run(20, 110, 5));        // the same rows again, after they were undone
  REQUIRE(index.insert_run(65, 155, 10));       // and beyond: 65..74
  REQUIRE(index.runs() == 1);
  REQUIRE_FALSE(index.insert_run(20, 500, 5));  // other rows
  REQUIRE_FALSE(index.insert_run(5, 500, 2));   // before the last run: it may overlap
  REQUIRE(index.insert_run(1000, 300, 4));
  REQUIRE(index.insert_run(1004, 700, 4));      // the keys go on, the rows do not
  REQUIRE(index.runs() == 3);
  REQUIRE_FALSE(index.insert_run(70, 160, 10)); // would grow a run that is not the last
  REQUIRE(index.insert_run(INT64_MAX - 1, 800, 2));
  REQUIRE(rows_of(index, 10, table) == std::vector<uint64_t>{100});
  REQUIRE(rows_of(index, 74, table) == std::vector<uint64_t>{164});
  REQUIRE(rows_of(index, 75, table).empty());
  REQUIRE(rows_of(index, 1005, table) == std::vector<uint64_t>{701});
  REQUIRE(rows_of(index, INT64_MAX, table) == std::vector<uint64_t>{801});
  const KeyIndex::RunView view = index.run_view();
  uint64_t row = 0;
  for (const int64_t key : {9, 10, 74, 75, 999, 1003, 1004, 1008}) {
    const auto rows = rows_of(index, key, table);
    REQUIRE(view.find(key, &row) == !rows.empty());
    if (!rows.empty()) REQUIRE(row == rows[0]);
  }
  // Once the hash has a key, a run could hide a duplicate.
  const Datum odd = Datum::of(int64_t{3000});
  uint64_t hash = 0;
  hash_key(table, index.columns(), &odd, &hash);
  for (int64_t i = 0; index.entries() == 0; ++i) {
    const Datum other = Datum::of(2000 - 5 * i);
    uint64_t h = 0;
    hash_key(table, index.columns(), &other, &h);
    index.insert(&other, h, 5000 + static_cast<uint64_t>(i) * 7);
  }
  REQUIRE_FALSE(index.insert_run(3000, 9000, 5));
}
