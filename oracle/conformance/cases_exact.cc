// Sums and averages of values that double arithmetic gets wrong, judged by unbounded integers and ratios of them.
//
// Invariants checked: X1, X3 (exact sums), V2 (one rounding, of the exact value), H2 (every path gives one answer).
#include <map>

#include "model/print.h"
#include "suites.h"

namespace conformance {

namespace {

using judge::Context;
using judge::Scene;
using model::Big;

// Near a power of two, or the near negative of what came before: what is left of a sum is small, what was added is not.
int64_t integer(model::Random& r, int64_t before) {
  if (r.chance(35)) return before == INT64_MIN ? INT64_MAX : -before + r.range(-2, 2) * (before > -4611686018427387904 && before < 4611686018427387904 ? 1 : 0);
  static const std::vector<int> kBits = {7, 8, 15, 16, 31, 32, 52, 53, 54, 61, 62};
  const int64_t v = (int64_t{1} << r.pick(kBits)) + r.range(-3, 3);
  return r.chance(10) ? (r.chance(50) ? INT64_MAX : INT64_MIN) : r.chance(50) ? v : -v;
}

double real(model::Random& r, double before) {
  if (r.chance(30)) return -before;
  static const std::vector<double> kReals = {1e100, 1.0, 0.1, 9007199254740993.0, 1e-300, 5e-324, 1e16, 3.0};
  return (r.chance(50) ? 1 : -1) * r.pick(kReals);
}

struct Group {
  int64_t rows = 0, integers = 0, decimals = 0, reals = 0;
  Big sum = 0, units = 0;
  model::RealSum real_sum;
};

constexpr int kScale = 4;

model::Row answer(int64_t g, const Group& group) {
  model::Row row = {model::make_int(g), model::make_int(group.rows), model::make_int(group.integers)};
  const auto maybe = [&row](int64_t count, auto value) { row.push_back(count == 0 ? model::Value{} : value()); };
  maybe(group.integers, [&] { return model::make_dec_checked(group.sum, 0); });
  maybe(group.integers, [&] { return model::make_dbl(model::round_ratio(group.sum, Big(group.integers))); });
  maybe(group.decimals, [&] { return model::make_dec_checked(group.units, kScale); });
  maybe(group.decimals, [&] { return model::make_dec_checked(model::divide_half_away(group.units * 1000000, Big(group.decimals)), kScale + 6); });
  maybe(group.reals, [&] { return model::make_dbl(group.real_sum.total()); });
  maybe(group.reals, [&] { return model::make_dbl(group.real_sum.average(group.reals)); });
  return row;
}

// A random table as an INSERT, and what is to be answered for each g.
std::string random_rows(model::Random& r, std::map<int64_t, Group>& groups) {
  std::string insert = "INSERT INTO t VALUES ";
  int64_t a = 1, m = 1;
  double x = 1;
  const int64_t rows = r.range(1, 70);
  for (int64_t id = 1; id <= rows; ++id) {
    const int64_t g = r.range(0, 3);
    Group& group = groups[g];
    ++group.rows;
    a = integer(r, a), m = r.chance(60) ? r.range(-99999999, 99999999) : -m + r.range(-1, 1), x = real(r, x);
    const bool no_a = r.chance(10), no_m = r.chance(10), no_x = r.chance(10);
    if (!no_a) ++group.integers, group.sum += a;
    if (!no_m) ++group.decimals, group.units += m;
    if (!no_x) ++group.reals, group.real_sum.add(x);
    model::Value money = model::make_dec_checked(Big(m), kScale);
    const auto literal = [](const model::Value& v, const model::Type& type) { return model::print_literal(v, type, model::Dialect::kHolo); };
    insert += (id > 1 ? ", (" : "(") + std::to_string(id) + ", " + std::to_string(g) + ", " + (no_a ? "NULL" : literal(model::make_int(a), model::int_type())) + ", " +
              (no_m ? "NULL" : literal(money, model::dec_type(18, kScale))) + ", " +
              (no_x ? "NULL" : literal(model::make_dbl(x), model::simple_type(model::Kind::kDbl))) + ")";
  }
  return insert;
}

void ratios(Context& context) {
  model::Random& r = context.random;
  static const char* kQuestion = "SELECT g, COUNT(*), COUNT(a), sum_exact(a), AVG(a), SUM(m), AVG(m), SUM(x), AVG(x) FROM t GROUP BY g";
  for (int round = 0; round < 10; ++round) {
    Scene s;
    std::map<int64_t, Group> groups;
    s.run("CREATE TABLE t(id BIGINT PRIMARY KEY, g BIGINT, a BIGINT, m DECIMAL(18,4), x DOUBLE)");
    const uint64_t summary = r.below(3);  // before, after, none
    const char* make = "CREATE INDEX s ON t USING SUMMARY (g) INCLUDE (a, m)";
    if (summary == 0) s.run(make);
    s.run(random_rows(r, groups));
    if (summary == 1) s.run(make);
    model::Outcome want;
    want.ending = model::Ending::kRows;
    using model::Kind;
    const model::Type real = model::simple_type(Kind::kDbl), integer = model::int_type();
    want.result.types = {integer, integer, integer, model::dec_type(38, 0), real, model::dec_type(38, kScale), model::dec_type(38, kScale + 6), real, real};
    for (const auto& [g, group] : groups) want.result.rows.push_back(answer(g, group));
    for (const char* mode : {"auto", "off"}) {
      s.mode(mode);
      const std::string wrong = judge::difference(want, s.run(kQuestion));
      judge::require(wrong.empty(), wrong + "\n  " + kQuestion);
    }
    if (summary < 2) s.verify("s");
  }
}

}  // namespace

std::vector<judge::Case> exactness_cases() {
  std::vector<judge::Case> out;
  for (int i = 0; i < 8; ++i) out.push_back({"ratios-" + std::to_string(i), "V2", ratios});
  return out;
}

}  // namespace conformance
