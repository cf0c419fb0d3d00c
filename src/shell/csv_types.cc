#include "shell/csv_types.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace hdb::shell {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view take_digits(std::string_view* text) {
  size_t count = 0;
  while (count < text->size() && is_digit((*text)[count])) ++count;
  const std::string_view digits = text->substr(0, count);
  text->remove_prefix(count);
  return digits;
}

bool equal_without_case(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] + 32) : text[i];
    if (c != lower[i]) return false;
  }
  return true;
}

int two_digits(std::string_view text, size_t at) { return (text[at] - '0') * 10 + (text[at + 1] - '0'); }

bool all_digits(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_digit); }

bool is_special_double(std::string_view text) { return text == "NaN" || text == "Infinity" || text == "-Infinity"; }

// HH:MM[:SS[.f{1,6}]]
bool is_time(std::string_view text) {
  if (text.size() < 5 || text[2] != ':' || !all_digits(text.substr(0, 2)) || !all_digits(text.substr(3, 2))) return false;
  if (two_digits(text, 0) > 23 || two_digits(text, 3) > 59) return false;
  if (text.size() == 5) return true;
  if (text.size() < 8 || text[5] != ':' || !all_digits(text.substr(6, 2)) || two_digits(text, 6) > 59) return false;
  if (text.size() == 8) return true;
  return text[8] == '.' && text.size() <= 15 && all_digits(text.substr(9));
}

}  // namespace

std::string CsvColumnType::sql() const {
  switch (type) {
    case CsvType::kBigint: return "BIGINT";
    case CsvType::kDecimal: return "DECIMAL(" + std::to_string(precision) + "," + std::to_string(scale) + ")";
    case CsvType::kDouble: return "DOUBLE";
    case CsvType::kBoolean: return "BOOLEAN";
    case CsvType::kDate: return "DATE";
    case CsvType::kTimestamp: return "TIMESTAMP";
    case CsvType::kText: break;
  }
  return "TEXT";
}

NumberShape number_shape(std::string_view text) {
  NumberShape shape;
  if (text.starts_with('-')) {
    shape.negative = true;
    text.remove_prefix(1);
  }
  shape.whole = take_digits(&text);
  shape.leading_zero = shape.whole.size() > 1 && shape.whole[0] == '0';
  if (text.starts_with('.')) {
    shape.point = true;
    text.remove_prefix(1);
    shape.fraction = take_digits(&text);
    if (shape.fraction.empty()) return shape;
  }
  if (shape.whole.empty() && !shape.point) return shape;
  if (text.starts_with('e') || text.starts_with('E')) {
    shape.exponent = true;
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    if (take_digits(&text).empty()) return shape;
  }
  shape.ok = text.empty();
  return shape;
}

bool parse_int64(std::string_view text, int64_t* value) {
  bool negative = false;
  if (text.starts_with('-') || text.starts_with('+')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  if (!all_digits(text)) return false;
  const uint64_t limit = static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) + (negative ? 1 : 0);
  uint64_t total = 0;
  for (const char c : text) {
    const auto digit = static_cast<uint64_t>(c - '0');
    if (total > (limit - digit) / 10) return false;
    total = total * 10 + digit;
  }
  *value = static_cast<int64_t>(negative ? 0 - total : total);
  return true;
}

bool parse_double(std::string_view text, double* value) {
  const bool plus = text.starts_with('+');
  if (!is_special_double(text) && !number_shape(plus ? text.substr(1) : text).ok) return false;
  const std::string terminated(text);
  *value = std::strtod(terminated.c_str(), nullptr);
  return is_special_double(text) || std::isfinite(*value);
}

bool parse_boolean(std::string_view text, bool* value) {
  *value = equal_without_case(text, "true") || equal_without_case(text, "t") || text == "1";
  return *value || equal_without_case(text, "false") || equal_without_case(text, "f") || text == "0";
}

