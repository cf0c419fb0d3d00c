// Invariants checked: R6, P1: questions that group by parts of a date are answered from cells added up by these parts, and the rows are those of a scan.
#include <catch2/catch.hpp>

#include "engine/test_sql.h"

using hdb::testing::Session;

namespace {

void fill(Session& s) {
  REQUIRE(s.run("CREATE TABLE t(id BIGINT PRIMARY KEY, at TIMESTAMP, day DATE NOT NULL, g TEXT NOT NULL, v BIGINT)") == "");
  REQUIRE(s.run("INSERT INTO t VALUES (0, TIMESTAMP '1969-12-30 22:58:00', DATE '1969-11-03', 'a', 5), (1, NULL, DATE '2024-02-28', 'b', NULL), "
                "(2, TIMESTAMP '2024-02-29 07:08:09', DATE '1970-01-01', 'a', -7), (3, TIMESTAMP '2001-01-01 00:00:00', DATE '2000-12-31', 'c', 11)") == "");
  for (int n = 4; n < 8192; n *= 2) {
    const std::string add = std::to_string(n);
    REQUIRE(s.run("INSERT INTO t SELECT id + " + add + ", CAST(CAST(day + id % 40 AS TEXT) || ' ' || CAST(10 + id % 13 AS TEXT) || ':' || CAST(10 + (id + " + add +
                  ") % 49 AS TEXT) AS TIMESTAMP), day + " + add + " % 97, g, v + id FROM t") == "");
  }
  REQUIRE(s.run("CREATE INDEX s ON t USING SUMMARY (at, g) INCLUDE (v); CREATE INDEX d ON t USING SUMMARY (day) INCLUDE (v)") == "");
}

const std::string kQuestions[] = {
    "SELECT EXTRACT(hour FROM at) AS h, COUNT(*), SUM(v), COUNT(v) FROM t GROUP BY EXTRACT(hour FROM at) ORDER BY 1",
    "SELECT EXTRACT(day FROM at) AS d, EXTRACT(hour FROM at) AS h, COUNT(*) FROM t GROUP BY EXTRACT(day FROM at), EXTRACT(hour FROM at) ORDER BY 1, 2",
    "SELECT EXTRACT(minute FROM at) AS m, g, SUM(v) FROM t WHERE g <> 'b' GROUP BY 1, g ORDER BY 1, 2",
    "SELECT DATE_TRUNC('month', at) AS m, AVG(v) FROM t GROUP BY 1 ORDER BY 1",
    "SELECT DATE_TRUNC('quarter', day) AS q, COUNT(*) FROM t GROUP BY 1 HAVING COUNT(*) > 1 ORDER BY 1",
    "SELECT date_part('isodow', day) AS w, SUM(v) FROM t GROUP BY 1 ORDER BY 1",
    "SELECT EXTRACT(epoch FROM at) AS e, COUNT(*) FROM t GROUP BY 1 ORDER BY 1",
};

void same_by_all_paths(Session& s) {
  for (const std::string& q : kQuestions) {
    INFO(q);
    REQUIRE(s.run("SET summary_mode = force") == "");
    const std::string rows = s.run(q);
    REQUIRE(rows.substr(0, 5) != "error");
    REQUIRE(s.run(q) == rows);
    REQUIRE(s.run("SET summary_mode = off") == "");
    REQUIRE(s.run(q) == rows);
    REQUIRE(s.run("SET summary_mode = auto") == "");
    REQUIRE(s.run(q) == rows);
  }
}

}  // namespace

TEST_CASE("groups by parts of a date come from cells added up by them, through changes, rollback and new dates") {
  Session s;
  fill(s);
  same_by_all_paths(s);
  REQUIRE(s.run("UPDATE t SET v = v + 1000 WHERE id = 77") == "");
  same_by_all_paths(s);
  REQUIRE(s.run("INSERT INTO t VALUES (100000, TIMESTAMP '2077-06-05 04:03:02', DATE '2077-06-05', 'z', 9)") == "");
  same_by_all_paths(s);
  REQUIRE(s.run("BEGIN; DELETE FROM t WHERE id % 3 = 0; INSERT INTO t VALUES (100001, TIMESTAMP '2078-06-05 04:03:02', DATE '2077-06-06', 'z', NULL)") == "");
  same_by_all_paths(s);
  REQUIRE(s.run("ROLLBACK") == "");
  same_by_all_paths(s);
  REQUIRE(s.run("DELETE FROM t WHERE g = 'a'") == "");
  same_by_all_paths(s);
}

TEST_CASE("an older snapshot groups by the parts of its own rows") {
  Session s;
  fill(s);
  Session old(s.database_ptr());
  REQUIRE(old.run("BEGIN") == "");
  std::vector<std::string> before;
  for (const std::string& q : kQuestions) before.push_back(old.run(q));
  REQUIRE(s.run("UPDATE t SET at = at, v = 3 WHERE id % 5 = 1; INSERT INTO t VALUES (100000, NULL, DATE '0001-01-01', 'y', 1); DELETE FROM t WHERE id = 2") == "");
  for (size_t i = 0; i < before.size(); ++i) REQUIRE(old.run(kQuestions[i]) == before[i]);
  same_by_all_paths(s);
  for (size_t i = 0; i < before.size(); ++i) REQUIRE(old.run(kQuestions[i]) == before[i]);
  REQUIRE(old.run("COMMIT") == "");
  same_by_all_paths(old);
}

TEST_CASE("EXPLAIN shows the part as the dimension; a column that something else looks at stays whole; a wrong field is told") {
  Session s;
  fill(s);
  const std::string parted = s.run("EXPLAIN SELECT EXTRACT(hour FROM at), SUM(v) FROM t GROUP BY 1");
  REQUIRE(parted.find("dimensions date_part('hour', at)") != std::string::npos);
  for (const char* q : {"SELECT EXTRACT(hour FROM at) AS h, COUNT(*) FROM t WHERE at > TIMESTAMP '2000-01-01 00:00:00' GROUP BY 1 ORDER BY 1",
                        "SELECT EXTRACT(hour FROM at) AS h, MAX(at) FROM t GROUP BY 1 ORDER BY 1",
                        "SELECT EXTRACT(hour FROM at) AS h, at, COUNT(*) FROM t GROUP BY 1, at ORDER BY 1, 2",
                        "SELECT EXTRACT(hour FROM at) + 1 AS h, COUNT(*) FROM t GROUP BY 1 ORDER BY 1"}) {
    INFO(q);
    REQUIRE(s.run(std::string("EXPLAIN ") + q).find("dimensions date_part") == std::string::npos);
    const std::string rows = s.run(q);
    REQUIRE(s.run("SET summary_mode = off") == "");
    REQUIRE(s.run(q) == rows);
    REQUIRE(s.run("SET summary_mode = auto") == "");
  }
  REQUIRE(s.run("SELECT date_part('eon', at), COUNT(*) FROM t GROUP BY 1") == "error 22023");
  REQUIRE(s.run("SELECT DATE_TRUNC('dow', day), COUNT(*) FROM t GROUP BY 1") == "error 22023");
}
