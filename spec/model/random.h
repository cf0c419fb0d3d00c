// spec/model/random.h: the choices of every generator, from a seed or from a fuzzer's bytes.
//
// What:       the same seed (or the same bytes) makes the same choices on every platform and compiler.
// Callers:    spec/model/generate, oracle/, properties/, fuzz/.
// Held by:    every suite's replay command
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace model {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  // Draws from the bytes first; behind their end goes on from a hash of them.
  Random(const uint8_t* data, size_t size) : state_(1469598103934665603ull), data_(data), left_(size) {
    for (size_t i = 0; i < size; ++i) state_ = (state_ ^ data[i]) * 1099511628211ull;
  }

  uint64_t next() {  // splitmix64
    uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  uint64_t below(uint64_t n) {
    if (n <= 1) return 0;
    if (left_ == 0) return next() % n;
    uint64_t x = take();
    if (n > 256 && left_ > 0) x = x << 8 | take();
    if (n > 65536) x ^= next();
    return x % n;
  }
  int64_t range(int64_t low, int64_t high) { return low + static_cast<int64_t>(below(static_cast<uint64_t>(high - low) + 1)); }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <typename T>
  const T& pick(const std::vector<T>& items) {
    return items[below(items.size())];
  }

 private:
  uint8_t take() {
    --left_;
    return *data_++;
  }
  uint64_t state_;
  const uint8_t* data_ = nullptr;
  size_t left_ = 0;
};

inline uint64_t seed_for(uint64_t base, const std::string& name) {
  uint64_t h = 1469598103934665603ull ^ base;
  for (char c : name) h = (h ^ static_cast<uint8_t>(c)) * 1099511628211ull;
  return h;
}

}  // namespace model
