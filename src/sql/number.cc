#include "sql/number.h"

#include <fast_float/fast_float.h>

#include <cmath>

namespace hdb::sql {
namespace {
bool is_digit(char c) { return c >= '0' && c <= '9'; }
}  // namespace

const char* scan_number(const char* at, const char* end, NumberShape& shape) {
  shape = NumberShape{};
  while (at != end && *at == '0') ++at;
  const char* mark = at;
  while (at != end && is_digit(*at)) ++at;
  shape.integer_digits = static_cast<uint32_t>(at - mark);
  if (at != end && *at == '.') {
    shape.kind = LiteralKind::kDecimal;
    mark = ++at;
    while (at != end && is_digit(*at)) ++at;
    shape.scale = static_cast<uint32_t>(at - mark);
  }
  if (at != end && (*at | 0x20) == 'e') {
    const char* exponent = at + 1;
    if (exponent != end && (*exponent == '+' || *exponent == '-')) ++exponent;
    if (exponent != end && is_digit(*exponent)) {
      while (exponent != end && is_digit(*exponent)) ++exponent;
      shape.kind = LiteralKind::kDouble;
      at = exponent;
    }
  }
  return at;
}

bool parse_unsigned(std::string_view digits, uint64_t& value) {
  uint64_t total = 0;
  for (const char c : digits) {
    const uint64_t digit = static_cast<uint64_t>(c - '0');
    if (__builtin_mul_overflow(total, uint64_t{10}, &total) || __builtin_add_overflow(total, digit, &total)) return false;
  }
  value = total;
  return true;
}

int128 parse_digits(std::string_view digits) {
  int128 total = 0;
  for (const char c : digits) {
    if (is_digit(c)) total = total * 10 + (c - '0');
  }
  return total;
}

bool parse_double(std::string_view text, double& value) {
  // fast_float reports what is too small as out of range in some versions; that is a zero, and fine.
  fast_float::from_chars(text.data(), text.data() + text.size(), value);
  return std::isfinite(value);
}

}  // namespace hdb::sql
