#include "exact/number_text.h"

#include "base/error.h"
#include "exact/wide.h"

namespace hdb {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::string_view take_digits(std::string_view text, size_t& at) {
  const size_t start = at;
  while (at < text.size() && is_digit(text[at])) ++at;
  return text.substr(start, at - start);
}

}  // namespace

std::string_view trim_spaces(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

bool scan_number(std::string_view text, NumberText& out) {
  constexpr int64_t kExponentMax = 1'000'000'000'000;
  out = NumberText();
  text = trim_spaces(text);
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    out.negative = text[0] == '-';
    text.remove_prefix(1);
  }
  out.body = text;
  size_t at = 0;
  out.whole = take_digits(text, at);
  if (at < text.size() && text[at] == '.') {
    out.has_point = true;
    ++at;
    out.fraction = take_digits(text, at);
  }
  if (out.whole.empty() && out.fraction.empty()) return false;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    out.has_exponent = true;
    ++at;
    const bool negative = at < text.size() && text[at] == '-';
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
    const std::string_view digits = take_digits(text, at);
    if (digits.empty()) return false;
    for (const char c : digits) {
      if (out.exponent < kExponentMax) out.exponent = out.exponent * 10 + (c - '0');
    }
    if (negative) out.exponent = -out.exponent;
  }
  return at == text.size();
}

ParseStatus try_parse_int64(std::string_view text, int64_t& out) {
  NumberText number;
  if (!scan_number(text, number) || number.has_point || number.has_exponent) return ParseStatus::kInvalid;
  const uint64_t limit = (uint64_t{1} << 63) - (number.negative ? 0 : 1);
  uint64_t value = 0;
  for (const char c : number.whole) {
    const auto digit = static_cast<uint64_t>(c - '0');
    if (value > (limit - digit) / 10) return ParseStatus::kOutOfRange;
    value = value * 10 + digit;
  }
  out = static_cast<int64_t>(number.negative ? uint64_t{0} - value : value);
  return ParseStatus::kOk;
}

int64_t parse_int64(std::string_view text) {
  int64_t value = 0;
  switch (try_parse_int64(text, value)) {
    case ParseStatus::kOk: return value;
    case ParseStatus::kInvalid: fail(sqlstate::kInvalidText, "this text is not an integer");
    case ParseStatus::kOutOfRange: break;
  }
  fail(sqlstate::kOutOfRange, "this integer does not fit BIGINT");
}

void append_int128(std::string& out, int128 v) {
  char buffer[40];
  char* at = buffer + sizeof buffer;
  uint128 rest = magnitude_of(v);
  // Peel off 18 digits at a time: 64-bit divisions are several times cheaper than 128-bit ones.
  constexpr uint64_t kChunk = 1'000'000'000'000'000'000;
  while (rest >= kChunk) {
    auto low = static_cast<uint64_t>(rest % kChunk);
    rest /= kChunk;
    for (int i = 0; i < 18; ++i, low /= 10) *--at = static_cast<char>('0' + low % 10);
  }
  auto low = static_cast<uint64_t>(rest);
  do {
    *--at = static_cast<char>('0' + low % 10);
    low /= 10;
  } while (low != 0);
  if (v < 0) *--at = '-';
  out.append(at, static_cast<size_t>(buffer + sizeof buffer - at));
}

std::string int128_to_text(int128 v) {
  std::string out;
  append_int128(out, v);
  return out;
}

}  // namespace hdb
