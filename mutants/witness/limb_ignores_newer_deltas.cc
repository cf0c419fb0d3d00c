// A limb is kept; then a commit changes it. A reader whose snapshot is older must not see that commit in the join.
#include <holodb/holodb.hpp>

#include <iostream>
#include <string>

int main() {
  holodb::Database db;
  holodb::Connection writer(db), old(db);
  writer.execute("CREATE TABLE customer(id BIGINT PRIMARY KEY, region TEXT);"
                 "CREATE TABLE invoice(id BIGINT PRIMARY KEY, customer BIGINT NOT NULL, amount BIGINT NOT NULL);"
                 "INSERT INTO customer VALUES (1, 'north'), (2, 'south'); INSERT INTO invoice VALUES (1, 1, 5), (2, 1, 7)");
  for (int i = 3; i < 200; ++i) writer.execute("INSERT INTO invoice VALUES (" + std::to_string(i) + ", 2, 1)");  // more rows than cells
  writer.execute("SET block_cells = off");
  const char* const sql = "SELECT SUM(i.amount) FROM invoice i JOIN customer c ON c.id = i.customer WHERE c.region = 'north'";
  const auto sum = [&](holodb::Connection& conn) {
    int64_t value = 0;
    for (holodb::Row row : conn.query(sql)) value = row.get<int64_t>(0);
    return value;
  };
  if (sum(writer) != 12) return 2;
  old.execute("SET block_cells = off; BEGIN");
  if (sum(old) != 12) return 2;
  writer.execute("UPDATE invoice SET amount = 100 WHERE id = 1");
  const int64_t seen = sum(old);
  std::cout << seen << '\n';
  return seen == 12 && sum(writer) == 107 ? 0 : 1;
}
