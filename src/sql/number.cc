#include "sql/number.h"

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <string>

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
  std::string plain;
  plain.reserve(text.size() + 24);
  long long exponent = 0;
  bool after_point = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '.') {
      after_point = true;
    } else if (is_digit(c)) {
      plain += c;
      exponent -= after_point;
    } else {  // e or E: the rest is its exponent. More than nine digits are as good as infinity.
      const std::string rest(text.substr(i + 1));
      const long long stated = std::strtoll(rest.c_str(), nullptr, 10);
      exponent += stated > 999999999 ? 999999999 : stated < -999999999 ? -999999999 : stated;
      break;
    }
  }
  plain += 'e';
  plain += std::to_string(exponent);
  value = std::strtod(plain.c_str(), nullptr);
  return std::isfinite(value);
}

}  // namespace hdb::sql
