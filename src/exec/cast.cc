// CAST between all pairs of types that have one (INTERFACE.md, "Types and meaning").

#include <algorithm>

#include "base/check.h"
#include "exact/decimal.h"
#include "exact/decimal_text.h"
#include "exact/double_text.h"
#include "exec/evaluate.h"
#include "exec/utf8.h"

namespace hdb {

namespace {

constexpr int64_t kDayMicroseconds = 86'400'000'000;

int scale_of(const Type& t) { return t.id == TypeId::kDecimal ? t.scale : 0; }
DecimalType decimal_type(const Type& t) { return {t.precision, t.scale}; }

struct Cast {
  const Vector& v;
  const Type& to;
  uint32_t rows;
  Scratch& scratch;

  template <class T, class F>
  Vector map(F f) const {
    T* out = scratch.zeroed<T>(rows);
    for (uint32_t i = 0; i < rows; ++i) {
      if (!v.is_null(i)) out[i] = f(v.at(i));
    }
    Vector r = make_vector(to, static_cast<const T*>(out), v.nulls);
    r.constant = v.constant;
    return r;
  }
  // To a DECIMAL of either lane; f gives a value of its scale.
  template <class F>
  Vector map_decimal(F f) const {
    const auto checked = [&](uint32_t i) {
      const int128 x = f(i);
      if (!decimal_fits(x, to.precision)) fail(sqlstate::kOutOfRange, "the value does not fit " + to_string(to));
      return x;
    };
    if (to.lane() == Lane::kInt128) return map<int128>(checked);
    return map<int64_t>([&](uint32_t i) { return static_cast<int64_t>(checked(i)); });
  }
  int128 number(uint32_t i) const { return v.lane == Lane::kInt128 ? v.i128[i] : static_cast<int128>(v.i64[i]); }
  std::string_view text(uint32_t i) const { return v.codes != nullptr ? v.dictionary->text(v.codes[i]) : v.text[i]; }
};

[[noreturn]] void no_cast(const Type& from, const Type& to) {
  fail(sqlstate::kTypeMismatch, "there is no cast from " + to_string(from) + " to " + to_string(to));
}

bool parse_boolean(std::string_view text) {
  std::string t(trim_spaces(text));
  std::transform(t.begin(), t.end(), t.begin(), ascii_lower);
  for (const char* yes : {"true", "t", "yes", "y", "on", "1"}) {
    if (t == yes) return true;
  }
  for (const char* no : {"false", "f", "no", "n", "off", "0"}) {
    if (t == no) return false;
  }
  fail(sqlstate::kInvalidText, "\"" + std::string(text) + "\" is not a BOOLEAN");
}

int64_t floor_days(int64_t microseconds) {
  return microseconds / kDayMicroseconds - static_cast<int64_t>(microseconds % kDayMicroseconds < 0);
}

Vector to_boolean(const Cast& c) {
  switch (c.v.type.id) {
    case TypeId::kBigint: return c.map<int64_t>([&](uint32_t i) { return int64_t{c.v.i64[i] != 0}; });
    case TypeId::kText: return c.map<int64_t>([&](uint32_t i) { return int64_t{parse_boolean(c.text(i))}; });
    default: no_cast(c.v.type, c.to);
  }
}

Vector to_bigint(const Cast& c) {
  switch (c.v.type.id) {
    case TypeId::kBoolean: return c.map<int64_t>([&](uint32_t i) { return c.v.i64[i]; });
    case TypeId::kDecimal: return c.map<int64_t>([&](uint32_t i) { return decimal_to_int64(c.number(i), c.v.type.scale); });
    case TypeId::kDouble: return c.map<int64_t>([&](uint32_t i) { return double_to_int64(c.v.f64[i]); });
    case TypeId::kText: return c.map<int64_t>([&](uint32_t i) { return parse_int64(c.text(i)); });
    default: no_cast(c.v.type, c.to);
  }
}

Vector to_decimal(const Cast& c) {
  switch (c.v.type.id) {
    case TypeId::kBoolean:
    case TypeId::kBigint:
    case TypeId::kDecimal: {
      const int from = scale_of(c.v.type), to = c.to.scale;
      return c.map_decimal([&](uint32_t i) { return from == to ? c.number(i) : decimal_rescale(c.number(i), from, to); });
    }
    case TypeId::kDouble: return c.map_decimal([&](uint32_t i) { return decimal_from_double(c.v.f64[i], decimal_type(c.to)); });
    case TypeId::kText: return c.map_decimal([&](uint32_t i) { return parse_decimal(c.text(i), decimal_type(c.to)); });
    default: no_cast(c.v.type, c.to);
  }
}

Vector to_double(const Cast& c) {
  switch (c.v.type.id) {
    case TypeId::kBoolean:
    case TypeId::kBigint: return c.map<double>([&](uint32_t i) { return static_cast<double>(c.v.i64[i]); });
    case TypeId::kDecimal: return c.map<double>([&](uint32_t i) { return decimal_to_double(c.number(i), c.v.type.scale); });
    case TypeId::kText: return c.map<double>([&](uint32_t i) { return parse_double(c.text(i)); });
    default: no_cast(c.v.type, c.to);
  }
}

// VARCHAR(n): at most n characters.
void check_length(const Vector& v, const Type& to, uint32_t rows) {
  if (to.length == 0) return;
  for (uint32_t i = 0; i < rows; ++i) {
    if (v.is_null(i)) continue;
    const std::string_view s = v.text_at(i);
    if (s.size() > to.length && utf8_length(s) > to.length) {
      fail(sqlstate::kDataTooLong, "the text has " + std::to_string(utf8_length(s)) + " characters, " + to_string(to) + " takes " + std::to_string(to.length));
    }
  }
}

Vector to_text_type(const Cast& c) {
  if (c.v.lane == Lane::kText) {
    check_length(c.v, c.to, c.rows);
    Vector out = c.v;
    out.type = c.to;
    return out;
  }
  Value one = Value::make_null(c.v.type);
  one.null = false;
  auto* out = c.scratch.array<std::string_view>(c.rows);
  for (uint32_t i = 0; i < c.rows; ++i) {
    out[i] = std::string_view("", 0);
    if (c.v.is_null(i)) continue;
    if (c.v.lane == Lane::kDouble) one.real = c.v.f64[i];
    else one.number = c.number(i);
    out[i] = c.scratch.copy(to_text(one));
  }
  Vector r = make_vector(c.to, static_cast<const std::string_view*>(out), c.v.nulls);
  r.constant = c.v.constant;
  check_length(r, c.to, c.rows);
  return r;
}

Vector to_date(const Cast& c) {
  switch (c.v.type.id) {
    case TypeId::kTimestamp: return c.map<int64_t>([&](uint32_t i) { return floor_days(c.v.i64[i]); });
    case TypeId::kText: return c.map<int64_t>([&](uint32_t i) { return parse_date(c.text(i)); });
    default: no_cast(c.v.type, c.to);
  }
}

Vector to_timestamp(const Cast& c) {
  switch (c.v.type.id) {
    case TypeId::kDate: return c.map<int64_t>([&](uint32_t i) { return c.v.i64[i] * kDayMicroseconds; });
    case TypeId::kText: return c.map<int64_t>([&](uint32_t i) { return parse_timestamp(c.text(i)); });
    default: no_cast(c.v.type, c.to);
  }
}

Vector cast_to(const Cast& c) {
  switch (c.to.id) {
    case TypeId::kNull: return c.v;
    case TypeId::kBoolean: return to_boolean(c);
    case TypeId::kBigint: return to_bigint(c);
    case TypeId::kDecimal: return to_decimal(c);
    case TypeId::kDouble: return to_double(c);
    case TypeId::kText: return to_text_type(c);
    case TypeId::kDate: return to_date(c);
    case TypeId::kTimestamp: return to_timestamp(c);
  }
  CHECK(false);
  return {};
}

}  // namespace

bool cast_can_fail(const Type& from, const Type& to) {
  if (from.id == TypeId::kNull || (from == to && to.length == 0)) return false;
  switch (to.id) {
    case TypeId::kText: return to.length != 0;
    case TypeId::kDouble: return from.id == TypeId::kText;
    case TypeId::kBigint:
    case TypeId::kBoolean: return from.id != TypeId::kBoolean && from.id != TypeId::kBigint;
    case TypeId::kDate: return from.id != TypeId::kTimestamp;
    case TypeId::kTimestamp: return from.id != TypeId::kDate;
    case TypeId::kDecimal: {
      const int digits = from.id == TypeId::kBigint ? 19 : from.id == TypeId::kDecimal ? from.precision - from.scale : 99;
      return from.id == TypeId::kDecimal ? to.scale < from.scale || to.precision - to.scale < digits : to.precision - to.scale < digits;
    }
    default: return true;
  }
}

Vector cast_vector(const Vector& v, const Type& to, int64_t position, uint32_t rows, Scratch& scratch) {
  if (v.constant) rows = 1;
  if (v.type.id == TypeId::kNull || constant_null(v)) return null_vector(to);
  if (v.type == to && to.length == 0) {
    Vector same = v;
    same.type = to;
    return same;
  }
  try {
    return cast_to(Cast{v, to, rows, scratch});
  } catch (Error& error) {
    if (!error.has_position()) error.set_position(position);
    throw;
  }
}

}  // namespace hdb
