// base/bitmap.h: operations on arrays of 64-bit words used as bitmaps.
//
// What:       bit i lies in word i / 64 at position i % 64. Free functions, so that buffers stay plain arrays.
// Callers:    all layers. Not thread-safe by themselves.
// Held by:    src/base/base_test.cc
#pragma once

#include <cstdint>

namespace hdb {

constexpr uint32_t bitmap_words(uint32_t bits) { return (bits + 63) / 64; }
inline bool bit_test(const uint64_t* words, uint32_t i) { return ((words[i >> 6] >> (i & 63)) & 1) != 0; }
inline void bit_set(uint64_t* words, uint32_t i) { words[i >> 6] |= uint64_t{1} << (i & 63); }
inline void bit_clear(uint64_t* words, uint32_t i) { words[i >> 6] &= ~(uint64_t{1} << (i & 63)); }
inline void bit_assign(uint64_t* words, uint32_t i, bool on) {
  if (on) bit_set(words, i);
  else bit_clear(words, i);
}
// Bits [0, count) set, all later ones of the last word clear; fills exactly bitmap_words(count) words.
inline void bitmap_fill(uint64_t* words, uint32_t count) {
  for (uint32_t w = 0; w < count / 64; ++w) words[w] = ~uint64_t{0};
  if (count % 64 != 0) words[count / 64] = (uint64_t{1} << (count % 64)) - 1;
}
inline uint32_t bitmap_count(const uint64_t* words, uint32_t word_count) {
  uint32_t n = 0;
  for (uint32_t w = 0; w < word_count; ++w) n += static_cast<uint32_t>(__builtin_popcountll(words[w]));
  return n;
}
// Calls f(i) for each set bit, ascending.
template <class F>
inline void for_each_bit(const uint64_t* words, uint32_t word_count, F&& f) {
  for (uint32_t w = 0; w < word_count; ++w) {
    for (uint64_t rest = words[w]; rest != 0; rest &= rest - 1) f(w * 64 + static_cast<uint32_t>(__builtin_ctzll(rest)));
  }
}

}  // namespace hdb
