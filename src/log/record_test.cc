#include <catch2/catch.hpp>

#include "log/record.h"
#include "txn/test_store.h"

using namespace hdb;
using hdb::testing::Row;
using hdb::testing::TestStore;

namespace {

std::vector<LoggedRecord> records(const std::string& group) {
  std::vector<LoggedRecord> all;
  GroupReader reader(group);
  LoggedRecord r;
  while (reader.next(&r)) all.push_back(r);
  return all;
}

}  // namespace

TEST_CASE("a row that was touched often is logged once, as it is at the end (C12)") {
  TestStore store;
  std::string group;
  Transaction t(store.manager);
  t.begin_write();
  const uint64_t one = store.insert(t, 1, Row{"a", 5, 0.5}), two = store.insert(t, 2, Row{"b", {}, -0.0});
  store.update(t, one, Row{"c", 6, 1.5});
  store.update(t, one, Row{{}, 7, 2.5});
  delete_row(t, *store.table, two);
  encode_group(t, 9, &group);
  const auto all = records(group);
  REQUIRE(GroupReader(group).sequence() == 9);
  REQUIRE(all.size() == 2);
  REQUIRE(all[0].kind == RecordKind::kDelete);
  REQUIRE(all[0].row_id == two);
  REQUIRE(all[1].kind == RecordKind::kRow);
  REQUIRE(all[1].row_id == one);
  REQUIRE(all[1].values.size() == 4);
  REQUIRE(all[1].values[0].raw == 1);
  REQUIRE(all[1].values[1].null);
  REQUIRE(static_cast<int64_t>(all[1].values[2].raw) == 7);
  REQUIRE(std::bit_cast<double>(all[1].values[3].raw) == 2.5);
  t.rollback();
}

TEST_CASE("a definition cuts the changes: before it the row as it was there") {
  TestStore store;
  std::string group;
  Transaction t(store.manager);
  t.begin_write();
  const uint64_t row = store.insert(t, 1, Row{"before", 5, 0.5});
  const auto action = std::make_shared<JournalAction>();
  action->undo = [] {};
  action->redo = "CREATE TABLE x(id BIGINT)";
  action->redo_id = 17;
  t.push_action(action);
  store.update(t, row, Row{"behind", 6, 0.5});
  encode_group(t, 1, &group);
  const auto all = records(group);
  REQUIRE(all.size() == 3);
  REQUIRE(all[0].values[1].text == "before");
  REQUIRE(all[1].kind == RecordKind::kCatalog);
  REQUIRE(all[1].next_id == 17);
  REQUIRE(all[1].sql == "CREATE TABLE x(id BIGINT)");
  REQUIRE(all[2].values[1].text == "behind");
  t.rollback();
}

TEST_CASE("a load is a range, without the rows that its own transaction changed") {
  TestStore store;
  std::string group;
  Transaction t(store.manager);
  t.begin_write();
  std::vector<Datum> id, g, v, d;
  for (int64_t i = 0; i < 20; ++i) {
    id.push_back(Datum::of(i));
    g.push_back(i % 3 == 0 ? Datum{} : store.table->intern(1, "g" + std::to_string(i)));
    v.push_back(i == 4 ? Datum{} : Datum::of(-i));
    d.push_back(Datum::of(0.25));
  }
  const Datum* columns[4] = {id.data(), g.data(), v.data(), d.data()};
  const uint64_t first = insert_rows(t, *store.table, columns, 20);
  encode_group(t, 1, &group);
  auto all = records(group);
  REQUIRE(all.size() == 1);
  REQUIRE(all[0].kind == RecordKind::kRange);
  REQUIRE(all[0].rows == 20);
  REQUIRE(all[0].range[1].value(3).null);
  REQUIRE(all[0].range[1].value(4).text == "g4");
  REQUIRE(all[0].range[2].value(4).null);
  REQUIRE(static_cast<int64_t>(all[0].range[2].value(5).raw) == -5);
  delete_row(t, *store.table, first + 7);
  encode_group(t, 1, &group);
  all = records(group);
  REQUIRE(all.size() == 20);
  REQUIRE(all[0].kind == RecordKind::kDelete);
  t.rollback();
}

TEST_CASE("single inserts side by side are logged as a load is, without the rows that their own transaction changed") {
  TestStore store;
  std::string group;
  Transaction t(store.manager);
  t.begin_write();
  uint64_t first = 0;
  for (int64_t i = 0; i < 20; ++i) {
    const uint64_t row = store.insert(t, i, i % 3 == 0 ? Row{{}, i, 0.5} : Row{"g" + std::to_string(i), {}, 0.5});
    if (i == 0) first = row;
  }
  encode_group(t, 1, &group);
  auto all = records(group);
  REQUIRE(all.size() == 1);
  REQUIRE(all[0].kind == RecordKind::kRange);
  REQUIRE(all[0].row_id == first);
  REQUIRE(all[0].rows == 20);
  REQUIRE(all[0].range[1].value(3).null);
  REQUIRE(all[0].range[1].value(4).text == "g4");
  REQUIRE(all[0].range[2].value(4).null);
  REQUIRE(all[0].range[2].value(6).raw == 6);
  // A definition cuts: twenty rows before it, as they were there, and three behind it.
  const auto action = std::make_shared<JournalAction>();
  action->undo = [] {};
  action->redo = "CREATE TABLE x(id BIGINT)";
  t.push_action(action);
  for (int64_t i = 20; i < 23; ++i) store.insert(t, i, Row{"behind", i, 0.5});
  store.update(t, first + 4, Row{"changed", 44, 0.5});
  encode_group(t, 1, &group);
  all = records(group);
  REQUIRE(all.size() == 6);
  REQUIRE(all[0].kind == RecordKind::kRange);
  REQUIRE(all[0].rows == 20);
  REQUIRE(all[0].range[1].value(4).text == "g4");
  REQUIRE(all[1].kind == RecordKind::kCatalog);
  REQUIRE(all[2].values[1].text == "changed");
  REQUIRE(all[5].row_id == first + 22);
  delete_row(t, *store.table, first + 22);
  encode_group(t, 1, &group);
  all = records(group);
  REQUIRE(all.size() == 6);
  REQUIRE(all[2].kind == RecordKind::kDelete);
  REQUIRE(all[2].row_id == first + 22);
  t.rollback();
}

TEST_CASE("what is no group is refused: cut short, longer, another kind, a wrong sum") {
  TestStore store;
  std::string group;
  Transaction t(store.manager);
  t.begin_write();
  store.insert(t, 1, Row{"text", 5, 0.5});
  encode_group(t, 1, &group);
  REQUIRE(records(group).size() == 1);
  for (size_t i = 0; i < group.size(); ++i) {
    REQUIRE_THROWS_AS(GroupReader(std::string_view(group).substr(0, i)), Error);
    std::string bad = group;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    REQUIRE_THROWS_AS(GroupReader(bad), Error);
  }
  REQUIRE_THROWS_AS(GroupReader(group + "x"), Error);
  t.rollback();
}
