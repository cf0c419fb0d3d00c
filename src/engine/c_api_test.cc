// The C ABI: every function with what it should get and with what it should not.
#include <catch2/catch.hpp>

#include <holodb/holodb.h>

#include <cstring>
#include <string>
#include <thread>

namespace {

struct Handles {
  holodb_db* db = nullptr;
  holodb_conn* conn = nullptr;
  Handles() {
    REQUIRE(holodb_open(":memory:", 0, HOLODB_VERSION, &db) == HOLODB_OK);
    REQUIRE(holodb_connect(db, &conn) == HOLODB_OK);
  }
  ~Handles() {
    holodb_disconnect(conn);
    holodb_close(db);
  }
  void exec(const char* sql) {
    INFO(sql);
    const int code = holodb_exec(conn, sql);
    INFO(holodb_errmsg(conn));
    REQUIRE(code == HOLODB_OK);
  }
  std::string failed(const char* sql) {
    REQUIRE(holodb_exec(conn, sql) != HOLODB_OK);
    return holodb_sqlstate(conn);
  }
  holodb_stmt* prepare(const char* sql) {
    holodb_stmt* stmt = nullptr;
    const int code = holodb_prepare(conn, sql, -1, &stmt, nullptr);
    INFO(holodb_errmsg(conn));
    REQUIRE(code == HOLODB_OK);
    return stmt;
  }
  int64_t count(const char* sql) {
    holodb_stmt* s = prepare(sql);
    REQUIRE(holodb_step(s) == HOLODB_ROW);
    const int64_t n = holodb_column_int64(s, 0);
    REQUIRE(holodb_finalize(s) == HOLODB_OK);
    return n;
  }
};

}  // namespace

TEST_CASE("open: the version, the path and the flags are checked") {
  holodb_db* db = nullptr;
  REQUIRE(holodb_open(nullptr, 0, HOLODB_VERSION + 1000, &db) == HOLODB_VERSION_MISMATCH);
  REQUIRE(db == nullptr);
  const std::string message = holodb_open_errmsg();
  REQUIRE(message.find("0.2.0") != std::string::npos);
  REQUIRE(message.find("0.1.0") != std::string::npos);
  REQUIRE(holodb_open(nullptr, 0, HOLODB_VERSION + 1, &db) == HOLODB_OK);  // another patch level fits
  REQUIRE(holodb_close(db) == HOLODB_OK);
  REQUIRE(holodb_open("no such directory/bills.holodb", 0, HOLODB_VERSION, &db) == HOLODB_ERROR);
  REQUIRE(std::string(holodb_open_sqlstate()) == "58030");
  REQUIRE(holodb_open("", 8, HOLODB_VERSION, &db) == HOLODB_MISUSE);
  for (const char* path : {static_cast<const char*>(nullptr), "", ":memory:"}) {
    REQUIRE(holodb_open(path, HOLODB_OPEN_SINGLE_THREAD, HOLODB_VERSION, &db) == HOLODB_OK);
    REQUIRE(holodb_close(db) == HOLODB_OK);
  }
  REQUIRE(std::string(holodb_version()) == "0.1.0");
  REQUIRE(std::strlen(holodb_source_id()) > 0);
}

