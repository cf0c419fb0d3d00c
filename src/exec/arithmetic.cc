// Arithmetic: + - * / % and negation over BIGINT, DECIMAL, DOUBLE and DATE. Integer loops run over all rows, NULL ones too, and look for
// the row that overflowed only once some row did.

#include <cmath>

#include "base/check.h"
#include "exact/decimal.h"
#include "exec/evaluate.h"

namespace hdb {

namespace {

constexpr int64_t kDateMin = -719162, kDateMax = 2932896;  // 0001-01-01 and 9999-12-31

[[noreturn]] void overflow(const Call& c) {
  fail(sqlstate::kOutOfRange, "the result does not fit " + to_string(c.e.type), c.e.position);
}
[[noreturn]] void by_zero(const Call& c) { fail(sqlstate::kDivisionByZero, "division by zero", c.e.position); }

bool null_at(const Call& c, uint32_t row) { return c.nulls != nullptr && bit_test(c.nulls, row); }

// out[i] = f(a, b) with constants hoisted; f says by its return whether the result is good.
template <class T, class R, class F>
bool run_binary(const T* a, bool a_constant, const T* b, bool b_constant, R* out, uint32_t rows, F f) {
  uint64_t bad = 0;
  if (a_constant) {
    const T x = a[0];
    for (uint32_t i = 0; i < rows; ++i) bad |= f(x, b[i], out[i]);
  } else if (b_constant) {
    const T y = b[0];
    for (uint32_t i = 0; i < rows; ++i) bad |= f(a[i], y, out[i]);
  } else {
    for (uint32_t i = 0; i < rows; ++i) bad |= f(a[i], b[i], out[i]);
  }
  return bad == 0;
}

// Was it a row that counts? `f` as above.
template <class T, class F>
void raise_if_live(const Call& c, const T* a, const T* b, F f) {
  for (uint32_t i = 0; i < c.rows; ++i) {
    if (null_at(c, i)) continue;
    T out;
    if (f(a[c.args[0].at(i)], b[c.args[1].at(i)], out) != 0) overflow(c);
  }
}

// Function objects and not functions, so that the loops over them are compiled with them inside.
constexpr auto add_flag = [](int64_t a, int64_t b, int64_t& r) {
  const uint64_t x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b), s = x + y;
  r = static_cast<int64_t>(s);
  return ((x ^ s) & (y ^ s)) >> 63;
};
constexpr auto subtract_flag = [](int64_t a, int64_t b, int64_t& r) {
  const uint64_t x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b), s = x - y;
  r = static_cast<int64_t>(s);
  return ((x ^ y) & (x ^ s)) >> 63;
};
constexpr auto multiply_flag = [](int64_t a, int64_t b, int64_t& r) { return static_cast<uint64_t>(__builtin_mul_overflow(a, b, &r)); };

template <class F>
Vector integers(const Call& c, F f) {
  auto* out = c.scratch.array<int64_t>(c.rows);
  const Vector &a = c.args[0], &b = c.args[1];
  if (!run_binary(a.i64, a.constant, b.i64, b.constant, out, c.rows, f)) raise_if_live(c, a.i64, b.i64, f);
  return make_vector(c.e.type, static_cast<const int64_t*>(out), c.nulls);
}

template <class F>
Vector reals(const Call& c, F f) {
  auto* out = c.scratch.array<double>(c.rows);
  const Vector &a = c.args[0], &b = c.args[1];
  run_binary(a.f64, a.constant, b.f64, b.constant, out, c.rows, [&](double x, double y, double& r) {
    r = f(x, y);
    return uint64_t{0};
  });
  return make_vector(c.e.type, static_cast<const double*>(out), c.nulls);
}

int scale_of(const Vector& v) { return v.type.id == TypeId::kDecimal ? v.type.scale : 0; }

