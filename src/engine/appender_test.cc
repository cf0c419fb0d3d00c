#include <catch2/catch.hpp>

#include <functional>

#include "engine/appender.h"
#include "engine/test_sql.h"

using namespace hdb;
using hdb::testing::Session;

namespace {

std::string code_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return std::string(e.sqlstate()) + " " + e.message();
  }
  return "";
}

void row(Appender& a, int64_t id, const char* g) {
  a.append_int64(id);
  if (g == nullptr) a.append_null();
  else a.append_text(g);
  a.end_row();
}

}  // namespace

TEST_CASE("rows over several buffers arrive together, with keys, summaries and texts") {
  Session s;
  s.run("CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT, d DECIMAL(9,2), r DOUBLE, day DATE); CREATE INDEX s ON t USING SUMMARY (g) INCLUDE (d)");
  const int64_t rows = 2 * Appender::kBufferRows + 100;
  {
    Appender a(s.shared(), "T");
    for (int64_t i = 0; i < rows; ++i) {
      a.append_int64(i);
      if (i % 100 == 7) a.append_null();
      else a.append_text("g" + std::to_string(i % 5));
      if (i % 2 == 0) a.append_int64(i % 10);
      else a.append_text("1.25");
      a.append_int64(3);
      a.append_text("2026-11-30");
      a.end_row();
    }
    Session other(s.database_ptr());
    REQUIRE(other.run("SELECT COUNT(*) FROM t") == "0");
    a.close();
    a.close();  // once is enough
  }
  REQUIRE(s.connection().changes() == static_cast<uint64_t>(rows));
  REQUIRE(s.run("SELECT COUNT(*), COUNT(g), MIN(day), SUM(r) FROM t") == std::to_string(rows) + "|" + std::to_string(rows - rows / 100 - 1) + "|2026-11-30|" +
          to_text(Value::make_real(3.0 * static_cast<double>(rows))));
  REQUIRE(s.run("SELECT g, d FROM t WHERE id = 16384") == "g4|4.00");
  REQUIRE(s.run("SELECT differences FROM summary_verify('s')") == "0");
}

TEST_CASE("an error names row and column; nothing of the load is kept, and the error stays") {
  Session s;
  s.run("CREATE TABLE t(id BIGINT PRIMARY KEY, g VARCHAR(3) NOT NULL, d DECIMAL(4,2), b BOOLEAN)");
  const auto failing = [&](const std::function<void(Appender&)>& third) {
    Appender a(s.shared(), "t");
    for (int64_t i = 0; i < 2; ++i) {
      a.append_int64(i);
      a.append_text("abc");
      a.append_text("1.5");
      a.append_boolean(true);
      a.end_row();
    }
    const std::string first = code_of([&] { third(a); });
    REQUIRE(code_of([&] { a.append_int64(1); }) == first);
    REQUIRE(code_of([&] { a.close(); }) == first);
    REQUIRE(s.run("SELECT COUNT(*) FROM t") == "0");
    return first;
  };
  REQUIRE(failing([](Appender& a) { a.append_text("12x"); }).substr(0, 22) == "22P02 row 3, column id");
  REQUIRE(failing([](Appender& a) { a.append_int64(1), a.append_null(); }).substr(0, 29) == "23502 row 3, column g: it mus");
  REQUIRE(failing([](Appender& a) { a.append_int64(1), a.append_text("abcd"); }).substr(0, 21) == "22001 row 3, column g");
  REQUIRE(failing([](Appender& a) { a.append_int64(1), a.append_text("\xc3"); }).substr(0, 21) == "22021 row 3, column g");
  REQUIRE(failing([](Appender& a) { a.append_int64(1), a.append_text("a"), a.append_int64(100); }).substr(0, 21) == "22003 row 3, column d");
  REQUIRE(failing([](Appender& a) { a.append_int64(1), a.append_text("a"), a.append_boolean(true); }).substr(0, 21) == "42804 row 3, column d");
  REQUIRE(failing([](Appender& a) { a.append_int64(1), a.end_row(); }).substr(0, 21) == "42601 row 3, column g");
  REQUIRE(failing([](Appender& a) {
            a.append_int64(1), a.append_text("a"), a.append_null(), a.append_null(), a.append_null();
          }).substr(0, 11) == "42601 row 3");
  REQUIRE(failing([](Appender& a) { row(a, 0, "x"); }).substr(0, 5) == "42601");
  // A duplicate is found at the flush.
  Appender a(s.shared(), "t");
  for (int i = 0; i < 2; ++i) {
    a.append_int64(7), a.append_text("a"), a.append_null(), a.append_null();
    a.end_row();
  }
  REQUIRE(code_of([&] { a.close(); }).substr(0, 20) == "23505 rows 1 to 2: d");
  REQUIRE(s.run("SELECT COUNT(*) FROM t") == "0");
  REQUIRE(s.run("INSERT INTO t VALUES (7,'a',NULL,NULL); SELECT COUNT(*) FROM t") == "1");
}