TEST_CASE("NULL handles are misuse, never a crash") {
  holodb_conn* conn = nullptr;
  holodb_stmt* stmt = nullptr;
  holodb_appender* app = nullptr;
  REQUIRE(holodb_open(nullptr, 0, HOLODB_VERSION, nullptr) == HOLODB_MISUSE);
  REQUIRE(holodb_close(nullptr) == HOLODB_OK);
  REQUIRE(holodb_connect(nullptr, &conn) == HOLODB_MISUSE);
  REQUIRE(holodb_connect(nullptr, nullptr) == HOLODB_MISUSE);
  REQUIRE(holodb_disconnect(nullptr) == HOLODB_OK);
  REQUIRE(holodb_exec(nullptr, "SELECT 1") == HOLODB_MISUSE);
  REQUIRE(holodb_prepare(nullptr, "SELECT 1", -1, &stmt, nullptr) == HOLODB_MISUSE);
  REQUIRE(holodb_parameter_count(nullptr) == 0);
  REQUIRE(holodb_bind_null(nullptr, 1) == HOLODB_MISUSE);
  REQUIRE(holodb_bind_bool(nullptr, 1, 1) == HOLODB_MISUSE);
  REQUIRE(holodb_bind_int64(nullptr, 1, 1) == HOLODB_MISUSE);
  REQUIRE(holodb_bind_double(nullptr, 1, 1) == HOLODB_MISUSE);
  REQUIRE(holodb_bind_text(nullptr, 1, "a", 1) == HOLODB_MISUSE);
  REQUIRE(holodb_bind_blob(nullptr, 1, "a", 1) == HOLODB_MISUSE);
  REQUIRE(holodb_bind_decimal_text(nullptr, 1, "1", 1) == HOLODB_MISUSE);
  REQUIRE(holodb_step(nullptr) == HOLODB_MISUSE);
  REQUIRE(holodb_reset(nullptr) == HOLODB_MISUSE);
  REQUIRE(holodb_finalize(nullptr) == HOLODB_OK);
  REQUIRE(holodb_column_count(nullptr) == 0);
  REQUIRE(holodb_column_name(nullptr, 0) == nullptr);
  REQUIRE(holodb_column_type(nullptr, 0) == HOLODB_TYPE_NULL);
  REQUIRE(holodb_column_precision(nullptr, 0) == 0);
  REQUIRE(holodb_column_scale(nullptr, 0) == 0);
  REQUIRE(holodb_column_is_null(nullptr, 0) == 1);
  REQUIRE(holodb_column_int64(nullptr, 0) == 0);
  REQUIRE(holodb_column_double(nullptr, 0) == 0);
  REQUIRE(holodb_column_text(nullptr, 0) == nullptr);
  REQUIRE(holodb_column_bytes(nullptr, 0) == 0);
  REQUIRE(holodb_changes(nullptr) == 0);
  REQUIRE(std::string(holodb_errmsg(nullptr)).size() > 0);
  REQUIRE(std::string(holodb_sqlstate(nullptr)) == "08003");
  REQUIRE(holodb_errpos(nullptr) == -1);
  REQUIRE(holodb_in_transaction(nullptr) == 0);
  REQUIRE(holodb_appender_open(nullptr, "t", &app) == HOLODB_MISUSE);
  REQUIRE(holodb_append_null(nullptr) == HOLODB_MISUSE);
  REQUIRE(holodb_append_bool(nullptr, 1) == HOLODB_MISUSE);
  REQUIRE(holodb_append_int64(nullptr, 1) == HOLODB_MISUSE);
  REQUIRE(holodb_append_double(nullptr, 1) == HOLODB_MISUSE);
  REQUIRE(holodb_append_text(nullptr, "a", 1) == HOLODB_MISUSE);
  REQUIRE(holodb_append_decimal_text(nullptr, "1", 1) == HOLODB_MISUSE);
  REQUIRE(holodb_appender_end_row(nullptr) == HOLODB_MISUSE);
  REQUIRE(holodb_appender_close(nullptr) == HOLODB_MISUSE);
  REQUIRE(holodb_appender_abort(nullptr) == HOLODB_MISUSE);
  REQUIRE(holodb_interrupt(nullptr) == HOLODB_MISUSE);
  Handles h;
  REQUIRE(holodb_exec(h.conn, nullptr) == HOLODB_MISUSE);
  REQUIRE(holodb_prepare(h.conn, nullptr, -1, &stmt, nullptr) == HOLODB_MISUSE);
  REQUIRE(holodb_appender_open(h.conn, nullptr, &app) == HOLODB_MISUSE);
}

