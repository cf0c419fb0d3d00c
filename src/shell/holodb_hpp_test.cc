#include <catch2/catch.hpp>

#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "include/holodb/holodb.hpp"

namespace {

std::string sqlstate_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const holodb::Error& error) {
    return error.sqlstate();
  }
  return "none";
}

struct Fixture {
  holodb::Database database;
  holodb::Connection conn{database};
  Fixture() {
    conn.execute("CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT, d DECIMAL(10,2), r DOUBLE, b BOOLEAN)");
    conn.execute("INSERT INTO t VALUES (1,'x',1.50,0.5,TRUE),(2,NULL,NULL,NULL,NULL),(3,'y',-2.25,1e100,FALSE)");
  }
};

}  // namespace

TEST_CASE("columns are read by their type") {
  Fixture f;
  holodb::Result result = f.conn.query("SELECT * FROM t WHERE id = ?", 1);
  REQUIRE(result.column_count() == 5);
  REQUIRE(result.column_name(2) == "d");
  REQUIRE(result.column_type(2) == holodb::Type::kDecimal);
  REQUIRE(result.step());
  const holodb::Row row = result.row();
  REQUIRE(row.get<int64_t>(0) == 1);
  REQUIRE(row.get<int>(0) == 1);
  REQUIRE(row.get<std::string_view>(1) == "x");
  REQUIRE(row.get<std::string>(2) == "1.50");
  REQUIRE(row.get<double>(2) == 1.5);
  REQUIRE(row.get<double>(3) == 0.5);
  REQUIRE(row.get<bool>(4));
  REQUIRE(row.get<std::optional<int64_t>>(0) == 1);
  REQUIRE_FALSE(result.step());
  REQUIRE(sqlstate_of([&] { row.get<int64_t>(0); }) == "24000");
}

TEST_CASE("NULL is an optional, and anything else refuses it") {
  Fixture f;
  holodb::Result result = f.conn.query("SELECT g, d FROM t WHERE id = 2");
  REQUIRE(result.step());
  REQUIRE(result.row().is_null(0));
  REQUIRE_FALSE(result.row().get<std::optional<std::string_view>>(0).has_value());
  REQUIRE(sqlstate_of([&] { result.row().get<std::string>(0); }) == "22002");
}

TEST_CASE("a read that would lose something is refused") {
  Fixture f;
  holodb::Result result = f.conn.query("SELECT g, d, id + 1000 FROM t WHERE id = 1");
  REQUIRE(result.step());
  REQUIRE(sqlstate_of([&] { result.row().get<int64_t>(0); }) == "42804");
  REQUIRE(sqlstate_of([&] { result.row().get<int64_t>(1); }) == "42804");
  REQUIRE(sqlstate_of([&] { result.row().get<bool>(2); }) == "42804");
  REQUIRE(sqlstate_of([&] { result.row().get<int8_t>(2); }) == "22003");
  REQUIRE(sqlstate_of([&] { result.row().get<int>(9); }) == "22023");
}

TEST_CASE("a prepared statement is bound, run and run again") {
  Fixture f;
  holodb::Statement insert = f.conn.prepare("INSERT INTO t VALUES (?, ?, ?, ?, ?)");
  REQUIRE(insert.parameter_count() == 5);
  REQUIRE(insert.execute(10, "z", holodb::Decimal{"7.25"}, 2.5, true) == 1);
  REQUIRE(insert.execute(11, std::optional<std::string>(), nullptr, std::nullopt, false) == 1);
  REQUIRE(sqlstate_of([&] { insert.execute(10, "z", nullptr, nullptr, nullptr); }) == "23505");
  REQUIRE(sqlstate_of([&] { insert.execute(12); }) == "42P02");
  REQUIRE(sqlstate_of([&] { insert.bind(1, std::numeric_limits<uint64_t>::max()); }) == "22003");
  REQUIRE(f.conn.query_value<std::string>("SELECT SUM(d) FROM t") == "6.50");
  holodb::Statement select = f.conn.prepare("SELECT id FROM t WHERE id >= ? ORDER BY id");
  std::string ids;
  for (const int from : {2, 10}) {
    for (const holodb::Row row : select.rows(from)) ids += row.get<std::string>(0) + ",";
    ids += ";";
  }
  REQUIRE(ids == "2,3,10,11,;10,11,;");
}

