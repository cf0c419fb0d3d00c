#include "model/print.h"
#include "targets.h"

namespace judge {

namespace {

const char* kTables[] = {"CREATE TABLE p(pid BIGINT PRIMARY KEY, seg TEXT, tier BIGINT)",
                         "CREATE TABLE t(id BIGINT PRIMARY KEY, pref BIGINT REFERENCES p, g TEXT, a BIGINT, d DECIMAL(10,2), x DOUBLE, b BOOLEAN, day DATE)",
                         "INSERT INTO p VALUES (1,'one',1),(2,'two',2),(3,NULL,1)",
                         ("INSERT INTO t VALUES (1,1,'x',10,1.50,1e0,TRUE,DATE '2026-01-31'),(2,2,'y',NULL,2.25,2.5e0,FALSE,NULL),"
                         "(3,1,'x',-4,0.00,NULL,NULL,DATE '2024-02-29'),(4,NULL,NULL,9223372036854775807,-7.10,1e100,TRUE,DATE '1970-01-01')"),
    "CREATE INDEX s ON t USING SUMMARY (g, pref) INCLUDE (a, d)"};

void check_error(Connection& c, const std::string& text) {
  const std::string state = holodb_sqlstate(c.handle()), message = holodb_errmsg(c.handle());
  const int64_t place = holodb_errpos(c.handle());
  if (state == "XX000") throw Failure{"self-check", "XX000 " + message + "\n  " + text.substr(0, 600)};
  require(state.size() == 5 && state != "00000" && !message.empty(), "F1: an error without a code or a sentence\n  " + text.substr(0, 600));
  require(place >= -1 && place <= static_cast<int64_t>(text.size()),
          "F1: a place outside of the text: " + std::to_string(place) + "\n  " + text.substr(0, 600));
}

// A query that works answers the same again and without summaries.
void check_again(Connection& c, const std::string& text, const Reply& first) {
  const Reply again = c.run(text);
  require(again.ok && difference(first, again, false).empty(),
          "F1: the same query, two answers: " + difference(first, again, false) + "\n  " + text.substr(0, 600));
  require(c.run("SET summary_mode = off").ok, "SET summary_mode");
  const Reply scanned = c.run(text);
  if (scanned.ok)
    require(difference(first, scanned, false).empty(), "H2: with and without summaries: " + difference(first, scanned, false) + "\n  " + text.substr(0, 600));
  require(c.run("SET summary_mode = auto").ok, "SET summary_mode");
}

bool can_repeat(const std::string& text) {  // LIMIT without a full order, and looks inside, may differ
  std::string lower;
  for (char ch : text) lower += static_cast<char>(ch >= 'A' && ch <= 'Z' ? ch + 32 : ch);
  if (lower.find("select") != lower.find_first_not_of(" \t\r\n(")) return false;
  for (const char* word : {"limit", "offset", "summary_", "random", "now", "current", "show", "version"}) {
    if (lower.find(word) != std::string::npos) return false;
  }
  return true;
}

}  // namespace

void fuzz_sql(const uint8_t* data, size_t size, Tally& tally) {
  const std::string text(reinterpret_cast<const char*>(data), size);
#ifdef HOLODB_FUZZ_CANARY
  if (text.find("SUM") != std::string::npos) throw Failure{"wrong-result", "F4: the canary: SUM is in the text"};
#endif
  if (text.find('\0') != std::string::npos) return;
  Engine engine;
  const auto c = engine.connection();
  for (const char* sql : kTables) require(c->run(sql).ok, std::string("set-up: ") + sql);
  const char* rest = text.c_str();
  const char* end = rest + text.size();
  for (int statements = 0; rest < end && statements < 50; ++statements) {
    holodb_stmt* stmt = nullptr;
    const char* tail = nullptr;
    const std::string from = rest;
    ++tally.statements;
    if (holodb_prepare(c->handle(), rest, end - rest, &stmt, &tail) != HOLODB_OK) {
      check_error(*c, from);
      break;
    }
    if (stmt != nullptr) {
      Reply reply;
      const int code = c->fetch(stmt, reply);
      if (code != HOLODB_DONE) check_error(*c, from);
      holodb_finalize(stmt);
      const std::string one = from.substr(0, tail == nullptr ? from.size() : static_cast<size_t>(tail - rest));
      if (code == HOLODB_DONE && !reply.types.empty() && can_repeat(one)) check_again(*c, one, reply);
    }
    require(tail != nullptr && tail > rest && tail <= end, "F1: prepare does not advance");
    rest = tail;
  }
  // The connection goes on; what the text left open ends here.
  if (holodb_in_transaction(c->handle()) != 0) require(c->run("ROLLBACK").ok, "F1: ROLLBACK after fuzzed text");
  const Reply alive = c->run("SELECT 1");
  require(alive.ok && Scene::text_of(alive) == "1", "F1: the connection does not go on\n  " + text.substr(0, 600));
  const Reply verified = c->run("SELECT * FROM summary_verify('s')");
  if (verified.ok && verified.rows.size() == 1 && verified.rows[0][1].text != "0") throw Failure{"self-check", "summary_verify after " + text.substr(0, 600)};
}

}  // namespace judge
