// exact/wide.h: powers of ten and the few 256-bit operations that decimals need.
//
// What:       magnitudes; 128 x 128 -> 256 multiplication; 256 / 128 division with remainder.
// Invariants: X5 multiply_wide(a, b) == a * b; divide_wide: quotient * divisor + remainder == numerator, remainder < divisor.
// Cost:       a division is two hardware divisions for divisors below 2^64, else 128 shift-and-subtract steps (0.2 us).
// Callers:    exact/ only. Pure.
// Held by:    src/exact/decimal_test.cc
#pragma once

#include <array>
#include <cstdint>

#include "base/check.h"
#include "base/int128.h"
#include "base/limits.h"

namespace hdb {

inline constexpr std::array<uint128, kDecimalDigitsMax + 1> kPow10 = [] {
  std::array<uint128, kDecimalDigitsMax + 1> powers{};
  powers[0] = 1;
  for (size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

inline constexpr uint128 kDecimalMax = kPow10[kDecimalDigitsMax] - 1;  // 38 nines; below 2^127

constexpr uint128 magnitude_of(int128 v) { return v < 0 ? uint128{0} - static_cast<uint128>(v) : static_cast<uint128>(v); }
constexpr int128 with_sign(bool negative, uint128 magnitude) {
  return static_cast<int128>(negative ? uint128{0} - magnitude : magnitude);
}

struct Wide {
  uint128 lo;
  uint128 hi;
};

constexpr Wide multiply_wide(uint128 a, uint128 b) {
  const uint128 a0 = static_cast<uint64_t>(a), a1 = a >> 64;
  const uint128 b0 = static_cast<uint64_t>(b), b1 = b >> 64;
  const uint128 low = a0 * b0;
  const uint128 mid = a1 * b0 + (low >> 64);
  const uint128 mid2 = a0 * b1 + static_cast<uint64_t>(mid);
  return {(mid2 << 64) | static_cast<uint64_t>(low), a1 * b1 + (mid >> 64) + (mid2 >> 64)};
}

// Needs n.hi < divisor, so that the quotient has 128 bits.
inline uint128 divide_wide(Wide n, uint128 divisor, uint128& remainder) {
  CHECK(n.hi < divisor);
  if (n.hi == 0) {
    remainder = n.lo % divisor;
    return n.lo / divisor;
  }
  if ((divisor >> 64) == 0) {
    const uint128 upper = (n.hi << 64) | (n.lo >> 64);
    const uint128 lower = ((upper % divisor) << 64) | static_cast<uint64_t>(n.lo);
    remainder = lower % divisor;
    return ((upper / divisor) << 64) | (lower / divisor);
  }
  uint128 rest = n.hi, quotient = 0;
  for (int bit = 127; bit >= 0; --bit) {
    const bool carry = (rest >> 127) != 0;
    rest = (rest << 1) | ((n.lo >> bit) & 1);
    const bool take = carry || rest >= divisor;
    if (take) rest -= divisor;
    quotient = (quotient << 1) | static_cast<uint128>(take);
  }
  remainder = rest;
  return quotient;
}

}  // namespace hdb
