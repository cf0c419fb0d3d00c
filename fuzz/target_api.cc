// The C ABI called in any order, rightly and wrongly: handles that are NULL, behind their end, of a closed connection or database; values of the wrong type;
// indexes that are not there; interrupts, also from another thread.
#include <array>
#include <thread>

#include "targets.h"

namespace judge {

namespace {

const char* kStatements[] = {"SELECT id, g, a, d, x, b, day FROM t ORDER BY id",
                             "SELECT g, COUNT(*), SUM(a), AVG(d) FROM t WHERE id > ? GROUP BY g",
                             "SELECT $2, :name FROM t WHERE a = $1",
                             "INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?)",
                             "UPDATE t SET a = a + ?, g = ? WHERE id <= ?",
                             "DELETE FROM t WHERE id = ?",
                             "BEGIN",
                             "COMMIT",
                             "ROLLBACK",
                             "SAVEPOINT s1",
                             "ROLLBACK TO s1",
                             "CREATE TABLE u(k BIGINT PRIMARY KEY, v TEXT)",
                             "DROP TABLE u",
                             "CREATE INDEX s ON t USING SUMMARY (g) INCLUDE (a, d)",
                             "DROP INDEX s",
                             "SELECT id / (id - 3) FROM t",
                             "SELECT x.id FROM t x CROSS JOIN t y CROSS JOIN t z",
                             "SELEC",
                             " -- nothing",
                             "SELECT 1; SELECT 2"};

class Calls {
 public:
  explicit Calls(model::Random& r) : r_(r) {
    require(holodb_open(nullptr, 0, HOLODB_VERSION, &db_) == HOLODB_OK, "open");
    for (holodb_conn*& c : conns_) require(holodb_connect(db_, &c) == HOLODB_OK, "connect");
    must("CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT, a BIGINT, d DECIMAL(10,2), x DOUBLE, b BOOLEAN, day DATE)");
    must("INSERT INTO t VALUES (1,'x',10,1.50,1e0,TRUE,DATE '2026-01-31'),(2,'y',NULL,2.25,2.5e0,FALSE,NULL),(3,'x',-4,0.00,NULL,NULL,DATE '2024-02-29')");
    must("SET turn_timeout = 1");
    holodb_exec(conns_[1], "SET turn_timeout = 1");
  }
  ~Calls() {
    for (holodb_stmt* s : stmts_) holodb_finalize(s);
    for (holodb_appender* a : appenders_) holodb_appender_abort(a);
    for (holodb_conn* c : conns_) holodb_disconnect(c);
    holodb_close(db_);
  }
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;

  void one() {
    switch (r_.below(16)) {
      case 0:
      case 1:
      case 2:
        return prepare();
      case 3:
      case 4:
        return bind();
      case 5:
      case 6:
      case 7:
        return step();
      case 8:
        return read();
      case 9:
        return again();
      case 10:
        return script();
      case 11:
      case 12:
      case 13:
        return append();
      case 14:
        return interrupt();
      default:
        return close();
    }
  }

  // Whatever was done, the database is whole and goes on.
  void end() {
    for (holodb_stmt*& s : stmts_) holodb_finalize(s), s = nullptr;
    for (holodb_appender*& a : appenders_) holodb_appender_abort(a), a = nullptr;
    for (holodb_conn*& c : conns_) holodb_disconnect(c), c = nullptr;
    if (closed_) return;
    Connection c(db_);
    const Reply totals = c.run("SELECT COUNT(*), sum_exact(a), SUM(d) FROM t"), scanned = c.run("SELECT COUNT(*), sum_exact(a), SUM(d) FROM t WHERE COALESCE(id, 0) = id");
    require(totals.ok && scanned.ok && Scene::text_of(totals) == Scene::text_of(scanned),
            "F10: totals and their scan: " + Scene::text_of(totals) + " and " + Scene::text_of(scanned));
    const Reply summaries = c.run("SHOW INDEXES FROM t");
    require(summaries.ok, "F10: SHOW INDEXES: " + summaries.message);
    for (const auto& row : summaries.rows) {
      if (row[2].text != "summary") continue;
      const Reply verified = c.run("SELECT * FROM summary_verify('" + row[1].text + "')");
      if (!verified.ok || verified.rows[0][1].text != "0") throw Failure{"self-check", "F10: summary_verify: " + verified.message};
    }
  }

