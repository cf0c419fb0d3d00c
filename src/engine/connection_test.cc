#include <catch2/catch.hpp>

#include <thread>

#include "engine/test_sql.h"

using namespace hdb;
using hdb::testing::Session;

TEST_CASE("transactions as statements and their SQLSTATEs") {
  Session s;
  s.run("CREATE TABLE t(id BIGINT PRIMARY KEY)");
  REQUIRE(s.run("COMMIT") == "error 25P01");
  REQUIRE(s.run("ROLLBACK") == "error 25P01");
  REQUIRE(s.run("SAVEPOINT a") == "error 25P01");
  REQUIRE(s.run("ROLLBACK TO a") == "error 25P01");
  REQUIRE(s.run("RELEASE a") == "error 25P01");
  REQUIRE(s.run("BEGIN; BEGIN") == "error 25001");
  REQUIRE(s.run("ROLLBACK TO nope") == "error 3B001");
  REQUIRE(s.run("INSERT INTO t VALUES (1); SAVEPOINT a; INSERT INTO t VALUES (2); SAVEPOINT b; INSERT INTO t VALUES (3); SELECT COUNT(*) FROM t") == "3");
  REQUIRE(s.run("ROLLBACK TO B; SELECT COUNT(*) FROM t") == "2");
  REQUIRE(s.run("ROLLBACK TO a; ROLLBACK TO b") == "error 3B001");
  REQUIRE(s.run("SELECT COUNT(*) FROM t") == "1");
  REQUIRE(s.run("RELEASE a; RELEASE a") == "error 3B001");
  REQUIRE(s.run("COMMIT; SELECT COUNT(*) FROM t") == "1");
}

TEST_CASE("a failed statement undoes itself and leaves the transaction open") {
  Session s;
  s.run("CREATE TABLE t(id BIGINT PRIMARY KEY); BEGIN; INSERT INTO t VALUES (1)");
  REQUIRE(s.run("INSERT INTO t VALUES (2), (1)") == "error 23505");
  REQUIRE(s.run("SELECT 1/0") == "error 22012");
  REQUIRE(s.run("nonsense") == "error 42601");
  REQUIRE(s.run("SELECT id FROM t") == "1");
  REQUIRE(s.run("INSERT INTO t VALUES (3); COMMIT; SELECT id FROM t ORDER BY id") == "1\n3");
}

TEST_CASE("a prepared COUNT(*) sees its own writes and their undoing: 0, 1, 0 (case 17)") {
  Session s;
  s.run("CREATE TABLE t(id BIGINT PRIMARY KEY)");
  size_t end = 0;
  const auto count = s.connection().prepare("SELECT COUNT(*) FROM t", 0, &end);
  const auto run = [&] {
    s.connection().execute(*count);
    return Session::rows_of(*count);
  };
  REQUIRE(run() == "0");
  s.run("BEGIN; INSERT INTO t VALUES (1)");
  REQUIRE(run() == "1");
  s.run("SAVEPOINT a; INSERT INTO t VALUES (2)");
  REQUIRE(run() == "2");
  s.run("ROLLBACK TO a");
  REQUIRE(run() == "1");
  s.run("ROLLBACK");
  REQUIRE(run() == "0");
}

TEST_CASE("a prepared plan is bound again when the catalog changed, also by what was undone") {
  Session s;
  s.run("CREATE TABLE t(id BIGINT); INSERT INTO t VALUES (1)");
  size_t end = 0;
  const auto q = s.connection().prepare("SELECT * FROM t", 0, &end);
  const auto run = [&]() -> std::string {
    try {
      s.connection().execute(*q);
    } catch (const Error& e) {
      return e.sqlstate();
    }
    return Session::rows_of(*q);
  };
  REQUIRE(run() == "1");
  s.run("BEGIN; DROP TABLE t; CREATE TABLE t(a TEXT, b TEXT); INSERT INTO t VALUES ('x','y')");
  REQUIRE(run() == "x|y");
  s.run("ROLLBACK");
  REQUIRE(run() == "1");
  s.run("DROP TABLE t");
  REQUIRE(run() == "42P01");
  s.run("CREATE TABLE t(z DOUBLE); INSERT INTO t VALUES (0.5)");
  REQUIRE(run() == "0.5");
  // The same text through the cache, under an older snapshot that still sees the old table.
  Session old(s.database_ptr());
  REQUIRE(old.run("BEGIN; SELECT * FROM t") == "0.5");
  s.run("DROP TABLE t; CREATE TABLE t(id BIGINT); INSERT INTO t VALUES (7)");
  REQUIRE(s.run("SELECT * FROM t") == "7");
  REQUIRE(old.run("SELECT * FROM t") == "0.5");
  REQUIRE(old.run("COMMIT; SELECT * FROM t") == "7");
}

