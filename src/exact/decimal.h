// exact/decimal.h: arithmetic of DECIMAL(p,s), exact or refused.
//
// What:       a decimal is an int128 `value` and a scale beside it: value / 10^scale, |value| < 10^38, 0 <= scale <= 38. Vectors
//             keep the scale in the type, so the functions take values and scales apart. Result types are constexpr rules.
// Invariants: X12 each result is the exact one, or the exact one rounded half away from zero once where the rule of its scale
//                 drops digits; it is 22003 exactly when that result needs over 38 digits. Nothing in between overflows.
//             X13 compare_decimals orders by value across scales, without rounding.
// Cost:       no division and no 256-bit step while the 128-bit one fits.
// Callers:    plan/ (types), exec/, store/ (casts on write). Pure.
// Held by:    spec/exact.md, src/exact/decimal_test.cc
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>

#include "base/int128.h"
#include "base/limits.h"

namespace hdb {

struct DecimalType {
  int precision;
  int scale;
  friend constexpr bool operator==(const DecimalType&, const DecimalType&) = default;
};

inline constexpr int kDecimalDigits = static_cast<int>(kDecimalDigitsMax);
inline constexpr DecimalType kBigintAsDecimal{19, 0};
inline constexpr int kDivisionScaleMin = 6;

// The result's type when it has `whole` digits before the point and `scale` after it: the scale stays, the precision is capped.
constexpr DecimalType decimal_type_of(int whole, int scale) { return {std::clamp(whole + scale, 1, kDecimalDigits), scale}; }

constexpr DecimalType decimal_common_type(DecimalType a, DecimalType b) {
  return decimal_type_of(std::max(a.precision - a.scale, b.precision - b.scale), std::max(a.scale, b.scale));
}
constexpr DecimalType decimal_add_type(DecimalType a, DecimalType b) {  // also of a subtraction
  return decimal_type_of(std::max(a.precision - a.scale, b.precision - b.scale) + 1, std::max(a.scale, b.scale));
}
constexpr DecimalType decimal_multiply_type(DecimalType a, DecimalType b) {
  return {std::min(a.precision + b.precision, kDecimalDigits), std::min(a.scale + b.scale, kDecimalDigits)};
}
constexpr DecimalType decimal_divide_type(DecimalType a, DecimalType b) {
  return decimal_type_of(a.precision - a.scale + b.scale, std::max({a.scale, b.scale, kDivisionScaleMin}));
}
constexpr DecimalType decimal_modulo_type(DecimalType a, DecimalType b) {
  return decimal_type_of(std::min(a.precision - a.scale, b.precision - b.scale), std::max(a.scale, b.scale));
}
constexpr DecimalType decimal_sum_type(DecimalType a) { return {kDecimalDigits, a.scale}; }
constexpr DecimalType decimal_average_type(DecimalType a) { return {kDecimalDigits, std::min(a.scale + 6, kDecimalDigits)}; }

// Does |value| have at most `precision` digits (1..38)?
bool decimal_fits(int128 value, int precision);
// The value itself; 22003 if it has more digits than that.
int128 decimal_checked(int128 value, int precision);

int128 decimal_rescale(int128 value, int from_scale, int to_scale);   // half away from zero; 22003 when scaled up over 38 digits
int128 decimal_truncate(int128 value, int from_scale, int to_scale);  // towards zero
int128 decimal_floor(int128 value, int scale);                        // of scale 0
int128 decimal_ceil(int128 value, int scale);

int128 decimal_add(int128 a, int a_scale, int128 b, int b_scale);       // of scale max(a_scale, b_scale)
int128 decimal_subtract(int128 a, int a_scale, int128 b, int b_scale);  // the same
int128 decimal_multiply(int128 a, int a_scale, int128 b, int b_scale);  // of scale min(a_scale + b_scale, 38)
int128 decimal_divide(int128 a, int a_scale, int128 b, int b_scale);    // of scale max(a_scale, b_scale, 6); 22012
int128 decimal_modulo(int128 a, int a_scale, int128 b, int b_scale);    // of scale max; the sign is a's; 22012

std::strong_ordering compare_decimals(int128 a, int a_scale, int128 b, int b_scale);

// CAST to BIGINT: truncates; 22003.
int64_t decimal_to_int64(int128 value, int scale);

}  // namespace hdb
