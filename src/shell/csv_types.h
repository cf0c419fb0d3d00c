// shell/csv_types.h: which type a CSV column has, and whether a text is a value of a type.
//
// What:       CsvSniffer looks at every field of a column and gives the narrowest type that holds all of them without losing a
//             digit; check_value() says why a text is not a value of a column that exists already.
//             parse_units() turns what is written plainly into the number that the column keeps.
// Rules:      BIGINT: digits, with '-', that fit 64 bits; a leading zero, a plus, or "-0" is not a number (it would not come back
//             as it was). DECIMAL(p,s): digits with a point, p <= 18; DOUBLE: an exponent, or more than 18 digits of the column in
//             all, but only while every number in it comes back digit for digit from the double (else TEXT keeps it). DATE: YYYY-MM-DD. TIMESTAMP: a date, a blank or
//             'T', HH:MM[:SS[.ffffff]]; dates among timestamps are midnights. BOOLEAN: true and false. Else TEXT; also where
//             all fields are NULL, or one is "".
// Invariants: T1 a field that the sniffer has seen is a value of the type that it gives (check_value() agrees).
//             T2 a CsvWatch says no at the latest at the field with which a sniffer that has seen all of them would give another type.
// Callers:    shell/csv_import.cc, fuzz/. Sniffer and watch: one owner.
// Held by:    src/shell/csv_types_test.cc
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "shell/csv_reader.h"

namespace hdb::shell {

enum class CsvType { kBigint, kDecimal, kDouble, kBoolean, kDate, kTimestamp, kText };

struct CsvColumnType {
  CsvType type = CsvType::kText;
  int precision = 0;  // of DECIMAL
  int scale = 0;

  std::string sql() const;  // "DECIMAL(9,2)"
  bool operator==(const CsvColumnType&) const = default;
};

class CsvSniffer {
 public:
  static constexpr int kDecimalDigitsMax = 18;  // of a stored DECIMAL

  void add(const CsvField& field);
  // What the other has seen as well: the order does not matter.
  void merge(const CsvSniffer& other);
  CsvColumnType result() const;
  // TEXT whatever comes.
  bool settled() const { return !numbers_ && !booleans_ && !times_; }

 private:
  void add_number(std::string_view text);

  bool any_ = false;  // a field that is not NULL
  bool numbers_ = true;
  bool booleans_ = true;
  bool times_ = true;          // dates or timestamps
  bool any_timestamp_ = false;
  bool any_point_ = false;
  bool any_exponent_ = false;
  bool any_finite_ = false;
  bool wide_integer_ = false;  // beyond 2^53: would lose digits as a double
  bool inexact_ = false;       // a number with a point that a double does not give back digit for digit
  int whole_digits_ = 0;
  int fraction_digits_ = 0;
};

// A column whose type is that of its first fields: does it hold for the others, so that they need not be looked at twice?
class CsvWatch {
 public:
  explicit CsvWatch(const CsvSniffer& first) : sniffer_(first), type_(first.result()), settled_(first.settled()) {}
  const CsvColumnType& type() const { return type_; }

  // False: the type is another one from this field on, which is not NULL.
  bool holds(const CsvField& field) {
    if (settled_) return true;
    sniffer_.add(field);
    return sniffer_.result() == type_;
  }
  // The same for a field that parse_units() has taken for this type: what it looks like is known.
  bool holds_plain(const CsvField& field, int64_t units) {
    const std::string_view text = field.text;
    const bool number = type_.type == CsvType::kBigint || type_.type == CsvType::kDecimal;
    if (number && text[0] != '0' && text[0] != '-') return true;
    if (number && text[0] == '0' && (text.size() == 1 || text[1] == '.')) return true;
    if (number && text[0] == '-' && units != 0 && (text[1] != '0' || text[2] == '.')) return true;
    if (type_.type == CsvType::kDate || type_.type == CsvType::kTimestamp) return true;
    return holds(field);
  }

 private:
  CsvSniffer sniffer_;
  CsvColumnType type_;
  bool settled_;
};

// The parts of [-]digits[.digits][e[+-]digits]; ok is false for anything else.
struct NumberShape {
  bool ok = false;
  bool negative = false;
  bool leading_zero = false;  // "007", "00.5"; not "0" or "0.5"
  bool exponent = false;
  std::string_view whole;     // may be empty: ".5"
  std::string_view fraction;  // digits after the point
  bool point = false;
};
NumberShape number_shape(std::string_view text);

bool parse_int64(std::string_view text, int64_t* value);   // [+-]digits that fit
bool parse_double(std::string_view text, double* value);   // a number that does not overflow; also NaN, [-]Infinity
bool parse_boolean(std::string_view text, bool* value);    // true, false, t, f, 1, 0, without case
bool is_date(std::string_view text);
bool is_timestamp(std::string_view text);
// "2026-11-30T12:00" -> "2026-11-30 12:00:00"; a date becomes its midnight.
std::string normal_timestamp(std::string_view text);

// The number that a BIGINT, DECIMAL, BOOLEAN, DATE or TIMESTAMP column keeps for a text in its plain form ("-12", "1.50", "2026-11-30 12:00:00"; see
// holodb_append_units). False: another form, another type, or no such value; ask check_value().
bool parse_units(std::string_view text, const CsvColumnType& type, int64_t* units);

// Empty if the text is a value of the type, else the reason, as the end of a sentence: "is not a whole number".
std::string check_value(std::string_view text, const CsvColumnType& type);

}  // namespace hdb::shell
