// fuzz: every fuzz target, driven by bytes from fixed seeds; builds with any compiler.
//
// Invariants checked: F1 to F12 (fuzz/targets.h).
#include <algorithm>

#include "model/print.h"
#include "targets.h"

namespace judge {

namespace {

const std::vector<std::string> kSql = {
    "SELECT g, COUNT(*), SUM(a), AVG(d) FROM t GROUP BY g ORDER BY g",
    "SELECT p.seg, SUM(t.a), COUNT(*) FROM t JOIN p ON t.pref = p.pid WHERE p.tier = 1 GROUP BY p.seg",
    "SELECT COUNT(DISTINCT g), MIN(a), MAX(day), sum_exact(a) FROM t WHERE g LIKE 'x%' OR NOT b",
    "SELECT CASE WHEN a > 3 THEN 'big' WHEN a IS NULL THEN NULL ELSE 'small' END AS c, id FROM t ORDER BY id DESC",
    "SELECT id, COALESCE(a, -1), NULLIF(g, 'x'), CAST(d AS BIGINT), a % 3 FROM t WHERE id IN (1, 2, 3) AND x BETWEEN 0e0 AND 1e3",
    "INSERT INTO t VALUES (10, 2, 'new', 5, 1.25, 3e0, FALSE, DATE '2025-12-31'), (11, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
    "UPDATE t SET a = a + 1, g = 'z' WHERE id > 1; SELECT g, SUM(a) FROM t WHERE id < 4 GROUP BY g",
    "BEGIN; DELETE FROM t WHERE g = 'x'; SAVEPOINT q; INSERT INTO t SELECT id + 100, pref, g, a, d, x, b, day FROM t; ROLLBACK TO q; COMMIT",
    "CREATE TABLE u(k BIGINT PRIMARY KEY, v VARCHAR(5) NOT NULL UNIQUE, w NUMERIC(6,3)); INSERT INTO u VALUES (1, 'abc', 1.5); DROP TABLE u",
    "CREATE INDEX s2 ON t USING SUMMARY (b) INCLUDE (a) WITH (max_cells = 100); EXPLAIN SELECT b, SUM(a) FROM t GROUP BY b; DROP INDEX s2",
    "EXPLAIN ANALYZE SELECT COUNT(*) FROM t; SHOW INDEXES FROM t; SET summary_mode = force; SELECT id/0 FROM t",
    "SELECT DISTINCT a.g, b.seg FROM t a LEFT JOIN p b ON a.pref = b.pid CROSS JOIN p c HAVING 1 = 1 LIMIT 3 OFFSET 1",
    "SELECT '' AS e, NULL AS n, TRUE AS b, 1e100, 'a,b', \"id\", -9223372036854775808, 1.5 / 0.3 FROM t WHERE ? = $1 OR :name IS NULL"};
const std::vector<std::string> kTokens = {"SELECT",
                                          "FROM",
                                          "WHERE",
                                          "GROUP BY",
                                          "HAVING",
                                          "ORDER BY",
                                          "NULL",
                                          "(",
                                          ")",
                                          ",",
                                          "'",
                                          "\"",
                                          ";",
                                          "*",
                                          "--",
                                          "/*",
                                          "*/",
                                          "CASE",
                                          "END",
                                          "NOT",
                                          "IN",
                                          "BETWEEN",
                                          "9223372036854775808",
                                          "1e999",
                                          "0.0",
                                          "-",
                                          "||",
                                          "::",
                                          "t",
                                          "p",
                                          "g",
                                          "a",
                                          "COUNT(DISTINCT ",
                                          "SUM(",
                                          "\xff",
                                          "\xc3\xa9",
                                          "?",
                                          "$1",
                                          "BEGIN",
                                          "ROLLBACK",
                                          "AS",
                                          "JOIN",
                                          "ON",
                                          "LIMIT",
                                          "CAST(",
                                          "DATE ''",
                                          "99999999999999999999999999999999999999.9"};
const std::vector<std::string> kCsv = {"a,b,c\n1,2,3\n4,,\"\"\n",
                                       "zip,name\r\n00501,\"Holts, ville\"\r\n00544,\"W. H. \"\"Bud\"\" Barron\"\r\n",
                                       "d,t\n2026-01-31,2026-01-31 10:00:00\n2024-02-29,2024-02-29\n",
                                       "x\n1.5\n-2.25\n1e5\nNaN\n",
                                       "only\n\n\"\"\n",
                                       "\xef\xbb\xbf"
                                       "b\ntrue\nfalse\n"};

std::string mutated(model::Random& r, const std::vector<std::string>& corpus, const std::vector<std::string>& tokens) {
  std::string text = r.pick(corpus);
  for (uint64_t n = r.below(5); n > 0; --n) {
    const size_t at = r.below(text.size() + 1), length = r.below(12);
    switch (r.below(6)) {
      case 0:
        text.insert(at, r.pick(tokens) + " ");
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(r.below(text.size() + 1), length));
        break;
      case 3:
        text.resize(at);
        break;
      case 4:
        text.insert(at, " " + r.pick(corpus));
        break;
      default:
        if (at < text.size()) text[at] = static_cast<char>(r.below(256));
    }
  }
  return text;
}

void run_sql(Context& context) {
  for (int i = 0; i < 25; ++i) {
    const std::string text = mutated(context.random, kSql, kTokens);
    fuzz_sql(reinterpret_cast<const uint8_t*>(text.data()), text.size(), context.tally);
  }
  // Over-deep, over-long.
  for (const std::string& text : {"SELECT " + std::string(5000, '('), "SELECT " + std::string(3000, '-') + "1", "SELECT a" + std::string(60000, ' ') + "FROM t",
                                  "SELECT 1" + std::string(20000, '+') + "1", "SELECT '" + std::string(100000, 'q') + "'"}) {
    fuzz_sql(reinterpret_cast<const uint8_t*>(text.data()), text.size(), context.tally);
  }
}

void run_csv(Context& context) {
  for (int i = 0; i < 300; ++i) {
    const std::string text = mutated(context.random, kCsv, {"\"", ",", "\n", "\r", "\r\n", "\"\"", "1", "-0", "+5", "\xff", "9999999999999999999", "1e400"});
    fuzz_csv(reinterpret_cast<const uint8_t*>(text.data()), text.size(), context.tally);
  }
}

void run_history(Context& context) {
  std::vector<uint8_t> bytes(context.random.below(1400));
  for (uint8_t& b : bytes) b = static_cast<uint8_t>(context.random.below(256));
  fuzz_history(bytes.data(), bytes.size(), context.tally);
}

void run_crash(Context& context) {
  std::vector<uint8_t> bytes(context.random.below(600));
  for (uint8_t& b : bytes) b = static_cast<uint8_t>(context.random.below(256));
  fuzz_crash(bytes.data(), bytes.size(), context.tally);
}

using Target = void (*)(const uint8_t*, size_t, Tally&);
std::function<void(Context&)> bytes_for(Target target, size_t size_max) {
  return [=](Context& context) {
    std::vector<uint8_t> bytes(context.random.below(size_max));
    for (uint8_t& b : bytes) b = static_cast<uint8_t>(context.random.below(256));
    target(bytes.data(), bytes.size(), context.tally);
  };
}

}  // namespace

}  // namespace judge

