// exec/utf8.h: characters of a text, by the first bytes of their sequences.
//
// What:       texts were checked to be UTF-8 when they came in (22021), so a character is a byte and its continuation bytes.
// Callers:    exec/, plan/. Pure.
// Held by:    src/exec/evaluate_test.cc
#pragma once

#include <cstdint>
#include <string_view>

namespace hdb {

inline bool utf8_continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// Where the character after the one at `at` begins.
inline size_t utf8_next(std::string_view text, size_t at) {
  if (at < text.size()) ++at;
  while (at < text.size() && utf8_continues(text[at])) ++at;
  return at;
}

inline uint64_t utf8_length(std::string_view text) {
  uint64_t n = 0;
  for (const char byte : text) n += static_cast<uint64_t>(!utf8_continues(byte));
  return n;
}

// Where character number `n` (from 0) begins, or the end.
inline size_t utf8_offset(std::string_view text, uint64_t n) {
  size_t at = 0;
  for (; n > 0 && at < text.size(); --n) at = utf8_next(text, at);
  return at;
}

inline char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
inline char ascii_upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }

}  // namespace hdb
