// oracle/support/history.h: a random log of changes, transactions and snapshots, judged after every step.
//
// What:       one history makes a schema and rows, then changes them through one connection (statements, BEGIN, SAVEPOINT,
//             ROLLBACK TO, COMMIT, summaries created and dropped) while another keeps an older snapshot open. After each step a few
//             questions are asked over the engine's paths (summary_mode auto, off, force) and compared with the judge.
// Invariants: H1 every statement ends as the model says: rows, count of changed rows, or one of the SQLSTATEs that are right.
//             H2 every question is answered as the judge says, by every path, at every snapshot.
//             H3 at the end every summary equals its rebuild (summary_verify).
// Judges:     the executable model; with a SqliteJudge, SQLite for what it can express, and then the model must agree with it on
//             tables that are small enough (model_rows_max).
// Callers:    oracle/, properties/, fuzz/. One thread.
// Held by:    oracle/model_selftest.cc, the mutation gate
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "model/database.h"
#include "model/generate.h"
#include "peer.h"
#include "sqlite_judge.h"
#include "transcript.h"

namespace judge {

struct HistoryPlan {
  int64_t parents = 12, facts = 60;
  int steps = 40;
  int panel = 3;                 // questions after a step
  bool snapshots = true;         // a second connection keeps old snapshots
  bool ledger = false;           // the W1 schema with summaries s1 and s2, else a random schema
  int threads = 0;               // SET threads, if above 0
  size_t model_rows_max = 5000;  // larger tables are judged by SQLite alone
  model::Wishes wishes;
};

// What was checked. A check is a distinct state x question (x mode) with a non-empty result.
struct Tally {
  uint64_t questions = 0, checks = 0, statements = 0, empty = 0, both_err = 0, declined = 0, open = 0, verified = 0;
  std::unordered_set<uint64_t> distinct;  // state x question
  std::map<std::string, uint64_t> paths;  // by the access node that EXPLAIN shows, sampled
  void add(const Tally& other);
  std::string text() const;
};

class History {
 public:
  // engine: null for the self-test of the judges. sqlite: null to be judged by the model.
  History(uint64_t name, model::Random& random, const HistoryPlan& plan, PeerSource* engine, SqliteJudge* sqlite, Tally& tally);
  void run();  // throws Failure
  static bool trace;
  static FILE* transcripts;  // small histories are written there (transcript.h)
  // For what comes after run().
  const model::Schema& schema() const { return schema_; }
  const model::State& committed() const { return database_.committed(); }
  const std::vector<model::Query>& panel() const { return panel_; }

 private:
  struct Side {  // one connection, and its session in the model
    std::unique_ptr<Peer> peer;
    std::unique_ptr<model::Session> session;
    std::string mode = "auto";
    std::string name;
  };

  void set_up();
  void load(const std::shared_ptr<const model::TableDef>& table, int64_t rows);
  void step();
  void transaction_step();
  void change_step();
  void chop_step();
  void join_step();
  void nested_step();
  void summary_step();
  void begin_snapshot();
  void reader_step();
  void finish();

  void execute(Side& side, const model::Statement& statement);
  model::Outcome judged(Side& side, const model::Statement& statement);  // runs it in the model, and writes it down
  void write_answers();
  void mirror(const model::Statement& statement);
  void ask(Side& side, const model::Query& query, const std::string& mode);
  void ask_some(Side& side, int count);
  void note_path(Side& side, const std::string& sql);
  model::Outcome expected(Side& side, const model::Query& query);
  void set_mode(Side& side, const std::string& mode);
  void verify_summaries();
  void create_summary(const model::SummaryDef& definition);
  bool small_enough() const;
  [[noreturn]] void fail(const Side& side, const std::string& sql, const std::string& text);

  uint64_t name_;
  model::Random& random_;
  HistoryPlan plan_;
  PeerSource* engine_;
  SqliteJudge* sqlite_;
  Tally& tally_;
  model::Schema schema_;
  model::Database database_;
  Side writer_, reader_;
  std::vector<model::Query> panel_;
  std::vector<size_t> extremes_;                       // places of the panel's questions about bounds
  std::vector<size_t> joins_;                          // and of those over both tables
  std::map<std::string, model::Outcome> at_snapshot_;  // SQLite's answers when the reader's snapshot was taken
  std::vector<std::string> log_;
  std::unique_ptr<Transcript> transcript_;
  int summaries_made_ = 0, savepoints_made_ = 0;
  uint64_t state_ = 0;  // changes with every change
};

}  // namespace judge