TEST_CASE("readers keep their snapshot; overtaken reads get 40001, untouched tables do not") {
  Session a, b(a.database_ptr());
  a.run("CREATE TABLE t(id BIGINT PRIMARY KEY); CREATE TABLE u(id BIGINT PRIMARY KEY); INSERT INTO t VALUES (1)");
  REQUIRE(a.run("BEGIN; SELECT COUNT(*) FROM t") == "1");
  b.run("INSERT INTO t VALUES (2)");
  REQUIRE(a.run("SELECT COUNT(*) FROM t") == "1");
  REQUIRE(a.run("INSERT INTO t VALUES (3)") == "error 40001");
  REQUIRE(a.run("SELECT COUNT(*) FROM t") == "1");
  REQUIRE(a.run("ROLLBACK; SELECT COUNT(*) FROM t") == "2");
  REQUIRE(a.run("BEGIN; SELECT COUNT(*) FROM t") == "2");
  b.run("INSERT INTO u VALUES (1)");
  REQUIRE(a.run("INSERT INTO t VALUES (3); COMMIT; SELECT COUNT(*) FROM t") == "3");
  REQUIRE(a.run("BEGIN; SELECT COUNT(*) FROM u") == "1");
  b.run("CREATE TABLE v(id BIGINT)");
  REQUIRE(a.run("INSERT INTO u VALUES (2)") == "error 40001");
}

