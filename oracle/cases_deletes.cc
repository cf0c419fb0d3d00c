// Deletes and groups: what an emptied group, an emptied table and a deleted extreme leave behind (cases 9 to 15).
//
// Invariants checked: H2 (every path gives one answer), C6 (bounds after deletes), C8 (keys at the end of the statement).
#include "cases.h"

namespace judge {

namespace {

constexpr const char* kTable = "CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT, v BIGINT)";
constexpr const char* kSummary = "CREATE INDEX s ON t USING SUMMARY (g) INCLUDE (v)";

void ghost_group(Context&) {
  tell({kTable, kSummary, "INSERT INTO t VALUES (1,'x',1),(2,'x',2),(3,'y',5)",
        [](Scene& s) {
          s.run("DELETE FROM t WHERE id = 1");
          s.expect("SELECT g, COUNT(*), SUM(v) FROM t GROUP BY g ORDER BY g", "x|1|2;y|1|5");
          s.run("DELETE FROM t WHERE id = 2");
          s.expect("SELECT g, COUNT(*), SUM(v) FROM t GROUP BY g ORDER BY g", "y|1|5");
          s.expect("SELECT COUNT(DISTINCT g), MIN(g) FROM t", "1|y");
          s.run("INSERT INTO t VALUES (4,'x',40)");
        },
        [](Scene& s) {
          s.expect("SELECT g, COUNT(*), SUM(v), MIN(v), MAX(v) FROM t GROUP BY g ORDER BY g", "x|1|40|40|40;y|1|5|5|5");
          s.expect("SELECT COUNT(DISTINCT g) FROM t", "2");
        }});
}

void sum_of_nothing_is_zero(Context&) {
  tell({kTable, kSummary, "INSERT INTO t VALUES (1,'x',1),(2,'x',NULL),(3,'y',5),(4,'x',9)",
        [](Scene& s) {
          s.run("DELETE FROM t WHERE id = 1");
          s.run("UPDATE t SET v = NULL WHERE id = 4");
        },
        [](Scene& s) {
          s.expect("SELECT g, SUM(v), MIN(v), MAX(v), AVG(v), COUNT(v), COUNT(*) FROM t GROUP BY g ORDER BY g", "x|NULL|NULL|NULL|NULL|0|2;y|5|5|5|5.0|1|1");
          s.expect("SELECT SUM(v), AVG(v), COUNT(v), COUNT(*) FROM t WHERE g = 'x'", "NULL|NULL|0|2");
        }});
  tell({kTable, kSummary, "INSERT INTO t VALUES (1,'x',1),(2,'x',NULL)", [](Scene& s) { s.run("DELETE FROM t WHERE v IS NOT NULL"); },
        [](Scene& s) { s.expect("SELECT SUM(v), MIN(v), MAX(v), AVG(v), COUNT(v), COUNT(*) FROM t", "NULL|NULL|NULL|NULL|0|1"); }});
}

void empty_table(Context&) {
  const auto asks = [](Scene& s) {
    s.expect("SELECT COUNT(*), COUNT(v), SUM(v), AVG(v), MIN(v), MAX(v), COUNT(DISTINCT g) FROM t", "0|0|NULL|NULL|NULL|NULL|0");
    s.expect("SELECT COUNT(*), SUM(v) FROM t WHERE g = 'x'", "0|NULL");
    s.expect("SELECT g, COUNT(*) FROM t GROUP BY g", "");
    s.expect("SELECT SUM(v) FROM t HAVING COUNT(*) = 0", "NULL");
  };
  tell({kTable, kSummary, "", nullptr, asks});
  tell({kTable, kSummary, "INSERT INTO t VALUES (1,'x',1),(2,NULL,7)", [](Scene& s) { s.run("DELETE FROM t"); }, asks});
  tell({kTable, kSummary, "INSERT INTO t VALUES (1,'x',1),(2,NULL,7)", [](Scene& s) { s.run("DELETE FROM t WHERE id < 3"); }, asks});
}

void null_is_a_group(Context&) {
  tell({kTable, kSummary, "INSERT INTO t VALUES (1,NULL,1),(2,NULL,NULL),(3,'y',5),(4,NULL,NULL),(5,'y',NULL)",
        [](Scene& s) {
          s.expect("SELECT g, COUNT(*), COUNT(g), COUNT(v), SUM(v) FROM t GROUP BY g ORDER BY g", "NULL|3|0|1|1;y|2|2|1|5");
          s.expect("SELECT COUNT(g), COUNT(v), COUNT(*), COUNT(DISTINCT g) FROM t", "2|2|5|1");
          s.run("DELETE FROM t WHERE id = 2 OR id = 5");
        },
        [](Scene& s) {
          s.expect("SELECT g, COUNT(*), COUNT(g), COUNT(v), SUM(v) FROM t GROUP BY g ORDER BY g", "NULL|2|0|1|1;y|1|1|1|5");
          s.expect("SELECT COUNT(g), COUNT(v), COUNT(*) FROM t", "1|2|3");
          s.expect("SELECT COUNT(*), SUM(v) FROM t WHERE g IS NULL", "2|1");
          s.expect("SELECT COUNT(*) FROM t WHERE g <> 'y'", "0");
        }});
}

void stale_extreme(Context&) {
  for (const char* rows : {"(1,'x',9),(2,'x',3),(3,'x',9),(4,'y',-2),(5,'x',-7)", "(1,'x',9),(2,'x',3),(4,'y',-2),(5,'x',-7)"}) {
    const bool copy = std::string(rows).find("(3,") != std::string::npos;
    tell({kTable, kSummary, std::string("INSERT INTO t VALUES ") + rows,
          [copy](Scene& s) {
            s.expect("SELECT MIN(v), MAX(v) FROM t", "-7|9");
            s.run("DELETE FROM t WHERE id = 1");
            s.expect("SELECT MIN(v), MAX(v) FROM t", copy ? "-7|9" : "-7|3");
            s.expect("SELECT g, MAX(v) FROM t GROUP BY g ORDER BY g", copy ? "x|9;y|-2" : "x|3;y|-2");
            s.run("DELETE FROM t WHERE id = 3");
            s.run("DELETE FROM t WHERE id = 5");
            s.expect("SELECT MIN(v), MAX(v), COUNT(*) FROM t WHERE v > -100", "-2|3|2");
            s.run("UPDATE t SET v = 100000 WHERE id = 4");
          },
          [](Scene& s) {
            s.expect("SELECT MIN(v), MAX(v) FROM t", "3|100000");
            s.expect("SELECT g, MIN(v), MAX(v) FROM t GROUP BY g ORDER BY g", "x|3|3;y|100000|100000");
            s.expect("SELECT COUNT(*) FROM t WHERE v > 50000", "1");
          }});
  }
  for (const char* change : {"DELETE FROM t WHERE id = 1", "UPDATE t SET v = -100 WHERE id = 1"}) {
    for (const char* summary : {"", kSummary}) {
      Scene s;
      s.run(kTable);
      if (*summary != 0) s.run(summary);
      s.run("INSERT INTO t VALUES (1,'x',9),(2,'x',3)");
      s.run("BEGIN");
      s.run(change);
      s.expect("SELECT MAX(v) FROM t", "3");
      s.run("ROLLBACK");
      s.expect("SELECT MIN(v), MAX(v) FROM t", "3|9");
      s.expect("SELECT COUNT(*) FROM t WHERE v > 5", "1");
    }
  }
}

void false_duplicate(Context&) {
  const std::string table = "CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT, v BIGINT)";
  for (const char* first : {"1", "1000003"}) {  // the dense and the hashed form of the key
    const std::string one = first;
    tell({table, kSummary, "INSERT INTO t VALUES (" + one + ",'x',1)",
          [one](Scene& s) {
            s.run("UPDATE t SET id = 4 WHERE id = " + one);
            s.run("INSERT INTO t VALUES (" + one + ",'y',2)");
            s.run("DELETE FROM t WHERE id = " + one);
            s.run("INSERT INTO t VALUES (" + one + ",'y',3)");
            s.expect_error("INSERT INTO t VALUES (" + one + ",'y',3)", "23505");
            s.run("UPDATE t SET id = 77 WHERE id = " + one);
            s.run("UPDATE t SET id = " + one + " WHERE id = 77");
          },
          [one](Scene& s) {
            s.expect("SELECT g, v FROM t WHERE id = " + one, "y|3");
            s.expect("SELECT g, v FROM t WHERE id = 4", "x|1");
            s.expect("SELECT COUNT(*) FROM t WHERE id = 77", "0");
            s.expect("SELECT g, COUNT(*), SUM(v) FROM t GROUP BY g ORDER BY g", "x|1|1;y|1|3");
          }});
  }
  tell({table, "", "INSERT INTO t VALUES (1,'x',1),(2,'x',2)",
        [](Scene& s) {
          s.run("UPDATE t SET id = 3 WHERE id = 1");
          s.run("DELETE FROM t WHERE id = 2");
        },
        [](Scene& s) { s.expect("SELECT id FROM t", "3"); }});
  tell({table, kSummary, "INSERT INTO t VALUES (1,'x',1),(2,'x',2),(3,'y',3)",
        [](Scene& s) {
          s.run("UPDATE t SET id = id + 1");  // checked at the end of the statement
          s.expect_error("UPDATE t SET id = 9", "23505");
        },
        [](Scene& s) { s.expect("SELECT id, v FROM t ORDER BY id", "2|1;3|2;4|3"); }});
}

void deleted_twice(Context&) {
  tell({kTable, kSummary, "INSERT INTO t VALUES (1,'x',1),(2,'x',2),(3,'y',3)",
        [](Scene& s) {
          s.run("DELETE FROM t WHERE id = 1");
          s.run("DELETE FROM t WHERE v = 1");
          s.run("DELETE FROM t WHERE id = 1 OR v = 1");
          const Reply none = s.run("DELETE FROM t WHERE id = 1");
          require(none.changes == 0, "a row deleted twice is counted twice");
        },
        [](Scene& s) {
          s.expect("SELECT COUNT(*), SUM(v) FROM t", "2|5");
          s.expect("SELECT g, COUNT(*), SUM(v) FROM t GROUP BY g ORDER BY g", "x|1|2;y|1|3");
          s.expect("SELECT id FROM t ORDER BY id", "2;3");
        }});
}

}  // namespace

std::vector<Case> delete_cases() {
  return {{"case 9: an emptied group is listed, or does not come back", "H2", ghost_group},
          {"case 10: SUM over only NULLs is 0", "H2", sum_of_nothing_is_zero},
          {"case 11: an aggregate over nothing gives no row, or a group", "H2", empty_table},
          {"case 12: NULL is no group, or COUNT(col) counts it", "H2", null_is_a_group},
          {"case 13: MAX is the value that was deleted", "C6", stale_extreme},
          {"case 14: a key that was freed is a duplicate", "C8", false_duplicate},
          {"case 15: a row deleted twice leaves COUNT(*) below the rows", "H2", deleted_twice}};
}

}  // namespace judge
