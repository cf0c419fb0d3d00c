// bench/worker.h: an engine in its own process: what each command of a run does there.
//
// What:       Arm says which engine and how; engine_worker(arm, make, options) answers commands, each of one line:
//             open | load | create INDEX | rows ID | time ID CALLS | once ID | lookup ID prepared|text | paths ID | sql SQL | exec SQL | memory
//             and those that the workload adds.
// Invariants: B1 every arm makes the same rows, asks the same SQL and changes the same ids with the same values: all from their numbers.
//             B2 making rows and turning results into text is never inside of a clock.
// Units:      seconds, bytes.
// Callers:    bench/side_by_side.cc and the workloads' own commands.
// Held by:    bench/selftest
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "bench/peers/peer.h"
#include "bench/process.h"
#include "bench/tables.h"

namespace hdb::bench {

struct Arm {
  enum class Engine { kHolodb, kSqlite, kDuckdb };
  std::string name = {};   // "summary"
  std::string label = {};  // "HoloDb summary"
  Engine engine = Engine::kHolodb;
  bool enums = false;                       // DuckDB
  std::vector<std::string> indexes = {};    // HoloDb: names of the workload's, there before the load
  std::vector<std::string> settings = {};   // HoloDb: statements after opening
  std::string file = {};                    // HoloDb, SQLite: the database is this file, made anew
  bool shuffled = false;                    // the placebo: the measure permuted over the rows
  std::string planted = {};                 // "Q10": this arm's answer is falsified; for the selftest only
};

struct Options {
  std::string name;
  uint64_t rows = 1'000'000;
  uint64_t lookups = 10'000;
  unsigned threads = 1;
  std::string duckdb_library;
  std::vector<std::string> peers = {"sqlite", "duckdb"};
  std::string plant;  // "ARM:ID"
  std::string data;     // directory of the real data
  std::string scratch = ".";
};

using MakeWorkload = std::function<Workload(const Options& options, bool shuffled)>;

class EngineWorker {
 public:
  EngineWorker(const Arm& arm, const MakeWorkload& make, const Options& options);
  std::string answer(const std::string& command);

  const Arm& arm() const { return arm_; }
  const Options& options() const { return options_; }
  const Workload& workload() const { return workload_; }
  Peer& peer() { return *peer_; }
  Query& prepared(const std::string& sql);  // kept from its first use
  Rows& rows() { return rows_; }            // reused
  // Rows first..first+count-1 of a table through the bulk path; seconds inside of the engine.
  double load_rows(const Table& table, uint64_t first, uint64_t count);

 private:
  const Question& question(const std::string& id) const;
  std::string open();
  std::string load();
  std::string create(const std::string& index);
  std::string first_rows(const std::string& id);
  std::string time(const std::string& id, int calls);
  std::string once(const std::string& id);
  std::string lookup(const std::string& id, bool text);
  std::string paths(const std::string& id);
  std::string sql(const std::string& text);
  std::string planted(const std::string& id, std::string text) const;

  Arm arm_;
  Options options_;
  Workload workload_;
  std::unique_ptr<Peer> peer_;
  std::unordered_map<std::string, std::unique_ptr<Query>> prepared_;  // after peer_: destroyed before it
  Rows rows_;
};

Worker::Handler engine_worker(const Arm& arm, const MakeWorkload& make, const Options& options);

}  // namespace hdb::bench
