// oracle/engines/exact_token.h: a number as an engine wrote it, and as the ratio of integers that it is.
//
// What:       decimal text, with or without a point and an exponent, becomes a cpp_rational: nothing is rounded.
// Callers:    oracle/engines/.
// Held by:    ci/compare_test
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdlib>
#include <string>

#include "model/value.h"

namespace engines {

using Ratio = boost::multiprecision::cpp_rational;

// false: it is no finite number.
inline bool ratio_from(const std::string& text, Ratio* out) {
  model::Big digits = 0;
  int scale = 0;
  size_t at = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  bool point = false, any = false;
  for (; at < text.size(); ++at) {
    if (text[at] == '.' && !point) {
      point = true;
    } else if (text[at] >= '0' && text[at] <= '9') {
      digits = digits * 10 + (text[at] - '0');
      scale += point ? 1 : 0;
      any = true;
    } else {
      break;
    }
  }
  if (!any) return false;
  if (at < text.size()) {
    if (text[at] != 'e' && text[at] != 'E') return false;
    scale -= std::atoi(text.c_str() + at + 1);
  }
  if (scale > 2000 || scale < -2000) return false;
  if (text[0] == '-') digits = -digits;
  *out = scale >= 0 ? Ratio(digits, model::power_of_ten(scale)) : Ratio(digits * model::power_of_ten(-scale));
  return true;
}
// Equal texts for equal numbers.
inline std::string exact_text(const std::string& text) {
  Ratio ratio;
  return ratio_from(text, &ratio) ? ratio.str() : "?" + text;
}
// The nearest double.
inline double nearest(const Ratio& ratio) { return model::round_ratio(boost::multiprecision::numerator(ratio), boost::multiprecision::denominator(ratio)); }

}  // namespace engines
