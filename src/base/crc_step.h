// base/crc_step.h: the steps of CRC-32C: by the bit, by the byte, by eight bytes.
//
// What:       crc_bit() is the definition (polynomial 0x1EDC6F41, reflected); kCrcTables are so many of it at once; crc_eight() takes eight bytes by
//             eight look-ups ("slicing by 8", Kounavis and Berry 2005).
// Invariants: Q1 one step by the byte is eight by the bit, one by eight bytes is eight by the byte.
// Callers:    base/checksum.cc. Thread-safe (no state).
// Held by:    spec/proofs/crc.cc, src/base/checksum_test.cc
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace hdb {

inline constexpr uint32_t kCrcPolynomial = 0x82F63B78u;  // reflected

// Without a branch, so that the proof has one path.
template <class Word>
constexpr Word crc_bit(Word c) {
  return (c >> Word(1)) ^ (Word(kCrcPolynomial) & (Word(0) - (c & Word(1))));
}

// c after 8 * (n + 1) bits, if nothing but this byte was in it.
using CrcTables = std::array<std::array<uint32_t, 256>, 8>;
constexpr CrcTables make_crc_tables() {
  CrcTables t{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t c = i;
    for (int k = 0; k < 8; ++k) c = crc_bit(c);
    t[0][i] = c;
  }
  for (size_t n = 1; n < 8; ++n) {
    for (size_t i = 0; i < 256; ++i) t[n][i] = (t[n - 1][i] >> 8) ^ t[0][t[n - 1][i] & 255];
  }
  return t;
}
inline constexpr CrcTables kCrcTables = make_crc_tables();

// table(n, i): kCrcTables[n][i]; byte: 0 to 255.
template <class Word, class Table>
constexpr Word crc_byte(Word c, Word byte, Table&& table) {
  return table(0, (c ^ byte) & Word(255)) ^ (c >> Word(8));
}
// Eight bytes, the first four and the last four as little-endian words.
template <class Word, class Table>
constexpr Word crc_eight(Word c, Word first, Word last, Table&& table) {
  const Word low = c ^ first;
  return table(7, low & Word(255)) ^ table(6, (low >> Word(8)) & Word(255)) ^ table(5, (low >> Word(16)) & Word(255)) ^ table(4, low >> Word(24)) ^
         table(3, last & Word(255)) ^ table(2, (last >> Word(8)) & Word(255)) ^ table(1, (last >> Word(16)) & Word(255)) ^ table(0, last >> Word(24));
}

}  // namespace hdb