// Row by row through exact/, checked against the type's precision.
template <class F>
Vector decimals(const Call& c, F f) {
  const Vector &a = c.args[0], &b = c.args[1];
  const int a_scale = scale_of(a), b_scale = scale_of(b);
  const bool narrow = c.e.type.lane() == Lane::kInt64;
  auto* small = narrow ? c.scratch.zeroed<int64_t>(c.rows) : nullptr;
  auto* large = narrow ? nullptr : c.scratch.zeroed<int128>(c.rows);
  for (uint32_t i = 0; i < c.rows; ++i) {
    if (null_at(c, i)) continue;
    const int128 v = f(wide_at(a, i), a_scale, wide_at(b, i), b_scale);
    if (!decimal_fits(v, c.e.type.precision)) overflow(c);
    if (narrow) small[i] = static_cast<int64_t>(v);
    else large[i] = v;
  }
  return narrow ? make_vector(c.e.type, static_cast<const int64_t*>(small), c.nulls)
                : make_vector(c.e.type, static_cast<const int128*>(large), c.nulls);
}

bool narrow_decimals(const Call& c) {
  return c.e.type.id == TypeId::kDecimal && c.e.type.lane() == Lane::kInt64 && c.args[0].lane == Lane::kInt64 && c.args[1].lane == Lane::kInt64;
}

// a and b brought to one scale by a multiplication that cannot overflow 128 bits; the result is checked to fit 18 digits.
template <class F>
Vector aligned_decimals(const Call& c, F f) {
  constexpr int64_t kLimit = 1'000'000'000'000'000'000;
  const Vector &a = c.args[0], &b = c.args[1];
  int64_t a_factor = 1, b_factor = 1;
  for (int s = scale_of(a); s < c.e.type.scale; ++s) a_factor *= 10;
  for (int s = scale_of(b); s < c.e.type.scale; ++s) b_factor *= 10;
  const auto one = [&](int64_t x, int64_t y, int64_t& r) {
    const int128 v = f(static_cast<int128>(x) * a_factor, static_cast<int128>(y) * b_factor);
    r = static_cast<int64_t>(v);
    return static_cast<uint64_t>(v >= kLimit || v <= -kLimit);
  };
  auto* out = c.scratch.array<int64_t>(c.rows);
  if (!run_binary(a.i64, a.constant, b.i64, b.constant, out, c.rows, one)) raise_if_live(c, a.i64, b.i64, one);
  return make_vector(c.e.type, static_cast<const int64_t*>(out), c.nulls);
}

Vector dates(const Call& c) {
  // DATE +- BIGINT and BIGINT + DATE stay in the years 0001 to 9999.
  const bool minus = c.e.function == Function::kSubtract;
  const Vector out = minus ? integers(c, subtract_flag) : integers(c, add_flag);
  if (c.e.type.id == TypeId::kDate) {
    for (uint32_t i = 0; i < c.rows; ++i) {
      if (!null_at(c, i) && (out.i64[i] < kDateMin || out.i64[i] > kDateMax)) fail(sqlstate::kDatetimeRange, "the date is out of range", c.e.position);
    }
  }
  return out;
}

bool over_dates(const Call& c) {
  const auto temporal = [](TypeId id) { return id == TypeId::kDate || id == TypeId::kTimestamp; };
  return temporal(c.args[0].type.id) || temporal(c.args[1].type.id);
}

template <class F>
Vector divided(const Call& c, F f) {
  auto* out = c.scratch.zeroed<int64_t>(c.rows);
  const Vector &a = c.args[0], &b = c.args[1];
  for (uint32_t i = 0; i < c.rows; ++i) {
    if (null_at(c, i)) continue;
    const int64_t x = a.i64[a.at(i)], y = b.i64[b.at(i)];
    if (y == 0) by_zero(c);
    out[i] = f(x, y);
  }
  return make_vector(c.e.type, static_cast<const int64_t*>(out), c.nulls);
}

template <class F>
Vector divided_reals(const Call& c, F f) {
  auto* out = c.scratch.zeroed<double>(c.rows);
  const Vector &a = c.args[0], &b = c.args[1];
  for (uint32_t i = 0; i < c.rows; ++i) {
    if (null_at(c, i)) continue;
    const double x = a.f64[a.at(i)], y = b.f64[b.at(i)];
    if (y == 0) by_zero(c);
    out[i] = f(x, y);
  }
  return make_vector(c.e.type, static_cast<const double*>(out), c.nulls);
}

}  // namespace