int main(int argc, char** argv) {
  std::vector<judge::Case> cases;
  for (int i = 0; i < 85; ++i) cases.push_back({"history-" + std::to_string(i), "F2", judge::run_history});
  for (int i = 0; i < 22; ++i) cases.push_back({"sql-" + std::to_string(i), "F1", judge::run_sql});
  for (int i = 0; i < 5; ++i) cases.push_back({"csv-" + std::to_string(i), "F3", judge::run_csv});
  for (int i = 0; i < 24; ++i) cases.push_back({"crash-" + std::to_string(i), "F5", judge::run_crash});
  for (int i = 0; i < 30; ++i) cases.push_back({"pages-" + std::to_string(i), "F9", judge::bytes_for(judge::fuzz_pages, 3000)});
  for (int i = 0; i < 8; ++i) {
    cases.push_back({"sums-" + std::to_string(i), "F6", judge::bytes_for(judge::fuzz_sums, 800)});
    cases.push_back({"columns-" + std::to_string(i), "F7", judge::bytes_for(judge::fuzz_columns, 800)});
  }
  for (int i = 0; i < 8; ++i) {
    cases.push_back({"api-" + std::to_string(i), "F10", judge::bytes_for(judge::fuzz_api, 1600)});
    cases.push_back({"expressions-" + std::to_string(i), "F11", judge::bytes_for(judge::fuzz_expressions, 400)});
    cases.push_back({"files-" + std::to_string(i), "F12", judge::bytes_for(judge::fuzz_files, 300)});
  }
  for (int i = 0; i < 3; ++i) {
    cases.push_back({"identity-" + std::to_string(i), "F8", judge::bytes_for(judge::fuzz_identity, 200)});
    cases.push_back({"isolation-" + std::to_string(i), "F8", judge::bytes_for(judge::fuzz_isolation, 300)});
  }
  return judge::run_suite("fuzz", argc, argv, cases, [](const judge::Tally& t) {
    judge::require(t.distinct.size() >= 1000, "1,000 distinct checks of histories expected, " + std::to_string(t.distinct.size()) + " made");
  });
}
