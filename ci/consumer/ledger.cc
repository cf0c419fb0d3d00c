// The same ledger through holodb.hpp.
#include <holodb/holodb.hpp>

#include <iostream>
#include <string_view>

static void totals(holodb::Connection& conn) {
  for (holodb::Row row : conn.query("SELECT region, COUNT(*), SUM(amount) FROM invoice WHERE id > ? GROUP BY region ORDER BY region", 0)) {
    std::cout << row.get<std::string_view>(0) << ' ' << row.get<int64_t>(1) << ' ' << row.get<std::string_view>(2) << '\n';
  }
}

int main() {
  holodb::Database db;
  holodb::Connection conn(db);
  conn.execute(
      "CREATE TABLE invoice(id BIGINT PRIMARY KEY, region TEXT, amount DECIMAL(12,2));"
      "CREATE INDEX by_region ON invoice USING SUMMARY (region) INCLUDE (amount)");
  holodb::Appender rows = conn.appender("invoice");
  for (int i = 1; i <= 1000; ++i) rows.row(i, i % 2 ? "north" : "south", holodb::Decimal{"0.10"});
  rows.close();
  totals(conn);
  conn.execute("UPDATE invoice SET amount = 1000.00, region = 'south' WHERE id = 1");
  totals(conn);
  try {
    conn.execute("SELECT id/0 FROM invoice");
    return 1;
  } catch (const holodb::Error& error) {
    std::cout << error.sqlstate() << '\n';
  }
}
