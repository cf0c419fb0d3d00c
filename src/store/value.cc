#include "store/value.h"

#include <algorithm>

#include "base/error.h"
#include "exact/decimal_text.h"
#include "exact/double_text.h"

namespace hdb {

namespace {

constexpr int64_t kSecond = 1'000'000, kMinute = 60 * kSecond, kHour = 60 * kMinute, kDay = 24 * kHour;

// Reads exactly `digits` decimal digits at *at, and moves on.
bool read_digits(std::string_view text, size_t* at, int digits, int64_t* out) {
  *out = 0;
  for (int i = 0; i < digits; ++i, ++*at) {
    if (*at >= text.size() || text[*at] < '0' || text[*at] > '9') return false;
    *out = *out * 10 + (text[*at] - '0');
  }
  return true;
}
bool skip(std::string_view text, size_t* at, char c) {
  if (*at >= text.size() || text[*at] != c) return false;
  ++*at;
  return true;
}

[[noreturn]] void fail_format(std::string_view text, const char* what) {
  fail(sqlstate::kDatetimeFormat, "\"" + std::string(text.substr(0, 60)) + "\" is not a " + what);
}

int64_t read_date(std::string_view text, size_t* at, const char* what) {
  int64_t year = 0, month = 0, day = 0;
  if (!read_digits(text, at, 4, &year) || !skip(text, at, '-') || !read_digits(text, at, 2, &month) || !skip(text, at, '-') ||
      !read_digits(text, at, 2, &day))
    fail_format(text, what);
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > kDays[month - 1] + (leap && month == 2 ? 1 : 0))
    fail(sqlstate::kDatetimeRange, "\"" + std::string(text.substr(0, 60)) + "\" has no such day");
  return days_from_civil(year, static_cast<unsigned>(month), static_cast<unsigned>(day));
}

void append_padded(std::string& out, int64_t v, size_t digits) {
  const std::string s = std::to_string(v);
  out.append(digits > s.size() ? digits - s.size() : 0, '0');
  out += s;
}

}  // namespace

// Algorithms: Howard Hinnant, "chrono-compatible low-level date algorithms" (days_from_civil, civil_from_days).
int64_t days_from_civil(int64_t y, unsigned m, unsigned d) {
  y -= m <= 2 ? 1 : 0;
  const int64_t era = (y >= 0 ? y : y - 399) / 400;
  const auto yoe = static_cast<unsigned>(y - era * 400);
  const unsigned doy = (153 * (m > 2 ? m - 3 : m + 9) + 2) / 5 + d - 1;
  const unsigned doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
  return era * 146097 + static_cast<int64_t>(doe) - 719468;
}

CivilDate civil_from_days(int64_t z) {
  z += 719468;
  const int64_t era = (z >= 0 ? z : z - 146096) / 146097;
  const auto doe = static_cast<unsigned>(z - era * 146097);
  const unsigned yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
  const unsigned doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
  const unsigned mp = (5 * doy + 2) / 153;
  const unsigned month = mp < 10 ? mp + 3 : mp - 9;
  return {static_cast<int64_t>(yoe) + era * 400 + (month <= 2 ? 1 : 0), month, doy - (153 * mp + 2) / 5 + 1};
}

int64_t parse_date(std::string_view text) {
  text = trim_spaces(text);
  size_t at = 0;
  const int64_t days = read_date(text, &at, "date (YYYY-MM-DD)");
  if (at != text.size()) fail_format(text, "date (YYYY-MM-DD)");
  return days;
}

int64_t parse_timestamp(std::string_view text) {
  constexpr char kWhat[] = "timestamp (YYYY-MM-DD HH:MM:SS[.ffffff])";
  text = trim_spaces(text);
  size_t at = 0;
  const int64_t days = read_date(text, &at, kWhat);
  int64_t hour = 0, minute = 0, second = 0, fraction = 0;
  if (at < text.size()) {
    if (!skip(text, &at, ' ') && !skip(text, &at, 'T')) fail_format(text, kWhat);
    if (!read_digits(text, &at, 2, &hour) || !skip(text, &at, ':') || !read_digits(text, &at, 2, &minute)) fail_format(text, kWhat);
    if (skip(text, &at, ':') && !read_digits(text, &at, 2, &second)) fail_format(text, kWhat);
    if (skip(text, &at, '.')) {
      int digits = 0;
      for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at, ++digits) {
        if (digits < 6) fraction = fraction * 10 + (text[at] - '0');
        else if (text[at] != '0') fail_format(text, "timestamp with at most 6 digits of a second");
      }
      if (digits == 0) fail_format(text, kWhat);
      for (; digits < 6; ++digits) fraction *= 10;
    }
  }
  if (at != text.size()) fail_format(text, kWhat);
  if (hour > 23 || minute > 59 || second > 59)
    fail(sqlstate::kDatetimeRange, "\"" + std::string(text.substr(0, 60)) + "\" has no such time of day");
  return days * kDay + hour * kHour + minute * kMinute + second * kSecond + fraction;
}

std::string date_text(int64_t days) {
  const CivilDate d = civil_from_days(days);
  std::string out;
  append_padded(out, d.year, 4);
  out += '-';
  append_padded(out, d.month, 2);
  out += '-';
  append_padded(out, d.day, 2);
  return out;
}

std::string timestamp_text(int64_t microseconds) {
  int64_t days = microseconds / kDay, rest = microseconds % kDay;
  if (rest < 0) {
    rest += kDay;
    --days;
  }
  std::string out = date_text(days) + ' ';
  append_padded(out, rest / kHour, 2);
  out += ':';
  append_padded(out, rest / kMinute % 60, 2);
  out += ':';
  append_padded(out, rest / kSecond % 60, 2);
  if (const int64_t fraction = rest % kSecond; fraction != 0) {
    out += '.';
    append_padded(out, fraction, 6);
    while (out.back() == '0') out.pop_back();
  }
  return out;
}

std::string to_text(const Value& value) {
  if (value.null) return {};
  switch (value.type.id) {
    case TypeId::kNull: return {};
    case TypeId::kBoolean: return value.number != 0 ? "true" : "false";
    case TypeId::kBigint: return int128_to_text(value.number);
    case TypeId::kDecimal: return decimal_to_text(value.number, value.type.scale);
    case TypeId::kDouble: return double_to_text(value.real);
    case TypeId::kText: return value.text;
    case TypeId::kDate: return date_text(value.int64());
    case TypeId::kTimestamp: return timestamp_text(value.int64());
  }
  return {};
}

}  // namespace hdb