 private:
  void must(const char* sql) { require(holodb_exec(conns_[0], sql) == HOLODB_OK, std::string("set-up: ") + sql); }
  template <typename T, size_t n>
  T*& some(std::array<T*, n>& handles) {
    return handles[r_.below(n)];
  }
  // The result of a call: one of the documented ones, and an error is described.
  int told(int code, holodb_conn* conn, const char* call) {
    const bool known = (code >= HOLODB_OK && code <= HOLODB_INTERNAL) || code == HOLODB_ROW || code == HOLODB_DONE;
    require(known, std::string("F10: ") + call + " gives " + std::to_string(code));
    if (code == HOLODB_INTERNAL) throw Failure{"self-check", std::string("XX000 of ") + call + ": " + holodb_errmsg(conn)};
    if (code != HOLODB_ERROR || conn == nullptr) return code;
    const std::string state = holodb_sqlstate(conn);
    require(state.size() == 5 && state != "00000" && *holodb_errmsg(conn) != 0, std::string("F10: ") + call + " fails without a code or a sentence: '" + state + "'");
    return code;
  }

  void prepare() {
    holodb_stmt*& s = some(stmts_);
    holodb_finalize(s);
    s = nullptr;
    holodb_conn* c = some(conns_);
    const char* sql = r_.chance(3) ? nullptr : kStatements[r_.below(std::size(kStatements))];
    const char* tail = nullptr;
    const int64_t bytes = r_.chance(85) || sql == nullptr ? -1 : static_cast<int64_t>(r_.below(std::string(sql).size() + 1));
    const int code = told(holodb_prepare(c, sql, bytes, &s, r_.chance(50) ? &tail : nullptr), c, "prepare");
    require(code == HOLODB_OK || s == nullptr, "F10: a failed prepare gives a statement");
    if (r_.chance(2)) told(holodb_prepare(c, sql, bytes, nullptr, nullptr), nullptr, "prepare into nothing");
  }
  void bind() {
    holodb_stmt* s = some(stmts_);
    const int index = static_cast<int>(r_.range(-1, 8));
    switch (r_.below(8)) {
      case 0:
        told(holodb_bind_null(s, index), nullptr, "bind_null");
        break;
      case 1:
        told(holodb_bind_bool(s, index, static_cast<int>(r_.below(3))), nullptr, "bind_bool");
        break;
      case 2:
        told(holodb_bind_double(s, index, r_.chance(50) ? 1.5 : -1e308 * 10), nullptr, "bind_double");
        break;
      case 3:
        told(holodb_bind_text(s, index, r_.chance(90) ? "te\xc3\xa9xt" : nullptr, r_.chance(60) ? -1 : static_cast<int64_t>(r_.below(6))), nullptr, "bind_text");
        break;
      case 4:
        told(holodb_bind_blob(s, index, "\0\xff", r_.chance(90) ? 2 : -5), nullptr, "bind_blob");
        break;
      case 5:
        told(holodb_bind_decimal_text(s, index, r_.chance(70) ? "12.345" : "1.2.3", -1), nullptr, "bind_decimal_text");
        break;
      default:
        told(holodb_bind_int64(s, index, r_.chance(70) ? r_.range(-2, 12) : INT64_MIN), nullptr, "bind_int64");
    }
  }
  void step() {
    holodb_stmt* s = some(stmts_);
    for (uint64_t n = 1 + r_.below(4); n > 0; --n) {
      if (told(holodb_step(s), nullptr, "step") != HOLODB_ROW) break;
    }
  }
  // Columns in any state of the statement; texts are as long as they say.
  void read() {
    holodb_stmt* s = some(stmts_);
    const int column = static_cast<int>(r_.range(-1, 8));
    require(holodb_column_count(s) >= 0 && holodb_column_precision(s, column) >= 0 && holodb_column_scale(s, column) >= 0, "F10: a column of less than nothing");
    const int type = holodb_column_type(s, column);
    require(type >= HOLODB_TYPE_NULL && type <= HOLODB_TYPE_BLOB, "F10: a type that there is not");
    holodb_column_is_null(s, column), holodb_column_int64(s, column), holodb_column_double(s, column), holodb_parameter_count(s);
    const char* text = holodb_column_text(s, column);
    require(text == nullptr || static_cast<int64_t>(std::string(text).size()) == holodb_column_bytes(s, column), "F10: a text is not as long as it says");
    const char* name = holodb_column_name(s, column);
    require(name == nullptr || std::string(name).size() < 100000, "F10: a name");
  }
  void again() {
    if (r_.chance(60)) told(holodb_reset(some(stmts_)), nullptr, "reset");
    holodb_conn* c = some(conns_);
    require(holodb_changes(c) >= 0 && holodb_errpos(c) >= -1 && holodb_sqlstate(c) != nullptr && holodb_errmsg(c) != nullptr, "F10: what a connection says of itself");
    const int open = holodb_in_transaction(c);
    require(open == 0 || open == 1, "F10: in_transaction gives " + std::to_string(open));
  }
  void script() {
    holodb_conn* c = some(conns_);
    std::string sql;
    for (uint64_t n = 1 + r_.below(3); n > 0; --n) sql += std::string(kStatements[r_.below(std::size(kStatements))]) + (r_.chance(90) ? ";" : "");
    if (told(holodb_exec(c, sql.c_str()), c, "exec") != HOLODB_ERROR) return;
    require(holodb_errpos(c) <= static_cast<int64_t>(sql.size()), "F10: a place outside of the script");
  }
  void append() {
    holodb_appender*& a = some(appenders_);
    holodb_conn* c = some(conns_);
    if (a == nullptr) {
      told(holodb_appender_open(c, r_.chance(90) ? "t" : "nothing", &a), c, "appender_open");
      return;
    }
    for (uint64_t n = r_.below(9); n > 0; --n) {
      switch (r_.below(9)) {
        case 0:
          told(holodb_append_null(a), nullptr, "append_null");
          break;
        case 1:
          told(holodb_append_text(a, "text", -1), nullptr, "append_text");
          break;
        case 2:
          told(holodb_append_double(a, 0.5), nullptr, "append_double");
          break;
        case 3:
          told(holodb_append_bool(a, 1), nullptr, "append_bool");
          break;
        case 4:
          told(holodb_append_decimal_text(a, "7.25", -1), nullptr, "append_decimal_text");
          break;
        case 5:
          told(holodb_append_units(a, r_.range(-5, 5)), nullptr, "append_units");
          break;
        case 6:
          told(holodb_appender_end_row(a), nullptr, "end_row");
          break;
        default:
          told(holodb_append_int64(a, r_.range(1, 40)), nullptr, "append_int64");
      }
    }
    if (r_.chance(40)) {  // a whole row
      told(holodb_append_int64(a, r_.range(100, 140)), nullptr, "append_int64");
      for (int i = 0; i < 6; ++i) told(holodb_append_null(a), nullptr, "append_null");
      told(holodb_appender_end_row(a), nullptr, "end_row");
    }
    if (r_.chance(30)) told(r_.chance(70) ? holodb_appender_close(a) : holodb_appender_abort(a), nullptr, "appender_close"), a = nullptr;
  }
  void interrupt() {
    holodb_conn* c = some(conns_);
    if (!r_.chance(10) || c == nullptr) {
      told(holodb_interrupt(c), nullptr, "interrupt");
      return;
    }
    std::thread other([c] { holodb_interrupt(c); });
    const int code = holodb_exec(c, "SELECT COUNT(*) FROM t a CROSS JOIN t b CROSS JOIN t c");
    other.join();
    told(code, c, "an interrupted exec");
  }
  void close() {
    switch (r_.below(6)) {
      case 0: {
        holodb_conn*& c = some(conns_);
        told(holodb_disconnect(c), nullptr, "disconnect");
        c = nullptr;
        return;
      }
      case 1: {
        holodb_conn*& c = some(conns_);
        if (c == nullptr) told(closed_ ? HOLODB_OK : holodb_connect(db_, &c), nullptr, "connect");
        return;
      }
      case 2:
        if (closed_ || !r_.chance(15)) return;
        told(holodb_close(db_), nullptr, "close");
        db_ = nullptr, closed_ = true;  // what is still open answers 08003 from now on
        return;
      default: {
        holodb_stmt*& s = some(stmts_);
        told(holodb_finalize(s), nullptr, "finalize");
        s = nullptr;
      }
    }
  }

  model::Random& r_;
  holodb_db* db_ = nullptr;
  bool closed_ = false;
  std::array<holodb_conn*, 2> conns_{};
  std::array<holodb_stmt*, 4> stmts_{};
  std::array<holodb_appender*, 2> appenders_{};
};

}  // namespace

void fuzz_api(const uint8_t* data, size_t size, Tally& tally) {
  model::Random random(data, size);
  Calls calls(random);
  for (size_t n = 20 + size / 4; n > 0; --n) {
    calls.one();
    ++tally.statements;
  }
  calls.end();
}

}  // namespace judge
