// oracle/slt/md5.h: the digest that sqllogictest files name results by.
//
// What:       MD5 of a text as 32 lower-case hexadecimal digits.
// Source:     RFC 1321. A fingerprint of test results here, and of nothing that needs a secure one.
// Callers:    oracle/slt.
// Held by:    oracle/slt/selftest.cc (the vectors of the RFC)
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace slt {

namespace detail {

using Md5State = std::array<uint32_t, 4>;

inline void md5_block(Md5State& state, const uint8_t* bytes) {
  static constexpr uint8_t kShift[16] = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};
  static const std::array<uint32_t, 64> kSine = [] {
    std::array<uint32_t, 64> out{};
    for (size_t i = 0; i < 64; ++i) out[i] = static_cast<uint32_t>(std::floor(std::fabs(std::sin(static_cast<double>(i + 1))) * 4294967296.0));
    return out;
  }();
  uint32_t words[16];
  std::memcpy(words, bytes, sizeof words);  // little-endian, as is every machine that the engine runs on
  uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
  for (uint32_t i = 0; i < 64; ++i) {
    uint32_t f = 0, word = 0;
    switch (i / 16) {
      case 0:
        f = (b & c) | (~b & d), word = i;
        break;
      case 1:
        f = (d & b) | (~d & c), word = (5 * i + 1) % 16;
        break;
      case 2:
        f = b ^ c ^ d, word = (3 * i + 5) % 16;
        break;
      default:
        f = c ^ (b | ~d), word = 7 * i % 16;
    }
    const uint32_t next = b + std::rotl(a + f + kSine[i] + words[word], kShift[i / 16 * 4 + i % 4]);
    a = d, d = c, c = b, b = next;
  }
  state[0] += a, state[1] += b, state[2] += c, state[3] += d;
}

}  // namespace detail

inline std::string md5(std::string_view text) {
  detail::Md5State state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  std::string padded(text);
  padded += '\x80';
  while (padded.size() % 64 != 56) padded += '\0';
  const uint64_t bits = uint64_t{text.size()} * 8;
  for (int i = 0; i < 8; ++i) padded += static_cast<char>(bits >> (8 * i));
  for (size_t at = 0; at < padded.size(); at += 64) detail::md5_block(state, reinterpret_cast<const uint8_t*>(padded.data()) + at);
  std::string out;
  for (const uint32_t word : state) {
    for (uint32_t i = 0; i < 32; i += 8) {
      out += "0123456789abcdef"[word >> (i + 4) & 15];
      out += "0123456789abcdef"[word >> i & 15];
    }
  }
  return out;
}

}  // namespace slt