TEST_CASE("prepare, bind, step, read") {
  Handles h;
  h.exec("CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT, d DECIMAL(10,2), r DOUBLE, b BOOLEAN, day DATE, at TIMESTAMP)");
  holodb_stmt* insert = h.prepare("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?)");
  REQUIRE(holodb_parameter_count(insert) == 7);
  REQUIRE(holodb_column_count(insert) == 0);
  REQUIRE(holodb_bind_int64(insert, 0, 1) == HOLODB_MISUSE);
  REQUIRE(holodb_bind_int64(insert, 8, 1) == HOLODB_MISUSE);
  REQUIRE(std::string(holodb_sqlstate(h.conn)) == "42P02");
  for (int i = 1; i <= 2; ++i) {
    REQUIRE(holodb_bind_int64(insert, 1, i) == HOLODB_OK);
    REQUIRE(holodb_bind_text(insert, 2, i == 1 ? "x" : nullptr, -1) == HOLODB_OK);
    REQUIRE(holodb_bind_decimal_text(insert, 3, "1.5", -1) == HOLODB_OK);
    REQUIRE(holodb_bind_double(insert, 4, 0.25) == HOLODB_OK);
    REQUIRE(holodb_bind_bool(insert, 5, 1) == HOLODB_OK);
    REQUIRE(holodb_bind_text(insert, 6, "2026-11-30", -1) == HOLODB_OK);
    REQUIRE(holodb_bind_text(insert, 7, "2026-11-30 12:00:00.5", -1) == HOLODB_OK);
    REQUIRE(holodb_step(insert) == HOLODB_DONE);
    REQUIRE(holodb_changes(h.conn) == 1);
    REQUIRE(holodb_reset(insert) == HOLODB_OK);
  }
  REQUIRE(holodb_bind_text(insert, 2, "\xff", 1) == HOLODB_ERROR);
  REQUIRE(std::string(holodb_sqlstate(h.conn)) == "22021");
  REQUIRE(holodb_bind_text(insert, 2, "a\0b", 3) == HOLODB_ERROR);
  REQUIRE(holodb_bind_decimal_text(insert, 3, "1.x", -1) == HOLODB_ERROR);
  REQUIRE(std::string(holodb_sqlstate(h.conn)) == "22P02");
  REQUIRE(holodb_step(insert) == HOLODB_ERROR);  // the same key again
  REQUIRE(std::string(holodb_sqlstate(h.conn)) == "23505");
  REQUIRE(holodb_finalize(insert) == HOLODB_OK);

  holodb_stmt* q = h.prepare("SELECT id, g, d, r, b, day, at, id * 1.5 AS wide FROM t ORDER BY id");
  REQUIRE(holodb_column_count(q) == 8);
  REQUIRE(std::string(holodb_column_name(q, 7)) == "wide");
  REQUIRE(holodb_column_name(q, 8) == nullptr);
  const int types[] = {HOLODB_TYPE_BIGINT, HOLODB_TYPE_TEXT, HOLODB_TYPE_DECIMAL, HOLODB_TYPE_DOUBLE, HOLODB_TYPE_BOOLEAN, HOLODB_TYPE_DATE, HOLODB_TYPE_TIMESTAMP};
  for (int c = 0; c < 7; ++c) REQUIRE(holodb_column_type(q, c) == types[c]);
  REQUIRE(holodb_column_precision(q, 2) == 10);
  REQUIRE(holodb_column_scale(q, 2) == 2);
  REQUIRE(holodb_column_precision(q, 0) == 0);
  REQUIRE(holodb_column_is_null(q, 0) == 1);  // no row yet
  REQUIRE(holodb_step(q) == HOLODB_ROW);
  REQUIRE(holodb_column_int64(q, 0) == 1);
  REQUIRE(std::string(holodb_column_text(q, 1)) == "x");
  REQUIRE(holodb_column_bytes(q, 1) == 1);
  REQUIRE(std::string(holodb_column_text(q, 2)) == "1.50");
  REQUIRE(holodb_column_int64(q, 2) == 1);
  REQUIRE(holodb_column_double(q, 2) == 1.5);
  REQUIRE(holodb_column_double(q, 3) == 0.25);
  REQUIRE(std::string(holodb_column_text(q, 4)) == "true");
  REQUIRE(std::string(holodb_column_text(q, 5)) == "2026-11-30");
  REQUIRE(holodb_column_int64(q, 5) == 20787);
  REQUIRE(std::string(holodb_column_text(q, 6)) == "2026-11-30 12:00:00.5");
  REQUIRE(holodb_column_int64(q, 6) == 20787 * int64_t{86'400'000'000} + int64_t{43'200'500'000});
  REQUIRE(holodb_step(q) == HOLODB_ROW);
  REQUIRE(holodb_column_is_null(q, 1) == 1);
  REQUIRE(holodb_column_text(q, 1) == nullptr);
  REQUIRE(holodb_column_int64(q, 1) == 0);
  REQUIRE(holodb_step(q) == HOLODB_DONE);
  REQUIRE(holodb_step(q) == HOLODB_DONE);
  REQUIRE(holodb_column_is_null(q, 0) == 1);
  REQUIRE(holodb_reset(q) == HOLODB_OK);
  REQUIRE(holodb_step(q) == HOLODB_ROW);
  REQUIRE(holodb_finalize(q) == HOLODB_OK);
}

