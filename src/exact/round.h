// exact/round.h: the one place where an exact value becomes a double.
//
// What:       rounds (top + fraction) * 2^exponent, 0 <= fraction < 1, to the nearest double, half to even, once.
// Invariants: X6 the result is the double nearest to the exact value; beyond the largest double it is an infinity, below half of
//             the smallest it is a zero with the value's sign.
// Callers:    exact/ only. Pure; needs the default rounding mode.
// Held by:    src/exact/double_sum_test.cc, src/exact/average_test.cc
#pragma once

#include <algorithm>
#include <cmath>

#include "base/int128.h"

namespace hdb {

constexpr int bits_of(uint128 v) {
  const auto hi = static_cast<uint64_t>(v >> 64);
  const auto lo = static_cast<uint64_t>(v);
  return hi != 0 ? 128 - __builtin_clzll(hi) : lo != 0 ? 64 - __builtin_clzll(lo) : 0;
}

// `sticky` says that fraction > 0; then top must have at least 55 bits, so that the bit that decides lies inside it.
inline double round_to_double(bool negative, uint128 top, int exponent, bool sticky) {
  if (top == 0) return negative ? -0.0 : 0.0;
  const int last = std::max(exponent + bits_of(top) - 1 - 52, -1074);  // weight of the result's last bit
  const int drop = last - exponent;
  double magnitude;
  if (drop <= 0) {
    magnitude = std::ldexp(static_cast<double>(static_cast<uint64_t>(top)), exponent);
  } else if (drop > 128) {
    magnitude = 0.0;
  } else {
    const uint128 kept = drop == 128 ? 0 : top >> drop;
    const uint128 half = uint128{1} << (drop - 1);
    const uint128 rest = top & (half | (half - 1));
    const bool up = rest > half || (rest == half && (sticky || (kept & 1) != 0));
    magnitude = std::ldexp(static_cast<double>(static_cast<uint64_t>(kept) + (up ? 1 : 0)), last);
  }
  return negative ? -magnitude : magnitude;
}

}  // namespace hdb
