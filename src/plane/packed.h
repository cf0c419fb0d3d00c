// plane/packed.h: the codes and the counts of a chunk of cells, as narrow as the chunk's largest one allows.
//
// What:       codes in 1, 2 or 4 bytes; counts in 4 or 8. What no longer fits needs a wider copy first, which the caller puts in its place.
// Invariants: A6 set(i, x) needs fits(x); after it at(i) is x. A wider copy has the same values.
// Callers:    plane/plane.h. Reads need the plane's shared latch, set and the change of places its exclusive one; making a copy needs neither (writer).
// Held by:    spec/proofs/packed.cc, src/plane/plane_test.cc
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>

#include "base/limits.h"

namespace hdb {

inline constexpr uint32_t kChunkCells = kVectorRows;

// May a code, or a count, be kept in so many bytes and come back as it was?
template <class Code>
constexpr bool code_fits(Code code, uint32_t bytes) {
  return static_cast<bool>(code >> Code(8 * bytes - 1) >> Code(1) == Code(0));
}
template <class Narrow, class Count>
constexpr bool count_fits(Count n) {
  return static_cast<bool>(n == static_cast<Count>(static_cast<Narrow>(n)));
}
// The fewest bytes, 1, 2 or 4, that a code fits into.
template <class Code>
constexpr uint32_t code_bytes(Code code) {
  return code > Code(0xFFFF) ? 4 : code > Code(0xFF) ? 2 : 1;
}

class PackedCodes {
 public:
  static constexpr uint32_t kNarrowest = 1;

  PackedCodes() : PackedCodes(kNarrowest) {}

  uint32_t at(uint32_t i) const {
    if (width_ == 1) return data_[i];
    return width_ == 2 ? load<uint16_t>(i) : load<uint32_t>(i);
  }
  bool fits(uint32_t code) const { return code_fits(code, width_); }
  void set(uint32_t i, uint32_t code) {
    if (width_ == 1) data_[i] = static_cast<uint8_t>(code);
    else if (width_ == 2) store(i, static_cast<uint16_t>(code));
    else store(i, code);
  }
  PackedCodes widened(uint32_t code) const {
    PackedCodes wider(std::max(code_bytes(code), 2u));
    for (uint32_t i = 0; i < kChunkCells; ++i) wider.set(i, at(i));
    return wider;
  }
  static uint64_t bytes_for(uint32_t code) { return uint64_t{kChunkCells} * code_bytes(code); }
  uint64_t bytes() const { return uint64_t{kChunkCells} * width_; }
  // f(array of the first `count` codes): uint8_t, uint16_t or uint32_t.
  template <class F>
  void visit(F&& f) const {
    if (width_ == 1) f(data_.get());
    else if (width_ == 2) f(reinterpret_cast<const uint16_t*>(data_.get()));
    else f(reinterpret_cast<const uint32_t*>(data_.get()));
  }

 private:
  explicit PackedCodes(uint32_t width) : width_(width), data_(new uint8_t[size_t{kChunkCells} * width]()) {}
  template <class T>
  T load(uint32_t i) const {
    T value;
    std::memcpy(&value, data_.get() + size_t{i} * sizeof(T), sizeof(T));
    return value;
  }
  template <class T>
  void store(uint32_t i, T value) {
    std::memcpy(data_.get() + size_t{i} * sizeof(T), &value, sizeof(T));
  }

  uint32_t width_;
  std::unique_ptr<uint8_t[]> data_;
};

// Signed counts.
class PackedCounts {
 public:
  PackedCounts() : PackedCounts(false) {}

  int64_t at(uint32_t i) const { return wide_ != nullptr ? wide_[i] : narrow_[i]; }
  bool fits(int64_t n) const { return wide_ != nullptr || count_fits<int32_t>(n); }
  void set(uint32_t i, int64_t n) {
    if (wide_ != nullptr) wide_[i] = n;
    else narrow_[i] = static_cast<int32_t>(n);
  }
  bool wide() const { return wide_ != nullptr; }
  PackedCounts copy(bool wide) const {
    PackedCounts c(wide || wide_ != nullptr);
    for (uint32_t i = 0; i < kChunkCells; ++i) c.set(i, at(i));
    return c;
  }
  static constexpr uint64_t kNarrowBytes = uint64_t{kChunkCells} * 4, kWideBytes = uint64_t{kChunkCells} * 8;
  uint64_t bytes() const { return wide_ != nullptr ? kWideBytes : kNarrowBytes; }
  // f(array of counts): int32_t or int64_t.
  template <class F>
  void visit(F&& f) const {
    if (wide_ != nullptr) f(static_cast<const int64_t*>(wide_.get()));
    else f(static_cast<const int32_t*>(narrow_.get()));
  }

 private:
  explicit PackedCounts(bool wide) {
    if (wide) wide_.reset(new int64_t[kChunkCells]());
    else narrow_.reset(new int32_t[kChunkCells]());
  }

  std::unique_ptr<int32_t[]> narrow_;  // null once it is wide
  std::unique_ptr<int64_t[]> wide_;
};

}  // namespace hdb
