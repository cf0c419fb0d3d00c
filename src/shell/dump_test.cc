#include "shell/dump.h"

#include <catch2/catch.hpp>

#include <cstdio>
#include <cstring>
#include <optional>
#include <random>
#include <set>

#include "shell/commands.h"
#include "shell/csv_import.h"
#include "shell/runner.h"

using namespace hdb::shell;

namespace {

std::string dumped(holodb::Connection& c) {
  std::string text;
  dump_database(c, [&](std::string_view part) { text += part; });
  return text;
}
std::string rows(holodb::Connection& c, const std::string& sql) {
  std::string text;
  export_csv(c, sql, [&](std::string_view part) { text += part; });
  return text;
}
// The script makes a database that looks the same; returns the script.
std::string made_again(holodb::Connection& c) {
  const std::string script = dumped(c);
  holodb::Database other;
  holodb::Connection d(other);
  d.execute(script);
  REQUIRE(dumped(d) == script);
  return script;
}

// Without their bytes, which depend on what happened to them.
std::string indexes(holodb::Connection& c) {
  std::set<std::string> lines;
  for (const holodb::Row row : c.query("SHOW INDEXES")) {
    std::string line;
    for (int i = 0; i < 5; ++i) line += row.get<std::optional<std::string>>(i).value_or("-") + "|";
    lines.insert(line + "\n");
  }
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

const char* const kTypes = "CREATE TABLE types(id BIGINT PRIMARY KEY, t TEXT, v VARCHAR(4), d DECIMAL(18,2), f DOUBLE, b BOOLEAN, da DATE, ts TIMESTAMP)";

}  // namespace

TEST_CASE("a dump makes every type again, NULL and the empty text, quotes and line breaks, the least and the greatest") {
  holodb::Database database;
  holodb::Connection c(database);
  c.execute(kTypes);
  c.execute("INSERT INTO types VALUES (-9223372036854775808,'','x',-9999999999999999.99,-0.0e0,FALSE,DATE '0001-01-01',TIMESTAMP '0001-01-01 00:00:00'),"
            "(9223372036854775807,NULL,NULL,NULL,NULL,NULL,NULL,NULL),"
            "(0,'it''s \"a\"; -- b\n\r\nc, \xC3\xBC \xF0\x9F\x98\x80','''',0.01,5e-324,TRUE,DATE '9999-12-31',TIMESTAMP '9999-12-31 23:59:59.999999'),"
            "(1,'NULL','NaN',1.50,CAST('NaN' AS DOUBLE),TRUE,DATE '2026-02-28',TIMESTAMP '2026-11-30 12:00:00.5'),"
            "(2,'x','',0,CAST('-Infinity' AS DOUBLE),TRUE,NULL,NULL),(3,'x','',0,1.7976931348623157e308,TRUE,NULL,NULL),(4,'x','',0,0.1e0,TRUE,NULL,NULL)");
  const std::string script = made_again(c);
  holodb::Database other;
  holodb::Connection d(other);
  d.execute(script);
  REQUIRE(rows(d, "SELECT * FROM types ORDER BY id") == rows(c, "SELECT * FROM types ORDER BY id"));
  REQUIRE(rows(d, "SELECT f FROM types WHERE id = -9223372036854775808") == "f\n-0.0\n");
  REQUIRE(rows(d, "SELECT COUNT(*) FROM types WHERE t = ''") == "COUNT(*)\n1\n");
}

TEST_CASE("a dump has keys, defaults, references in their order, references to itself, and summaries") {
  holodb::Database database;
  holodb::Connection c(database);
  c.execute("CREATE TABLE z(id BIGINT PRIMARY KEY, \"REFERENCES a\" TEXT DEFAULT 'REFERENCES b; x' UNIQUE)");
  c.execute("CREATE TABLE \"m \"\"1\"\"\"(id BIGINT PRIMARY KEY, z BIGINT REFERENCES z)");
  c.execute("CREATE TABLE a(id BIGINT PRIMARY KEY, m BIGINT NOT NULL REFERENCES \"m \"\"1\"\"\", z BIGINT REFERENCES z, g VARCHAR(9), d DECIMAL(9,3))");
  c.execute("CREATE TABLE tree(id BIGINT PRIMARY KEY, up BIGINT REFERENCES tree)");
  c.execute("CREATE INDEX s ON a USING SUMMARY (g, z) INCLUDE (d) WITH (max_cells = 50)");
  c.execute("CREATE UNIQUE INDEX u ON tree(up, id)");
  c.execute("INSERT INTO z VALUES (1,'p'),(2,'q'); INSERT INTO \"m \"\"1\"\"\" VALUES (5,1),(6,NULL); INSERT INTO a VALUES (1,5,2,'x',1.500),(2,6,NULL,NULL,NULL)");
  c.execute("INSERT INTO tree VALUES (1,2),(2,3),(3,NULL)");
  for (int i = 4; i < 1300; ++i) c.execute("INSERT INTO tree VALUES (" + std::to_string(i) + "," + std::to_string(i) + ")");
  const std::string script = made_again(c);
  REQUIRE(script.find("CREATE TABLE z") < script.find("CREATE TABLE \"m \"\"1\"\"\""));
  REQUIRE(script.find("CREATE TABLE \"m \"\"1\"\"\"") < script.find("CREATE TABLE a "));
  holodb::Database other;
  holodb::Connection d(other);
  d.execute(script);
  REQUIRE(rows(d, "SELECT differences FROM summary_verify('s')") == "differences\n0\n");
  REQUIRE(indexes(d) == indexes(c));
  REQUIRE_THROWS_AS(d.execute("INSERT INTO tree VALUES (2,2)"), holodb::Error);
  REQUIRE_THROWS_AS(d.execute("DELETE FROM z WHERE id = 1"), holodb::Error);
}

TEST_CASE("a dump is one snapshot, and of an open transaction what that sees") {
  holodb::Database database;
  holodb::Connection c(database), beside(database);
  c.execute("CREATE TABLE t(a BIGINT); INSERT INTO t VALUES (1); BEGIN; INSERT INTO t VALUES (2)");
  REQUIRE(dumped(c).find("(1),\n(2);\n") != std::string::npos);
  REQUIRE(dumped(beside).find("(2)") == std::string::npos);
  REQUIRE(c.in_transaction());
  REQUIRE(!beside.in_transaction());
  c.execute("ROLLBACK");
  REQUIRE(dumped(c) == "BEGIN;\nCREATE TABLE t (a BIGINT);\nINSERT INTO \"t\" VALUES\n(1);\nCOMMIT;\n");
}

TEST_CASE("random rows come back from a dump, and from an exported CSV file") {
  std::mt19937_64 random(11);
  holodb::Database database;
  holodb::Connection c(database);
  c.execute(kTypes);
  {
    holodb::Appender add = c.appender("types");
    const std::string letters = "ab',\"\n\r;-()NULL \t";
    for (int64_t id = 0; id < 3000; ++id) {
      std::string text;
      for (uint64_t i = random() % 12; i > 0; --i) text += letters[random() % letters.size()];
      uint64_t bits = random();
      double value = 0;
      std::memcpy(&value, &bits, sizeof value);
      const auto sometimes = [&](auto x) { return random() % 5 == 0 ? std::optional<decltype(x)>() : std::optional(x); };
      add.row(id, sometimes(text), sometimes(text.substr(0, 4)), holodb::Units{static_cast<int64_t>(random()) / 100},
              value == value ? sometimes(value) : std::optional<double>(), sometimes(random() % 2 == 0), holodb::Units{static_cast<int64_t>(random() % 100'000)},
              holodb::Units{static_cast<int64_t>(random() % 4'000'000'000'000'000)});
    }
    add.close();
  }
  made_again(c);
  const std::string file = "dump_test.csv";
  write_file(file, [&](const Sink& sink) { export_csv(c, "SELECT * FROM types ORDER BY id", sink); });
  holodb::Database other;
  holodb::Connection d(other);
  d.execute(kTypes);
  const ImportReport report = import_csv(d, {file, "types", false});
  std::remove(file.c_str());
  REQUIRE((report.kept && report.rows == 3000));
  REQUIRE(rows(d, "SELECT * FROM types ORDER BY id") == rows(c, "SELECT * FROM types ORDER BY id"));
}

TEST_CASE("a file that cannot be written whole is not there, and what was there stays") {
  const auto content = [](std::string_view text) { return [text](const Sink& sink) { sink(text); }; };
  write_file("dump_test.txt", content("old"));
  REQUIRE_THROWS_AS(write_file("dump_test.txt", [](const Sink& sink) { sink("new"), throw holodb::Error(HOLODB_ERROR, "57014", "interrupted"); }), holodb::Error);
  REQUIRE(read_file("dump_test.txt") == "old");
  REQUIRE_THROWS_AS(read_file("dump_test.txt.part"), holodb::Error);
  std::remove("dump_test.txt");
  try {
    write_file("no_such_directory/x", content("x"));
    FAIL("written");
  } catch (const holodb::Error& e) {
    REQUIRE(e.sqlstate() == "58030");
    REQUIRE(std::string(e.what()) == "cannot write 'no_such_directory/x': No such file or directory");
  }
}

TEST_CASE("what follows the words of a command") {
  REQUIRE(rest_behind(".export a.csv t ;", 2) == "t");
  REQUIRE(rest_behind(".export 'a b.csv'  SELECT 'x  y' FROM \"t\";", 2) == "SELECT 'x  y' FROM \"t\"");
  REQUIRE(rest_behind(".export a.csv", 2).empty());
  REQUIRE(rest_behind(".export 'open", 2).empty());
}
