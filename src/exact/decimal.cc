#include "exact/decimal.h"

#include "base/check.h"
#include "base/error.h"
#include "exact/wide.h"

namespace hdb {
namespace {

uint128 power(int digits) {
  CHECK(digits >= 0 && digits <= kDecimalDigits);
  return kPow10[static_cast<size_t>(digits)];
}

[[noreturn]] void too_large() { fail(sqlstate::kOutOfRange, "the decimal result does not fit 38 digits"); }

int128 checked_sign(bool negative, uint128 magnitude) {
  if (magnitude > kDecimalMax) too_large();
  return with_sign(negative, magnitude);
}

bool rounds_up(uint128 remainder, uint128 divisor) { return remainder >= divisor - remainder; }

// Brings both to the larger scale. A magnitude that then leaves 128 bits is above 3.4 * 10^38: no sum with another of at most
// 38 digits can come back under 10^38.
struct Aligned {
  uint128 a;
  uint128 b;
};
Aligned align(int128 a, int a_scale, int128 b, int b_scale) {
  Aligned r{magnitude_of(a), magnitude_of(b)};
  const bool over = a_scale < b_scale ? __builtin_mul_overflow(r.a, power(b_scale - a_scale), &r.a)
                                      : __builtin_mul_overflow(r.b, power(a_scale - b_scale), &r.b);
  if (over) too_large();
  return r;
}

int128 add_signed(int128 a, int a_scale, int128 b, int b_scale, bool b_negative) {
  const Aligned m = align(a, a_scale, b, b_scale);
  const bool a_negative = a < 0;
  if (a_negative != b_negative) return checked_sign(m.a >= m.b ? a_negative : b_negative, m.a >= m.b ? m.a - m.b : m.b - m.a);
  uint128 sum;
  if (__builtin_add_overflow(m.a, m.b, &sum)) too_large();
  return checked_sign(a_negative, sum);
}

}  // namespace

bool decimal_fits(int128 value, int precision) { return magnitude_of(value) < power(precision); }

int128 decimal_checked(int128 value, int precision) {
  if (!decimal_fits(value, precision)) {
    fail(sqlstate::kOutOfRange, "the value has more digits than DECIMAL(" + std::to_string(precision) + ", ...) holds");
  }
  return value;
}

int128 decimal_rescale(int128 value, int from_scale, int to_scale) {
  if (from_scale == to_scale) return value;
  const uint128 magnitude = magnitude_of(value);
  if (to_scale > from_scale) {
    uint128 scaled;
    if (__builtin_mul_overflow(magnitude, power(to_scale - from_scale), &scaled)) too_large();
    return checked_sign(value < 0, scaled);
  }
  const uint128 divisor = power(from_scale - to_scale);
  return with_sign(value < 0, magnitude / divisor + (rounds_up(magnitude % divisor, divisor) ? 1 : 0));
}

int128 decimal_truncate(int128 value, int from_scale, int to_scale) {
  if (to_scale >= from_scale) return decimal_rescale(value, from_scale, to_scale);
  return value / static_cast<int128>(power(from_scale - to_scale));
}

int128 decimal_floor(int128 value, int scale) {
  const auto divisor = static_cast<int128>(power(scale));
  return value / divisor - (value % divisor < 0 ? 1 : 0);
}

int128 decimal_ceil(int128 value, int scale) {
  const auto divisor = static_cast<int128>(power(scale));
  return value / divisor + (value % divisor > 0 ? 1 : 0);
}

int128 decimal_add(int128 a, int a_scale, int128 b, int b_scale) { return add_signed(a, a_scale, b, b_scale, b < 0); }
int128 decimal_subtract(int128 a, int a_scale, int128 b, int b_scale) { return add_signed(a, a_scale, b, b_scale, b >= 0); }

int128 decimal_multiply(int128 a, int a_scale, int128 b, int b_scale) {
  const bool negative = (a < 0) != (b < 0);
  const Wide product = multiply_wide(magnitude_of(a), magnitude_of(b));
  const int drop = a_scale + b_scale - kDecimalDigits;
  if (drop <= 0) {
    if (product.hi != 0) too_large();
    return checked_sign(negative, product.lo);
  }
  const uint128 divisor = power(drop);
  if (product.hi >= divisor) too_large();
  uint128 remainder;
  const uint128 quotient = divide_wide(product, divisor, remainder);
  if (quotient > kDecimalMax) too_large();  // before the + 1, which could wrap
  return checked_sign(negative, quotient + (rounds_up(remainder, divisor) ? 1 : 0));
}

// Long division: the whole part first, then up to 19 digits a step (remainder * 10^19 / divisor fits divide_wide).
int128 decimal_divide(int128 a, int a_scale, int128 b, int b_scale) {
  if (b == 0) fail(sqlstate::kDivisionByZero, "division by zero");
  const uint128 divisor = magnitude_of(b);
  uint128 quotient = magnitude_of(a) / divisor;
  uint128 remainder = magnitude_of(a) % divisor;
  for (int digits = std::max({a_scale, b_scale, kDivisionScaleMin}) - a_scale + b_scale; digits > 0;) {
    const int step = std::min(digits, 19);
    if (quotient > kDecimalMax / power(step)) too_large();
    quotient = quotient * power(step) + divide_wide(multiply_wide(remainder, power(step)), divisor, remainder);
    digits -= step;
  }
  return checked_sign((a < 0) != (b < 0), quotient + (rounds_up(remainder, divisor) ? 1 : 0));
}

int128 decimal_modulo(int128 a, int a_scale, int128 b, int b_scale) {
  if (b == 0) fail(sqlstate::kDivisionByZero, "division by zero");
  uint128 magnitude = magnitude_of(a), divisor = magnitude_of(b);
  if (a_scale < b_scale) {
    Wide dividend = multiply_wide(magnitude, power(b_scale - a_scale));
    dividend.hi %= divisor;  // does not change the remainder, and makes the quotient fit
    divide_wide(dividend, divisor, magnitude);
  } else if (!__builtin_mul_overflow(divisor, power(a_scale - b_scale), &divisor)) {
    magnitude %= divisor;
  }  // else the divisor is beyond 128 bits, and a is its own remainder
  return checked_sign(a < 0, magnitude);
}

std::strong_ordering compare_decimals(int128 a, int a_scale, int128 b, int b_scale) {
  const auto order = [](auto x, auto y) {
    return x < y ? std::strong_ordering::less : x > y ? std::strong_ordering::greater : std::strong_ordering::equal;
  };
  if (a_scale == b_scale || (a < 0) != (b < 0)) return order(a, b);
  const Wide x = multiply_wide(magnitude_of(a), power(std::max(b_scale - a_scale, 0)));
  const Wide y = multiply_wide(magnitude_of(b), power(std::max(a_scale - b_scale, 0)));
  const auto by_magnitude = x.hi != y.hi ? order(x.hi, y.hi) : order(x.lo, y.lo);
  return a < 0 ? 0 <=> by_magnitude : by_magnitude;
}

int64_t decimal_to_int64(int128 value, int scale) {
  const int128 whole = decimal_truncate(value, scale, 0);
  if (whole != static_cast<int64_t>(whole)) fail(sqlstate::kOutOfRange, "the decimal does not fit BIGINT");
  return static_cast<int64_t>(whole);
}

}  // namespace hdb
