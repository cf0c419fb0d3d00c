// Invariants checked: C8 (keys, references), J2, S5, and the order of sinks, journal and bytes when a change fails half-way.
#include "txn/change.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "txn/test_store.h"

using namespace hdb;
using hdb::testing::Row;
using hdb::testing::Rows;
using hdb::testing::TestStore;

namespace {

// A sink that refuses its n-th row.
class Refusing final : public RowSink {
 public:
  std::span<const uint32_t> columns() const override { return columns_; }
  void apply(const Datum* row, int sign) override {
    if (sign > 0 && refuse_at-- == 0) fail(sqlstate::kProgramLimit, "refused");
    sum += sign * (row[2].null ? 0 : row[2].i64());
    rows += sign;
  }
  void prepare() override {}
  void publish(uint64_t) noexcept override {}
  void discard() noexcept override {}
  void reclaim(const SnapshotRegistry&) noexcept override {}
  int64_t rows = 0, sum = 0, refuse_at = INT64_MAX;

 private:
  std::vector<uint32_t> columns_{2};
};

std::string code_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.sqlstate();
  }
  return "";
}

}  // namespace

TEST_CASE("a sink that refuses leaves rows, keys and the other sinks as before") {
  TestStore store;
  const auto before = std::make_shared<Refusing>(), refusing = std::make_shared<Refusing>();
  store.table->sinks = {before, refusing};
  Transaction t(store.manager);
  t.begin_write();
  const uint64_t row = store.insert(t, 1, {"a", 10, 0});
  const Rows rows = store.scan(t.snapshot());
  const uint64_t mark = t.position();
  refusing->refuse_at = 2;
  std::vector<Datum> id, g, v, d;
  for (int64_t i = 2; i < 6; ++i) {
    id.push_back(Datum::of(i));
    g.push_back({});
    v.push_back(Datum::of(i));
    d.push_back({});
  }
  const Datum* columns[4] = {id.data(), g.data(), v.data(), d.data()};
  REQUIRE(code_of([&] { insert_rows(t, *store.table, columns, 4); }) == "54000");
  t.undo_to(mark);
  REQUIRE(store.scan(t.snapshot()) == rows);
  for (const auto& s : {before, refusing}) {
    REQUIRE(s->rows == 1);
    REQUIRE(s->sum == 10);
  }
  refusing->refuse_at = 0;
  REQUIRE(code_of([&] { store.update(t, row, {"b", 99, 0}); }) == "54000");
  t.undo_to(mark);
  REQUIRE(store.scan(t.snapshot()) == rows);
  REQUIRE((before->sum == 10 && refusing->sum == 10));
  refusing->refuse_at = INT64_MAX;
  // Symptom: a duplicate key in a table with a summary crashed, for the refusal came before the first sink.
  const Datum* again[4] = {id.data(), g.data(), v.data(), d.data()};
  id[3] = id[2];
  REQUIRE(code_of([&] { insert_rows(t, *store.table, again, 4); }) == "23505");
  t.undo_to(mark);
  id[3] = Datum::of(int64_t{5});
  REQUIRE((before->rows == 1 && refusing->rows == 1));
  // The keys of the refused rows are free again.
  REQUIRE(insert_rows(t, *store.table, columns, 4) != UINT64_MAX);
  t.end_statement();
}

TEST_CASE("a duplicate inside of one call, or NULL in the key, is refused") {
  TestStore store;
  Transaction t(store.manager);
  t.begin_write();
  const Datum id[2] = {Datum::of(int64_t{7}), Datum::of(int64_t{7})}, null[2] = {};
  const Datum* twice[4] = {id, null, null, null};
  REQUIRE(code_of([&] { insert_rows(t, *store.table, twice, 2); }) == "23505");
  t.undo_to(0);
  const Datum* missing[4] = {null, null, null, null};
  REQUIRE(code_of([&] { insert_rows(t, *store.table, missing, 1); }) == "23502");
  t.undo_to(0);
  REQUIRE(store.scan(t.snapshot()).empty());
}

