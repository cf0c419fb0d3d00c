// A reader's snapshot is older than a delete; another reader finds the block's new bounds. The first must still find the row.
#include <holodb/holodb.hpp>

#include <iostream>

int main() {
  holodb::Database db;
  holodb::Connection writer(db), old(db), young(db);
  writer.execute("CREATE TABLE t(id BIGINT PRIMARY KEY, v BIGINT); INSERT INTO t VALUES (1, 5), (2, 100), (3, 7)");
  const auto count = [](holodb::Connection& conn, const char* sql) {
    int64_t value = 0;
    for (holodb::Row row : conn.query(sql)) value = row.get<int64_t>(0);
    return value;
  };
  for (holodb::Connection* conn : {&writer, &old, &young}) conn->execute("SET block_cells = off");
  old.execute("BEGIN");
  if (count(old, "SELECT COUNT(*) FROM t WHERE v > 50") != 1) return 2;
  writer.execute("DELETE FROM t WHERE id = 2");
  if (count(young, "SELECT MAX(v) FROM t") != 7 || count(young, "SELECT COUNT(*) FROM t WHERE v > 50") != 0) return 2;
  const int64_t seen = count(old, "SELECT COUNT(*) FROM t WHERE v > 50");
  std::cout << seen << '\n';
  return seen == 1 ? 0 : 1;
}
