#include <catch2/catch.hpp>

#include "engine/test_sql.h"
#include "store/table.h"

using namespace hdb;
using hdb::testing::Session;

TEST_CASE("CREATE TABLE refuses what it cannot keep") {
  struct Case {
    const char* sql;
    const char* expected;
  };
  const Case cases[] = {
      {"CREATE TABLE t(a BIGINT, A TEXT)", "error 42701"},
      {"CREATE TABLE t(a DECIMAL(19,2))", "error 0A000"},
      {"CREATE TABLE t(a DECIMAL(18,2))", ""},
      {"CREATE TABLE t(a DECIMAL(5,6))", "error 22023"},
      {"CREATE TABLE t(a VARCHAR(0))", "error 22023"},
      {"CREATE TABLE t(a BIGINT PRIMARY KEY, b BIGINT PRIMARY KEY)", "error 42P16"},
      {"CREATE TABLE t(a BIGINT, PRIMARY KEY (b))", "error 42703"},
      {"CREATE TABLE t(a BIGINT, PRIMARY KEY (a, a))", "error 42701"},
      {"CREATE TABLE t(a BIGINT DEFAULT 'x')", "error 22P02"}, {"CREATE TABLE t(a BIGINT DEFAULT TRUE)", "error 42804"},
      {"CREATE TABLE t(a BIGINT REFERENCES nowhere)", "error 42P01"},
      {"CREATE TABLE p(a BIGINT); CREATE TABLE t(a BIGINT REFERENCES p)", "error 42P16"},
      {"CREATE TABLE p(a BIGINT PRIMARY KEY, b TEXT); CREATE TABLE t(a BIGINT REFERENCES p(b))", "error 42P16"},
      {"CREATE TABLE p(a BIGINT PRIMARY KEY); CREATE TABLE t(a TEXT REFERENCES p)", "error 42804"},
      {"CREATE TABLE t(a BIGINT); CREATE TABLE T(a BIGINT)", "error 42P07"},
      {"CREATE TABLE t(a BIGINT); CREATE TABLE IF NOT EXISTS T(b BIGINT); SELECT a FROM t", ""},
      {"CREATE TABLE t(a BIGINT); CREATE INDEX i ON t(a)", "error 0A000"},
      {"CREATE TABLE t(a BIGINT); CREATE UNIQUE INDEX t ON t(a)", "error 42P07"},
      {"CREATE TABLE t(a BIGINT); CREATE UNIQUE INDEX i ON t(a); CREATE UNIQUE INDEX I ON t(a)", "error 42P07"},
      {"CREATE TABLE t(a BIGINT); CREATE UNIQUE INDEX IF NOT EXISTS i ON t(a); CREATE UNIQUE INDEX IF NOT EXISTS i ON t(a)", ""},
      {"CREATE TABLE t(a DOUBLE); CREATE INDEX i ON t USING SUMMARY (a)", "error 0A000"},
      {"CREATE TABLE t(a BIGINT PRIMARY KEY); DROP INDEX t_pkey", "error 2BP01"},
      {"DROP INDEX nope", "error 42704"},
      {"DROP INDEX IF EXISTS nope", ""},
      {"DROP TABLE nope", "error 42P01"},
      {"DROP TABLE IF EXISTS nope", ""},
      {"CREATE TABLE t(a BIGINT PRIMARY KEY, b BIGINT REFERENCES t); INSERT INTO t VALUES (1,2),(2,1); DROP TABLE t; SHOW TABLES", ""},
  };
  for (const Case& c : cases) {
    Session s;
    INFO(c.sql);
    const std::string got = s.run(c.sql);
    INFO(s.error());
    REQUIRE(got == c.expected);
  }
}

TEST_CASE("a foreign key's columns follow the order of the parent's key") {
  Session s;
  REQUIRE(s.run("CREATE TABLE p(a BIGINT, b TEXT, PRIMARY KEY (a, b)); CREATE TABLE c(x TEXT, y BIGINT, FOREIGN KEY (x, y) REFERENCES p(b, a))") == "");
  REQUIRE(s.run("INSERT INTO p VALUES (1, 'one'); INSERT INTO c VALUES ('one', 1), (NULL, 5)") == "");
  REQUIRE(s.run("INSERT INTO c VALUES ('two', 1)") == "error 23503");
  REQUIRE(s.run("DELETE FROM p") == "error 23503");
  REQUIRE(s.run("DELETE FROM c WHERE y = 1; DELETE FROM p; SELECT COUNT(*) FROM p") == "0");
}

