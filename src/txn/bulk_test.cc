// Invariants checked: B1 (many rows at once = one by one), C8, Z1-Z3, J1 after undo.
#include "txn/bulk.h"

#include <catch2/catch.hpp>

#include <functional>
#include <random>
#include <vector>

#include "txn/change.h"
#include "txn/test_store.h"

using namespace hdb;
using hdb::testing::Row;
using hdb::testing::Rows;
using hdb::testing::TestStore;

namespace {

// Rows as runs; what the store should then show is added to *rows.
struct Load {
  std::vector<uint64_t> raw[4], nulls[4];

  void add(TestStore& store, int64_t id, const Row& r) {
    const Datum row[4] = {Datum::of(id), r.g ? store.table->intern(1, *r.g) : Datum{}, r.v ? Datum::of(*r.v) : Datum{}, Datum::of(r.d)};
    for (int c = 0; c < 4; ++c) {
      const auto i = static_cast<uint32_t>(raw[c].size());
      if (i % 64 == 0) nulls[c].push_back(0);
      if (row[c].null) bit_set(nulls[c].data(), i);
      raw[c].push_back(row[c].raw);
    }
  }
  void insert(Transaction& t, TestStore& store) const {
    ColumnRun runs[4];
    for (int c = 0; c < 4; ++c) runs[c] = {raw[c].data(), nulls[c].data()};
    insert_runs(t, *store.table, runs, static_cast<uint32_t>(raw[0].size()));
  }
};

std::string code_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.sqlstate();
  }
  return "";
}

Row random_row(std::mt19937_64& random) {
  Row r;
  if (random() % 9 != 0) r.g = "g" + std::to_string(random() % 30);
  if (random() % 7 != 0) r.v = static_cast<int64_t>(random() >> (random() % 64)) * (random() % 2 == 0 ? 1 : -1);
  r.d = static_cast<double>(random() % 100) / 8;
  return r;
}

class Counting final : public RowSink {
 public:
  std::span<const uint32_t> columns() const override { return columns_; }
  void apply(const Datum* row, int sign) override {
    if (sign > 0 && refuse_at-- == 0) fail(sqlstate::kProgramLimit, "refused");
    sum.add128(static_cast<uint64_t>(row[2].null ? 0 : sign * row[2].i64()), 0);
    rows += sign;
  }
  void prepare() override {}
  void publish(uint64_t) noexcept override {}
  void discard() noexcept override {}
  void reclaim(const SnapshotRegistry&) noexcept override {}
  int64_t rows = 0, refuse_at = INT64_MAX;
  Sum128 sum;

 private:
  std::vector<uint32_t> columns_{2};
};

}  // namespace

TEST_CASE("B1 loads over block borders, undone and loaded again, show what single inserts show") {
  std::mt19937_64 random(21);
  TestStore store;
  Rows expected;
  int64_t next = 1;
  for (int round = 0; round < 11; ++round) {
    const auto rows = static_cast<int64_t>(random() % 3 == 0 ? 17 + random() % 100 : kBlockRows / 2 + random() % kBlockRows);
    const bool gaps = random() % 3 == 0;
    Load load;
    Rows grown = expected;
    for (int64_t i = 0; i < rows; ++i) {
      const int64_t id = gaps ? next + 3 * i : next + i;
      const Row r = random_row(random);
      load.add(store, id, r);
      grown[id] = r;
    }
    Transaction t(store.manager);
    t.begin_write();
    if (random() % 2 == 0) {
      const uint64_t mark = t.position();
      load.insert(t, store);
      t.undo_to(mark);
      REQUIRE(store.scan(t.snapshot()) == expected);
    }
    load.insert(t, store);
    REQUIRE(store.scan(t.snapshot()) == grown);
    Transaction reader(store.manager);
    REQUIRE(store.scan(reader.snapshot()) == expected);
    reader.rollback();
    if (random() % 4 == 0) {
      t.rollback();
    } else {
      t.end_statement();
      t.commit();
      expected = grown;
      next += gaps ? 3 * rows : rows;
    }
    Transaction after(store.manager);
    REQUIRE(store.scan(after.snapshot()) == expected);
    for (int i = 0; i < 50; ++i) {
      const int64_t id = 1 + static_cast<int64_t>(random() % static_cast<uint64_t>(next + 10));
      const auto found = store.find(after.snapshot(), id);
      REQUIRE(found.has_value() == expected.contains(id));
      if (found) REQUIRE(found->second == expected[id]);
    }
    after.rollback();
  }
}