bool is_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  if (!all_digits(text.substr(0, 4)) || !all_digits(text.substr(5, 2)) || !all_digits(text.substr(8, 2))) return false;
  const int year = two_digits(text, 0) * 100 + two_digits(text, 2);
  const int month = two_digits(text, 5);
  const int day = two_digits(text, 8);
  static constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (year < 1 || month < 1 || month > 12 || day < 1) return false;
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return day <= kDays[month - 1] + (month == 2 && leap ? 1 : 0);
}

bool is_timestamp(std::string_view text) {
  return text.size() >= 16 && (text[10] == ' ' || text[10] == 'T') && is_date(text.substr(0, 10)) && is_time(text.substr(11));
}

std::string normal_timestamp(std::string_view text) {
  std::string normal(text);
  if (normal.size() == 10) return normal + " 00:00:00";
  normal[10] = ' ';
  if (normal.size() == 16) normal += ":00";
  return normal;
}

void CsvSniffer::add(const CsvField& field) {
  if (field.is_null()) return;
  any_ = true;
  if (!numbers_ && !booleans_ && !times_) return;
  const std::string_view text = field.text;
  if (numbers_ && text.size() <= 15 && all_digits(text) && (text[0] != '0' || text.size() == 1)) {
    any_finite_ = true;
    whole_digits_ = std::max(whole_digits_, text == "0" ? 0 : static_cast<int>(text.size()));
    booleans_ = times_ = false;
    return;
  }
  if (numbers_) add_number(text);
  if (booleans_) booleans_ = equal_without_case(text, "true") || equal_without_case(text, "false");
  if (times_) {
    const bool timestamp = is_timestamp(text);
    any_timestamp_ |= timestamp;
    times_ = timestamp || is_date(text);
  }
}

namespace {

// Does the shortest text of the double have the digits of the number, but for zeros at either end? Up to 15 digits always do.
bool comes_back(const NumberShape& shape, double value) {
  std::string digits = std::string(shape.whole) + std::string(shape.fraction);
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  while (!digits.empty() && digits.back() == '0') digits.pop_back();
  if (digits.size() <= 15) return true;
  if (digits.size() > 17) return false;
  char text[40];
  for (int precision = 15; precision <= 17; ++precision) {
    std::snprintf(text, sizeof text, "%.*e", precision - 1, std::fabs(value));
    if (std::strtod(text, nullptr) != std::fabs(value)) continue;
    std::string shortest;
    for (const char* c = text; *c != 'e'; ++c) {
      if (is_digit(*c)) shortest += *c;
    }
    while (!shortest.empty() && shortest.back() == '0') shortest.pop_back();
    return shortest == digits;
  }
  return false;
}

}  // namespace

void CsvSniffer::merge(const CsvSniffer& other) {
  any_ |= other.any_;
  numbers_ &= other.numbers_;
  booleans_ &= other.booleans_;
  times_ &= other.times_;
  any_timestamp_ |= other.any_timestamp_;
  any_point_ |= other.any_point_;
  any_exponent_ |= other.any_exponent_;
  any_finite_ |= other.any_finite_;
  wide_integer_ |= other.wide_integer_;
  inexact_ |= other.inexact_;
  whole_digits_ = std::max(whole_digits_, other.whole_digits_);
  fraction_digits_ = std::max(fraction_digits_, other.fraction_digits_);
}

