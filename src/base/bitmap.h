// base/bitmap.h: operations on arrays of 64-bit words used as bitmaps.
//
// What:       bit i lies in word i / 64 at position i % 64. Free functions, so that buffers stay plain arrays; written over the word, so that
//             the proofs run what is shipped.
// Invariants: B1 an operation changes the bits that it names and no other; for_each_bit visits each set bit once, ascending.
// Callers:    all layers. Not thread-safe by themselves.
// Held by:    spec/proofs/, src/base/base_test.cc
#pragma once

#include <cstdint>

namespace hdb {

inline uint32_t lowest_bit(uint64_t word) { return static_cast<uint32_t>(__builtin_ctzll(word)); }  // word != 0
inline uint32_t count_ones(uint64_t word) { return static_cast<uint32_t>(__builtin_popcountll(word)); }

constexpr uint32_t bitmap_words(uint32_t bits) { return (bits + 63) / 64; }
template <class W>
inline bool bit_test(const W* words, uint32_t i) {
  return static_cast<bool>(((words[i >> 6] >> (i & 63)) & W(1)) != W(0));
}
template <class W>
inline void bit_set(W* words, uint32_t i) {
  words[i >> 6] |= W(1) << (i & 63);
}
template <class W>
inline void bit_clear(W* words, uint32_t i) {
  words[i >> 6] &= ~(W(1) << (i & 63));
}
template <class W>
inline void bit_assign(W* words, uint32_t i, bool on) {
  if (on) bit_set(words, i);
  else bit_clear(words, i);
}
// Bits [0, count) set, all later ones of the last word clear; fills exactly bitmap_words(count) words.
template <class W>
inline void bitmap_fill(W* words, uint32_t count) {
  for (uint32_t w = 0; w < count / 64; ++w) words[w] = ~W(0);
  if (count % 64 != 0) words[count / 64] = (W(1) << (count % 64)) - W(1);
}
template <class W>
inline uint32_t bitmap_count(const W* words, uint32_t word_count) {
  uint32_t n = 0;
  for (uint32_t w = 0; w < word_count; ++w) n += count_ones(words[w]);
  return n;
}
// Takes the lowest set bit out of the word (not 0) and says where it was.
template <class W>
inline auto take_lowest(W& rest) {
  const auto at = lowest_bit(rest);
  rest &= rest - W(1);
  return at;
}
// Calls f(i) for each set bit, ascending.
template <class W, class F>
inline void for_each_bit(const W* words, uint32_t word_count, F&& f) {
  for (uint32_t w = 0; w < word_count; ++w) {
    for (W rest = words[w]; rest != W(0);) f(w * 64 + take_lowest(rest));
  }
}

}  // namespace hdb
