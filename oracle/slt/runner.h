// oracle/slt/runner.h: runs the records of a file, and says of each: right, wrong, or declined and why.
//
// What:       an answer is right or wrong. A record is declined if the engine refuses what the dialect does not have (0A000), if it
//             asks for a meaning that spec/dialect.md decides otherwise (differences.cc lists these), or if it names an object
//             that a declined record was to make or change.
// Invariants: L3 a wrong answer is never declined: only an error is, or an answer in a place that spec/dialect.md names.
//             L4 XX000 is wrong wherever it stands.
// Callers:    oracle/slt. One thread.
// Held by:    oracle/slt/selftest.cc
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "script.h"

namespace slt {

struct Verdicts {
  uint64_t right = 0, wrong = 0, declined = 0;
  std::map<std::string, uint64_t> reasons;  // of the declined
  std::string first_wrong;                  // the first few: line, what was expected and what came, statement

  void add(const Verdicts& other);
};

using Run = std::function<judge::Reply(const std::string&)>;

// `foreign`: the file was written for another engine; else nothing but 0A000 is declined.
Verdicts run_records(const std::vector<Record>& records, const Run& run, bool foreign);

// Why a foreign record may be refused with this error, or empty: it may not.
std::string refused_because(const std::string& state, const std::string& message, const std::string& sql);
// Why the rows of a foreign record may differ, or empty: they may not.
std::string differs_because(const std::string& sql);

// The words of a statement in lower case, without what stands in quotes.
std::vector<std::string> words_of_sql(const std::string& sql);

}  // namespace slt
