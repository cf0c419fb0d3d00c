// oracle/engines/finding.h: a difference between HoloDb, the model and another engine: made small, judged, written down.
//
// What:       compare_script() runs a script of SQL on HoloDb and on the engine; campaign() makes its own tables and questions from a seed, the
//             executable model being the third. The first difference that no profile knows (in a campaign: one of each kind) is minimised
//             with the shrinker of properties/experiment.h, adjudicated (adjudicate.h), and written as a script and as .slt.
// Invariants: FI1 what is reported was run again after it was made small, and differs in the same way.
// Callers:    oracle/engines/main.cc.
// Held by:    ci/compare_test
#pragma once

#include <string>
#include <vector>

#include "adjudicate.h"
#include "external.h"

namespace engines {

struct Finding {
  std::string kind;                // "value AVG": what differs, and in which aggregate
  std::vector<std::string> setup;  // in the dialect of HoloDb
  std::string question, text;      // text: the difference
  std::string holodb, engine, model, exact;
  std::string verdict;  // "the engine is wrong", "HoloDb is wrong", "both are wrong", "not decided: ..."
  std::string slt;      // with the right rows, if somebody knows them
};

std::vector<std::string> statements_of(const std::string& script);

struct Found {
  std::vector<Finding> findings;
  uint64_t compared = 0, rounds = 0;
  std::vector<std::pair<std::string, uint64_t>> known;  // how often each known difference was met
};
Found compare_script(const std::string& script, const External& engine, const Profile& profile);
// rounds: of a random table and its questions; ends earlier after `findings_max` kinds.
Found campaign(uint64_t seed, int rounds, double seconds, size_t findings_max, const External& engine, const Profile& profile);

}  // namespace engines
