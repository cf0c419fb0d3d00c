// A statement that fails changes nothing: no row, no total, no key, in whatever it stands.
//
// Invariants checked: D1 of the model (a failed statement leaves the state as it was), C5, H2.
#include "suites.h"

namespace conformance {

namespace {

using judge::Context;
using judge::require;
using judge::Scene;

struct Failing {
  const char *sql, *state;
};
// Each fails after some of its work; the table has ids 1 to 40.
const std::vector<Failing>& failing() {
  static const std::vector<Failing> kFailing = {
      {"INSERT INTO t VALUES (101,'new group',1,'n1',1), (102,'x',2,'n2',1), (7,'x',3,'n3',1)", "23505"},
      {"INSERT INTO t VALUES (101,'x',1,'n1',1), (102,NULL,2,'n2',1)", "23502"},
      {"INSERT INTO t VALUES (101,'x',1,'n1',1), (102,'x',2,'n2',99)", "23503"},
      {"INSERT INTO t VALUES (101,'x',1,'n1',1), (102,'x',2,'too long a text',1)", "22001"},
      {"INSERT INTO t SELECT id + 30, g, a, NULL, pref FROM t", "23505"},
      {"INSERT INTO t SELECT id + 100, g, 100 / (id - 39), NULL, pref FROM t ORDER BY id", "22012"},
      {"UPDATE t SET a = a * 9223372036854775807", "22003"},
      {"UPDATE t SET a = 1000 / (id - 33), g = 'moved'", "22012"},
      {"UPDATE t SET id = 5 WHERE id > 20", "23505"},
      {"UPDATE t SET v = 'same' WHERE id > 10", "23505"},
      {"UPDATE t SET g = NULL WHERE id = 40", "23502"},
      {"UPDATE t SET pref = id", "23503"},
      {"DELETE FROM p WHERE pid > 0", "23503"},
      {"DELETE FROM t WHERE 1 / (id - 35) = 0", "22012"},
      {"CREATE INDEX other ON t USING SUMMARY (g, a) WITH (max_cells = 3)", "54000"}};
  return kFailing;
}

void set_up(Scene& s, model::Random& r, bool summary) {
  s.run("CREATE TABLE p(pid BIGINT PRIMARY KEY, seg TEXT)");
  s.run("INSERT INTO p VALUES (1,'a'),(2,'b'),(3,'c')");
  s.run("CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT NOT NULL, a BIGINT, v VARCHAR(8) UNIQUE, pref BIGINT REFERENCES p)");
  const bool early = r.chance(50);
  const char* make = "CREATE INDEX s ON t USING SUMMARY (g, pref) INCLUDE (a)";
  if (summary && early) s.run(make);
  for (int64_t id = 1; id <= 40; ++id) {
    s.run("INSERT INTO t VALUES (" + std::to_string(id) + ", '" + (id % 3 == 0 ? "x" : "y") + "', " + std::to_string(r.range(2, 1000)) + ", 'v" + std::to_string(id) +
          "', " + std::to_string(id % 3 + 1) + ")");
  }
  if (summary && !early) s.run(make);
}

std::string everything(Scene& s) {
  std::string out = Scene::text_of(s.run("SELECT id, g, a, v, pref FROM t ORDER BY id")) + "\n" + Scene::text_of(s.run("SELECT pid, seg FROM p ORDER BY pid"));
  for (const char* mode : {"off", "auto"}) {
    s.mode(mode);
    out += "\n" + Scene::text_of(s.run("SELECT g, COUNT(*), sum_exact(a), MIN(a), MAX(a) FROM t GROUP BY g ORDER BY g")) + "\n" +
           Scene::text_of(s.run("SELECT p.seg, COUNT(*), SUM(t.a) FROM t JOIN p ON t.pref = p.pid GROUP BY p.seg ORDER BY p.seg"));
  }
  return out + "\n" + Scene::text_of(s.run("SELECT COUNT(DISTINCT v), COUNT(*) FROM t WHERE v >= ''"));
}

void failed_statements(Context& context, bool inside) {
  model::Random& r = context.random;
  Scene s;
  const bool summary = r.chance(70);
  set_up(s, r, summary);
  const std::string at_first = everything(s);
  for (const Failing& f : failing()) {
    if (inside) {
      s.run("BEGIN");
      s.run("UPDATE t SET a = a + 1, g = 'in' WHERE id <= 2");
      if (r.chance(50)) s.run("SAVEPOINT here");
    }
    const std::string before = everything(s);
    s.expect_error(f.sql, f.state);
    const std::string after = everything(s);
    require(before == after, std::string("a failed statement left something behind\n  ") + f.sql + "\n  before: " + before + "\n  after:  " + after);
    if (!inside) continue;
    require(holodb_in_transaction(s.connection().handle()) == 1, std::string("a failed statement ended the transaction\n  ") + f.sql);
    s.run("ROLLBACK");
    require(everything(s) == at_first, std::string("ROLLBACK after a failed statement does not bring back what was\n  ") + f.sql);
  }
  if (summary) s.verify("s");
}

// Close says what was wrong, and nothing of the appender's rows is kept.
void failed_append(Context& context) {
  Scene s;
  set_up(s, context.random, true);
  const std::string before = everything(s);
  for (const int64_t bad : {0, 3, 9}) {
    holodb_appender* rows = nullptr;
    require(holodb_appender_open(s.connection().handle(), "t", &rows) == HOLODB_OK, "an appender opens");
    for (int64_t i = 0; i < 10; ++i) {
      holodb_append_int64(rows, i == bad ? 1 : 200 + i);
      holodb_append_text(rows, "fresh", -1);
      holodb_append_int64(rows, 5);
      holodb_append_null(rows);
      holodb_append_int64(rows, 1);
      holodb_appender_end_row(rows);
    }
    const int code = holodb_appender_close(rows);
    const std::string state = holodb_sqlstate(s.connection().handle());
    require(code == HOLODB_ERROR && state == "23505", "an appender with a key twice closes with " + std::to_string(code) + " " + state);
    require(everything(s) == before, "a failed appender left something behind");
  }
  s.verify("s");
}

}  // namespace

std::vector<judge::Case> atomicity_cases() {
  std::vector<judge::Case> out;
  for (int i = 0; i < 4; ++i) {
    out.push_back({"failed-statements-" + std::to_string(i), "C5", [i](Context& c) { failed_statements(c, i % 2 == 1); }});
  }
  out.push_back({"a failed appender keeps nothing", "C5", failed_append});
  return out;
}

}  // namespace conformance
