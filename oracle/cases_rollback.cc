// Rollback and stale caches: nothing of what was undone or dropped is seen again (cases 16 to 20).
//
// Invariants checked: D1 (statement atomicity), C1, C5 (pending deltas), C11 (catalog versions), H2.
#include "cases.h"

namespace judge {

namespace {

constexpr const char* kTable = "CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT, v BIGINT)";
constexpr const char* kSummary = "CREATE INDEX s ON t USING SUMMARY (g) INCLUDE (v)";

void half_an_insert(Context&) {
  tell({kTable, kSummary, "INSERT INTO t VALUES (1,'x',1),(12,'x',2)",
        [](Scene& s) {
          s.run("CREATE TABLE u(id BIGINT PRIMARY KEY, g TEXT, v BIGINT)");
          s.run("INSERT INTO u VALUES (11,'new',5),(12,'x',6)");
          s.expect_error("INSERT INTO t SELECT id, g, v FROM u", "23505");
          s.expect("SELECT COUNT(*), SUM(v) FROM t", "2|3");
          s.expect_error("INSERT INTO t SELECT id + 11, g, v FROM t", "23505");
          s.expect_error("INSERT INTO t VALUES (50,'new',5),(51,'x',6),(50,'y',7)", "23505");
          s.expect_error("UPDATE t SET v = v + 9223372036854775806", "22003");
          s.run("INSERT INTO t VALUES (13,'x',4)");
        },
        [](Scene& s) {
          s.expect("SELECT COUNT(*), SUM(v), COUNT(DISTINCT g) FROM t", "3|7|1");
          s.expect("SELECT g, COUNT(*), SUM(v) FROM t GROUP BY g", "x|3|7");
          s.expect("SELECT COUNT(*) FROM t WHERE id = 11 OR id = 50", "0");
        }});
}

std::string count(Scene& s, holodb_stmt* stmt) {
  holodb_reset(stmt);
  Reply r;
  require(s.connection().fetch(stmt, r) == HOLODB_DONE, "a prepared COUNT(*) fails");
  return Scene::text_of(r);
}

void prepared_count(Context&) {
  for (const char* summary : {"", kSummary}) {
    for (const char* sql : {"SELECT COUNT(*) FROM t", "SELECT COUNT(*), SUM(v) FROM t WHERE g = 'x'"}) {
      Scene s;
      s.run(kTable);
      if (*summary != 0) s.run(summary);
      const bool plain = std::string(sql).find("SUM") == std::string::npos;
      const char* zero = plain ? "0" : "0|NULL";
      holodb_stmt* stmt = nullptr;
      require(holodb_prepare(s.connection().handle(), sql, -1, &stmt, nullptr) == HOLODB_OK, "prepare");
      require(count(s, stmt) == zero, "before");
      s.run("BEGIN");
      s.run("INSERT INTO t VALUES (1,'x',5)");
      require(count(s, stmt) == (plain ? "1" : "1|5"), "the transaction does not see its own row");
      s.run("SAVEPOINT a");
      s.run("INSERT INTO t VALUES (2,'x',6)");
      require(count(s, stmt) == (plain ? "2" : "2|11"), "the transaction does not see its second row");
      s.run("ROLLBACK TO a");
      require(count(s, stmt) == (plain ? "1" : "1|5"), "ROLLBACK TO leaves a row");
      s.run("ROLLBACK");
      require(count(s, stmt) == zero, "ROLLBACK leaves a row");
      holodb_finalize(stmt);
    }
  }
}

void counts_agree(Context& context) {
  for (const char* summary : {"", kSummary}) {
    Scene s;
    s.run(kTable);
    if (*summary != 0) s.run(summary);
    model::Random& r = context.random;
    std::vector<int64_t> ids;
    bool inside = false;
    std::vector<int64_t> before;
    for (int step = 0; step < 60; ++step) {
      const uint64_t kind = r.below(10);
      if (kind < 5 || ids.empty()) {
        const int64_t id = step + 1;
        s.run("INSERT INTO t VALUES (" + std::to_string(id) + ", '" + std::string(1, static_cast<char>('a' + r.below(3))) + "', " +
              std::to_string(r.range(-9, 9)) + ")");
        ids.push_back(id);
      } else if (kind < 7) {
        const size_t i = r.below(ids.size());
        s.run("DELETE FROM t WHERE id = " + std::to_string(ids[i]));
        ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(i));
      } else if (kind < 8) {
        s.run("UPDATE t SET g = 'b' WHERE id = " + std::to_string(ids[r.below(ids.size())]));
      } else if (!inside) {
        s.run("BEGIN");
        inside = true;
        before = ids;
      } else {
        const bool keep = r.chance(50);
        s.run(keep ? "COMMIT" : "ROLLBACK");
        if (!keep) ids = before;
        inside = false;
      }
      const std::string n = std::to_string(ids.size());
      for (const char* mode : {"off", "auto"}) {
        s.mode(mode);
        require(s.run("SELECT id FROM t").rows.size() == ids.size(), "rows listed");
        s.expect("SELECT COUNT(*), COUNT(1), COALESCE(SUM(1), 0) FROM t", n + "|" + n + "|" + n);
        const Reply groups = s.run("SELECT g, COUNT(*), COUNT(1), SUM(1) FROM t GROUP BY g");
        size_t total = 0;
        for (const auto& row : groups.rows) {
          total += std::stoul(row[1].text);
          require(row[1].text == row[2].text && row[2].text == row[3].text && row[1].text != "0", "COUNT(*) = COUNT(1) = SUM(1) in every group");
        }
        require(total == ids.size(), "groups add up to the rows");
      }
    }
  }
}

void summary_of_deleted_rows(Context&) {
  Scene s;
  s.run(kTable);
  s.run("INSERT INTO t VALUES (1,'x',1),(2,'x',2),(3,'gone',3)");
  s.run("DELETE FROM t WHERE id = 3 OR id = 1");
  s.run(kSummary);
  for (const char* mode : {"off", "auto", "force"}) {
    s.mode(mode);
    s.expect("SELECT g, COUNT(*), SUM(v) FROM t GROUP BY g", "x|1|2");
    s.expect("SELECT COUNT(DISTINCT g) FROM t", "1");
  }
  s.verify("s");
  s.mode("auto");
  s.expect("SELECT COUNT(*), SUM(v), MAX(v) FROM t", "1|2|2");
  s.run("DROP TABLE t");
  s.expect_error("SELECT COUNT(*) FROM t", "42P01");
  s.run(kTable);
  s.expect("SELECT COUNT(*), SUM(v) FROM t", "0|NULL");
  s.expect("SELECT g, COUNT(*) FROM t GROUP BY g", "");
  s.run("INSERT INTO t VALUES (1,'x',10)");
  s.run(kSummary);
  for (const char* mode : {"off", "auto", "force"}) {
    s.mode(mode);
    s.expect("SELECT g, COUNT(*), SUM(v) FROM t GROUP BY g", "x|1|10");
  }
  s.verify("s");
}

// Test 9 of the concurrency contract, in one connection.
void summary_made_inside(Context&) {
  Scene s;
  s.run(kTable);
  s.run("INSERT INTO t VALUES (1,'x',1),(2,'y',2)");
  s.run("BEGIN");
  s.run("INSERT INTO t VALUES (3,'x',4)");
  s.run("SAVEPOINT a");
  s.run("INSERT INTO t VALUES (4,'brand new',8)");
  s.run(kSummary);
  s.run("INSERT INTO t VALUES (5,'x',16)");
  s.run("DELETE FROM t WHERE id = 2");
  s.expect("SELECT g, COUNT(*), SUM(v) FROM t GROUP BY g ORDER BY g", "brand new|1|8;x|3|21");
  s.run("ROLLBACK TO a");
  s.expect("SELECT g, COUNT(*), SUM(v) FROM t GROUP BY g ORDER BY g", "x|2|5;y|1|2");
  s.run(kSummary);
  s.run("INSERT INTO t VALUES (6,'y',32)");
  s.run("SAVEPOINT b");
  s.run("INSERT INTO t VALUES (7,'another',64)");
  s.run("DELETE FROM t WHERE g = 'y'");
  s.run("ROLLBACK TO b");
  s.run("COMMIT");
  for (const char* mode : {"off", "auto", "force"}) {
    s.mode(mode);
    s.expect("SELECT g, COUNT(*), SUM(v) FROM t GROUP BY g ORDER BY g", "x|2|5;y|2|34");
    s.expect("SELECT COUNT(DISTINCT g) FROM t", "2");
  }
  s.verify("s");
}

void emptied_and_rolled_back(Context&) {
  for (const char* summary : {"", kSummary}) {
    Scene s;
    s.run(kTable);
    if (*summary != 0) s.run(summary);
    s.run("INSERT INTO t VALUES (1,'x',1),(2,'y',9223372036854775807),(3,'y',9223372036854775807)");
    s.run("BEGIN");
    s.run("DELETE FROM t");
    s.expect("SELECT COUNT(*), sum_exact(v) FROM t", "0|NULL");
    s.run("INSERT INTO t VALUES (1,'z',7)");
    s.expect("SELECT g, sum_exact(v) FROM t GROUP BY g", "z|7");
    s.run("ROLLBACK");
    for (const char* mode : {"off", "auto"}) {
      s.mode(mode);
      s.expect("SELECT COUNT(*), sum_exact(v), MAX(v) FROM t", "3|18446744073709551615|9223372036854775807");
      s.expect("SELECT g, COUNT(*), sum_exact(v) FROM t GROUP BY g ORDER BY g", "x|1|1;y|2|18446744073709551614");
    }
    if (*summary != 0) s.verify("s");
  }
}

}  // namespace

std::vector<Case> rollback_cases() {
  return {{"case 16: a failed INSERT ... SELECT leaves its first row in a total", "D1", half_an_insert},
          {"case 17: a prepared COUNT(*) repeats what was rolled back", "C1", prepared_count},
          {"case 18: COUNT(*), COUNT(1), SUM(1) and the rows disagree", "H2", counts_agree},
          {"case 19: a summary counts deleted rows, or those of a dropped table", "C11", summary_of_deleted_rows},
          {"case 20: rows deleted in a transaction stay away after ROLLBACK", "C5", emptied_and_rolled_back},
          {"test 9: a summary made behind a savepoint lists what was undone", "C5", summary_made_inside}};
}

}  // namespace judge
