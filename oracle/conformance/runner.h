// oracle/conformance/runner.h: runs the cases of a suite in a process of their own, so that a library that crashes or hangs is a verdict
// and not the end of the program.
//
// What:       a worker (a fork) runs case after case and tells the results through a pipe; if it dies, the case that ran has failed, and a
//             new worker goes on behind it. Each worker has an empty folder as its current directory, which is removed.
// Invariants: CR1 every case that was asked for has exactly one result.
// Callers:    oracle/conformance/main.cc. One thread.
// Held by:    ci/conformance_test
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "suites.h"

namespace conformance {

struct CaseResult {
  std::string name, invariant;
  std::string kind;  // "" passed, "wrong-result", "self-check", "crash", "hang", "not run" (behind too many failures)
  std::string text;
  uint64_t checks = 0;
  double ms = 0;
};
struct SuiteResult {
  std::string name, promise;
  std::vector<CaseResult> cases;
  uint64_t count(bool failed) const;
  uint64_t checks() const;
};

struct RunOptions {
  uint64_t seed = 1;
  std::string only;  // this case alone
  int failures_max = 20;
  unsigned case_s_max = 300;
};
SuiteResult run_suite(const Suite& suite, const RunOptions& options);

}  // namespace conformance
