// What INTERFACE.md says about SQL, as a list: statements, and the rows or the SQLSTATE that the last one gives.
#include <catch2/catch.hpp>

#include "engine/test_sql.h"

using hdb::testing::Session;

namespace {

struct Case {
  const char* sql;
  const char* expected;
};

void run_all(const std::vector<Case>& cases, const char* setup = "") {
  for (const Case& c : cases) {
    Session s;
    INFO(c.sql);
    REQUIRE(s.run(setup).substr(0, 5) != "error");
    const std::string got = s.run(c.sql);
    INFO(s.error());
    REQUIRE(got == c.expected);
  }
}

}  // namespace

TEST_CASE("the worked transcript of INTERFACE") {
  Session s;
  REQUIRE(s.run("CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT, a BIGINT, d DECIMAL(10,2));") == "");
  REQUIRE(s.run("INSERT INTO t VALUES (1,'x',10,1.50),(2,'y',NULL,2.25),(3,'x',-4,0.00);") == "");
  REQUIRE(s.run("CREATE INDEX s ON t USING SUMMARY (g) INCLUDE (a, d);") == "");
  REQUIRE(s.run("SELECT g, COUNT(*), SUM(a), SUM(d), AVG(a) FROM t GROUP BY g ORDER BY g;") == "x|2|6|1.50|3.0\ny|1|NULL|2.25|NULL");
  REQUIRE(s.run("SELECT id/0 FROM t;") == "error 22012");
  REQUIRE(s.position() == 9);
  REQUIRE(s.run("SELECT '' AS e, NULL AS n, TRUE AS b, 1e100, 'a,b';") == "|NULL|true|1e+100|a,b");
}

TEST_CASE("values and arithmetic") {
  run_all({
      {"SELECT 7/2, -7/2, 7%3, 1.0/3", "3|-3|1|0.333333"},
      {"SELECT NULL/0", "NULL"},
      {"SELECT 1/0", "error 22012"},
      {"SELECT 1%0", "error 22012"},
      {"SELECT CASE WHEN TRUE THEN 1 ELSE 1/0 END", "1"},
      {"SELECT 9223372036854775807 + 1", "error 22003"},
      {"SELECT CAST(1.9 AS BIGINT), CAST(-1.9e0 AS BIGINT)", "1|-1"},
      {"SELECT 1 = '1'", "error 42883"},
      {"SELECT NULLIF(1, 1), COALESCE(NULL, 2)", "NULL|2"},
      {"SELECT 'aBc' LIKE 'a%', 'aBc' LIKE 'A%', 'aBc' ILIKE 'A%'", "true|false|true"},
      {"SELECT 0.5, 1e0, -0.0e0, .5e1", "0.5|1.0|-0.0|5.0"},
      {"SELECT DATE '2026-11-30' + 1", "2026-12-01"},
      {"SELECT nothing", "error 42703"},
      {"SELECT * FROM nowhere", "error 42P01"},
      {"SELEC 1", "error 42601"},
      {"SELECT 1 AS a UNION SELECT 2", "error 0A000"},
  });
}

TEST_CASE("sums that do not fit, and those that do (case 2)") {
  Session s;
  s.run("CREATE TABLE t(v BIGINT); INSERT INTO t VALUES (2), (9223372036854775807)");
  REQUIRE(s.run("SELECT SUM(v) FROM t") == "error 22003");
  REQUIRE(s.error().find("sum_exact") != std::string::npos);
  REQUIRE(s.run("SELECT sum_exact(v) FROM t") == "9223372036854775809");
  REQUIRE(s.run("DELETE FROM t WHERE v = 2; SELECT SUM(v) FROM t") == "9223372036854775807");
  REQUIRE(s.run("INSERT INTO t VALUES (1), (-5); SELECT SUM(v) FROM t") == "9223372036854775803");
}

