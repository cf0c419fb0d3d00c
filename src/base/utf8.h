// base/utf8.h: UTF-8 at the boundary: is it valid, how many characters.
//
// What:       utf8_sequence() checks one character; utf8_invalid_at() checks a text, eight ASCII bytes at a time.
// Invariants: U1 overlong forms, surrogates and code points above U+10FFFF are invalid (RFC 3629).
// Callers:    all layers. Thread-safe.
// Held by:    src/base/utf8_test.cc
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/hash.h"

namespace hdb {

// The length in bytes (1 to 4) of the character that starts at `at`, or 0 if the bytes are not valid UTF-8.
inline uint32_t utf8_sequence(const char* at, const char* end) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(at[i]); };
  const auto tail = [&](size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const size_t left = static_cast<size_t>(end - at);
  if (left == 0) return 0;
  const uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead < 0xC2) return 0;  // a stray tail, or an overlong form of ASCII
  if (lead < 0xE0) return left >= 2 && tail(1) ? 2 : 0;
  if (lead < 0xF0) {
    if (left < 3 || !tail(1) || !tail(2)) return 0;
    if (lead == 0xE0 && byte(1) < 0xA0) return 0;  // overlong
    if (lead == 0xED && byte(1) > 0x9F) return 0;  // surrogate
    return 3;
  }
  if (lead > 0xF4 || left < 4 || !tail(1) || !tail(2) || !tail(3)) return 0;
  if (lead == 0xF0 && byte(1) < 0x90) return 0;  // overlong
  if (lead == 0xF4 && byte(1) > 0x8F) return 0;  // above U+10FFFF
  return 4;
}

// The offset of the first byte that is not part of a valid character, or npos.
inline size_t utf8_invalid_at(std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    uint64_t eight;
    while (end - at >= 8 && (std::memcpy(&eight, at, 8), (eight & 0x8080808080808080u) == 0)) at += 8;
    if (at == end) break;
    const uint32_t length = utf8_sequence(at, end);
    if (length == 0) return static_cast<size_t>(at - text.data());
    at += length;
  }
  return std::string_view::npos;
}

// Are all bytes in 1..127? Then the text is valid and holds no NUL: the usual case, decided a word at a time.
inline bool ascii_without_nul(std::string_view text) {
  constexpr uint64_t kHigh = 0x8080808080808080u, kOnes = 0x0101010101010101u;
  const auto plain = [](uint64_t w) { return ((w | (w - kOnes)) & kHigh) == 0; };  // a borrow only comes from a zero byte
  const char* p = text.data();
  size_t left = text.size();
  for (uint64_t w; left >= 8; p += 8, left -= 8) {
    std::memcpy(&w, p, 8);
    if (!plain(w)) return false;
  }
  if (left == 0) return true;
  return plain(left >= 4 ? load_tail(p, left) : load_tail(p, left) | 0x0101010101000000u);
}

// The number of characters of a valid text: its bytes without the tails.
inline size_t utf8_count(std::string_view text) {
  size_t count = 0;
  for (const char c : text) count += (static_cast<uint8_t>(c) & 0xC0) != 0x80;
  return count;
}

}  // namespace hdb
