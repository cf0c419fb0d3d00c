// Invariants checked: R1, R3: with rows to weigh, the path that reads fewest cells from its second use on is chosen, and every path gives the same rows.
#include <catch2/catch.hpp>

#include "engine/test_sql.h"
#include "store/table.h"

using hdb::testing::Session;

namespace {

// 65,536 rows: 4 blocks. day: 731 values all over; late: other values in every block; wide: a value of its own in every fourth row.
void fill(Session& s) {
  REQUIRE(s.run("CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT NOT NULL, h TEXT, day BIGINT NOT NULL, late BIGINT NOT NULL, wide BIGINT NOT NULL, v BIGINT)") == "");
  REQUIRE(s.run("INSERT INTO t VALUES (0, 'a', 'x', 0, 0, 0, 5), (1, 'b', NULL, 1, 0, 0, 7), (2, 'a', 'y', 2, 0, 0, NULL), (3, 'c', 'x', 3, 0, 0, -1)") == "");
  for (int64_t n = 4; n < 65'536; n *= 2) {
    const std::string add = std::to_string(n);
    REQUIRE(s.run("INSERT INTO t SELECT id + " + add + ", g, h, (id + " + add + ") % 731, (id + " + add + ") / 5000, (id + " + add + ") / 4, v + " + add + " FROM t") == "");
  }
  REQUIRE(s.run("CREATE INDEX s ON t USING SUMMARY (g, h) INCLUDE (v)") == "");
}

std::string path(Session& s, const std::string& query) {
  const std::string plan = s.run("EXPLAIN " + query);
  size_t at = plan.find(" t:");
  if (at == std::string::npos) at = plan.find(" t");
  const size_t line = plan.rfind('\n', at);
  const size_t begin = plan.find_first_not_of(" |\n", line == std::string::npos ? 0 : line);
  return plan.substr(begin, at - begin);
}

}  // namespace

TEST_CASE("the path that reads fewest cells is chosen, and every path gives the same rows") {
  Session s;
  fill(s);
  const std::pair<std::string, std::string> cases[] = {
      {"SELECT COUNT(*) FROM t", "zone sums"},
      {"SELECT SUM(v), MIN(day), MAX(late) FROM t", "zone sums"},
      {"SELECT g, SUM(v), COUNT(*) FROM t GROUP BY g ORDER BY g", "summary s"},
      {"SELECT COUNT(DISTINCT h) FROM t WHERE g <> 'b'", "summary s"},
      {"SELECT COUNT(*), SUM(v) FROM t WHERE day BETWEEN 100 AND 200", "block cells"},
      {"SELECT late, g, SUM(v) FROM t GROUP BY late, g ORDER BY late, g", "block cells"},
      {"SELECT COUNT(*) FROM t WHERE day < 5 AND h = 'x'", "block cells"},
      {"SELECT COUNT(*) FROM t WHERE wide < 500", "scan"},
      {"SELECT SUM(day) FROM t WHERE wide BETWEEN 7 AND 9000", "scan"},
  };
  for (const auto& [query, expected] : cases) {
    INFO(query);
    REQUIRE(path(s, query) == expected);
    const std::string rows = s.run(query);
    REQUIRE(s.run(query) == rows);
    for (const char* off : {"zone_sums", "block_cells", "summary_mode"}) {
      REQUIRE(s.run(std::string("SET ") + off + " = off") == "");
      REQUIRE(s.run(query) == rows);
      REQUIRE(s.run(query) == rows);
    }
    REQUIRE(s.run("SET zone_sums = on; SET block_cells = on; SET summary_mode = auto") == "");
  }
}

TEST_CASE("folds follow changes in one run of several, through rollback and for an older snapshot") {
  const struct ShortRuns {
    ShortRuns() { hdb::Table::set_run_blocks(1); }
    ~ShortRuns() { hdb::Table::set_run_blocks(hdb::kRunBlocks); }
  } runs;
  Session s;
  fill(s);
  const std::string query = "SELECT g, COUNT(*), SUM(v) FROM t GROUP BY g ORDER BY g";
  REQUIRE(s.run("SET summary_mode = off") == "");
  const std::string before = s.run(query);
  REQUIRE(s.run(query) == before);
  Session other(s.database_ptr());
  Session* old = &other;
  REQUIRE(old->run("SET summary_mode = off; BEGIN") == "");
  REQUIRE(old->run(query) == before);
  REQUIRE(s.run("BEGIN; UPDATE t SET v = v + 1, g = 'd' WHERE id = 40000") == "");
  const std::string inside = s.run(query);
  REQUIRE(inside != before);
  REQUIRE(old->run(query) == before);
  REQUIRE(s.run("ROLLBACK") == "");
  REQUIRE(s.run(query) == before);
  REQUIRE(s.run("UPDATE t SET v = v + 1, g = 'd' WHERE id = 40000") == "");
  REQUIRE(s.run(query) == inside);
  REQUIRE(old->run(query) == before);
  REQUIRE(s.run(query) == inside);
  REQUIRE(old->run("COMMIT") == "");
  REQUIRE(old->run(query) == inside);
}
