// exact/test_reference.h: what the tests of exact/ compare with: rational arithmetic of Boost.Multiprecision.
//
// What:       conversions to cpp_int, the double nearest to a rational by bisection and exact comparison (shares no step with
//             exact/round.h), decimal rounding of a rational, and a random source that prints its seed.
// Callers:    src/exact/*_test.cc only.
// Held by:    the tests that use it
#pragma once

#include <bit>
#include <boost/multiprecision/cpp_int.hpp>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>

#include "base/int128.h"

namespace hdb::reference {

using Integer = boost::multiprecision::cpp_int;
// RapidCheck draws a new seed each run unless this says otherwise; it prints the one that it used.
inline const int kRapidCheckSeeded = setenv("RC_PARAMS", "seed=20261130", 0);

using Rational = boost::multiprecision::cpp_rational;

inline Integer integer(int128 v) {
  const bool negative = v < 0;
  const uint128 m = negative ? uint128{0} - static_cast<uint128>(v) : static_cast<uint128>(v);
  Integer r = (Integer(static_cast<uint64_t>(m >> 64)) << 64) + static_cast<uint64_t>(m);
  return negative ? Integer(-r) : r;
}

inline Integer power10(int n) { return boost::multiprecision::pow(Integer(10), static_cast<unsigned>(n)); }
inline Integer magnitude(const Integer& v) { return v < 0 ? Integer(-v) : v; }

// x in units of 2^-1074.
inline Integer units(double x) {
  const auto bits = std::bit_cast<uint64_t>(x);
  const uint64_t exponent = (bits >> 52) & 0x7ff;
  Integer m = (bits & ((uint64_t{1} << 52) - 1)) | (exponent != 0 ? uint64_t{1} << 52 : 0);
  if (exponent > 1) m <<= static_cast<unsigned>(exponent - 1);
  return (bits >> 63) != 0 ? Integer(-m) : m;
}

// The double nearest to n / d (d > 0) in units of 2^-1074, ties to even: bisection over the ordered bit patterns.
inline double nearest(const Integer& n, const Integer& d) {
  const bool negative = n < 0;
  const Integer a = magnitude(n);
  const auto value_of = [](uint64_t bits) {  // infinity stands for 2^1024 here
    return bits == 0x7ff0000000000000 ? Integer(Integer(1) << (1024 + 1074)) : units(std::bit_cast<double>(bits));
  };
  uint64_t low = 0, high = 0x7ff0000000000000;  // value(low) <= a/d < value(high), or a/d beyond all
  if (a >= value_of(high) * d) return negative ? -INFINITY : INFINITY;
  while (high - low > 1) {
    const uint64_t mid = low + (high - low) / 2;
    (value_of(mid) * d <= a ? low : high) = mid;
  }
  const Integer below = a - value_of(low) * d, above = value_of(high) * d - a;
  const uint64_t best = below < above ? low : above < below ? high : (low & 1) == 0 ? low : high;
  const double r = std::bit_cast<double>(best);
  return negative ? -r : r;
}
inline double nearest(const Rational& q) {
  return nearest(Integer(numerator(q) << 1074), Integer(denominator(q)));
}

// n / d (d != 0), rounded half away from zero.
inline Integer round_half_away(const Integer& n, const Integer& d) {
  const Integer a = magnitude(n), b = magnitude(d);
  const Integer r = (2 * a + b) / (2 * b);
  return (n < 0) != (d < 0) ? Integer(-r) : r;
}

inline bool same_bits(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

class Random {
 public:
  explicit Random(const char* what, uint64_t seed = 20261130) : engine_(seed) {
    Catch::cout() << what << ": seed " << seed << "\n";
  }
  uint64_t bits() { return engine_(); }
  uint64_t below(uint64_t n) { return engine_() % n; }
  int64_t word() {  // favours the edges
    static constexpr int64_t kEdges[] = {0, 1, -1, 2, INT64_MAX, INT64_MIN, INT64_MAX - 1, INT64_MIN + 1, 1LL << 32, -(1LL << 32)};
    if (below(4) == 0) return kEdges[below(10)];
    return static_cast<int64_t>(bits()) >> below(64);
  }
  int128 decimal(int digits_max = 38) {  // |v| < 10^digits_max; all lengths alike, and the extremes
    int128 limit = 1;
    for (auto digits = below(static_cast<uint64_t>(digits_max) + 1); digits > 0; --digits) limit *= 10;
    const uint128 raw = (static_cast<uint128>(bits()) << 64) | bits();
    const uint64_t kind = below(8);
    const auto v = kind == 0 ? limit - 1 : kind == 1 ? limit / 2 : static_cast<int128>(raw % static_cast<uint128>(limit));
    return (bits() & 1) != 0 ? -v : v;
  }
  double real() {  // any bit pattern but the special ones
    for (;;) {
      const double x = std::bit_cast<double>(bits());
      if (std::isfinite(x)) return x;
    }
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace hdb::reference
