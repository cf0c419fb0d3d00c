// bench/billing_worker.h: W1 inside of one engine's process: what each command of the run does there.
//
// What:       Arm says which engine and how; billing_worker(arm) answers commands:
//             open | load | rows Qn | time Qn | once SQL | lookup prepared|text LOOP | paths Qn | stage N | create s1|s2 | sql SQL | memory
// Invariants: B1 every arm makes the same rows, asks the same SQL and changes the same ids with the same values: all from the ledger's seed.
//             B2 making rows and turning results into text is never inside of a clock.
// Callers:    bench/billing.cc
// Held by:    bench/selftest
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/process.h"

namespace hdb::bench {

struct Arm {
  enum class Engine { kHolodb, kSqlite, kDuckdb };
  std::string name = {};   // "summary"
  std::string label = {};  // "HoloDb summary"
  Engine engine = Engine::kHolodb;
  bool enums = false;                  // DuckDB
  std::vector<std::string> summaries = {};  // HoloDb: "s1", "s2", there before the load
  bool shuffled = false;               // the placebo: amount_cents permuted over the rows
  std::string planted = {};                 // "Q10": this arm's answer is falsified; for the selftest only
};

struct BillingOptions {
  uint64_t rows = 1'000'000;
  uint64_t lookups = 10'000;
  unsigned threads = 1;
  std::string duckdb_library;
};

// Of each kind of change, in each of the three stages (0, 1 and 2 summaries).
uint64_t changes_per_stage(uint64_t rows);

Worker::Handler billing_worker(const Arm& arm, const BillingOptions& options);

}  // namespace hdb::bench
