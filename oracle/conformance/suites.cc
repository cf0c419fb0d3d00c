#include "suites.h"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>

#include "cases.h"
#include "properties/laws.h"

namespace conformance {

namespace {

using judge::Case;

std::vector<Case> together(std::initializer_list<std::vector<Case>> lists) {
  std::vector<Case> out;
  for (const std::vector<Case>& list : lists) out.insert(out.end(), list.begin(), list.end());
  return out;
}

// The seed's number at the end of a name, or -1.
long number_of(const std::string& name) {
  const size_t dash = name.rfind('-');
  if (dash == std::string::npos || dash + 1 == name.size() || name.find_first_not_of("0123456789", dash + 1) != std::string::npos) return -1;
  return std::strtol(name.c_str() + dash + 1, nullptr, 10);
}

constexpr long kQuickSeeds = 4;

// Histories over a second database with more rows, judged by the model alone.
std::vector<Case> histories() {
  std::vector<Case> out = judge::history_laws();
  for (int i = 0; i < 16; ++i) {
    out.push_back({"ledger-" + std::to_string(i), "H2", [](judge::Context& context) {
                     judge::HistoryPlan plan;
                     plan.ledger = true;
                     plan.parents = 12;
                     plan.facts = 150;
                     plan.steps = 30;
                     plan.wishes.references = context.random.chance(50);
                     judge::Engine engine;
                     judge::History history(context.random.next(), context.random, plan, &engine, nullptr, context.tally);
                     history.run();
                   }});
  }
  return out;
}

}  // namespace

std::vector<Suite> suites(bool quick) {
  std::vector<Suite> out = {
      {"exactness", "sums and averages are the exact ones, by every path, in any order of rows",
       together({judge::sum_cases(), exactness_cases(), judge::group_laws(), judge::order_laws()})},
      {"atomicity", "a statement that fails changes nothing; what was deleted is gone", together({judge::delete_cases(), atomicity_cases()})},
      {"rollback", "transactions and savepoints end as the executable model says", together({judge::rollback_cases(), histories()})},
      {"isolation", "connections see one snapshot each; what writes is serializable", together({judge::contract_laws(), judge::isolation_laws()})},
      {"rebuild", "totals are their rebuild, and no setting, path or number of threads changes an answer",
       together({judge::rebuild_laws(), judge::identity_laws(), judge::pivot_laws(), judge::thread_laws()})},
      {"limits", "what is stated as a limit works, and one past it is refused with its code", limit_cases()},
      {"errors", "every error has its code, a sentence and a place", error_cases()},
      {"durability", "what was committed is in the file when it is opened again, also after the process was killed", durability_cases()}};
  if (!quick) return out;
  for (Suite& suite : out) {
    const auto is_more = [](const Case& c) { return number_of(c.name) >= kQuickSeeds || c.name.find("blocks") != std::string::npos; };
    suite.cases.erase(std::remove_if(suite.cases.begin(), suite.cases.end(), is_more), suite.cases.end());
  }
  return out;
}

std::vector<NotApplicable> not_applicable() {
  return {{"histories on a disk that fails and crashes", "the simulated disk lies below the C ABI"},
          {"commit numbers of recorded histories", "the C ABI does not tell them; the same histories are checked by what was read"},
          {"tests 3, 4 and 5 of the concurrency contract", "they hold the engine at a chosen point inside"},
          {"runs of one block", "the size of a run is no setting"},
          {"proofs, models, algebra", "they are about the source, not about a library"}};
}

}  // namespace conformance
