// ABS, SIGN, ROUND, FLOOR, CEIL, TRUNC, SQRT, POWER.

#include <cmath>

#include "base/check.h"
#include "exact/decimal.h"
#include "exact/decimal_text.h"
#include "exact/wide.h"
#include "exec/evaluate.h"

namespace hdb {

namespace {

int scale_of(const Type& t) { return t.id == TypeId::kDecimal ? t.scale : 0; }

bool null_at(const Call& c, uint32_t row) { return c.nulls != nullptr && bit_test(c.nulls, row); }

template <class F>
Vector map_reals(const Call& c, F f) {
  auto* out = c.scratch.zeroed<double>(c.rows);
  for (uint32_t i = 0; i < c.rows; ++i) {
    if (!null_at(c, i)) out[i] = f(c.args[0].f64[c.args[0].at(i)], i);
  }
  return make_vector(c.e.type, static_cast<const double*>(out), c.nulls);
}

// f gives a value of the result type's scale.
template <class F>
Vector map_exact(const Call& c, F f) {
  const bool narrow = c.e.type.lane() == Lane::kInt64;
  auto* small = narrow ? c.scratch.zeroed<int64_t>(c.rows) : nullptr;
  auto* large = narrow ? nullptr : c.scratch.zeroed<int128>(c.rows);
  for (uint32_t i = 0; i < c.rows; ++i) {
    if (null_at(c, i)) continue;
    const int128 v = f(wide_at(c.args[0], i), i);
    const bool fits = c.e.type.id == TypeId::kDecimal ? decimal_fits(v, c.e.type.precision) : v >= INT64_MIN && v <= INT64_MAX;
    if (!fits) fail(sqlstate::kOutOfRange, "the result does not fit " + to_string(c.e.type), c.e.position);
    if (narrow) small[i] = static_cast<int64_t>(v);
    else large[i] = v;
  }
  return narrow ? make_vector(c.e.type, static_cast<const int64_t*>(small), c.nulls)
                : make_vector(c.e.type, static_cast<const int128*>(large), c.nulls);
}

enum class Rounding { kNearest, kDown, kUp, kTowardsZero };

Rounding rounding_of(Function f) {
  switch (f) {
    case Function::kRound: return Rounding::kNearest;
    case Function::kFloor: return Rounding::kDown;
    case Function::kCeil: return Rounding::kUp;
    default: return Rounding::kTowardsZero;
  }
}

// Drops `drop` decimal digits (over 38: all of them), then puts zeros in their place.
int128 round_digits(int128 v, int64_t drop, Rounding mode) {
  if (drop <= 0) return v;
  if (drop > 38) drop = 39;
  const uint128 unit = drop == 39 ? 0 : kPow10[static_cast<size_t>(drop)];
  const uint128 m = magnitude_of(v);
  const uint128 rest = unit == 0 ? m : m % unit;
  uint128 kept = m - rest;
  bool away = false;
  switch (mode) {
    case Rounding::kNearest: away = unit != 0 && rest >= unit - rest; break;
    case Rounding::kDown: away = v < 0 && rest != 0; break;
    case Rounding::kUp: away = v > 0 && rest != 0; break;
    case Rounding::kTowardsZero: break;
  }
  if (away) {
    if (unit == 0) fail(sqlstate::kOutOfRange, "the result has over 38 digits");
    kept += unit;
  }
  return with_sign(v < 0, kept);
}

double round_real(double x, int64_t digits, Rounding mode) {
  if (!std::isfinite(x) || x == 0) return x;
  if (digits == 0) {
    switch (mode) {
      case Rounding::kNearest: return std::round(x);
      case Rounding::kDown: return std::floor(x);
      case Rounding::kUp: return std::ceil(x);
      case Rounding::kTowardsZero: return std::trunc(x);
    }
  }
  if (digits < 0) {
    if (digits < -308) return 0;
    const double unit = std::pow(10.0, static_cast<double>(-digits));
    return round_real(x / unit, 0, mode) * unit;
  }
  // Beyond 2^53 a double is an integer; past 22 digits nothing is left to round.
  if (std::fabs(x) >= 9007199254740992.0 || digits > 22) return x;
  if (mode == Rounding::kNearest) return decimal_to_double(decimal_from_double(x, {38, static_cast<int>(digits)}), static_cast<int>(digits));
  const int128 cut = decimal_truncate(decimal_from_double(x, {38, 22}), 22, static_cast<int>(digits));
  return decimal_to_double(cut, static_cast<int>(digits));
}

}  // namespace

Vector kernel_abs(const Call& c) {
  if (c.args[0].lane == Lane::kDouble) return map_reals(c, [](double x, uint32_t) { return std::fabs(x); });
  return map_exact(c, [](int128 v, uint32_t) { return v < 0 ? -v : v; });
}

Vector kernel_sign(const Call& c) {
  const Vector& a = c.args[0];
  const auto sign = [&](uint32_t i) {
    if (a.lane == Lane::kDouble) {
      const double x = a.f64[a.at(i)];
      return x > 0 ? 1 : x < 0 ? -1 : 0;
    }
    const int128 v = wide_at(a, i);
    return v > 0 ? 1 : v < 0 ? -1 : 0;
  };
  if (c.e.type.lane() == Lane::kDouble) {
    auto* out = c.scratch.array<double>(c.rows);
    for (uint32_t i = 0; i < c.rows; ++i) out[i] = sign(i);
    return make_vector(c.e.type, static_cast<const double*>(out), c.nulls);
  }
  int64_t one = 1;
  for (int s = 0; s < scale_of(c.e.type); ++s) one *= 10;
  auto* out = c.scratch.array<int64_t>(c.rows);
  for (uint32_t i = 0; i < c.rows; ++i) out[i] = sign(i) * one;
  if (c.e.type.lane() == Lane::kInt64) return make_vector(c.e.type, static_cast<const int64_t*>(out), c.nulls);
  auto* wide = c.scratch.array<int128>(c.rows);
  for (uint32_t i = 0; i < c.rows; ++i) wide[i] = out[i];
  return make_vector(c.e.type, static_cast<const int128*>(wide), c.nulls);
}

Vector kernel_round(const Call& c) {
  const Rounding mode = rounding_of(c.e.function);
  const auto digits = [&](uint32_t i) { return c.args.size() > 1 ? c.args[1].i64[c.args[1].at(i)] : int64_t{0}; };
  if (c.args[0].lane == Lane::kDouble) return map_reals(c, [&](double x, uint32_t i) { return round_real(x, digits(i), mode); });
  const int from = scale_of(c.args[0].type), to = scale_of(c.e.type);
  return map_exact(c, [&](int128 v, uint32_t i) {
    int64_t keep = digits(i);
    if (keep > 38) keep = 38;
    return decimal_rescale(round_digits(v, from - keep, mode), from, to);
  });
}

Vector kernel_real(const Call& c) {
  if (c.e.function == Function::kSqrt) {
    return map_reals(c, [&](double x, uint32_t) {
      if (x < 0) fail(sqlstate::kOutOfRange, "square root of a negative number", c.e.position);
      return std::sqrt(x);
    });
  }
  return map_reals(c, [&](double x, uint32_t i) {
    const double y = c.args[1].f64[c.args[1].at(i)];
    if (x == 0 && y < 0) fail(sqlstate::kDivisionByZero, "zero to a negative power", c.e.position);
    const double r = std::pow(x, y);
    if (std::isnan(r) && !std::isnan(x) && !std::isnan(y)) fail(sqlstate::kOutOfRange, "a negative number to a power that is not an integer", c.e.position);
    return r;
  });
}

}  // namespace hdb
