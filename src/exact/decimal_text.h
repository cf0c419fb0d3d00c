// exact/decimal_text.h: decimals to and from text and doubles.
//
// What:       parse (exact, rounded once at the type's scale), print with all digits of the scale, convert to and from DOUBLE.
// Invariants: X14 parse(print(v, s)) == v; parsing rounds the text's exact value half away from zero once; 22P02 exactly when
//                 scan_number (X11) refuses the text; 22003 exactly when the rounded value has more digits than the precision.
//             X15 to a double: the nearest one. From a double: its exact binary value, rounded half away from zero at the scale;
//                 NaN and infinities are 22003.
// Callers:    plan/ (literals), exec/ (CAST), shell/ (CSV), engine/. Pure.
// Held by:    spec/exact.md, src/exact/text_test.cc
#pragma once

#include <string>
#include <string_view>

#include "exact/decimal.h"
#include "exact/number_text.h"

namespace hdb {

ParseStatus try_parse_decimal(std::string_view text, DecimalType type, int128& out);
int128 parse_decimal(std::string_view text, DecimalType type);  // 22P02, 22003

// The type that holds the text's value with the digits that it is written with (1.50 is DECIMAL(3,2), 1e2 is DECIMAL(3,0)).
// kOutOfRange if that is over 38 digits or a scale over 38. What a literal or a sniffed CSV field has.
ParseStatus try_decimal_literal(std::string_view text, DecimalType& type, int128& value);

void append_decimal(std::string& out, int128 value, int scale);
std::string decimal_to_text(int128 value, int scale);

double decimal_to_double(int128 value, int scale);
int128 decimal_from_double(double x, DecimalType type);  // 22003
int64_t double_to_int64(double x);                       // CAST: truncates; 22003

}  // namespace hdb