TEST_CASE("a key behind all others is free, one that any row has is not, however it came there") {
  TestStore store;
  Transaction t(store.manager);
  t.begin_write();
  const auto refused = [&](int64_t id) {
    const uint64_t mark = t.position();
    const std::string code = code_of([&] { store.insert(t, id, {}); });
    t.undo_to(mark);
    return code == "23505";
  };
  for (int64_t i = 0; i < 10; ++i) store.insert(t, i, {});
  REQUIRE((refused(9) && refused(0) && refused(5)));
  const uint64_t mark = t.position();
  for (int64_t i = 10; i < 20; ++i) store.insert(t, i, {});
  t.undo_to(mark);
  // What was undone is free; rows of other keys take its place.
  const uint64_t moved = store.insert(t, 30, {});
  REQUIRE_FALSE(refused(10));
  REQUIRE(refused(30));
  store.insert(t, 12, {});
  REQUIRE((refused(12) && refused(30) && !refused(31)));
  // A row that takes another key leaves its own behind.
  const uint32_t column = 0;
  const Datum there = Datum::of(int64_t{40});
  REQUIRE(update_row(t, *store.table, moved, {&column, 1}, &there));
  t.end_statement();
  REQUIRE((refused(40) && !refused(30) && !refused(41)));
  store.insert(t, 30, {});
  store.insert(t, 41, {});
  REQUIRE((refused(30) && refused(40) && refused(41) && refused(12)));
  for (const int64_t id : {30, 40, 41, 12, 0, 9}) REQUIRE(store.find(t.snapshot(), id).has_value());
}

