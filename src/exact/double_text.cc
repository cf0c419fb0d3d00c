#include "exact/double_text.h"

#ifndef FMT_HEADER_ONLY
#define FMT_HEADER_ONLY
#endif
#include <fast_float/fast_float.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/error.h"

namespace hdb {
namespace {

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (static_cast<char>(text[i] | 0x20) != lower[i]) return false;
  }
  return true;
}

}  // namespace

void append_double(std::string& out, double x) {
  if (std::isnan(x)) {
    out += "NaN";
  } else if (std::isinf(x)) {
    out += x < 0 ? "-Infinity" : "Infinity";
  } else {
    char buffer[40];
    const auto end = fmt::format_to_n(buffer, sizeof buffer, "{}", x);
    const std::string_view text(buffer, end.size);
    out += text;
    if (text.find_first_of(".e") == std::string_view::npos) out += ".0";
  }
}

std::string double_to_text(double x) {
  std::string out;
  append_double(out, x);
  return out;
}

ParseStatus try_parse_double(std::string_view text, double& out) {
  NumberText number;
  if (!scan_number(text, number)) {
    std::string_view word = trim_spaces(text);
    if (equals_ignoring_case(word, "nan")) {
      out = std::numeric_limits<double>::quiet_NaN();
      return ParseStatus::kOk;
    }
    const bool negative = !word.empty() && word[0] == '-';
    if (negative || (!word.empty() && word[0] == '+')) word.remove_prefix(1);
    if (!equals_ignoring_case(word, "inf") && !equals_ignoring_case(word, "infinity")) return ParseStatus::kInvalid;
    out = negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    return ParseStatus::kOk;
  }
  // fast_float reports too large and too small numbers as out of range in some versions, and as what they round to in others.
  double magnitude = 0;
  fast_float::from_chars(number.body.data(), number.body.data() + number.body.size(), magnitude);
  if (std::isinf(magnitude)) return ParseStatus::kOutOfRange;
  out = number.negative ? -magnitude : magnitude;
  return ParseStatus::kOk;
}

double parse_double(std::string_view text) {
  double value = 0;
  switch (try_parse_double(text, value)) {
    case ParseStatus::kOk: return value;
    case ParseStatus::kInvalid: fail(sqlstate::kInvalidText, "this text is not a number");
    case ParseStatus::kOutOfRange: break;
  }
  fail(sqlstate::kOutOfRange, "this number is beyond the largest DOUBLE");
}

}  // namespace hdb
