// Invariants checked: X6 (round.h), X7 X8 X9 (double_sum.h).
#include <catch2/catch.hpp>
#include <rapidcheck.h>

#include <algorithm>
#include <vector>

#include "exact/double_sum.h"
#include "exact/round.h"
#include "exact/test_reference.h"

namespace hdb {
namespace {

using reference::Integer;
using reference::nearest;
using reference::Random;
using reference::same_bits;
using reference::units;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

DoubleSum sum_of(const std::vector<double>& values) {
  DoubleSum sum;
  for (const double x : values) sum.add(x);
  return sum;
}

// Values that meet: same exponents, near ties, subnormals, extremes.
double awkward(Random& random) {
  switch (random.below(8)) {
    case 0: return std::ldexp(static_cast<double>(random.bits() >> 11), static_cast<int>(random.below(120)) - 60);
    case 1: return -std::ldexp(static_cast<double>(random.bits() >> 11), static_cast<int>(random.below(120)) - 60);
    case 2: return std::ldexp(1.0, static_cast<int>(random.below(2098)) - 1074);
    case 3: return -std::ldexp(1.0, static_cast<int>(random.below(2098)) - 1074);
    case 4: return std::bit_cast<double>(random.bits() & 0x800fffffffffffff);
    case 5: return (random.bits() & 1) != 0 ? std::numeric_limits<double>::max() : -std::numeric_limits<double>::max();
    case 6: return static_cast<double>(random.word() % 1000);
    default: return random.real();
  }
}

TEST_CASE("X7 value and average are the nearest double of the exact sum through any history") {
  Random random("double_sum history");
  for (int round = 0; round < 150; ++round) {
    DoubleSum sum, part;
    Integer expected = 0, part_expected = 0;
    std::vector<double> in;
    for (int step = 0; step < 30; ++step) {
      const double x = awkward(random);
      switch (random.below(6)) {
        case 0: part.add(x), part_expected += units(x); break;
        case 1: sum.merge(part), expected += part_expected; break;
        case 2: sum.unmerge(part), expected -= part_expected; break;
        case 3:
          if (!in.empty()) {
            std::swap(in[random.below(in.size())], in.back());
            sum.sub(in.back()), expected -= units(in.back());
            in.pop_back();
          }
          break;
        default: sum.add(x), expected += units(x), in.push_back(x); break;
      }
      if (step % 3 != 0) continue;
      INFO("round " << round << " step " << step);
      REQUIRE(same_bits(sum.value(), nearest(expected, 1)));
      const uint64_t n = std::max<uint64_t>(1, random.bits() >> random.below(64));
      const double average = sum.average(n);
      REQUIRE(same_bits(average, nearest(expected, n)));
    }
  }
}

TEST_CASE("X7 X8 order, threads and what came and went leave no trace") {
  REQUIRE(rc::check([](std::vector<double> values, std::vector<double> guests, size_t cut) {
    DoubleSum forward = sum_of(values);
    std::vector<double> reversed(values.rbegin(), values.rend());
    DoubleSum left, right;
    for (size_t i = 0; i < reversed.size(); ++i) (i < cut % (reversed.size() + 1) ? left : right).add(reversed[i]);
    for (const double g : guests) left.add(g);
    right.merge(left);
    for (const double g : guests) right.sub(g);
    RC_ASSERT(right == forward);
    RC_ASSERT(same_bits(right.value(), forward.value()));
    right.unmerge(forward);
    RC_ASSERT(right == DoubleSum());
  }));
}

TEST_CASE("X6 ties go to the even neighbour, at every size") {
  REQUIRE(sum_of({9007199254740992.0, 1.0}).value() == 9007199254740992.0);
  REQUIRE(sum_of({9007199254740994.0, 1.0}).value() == 9007199254740996.0);
  REQUIRE(sum_of({9007199254740992.0, 1.0, 5e-324}).value() == 9007199254740994.0);
  REQUIRE(sum_of({9007199254740992.0, 1.0, -5e-324}).value() == 9007199254740992.0);
  DoubleSum tiny = sum_of({5e-324});
  REQUIRE(same_bits(tiny.average(2), 0.0));          // the tie between 0 and the smallest
  tiny.add(5e-324);
  REQUIRE(tiny.average(3) == 5e-324);
  REQUIRE(same_bits(sum_of({-5e-324}).average(3), -0.0));
  // A tie of the smallest results that only the last remainder breaks.
  REQUIRE(sum_of({std::ldexp(1.0, 39 - 1074)}).average(uint64_t{1} << 40) == 0.0);
  REQUIRE(sum_of({std::ldexp(1.0, 39 - 1074), 5e-324}).average(uint64_t{1} << 40) == 5e-324);
  REQUIRE(round_to_double(false, 1, -1075, false) == 0.0);
  REQUIRE(round_to_double(false, 3, -1075, false) == 1e-323);
  REQUIRE(round_to_double(false, (uint128{1} << 127) + 1, -1202, false) == 5e-324);
  REQUIRE(round_to_double(false, uint128{1} << 127, -1202, false) == 0.0);
  REQUIRE(round_to_double(false, ~uint128{0}, -1203, true) == 0.0);
}

TEST_CASE("1e308 + 1e308 + 0 is Infinity; delete one 1e308: 1e308 again") {
  DoubleSum sum = sum_of({1e308, 1e308, 0.0});
  REQUIRE(sum.value() == kInfinity);
  REQUIRE(sum.average(2) == 1e308);
  sum.sub(1e308);
  REQUIRE(sum.value() == 1e308);
  DoubleSum negative = sum_of({-1e308, -1e308});
  REQUIRE(negative.value() == -kInfinity);
}

TEST_CASE("the largest double, half a unit above it, and just below that") {
  const double max = std::numeric_limits<double>::max();
  const double half_unit = std::ldexp(1.0, 970);
  REQUIRE(sum_of({max, half_unit}).value() == kInfinity);
  REQUIRE(sum_of({max, half_unit, -5e-324}).value() == max);
}

TEST_CASE("X7 a sum far above the largest double has its average") {
  for (const double x : {std::numeric_limits<double>::max(), -std::numeric_limits<double>::max()}) {
    DoubleSum sum = sum_of({x});
    for (int i = 1; i <= 30; ++i) {
      const DoubleSum copy = sum;
      sum.merge(copy);
      REQUIRE(sum.value() == (x > 0 ? kInfinity : -kInfinity));
      REQUIRE(sum.average(uint64_t{1} << i) == x);
    }
  }
}

TEST_CASE("1e100 + 1, delete 1e100: 1, not 0") {
  DoubleSum sum = sum_of({1e100, 1.0});
  REQUIRE(sum.value() == 1e100);
  sum.sub(1e100);
  REQUIRE(sum.value() == 1.0);
  REQUIRE(sum_of({1e-39}).value() == 1e-39);
}

TEST_CASE("X8 infinities and NaN leave as they came") {
  DoubleSum sum = sum_of({1.5, kInfinity});
  REQUIRE(sum.value() == kInfinity);
  sum.add(-kInfinity);
  REQUIRE(std::isnan(sum.value()));
  REQUIRE(std::isnan(sum.average(3)));
  sum.sub(kInfinity);
  REQUIRE(sum.value() == -kInfinity);
  sum.sub(-kInfinity);
  REQUIRE(sum.value() == 1.5);
  DoubleSum other = sum_of({kNaN, -kInfinity});
  sum.merge(other);
  REQUIRE(std::isnan(sum.value()));
  REQUIRE_FALSE(sum == sum_of({1.5}));
  sum.unmerge(other);
  REQUIRE(sum == sum_of({1.5}));
  sum.add(-kNaN);
  sum.sub(kNaN);
  REQUIRE(sum.value() == 1.5);
}

TEST_CASE("X8 each kind of special value is counted by itself, through add, sub, merge and unmerge") {
  Random random("double_sum specials");
  const double specials[] = {kInfinity, -kInfinity, kNaN};
  for (int round = 0; round < 200; ++round) {
    DoubleSum sum[2];
    int counts[2][3] = {};
    for (int step = 0; step < 12; ++step) {
      const size_t which = random.below(2), kind = random.below(3);
      switch (random.below(4)) {
        case 0:
          sum[which].sub(specials[kind]);
          --counts[which][kind];
          break;
        case 1:
          sum[0].merge(sum[1]);
          for (size_t k = 0; k < 3; ++k) counts[0][k] += counts[1][k];
          break;
        case 2:
          sum[1].unmerge(sum[0]);
          for (size_t k = 0; k < 3; ++k) counts[1][k] -= counts[0][k];
          break;
        default:
          sum[which].add(specials[kind]);
          ++counts[which][kind];
          break;
      }
      for (size_t i = 0; i < 2; ++i) {
        const auto& [plus, minus, nans] = counts[i];
        const double value = sum[i].value();
        INFO("round " << round << " step " << step << ": " << plus << " " << minus << " " << nans);
        if (nans != 0 || (plus != 0 && minus != 0)) REQUIRE(std::isnan(value));
        else REQUIRE(same_bits(value, plus != 0 ? kInfinity : minus != 0 ? -kInfinity : 0.0));
        REQUIRE((sum[i] == DoubleSum()) == (plus == 0 && minus == 0 && nans == 0));
      }
      REQUIRE((sum[0] == sum[1]) == std::equal(counts[0], counts[0] + 3, counts[1]));
    }
  }
}

TEST_CASE("a sum of nothing but -0.0 is 0.0, and so is every exact zero") {
  REQUIRE(same_bits(sum_of({-0.0, -0.0}).value(), 0.0));
  REQUIRE(same_bits(sum_of({}).value(), 0.0));
  REQUIRE(same_bits(sum_of({-1.0, 1.0}).value(), 0.0));
  REQUIRE(sum_of({-0.0}) == DoubleSum());
}

TEST_CASE("X9 carries wait no longer than the limbs have room: doubling by merge") {
  // 2^40 copies of the largest mantissa: every merge doubles `pending`, so that both ways of carrying in merge() are taken.
  for (const double x : {std::nextafter(2.0, 1.0), -std::nextafter(2.0, 1.0), std::numeric_limits<double>::max() / 0x1p40}) {
    DoubleSum sum = sum_of({x});
    for (int i = 0; i < 40; ++i) {
      const DoubleSum copy = sum;
      sum.merge(copy);
    }
    REQUIRE(sum.value() == x * 0x1p40);
    DoubleSum mirror = sum;
    mirror.unmerge(sum);
    REQUIRE(mirror == DoubleSum());
  }
}

}  // namespace
}  // namespace hdb
