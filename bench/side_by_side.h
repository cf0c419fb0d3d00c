// bench/side_by_side.h: one workload, all engines, each in its process: loads, compares rows, times, and writes it all down as JSON.
//
// What:       SideBySide: the steps that every workload shares, called in the order that the workload wants. Differs: two engines gave
//             different rows. Metric names are "WHAT.ARM[.PART]".
// Invariants: R1 nothing is timed before rows of all engines were compared; a difference throws Differs and no figure is kept.
//             R2 every cell has a first call (the one that delivered the compared rows) and two loops. A call of over 5 s is one loop
//                itself, and the other one is a single call; calls of which ten do not fit into 3 s are as many as fit, at least three over
//                both loops; others are five in each. The rule is the same for every engine.
//             R3 every arm of an engine is timed in the same order; the control's arms take turns sample by sample.
// JSON:       {workload, rows, threads, source_id, arms{NAME: {label, settings, memory, indexes}}, queries{ID: {sql, group, result_rows,
//             cells{ARM: {first_s, loop1, loop2}}, plans{ARM: [line]}}}, cells{NAME: {ARM: {loop1, loop2}}}, controls, placebo{ARM: [ID]},
//             metrics{NAME: number}, limits{ID: seconds}, bytes_touched{ID: bytes},
//             timing, spent[{phase, process, s}], tables[{title, header, rows}], plots[...], verified, rows_equal}
// Callers:    bench/*.cc, one for each workload
// Held by:    bench/selftest
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/json.h"
#include "bench/process.h"
#include "bench/worker.h"

namespace hdb::bench {

class Differs : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

std::vector<std::string> lines_of(const std::string& text);
std::vector<std::string> fields_of(const std::string& line, char separator);
Json loop_json(const std::string& text);               // of Loop::to_text
void keep_halves(Json& cell, const std::string& loop);  // the first half of its samples is loop 1, the second one loop 2
double median_of(const std::string& loop);              // of its samples
std::string first_difference(const std::string& a, const std::string& b);
void add_table(Json& json, const std::string& title, const std::vector<std::string>& header, const std::vector<std::vector<Json>>& rows);
// Number of a table that the report prints as a time.
Json seconds_json(double seconds);

bool has_peer(const Options& options, const std::string& peer);
// engine, summary (with these indexes), sqlite, duckdb_text, duckdb_enum, as far as the peers were asked for.
std::vector<Arm> standard_arms(const Options& options, const std::vector<std::string>& summaries);
Json begin_json(const Options& options);
// What this machine reads from memory a second, as metrics "bandwidth.one_thread" and "bandwidth.all_threads"; returns each thread count's.
std::vector<double> keep_bandwidth(const Options& options, Json& json);

class SideBySide {
 public:
  // prefix: goes before the names of questions in the JSON, for a workload that runs at several sizes.
  SideBySide(const Options& options, MakeWorkload make, std::vector<Arm> arms, Json& json, Progress& progress, std::string prefix = "");

  static uint64_t steps(size_t arms, size_t questions) { return arms * (1 + 4 * questions) + 2 * (questions + 1) + 36; }

  void load();
  void compare_rows();
  // The same questions again in some arms, after changes; also differs from the last answers if nothing at all changed.
  void compare_again(const std::string& when, const std::vector<std::string>& ids, const std::vector<std::string>& arms);
  void placebo(const std::vector<std::string>& summaries);
  void time_questions();  // controls, loop 1, loop 2, controls
  void time_lookups();
  void after_questions();  // plans, indexes, memory, every summary against its rebuild

  Worker& worker(const std::string& arm);
  bool has(const std::string& arm) const;
  double warm(const std::string& id, const std::string& arm) const { return warm_s_.at(id + " " + arm); }  // of the second loop
  const std::string& answer(const std::string& id) const { return answers_.at(id); }
  const std::vector<Question>& questions() const { return workload_.questions; }
  std::unique_ptr<Worker> start(const Arm& arm) const;
  // Loads an arm and records "load.NAME.TABLE_s" and "load.NAME.rows_per_s" (of the table with most rows).
  void load_into(Worker& worker, const std::string& name);
  void verify(Worker& worker, const std::string& summary, const std::string& when);
  Json indexes(Worker& worker, const std::string& arm);

 private:
  struct Running {
    Arm arm;
    std::unique_ptr<Worker> worker;
  };
  void compare(const std::string& id, const std::string& rows, const Running& running, const std::string& when, std::map<std::string, std::string>& answers);
  void memory(Running& running, const std::string& when);
  void time_controls(const std::string& loop);
  void time_loop(const std::string& loop);
  static bool is_holodb(const Arm& arm) { return arm.engine == Arm::Engine::kHolodb; }

  Options options_;
  MakeWorkload make_;
  Workload workload_;  // its texts; rows are made in the workers
  std::vector<Arm> arms_;
  Json& json_;
  Progress& progress_;
  std::string prefix_;
  std::vector<Running> running_;
  std::map<std::string, std::string> answers_;
  std::map<std::string, double> first_s_;  // "ID ARM"
  std::map<std::string, double> warm_s_;
};

}  // namespace hdb::bench