void CsvSniffer::add_number(std::string_view text) {
  if (is_special_double(text)) {
    any_exponent_ = true;
    return;
  }
  const NumberShape shape = number_shape(text);
  double as_double = 0;
  if (!shape.ok || shape.leading_zero || (shape.exponent && !parse_double(text, &as_double))) {
    numbers_ = false;
    return;
  }
  any_finite_ = true;
  any_exponent_ |= shape.exponent;
  if (shape.exponent) return;
  const int whole = shape.whole == "0" ? 0 : static_cast<int>(std::min<size_t>(shape.whole.size(), 100));
  whole_digits_ = std::max(whole_digits_, whole);
  if (shape.point) {
    any_point_ = true;
    fraction_digits_ = std::max(fraction_digits_, static_cast<int>(std::min<size_t>(shape.fraction.size(), 400)));
    const bool zero = text.find_first_of("123456789") == std::string_view::npos;
    if (shape.negative && zero) any_exponent_ = true;  // "-0.0" keeps its sign as a double only
    if (!parse_double(text, &as_double)) numbers_ = false;
    inexact_ = inexact_ || !comes_back(shape, as_double);
    return;
  }
  int64_t value = 0;
  if (!parse_int64(text, &value) || (shape.negative && value == 0)) {
    numbers_ = false;
  } else {
    wide_integer_ |= value > (int64_t{1} << 53) || value < -(int64_t{1} << 53);
  }
}

CsvColumnType CsvSniffer::result() const {
  if (!any_) return {};
  if (booleans_) return {CsvType::kBoolean, 0, 0};
  if (times_) return {any_timestamp_ ? CsvType::kTimestamp : CsvType::kDate, 0, 0};
  if (!numbers_ || !any_finite_) return {};
  if (!any_point_ && !any_exponent_) return {CsvType::kBigint, 0, 0};
  const int precision = std::max(whole_digits_ + fraction_digits_, 1);
  if (!any_exponent_ && precision <= kDecimalDigitsMax) return {CsvType::kDecimal, precision, fraction_digits_};
  if (wide_integer_ || (inexact_ && !any_exponent_)) return {};
  return {CsvType::kDouble, 0, 0};
}

namespace {

std::string check_decimal(std::string_view text, const CsvColumnType& type) {
  const NumberShape shape = number_shape(text.starts_with('+') ? text.substr(1) : text);
  if (!shape.ok || shape.exponent) return "is not a decimal number";
  const size_t zeros = std::min(shape.whole.find_first_not_of('0'), shape.whole.size());
  if (static_cast<int>(shape.whole.size() - zeros) > type.precision - type.scale) return "does not fit " + type.sql();
  const size_t last = shape.fraction.find_last_not_of('0');
  const size_t digits = last == std::string_view::npos ? 0 : last + 1;
  if (static_cast<int>(digits) > type.scale) {
    return "has more than " + std::to_string(type.scale) + (type.scale == 1 ? " digit" : " digits") + " after the point";
  }
  return "";
}

}  // namespace

namespace {

constexpr int64_t kMicrosecondsOfDay = 86'400'000'000;

// Howard Hinnant's days_from_civil (public domain), for the years 1 to 9999.
int64_t days_of(int year, int month, int day) {
  year -= month <= 2 ? 1 : 0;
  const int era = year / 400, of_era = year % 400;
  const int of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  return int64_t{era} * 146'097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719'468;
}

// Two digits after the other; whether all of them were digits is asked at the end.
class DigitPairs {
 public:
  explicit DigitPairs(std::string_view text) : text_(text) {}
  int at(size_t place) {
    const auto tens = static_cast<unsigned>(text_[place] - '0'), ones = static_cast<unsigned>(text_[place + 1] - '0');
    wrong_ |= static_cast<unsigned>(tens > 9) | static_cast<unsigned>(ones > 9);
    return static_cast<int>(tens * 10 + ones);
  }
  bool good() const { return wrong_ == 0; }