TEST_CASE("several statements are prepared one after the other") {
  Fixture f;
  const std::string_view sql = "SELECT 1; SELECT 2";
  size_t consumed = 0;
  REQUIRE(f.conn.prepare(sql, &consumed));
  REQUIRE(consumed == 9);
  holodb::Statement second = f.conn.prepare(sql.substr(consumed));
  REQUIRE(second.step());
  REQUIRE(second.row().get<int>(0) == 2);
  REQUIRE_FALSE(f.conn.prepare("  -- nothing"));
}

TEST_CASE("an error has its SQLSTATE and its place") {
  Fixture f;
  try {
    f.conn.query("SELECT nothing FROM t");
    FAIL("no error");
  } catch (const holodb::Error& error) {
    REQUIRE(error.sqlstate() == "42703");
    REQUIRE(error.position() == 7);
    REQUIRE(error.code() == HOLODB_ERROR);
    REQUIRE(std::string(error.what()).find("nothing") != std::string::npos);
  }
}

TEST_CASE("a transaction rolls back unless it is committed") {
  Fixture f;
  {
    holodb::Transaction tx(f.conn);
    f.conn.execute("DELETE FROM t");
    REQUIRE(f.conn.changes() == 3);
    REQUIRE(f.conn.in_transaction());
  }
  REQUIRE_FALSE(f.conn.in_transaction());
  REQUIRE(f.conn.query_value<int64_t>("SELECT COUNT(*) FROM t") == 3);
  holodb::Transaction tx(f.conn);
  REQUIRE(f.conn.execute("DELETE FROM t WHERE id = ?", 1) == 1);
  tx.commit();
  REQUIRE(sqlstate_of([&] { tx.commit(); }) == "25P01");
  REQUIRE(f.conn.query_value<int64_t>("SELECT COUNT(*) FROM t") == 2);
}

TEST_CASE("an appender keeps all of its rows or none") {
  Fixture f;
  {
    holodb::Appender rows = f.conn.appender("t");
    rows.row(20, "a", holodb::Decimal{"0.01"}, 1.0, true);
  }
  REQUIRE(f.conn.query_value<int64_t>("SELECT COUNT(*) FROM t") == 3);
  holodb::Appender rows = f.conn.appender("t");
  for (int i = 0; i < 1000; ++i) rows.row(100 + i, "a", holodb::Decimal{"0.01"}, nullptr, i % 2 == 0);
  rows.close();
  REQUIRE(sqlstate_of([&] { rows.end_row(); }) == "08003");
  REQUIRE(f.conn.query_value<std::string>("SELECT SUM(d) FROM t WHERE id >= 100") == "10.00");
  holodb::Appender again = f.conn.appender("t");
  again.row(5000, "b", nullptr, nullptr, nullptr);
  REQUIRE(sqlstate_of([&] {
            again.row(100, "twice", nullptr, nullptr, nullptr);
            again.close();
          }) == "23505");
  again.abort();
  REQUIRE(f.conn.query_value<int64_t>("SELECT COUNT(*) FROM t") == 1003);
}

TEST_CASE("handles may go in any order, and say so when they are used") {
  auto database = std::make_unique<holodb::Database>();
  auto conn = std::make_unique<holodb::Connection>(*database);
  conn->execute("CREATE TABLE t(a BIGINT)");
  holodb::Statement statement = conn->prepare("SELECT COUNT(*) FROM t");
  holodb::Appender appender = conn->appender("t");
  database.reset();
  appender.row(1);
  appender.close();
  REQUIRE(conn->query_value<int64_t>("SELECT COUNT(*) FROM t") == 1);
  conn.reset();
  REQUIRE(sqlstate_of([&] { statement.step(); }) == "08003");
}

TEST_CASE("objects move, and what has been moved from is closed") {
  Fixture f;
  holodb::Statement first = f.conn.prepare("SELECT 1");
  holodb::Statement second = std::move(first);
  REQUIRE_FALSE(first);
  REQUIRE(second.step());
  holodb::Connection other = std::move(f.conn);
  REQUIRE(other.query_value<int64_t>("SELECT COUNT(*) FROM t") == 3);
  REQUIRE(sqlstate_of([&] { f.conn.execute("SELECT 1"); }) == "08003");
}
