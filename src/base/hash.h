// base/hash.h: hash functions for hash tables (never for files: base/checksum is for those).
//
// What:       hash64 mixes one word; hash_bytes and hash_combine build on it (multiply-xorshift, as in SplitMix64 and wyhash).
// Callers:    all layers. Stateless. Values may change between versions.
// Held by:    src/base/base_test.cc
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace hdb {

inline uint64_t hash64(uint64_t x) {
  x ^= x >> 30;
  x *= 0xBF58476D1CE4E5B9u;
  x ^= x >> 27;
  x *= 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

inline uint64_t hash_combine(uint64_t a, uint64_t b) { return hash64(a * 0x9E3779B97F4A7C15u + b); }

// Bytes [p, p + bytes) as one word, for 1 to 7 of them: two loads that may overlap instead of a loop. Texts of one length differ in it.
inline uint64_t load_tail(const char* p, size_t bytes) {
  if (bytes >= 4) {
    uint32_t low, high;
    std::memcpy(&low, p, 4);
    std::memcpy(&high, p + bytes - 4, 4);
    return low | uint64_t{high} << 32;
  }
  return static_cast<uint8_t>(p[0]) | uint64_t{static_cast<uint8_t>(p[bytes / 2])} << 8 | uint64_t{static_cast<uint8_t>(p[bytes - 1])} << 16;
}

inline uint64_t hash_bytes(const void* data, size_t bytes) {
  const char* p = static_cast<const char*>(data);
  uint64_t h = bytes * 0x9E3779B97F4A7C15u;
  for (; bytes >= 8; p += 8, bytes -= 8) {
    uint64_t w;
    std::memcpy(&w, p, 8);
    h = hash_combine(h, w);
  }
  if (bytes > 0) h = hash_combine(h, load_tail(p, bytes));
  return hash64(h);
}

}  // namespace hdb
