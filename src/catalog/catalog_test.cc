#include <catch2/catch.hpp>

#include "catalog/catalog.h"
#include "txn/transaction.h"

using namespace hdb;

namespace {

struct World {
  MemoryBudget budget;
  TransactionManager manager{&budget};
  Catalog catalog;

  std::shared_ptr<TableDef> def(uint64_t id, const std::string& name) {
    auto d = std::make_shared<TableDef>();
    d->id = id;
    d->name = d->folded = name;
    return d;
  }
  Snapshot now() {
    Transaction t(manager);
    return t.snapshot();
  }
  std::string names(const Snapshot& s) {
    std::string out;
    for (const auto& t : catalog.tables(s)) out += t->name + " ";
    return out;
  }
};

}  // namespace

TEST_CASE("a change is the transaction's own until it commits (C1), and is undone with it") {
  World w;
  Transaction t(w.manager);
  t.begin_write();
  const auto a = w.def(w.catalog.next_id(), "a");
  REQUIRE(w.catalog.mark(t.snapshot()) == 0);
  w.catalog.change(t, nullptr, a);
  REQUIRE(w.catalog.find_table("a", t.snapshot()) == a);
  REQUIRE(w.catalog.find_table(a->id, t.snapshot()) == a);
  REQUIRE(w.catalog.find_table("a", w.now()) == nullptr);
  const uint64_t mark = w.catalog.mark(t.snapshot());
  REQUIRE(mark != 0);
  REQUIRE(w.catalog.mark(w.now()) == 0);

  const uint64_t position = t.position();
  w.catalog.change(t, a, nullptr);
  REQUIRE(w.catalog.find_table("a", t.snapshot()) == nullptr);
  REQUIRE(w.catalog.mark(t.snapshot()) != mark);
  t.undo_to(position);
  REQUIRE(w.catalog.find_table("a", t.snapshot()) == a);
  REQUIRE(w.catalog.mark(t.snapshot()) != mark);  // marks do not recur
  t.rollback();
  REQUIRE(w.catalog.find_table("a", w.now()) == nullptr);
  REQUIRE(w.catalog.version_count() == 0);
  REQUIRE(w.catalog.last_change() == 0);
}

TEST_CASE("readers see the version of their snapshot; reclaiming waits for them (C11)") {
  World w;
  Transaction create(w.manager);
  create.begin_write();
  const auto a1 = w.def(w.catalog.next_id(), "a");
  w.catalog.change(create, nullptr, a1);
  const uint64_t version = w.catalog.version();
  create.commit();
  REQUIRE(w.catalog.version() != version);
  REQUIRE(w.catalog.last_change() == 1);

  Transaction reader(w.manager);
  const Snapshot old = reader.snapshot();
  REQUIRE(w.catalog.find_table("a", old) == a1);
  {
    Transaction t(w.manager);
    t.begin_write();
    auto a2 = w.def(a1->id, "a");
    w.catalog.change(t, a1, a2);
    w.catalog.change(t, nullptr, w.def(w.catalog.next_id(), "b"));
    REQUIRE(w.catalog.find_table("a", t.snapshot()) == a2);
    t.commit();
  }
  REQUIRE(w.catalog.find_table("a", old) == a1);
  REQUIRE(w.catalog.find_table("a", w.now()) != a1);
  REQUIRE(w.names(old) == "a ");
  REQUIRE(w.names(w.now()) == "a b ");
  REQUIRE(w.catalog.version_count() == 3);
  reader.rollback();
  REQUIRE(w.manager.try_reclaim());
  REQUIRE(w.catalog.version_count() == 2);
  REQUIRE(w.names(w.now()) == "a b ");
}

TEST_CASE("names match without case where a user wrote them; an unknown one is 42P01") {
  World w;
  Transaction t(w.manager);
  t.begin_write();
  w.catalog.change(t, nullptr, w.def(w.catalog.next_id(), "orders"));
  REQUIRE(w.catalog.require_table("ORDERS", t.snapshot(), 3)->name == "orders");
  try {
    w.catalog.require_table("nope", t.snapshot(), 7);
    FAIL("no error");
  } catch (const Error& e) {
    REQUIRE(std::string(e.sqlstate()) == sqlstate::kUndefinedTable);
    REQUIRE(e.position() == 7);
  }
  t.rollback();
}

TEST_CASE("a name that was dropped and made again is another table") {
  World w;
  uint64_t first = 0;
  for (int i = 0; i < 3; ++i) {
    Transaction t(w.manager);
    t.begin_write();
    if (i > 0) w.catalog.change(t, w.catalog.find_table("t", t.snapshot()), nullptr);
    const auto fresh = w.def(w.catalog.next_id(), "t");
    w.catalog.change(t, nullptr, fresh);
    REQUIRE(w.catalog.find_table("t", t.snapshot()) == fresh);
    REQUIRE(fresh->id != first);
    first = fresh->id;
    t.commit();
  }
  w.manager.try_reclaim();
  REQUIRE(w.catalog.version_count() == 1);
}
