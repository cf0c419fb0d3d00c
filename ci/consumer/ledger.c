/* A small ledger through the C ABI: load, ask, change, ask again. */
#include <holodb/holodb.h>
#include <stdio.h>

static int fail(const char* what, holodb_conn* conn) {
  fprintf(stderr, "%s: %s %s\n", what, holodb_sqlstate(conn), holodb_errmsg(conn));
  return 1;
}

static int totals(holodb_conn* conn) {
  holodb_stmt* stmt = NULL;
  int code;
  if (holodb_prepare(conn, "SELECT region, COUNT(*), SUM(amount) FROM invoice WHERE id > ? GROUP BY region ORDER BY region", -1, &stmt,
                     NULL) != HOLODB_OK) {
    return fail("prepare", conn);
  }
  holodb_bind_int64(stmt, 1, 0);
  while ((code = holodb_step(stmt)) == HOLODB_ROW) {
    printf("%s %lld %s\n", holodb_column_text(stmt, 0), (long long)holodb_column_int64(stmt, 1), holodb_column_text(stmt, 2));
  }
  if (code != HOLODB_DONE) return fail("step", conn);
  return holodb_finalize(stmt);
}

int main(void) {
  holodb_db* db = NULL;
  holodb_conn* conn = NULL;
  holodb_appender* rows = NULL;
  int i;
  if (holodb_open(NULL, 0, HOLODB_VERSION, &db) != HOLODB_OK || holodb_connect(db, &conn) != HOLODB_OK) {
    fprintf(stderr, "open: %s\n", holodb_open_errmsg());
    return 1;
  }
  if (holodb_exec(conn, "CREATE TABLE invoice(id BIGINT PRIMARY KEY, region TEXT, amount DECIMAL(12,2));"
                        "CREATE INDEX by_region ON invoice USING SUMMARY (region) INCLUDE (amount)") != HOLODB_OK) {
    return fail("create", conn);
  }
  if (holodb_appender_open(conn, "invoice", &rows) != HOLODB_OK) return fail("appender", conn);
  for (i = 1; i <= 1000; ++i) {
    holodb_append_int64(rows, i);
    holodb_append_text(rows, i % 2 ? "north" : "south", -1);
    holodb_append_decimal_text(rows, "0.10", -1);
    holodb_appender_end_row(rows);
  }
  if (holodb_appender_close(rows) != HOLODB_OK) return fail("append", conn);
  if (totals(conn)) return 1;
  if (holodb_exec(conn, "UPDATE invoice SET amount = 1000.00, region = 'south' WHERE id = 1") != HOLODB_OK) return fail("update", conn);
  if (totals(conn)) return 1;
  if (holodb_exec(conn, "SELECT id/0 FROM invoice") == HOLODB_OK) return 1;
  printf("%s\n", holodb_sqlstate(conn));
  holodb_disconnect(conn);
  holodb_close(db);
  return 0;
}
