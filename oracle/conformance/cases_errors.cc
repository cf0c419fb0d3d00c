// Errors as a program sees them: the code, a sentence, the place in the text; and calls that are misuse.
//
// Invariants checked: E1 (one error, with a SQLSTATE and a place), the C ABI's results for NULL handles and calls out of order.
#include "suites.h"

namespace conformance {

namespace {

using judge::Context;
using judge::require;
using judge::Scene;

struct Bad {
  const char *sql, *state, *place;  // place: the text where the error points, or "" if that is left open
};
const Bad kBad[] = {{"SELECT id / 0 FROM t", "22012", "/ 0"},
                    {"SELECT * FROM nothing", "42P01", "nothing"},
                    {"SELECT id, no_such FROM t", "42703", "no_such"},
                    {"SELEC 1", "42601", "SELEC"},
                    {"SELECT 1 FROM t WHERE", "42601", ""},
                    {"SELECT g, id FROM t GROUP BY g", "42803", "id FROM"},
                    {"SELECT * FROM t WHERE g = 1", "42883", ""},
                    {"SELECT no_function(1)", "42883", "no_function"},
                    {"SELECT CAST('x' AS BIGINT)", "22P02", ""},
                    {"SELECT DATE '2026-02-30'", "22008", ""},
                    {"SELECT 9223372036854775807 + id FROM t", "22003", ""},
                    {"CREATE TABLE t(a BIGINT)", "42P07", ""},
                    {"CREATE TABLE z(a BIGINT, a TEXT)", "42701", ""},
                    {"DROP TABLE nothing", "42P01", ""},
                    {"DROP INDEX nothing", "42704", ""},
                    {"COMMIT", "25P01", ""},
                    {"ROLLBACK TO nowhere", "25P01", ""},
                    {"INSERT INTO t VALUES (1, 'again')", "23505", ""},
                    {"INSERT INTO t VALUES (NULL, 'x')", "23502", ""},
                    {"INSERT INTO t VALUES (TRUE, 'x')", "42804", ""},
                    {"SET no_such_setting = 1", "42704", ""},
                    {"SELECT $0", "42P02", "$0"},
                    {"SELECT 'not closed", "42601", ""},
                    {"SELECT id FROM t ORDER BY 7", "42P10", ""}};

void codes(Context&) {
  Scene s;
  s.run("CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT)");
  s.run("INSERT INTO t VALUES (1,'x'),(2,'y')");
  holodb_conn* c = s.connection().handle();
  for (const Bad& bad : kBad) {
    for (const bool script : {false, true}) {  // the second statement of a script: the place counts from its beginning
      const std::string before = script ? "SELECT 1;\n  " : "", text = before + bad.sql;
      require(holodb_exec(c, text.c_str()) == HOLODB_ERROR, std::string("an error is expected\n  ") + bad.sql);
      const std::string state = holodb_sqlstate(c), message = holodb_errmsg(c);
      require(state == bad.state, std::string(bad.state) + " expected, got " + state + " " + message + "\n  " + bad.sql);
      require(message.size() > 5, "an error without a sentence: '" + message + "'\n  " + bad.sql);
      const int64_t place = holodb_errpos(c);
      require(place >= -1 && place <= static_cast<int64_t>(text.size()), "a place outside of the text: " + std::to_string(place) + "\n  " + bad.sql);
      if (*bad.place == 0) continue;
      const auto at = static_cast<int64_t>(text.find(bad.place, before.size()));
      require(place == at, "the place is " + std::to_string(place) + ", not " + std::to_string(at) + "\n  " + text);
    }
  }
  s.expect("SELECT COUNT(*) FROM t", "2");
}

void misuse(Context&) {
  Scene s;
  holodb_conn* c = s.connection().handle();
  s.run("CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT)");
  holodb_stmt* stmt = nullptr;
  holodb_appender* rows = nullptr;
  const auto misused = [](int code, const char* what) { require(code == HOLODB_MISUSE, std::string(what) + " gives " + std::to_string(code) + ", not HOLODB_MISUSE"); };
  misused(holodb_exec(nullptr, "SELECT 1"), "exec without a connection");
  misused(holodb_exec(c, nullptr), "exec without text");
  misused(holodb_prepare(nullptr, "SELECT 1", -1, &stmt, nullptr), "prepare without a connection");
  misused(holodb_step(nullptr), "step of nothing");
  misused(holodb_reset(nullptr), "reset of nothing");
  misused(holodb_bind_int64(nullptr, 1, 1), "bind to nothing");
  misused(holodb_appender_open(c, nullptr, &rows), "an appender of no table");
  misused(holodb_append_int64(nullptr, 1), "append to nothing");
  misused(holodb_interrupt(nullptr), "interrupt nothing");
  misused(holodb_open(":memory:", 0, HOLODB_VERSION, nullptr), "open into nothing");
  holodb_db* db = nullptr;
  require(holodb_open(":memory:", 0, HOLODB_VERSION + 1000, &db) == HOLODB_VERSION_MISMATCH && db == nullptr, "another version of the header is refused");
  require(holodb_prepare(c, "INSERT INTO t VALUES (?, ?)", -1, &stmt, nullptr) == HOLODB_OK && stmt != nullptr, "prepare");
  misused(holodb_bind_int64(stmt, 0, 1), "parameter 0");
  misused(holodb_bind_int64(stmt, 3, 1), "a parameter past the last");
  require(holodb_step(stmt) == HOLODB_ERROR, "a key that was not bound is NULL");
  holodb_finalize(stmt);
  require(holodb_prepare(c, "  -- nothing\n", -1, &stmt, nullptr) == HOLODB_OK && stmt == nullptr, "only a comment is no statement");
  require(holodb_finalize(nullptr) == HOLODB_OK && holodb_close(nullptr) == HOLODB_OK && holodb_disconnect(nullptr) == HOLODB_OK, "NULL may be closed");
  s.expect("SELECT COUNT(*) FROM t", "0");
}

void outlived(Context&) {
  holodb_db* db = nullptr;
  holodb_conn* c = nullptr;
  holodb_stmt* stmt = nullptr;
  require(holodb_open(nullptr, 0, HOLODB_VERSION, &db) == HOLODB_OK && holodb_connect(db, &c) == HOLODB_OK, "open");
  require(holodb_prepare(c, "SELECT 1", -1, &stmt, nullptr) == HOLODB_OK, "prepare");
  holodb_close(db);
  require(holodb_exec(c, "SELECT 1") == HOLODB_MISUSE && std::string(holodb_sqlstate(c)) == "08003", "a connection that outlives its database");
  require(holodb_step(stmt) == HOLODB_MISUSE, "a statement that outlives its database");
  holodb_finalize(stmt);
  holodb_disconnect(c);
}

}  // namespace

std::vector<judge::Case> error_cases() {
  return {{"codes, sentences, places", "E1", codes}, {"misuse is told, never a crash", "E1", misuse}, {"what outlives its database says so", "E1", outlived}};
}

}  // namespace conformance