TEST_CASE("one writer at a time: the second waits, and gives up after turn_timeout") {
  Session a, b(a.database_ptr());
  a.run("CREATE TABLE t(id BIGINT PRIMARY KEY); SET turn_timeout = 30; BEGIN; INSERT INTO t VALUES (1)");
  REQUIRE(b.run("INSERT INTO t VALUES (2)") == "error 55P03");
  REQUIRE(b.run("SELECT COUNT(*) FROM t") == "0");
  REQUIRE(a.run("SET turn_timeout = 20000; SHOW turn_timeout") == "20000");
  std::string result;
  std::thread writer([&] { result = b.run("INSERT INTO t VALUES (2); SELECT COUNT(*) FROM t"); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  a.run("COMMIT");
  writer.join();
  REQUIRE(result == "2");
}

TEST_CASE("BEGIN READ ONLY and a database opened read-only") {
  Session s;
  s.run("CREATE TABLE t(id BIGINT)");
  REQUIRE(s.run("BEGIN READ ONLY; INSERT INTO t VALUES (1)") == "error 25006");
  REQUIRE(s.run("SELECT COUNT(*) FROM t") == "0");
  DatabaseOptions options;
  options.read_only = true;
  Session r(std::make_shared<Database>(options));
  REQUIRE(r.run("CREATE TABLE t(id BIGINT)") == "error 25006");
  REQUIRE(r.run("SELECT 1") == "1");
}

TEST_CASE("a failed check while writing poisons the database; while reading it does not") {
  Session s;
  s.run("CREATE TABLE t(id BIGINT); INSERT INTO t VALUES (1)");
  try {
    s.connection().in_own_or_open_transaction(false, [](Transaction&) { fail(sqlstate::kInternal, "a check failed"); });
  } catch (const Error&) {
  }
  REQUIRE(s.run("INSERT INTO t VALUES (2)") == "");
  try {
    s.connection().in_own_or_open_transaction(true, [](Transaction&) { fail(sqlstate::kInternal, "a check failed"); });
  } catch (const Error&) {
  }
  REQUIRE(s.run("INSERT INTO t VALUES (3)") == "error XX000");
  REQUIRE(s.run("SELECT COUNT(*) FROM t") == "2");
}

TEST_CASE("parameters: types from the context, NULL binds nothing again (case 29)") {
  Session s;
  s.run("CREATE TABLE t(id BIGINT PRIMARY KEY, d DECIMAL(10,2), r DOUBLE, day DATE, v VARCHAR(3))");
  size_t end = 0;
  const auto insert = s.connection().prepare("INSERT INTO t VALUES (?, ?, ?, ?, ?)", 0, &end);
  REQUIRE(insert->user_parameters == 5);
  const auto set = [&](std::vector<Value> values) { insert->parameters = std::move(values); };
  const auto day = Value::make_text("2026-11-30");
  set({Value::bigint(1), Value::bigint(2), Value::bigint(3), day, Value::make_text("abc")});
  s.connection().execute(*insert);
  const CompiledPtr compiled = insert->compiled;
  set({Value::bigint(2), Value::make_null(), Value::make_null(), Value::make_null(), Value::make_null()});
  s.connection().execute(*insert);
  set({Value::bigint(3), Value::make_number(Type::decimal(3, 1), 15), Value::make_real(0.5), day, Value::make_text("x")});
  s.connection().execute(*insert);
  REQUIRE(insert->compiled == compiled);
  REQUIRE(s.run("SELECT * FROM t ORDER BY id") == "1|2.00|3.0|2026-11-30|abc\n2|NULL|NULL|NULL|NULL\n3|1.50|0.5|2026-11-30|x");
  // 1.555 is not a DECIMAL(10,2): it is assigned, which rounds, by a plan of its own type.
  set({Value::bigint(4), Value::make_number(Type::decimal(4, 3), 1555), Value::make_null(), Value::make_null(), Value::make_null()});
  s.connection().execute(*insert);
  REQUIRE(s.run("SELECT d FROM t WHERE id = 4") == "1.56");
  const auto find = s.connection().prepare("SELECT COUNT(*) FROM t WHERE d > ?", 0, &end);
  find->parameters = {Value::make_number(Type::decimal(4, 3), 1555)};
  s.connection().execute(*find);
  REQUIRE(Session::rows_of(*find) == "2");  // 2.00 and 1.56
  set({Value::bigint(5), Value::make_null(), Value::make_null(), Value::make_null(), Value::make_text("abcd")});
  REQUIRE_THROWS_AS(s.connection().execute(*insert), Error);
  set({Value::bigint(5), Value::make_null(), Value::make_null(), Value::make_text("no date"), Value::make_null()});
  REQUIRE_THROWS_AS(s.connection().execute(*insert), Error);
  REQUIRE(s.run("SELECT COUNT(*) FROM t") == "4");
}

TEST_CASE("a text and its twins with other literals share a plan and not a value") {
  Session s;
  s.run("CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT, day DATE)");
  for (int i = 0; i < 50; ++i) {
    REQUIRE(s.run("INSERT INTO t VALUES (" + std::to_string(i) + ", 'it''s " + std::to_string(i % 7) + "', DATE '2026-01-" + std::to_string(10 + i % 9) + "')") == "");
  }
  for (int i = 0; i < 50; ++i) {
    REQUIRE(s.run("SELECT g, day FROM t WHERE id = " + std::to_string(i)) == "it's " + std::to_string(i % 7) + "|2026-01-" + std::to_string(10 + i % 9));
  }
  REQUIRE(s.run("SELECT COUNT(*) FROM t WHERE g = 'it''s 3' AND day > '2026-01-12'") == s.run("SELECT COUNT(*) FROM t WHERE g LIKE '%3' AND day > DATE '2026-01-12'"));
  REQUIRE(s.connection().cache().size() < 8);
}

TEST_CASE("the cache forgets what was not used for longest") {
  Session s;
  s.run("CREATE TABLE t(id BIGINT)");
  for (int i = 0; i < 400; ++i) REQUIRE(s.run("SELECT id AS c" + std::to_string(i) + " FROM t") == "");
  REQUIRE(s.connection().cache().size() == StatementCache::kEntriesMax);
}

TEST_CASE("memory_limit: a statement that needs more gets 53200, and the rest is intact") {
  Session s;
  s.run("CREATE TABLE t(id BIGINT PRIMARY KEY, v TEXT); INSERT INTO t VALUES (1, 'one')");
  REQUIRE(s.run("SET memory_limit = '2MB'; SHOW memory_limit") == "2097152");
  std::string text = "INSERT INTO t VALUES ";
  for (int i = 2; i < 20'000; ++i) text += (i > 2 ? ",(" : "(") + std::to_string(i) + ",'" + std::string(100, 'x') + std::to_string(i) + "')";
  REQUIRE(s.run("BEGIN; INSERT INTO t VALUES (-1, 'kept')") == "");
  REQUIRE(s.run(text) == "error 53200");
  REQUIRE(s.run("COMMIT; SELECT id FROM t ORDER BY id") == "-1\n1");
  REQUIRE(s.run("SET memory_limit = DEFAULT; SHOW memory_limit") == "unlimited");
  REQUIRE(s.run("SET memory_limit = 'lots'") == "error 22023");
  REQUIRE(s.run("SET nothing = 1") == "error 42704");
}

TEST_CASE("interrupt ends the running statement with 57014") {
  Session s;
  s.run("CREATE TABLE t(id BIGINT); INSERT INTO t VALUES (1),(2),(3),(4),(5),(6),(7),(8),(9),(10)");
  std::string result;
  std::atomic<bool> done{false};
  std::thread runner([&] {
    result = s.run("SELECT COUNT(*) FROM t a, t b, t c, t d, t e, t f, t g, t h, t i WHERE a.id + b.id + c.id + d.id + e.id + f.id + g.id + h.id + i.id = -1");
    done = true;
  });
  while (!done) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    s.connection().interrupt();
  }
  runner.join();
  REQUIRE(result == "error 57014");
  REQUIRE(s.run("SELECT COUNT(*) FROM t") == "10");
}