TEST_CASE("CREATE UNIQUE INDEX over rows, and DROP INDEX, inside of a transaction") {
  Session s;
  s.run("CREATE TABLE t(id BIGINT, v TEXT); INSERT INTO t VALUES (1,'a'),(1,'b'),(NULL,'c'),(NULL,'d')");
  REQUIRE(s.run("CREATE UNIQUE INDEX i ON t(id)") == "error 23505");
  REQUIRE(s.run("BEGIN; DELETE FROM t WHERE v = 'b'; CREATE UNIQUE INDEX i ON t(id); INSERT INTO t VALUES (1,'x')") == "error 23505");
  REQUIRE(s.run("INSERT INTO t VALUES (2,'x'); ROLLBACK; INSERT INTO t VALUES (1,'e'); SELECT COUNT(*) FROM t WHERE id = 1") == "3");
  REQUIRE(s.run("DELETE FROM t WHERE v = 'b' OR v = 'e'; CREATE UNIQUE INDEX i ON t(id); SELECT v FROM t WHERE id = 1") == "a");
  REQUIRE(s.run("BEGIN; DROP INDEX i; INSERT INTO t VALUES (1,'y'); SELECT COUNT(*) FROM t WHERE id = 1") == "2");
  REQUIRE(s.run("ROLLBACK; INSERT INTO t VALUES (1,'y')") == "error 23505");
  REQUIRE(s.run("DROP INDEX i; INSERT INTO t VALUES (1,'y'); SELECT COUNT(*) FROM t WHERE id = 1") == "2");
}

TEST_CASE("a unique index that a foreign key relies on stays") {
  Session s;
  s.run("CREATE TABLE p(a BIGINT); CREATE UNIQUE INDEX i ON p(a); CREATE TABLE c(a BIGINT REFERENCES p(a))");
  REQUIRE(s.run("DROP INDEX i") == "error 2BP01");
  REQUIRE(s.run("DROP TABLE c; DROP INDEX i") == "");
}

TEST_CASE("max_cells: creation, or the row that adds the cell, fails with 54000 and nothing changes") {
  Session s;
  s.run("CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT); INSERT INTO t VALUES (1,'a'),(2,'b'),(3,'c')");
  REQUIRE(s.run("CREATE INDEX s ON t USING SUMMARY (g) WITH (max_cells = 2)") == "error 54000");
  REQUIRE(s.run("SHOW INDEXES").find("summary") == std::string::npos);
  REQUIRE(s.run("CREATE INDEX s ON t USING SUMMARY (g) WITH (max_cells = 3)") == "");
  REQUIRE(s.run("INSERT INTO t VALUES (4,'a'),(5,'d')") == "error 54000");
  REQUIRE(s.run("INSERT INTO t VALUES (4,'a'); SELECT g, COUNT(*) FROM t GROUP BY g ORDER BY g") == "a|2\nb|1\nc|1");
  REQUIRE(s.run("SELECT differences FROM summary_verify('s')") == "0");
}

TEST_CASE("a savepoint, a new dimension value, a summary in between, ROLLBACK TO (contract test 9)") {
  Session s;
  s.run("CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT, v BIGINT); INSERT INTO t VALUES (1,'a',1),(2,'b',2)");
  const char* groups = "SELECT g, COUNT(*), SUM(v) FROM t GROUP BY g ORDER BY g";
  REQUIRE(s.run("BEGIN; INSERT INTO t VALUES (3,'c',3); SAVEPOINT p; INSERT INTO t VALUES (4,'new',4)") == "");
  REQUIRE(s.run("CREATE INDEX s ON t USING SUMMARY (g) INCLUDE (v); UPDATE t SET g = 'newer' WHERE id = 1; DELETE FROM t WHERE id = 2") == "");
  REQUIRE(s.run(groups) == "c|1|3\nnew|1|4\nnewer|1|1");
  REQUIRE(s.run("SELECT differences FROM summary_verify('s')") == "0");
  REQUIRE(s.run("SAVEPOINT q; INSERT INTO t VALUES (5,'late',5); ROLLBACK TO q;" + std::string(groups)) == "c|1|3\nnew|1|4\nnewer|1|1");
  REQUIRE(s.run("SELECT differences FROM summary_verify('s')") == "0");
  SECTION("the summary stays") {
    REQUIRE(s.run("COMMIT;" + std::string(groups)) == "c|1|3\nnew|1|4\nnewer|1|1");
    REQUIRE(s.run("SELECT differences FROM summary_verify('s')") == "0");
    REQUIRE(s.run("SELECT COUNT(DISTINCT g), MIN(g), MAX(g) FROM t") == "3|c|newer");
  }
  SECTION("it goes with the savepoint") {
    REQUIRE(s.run("ROLLBACK TO p; COMMIT;" + std::string(groups)) == "a|1|1\nb|1|2\nc|1|3");
    REQUIRE(s.run("SELECT * FROM summary_verify('s')") == "error 42704");
    REQUIRE(s.run("CREATE INDEX s ON t USING SUMMARY (g) INCLUDE (v);" + std::string(groups)) == "a|1|1\nb|1|2\nc|1|3");
    REQUIRE(s.run("SELECT * FROM summary_verify('s')") == "3|0");
  }
}

