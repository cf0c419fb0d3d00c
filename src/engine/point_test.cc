// Statements about one row give what the pipelines give (exec/point.h, P1): each is run beside a twin of another form.
#include <catch2/catch.hpp>

#include "engine/test_sql.h"

using namespace hdb;
using hdb::testing::Session;

namespace {
const char* const kTable =
    "CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT UNIQUE, d DECIMAL(10,2), r DOUBLE UNIQUE, day DATE, v VARCHAR(3), b BOOLEAN);"
    "INSERT INTO t VALUES (1,'one',1.50,0.5,DATE '2026-01-01','abc',TRUE),(2,NULL,NULL,NULL,NULL,NULL,NULL),(3,'',-1,-0.0e0,'2026-02-02','',FALSE)";
}

TEST_CASE("a look-up by key, of every type of column, in any order of columns") {
  Session s;
  s.run(kTable);
  for (const char* columns : {"*", "v, id", "b, day, r, d, g, id", "id"}) {
    for (const char* key : {"id = 1", "id = 2", "id = 3", "id = 4", "g = 'one'", "g = ''", "g = 'two'", "r = 0.5e0", "r = 0.0e0", "g = NULL", "1 = id"}) {
      INFO(columns << " where " << key);
      const std::string select = std::string("SELECT ") + columns + " FROM t WHERE ";
      const std::string by_key = s.run(select + key);
      REQUIRE(by_key.substr(0, 5) != "error");
      s.run("SET indexes = off");
      REQUIRE(s.run(select + key) == by_key);
      s.run("SET indexes = on");
      REQUIRE(s.run(select + key + " AND COALESCE(id, 0) >= 0") == by_key);
    }
  }
}

TEST_CASE("a look-up sees the row of its snapshot, and its own changes") {
  Session s, old(s.database_ptr());
  s.run(kTable);
  REQUIRE(old.run("BEGIN; SELECT d FROM t WHERE id = 1") == "1.50");
  REQUIRE(s.run("BEGIN; UPDATE t SET d = 7, id = 10 WHERE id = 1; SELECT id, d FROM t WHERE id = 10") == "10|7.00");
  REQUIRE(s.run("SELECT id FROM t WHERE id = 1") == "");
  REQUIRE(old.run("SELECT d FROM t WHERE id = 1") == "1.50");
  REQUIRE(old.run("SELECT d FROM t WHERE id = 10") == "");
  s.run("COMMIT; DELETE FROM t WHERE id = 3");
  REQUIRE(old.run("SELECT d FROM t WHERE g = ''") == "-1.00");
  REQUIRE(s.run("SELECT d FROM t WHERE g = ''") == "");
}

TEST_CASE("UPDATE and DELETE by key count what they change") {
  Session s;
  s.run(kTable);
  REQUIRE(s.run("UPDATE t SET d = 2.5, v = 'x', day = '2026-03-03' WHERE id = 2; SELECT d, v, day FROM t WHERE id = 2") == "2.50|x|2026-03-03");
  s.run("UPDATE t SET d = 2.5 WHERE id = 4");
  REQUIRE(s.connection().changes() == 0);
  s.run("UPDATE t SET d = NULL WHERE g = 'one'");
  REQUIRE(s.connection().changes() == 1);
  REQUIRE(s.run("UPDATE t SET v = 'long' WHERE id = 2") == "error 22001");
  REQUIRE(s.run("UPDATE t SET id = NULL WHERE id = 2") == "error 23502");
  REQUIRE(s.run("UPDATE t SET id = 3 WHERE id = 2") == "error 23505");
  REQUIRE(s.run("UPDATE t SET d = 123456789 WHERE id = 2") == "error 22003");
  REQUIRE(s.run("DELETE FROM t WHERE id = 2; SELECT COUNT(*) FROM t") == "2");
  s.run("DELETE FROM t WHERE id = 2");
  REQUIRE(s.connection().changes() == 0);
}

TEST_CASE("INSERT of few rows and of many, of constants, casts and expressions") {
  Session s;
  s.run("CREATE TABLE t(id BIGINT PRIMARY KEY, d DECIMAL(10,2), r DOUBLE, v VARCHAR(2), day DATE DEFAULT '2026-01-01')");
  std::string expected;
  int id = 0;
  for (const int rows : {1, 2, 25, 26, 100}) {  // 25 rows of 5 columns fit the short way, 26 do not
    std::string sql = "INSERT INTO t(id, d, r, v) VALUES ";
    for (int i = 0; i < rows; ++i) {
      sql += (i > 0 ? ",(" : "(") + std::to_string(++id) + ", 1.5, 2, '" + (i % 2 == 0 ? "ab" : "") + "')";
      expected += (id > 1 ? "\n" : "") + std::to_string(id) + "|1.50|2.0|" + (i % 2 == 0 ? "ab" : "") + "|2026-01-01";
    }
    REQUIRE(s.run(sql) == "");
    REQUIRE(s.connection().changes() == static_cast<uint64_t>(rows));
  }
  REQUIRE(s.run("SELECT * FROM t ORDER BY id") == expected);
  REQUIRE(s.run("INSERT INTO t VALUES (1000, 1, 1, 'abc', NULL)") == "error 22001");
  REQUIRE(s.position() == 34);
  REQUIRE(s.run("INSERT INTO t VALUES (1000, 1, 1, 'a', '2026-02-30')").substr(0, 7) == "error 2");
  REQUIRE(s.run("INSERT INTO t VALUES (500 + 500, 1 + 1, 0.1, NULL, NULL); SELECT d, r FROM t WHERE id = 1000") == "2.00|0.1");
}
