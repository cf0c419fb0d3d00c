// Invariants checked: X10 (average.h), X6 (round.h).
#include <catch2/catch.hpp>

#include "exact/average.h"
#include "exact/decimal.h"
#include "exact/test_reference.h"

namespace hdb {
namespace {

using reference::Integer;
using reference::integer;
using reference::Random;
using reference::Rational;

TEST_CASE("AVG of 9007199254740994 and -9007199254740993 is 0.5") {
  Sum128 sum;
  sum.add(9007199254740994);
  sum.sub(9007199254740993);
  REQUIRE(average_of_integers(sum.value(), 2) == 0.5);
}

TEST_CASE("X10 averages of integers are the nearest double of the true quotient") {
  Random random("average of integers");
  for (int i = 0; i < 5000; ++i) {
    const int shift = static_cast<int>(random.below(127));
    const auto raw = static_cast<int128>((static_cast<uint128>(random.bits()) << 64) | random.bits());
    const int128 sum = random.below(4) == 0 ? random.word() : raw >> shift;
    const uint64_t count = std::max<uint64_t>(1, random.bits() >> random.below(64));
    const double expected = reference::nearest(Rational(integer(sum), Integer(count)));
    INFO(integer(sum) << " / " << count);
    REQUIRE(reference::same_bits(average_of_integers(sum, count), expected));
  }
}

TEST_CASE("X10 quotients near a tie round once") {
  // (2^53 + 1) * 2^k + d over 2^k: a tie exactly at d = 0.
  for (int k = 1; k <= 63; ++k) {
    const int128 tie = ((static_cast<int128>(1) << 53) + 1) << k;
    for (int d = -1; d <= 1; ++d) {
      const uint64_t count = uint64_t{1} << k;
      REQUIRE(average_of_integers(tie + d, count) == (d > 0 ? 9007199254740994.0 : 9007199254740992.0));
      REQUIRE(average_of_integers(-tie - d, count) == (d > 0 ? -9007199254740994.0 : -9007199254740992.0));
    }
  }
  REQUIRE(reference::same_bits(average_of_integers(0, ~uint64_t{0}), 0.0));
}

TEST_CASE("AVG over DECIMAL holds where the sum does not fit: {M, M, -M} and {M, -M, M} agree") {
  const int128 m = static_cast<int128>(kPow10[31] - 1);
  Sum192 a, b;
  a.add_int128(m), a.add_int128(m), a.sub_int128(m);
  b.add_int128(m), b.sub_int128(m), b.add_int128(m);
  REQUIRE(average_of_decimals(a, 3, 2) == average_of_decimals(b, 3, 2));
  const auto max = static_cast<int128>(kDecimalMax);
  Sum192 big;  // a sum of 40 digits
  for (int i = 0; i < 40; ++i) big.add_int128(max);
  REQUIRE_FALSE(big.fits_decimal38());
  REQUIRE_THROWS_AS(average_of_decimals(big, 40, 2), Error);  // 38 digits and six more: no room
  REQUIRE(average_of_decimals(big, 40'000'000, 2) == max);  // the largest average that fits
}

TEST_CASE("X10 averages of decimals round half away from zero, or are 22003") {
  Random random("average of decimals");
  int errors = 0;
  for (int i = 0; i < 5000; ++i) {
    Sum192 sum;
    Integer exact = 0;
    for (uint64_t n = random.below(5); n > 0; --n) {
      const int128 v = random.decimal();
      sum.add_int128(v);
      exact += integer(v);
    }
    const uint64_t count = std::max<uint64_t>(1, random.bits() >> random.below(64));
    const int scale = static_cast<int>(random.below(39));
    const Integer expected = reference::round_half_away(exact * reference::power10(decimal_average_scale(scale) - scale), count);
    INFO(exact << " / " << count << " scale " << scale);
    if (reference::magnitude(expected) < reference::power10(38)) {
      REQUIRE(integer(average_of_decimals(sum, count, scale)) == expected);
    } else {
      ++errors;
      REQUIRE_THROWS_AS(average_of_decimals(sum, count, scale), Error);
    }
  }
  REQUIRE(errors > 100);
  REQUIRE_THROWS_AS(average_of_decimals(Sum192{0, 0, 1}, 1, 0), Error);  // 2^128: nothing in its low 128 bits
  Sum192 half;
  half.add(static_cast<uint64_t>(int64_t{-1}));
  REQUIRE(average_of_decimals(half, 2'000'000, 0) == -1);  // -0.5 units of the last digit
  REQUIRE(average_of_decimals(half, 2'000'001, 0) == 0);
}

}  // namespace
}  // namespace hdb
