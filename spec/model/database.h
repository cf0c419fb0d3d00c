// spec/model/database.h: a whole database that is obviously right: it copies itself where the engine keeps a journal.
//
// What:       tables as lists of rows; a statement makes a new state and checks every constraint over it; a transaction, a
//             savepoint and a snapshot are old states that were kept. Several sessions, one writer at a time.
// Invariants: D1 a failed statement leaves the state as it was.
//             D2 ROLLBACK (TO) brings back the very state that BEGIN (SAVEPOINT) kept.
//             D3 a session that has only read since BEGIN sees the state of BEGIN; its first write moves it to the newest commit,
//                or is 40001 if a table that it read was changed since (C7).
// Callers:    oracle/, properties/, fuzz/. Single-threaded: a write while another session writes is the caller's mistake.
// Held by:    oracle/model_selftest.cc
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "evaluate.h"
#include "tree.h"

namespace model {

enum class Ending : uint8_t { kRows, kDone, kError, kOpen };
struct Outcome {
  Ending ending = Ending::kDone;
  Result result;                 // kRows
  int64_t changes = 0;           // kDone of INSERT, UPDATE, DELETE
  std::set<std::string> states;  // kError: any of these is right (a row can break two rules at once)
};

struct State {
  std::map<std::string, std::shared_ptr<const Table>> tables;
  std::map<std::string, SummaryDef> summaries;
};

class Database;

class Session {
 public:
  explicit Session(Database& database) : database_(database) {}
  Outcome run(const Statement& statement);
  bool in_transaction() const { return in_transaction_; }
  bool writing() const { return writing_; }
  const std::vector<std::pair<std::string, State>>& savepoints() const { return savepoints_; }
  const State& view() const;  // what a statement of this session would see now

 private:
  Outcome control(const Statement& statement);
  void upgrade();
  Database& database_;
  bool in_transaction_ = false, writing_ = false;
  State state_;
  uint64_t snapshot_ = 0;
  std::set<std::string> read_;
  std::vector<std::pair<std::string, State>> savepoints_;
};

class Database {
 public:
  const State& committed() const { return committed_; }
  // As after a crash: this state is what is there; sessions must begin anew.
  void restore(State state) { publish(std::move(state)); }

 private:
  friend class Session;
  void publish(State next);
  State committed_;
  uint64_t commits_ = 0;
  std::map<std::string, uint64_t> changed_;  // table -> commit that changed it last
};

// The change of one statement. Collects every SQLSTATE that it may fail with; applies nothing if there is one.
struct Change {
  State next;
  int64_t rows = 0;
  std::set<std::string> states;
};
Change apply(const State& state, const Statement& statement);

}  // namespace model
