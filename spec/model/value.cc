#include "value.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>

namespace model {

Type int_type() { return {Kind::kInt, 0, 0}; }
Type dec_type(int precision, int scale) { return {Kind::kDec, precision, scale}; }
Type simple_type(Kind kind) { return {kind, 0, 0}; }

std::string type_name(const Type& type) {
  switch (type.kind) {
    case Kind::kBool:
      return "BOOLEAN";
    case Kind::kInt:
      return "BIGINT";
    case Kind::kDec:
      return "DECIMAL(" + std::to_string(type.precision) + "," + std::to_string(type.scale) + ")";
    case Kind::kDbl:
      return "DOUBLE";
    case Kind::kText:
      return "TEXT";
    case Kind::kDate:
      return "DATE";
    case Kind::kNull:
      break;
  }
  return "NULL";
}

Value make_bool(bool b) {
  Value v;
  v.kind = Kind::kBool;
  v.n = b ? 1 : 0;
  return v;
}

Value make_int(int64_t n) {
  Value v;
  v.kind = Kind::kInt;
  v.n = n;
  return v;
}

Value make_int_checked(const Big& n) {
  if (n > std::numeric_limits<int64_t>::max() || n < std::numeric_limits<int64_t>::min()) throw Fault{"22003"};
  return make_int(static_cast<int64_t>(n));
}

Value make_dec_checked(const Big& n, int scale) {
  if (abs(n) >= power_of_ten(38)) throw Fault{"22003"};
  Value v;
  v.kind = Kind::kDec;
  v.scale = scale;
  v.n = static_cast<Wide>(n);
  return v;
}

Value make_dbl(double d) {
  Value v;
  v.kind = Kind::kDbl;
  v.d = d;
  return v;
}

Value make_text(std::string s) {
  Value v;
  v.kind = Kind::kText;
  v.s = std::move(s);
  return v;
}

Value make_date(int64_t days) {
  Value v;
  v.kind = Kind::kDate;
  v.n = days;
  return v;
}

Big to_big(Wide n) { return Big(n); }

Big power_of_ten(int exponent) {
  Big p = 1;
  for (int i = 0; i < exponent; ++i) p *= 10;
  return p;
}

Big divide_half_away(const Big& numerator, const Big& denominator) {
  Big n = abs(numerator), d = abs(denominator);
  Big q = (2 * n + d) / (2 * d);
  return (numerator < 0) != (denominator < 0) ? Big(-q) : q;
}

double round_ratio(const Big& numerator, const Big& denominator) {
  if (numerator == 0) return 0.0;
  const Big a = abs(numerator);
  int e = static_cast<int>(msb(a)) - static_cast<int>(msb(denominator));
  // 2^e <= a / denominator < 2^(e+1) after this correction.
  if (e >= 0 ? a < (denominator << e) : (a << -e) < denominator) --e;
  const int unit = std::max(e - 52, -1074);
  const Big n = unit < 0 ? Big(a << -unit) : a;
  const Big d = unit > 0 ? Big(denominator << unit) : denominator;
  Big q = n / d;
  const Big twice = 2 * (n - q * d);
  if (twice > d || (twice == d && (q & 1) != 0)) ++q;
  const double magnitude = std::ldexp(static_cast<double>(static_cast<uint64_t>(q)), unit);
  return numerator < 0 ? -magnitude : magnitude;
}

namespace {

int sign_of(const Big& x) { return x < 0 ? -1 : x > 0 ? 1 : 0; }

template <typename T>
int order(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

std::string big_text(const Big& n) { return n.str(); }

// Howard Hinnant's civil calendar.
int64_t days_from_civil(int64_t y, unsigned m, unsigned d) {
  y -= m <= 2;
  const int64_t era = (y >= 0 ? y : y - 399) / 400;
  const unsigned yoe = static_cast<unsigned>(y - era * 400);
  const unsigned doy = (153 * (m > 2 ? m - 3 : m + 9) + 2) / 5 + d - 1;
  const unsigned doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
  return era * 146097 + static_cast<int64_t>(doe) - 719468;
}

std::string date_text(int64_t days) {
  const int64_t z = days + 719468;
  const int64_t era = (z >= 0 ? z : z - 146096) / 146097;
  const unsigned doe = static_cast<unsigned>(z - era * 146097);
  const unsigned yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
  const unsigned doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
  const unsigned mp = (5 * doy + 2) / 153;
  const unsigned d = doy - (153 * mp + 2) / 5 + 1, m = mp < 10 ? mp + 3 : mp - 9;
  const int64_t y = static_cast<int64_t>(yoe) + era * 400 + (m <= 2);
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%04lld-%02u-%02u", static_cast<long long>(y), m, d);
  return buffer;
}

std::string decimal_text(const Value& v) {
  std::string digits = big_text(abs(to_big(v.n)));
  if (v.scale > 0) {
    while (static_cast<int>(digits.size()) <= v.scale) digits.insert(digits.begin(), '0');
    digits.insert(digits.size() - static_cast<size_t>(v.scale), ".");
  }
  return v.n < 0 ? "-" + digits : digits;
}

std::string double_text(double d) {
  if (std::isnan(d)) return "NaN";
  if (std::isinf(d)) return d > 0 ? "Infinity" : "-Infinity";
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, d);
  std::string text(buffer, end.ptr);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

}  // namespace

int64_t days_from_text(const std::string& text) {
  long long y = 0;
  unsigned m = 0, d = 0;
  if (std::sscanf(text.c_str(), "%lld-%u-%u", &y, &m, &d) != 3) throw Fault{"22007"};
  return days_from_civil(y, m, d);
}

int compare(const Value& a, const Value& b) {
  if (a.kind == Kind::kText) return order(a.s, b.s);
  if (a.kind == Kind::kDbl) return order(a.d, b.d);
  if (a.scale == b.scale) return order(a.n, b.n);
  return sign_of(to_big(a.n) * power_of_ten(b.scale) - to_big(b.n) * power_of_ten(a.scale));
}

std::string key_of(const Value& value) {
  switch (value.kind) {
    case Kind::kNull:
      return "N;";
    case Kind::kText:
      return "T" + std::to_string(value.s.size()) + ":" + value.s;
    case Kind::kDbl:
      return "R" + double_text(value.d == 0 ? 0.0 : value.d) + ";";
    default:
      break;
  }
  Wide n = value.n;
  int scale = value.scale;
  while (scale > 0 && n % 10 == 0) n /= 10, --scale;
  if (n >= INT64_MIN && n <= INT64_MAX) {
    return "I" + std::to_string(static_cast<int64_t>(n)) + "/" + std::to_string(scale) + ";";
  }
  return "I" + big_text(to_big(n)) + "/" + std::to_string(scale) + ";";
}

std::string to_text(const Value& value) {
  switch (value.kind) {
    case Kind::kNull:
      return "NULL";
    case Kind::kBool:
      return value.n != 0 ? "true" : "false";
    case Kind::kInt:
      return std::to_string(static_cast<int64_t>(value.n));
    case Kind::kDec:
      return decimal_text(value);
    case Kind::kDbl:
      return double_text(value.d);
    case Kind::kText:
      return value.s;
    case Kind::kDate:
      return date_text(static_cast<int64_t>(value.n));
  }
  return "";
}

void RealSum::add(double x) {
  if (std::isnan(x)) {
    ++nans_;
  } else if (std::isinf(x)) {
    ++(x > 0 ? positive_infinities_ : negative_infinities_);
  } else if (x != 0) {
    int exponent = 0;
    const double fraction = std::frexp(x, &exponent);  // x = fraction * 2^exponent, |fraction| in [0.5, 1)
    Big m = static_cast<int64_t>(std::ldexp(fraction, 53));
    const int shift = exponent - 53 + 1074;  // a subnormal's low bits are zero, so the right shift is exact
    units_ += shift >= 0 ? Big(m << shift) : Big(m / (Big(1) << -shift));
  }
}

double RealSum::special() const {
  if (nans_ > 0 || (positive_infinities_ > 0 && negative_infinities_ > 0)) return std::numeric_limits<double>::quiet_NaN();
  if (positive_infinities_ > 0) return std::numeric_limits<double>::infinity();
  if (negative_infinities_ > 0) return -std::numeric_limits<double>::infinity();
  return 0;
}

double RealSum::total() const { return average(1); }

double RealSum::average(int64_t count) const {
  const double s = special();
  if (s != 0) return s;  // also NaN
  return round_ratio(units_, Big(count) << 1074);
}

}  // namespace model
