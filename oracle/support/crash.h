// oracle/support/crash.h: a random history on a simulated disk that fails and crashes, judged by the executable model.
//
// What:       rounds: the database is opened (recovered), everything in it is compared, changes go on, and the round ends with a crash, a close, or
//             a fault in the middle of a commit or of a checkpoint. A crash keeps, loses or tears every piece that was not synced, as the seed says.
// Invariants: H10 RESTORE TO gives the state that its restore point was made of, and before_restore the one that it replaced; after a crash on the way
//                there is one of the two; restore points come through crashes.
//             H4 after every crash the database is in a state that the model had: with synchronous = full the last acknowledged one, or the one that
//                the statement in flight would have made; with normal one of those since the last opening.
//             H5 what failed with an error of the disk, and not with "outcome unknown", has changed nothing, then and after the next opening.
//             H6 a log that was closed has no tail; one whose bytes were changed is refused, or shows a state as H4 says, or says what it left out; one in
//                which a group comes twice is refused.
//             H11 a reader whose snapshot is open across checkpoints is told the same again.
//             H2, H3 of history.h after every opening and some checkpoints, block columns staying or leaving at once: questions by several paths, summaries against their rebuild.
// Callers:    oracle/, properties/, fuzz/. One thread.
// Held by:    the mutation gate (mutants of io and log)
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine.h"
#include "history.h"
#include "io/simulated_files.h"

namespace judge {

class CrashHistory {
 public:
  CrashHistory(model::Random& random, Tally& tally);
  ~CrashHistory();
  void run();  // throws Failure
  uint64_t crashes() const { return crashes_; }

 private:
  void open();
  void compare();
  bool same(const model::State& state, std::string* why);
  void ask();
  model::Statement next_statement();
  void execute(const model::Statement& statement);
  void note_commit();
  void checkpoint();
  void restore_point();
  void compare_points();
  void begin_old();
  void ask_old();
  void end_round();
  void crash();
  void tamper();
  [[noreturn]] void fail(const std::string& text);

  model::Random& random_;
  Tally& tally_;
  std::unique_ptr<hdb::SimulatedFiles> disk_;
  std::unique_ptr<holodb_db> db_;
  std::unique_ptr<Connection> connection_, old_;              // old_: with a snapshot of its own, or null
  std::vector<std::pair<std::string, std::string>> repeats_;  // what it asks, and what it was told
  model::Schema schema_;
  std::vector<model::Query> panel_;
  std::unique_ptr<model::Database> database_;
  std::unique_ptr<model::Session> session_;
  std::vector<model::State> possible_;  // what the next opening may find, oldest first
  struct Point {
    model::State state;
    bool sure = true;  // false: the disk failed while it was made or dropped
  };
  std::map<std::string, Point> points_;
  int points_made_ = 0;
  bool unsure_before_ = false;  // before_restore may be there, with a state that is not known
  std::vector<std::string> log_;
  bool full_ = true, broken_ = false, closed_ = false;
  int64_t next_id_ = 1;
  int summaries_ = 0;
  uint64_t crashes_ = 0;
};

// A case of a suite.
inline void run_crash_history(model::Random& random, Tally& tally) { CrashHistory(random, tally).run(); }

}  // namespace judge
