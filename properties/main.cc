// properties: laws of the engine that need no judge, and histories judged by the executable model.
#include "laws.h"

int main(int argc, char** argv) {
  std::vector<judge::Case> cases = judge::history_laws();
  for (const auto& list : {judge::group_laws(), judge::order_laws(), judge::rebuild_laws(), judge::contract_laws(), judge::thread_laws(), judge::crash_laws(),
                           judge::identity_laws(), judge::pivot_laws(), judge::isolation_laws()}) {
    cases.insert(cases.end(), list.begin(), list.end());
  }
  return judge::run_suite("properties", argc, argv, cases, [](const judge::Tally& t) {
    judge::require(t.distinct.size() >= 1000, "1,000 distinct checks of histories expected, " + std::to_string(t.distinct.size()) + " made");
    judge::require(t.verified >= 20, "too few summaries verified");
  });
}