TEST_CASE("inside of an open transaction it becomes part of that") {
  Session s;
  s.run("CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT); BEGIN; INSERT INTO t VALUES (-1, 'mine')");
  {
    Appender a(s.shared(), "t");
    for (int64_t i = 0; i < 20'000; ++i) row(a, i, "x");
    REQUIRE(s.run("INSERT INTO t VALUES (-2, 'y')") == "error 24000");
    REQUIRE(s.run("COMMIT") == "error 24000");
    REQUIRE(s.run("SELECT COUNT(*) FROM t").substr(0, 5) != "error");
    a.close();
  }
  REQUIRE(s.run("SELECT COUNT(*) FROM t") == "20001");
  {
    Appender a(s.shared(), "t");
    for (int64_t i = 30'000; i < 50'000; ++i) row(a, i, nullptr);
    row(a, 5, "twice");
    REQUIRE(code_of([&] { a.close(); }).substr(0, 5) == "23505");
  }
  REQUIRE(s.run("SELECT COUNT(*) FROM t") == "20001");
  {
    Appender a(s.shared(), "t");
    row(a, 60'000, "gone");
  }
  REQUIRE(s.run("COMMIT; SELECT COUNT(*) FROM t") == "20001");
}

TEST_CASE("an appender to a table that is not there, or not there any more") {
  Session s;
  REQUIRE(code_of([&] { Appender a(s.shared(), "nope"); }).substr(0, 5) == "42P01");
  s.run("CREATE TABLE t(id BIGINT, g TEXT)");
  Appender a(s.shared(), "t");
  row(a, 1, "x");
  s.run("DROP TABLE t");
  REQUIRE(code_of([&] { a.close(); }).substr(0, 5) == "42P01");
  REQUIRE(s.run("CREATE TABLE t(id BIGINT, g TEXT); INSERT INTO t VALUES (1,'a'); SELECT COUNT(*) FROM t") == "1");
}

TEST_CASE("A4 a load of many blocks on two threads and on one: the same rows, the same error, and nothing kept after it") {
  std::string answers[2];
  for (const int threads : {1, 2}) {
    Session s;
    s.run("CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT, d DECIMAL(9,2), n TEXT)");
    s.run("SET threads = " + std::to_string(threads));
    const int64_t rows = 5 * Appender::kBufferRows + 3;
    std::string& answer = answers[threads - 1];
    const auto load = [&](int64_t from, int64_t duplicate_at, int64_t bad_at) {
      answer += code_of([&] {
        Appender a(s.shared(), "t");
        for (int64_t i = 0; i < rows; ++i) {
          a.append_int64(i == duplicate_at ? from : from + i);
          a.append_text("group " + std::to_string(i % 7 == 0 ? i % 3000 : i % 5));
          if (i == bad_at) a.append_text("x");
          else if (i % 11 == 0) a.append_null();
          else a.append_int64(i % 1000 - 500);
          a.append_text("a text that is longer than sixteen bytes " + std::to_string(i % 9));
          a.end_row();
        }
        a.close();
      }) + "\n";
      answer += s.run("SELECT COUNT(*), COUNT(d), SUM(d), COUNT(DISTINCT g), COUNT(DISTINCT n), MAX(g), MIN(id), MAX(id) FROM t") + "\n";
    };
    load(0, -1, -1);
    load(1'000'000, Appender::kBufferRows + 5, -1);
    // The duplicate stands before the value that is none: it is told, whoever found its fault first.
    load(1'000'000, 7, Appender::kBufferRows + 9);
    load(1'000'000, 3 * Appender::kBufferRows, 9);
    load(1'000'000, -1, -1);
    answer += s.run("SELECT g, n, d, COUNT(*) FROM t GROUP BY g, n, d ORDER BY g, n, d LIMIT 50");
    {
      Appender gone(s.shared(), "t");
      for (int64_t i = 0; i < rows; ++i) {
        gone.append_int64(5'000'000 + i);
        for (int c = 0; c < 3; ++c) gone.append_null();
        gone.end_row();
      }
    }
    answer += s.run("SELECT COUNT(*) FROM t");
  }
  REQUIRE(answers[0].find("23505 row") != std::string::npos);
  REQUIRE(answers[0].find("22P02 row 10, column d") != std::string::npos);
  REQUIRE(answers[0] == answers[1]);
}

TEST_CASE("whole numbers for a DECIMAL column: up to its limit and one past it") {
  Session s;
  s.run("CREATE TABLE t(a DECIMAL(6,2), b DECIMAL(18,0), c DECIMAL(18,18))");
  const auto row_of = [&](int64_t a_value, int64_t b_value, int64_t c_value) {
    return code_of([&] {
             Appender a(s.shared(), "t");
             a.append_int64(a_value), a.append_int64(b_value), a.append_int64(c_value);
             a.end_row();
             a.close();
           })
        .substr(0, 25);
  };
  REQUIRE(row_of(9999, 999'999'999'999'999'999, 0) == "");
  REQUIRE(row_of(-9999, -999'999'999'999'999'999, 0) == "");
  REQUIRE(row_of(10'000, 0, 0) == "22003 row 1, column a: th");
  REQUIRE(row_of(0, 1'000'000'000'000'000'000, 0) == "22003 row 1, column b: th");
  REQUIRE(row_of(0, INT64_MIN, 0) == "22003 row 1, column b: th");
  REQUIRE(row_of(0, 0, 1) == "22003 row 1, column c: th");
  REQUIRE(s.run("SELECT * FROM t ORDER BY a") ==
          "-9999.00|-999999999999999999|0.000000000000000000\n9999.00|999999999999999999|0.000000000000000000");
}

TEST_CASE("units are the numbers that columns keep: up to the limit of each type and one past it") {
  Session s;
  s.run("CREATE TABLE t(i BIGINT, b BOOLEAN, d DECIMAL(5,2), day DATE, at TIMESTAMP)");
  const auto row_of = [&](std::vector<int64_t> values) {
    return code_of([&] {
             Appender a(s.shared(), "t");
             for (const int64_t v : values) a.append_units(v);
             a.end_row();
             a.close();
           })
        .substr(0, 23);
  };
  const int64_t first_day = -719'162, last_day = 2'932'896, day = 86'400'000'000;
  REQUIRE(row_of({INT64_MIN, 0, -99'999, first_day, first_day * day}) == "");
  REQUIRE(row_of({INT64_MAX, 1, 99'999, last_day, last_day * day + day - 1}) == "");
  REQUIRE(s.run("SELECT * FROM t ORDER BY i") ==
          "-9223372036854775808|false|-999.99|0001-01-01|0001-01-01 00:00:00\n9223372036854775807|true|999.99|9999-12-31|9999-12-31 23:59:59.999999");
  REQUIRE(row_of({0, 2, 0, 0, 0}) == "22003 row 1, column b: ");
  REQUIRE(row_of({0, 0, 100'000, 0, 0}) == "22003 row 1, column d: ");
  REQUIRE(row_of({0, 0, 0, first_day - 1, 0}) == "22003 row 1, column day");
  REQUIRE(row_of({0, 0, 0, 0, (last_day + 1) * day}) == "22003 row 1, column at:");
  s.run("CREATE TABLE x(r DOUBLE, g TEXT)");
  Appender a(s.shared(), "x");
  REQUIRE(code_of([&] { a.append_units(1); }).substr(0, 5) == "42804");
}
