// Invariants checked: C1, C2, C3, C6, C7, C8, J1, S3, Z1, Z3, against a plain map of rows for every open snapshot.
#include "txn/transaction.h"

#include <catch2/catch.hpp>

#include <random>

#include "txn/test_store.h"

using namespace hdb;
using hdb::testing::Row;
using hdb::testing::Rows;
using hdb::testing::TestStore;

namespace {

struct Reader {
  std::unique_ptr<Transaction> transaction;
  Rows expected;
};

Row random_row(std::mt19937_64& random) {
  Row r;
  if (random() % 8 != 0) r.g = "group " + std::to_string(random() % 300);
  switch (random() % 8) {
    case 0: break;
    case 1: r.v = static_cast<int64_t>(random()); break;  // any width
    case 2: r.v = INT64_MAX; break;
    case 3: r.v = INT64_MIN; break;
    default: r.v = static_cast<int64_t>(random() % 200) - 100;
  }
  r.d = static_cast<double>(random() % 1000) / 8;
  return r;
}

int64_t random_key(const Rows& rows, std::mt19937_64& random) {
  auto it = rows.lower_bound(static_cast<int64_t>(random() % 4000));
  return it == rows.end() ? rows.begin()->first : it->first;
}

void change_something(TestStore& store, Transaction& t, Rows& rows, std::mt19937_64& random) {
  const uint64_t mark = t.position();
  const Row r = random_row(random);
  const uint64_t kind = random() % 10;
  if (kind < 5 || rows.empty()) {
    const auto id = static_cast<int64_t>(random() % 4000);
    try {
      store.insert(t, id, r);
      REQUIRE(!rows.contains(id));
      rows[id] = r;
    } catch (const Error& e) {
      REQUIRE(std::string(e.sqlstate()) == "23505");
      REQUIRE(rows.contains(id));
      t.undo_to(mark);
    }
    return;
  }
  const int64_t id = random_key(rows, random);
  const auto found = store.find(t.snapshot(), id);
  REQUIRE(found.has_value());
  if (kind < 7) {
    REQUIRE(delete_row(t, *store.table, found->first));
    REQUIRE_FALSE(delete_row(t, *store.table, found->first));
    rows.erase(id);
  } else if (kind < 9) {
    REQUIRE(store.update(t, found->first, r));
    rows[id] = r;
  } else {
    // Move the key, perhaps onto one that exists: refused at the end of the statement.
    const auto to = static_cast<int64_t>(random() % 4000);
    const uint32_t column = 0;
    const Datum value = Datum::of(to);
    REQUIRE(update_row(t, *store.table, found->first, {&column, 1}, &value));
    try {
      t.end_statement();
      REQUIRE((to == id || !rows.contains(to)));
      const Row moved = rows[id];
      rows.erase(id);
      rows[to] = moved;
    } catch (const Error& e) {
      REQUIRE(std::string(e.sqlstate()) == "23505");
      REQUIRE((to != id && rows.contains(to)));
      t.undo_to(mark);
    }
  }
}

}  // namespace

TEST_CASE("every open snapshot keeps its rows through a random history of transactions") {
  const uint64_t seed = GENERATE(1u, 2u, 3u, 4u);
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  TestStore store;
  Rows committed;
  std::vector<Reader> readers;
  for (int round = 0; round < 60; ++round) {
    Transaction t(store.manager);
    t.begin_write();
    Rows rows = committed;
    std::vector<std::pair<std::string, Rows>> savepoints;
    const uint64_t changes = random() % 120;
    for (uint64_t i = 0; i < changes; ++i) {
      change_something(store, t, rows, random);
      if (random() % 20 == 0) {
        savepoints.emplace_back("s" + std::to_string(i), rows);
        t.savepoint(savepoints.back().first);
      } else if (!savepoints.empty() && random() % 25 == 0) {
        const size_t back = random() % savepoints.size();
        savepoints.resize(back + 1);
        t.rollback_to_savepoint(savepoints.back().first, -1);
        rows = savepoints.back().second;
      }
      if (random() % 30 == 0) REQUIRE(store.scan(t.snapshot()) == rows);
    }
    REQUIRE(store.scan(t.snapshot()) == rows);
    if (random() % 3 == 0) {
      t.rollback();
    } else {
      t.commit();
      committed = rows;
    }
    if (random() % 2 == 0) {
      readers.push_back({std::make_unique<Transaction>(store.manager), committed});
      readers.back().transaction->snapshot();
    }
    if (readers.size() > 5) readers.erase(readers.begin() + static_cast<long>(random() % readers.size()));
    for (Reader& r : readers) {
      REQUIRE(store.scan(r.transaction->snapshot()) == r.expected);
      for (int k = 0; k < 20; ++k) {
        const auto id = static_cast<int64_t>(random() % 4000);
        const auto found = store.find(r.transaction->snapshot(), id);
        REQUIRE(found.has_value() == r.expected.contains(id));
        if (found) REQUIRE(found->second == r.expected.at(id));
      }
    }
  }
  readers.clear();
  REQUIRE(store.manager.try_reclaim());
  REQUIRE(store.manager.epochs().waiting() == 0);
  Transaction last(store.manager);
  REQUIRE(store.scan(last.snapshot()) == committed);
}

