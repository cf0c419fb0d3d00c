// exact/double_sum.h: an exact sum of doubles, from which any addend can be taken away again.
//
// What:       a fixed-point number over the whole range of a double: 66 limbs of 32 bits each, kept in 64-bit integers so that
//             carries wait; infinities and NaNs are counted beside it, so that they can leave as well.
// Invariants: X7 value() is the correctly rounded (half to even) mathematical sum of what is in: independent of order and
//                grouping, of what came and went, and of the threads that merged.
//             X8 sub undoes add and unmerge undoes merge, infinities and NaNs included.
//             X9 |limb| <= pending * 2^32 and pending <= 2^30, so a limb never overflows; below the top limb a carried form has
//                0 <= limb < 2^32 and is unique, so == compares sums, not histories.
//             The finite part stays below 2^1068: at least 2^44 addends of any size.
// Meaning:    beyond the largest double: an infinity. A NaN, or both infinities: NaN; one kind of infinity: that one.
//             An exact zero is 0.0, also as a sum of nothing but -0.0 (a sum does not remember zeros). spec/exact.md has the table.
// Cost:       add 4 ns; value() 0.12 us; average() 0.4 us; 560 bytes.
// Callers:    exec/, plane/, store/ (zone sums). Not thread-safe; one owner, merge() to combine.
// Held by:    spec/exact.md, spec/proofs/ (limbs), src/exact/double_sum_test.cc
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "exact/limbs.h"

namespace hdb {

class DoubleSum {
 public:
  static constexpr size_t kLimbs = 66;  // bit 0 of limb 0 weighs 2^-1074

  void add(double x) { put(std::bit_cast<uint64_t>(x), 1); }
  void sub(double x) { put(std::bit_cast<uint64_t>(x) ^ kSignBit, -1); }
  void merge(const DoubleSum& other);
  void unmerge(const DoubleSum& other);
  void reset() { *this = DoubleSum(); }

  double value() const;
  // The exact sum divided by n (n > 0), rounded once: AVG over DOUBLE.
  double average(uint64_t n) const;

  bool operator==(const DoubleSum& other) const;

 private:
  static constexpr uint64_t kSignBit = uint64_t{1} << 63;
  static constexpr uint64_t kMantissaMask = (uint64_t{1} << 52) - 1;
  static constexpr uint32_t kPendingMax = 1u << 30;

  // Adds the finite double with these bits; `count` is +1 or -1 and tells which way the special values go (sub hands in the
  // negated bits, and takes the unnegated special value out).
  void put(uint64_t bits, int count) {
    const uint64_t exponent = (bits >> 52) & 0x7ff;
    if (__builtin_expect(exponent == 0x7ff, 0)) return put_special(bits, count);
    const DoubleParts<uint64_t> x = parts_of_double(bits, exponent);
    add_to_limbs(&limbs_[x.shift >> 5], x.mantissa, x.shift, x.sign);
    if (__builtin_expect(++pending_ >= kPendingMax, 0)) carry();
  }
  void put_special(uint64_t bits, int count);
  void carry();
  bool special(double& result) const;
  double quotient(uint64_t n) const;

  std::array<int64_t, kLimbs> limbs_{};
  uint32_t pending_ = 1;
  int64_t plus_infinities_ = 0;
  int64_t minus_infinities_ = 0;
  int64_t nans_ = 0;
};

static_assert(sizeof(DoubleSum) == 560);

}  // namespace hdb
