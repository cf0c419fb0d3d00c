// sql/number.h: numbers as text.
//
// What:       scan_number() finds the end and the shape of a number; the others give its value.
// Invariants: N1 `1` is an integer, `1.5` `.5` `1.` a decimal, anything with an exponent a double.
//             N2 a double is the correctly rounded value of its text, in any locale; what is too small is zero.
// Callers:    sql/ (lexer, fingerprint, printer); store/ may use parse_double.
// Held by:    src/sql/lexer_test.cc
#pragma once

#include <cstdint>
#include <string_view>

#include "base/int128.h"
#include "sql/tree.h"

namespace hdb::sql {

struct NumberShape {
  LiteralKind kind = LiteralKind::kInteger;  // kInteger, kDecimal, kDouble
  uint32_t integer_digits = 0;               // in front of the point, without leading zeros
  uint32_t scale = 0;                        // behind the point
};

// `at` is a digit, or a point before a digit. Gives the end of the number.
const char* scan_number(const char* at, const char* end, NumberShape& shape);

// The value of [0-9]+ if it fits 64 bits; false otherwise.
bool parse_unsigned(std::string_view digits, uint64_t& value);

// Digits, at most 38 of them significant. Points are skipped.
int128 parse_digits(std::string_view digits);

// `text` is digits with at most one point and at most one exponent. False: beyond the range of a double.
bool parse_double(std::string_view text, double& value);

// The unscaled value of a kDecimal literal.
inline int128 decimal_value(const Literal& literal) { return parse_digits(literal.text); }

// DECIMAL's precision for a literal of that shape: its significant digits, at least its scale, at least 1.
inline uint32_t decimal_precision(const NumberShape& shape) {
  const uint32_t digits = shape.integer_digits + shape.scale;
  return digits == 0 ? 1 : digits;
}

}  // namespace hdb::sql