TEST_CASE("a transaction whose reads were overtaken gets 40001, one on an untouched table does not") {
  TestStore store;
  const auto other = std::make_shared<Table>(2, "other", std::vector<ColumnShape>{{"x", Type::bigint(), false}}, &store.budget);
  Transaction overtaken(store.manager), untouched(store.manager), writer(store.manager);
  overtaken.snapshot();
  overtaken.note_read(store.table);
  untouched.snapshot();
  untouched.note_read(other);
  writer.begin_write();
  store.insert(writer, 1, {});
  writer.commit();
  try {
    overtaken.begin_write();
    FAIL("no 40001");
  } catch (const Error& e) {
    REQUIRE(std::string(e.sqlstate()) == "40001");
  }
  untouched.begin_write();
  REQUIRE(store.scan(untouched.snapshot()).size() == 1);
}

TEST_CASE("the writer's turn goes round, and a wait for it ends in 55P03") {
  TestStore store;
  store.manager.set_turn_timeout_ms(20);
  Transaction a(store.manager), b(store.manager);
  a.begin_write();
  try {
    b.begin_write();
    FAIL("two writers");
  } catch (const Error& e) {
    REQUIRE(std::string(e.sqlstate()) == "55P03");
  }
  a.rollback();
  b.begin_write();
}

TEST_CASE("BEGIN does not copy: its cost does not depend on the table") {
  TestStore store;
  Transaction load(store.manager);
  load.begin_write();
  for (int64_t i = 0; i < 40'000; ++i) store.insert(load, i, {std::nullopt, i, 0});
  load.commit();
  const uint64_t before = store.budget.used();
  Transaction t(store.manager);
  t.begin_write();
  REQUIRE(store.budget.used() - before < 4096);
}

TEST_CASE("slots of deleted rows come back only when no snapshot needs them") {
  TestStore store;
  Transaction a(store.manager);
  a.begin_write();
  for (int64_t i = 0; i < 100; ++i) store.insert(a, i, {std::nullopt, i, 0});
  a.commit();
  auto reader = std::make_unique<Transaction>(store.manager);
  const Rows before = store.scan(reader->snapshot());
  Transaction b(store.manager);
  b.begin_write();
  for (uint64_t row = 0; row < 50; ++row) REQUIRE(delete_row(b, *store.table, row));
  b.commit();
  REQUIRE(store.table->free_slots.empty());
  REQUIRE(store.scan(reader->snapshot()) == before);
  reader.reset();
  REQUIRE(store.manager.try_reclaim());
  REQUIRE(store.table->free_slots.size() == 50);
  Transaction c(store.manager);
  c.begin_write();
  for (int64_t i = 0; i < 50; ++i) store.insert(c, 1000 + i, {std::nullopt, i, 0});
  c.commit();
  REQUIRE(store.table->block(0).rows == 100);
}

TEST_CASE("a small transaction uses the memory of an earlier one, and that of a large one is given back", "[txn]") {
  TestStore store;
  const auto change = [&](int64_t id, int times) {
    Transaction t(store.manager);
    t.begin_write();
    t.keep(store.table);
    const uint64_t row = store.find(t.snapshot(), id)->first;
    for (int i = 0; i < times; ++i) store.update(t, row, Row{std::nullopt, i % 100, 0});
    t.end_statement();
    t.commit();
  };
  {
    Transaction t(store.manager);
    t.begin_write();
    t.keep(store.table);
    store.insert(t, 1, Row{std::nullopt, 100, 0});
    t.end_statement();
    t.commit();
  }
  for (int i = 0; i < 20; ++i) change(1, 2);
  const uint64_t used = store.budget.used();
  for (int i = 0; i < 200; ++i) change(1, 2);
  REQUIRE(store.budget.used() == used);
  change(1, 5000);
  change(1, 2);
  REQUIRE(store.budget.used() == used);
  // A reader in between keeps a record, and with it what it says, from being used again.
  Transaction reader(store.manager);
  const Snapshot s = reader.snapshot();
  REQUIRE(store.find(s, 1)->second.v == 1);
  for (int i = 0; i < 20; ++i) change(1, 3 + i);
  REQUIRE(store.find(s, 1)->second.v == 1);
  reader.rollback();
  for (int i = 0; i < 20; ++i) change(1, 2);
  // Only so many records are kept.
  REQUIRE(store.budget.used() <= used + 8 * 1024);
}