 private:
  std::string_view text_;
  unsigned wrong_ = 0;
};

// YYYY-MM-DD, as is_date() has it.
bool date_units(std::string_view text, int64_t* days) {
  if (text.size() < 10 || text[4] != '-' || text[7] != '-') return false;
  DigitPairs pairs(text);
  const int year = pairs.at(0) * 100 + pairs.at(2), month = pairs.at(5), day = pairs.at(8);
  if (!pairs.good() || year < 1 || month < 1 || month > 12 || day < 1) return false;
  if (day > 28 && !is_date(text.substr(0, 10))) return false;
  *days = days_of(year, month, day);
  return true;
}

// YYYY-MM-DD HH:MM:SS, also with a 'T'.
bool timestamp_units(std::string_view text, int64_t* units) {
  if (text.size() != 19 || (text[10] != ' ' && text[10] != 'T') || text[13] != ':' || text[16] != ':') return false;
  DigitPairs pairs(text);
  const int hour = pairs.at(11), minute = pairs.at(14), second = pairs.at(17);
  int64_t days = 0;
  if (!pairs.good() || hour > 23 || minute > 59 || second > 59 || !date_units(text, &days)) return false;
  *units = days * kMicrosecondsOfDay + ((hour * 60 + minute) * int64_t{60} + second) * 1'000'000;
  return true;
}

// [-]digits with at most 18 digits.
bool integer_units(std::string_view text, int64_t* units) {
  const size_t first = text.starts_with('-') ? 1 : 0;
  if (text.size() == first || text.size() > first + 18) return false;
  int64_t total = 0;
  for (size_t i = first; i < text.size(); ++i) {
    const auto digit = static_cast<unsigned>(text[i] - '0');
    if (digit > 9) return false;
    total = total * 10 + digit;
  }
  *units = first == 1 ? -total : total;
  return true;
}

// [-]digits[.digits] with at most 18 digits, of which at most type.scale behind the point.
bool decimal_units(std::string_view text, const CsvColumnType& type, int64_t* units) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const std::string_view whole = take_digits(&text);
  if (whole.empty() || static_cast<int>(whole.size()) > std::max(type.precision - type.scale, 1)) return false;
  if (type.precision == type.scale && whole != "0") return false;
  std::string_view fraction;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = take_digits(&text);
    if (fraction.empty()) return false;
  }
  if (!text.empty() || static_cast<int>(fraction.size()) > type.scale) return false;
  int64_t total = 0;
  for (const char c : whole) total = total * 10 + (c - '0');
  for (const char c : fraction) total = total * 10 + (c - '0');
  for (int i = static_cast<int>(fraction.size()); i < type.scale; ++i) total *= 10;
  *units = negative ? -total : total;
  return true;
}

}  // namespace

bool parse_units(std::string_view text, const CsvColumnType& type, int64_t* units) {
  bool boolean = false;
  switch (type.type) {
    case CsvType::kBigint: return integer_units(text, units);
    case CsvType::kDecimal: return decimal_units(text, type, units);
    case CsvType::kBoolean:
      if (!parse_boolean(text, &boolean)) return false;
      *units = boolean ? 1 : 0;
      return true;
    case CsvType::kDate: return text.size() == 10 && date_units(text, units);
    case CsvType::kTimestamp: return timestamp_units(text, units);
    case CsvType::kDouble:
    case CsvType::kText: break;
  }
  return false;
}

std::string check_value(std::string_view text, const CsvColumnType& type) {
  int64_t integer = 0;
  double real = 0;
  bool boolean = false;
  switch (type.type) {
    case CsvType::kBigint: return parse_int64(text, &integer) ? "" : "is not a whole number that fits BIGINT";
    case CsvType::kDecimal: return check_decimal(text, type);
    case CsvType::kDouble: return parse_double(text, &real) ? "" : "is not a number that fits DOUBLE";
    case CsvType::kBoolean: return parse_boolean(text, &boolean) ? "" : "is not true or false";
    case CsvType::kDate: return is_date(text) ? "" : "is not a date (YYYY-MM-DD)";
    case CsvType::kTimestamp:
      return is_timestamp(text) || is_date(text) ? "" : "is not a time (YYYY-MM-DD HH:MM:SS)";
    case CsvType::kText: break;
  }
  return "";
}

}  // namespace hdb::shell
