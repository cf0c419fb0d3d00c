// Tests 3, 4 and 6 of the contract (spec/concurrency.md), through SQL.
#include <catch2/catch.hpp>

#include <atomic>
#include <cstdlib>
#include <new>
#include <thread>

#include "engine/test_sql.h"

using namespace hdb;
using hdb::testing::Session;

// The n-th allocation of this thread from now on fails, once. 0: none does.
namespace {
thread_local uint64_t fail_in = 0;
thread_local bool failed = false;

void* counted(size_t bytes) {
  if (fail_in > 0 && --fail_in == 0) {
    failed = true;
    throw std::bad_alloc();
  }
  if (void* p = std::malloc(bytes > 0 ? bytes : 1)) return p;
  throw std::bad_alloc();
}
}  // namespace
void* operator new(size_t bytes) { return counted(bytes); }
void* operator new[](size_t bytes) { return counted(bytes); }
// std::stable_sort asks in this form; what delete below frees must come from malloc.
void* operator new(size_t bytes, const std::nothrow_t&) noexcept { return std::malloc(bytes > 0 ? bytes : 1); }
void* operator new[](size_t bytes, const std::nothrow_t&) noexcept { return std::malloc(bytes > 0 ? bytes : 1); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }
void operator delete[](void* p, size_t) noexcept { std::free(p); }

namespace {

// Prepared before, so that only the run itself is counted. "" or a SQLSTATE.
std::string run_failing(Session& s, const char* sql, uint64_t n) {
  size_t end = 0;
  const auto statement = s.connection().prepare(sql, 0, &end);
  failed = false;
  fail_in = n;
  std::string code;
  try {
    s.connection().execute(*statement);
  } catch (const Error& e) {
    fail_in = 0;
    code = e.sqlstate();
  } catch (const std::bad_alloc&) {
    code = "53200";
  }
  fail_in = 0;
  return code;
}

std::string state(Session& s) {
  std::string all = s.run("SELECT * FROM t ORDER BY id") + "\n" + s.run("SELECT COUNT(*), SUM(v) FROM t") + "\n";
  for (const char* mode : {"auto", "off"}) {
    s.run(std::string("SET summary_mode = ") + mode);
    for (const char* q : {"SELECT g, COUNT(*), SUM(v) FROM t GROUP BY g ORDER BY g", "SELECT h, COUNT(*), SUM(v) FROM t GROUP BY h ORDER BY h"}) all += s.run(q) + "\n";
  }
  s.run("SET summary_mode = auto");
  for (const char* name : {"s1", "s2"}) REQUIRE(s.run(std::string("SELECT differences FROM summary_verify('") + name + "')") == "0");
  return all + s.run("SHOW TABLES");
}

void make(Session& s) {
  REQUIRE(s.run("CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT, h BIGINT, v BIGINT); CREATE INDEX s1 ON t USING SUMMARY (g) INCLUDE (v);"
                "CREATE INDEX s2 ON t USING SUMMARY (h, g) INCLUDE (v); INSERT INTO t VALUES (1,'a',1,10),(2,'b',2,20),(3,NULL,NULL,NULL),(4,'a',2,40)") == "");
}

}  // namespace

TEST_CASE("every allocation in a commit fails once: wholly old or wholly new (contract test 3)") {
  const char* change = "BEGIN; INSERT INTO t VALUES (5,'new',77,50),(6,'a',1,60); UPDATE t SET g = 'newer', v = v + 1 WHERE id < 3; DELETE FROM t WHERE id = 4;"
                       "CREATE TABLE other(id BIGINT PRIMARY KEY)";
  std::string before, after;
  {
    Session s;
    make(s);
    before = state(s);
    s.run(change);
    s.run("COMMIT");
    after = state(s);
    REQUIRE(before != after);
  }
  uint64_t n = 1;
  for (;; ++n) {
    INFO("allocation " << n);
    Session s;
    make(s);
    REQUIRE(s.run(change) == "");
    const std::string code = run_failing(s, "COMMIT", n);
    if (!failed) break;
    const std::string now = state(s);
    REQUIRE((now == before || now == after));
    if (!code.empty()) REQUIRE(code == "53200");
    if (code.empty()) REQUIRE(now == after);
    REQUIRE(!s.connection().in_transaction());
    // And it goes on.
    if (!s.database().manager().poisoned()) REQUIRE(s.run("INSERT INTO t VALUES (9,'x',9,9); DELETE FROM t WHERE id = 9") == "");
    REQUIRE(state(s) == now);
  }
  REQUIRE(n > 3);  // there is something to fail
}

