// With a log that holds durability back: nobody sees, and nobody is told, what a crash could take back (contract test 5; C7).
#include <catch2/catch.hpp>

#include <atomic>
#include <thread>

#include "engine/test_sql.h"
#include "log/memory_log.h"

using namespace hdb;
using hdb::testing::Session;

namespace {

std::shared_ptr<Database> held() {
  DatabaseOptions options;
  options.log = [](TransactionManager& m) { return std::make_unique<SimulatedLog>(m); };
  options.holds_durable = true;
  return std::make_shared<Database>(options);
}
SimulatedLog& log_of(Session& s) { return static_cast<SimulatedLog&>(s.database().log()); }

// A statement on its own thread, whose answer may have to wait.
class Later {
 public:
  Later(Session& s, std::string sql) : thread_([this, &s, sql] {
    answer_ = s.run(sql);
    done_ = true;
  }) {}
  bool done() const { return done_; }
  std::string wait() {
    thread_.join();
    return answer_;
  }

 private:
  std::string answer_;
  std::atomic<bool> done_{false};
  std::thread thread_;
};

void until_waiting(Session& s, uint32_t n) {
  while (log_of(s).waiting() < n) std::this_thread::yield();
}
void setup(Session& s, const char* sql) {
  Later work(s, sql);
  while (!work.done()) {
    log_of(s).release();
    std::this_thread::yield();
  }
  REQUIRE(work.wait() == "");
}

}  // namespace

TEST_CASE("others see D; a writer builds on H but returns nothing until D has caught up") {
  Session a(held()), b(a.database_ptr()), c(a.database_ptr());
  setup(a, "CREATE TABLE t(id BIGINT PRIMARY KEY); INSERT INTO t VALUES (1)");
  Later first(a, "INSERT INTO t VALUES (2)");
  until_waiting(a, 1);
  REQUIRE(b.run("SELECT COUNT(*) FROM t") == "1");
  // The next writer takes its turn meanwhile and reads at H; its answer would give the commit away.
  Later second(c, "BEGIN; DELETE FROM t WHERE id = 2; COMMIT; SELECT COUNT(*) FROM t");
  until_waiting(a, 2);
  REQUIRE(!first.done());
  REQUIRE(!second.done());
  REQUIRE(b.run("SELECT COUNT(*) FROM t") == "1");
  // Its error as well.
  log_of(a).release(3);
  REQUIRE(first.wait() == "");
  while (!second.done()) {
    log_of(a).release();
    std::this_thread::yield();
  }
  REQUIRE(second.wait() == "1");
  REQUIRE(b.run("SELECT COUNT(*) FROM t") == "1");
}

TEST_CASE("an error that a not yet durable commit caused waits for it, without the turn") {
  Session a(held()), b(a.database_ptr());
  setup(a, "CREATE TABLE t(id BIGINT PRIMARY KEY)");
  Later first(a, "INSERT INTO t VALUES (1)");
  until_waiting(a, 1);
  Later duplicate(b, "INSERT INTO t VALUES (1)");
  until_waiting(a, 2);
  REQUIRE(!duplicate.done());
  REQUIRE(a.database().manager().try_reclaim());  // the turn is free
  log_of(a).release();
  REQUIRE(first.wait() == "");
  REQUIRE(duplicate.wait() == "error 23505");
}

TEST_CASE("40001 is told only when the change that caused it is durable; an untouched table causes none") {
  Session a(held()), b(a.database_ptr());
  setup(a, "CREATE TABLE t(id BIGINT PRIMARY KEY); CREATE TABLE u(id BIGINT PRIMARY KEY)");
  REQUIRE(b.run("BEGIN; SELECT COUNT(*) FROM t") == "0");
  Later first(a, "INSERT INTO t VALUES (1)");
  until_waiting(a, 1);
  Later overtaken(b, "INSERT INTO u VALUES (1)");
  until_waiting(a, 2);
  REQUIRE(!overtaken.done());
  log_of(a).release();
  REQUIRE(overtaken.wait() == "error 40001");
  REQUIRE(first.wait() == "");
  // Read u, then write it, while t changed: no 40001.
  REQUIRE(b.run("ROLLBACK; BEGIN; SELECT COUNT(*) FROM u") == "0");
  Later other(a, "INSERT INTO t VALUES (2)");
  until_waiting(a, 1);
  Later fine(b, "INSERT INTO u VALUES (1); COMMIT");
  while (!fine.done() || !other.done()) {
    log_of(a).release();
    std::this_thread::yield();
  }
  REQUIRE(fine.wait() == "");
  REQUIRE(other.wait() == "");
}

TEST_CASE("the sync fails: waiting commits are told so, nobody ever saw them, later ones are refused") {
  Session a(held()), b(a.database_ptr());
  setup(a, "CREATE TABLE t(id BIGINT PRIMARY KEY); INSERT INTO t VALUES (1)");
  Later lost(a, "INSERT INTO t VALUES (2)");
  until_waiting(a, 1);
  log_of(a).fail_sync();
  REQUIRE(lost.wait() == "error 58030");
  REQUIRE(b.run("SELECT COUNT(*) FROM t") == "1");
  REQUIRE(b.run("INSERT INTO t VALUES (3)").substr(0, 5) == "error");
  REQUIRE(a.run("SELECT COUNT(*) FROM t") == "1");
}

TEST_CASE("a group that cannot be appended undoes its transaction") {
  Session a(held());
  setup(a, "CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT); CREATE INDEX s ON t USING SUMMARY (g); INSERT INTO t VALUES (1,'a')");
  log_of(a).fail_next_append();
  REQUIRE(a.run("INSERT INTO t VALUES (2,'b')") == "error 58030");
  REQUIRE(a.run("SELECT COUNT(*) FROM t") == "1");
  REQUIRE(a.run("SELECT * FROM summary_verify('s')") == "1|0");
  setup(a, "INSERT INTO t VALUES (2,'c')");
  REQUIRE(a.run("SELECT g FROM t WHERE id = 2") == "c");
}
