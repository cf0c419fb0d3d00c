// oracle: the engine against judges that are not the engine.
//
// Invariants checked: H1, H2, H3 (support/history.h) over generated histories judged by SQLite and by the executable model, and
// the hand-told cases of cases_*.cc.
#include "cases.h"
#include "support/crash.h"
#include "support/page_history.h"

namespace judge {

namespace {

Case ledger(const std::string& name, int64_t customers, int64_t invoices, int steps, int panel) {
  return {name, "H2", [=](Context& context) {
            HistoryPlan plan;
            plan.ledger = true;
            plan.parents = customers;
            plan.facts = invoices;
            plan.steps = steps;
            plan.panel = panel;
            plan.snapshots = invoices <= 20000;  // a snapshot's answers are all taken when it begins
            plan.model_rows_max = 300;
            plan.wishes.sqlite = true;
            plan.wishes.references = context.random.chance(50);
            Engine engine;
            SqliteJudge sqlite;
            History history(context.random.next(), context.random, plan, &engine, &sqlite, context.tally);
            history.run();
          }};
}

Case schema(const std::string& name, int64_t facts, int steps, bool sqlite_only) {
  return {name, "H2", [=](Context& context) {
            HistoryPlan plan;
            plan.facts = facts;
            plan.steps = steps;
            plan.model_rows_max = 500;
            plan.wishes.sqlite = sqlite_only;
            Engine engine;
            SqliteJudge sqlite;
            History history(context.random.next(), context.random, plan, &engine, sqlite_only ? &sqlite : nullptr, context.tally);
            history.run();
          }};
}

}  // namespace

std::vector<Case> generated_cases() {
  std::vector<Case> cases;
  // Small tables first: a failure there is the easiest to read, and a crash later does not hide it.
  for (int i = 0; i < 30; i += 4) cases.push_back(schema("schema-" + std::to_string(i), 12, 40, true));
  for (int i = 0; i < 30; ++i) {
    if (i % 4 != 0) cases.push_back(schema("schema-" + std::to_string(i), 80, 40, true));
  }
  for (int i = 0; i < 20; ++i) cases.push_back(schema("model-" + std::to_string(i), i % 4 == 0 ? 12 : 60, 40, false));
  for (int i = 0; i < 4; ++i) cases.push_back(ledger("ledger-2000-" + std::to_string(i), 40, 2000, 36, 7));
  cases.push_back(ledger("ledger-20000", 400, 20000, 10, 2));
  cases.push_back(ledger("ledger-100000", 2000, 100000, 3, 1));
  cases.push_back(schema("blocks", 16500, 10, true));
  for (int i = 0; i < 40; ++i) cases.push_back({"pages-" + std::to_string(i), "H7", [](Context& c) { run_page_history(c.random, c.tally); }});
  for (int i = 0; i < 60; ++i) cases.push_back({"crash-" + std::to_string(i), "H4", [](Context& c) { run_crash_history(c.random, c.tally); }});
  return cases;
}

}  // namespace judge

int main(int argc, char** argv) {
  std::vector<judge::Case> cases = judge::generated_cases();
  for (const auto& list : {judge::sum_cases(), judge::delete_cases(), judge::rollback_cases()}) {
    cases.insert(cases.end(), list.begin(), list.end());
  }
  return judge::run_suite("oracle", argc, argv, cases, [](const judge::Tally& t) {
    judge::require(t.distinct.size() >= 3000, "3,000 distinct checks expected, " + std::to_string(t.distinct.size()) + " made");
    const uint64_t all = t.checks + t.empty + t.both_err;
    judge::require((t.empty + t.both_err) * 5 <= all, "more than 20 % of the questions were empty or failed on both sides");
    for (const char* path : {"zone sums", "block cells", "summary", "limb", "index", "scan"}) {
      judge::require(t.paths.count(path) != 0, std::string("no question was answered from ") + path);
    }
  });
}
