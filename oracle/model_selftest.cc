// The judges are judged: the executable model against SQLite over generated histories, the fixed points of arithmetic, and a
// comparator that must see planted differences. Needs no engine.
//
// Invariants checked: V1, V2, Q1, D1, D2 (model), S1 (SQLite judge), J1 (comparator).
#include <cmath>
#include <cstdio>
#include <limits>

#include "model/print.h"
#include "mutants/report.h"
#include "support/compare.h"
#include "support/history.h"

namespace {

void require(bool ok, const char* text) {
  if (!ok) throw judge::Failure{"wrong-result", text};
  report::checked();
}

void fixed_points() {
  using model::Big;
  require(model::round_ratio(1, 2) == 0.5, "1/2");
  require(model::round_ratio(Big(1) << 53, 1) == 9007199254740992.0, "2^53");
  require(model::round_ratio((Big(1) << 53) + 1, 1) == 9007199254740992.0, "a tie goes to even, down");
  require(model::round_ratio((Big(1) << 53) + 3, 1) == 9007199254740996.0, "a tie goes to even, up");
  require(model::round_ratio(1, 3) == 1.0 / 3, "1/3");
  require(model::round_ratio(-1, 3) == -1.0 / 3, "-1/3");
  require(model::round_ratio(1, Big(1) << 1074) == 5e-324, "the least subnormal");
  require(model::round_ratio(1, Big(1) << 1075) == 0.0, "half of it is a tie to even");
  require(std::isinf(model::round_ratio(Big(1) << 1024, 1)), "2^1024");
  require(model::divide_half_away(5, 2) == 3 && model::divide_half_away(-5, 2) == -3 && model::divide_half_away(4, 3) == 1, "half away");
  model::RealSum sum;
  for (double x : {1e100, 1.0, -1e100}) sum.add(x);
  require(sum.total() == 1.0, "1e100 + 1 - 1e100");
  model::RealSum tiny;
  for (double x : {5e-324, 1e308, 1e308, -1e308, -1e308}) tiny.add(x);
  require(tiny.total() == 5e-324, "a subnormal survives");
  model::RealSum big;
  for (double x : {1e308, 1e308}) big.add(x);
  require(std::isinf(big.total()) && big.average(2) == 1e308, "the sum is infinite, the average is not");
  model::RealSum odd;
  for (double x : {9007199254740994.0, -9007199254740993.0}) odd.add(x);
  require(odd.average(2) == 1.0, "as doubles 9007199254740993 is 9007199254740992");
  require(model::round_ratio(1, 2) == 0.5, "AVG of the integers");
  require(model::days_from_text("1970-01-01") == 0 && model::days_from_text("2000-03-01") == 11017, "dates");
  require(model::to_text(model::make_date(11017)) == "2000-03-01", "date text");
}

void comparator_sees() {
  model::Outcome want;
  want.ending = model::Ending::kRows;
  want.result.types = {model::int_type()};
  want.result.rows = {{model::make_int(1)}, {model::make_int(2)}};
  judge::Reply got;
  got.types = want.result.types;
  got.rows = {{{false, "2"}}, {{false, "1"}}};
  require(judge::difference(want, got).empty(), "an unordered result is a multiset");
  want.result.ordered = true;
  require(!judge::difference(want, got).empty(), "an ordered result is a list");
  got.rows = {{{false, "1"}}, {{false, "3"}}};
  require(!judge::difference(want, got).empty(), "another value");
  got.rows = {{{false, "1"}}};
  require(!judge::difference(want, got).empty(), "a row less");
  got.rows = {{{false, "1"}}, {{true, ""}}};
  require(!judge::difference(want, got).empty(), "NULL is not 2");
  got.rows = {{{false, "1"}}, {{false, "2"}}};
  got.types = {model::simple_type(model::Kind::kText)};
  require(!judge::difference(want, got).empty(), "another type");
  got.ok = false;
  got.state = "22003";
  require(!judge::difference(want, got).empty(), "an unexpected error");
  want.ending = model::Ending::kError;
  want.states = {"22012"};
  require(!judge::difference(want, got).empty(), "another error");
  want.states.insert("22003");
  require(judge::difference(want, got).empty(), "one of the errors that are right");
}

template <typename Body>
void run_case(const report::Options& options, const std::string& name, const char* invariant, Body body) {
  if (!options.selects(name) || report::enough()) return;
  report::start_case(name, invariant);
  try {
    body();
  } catch (const judge::Failure& f) {
    report::failed(f.kind.c_str(), f.text);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const report::Options options = report::begin("model_selftest", argc, argv);
  judge::Tally tally;
  run_case(options, "fixed points", "V2", fixed_points);
  run_case(options, "the comparator sees", "J1", comparator_sees);
  for (int i = 0; i < 60; ++i) {
    const std::string name = "history-" + std::to_string(i);
    run_case(options, name, "Q1", [&] {
      model::Random random(model::seed_for(options.seed, name));
      judge::SqliteJudge sqlite;
      judge::HistoryPlan plan;
      plan.facts = i % 3 == 0 ? 8 : 60;
      plan.steps = 30;
      plan.panel = 5;
      plan.ledger = i % 10 == 9;
      plan.wishes.sqlite = true;
      judge::History history(random.next(), random, plan, nullptr, &sqlite, tally);
      history.run();
    });
  }
  report::checked(tally.checks);
  std::printf("%s\n", tally.text().c_str());
  return report::finish();
}
