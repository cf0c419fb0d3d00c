// Invariants checked: P1 (loads and first cells by block = a rebuild row by row), C17 (at any number of threads), 54000 leaves nothing.
#include <catch2/catch.hpp>

#include <random>

#include "plane/summary.h"
#include "plane/summary_build.h"
#include "txn/change.h"
#include "txn/test_store.h"

using namespace hdb;
using hdb::testing::TestStore;

namespace {

// id, g, v, d of the TestStore's table; few or many values, NULLs, and sums that pass 64 bits.
struct Shape {
  uint64_t texts, integers;
  int shift;
  bool nulls;
};

void load(Transaction& t, TestStore& store, std::mt19937_64& random, int64_t first, uint32_t rows, const Shape& shape) {
  std::vector<uint64_t> raw[4], nulls[4];
  for (int c = 0; c < 4; ++c) nulls[c].assign(bitmap_words(rows), 0);
  for (uint32_t i = 0; i < rows; ++i) {
    const auto v = static_cast<int64_t>(random() % shape.integers) * (int64_t{1} << shape.shift) - 5;
    raw[0].push_back(static_cast<uint64_t>(first + i));
    raw[1].push_back(store.table->intern(1, "g" + std::to_string(random() % shape.texts)).raw);
    raw[2].push_back(static_cast<uint64_t>(v));
    raw[3].push_back(Datum::of(0.5).raw);
    if (!shape.nulls) continue;
    if (random() % 9 == 0) bit_set(nulls[1].data(), i);
    if (random() % 5 == 0) bit_set(nulls[2].data(), i);
  }
  ColumnRun runs[4];
  for (int c = 0; c < 4; ++c) runs[c] = {raw[c].data(), shape.nulls ? nulls[c].data() : nullptr};
  insert_runs(t, *store.table, runs, rows);
}

std::string cells_of(const Summary& s, const Snapshot& snapshot) {
  std::string out;
  CellBatch batch;
  for (uint64_t at = 0; at < s.cell_count();) {
    at = s.read(snapshot, at, {s.dimensions(), s.measures()}, &batch);
    for (uint32_t i = 0; i < batch.rows; ++i) {
      out += std::to_string(batch.weight[i]);
      for (const CellDimension& d : batch.dimensions) {
        if (d.any_null && bit_test(d.nulls.data(), i)) out += ",null";
        else if (!d.values.empty()) out += "," + std::to_string(d.values[i]);
        else out += "," + std::string(d.dictionary != nullptr ? d.dictionary->text(d.codes[i]) : d.texts[i]);
      }
      for (const CellMeasure& m : batch.measures)
        out += "," + std::to_string(static_cast<double>(m.sum[i])) + "," + std::to_string(static_cast<uint64_t>(m.sum[i])) + "," + std::to_string(m.count[i]);
      out += ";";
    }
  }
  return out;
}

}  // namespace

TEST_CASE("P1 what loads add, and what is counted when a summary is created, is what is there row by row") {
  std::mt19937_64 random(31);
  Pool pool(3);
  const Shape shapes[] = {{3, 4, 0, false}, {3, 4, 0, true}, {40, 5000, 0, true}, {2, 3, 60, true}, {2, 3, 60, false}, {5, 1000, 40, true}, {70'000, 20, 0, true}};
  for (const Shape& shape : shapes) {
    TestStore store;
    const auto make = [&](const char* name) {
      return std::make_shared<Summary>(name, store.table, std::vector<uint32_t>{1, 2}, std::vector<uint32_t>{2, 0}, kSummaryCellsMax, &store.budget);
    };
    const auto followed = make("followed");
    store.table->sinks = {followed};
    int64_t next = 1;
    for (int round = 0; round < 5; ++round) {
      Transaction t(store.manager);
      t.begin_write();
      t.keep(store.table);
      const uint64_t mark = t.position();
      const auto rows = static_cast<uint32_t>(20 + random() % 24'000);
      load(t, store, random, next, rows, shape);
      if (round == 1) t.undo_to(mark);
      else next += rows;
      for (int i = 0; i < 40; ++i) delete_row(t, *store.table, random() % static_cast<uint64_t>(next));
      // Before the commit, too: own changes are pending.
      REQUIRE(verify_summary(*followed, t.snapshot(), nullptr).differences == 0);
      if (round == 3) {
        t.rollback();
        next -= rows;
      } else {
        t.commit();
      }
    }
    Transaction t(store.manager);
    t.begin_write();
    t.keep(store.table);
    load(t, store, random, next, 500, shape);  // and some of its own
    const Snapshot now = t.snapshot();
    REQUIRE(verify_summary(*followed, now, nullptr).differences == 0);
    const auto one = make("one"), three = make("three");
    one->build(now, nullptr);
    three->build(now, nullptr, &pool, 3);
    REQUIRE(verify_summary(*one, now, nullptr).differences == 0);
    REQUIRE(verify_summary(*three, now, nullptr).differences == 0);
    const std::string cells = cells_of(*one, now);
    REQUIRE(!cells.empty());
    REQUIRE(cells == cells_of(*three, now));
    one->discard();
    three->discard();
    t.rollback();
    store.table->sinks.clear();
  }
}

TEST_CASE("a load that would need a cell too many adds nothing; one fewer fits") {
  TestStore store;
  const auto summary = std::make_shared<Summary>("s", store.table, std::vector<uint32_t>{2}, std::vector<uint32_t>{0}, 10, &store.budget);
  store.table->sinks = {summary};
  std::mt19937_64 random(7);
  const auto values = [&](int64_t first, uint64_t distinct) {
    Transaction t(store.manager);
    t.begin_write();
    t.keep(store.table);
    std::string code;
    try {
      load(t, store, random, first, 3000, {2, distinct, 0, false});
      t.commit();
    } catch (const Error& e) {
      code = e.sqlstate();
      t.rollback();
    }
    Transaction reader(store.manager);
    REQUIRE(verify_summary(*summary, reader.snapshot(), nullptr).differences == 0);
    return code;
  };
  REQUIRE(values(1, 11) == "54000");
  REQUIRE(summary->live_cells() == 0);
  REQUIRE(values(1, 10) == "");
  REQUIRE(summary->live_cells() == 10);
  REQUIRE(values(5000, 11) == "54000");
  const Summary late("late", store.table, {2}, {0}, 9, &store.budget);
  Transaction t(store.manager);
  t.begin_write();
  std::string code;
  try {
    const_cast<Summary&>(late).build(t.snapshot(), nullptr);
  } catch (const Error& e) {
    code = e.sqlstate();
  }
  REQUIRE(code == "54000");
  t.rollback();
}
