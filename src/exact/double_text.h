// exact/double_text.h: doubles to and from text.
//
// What:       the shortest text that reads back equal, always with a point or an exponent: 3.0, 0.5, -0.0, 1e+100, 1e-05,
//             Infinity, -Infinity, NaN. Plain digits from 1e-04 up to below 1e+16, an exponent of at least two digits outside.
// Invariants: X16 parse_double(double_to_text(x)) == x bit for bit (any NaN reads back as a NaN), and no shorter digits do.
//             X17 parsing rounds to the nearest double, half to even; 22P02 exactly when the text is neither a number (X11) nor
//                 [+-]inf, [+-]infinity, nan in any case; 22003 when a finite number rounds beyond the largest double; what is too
//                 small is a zero with the sign.
// Callers:    plan/ (literals), exec/ (CAST), shell/, engine/. Pure; does not look at the locale.
// Held by:    spec/exact.md, src/exact/text_test.cc
#pragma once

#include <string>
#include <string_view>

#include "exact/number_text.h"

namespace hdb {

void append_double(std::string& out, double x);
std::string double_to_text(double x);

ParseStatus try_parse_double(std::string_view text, double& out);
double parse_double(std::string_view text);  // 22P02, 22003

}  // namespace hdb
