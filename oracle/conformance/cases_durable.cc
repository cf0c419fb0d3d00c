// Files: what was committed is there when they are opened again, whoever closed them, or nobody.
//
// Invariants checked: H2 over a reopened file (the executable model says what is in it), C12 as far as a killed process shows it.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "model/print.h"
#include "suites.h"

namespace conformance {

namespace {

using judge::Context;
using judge::Engine;
using judge::require;
using judge::Scene;

// Of the worker's own folder.
std::string new_name(const char* stem) {
  static int number = 0;
  return std::string(stem) + "-" + std::to_string(++number) + ".holodb";
}

judge::Reply must(judge::Connection& c, const std::string& sql) {
  judge::Reply reply = c.run(sql);
  if (!reply.ok) throw judge::Failure{"wrong-result", reply.state + " " + reply.message + "\n  " + sql};
  return reply;
}

// A judged history on a file; then the file says again what the model says of its end, in several sessions.
void reopened(Context& context) {
  const std::string name = new_name("history");
  model::Database model;
  model::Schema schema;
  std::vector<model::Query> panel;
  {
    judge::HistoryPlan plan;
    plan.facts = context.random.range(5, 60);
    plan.steps = 30;
    plan.panel = 1;
    Engine engine(name);
    judge::History history(context.random.next(), context.random, plan, &engine, nullptr, context.tally);
    history.run();
    model.restore(history.committed());
    schema = history.schema();
    panel = history.panel();
  }
  for (const uint32_t flags : {0u, HOLODB_OPEN_READONLY, 0u}) {
    Engine engine(name, flags);
    const auto c = engine.connection();
    model::Session session(model);
    for (const char* mode : {"auto", "off"}) {
      must(*c, std::string("SET summary_mode = ") + mode);
      for (const model::Query& q : panel) {
        const std::string wrong = judge::difference(session.run(model::query_statement(q)), c->run(model::print(q)));
        require(wrong.empty(), "after it was opened again: " + wrong + "\n  " + model::print(q));
      }
    }
    for (const auto& [summary, definition] : model.committed().summaries) {
      require(Scene::text_of(must(*c, "SELECT differences FROM summary_verify('" + summary + "')")) == "0", "a summary differs from its rows after opening");
    }
    if (flags != 0) require(c->run("DELETE FROM f").state == "25006", "a write into a database that was opened to be read");
  }
}

void rolled_back(Context&) {
  const std::string name = new_name("rolled-back");
  {
    Engine engine(name);
    const auto c = engine.connection();
    must(*c, "CREATE TABLE t(id BIGINT PRIMARY KEY, v BIGINT)");
    must(*c, "INSERT INTO t VALUES (1, 10)");
    must(*c, "BEGIN");
    must(*c, "INSERT INTO t VALUES (2, 20)");
    must(*c, "ROLLBACK");
    must(*c, "BEGIN");
    must(*c, "INSERT INTO t VALUES (3, 30)");
    must(*c, "SAVEPOINT a");
    must(*c, "INSERT INTO t VALUES (4, 40)");
    must(*c, "ROLLBACK TO a");
    must(*c, "COMMIT");
    must(*c, "BEGIN");
    must(*c, "INSERT INTO t VALUES (5, 50)");  // open when the file is closed
  }
  Engine engine(name);
  const auto c = engine.connection();
  const std::string got = Scene::text_of(must(*c, "SELECT id, v FROM t ORDER BY id"));
  require(got == "1|10;3|30", "rows after a rollback and a reopening: " + got);
}

// A child commits and tells each number when COMMIT has answered; it is killed at some point. What it told is there, and at most one more.
void killed(Context& context) {
  const std::string name = new_name("killed");
  {
    Engine engine(name);
    const auto c = engine.connection();
    must(*c, "CREATE TABLE t(id BIGINT PRIMARY KEY, g BIGINT, v BIGINT)");
    must(*c, "CREATE INDEX s ON t USING SUMMARY (g) INCLUDE (v)");
  }
  int64_t told = 0;
  for (int life = 0; life < 3; ++life) {
    const int64_t kill_at = told + context.random.range(1, 60);
    int ends[2];
    require(pipe(ends) == 0, "pipe");
    const pid_t child = fork();
    if (child == 0) {
      close(ends[0]);
      try {
        Engine engine(name);
        const auto c = engine.connection();
        for (int64_t id = told + 1;; ++id) {
          const std::string n = std::to_string(id);
          must(*c, "BEGIN");
          must(*c, "INSERT INTO t VALUES (" + n + ", " + std::to_string(id % 5) + ", " + n + ")");
          must(*c, "UPDATE t SET v = v + 1 WHERE id = " + n);
          must(*c, "COMMIT");
          if (write(ends[1], &id, sizeof id) != sizeof id) _exit(3);
        }
      } catch (...) {
        _exit(4);
      }
    }
    close(ends[1]);
    require(child > 0, "fork");
    for (int64_t id = 0; read(ends[0], &id, sizeof id) == sizeof id;) {
      told = id;
      if (id >= kill_at) kill(child, SIGKILL);
    }
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    require(WIFSIGNALED(status), "the writing process ended by itself with " + std::to_string(WEXITSTATUS(status)));
    Engine engine(name);
    const auto c = engine.connection();
    const judge::Reply found = must(*c, "SELECT COUNT(*), COALESCE(MAX(id), 0), COALESCE(SUM(v) - SUM(id), 0) FROM t");
    const int64_t rows = std::stoll(found.rows.at(0).at(0).text);
    const std::string text = Scene::text_of(found), want = std::to_string(rows) + "|" + std::to_string(rows) + "|" + std::to_string(rows);
    require(text == want && (rows == told || rows == told + 1), std::to_string(told) + " commits were acknowledged, and the file has " + text);
    require(Scene::text_of(must(*c, "SELECT differences FROM summary_verify('s')")) == "0", "a summary differs from its rows after a kill");
    told = rows;
  }
}

void foreign(Context&) {
  const std::string name = new_name("foreign"), text = "this is no database, and stays as it is\n";
  std::ofstream(name) << text;
  holodb_db* db = nullptr;
  require(holodb_open(name.c_str(), 0, HOLODB_VERSION, &db) != HOLODB_OK && db == nullptr, "a text file is opened as a database");
  require(std::string(holodb_open_sqlstate()).size() == 5 && *holodb_open_errmsg() != 0, "no code or sentence for a file that is no database");
  std::ostringstream left;
  left << std::ifstream(name).rdbuf();
  require(left.str() == text, "a file that is no database was changed");
  const std::string taken = new_name("taken");
  Engine first(taken);
  require(holodb_open(taken.c_str(), 0, HOLODB_VERSION, &db) != HOLODB_OK, "a file is opened to be written twice");
}

}  // namespace

std::vector<judge::Case> durability_cases() {
  std::vector<judge::Case> out;
  for (int i = 0; i < 8; ++i) out.push_back({"reopened-" + std::to_string(i), "H2", reopened});
  for (int i = 0; i < 3; ++i) out.push_back({"killed-" + std::to_string(i), "C12", killed});
  out.push_back({"what was rolled back is not in the file", "C5", rolled_back});
  out.push_back({"a foreign file, and one that is open already", "E1", foreign});
  return out;
}

}  // namespace conformance