TEST_CASE("order of NULLs, distinct, limit") {
  const char* setup = "CREATE TABLE t(v BIGINT, w TEXT); INSERT INTO t VALUES (2,'b'),(NULL,'a'),(1,NULL),(2,'B')";
  run_all({{"SELECT v FROM t ORDER BY v", "NULL\n1\n2\n2"},
           {"SELECT v FROM t ORDER BY v DESC", "2\n2\n1\nNULL"},
           {"SELECT w FROM t ORDER BY w", "NULL\nB\na\nb"},
           {"SELECT DISTINCT v FROM t ORDER BY v LIMIT 2 OFFSET 1", "1\n2"},
           {"SELECT v, COUNT(*) FROM t GROUP BY v ORDER BY v", "NULL|1\n1|1\n2|2"},
           {"SELECT v, w FROM t GROUP BY v", "error 42803"},
           {"SELECT COUNT(*), COUNT(v), COUNT(DISTINCT v), SUM(v), MIN(w), MAX(w) FROM t", "4|3|2|5|B|b"},
           {"SELECT COUNT(*), SUM(v) FROM t WHERE v > 100", "0|NULL"},
           {"SELECT v, COUNT(*) FROM t WHERE v > 100 GROUP BY v", ""},
           {"SELECT a.v, b.w FROM t a JOIN t b ON a.v = b.v WHERE a.w = 'b' ORDER BY b.w", "2|B\n2|b"},
           {"SELECT a.w, b.w FROM t a LEFT JOIN t b ON a.v = b.v AND b.w = 'b' ORDER BY a.w", "NULL|NULL\nB|b\na|NULL\nb|b"}},
          setup);
}

TEST_CASE("changes: constraints and their codes, and what a failed statement leaves") {
  const char* setup = "CREATE TABLE p(id BIGINT PRIMARY KEY, u TEXT UNIQUE, v VARCHAR(3) DEFAULT 'abc', n DECIMAL(4,1) NOT NULL DEFAULT 2.5);"
                      "CREATE TABLE c(p BIGINT REFERENCES p); INSERT INTO p(id, u) VALUES (1,'one'),(2,'two'); INSERT INTO c VALUES (1), (NULL)";
  run_all({{"SELECT * FROM p", "1|one|abc|2.5\n2|two|abc|2.5"},
           {"INSERT INTO p(id) VALUES (1)", "error 23505"},
           {"INSERT INTO p(id, u) VALUES (3, 'two')", "error 23505"},
           {"INSERT INTO p(id, u) VALUES (3, NULL), (4, NULL); SELECT COUNT(*) FROM p", "4"},
           {"INSERT INTO p(id) VALUES (NULL)", "error 23502"},
           {"INSERT INTO p(id, n) VALUES (3, NULL)", "error 23502"},
           {"INSERT INTO p(id, v) VALUES (3, 'abcd')", "error 22001"},
           {"INSERT INTO p(id, n) VALUES (3, 1000)", "error 22003"},
           {"INSERT INTO c VALUES (3)", "error 23503"},
           {"DELETE FROM p WHERE id = 1", "error 23503"},
           {"UPDATE p SET id = 9 WHERE id = 1", "error 23503"},
           {"UPDATE p SET id = 9 WHERE id = 2; SELECT id FROM p ORDER BY id", "1\n9"},
           {"DELETE FROM c; DELETE FROM p; SELECT COUNT(*) FROM p", "0"},
           {"UPDATE p SET id = id + 1; SELECT id FROM p ORDER BY id", "error 23503"},
           {"DELETE FROM c; UPDATE p SET id = id + 1; SELECT id FROM p ORDER BY id", "2\n3"},
           {"DROP TABLE p", "error 2BP01"},
           {"DROP TABLE c; DROP TABLE p; SHOW TABLES", ""},
           {"INSERT INTO p(id, u, id) VALUES (1, 'a', 2)", "error 42701"},
           {"INSERT INTO p VALUES (1)", "error 42601"},
           {"TRUNCATE c; SELECT COUNT(*) FROM c", "0"}},
          setup);
}

TEST_CASE("INSERT ... SELECT that fails on its second row leaves nothing of the first (case 16)") {
  Session s;
  s.run("CREATE TABLE a(id BIGINT PRIMARY KEY, g TEXT); INSERT INTO a VALUES (1,'x');"
        "CREATE INDEX s ON a USING SUMMARY (g); CREATE TABLE b(id BIGINT, g TEXT); INSERT INTO b VALUES (2,'x'),(1,'y')");
  REQUIRE(s.run("INSERT INTO a SELECT id, g FROM b") == "error 23505");
  for (int i = 0; i < 2; ++i) {
    REQUIRE(s.run("SELECT COUNT(*), MIN(id) FROM a") == (i == 0 ? "1|1" : "2|1"));
    REQUIRE(s.run("SELECT g, COUNT(*) FROM a GROUP BY g ORDER BY g") == (i == 0 ? "x|1" : "x|1\nz|1"));
    REQUIRE(s.run("SELECT differences FROM summary_verify('s')") == "0");
    s.run("INSERT INTO a VALUES (3,'z')");
  }
}