TEST_CASE("scripts: the tail, empty statements, the position of an error") {
  Handles h;
  holodb_stmt* stmt = nullptr;
  const char* tail = nullptr;
  const char* sql = "SELECT 1; SELECT 2";
  REQUIRE(holodb_prepare(h.conn, sql, -1, &stmt, &tail) == HOLODB_OK);
  REQUIRE(tail - sql == 9);
  holodb_finalize(stmt);
  REQUIRE(holodb_prepare(h.conn, "  -- nothing\n ", -1, &stmt, &tail) == HOLODB_OK);
  REQUIRE(stmt == nullptr);
  REQUIRE(*tail == '\0');
  REQUIRE(holodb_prepare(h.conn, "SELECT 1 garbage here", 8, &stmt, &tail) == HOLODB_OK);  // bytes end it
  holodb_finalize(stmt);
  REQUIRE(h.failed("CREATE TABLE t(id BIGINT); SELECT nope FROM t") == "42703");
  REQUIRE(holodb_errpos(h.conn) == 34);
  REQUIRE(h.count("SELECT COUNT(*) FROM t") == 0);  // what came before the error stands
  REQUIRE(holodb_exec(h.conn, "SELECT 1;;; -- done") == HOLODB_OK);
  REQUIRE(std::string(holodb_sqlstate(h.conn)) == "00000");
  REQUIRE(holodb_errpos(h.conn) == -1);
}

TEST_CASE("what outlives its connection or database answers with 08003 and can be closed") {
  holodb_db* db = nullptr;
  holodb_conn* conn = nullptr;
  REQUIRE(holodb_open(nullptr, 0, HOLODB_VERSION, &db) == HOLODB_OK);
  REQUIRE(holodb_connect(db, &conn) == HOLODB_OK);
  REQUIRE(holodb_exec(conn, "CREATE TABLE t(id BIGINT); INSERT INTO t VALUES (1); BEGIN; INSERT INTO t VALUES (2)") == HOLODB_OK);
  holodb_stmt* stmt = nullptr;
  REQUIRE(holodb_prepare(conn, "SELECT id FROM t WHERE id = ?", -1, &stmt, nullptr) == HOLODB_OK);
  REQUIRE(holodb_bind_int64(stmt, 1, 2) == HOLODB_OK);
  REQUIRE(holodb_step(stmt) == HOLODB_ROW);
  holodb_appender* app = nullptr;
  REQUIRE(holodb_appender_open(conn, "t", &app) == HOLODB_OK);
  REQUIRE(holodb_append_int64(app, 5) == HOLODB_OK);
  REQUIRE(holodb_disconnect(conn) == HOLODB_OK);
  REQUIRE(holodb_step(stmt) == HOLODB_MISUSE);
  REQUIRE(holodb_bind_int64(stmt, 1, 1) == HOLODB_MISUSE);
  REQUIRE(holodb_reset(stmt) == HOLODB_MISUSE);
  REQUIRE(holodb_append_int64(app, 5) == HOLODB_MISUSE);
  REQUIRE(holodb_appender_close(app) == HOLODB_MISUSE);
  // The transaction was rolled back: its turn is free.
  REQUIRE(holodb_connect(db, &conn) == HOLODB_OK);
  REQUIRE(holodb_exec(conn, "INSERT INTO t VALUES (3)") == HOLODB_OK);
  REQUIRE(holodb_close(db) == HOLODB_OK);
  REQUIRE(holodb_exec(conn, "SELECT 1") == HOLODB_MISUSE);
  REQUIRE(std::string(holodb_sqlstate(conn)) == "08003");
  REQUIRE(holodb_disconnect(conn) == HOLODB_OK);
  REQUIRE(holodb_finalize(stmt) == HOLODB_OK);  // last of all
}