TEST_CASE("in a large table free slots are used again once they are many") {
  TestStore store;
  constexpr int64_t kCount = 20'000;
  const auto remove = [&](uint64_t from, uint64_t to) {
    Transaction t(store.manager);
    t.begin_write();
    for (uint64_t row = from; row < to; ++row) REQUIRE(delete_row(t, *store.table, row));
    t.commit();
  };
  const auto insert = [&](int64_t id) {
    Transaction t(store.manager);
    t.begin_write();
    const uint64_t row = store.insert(t, id, {});
    t.commit();
    return row;
  };
  {
    Transaction t(store.manager);
    t.begin_write();
    std::vector<Datum> id(kCount), null(kCount);
    for (int64_t i = 0; i < kCount; ++i) id[static_cast<size_t>(i)] = Datum::of(i);
    const Datum* columns[4] = {id.data(), null.data(), null.data(), null.data()};
    insert_rows(t, *store.table, columns, kCount);
    t.commit();
  }
  remove(0, 10);
  REQUIRE(insert(kCount) == uint64_t{kCount});
  remove(10, 3'000);
  const uint64_t row = insert(5);
  REQUIRE(row < 3'000);
  Transaction t(store.manager);
  REQUIRE(store.find(t.snapshot(), 5)->first == row);
  REQUIRE(store.find(t.snapshot(), kCount)->first == uint64_t{kCount});
  REQUIRE_FALSE(store.find(t.snapshot(), 6).has_value());
}

TEST_CASE("keys may pass through each other's values inside of one statement") {
  TestStore store;
  Transaction t(store.manager);
  t.begin_write();
  std::vector<uint64_t> rows;
  for (int64_t i = 0; i < 100; ++i) rows.push_back(store.insert(t, i, {std::nullopt, i, 0}));
  t.end_statement();
  const uint32_t column = 0;
  for (size_t i = 0; i < 100; ++i) {
    const Datum next = Datum::of(static_cast<int64_t>(i) + 1);
    REQUIRE(update_row(t, *store.table, rows[i], {&column, 1}, &next));
  }
  t.end_statement();
  REQUIRE_FALSE(store.find(t.snapshot(), 0).has_value());
  for (int64_t i = 1; i <= 100; ++i) REQUIRE(store.find(t.snapshot(), i)->second.v == i - 1);
}

TEST_CASE("references: a child needs its parent, a parent with children stays, a row may refer to itself") {
  TestStore store;
  auto child = std::make_shared<Table>(2, "child", std::vector<ColumnShape>{{"ref", Type::bigint(), false}}, &store.budget);
  child->references.push_back({"ref", {0}, store.table, {0}, store.key});
  store.table->children.push_back({child, {0}, {0}});
  Transaction t(store.manager);
  t.begin_write();
  const uint64_t parent = store.insert(t, 1, {});
  const auto refer = [&](Datum d) {
    const Datum* columns[1] = {&d};
    insert_rows(t, *child, columns, 1);
    t.end_statement();
  };
  refer(Datum::of(int64_t{1}));
  refer({});
  uint64_t mark = t.position();
  REQUIRE(code_of([&] { refer(Datum::of(int64_t{2})); }) == "23503");
  t.undo_to(mark);
  REQUIRE(code_of([&] { delete_row(t, *store.table, parent); t.end_statement(); }) == "23503");
  t.undo_to(mark);
  const uint32_t column = 0;
  const Datum other = Datum::of(int64_t{5});
  REQUIRE(code_of([&] { update_row(t, *store.table, parent, {&column, 1}, &other); t.end_statement(); }) == "23503");
  t.undo_to(mark);
  // Gone and back within one statement: nothing is broken at its end.
  delete_row(t, *store.table, parent);
  store.insert(t, 1, {});
  t.end_statement();
  REQUIRE(delete_row(t, *child, 0));
  t.end_statement();
  mark = t.position();
  REQUIRE(delete_row(t, *store.table, store.find(t.snapshot(), 1)->first));
  t.end_statement();
}

TEST_CASE("an update of every key held the writer for minutes: reclaiming walked the block's chain for each row") {
  TestStore store;
  const auto hashed = std::make_shared<KeyIndex>("t_id_key", std::vector<uint32_t>{0}, false, false, &store.budget);  // no runs
  store.table->keys.push_back(hashed);
  constexpr int64_t kRows = 60'000;  // by the walk: 60,000 x some 8,000 entries
  std::vector<uint64_t> rows;
  const auto rekey = [&](int64_t sign) {
    Transaction t(store.manager);
    t.begin_write();
    const uint32_t columns[1] = {0};
    for (int64_t i = 1; i <= kRows; ++i) {
      const Datum id = Datum::of(sign * i);
      update_row(t, *store.table, rows[static_cast<size_t>(i) - 1], columns, &id);
    }
    t.end_statement();
    t.commit();
  };
  {
    Transaction t(store.manager);
    t.begin_write();
    for (int64_t i = 1; i <= kRows; ++i) rows.push_back(store.insert(t, i, {"a", i, 0}));
    t.end_statement();
    t.commit();
  }
  const auto start = std::chrono::steady_clock::now();
  rekey(-1);
  store.manager.try_reclaim();
  REQUIRE(hashed->entries() == kRows);
  rekey(+1);
  store.manager.try_reclaim();
  REQUIRE(hashed->entries() == kRows);
  REQUIRE(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
}

TEST_CASE("keys of updates that were rolled back stayed in the index; keys that came back and went again are kept while they are needed") {
  TestStore store;
  const auto hashed = std::make_shared<KeyIndex>("t_id_key", std::vector<uint32_t>{0}, false, false, &store.budget);  // no runs
  store.table->keys.push_back(hashed);
  uint64_t row = 0;
  const uint32_t columns[1] = {0};
  const auto set = [&](Transaction& t, int64_t id) {
    const Datum value = Datum::of(id);
    update_row(t, *store.table, row, columns, &value);
    t.end_statement();
  };
  const auto find = [&](const Snapshot& s, int64_t id) {
    const EpochManager::Guard guard(store.manager.epochs());
    const Datum key = Datum::of(id);
    uint64_t hash = 0;
    hash_key(*store.table, hashed->columns(), &key, &hash);
    return hashed->find(&key, hash, [&](uint64_t r) {
      Datum there;
      return read_row(*store.table, r, columns, s, &there) && there.i64() == id;
    });
  };
  {
    Transaction t(store.manager);
    t.begin_write();
    row = store.insert(t, 1, {"a", 1, 0});
    set(t, 100);
    t.commit();
  }
  store.manager.try_reclaim();
  REQUIRE(hashed->entries() == 1);
  for (int64_t i = 0; i < 10; ++i) {
    Transaction t(store.manager);
    t.begin_write();
    set(t, 200 + i);
    t.rollback();
  }
  REQUIRE(hashed->entries() == 1);
  // 100 -> 4 -> 100 -> 5, with a reader before each.
  std::vector<std::unique_ptr<Transaction>> readers;
  std::vector<int64_t> seen{100, 4, 100, 5};
  for (size_t i = 0; i < seen.size(); ++i) {
    if (i > 0) {
      Transaction t(store.manager);
      t.begin_write();
      set(t, seen[i]);
      t.commit();
    }
    readers.push_back(std::make_unique<Transaction>(store.manager));
    REQUIRE(find(readers.back()->snapshot(), seen[i]));
  }
  for (size_t closed = 0; closed < seen.size(); ++closed) {
    readers[closed]->rollback();
    store.manager.try_reclaim();
    for (size_t i = closed + 1; i < seen.size(); ++i) REQUIRE(find(readers[i]->snapshot(), seen[i]));
  }
  store.manager.try_reclaim();
  REQUIRE(hashed->entries() == 1);
}