TEST_CASE("every allocation in a statement fails once: the statement undoes itself") {
  for (const char* sql : {"INSERT INTO t VALUES (5,'new',77,50),(6,'a',1,60),(7,'newest',NULL,70)", "UPDATE t SET g = 'other', id = id + 10, v = 1 WHERE id > 1",
                          "DELETE FROM t WHERE g = 'a'", "INSERT INTO t SELECT id + 100, g || 'x', h, v FROM t", "CREATE TABLE n(id BIGINT PRIMARY KEY, t BIGINT REFERENCES t)",
                          "CREATE INDEX s3 ON t USING SUMMARY (g, h) INCLUDE (v)", "CREATE UNIQUE INDEX u ON t(v)", "DROP INDEX s1", "TRUNCATE t"}) {
    for (const bool open : {false, true}) {
      INFO(sql << (open ? " in a transaction" : ""));
      Session s;
      make(s);
      if (open) REQUIRE(s.run("BEGIN; INSERT INTO t VALUES (50,'mine',5,5)") == "");
      const std::string before = state(s);
      uint64_t n = 1;
      for (;; ++n) {
        INFO("allocation " << n);
        const std::string code = run_failing(s, sql, n);
        if (!failed || code.empty()) break;
        REQUIRE(code == "53200");
        REQUIRE(!s.database().manager().poisoned());
        REQUIRE(state(s) == before);
      }
      REQUIRE(n > 3);
      if (open) {
        REQUIRE(s.run("ROLLBACK") == "");
        REQUIRE(s.run("SELECT COUNT(*) FROM t") == "4");
      }
      REQUIRE(s.run("INSERT INTO t VALUES (90,'x',9,9)") == "");
    }
  }
}

TEST_CASE("publication paused between two planes: readers at H and before agree with scans on both (contract test 4)") {
  Session writer, old(writer.database_ptr()), fresh(writer.database_ptr());
  make(writer);
  const char* by_g = "SELECT g, COUNT(*), SUM(v) FROM t GROUP BY g ORDER BY g";
  const char* by_h = "SELECT h, COUNT(*), SUM(v) FROM t GROUP BY h ORDER BY h";
  REQUIRE(old.run("BEGIN; SELECT COUNT(*) FROM t") == "4");
  REQUIRE(writer.run("INSERT INTO t VALUES (5,'e',5,555)") == "");
  std::atomic<int> planes{0};
  std::atomic<bool> go{false};
  writer.database().manager().set_publish_hook([&] {
    if (++planes == 1) {
      while (!go) std::this_thread::yield();
    }
  });
  std::thread commit([&] { writer.run("BEGIN; UPDATE t SET g = 'z', h = 9, v = 1 WHERE id = 1; DELETE FROM t WHERE id = 2; INSERT INTO t VALUES (7,'new',70,700); COMMIT"); });
  while (planes == 0) std::this_thread::yield();
  for (Session* reader : {&old, &fresh}) {
    for (const char* q : {by_g, by_h}) {
      reader->run("SET summary_mode = force");
      const std::string by_plane = reader->run(q);
      REQUIRE(reader->run("SET summary_mode = off; SET zone_sums = off; SET block_cells = off;" + std::string(q)) == by_plane);
      REQUIRE(by_plane.find("new") == std::string::npos);
      REQUIRE((by_plane.find("|555") != std::string::npos) == (reader == &fresh));
    }
    for (const char* name : {"s1", "s2"}) REQUIRE(reader->run(std::string("SELECT differences FROM summary_verify('") + name + "')") == "0");
  }
  go = true;
  commit.join();
  writer.database().manager().set_publish_hook({});
  REQUIRE(old.run(by_g) == "NULL|1|NULL\na|2|50\nb|1|20");
  REQUIRE(fresh.run(by_g) == "NULL|1|NULL\na|1|40\ne|1|555\nnew|1|700\nz|1|1");
  REQUIRE(fresh.run("SET summary_mode = force;" + std::string(by_h)) == "NULL|1|NULL\n2|1|40\n5|1|555\n9|1|1\n70|1|700");
}

TEST_CASE("an open result stays as it was when its rows are rolled back (contract test 6)") {
  Session s;
  s.run("CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT); BEGIN; INSERT INTO t VALUES (1,'a'); SAVEPOINT p; INSERT INTO t VALUES (2,'b')");
  size_t end = 0;
  const auto cursor = s.connection().prepare("SELECT * FROM t ORDER BY id", 0, &end);
  s.connection().execute(*cursor);
  REQUIRE(s.run("INSERT INTO t VALUES (3,'c'); ROLLBACK TO p") == "");
  REQUIRE(Session::rows_of(*cursor) == "1|a\n2|b");
  REQUIRE(s.run("COMMIT; DROP TABLE t") == "");
  REQUIRE(Session::rows_of(*cursor) == "1|a\n2|b");
}