TEST_CASE("keys that come and go in one transaction (case 14)") {
  Session s;
  s.run("CREATE TABLE t(id BIGINT PRIMARY KEY, v BIGINT); INSERT INTO t VALUES (1, 10)");
  REQUIRE(s.run("BEGIN; UPDATE t SET id = 4 WHERE id = 1; INSERT INTO t VALUES (1, 11); COMMIT; SELECT * FROM t ORDER BY id") == "1|11\n4|10");
  REQUIRE(s.run("BEGIN; INSERT INTO t VALUES (7,0); DELETE FROM t WHERE id = 7; INSERT INTO t VALUES (7,1); COMMIT; SELECT v FROM t WHERE id = 7") == "1");
  REQUIRE(s.run("BEGIN; DELETE FROM t WHERE id = 7; INSERT INTO t VALUES (7,2); DELETE FROM t WHERE id = 7; INSERT INTO t VALUES (7,3); COMMIT;"
                "SELECT v FROM t WHERE id = 7") == "3");
  REQUIRE(s.run("TRUNCATE t; BEGIN; INSERT INTO t VALUES (1,0),(2,0); UPDATE t SET id = 3 WHERE id = 1; DELETE FROM t WHERE id = 2; COMMIT; SELECT id FROM t") == "3");
}

TEST_CASE("groups that empty and come back, with and without a summary (cases 9, 10, 12, 13)") {
  for (const char* index : {"", "CREATE INDEX s ON t USING SUMMARY (g) INCLUDE (v)"}) {
    Session s;
    s.run("CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT, v BIGINT); INSERT INTO t VALUES (1,'a',1),(2,'a',2),(3,'b',NULL),(4,NULL,4),(5,'b',9)");
    REQUIRE(s.run(index) == "");
    const char* groups = "SELECT g, COUNT(*), COUNT(v), SUM(v), MIN(v), MAX(v), AVG(v) FROM t GROUP BY g ORDER BY g";
    REQUIRE(s.run(groups) == "NULL|1|1|4|4|4|4.0\na|2|2|3|1|2|1.5\nb|2|1|9|9|9|9.0");
    REQUIRE(s.run("DELETE FROM t WHERE id = 1; DELETE FROM t WHERE id = 2; DELETE FROM t WHERE id = 5;" + std::string(groups)) ==
            "NULL|1|1|4|4|4|4.0\nb|1|0|NULL|NULL|NULL|NULL");
    REQUIRE(s.run("INSERT INTO t VALUES (6,'a',7);" + std::string(groups)) == "NULL|1|1|4|4|4|4.0\na|1|1|7|7|7|7.0\nb|1|0|NULL|NULL|NULL|NULL");
    REQUIRE(s.run("SELECT MAX(v) FROM t; BEGIN; DELETE FROM t WHERE id = 6; SELECT MAX(v), MIN(v) FROM t") == "4|4");
    REQUIRE(s.run("ROLLBACK; SELECT MAX(v), MIN(v) FROM t") == "7|4");
    REQUIRE(s.run("UPDATE t SET v = 1 WHERE id = 6; SELECT MAX(v), MIN(v) FROM t") == "4|1");
  }
}

TEST_CASE("COUNT(*) = COUNT(1) = SUM(1) = the rows listed (case 18), and an emptied table (case 11)") {
  Session s;
  s.run("CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT); CREATE INDEX s ON t USING SUMMARY (g)");
  REQUIRE(s.run("SELECT COUNT(*), SUM(id) FROM t") == "0|NULL");
  REQUIRE(s.run("SELECT g, COUNT(*) FROM t GROUP BY g") == "");
  size_t rows = 0;
  for (int i = 0; i < 30; ++i) {
    if (i % 3 != 2) {
      REQUIRE(s.run("INSERT INTO t VALUES (" + std::to_string(i) + ",'g" + std::to_string(i % 4) + "')") == "");
      ++rows;
    } else {
      REQUIRE(s.run("DELETE FROM t WHERE id = " + std::to_string(i - 1)) == "");
      --rows;
    }
    const std::string n = std::to_string(rows);
    REQUIRE(s.run("SELECT COUNT(*), COUNT(1), SUM(1) FROM t") == n + "|" + n + "|" + n);
    const std::string listed = s.run("SELECT id FROM t");
    REQUIRE(static_cast<size_t>(std::count(listed.begin(), listed.end(), '\n')) + 1 == rows);
  }
}

