// The stated limits: each at its maximum and one past it.
//
// Invariants checked: the rows of spec/limits.md that a program can reach through the C ABI in a moment.
#include "suites.h"

namespace conformance {

namespace {

using judge::Context;
using judge::Scene;

std::string repeated(size_t times, const std::string& text, const std::string& between = "") {
  std::string out;
  for (size_t i = 0; i < times; ++i) out += (i > 0 ? between : "") + text;
  return out;
}
std::string numbered(size_t count, const std::string& before, const std::string& after) {
  std::string out;
  for (size_t i = 1; i <= count; ++i) out += (i > 1 ? ", " : "") + before + std::to_string(i) + after;
  return out;
}

void numbers(Context&) {
  Scene s;
  s.expect("SELECT 9223372036854775806 + 1, -9223372036854775807 - 1", "9223372036854775807|-9223372036854775808");
  for (const char* sql : {"SELECT 9223372036854775807 + 1", "SELECT -9223372036854775807 - 2", "SELECT 3037000500 * 3037000500", "SELECT -(-9223372036854775807 - 1)",
                          "SELECT CAST('9223372036854775808' AS BIGINT)"}) {
    s.expect_error(sql, "22003");
  }
  s.expect("SELECT 3037000499 * 3037000499", "9223372030926249001");
  const std::string nines(38, '9');
  s.expect("SELECT " + nines, nines);
  s.expect_error("SELECT " + nines + " + 1", "22003");
  s.run("CREATE TABLE d(v DECIMAL(18,2))");
  s.run("INSERT INTO d VALUES (9999999999999999.99), (-9999999999999999.99)");
  s.expect_error("INSERT INTO d VALUES (10000000000000000.00)", "22003");
  s.expect("SELECT SUM(v), COUNT(*) FROM d", "0.00|2");
  s.expect_error("CREATE TABLE e(v DECIMAL(19,2))", "0A000");
}

void texts(Context&) {
  Scene s;
  s.run("CREATE TABLE t(v VARCHAR(10))");
  s.run("INSERT INTO t VALUES ('" + std::string(10, 'a') + "'), ('" + repeated(10, "\xc3\xa9") + "')");
  s.expect_error("INSERT INTO t VALUES ('" + std::string(11, 'a') + "')", "22001");
  s.expect_error("INSERT INTO t VALUES ('" + repeated(11, "\xc3\xa9") + "')", "22001");
  s.expect_error("INSERT INTO t VALUES ('\xff')", "22021");
  s.expect("SELECT COUNT(*) FROM t", "2");
  s.run("CREATE TABLE " + std::string(128, 'n') + "(a BIGINT)");
  s.expect_error("CREATE TABLE " + std::string(129, 'n') + "(a BIGINT)", "54000");
  s.run("CREATE TABLE m(v VARCHAR(10000000))");
  s.expect_error("CREATE TABLE n(v VARCHAR(10000001))", "22023");
}

void widths(Context&) {
  Scene s;
  s.run("CREATE TABLE w(" + numbered(1000, "c", " BIGINT") + ")");
  s.expect_error("CREATE TABLE w2(" + numbered(1001, "c", " BIGINT") + ")", "54000");
  s.run("INSERT INTO w VALUES (" + numbered(1000, "", "") + ")");
  s.expect("SELECT c1, c1000 FROM w", "1|1000");
  s.run("CREATE TABLE t(id BIGINT PRIMARY KEY, " + numbered(20, "c", " BIGINT") + ")");
  s.run("CREATE INDEX s12 ON t USING SUMMARY (" + numbered(12, "c", "") + ")");
  s.expect_error("CREATE INDEX s13 ON t USING SUMMARY (" + numbered(13, "c", "") + ")", "54000");
  s.run("CREATE INDEX m16 ON t USING SUMMARY (id) INCLUDE (" + numbered(16, "c", "") + ")");
  s.expect_error("CREATE INDEX m17 ON t USING SUMMARY (id) INCLUDE (" + numbered(17, "c", "") + ")", "54000");
}

void depth(Context&) {
  Scene s;
  const auto nested = [](size_t levels) { return "SELECT " + std::string(levels, '(') + "1" + std::string(levels, ')'); };
  s.expect(nested(150), "1");
  s.expect_error(nested(100000), "54001");
  s.expect_error("SELECT " + repeated(100000, "NOT ") + "TRUE", "54001");
  s.expect_error("SELECT $32768", "54000");
  holodb_stmt* stmt = nullptr;
  judge::require(holodb_prepare(s.connection().handle(), "SELECT $32767", -1, &stmt, nullptr) == HOLODB_OK && holodb_parameter_count(stmt) == 32767, "32,767 parameters");
  holodb_finalize(stmt);
  s.expect("SELECT 1", "1");
}

// The statement that would add a cell too many fails whole; the summary goes on.
void cells(Context&) {
  Scene s;
  s.run("CREATE TABLE t(id BIGINT PRIMARY KEY, g BIGINT, v BIGINT)");
  s.run("INSERT INTO t VALUES (1,1,10),(2,2,20),(3,3,30)");
  s.expect_error("CREATE INDEX s ON t USING SUMMARY (g) INCLUDE (v) WITH (max_cells = 2)", "54000");
  s.run("CREATE INDEX s ON t USING SUMMARY (g) INCLUDE (v) WITH (max_cells = 4)");
  s.run("INSERT INTO t VALUES (4,4,40)");
  s.expect_error("INSERT INTO t VALUES (5,1,1),(6,5,50)", "54000");
  s.expect_error("UPDATE t SET g = g + 100", "54000");
  for (const char* mode : {"auto", "off"}) {
    s.mode(mode);
    s.expect("SELECT g, COUNT(*), SUM(v) FROM t GROUP BY g ORDER BY g", "1|1|10;2|1|20;3|1|30;4|1|40");
  }
  s.verify("s");
}

}  // namespace

std::vector<judge::Case> limit_cases() {
  return {{"numbers end where they say", "V1", numbers},
          {"texts and names end where they say", "V1", texts},
          {"columns, dimensions and measures", "V1", widths},
          {"nesting and parameters", "E1", depth},
          {"cells of a summary", "P1", cells}};
}

}  // namespace conformance