TEST_CASE("a summary over deleted rows, and a table of the same name again (case 19)") {
  Session s;
  s.run("CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT); INSERT INTO t VALUES (1,'a'),(2,'b'); DELETE FROM t WHERE id = 1");
  REQUIRE(s.run("CREATE INDEX s ON t USING SUMMARY (g); SELECT g, COUNT(*) FROM t GROUP BY g") == "b|1");
  REQUIRE(s.run("DROP TABLE t; CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT); SELECT COUNT(*) FROM t") == "0");
  REQUIRE(s.run("CREATE INDEX s ON t USING SUMMARY (g); SELECT g, COUNT(*) FROM t GROUP BY g") == "");
  REQUIRE(s.run("SELECT * FROM summary_verify('s')") == "0|0");
}

TEST_CASE("TRUNCATE and DROP TABLE roll back (case 20)") {
  Session s;
  s.run("CREATE TABLE p(id BIGINT PRIMARY KEY, g TEXT); CREATE TABLE c(p BIGINT REFERENCES p); CREATE INDEX s ON p USING SUMMARY (g);"
        "INSERT INTO p VALUES (1,'a'),(2,'b'); INSERT INTO c VALUES (1)");
  REQUIRE(s.run("BEGIN; TRUNCATE c; TRUNCATE p; SELECT COUNT(*) FROM p") == "0");
  REQUIRE(s.run("ROLLBACK; SELECT g, COUNT(*) FROM p GROUP BY g ORDER BY g") == "a|1\nb|1");
  REQUIRE(s.run("BEGIN; DROP TABLE c; DELETE FROM p; INSERT INTO p VALUES (9,'z'); DROP TABLE p; SHOW TABLES") == "");
  REQUIRE(s.run("ROLLBACK; SELECT id FROM p ORDER BY id") == "1\n2");
  REQUIRE(s.run("DELETE FROM p WHERE id = 1") == "error 23503");
  REQUIRE(s.run("SELECT differences FROM summary_verify('s')") == "0");
  REQUIRE(s.run("INSERT INTO p VALUES (1,'x')") == "error 23505");
  REQUIRE(s.run("BEGIN; CREATE TABLE n(id BIGINT PRIMARY KEY REFERENCES p); INSERT INTO n VALUES (1); ROLLBACK; DELETE FROM p WHERE id = 2; SHOW TABLES") == "p\nc");
}

TEST_CASE("an older reader goes on with a table, an index and a summary that were dropped") {
  Session s, old(s.database_ptr());
  s.run("CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT, v BIGINT); CREATE UNIQUE INDEX u ON t(v); CREATE INDEX s ON t USING SUMMARY (g) INCLUDE (v);"
        "INSERT INTO t VALUES (1,'a',10),(2,'b',20),(3,'a',30)");
  const char* groups = "SELECT g, COUNT(*), SUM(v) FROM t GROUP BY g ORDER BY g";
  REQUIRE(old.run("BEGIN;" + std::string(groups)) == "a|2|40\nb|1|20");
  REQUIRE(s.run("BEGIN; UPDATE t SET v = v + 1 WHERE id = 1; DROP INDEX s; DROP INDEX u; UPDATE t SET v = 99; DELETE FROM t WHERE id = 2; COMMIT") == "");
  REQUIRE(s.run("INSERT INTO t VALUES (4,'c',99)") == "");
  for (int i = 0; i < 2; ++i) {
    REQUIRE(old.run(groups) == "a|2|40\nb|1|20");
    REQUIRE(old.run("SELECT id FROM t WHERE v = 20") == "2");
    REQUIRE(old.run("SELECT id FROM t WHERE v = 99") == "");
    REQUIRE(s.run(i == 0 ? groups : "SHOW TABLES") == (i == 0 ? "a|2|198\nc|1|99" : ""));
    if (i == 0) REQUIRE(s.run("DROP TABLE t") == "");
  }
  REQUIRE(old.run("COMMIT;" + std::string(groups)) == "error 42P01");
}

TEST_CASE("versions that nobody needs are reclaimed") {
  Session s;
  for (int i = 0; i < 20; ++i) REQUIRE(s.run("CREATE TABLE t(id BIGINT); CREATE INDEX s ON t USING SUMMARY (id); DROP TABLE t") == "");
  REQUIRE(s.run("CREATE TABLE t(id BIGINT)") == "");
  s.database().manager().try_reclaim();
  REQUIRE(s.database().catalog().version_count() == 1);
}