Vector kernel_add(const Call& c) {
  if (over_dates(c)) return dates(c);
  switch (c.e.type.id) {
    case TypeId::kBigint: return integers(c, add_flag);
    case TypeId::kDouble: return reals(c, [](double x, double y) { return x + y; });
    default: break;
  }
  CHECK(c.e.type.id == TypeId::kDecimal);
  if (narrow_decimals(c)) return aligned_decimals(c, [](int128 x, int128 y) { return x + y; });
  return decimals(c, decimal_add);
}

Vector kernel_subtract(const Call& c) {
  if (over_dates(c)) return dates(c);
  switch (c.e.type.id) {
    case TypeId::kBigint: return integers(c, subtract_flag);
    case TypeId::kDouble: return reals(c, [](double x, double y) { return x - y; });
    default: break;
  }
  CHECK(c.e.type.id == TypeId::kDecimal);
  if (narrow_decimals(c)) return aligned_decimals(c, [](int128 x, int128 y) { return x - y; });
  return decimals(c, decimal_subtract);
}

Vector kernel_multiply(const Call& c) {
  switch (c.e.type.id) {
    case TypeId::kBigint: return integers(c, multiply_flag);
    case TypeId::kDouble: return reals(c, [](double x, double y) { return x * y; });
    default: break;
  }
  CHECK(c.e.type.id == TypeId::kDecimal);
  if (narrow_decimals(c) && scale_of(c.args[0]) + scale_of(c.args[1]) == c.e.type.scale) {
    constexpr int64_t kLimit = 1'000'000'000'000'000'000;
    return integers(c, [](int64_t x, int64_t y, int64_t& r) {
      const int128 v = static_cast<int128>(x) * y;
      r = static_cast<int64_t>(v);
      return static_cast<uint64_t>(v >= kLimit || v <= -kLimit);
    });
  }
  return decimals(c, decimal_multiply);
}

Vector kernel_divide(const Call& c) {
  switch (c.e.type.id) {
    case TypeId::kBigint:
      return divided(c, [&](int64_t x, int64_t y) {
        if (y == -1 && x == INT64_MIN) overflow(c);
        return x / y;
      });
    case TypeId::kDouble: return divided_reals(c, [](double x, double y) { return x / y; });
    default: break;
  }
  CHECK(c.e.type.id == TypeId::kDecimal);
  return decimals(c, [&](int128 a, int a_scale, int128 b, int b_scale) {
    if (b == 0) by_zero(c);
    return decimal_divide(a, a_scale, b, b_scale);
  });
}

Vector kernel_modulo(const Call& c) {
  switch (c.e.type.id) {
    case TypeId::kBigint: return divided(c, [](int64_t x, int64_t y) { return y == -1 ? 0 : x % y; });
    case TypeId::kDouble: return divided_reals(c, [](double x, double y) { return std::fmod(x, y); });
    default: break;
  }
  CHECK(c.e.type.id == TypeId::kDecimal);
  return decimals(c, [&](int128 a, int a_scale, int128 b, int b_scale) {
    if (b == 0) by_zero(c);
    return decimal_modulo(a, a_scale, b, b_scale);
  });
}

Vector kernel_negate(const Call& c) {
  const Vector& a = c.args[0];
  if (a.lane == Lane::kDouble) {
    auto* out = c.scratch.array<double>(c.rows);
    for (uint32_t i = 0; i < c.rows; ++i) out[i] = -a.f64[i];
    return make_vector(c.e.type, static_cast<const double*>(out), c.nulls);
  }
  if (a.lane == Lane::kInt128) {
    auto* out = c.scratch.array<int128>(c.rows);
    for (uint32_t i = 0; i < c.rows; ++i) out[i] = null_at(c, i) ? 0 : -a.i128[i];
    return make_vector(c.e.type, static_cast<const int128*>(out), c.nulls);
  }
  auto* out = c.scratch.array<int64_t>(c.rows);
  for (uint32_t i = 0; i < c.rows; ++i) {
    out[i] = static_cast<int64_t>(0 - static_cast<uint64_t>(a.i64[i]));
    if (a.i64[i] == INT64_MIN && !null_at(c, i)) overflow(c);
  }
  return make_vector(c.e.type, static_cast<const int64_t*>(out), c.nulls);
}

}  // namespace hdb