TEST_CASE("the same row deleted twice counts once (case 15)") {
  Session s;
  s.run("CREATE TABLE t(id BIGINT PRIMARY KEY, v BIGINT); INSERT INTO t VALUES (1,1),(2,2),(3,3)");
  REQUIRE(s.run("BEGIN; DELETE FROM t WHERE id = 2; DELETE FROM t WHERE v = 2; SELECT COUNT(*) FROM t") == "2");
  REQUIRE(s.connection().changes() == 0);
  REQUIRE(s.run("COMMIT; SELECT id FROM t") == "1\n3");
}

TEST_CASE("looking inside") {
  Session s;
  s.run("CREATE TABLE t(id BIGINT PRIMARY KEY, \"G h\" TEXT NOT NULL DEFAULT 'it''s', v DECIMAL(9,2) UNIQUE, p BIGINT REFERENCES t);"
        "CREATE UNIQUE INDEX u ON t(\"G h\", v); CREATE INDEX s ON t USING SUMMARY (\"G h\") INCLUDE (v) WITH (max_cells = 9); INSERT INTO t(id) VALUES (1)");
  REQUIRE(s.run("SHOW TABLES") == "t");
  REQUIRE(s.run("SHOW COLUMNS FROM t") == "id|BIGINT|false|primary|NULL\nG h|TEXT|false|unique|it's\nv|DECIMAL(9,2)|true|unique|NULL\np|BIGINT|true|NULL|NULL");
  const std::string sql = s.run("SHOW CREATE TABLE T");
  REQUIRE(sql == "CREATE TABLE t (id BIGINT PRIMARY KEY, \"G h\" TEXT NOT NULL DEFAULT 'it''s', v DECIMAL(9,2) UNIQUE, p BIGINT, "
                 "FOREIGN KEY (p) REFERENCES t (id));\nCREATE UNIQUE INDEX u ON t (\"G h\", v);\n"
                 "CREATE INDEX s ON t USING SUMMARY (\"G h\") INCLUDE (v) WITH (max_cells = 9);");
  Session again;
  REQUIRE(again.run(sql) == "");
  REQUIRE(again.run("SHOW CREATE TABLE t") == sql);
  const std::string indexes = s.run("SHOW INDEXES FROM t");
  REQUIRE(indexes.find("t|t_pkey|primary|id|NULL|NULL|") == 0);
  REQUIRE(indexes.find("\nt|s|summary|\"G h\"|v|1|") != std::string::npos);
  REQUIRE(s.run("SHOW INDEXES FROM nope") == "error 42P01");
  REQUIRE(s.run("SELECT * FROM summary_verify('s')") == "1|0");
  REQUIRE(s.run("SELECT * FROM summary_verify('nope')") == "error 42704");
  REQUIRE(s.run("EXPLAIN SELECT \"G h\", COUNT(*) FROM t GROUP BY \"G h\"").find("t") != std::string::npos);
  REQUIRE(s.run("SET summary_mode = force; SELECT id FROM t") == "error 0A000");
  REQUIRE(s.run("SELECT \"G h\", SUM(v) FROM t GROUP BY \"G h\"") == "it's|NULL");
  REQUIRE(s.run("EXPLAIN SELECT \"G h\", SUM(v) FROM t GROUP BY \"G h\"").find("summary s") != std::string::npos);
}

TEST_CASE("errors point at the place in the text, also through the statement cache") {
  Session s;
  s.run("CREATE TABLE t(id BIGINT, v VARCHAR(2))");
  REQUIRE(s.run("INSERT INTO t VALUES (1, 'a')") == "");
  REQUIRE(s.run("SELECT 10 / (id - 1) FROM t WHERE id < 5") == "error 22012");
  REQUIRE(s.position() == 10);
  REQUIRE(s.run("SELECT 10 / (id - 1) FROM t WHERE id < 50000") == "error 22012");
  REQUIRE(s.position() == 10);
  REQUIRE(s.run("SELECT id FROM t WHERE id < 10 AND 7 / (id - 1) = 1") == "error 22012");
  REQUIRE(s.position() == 37);
  REQUIRE(s.run("SELECT id FROM t WHERE id < 10000 AND 7 / (id - 1) = 1") == "error 22012");
  REQUIRE(s.position() == 40);
  REQUIRE(s.run("SELECT 1; SELECT x FROM t") == "error 42703");
  REQUIRE(s.position() == 17);
}