TEST_CASE("B1 a duplicate is found in the load itself, among earlier rows in a run or in the hash, and leaves nothing") {
  TestStore store;
  const auto sink = std::make_shared<Counting>();
  store.table->sinks = {sink};
  const auto load_ids = [&](const std::function<int64_t(int64_t)>& id) {
    Load load;
    for (int64_t i = 0; i < 100; ++i) load.add(store, id(i), Row{"a", i, 0});
    Transaction t(store.manager);
    t.begin_write();
    const std::string code = code_of([&] {
      load.insert(t, store);
      t.end_statement();
      t.commit();
    });
    if (!code.empty()) t.rollback();
    return code;
  };
  REQUIRE(load_ids([](int64_t i) { return i; }) == "");
  REQUIRE(load_ids([](int64_t i) { return i + 99; }) == "23505");             // ascends by 1, but its first is there
  REQUIRE(load_ids([](int64_t i) { return i < 50 ? 200 + i : 400 - i; }) == "");
  REQUIRE(load_ids([](int64_t i) { return i == 99 ? 1000 : 1000 + i; }) == "23505");
  REQUIRE(load_ids([](int64_t i) { return 249 + i; }) == "23505");
  REQUIRE(load_ids([](int64_t i) { return 350 + i; }) == "23505");
  REQUIRE(sink->rows == 200);
  Transaction t(store.manager);
  REQUIRE(store.scan(t.snapshot()).size() == 200);
  t.rollback();
  // A sink that refuses in the middle.
  sink->refuse_at = 60;
  REQUIRE(load_ids([](int64_t i) { return 5000 + i; }) == "54000");
  REQUIRE(sink->rows == 200);
  sink->refuse_at = INT64_MAX;
  REQUIRE(load_ids([](int64_t i) { return 5000 + i; }) == "");
  REQUIRE(sink->rows == 300);
}

TEST_CASE("B1 references are checked against parents in runs, moved ones and those that come later in the statement") {
  TestStore parents;
  auto child = std::make_shared<Table>(2, "c", std::vector<ColumnShape>{{"p", Type::bigint(), false}}, &parents.budget);
  child->references.push_back({"column p", {0}, parents.table, {0}, parents.key});
  const auto write = [&](const std::function<void(Transaction&)>& f) {
    Transaction t(parents.manager);
    t.begin_write();
    const std::string code = code_of([&] {
      f(t);
      t.end_statement();
      t.commit();
    });
    if (!code.empty()) t.rollback();
    return code;
  };
  const auto children = [&](Transaction& t, int64_t from, int64_t rows, bool null) {
    std::vector<uint64_t> raw, nulls(16, 0);
    for (int64_t i = 0; i < rows; ++i) raw.push_back(static_cast<uint64_t>(from + i));
    if (null) bit_set(nulls.data(), static_cast<uint32_t>(rows) - 1);
    const ColumnRun run{raw.data(), nulls.data()};
    insert_runs(t, *child, {&run, 1}, static_cast<uint32_t>(rows));
  };
  REQUIRE(write([&](Transaction& t) {
            Load load;
            for (int64_t i = 0; i < 500; ++i) load.add(parents, i, Row{"p", i, 0});
            load.insert(t, parents);
          }) == "");
  REQUIRE(write([&](Transaction& t) { children(t, 0, 500, false); }) == "");
  REQUIRE(write([&](Transaction& t) { children(t, 0, 501, false); }) == "23503");
  REQUIRE(write([&](Transaction& t) { children(t, 0, 501, true); }) == "");
  REQUIRE(write([&](Transaction& t) { children(t, -1, 100, false); }) == "23503");
  // A parent that has left its run's key, and one that came to lie elsewhere.
  const auto move = [&](Transaction& t, int64_t id, int64_t to) {
    const uint32_t column = 0;
    const Datum value = Datum::of(to);
    update_row(t, *parents.table, parents.find(t.snapshot(), id)->first, {&column, 1}, &value);
  };
  REQUIRE(write([&](Transaction& t) { move(t, 400, 7000); }) == "");
  REQUIRE(write([&](Transaction& t) { children(t, 390, 100, false); }) == "23503");
  REQUIRE(write([&](Transaction& t) { children(t, 401, 99, false), children(t, 7000, 1, false); }) == "");
  REQUIRE(write([&](Transaction& t) {
            children(t, 500, 20, false);
            Load load;
            for (int64_t i = 500; i < 520; ++i) load.add(parents, i, Row{"p", i, 0});
            load.insert(t, parents);
          }) == "");
}