TEST_CASE("calls of several threads on one connection wait for each other (case 27)") {
  Handles h;
  h.exec("CREATE TABLE t(id BIGINT PRIMARY KEY, v BIGINT)");
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int n = 0; n < 4; ++n) {
    threads.emplace_back([&, n] {
      holodb_stmt* s = nullptr;
      if (holodb_prepare(h.conn, "INSERT INTO t VALUES (?, ?)", -1, &s, nullptr) != HOLODB_OK) ++wrong;
      for (int i = 0; i < 100; ++i) {
        holodb_bind_int64(s, 1, n * 1000 + i);
        holodb_bind_int64(s, 2, i);
        if (holodb_step(s) != HOLODB_DONE) ++wrong;
        holodb_reset(s);
      }
      holodb_finalize(s);
    });
  }
  for (auto& t : threads) t.join();
  REQUIRE(wrong == 0);
  REQUIRE(h.count("SELECT COUNT(*) FROM t") == 400);
}

TEST_CASE("two connections write at once, one after the other") {
  Handles h;
  h.exec("CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT); CREATE INDEX s ON t USING SUMMARY (g)");
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int n = 0; n < 2; ++n) {
    threads.emplace_back([&, n] {
      holodb_conn* c = nullptr;
      if (holodb_connect(h.db, &c) != HOLODB_OK) ++wrong;
      for (int i = 0; i < 100; ++i) {
        const std::string sql = "INSERT INTO t VALUES (" + std::to_string(n * 1000 + i) + ", 'g" + std::to_string(i % 5) + "')";
        if (holodb_exec(c, sql.c_str()) != HOLODB_OK) ++wrong;
        if (holodb_exec(c, "SELECT g, COUNT(*) FROM t GROUP BY g") != HOLODB_OK) ++wrong;
      }
      holodb_disconnect(c);
    });
  }
  for (auto& t : threads) t.join();
  REQUIRE(wrong == 0);
  REQUIRE(h.count("SELECT COUNT(*) FROM t") == 200);
  REQUIRE(h.count("SELECT differences FROM summary_verify('s')") == 0);
}

TEST_CASE("a BLOB, a wrong parameter, a missing value: one clear error each") {
  Handles h;
  h.exec("CREATE TABLE t(id BIGINT)");
  holodb_stmt* s = h.prepare("SELECT id FROM t WHERE id = ?");
  REQUIRE(holodb_bind_blob(s, 1, "ab", 2) == HOLODB_ERROR);
  REQUIRE(std::string(holodb_sqlstate(h.conn)) == "0A000");
  REQUIRE(holodb_bind_text(s, 1, "5", -1) == HOLODB_OK);
  REQUIRE(holodb_step(s) == HOLODB_ERROR);
  REQUIRE(std::string(holodb_sqlstate(h.conn)) == "42883");
  holodb_finalize(s);
}
