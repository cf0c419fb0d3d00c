// exec/real_sum.h: an exact sum of doubles in 40 bytes, as long as the addends lie near each other.
//
// What:       a 192-bit window: an integer times 2^exponent. What does not fit (far or very large exponents, infinities, NaN) goes to a wide
//             DoubleSum.
// Invariants: N1 value() is the correctly rounded sum of everything added, whatever went where (X7 of exact/double_sum.h).
//             N2 |window| < 2^191: an addend is placed at most 96 bits above the window's lowest bit, and there are at most 2^32 of them a merge.
// Callers:    exec/aggregate_state. One owner.
// Held by:    src/exec/aggregate_test.cc
#pragma once

#include <bit>
#include <cmath>
#include <memory>

#include "exact/double_sum.h"
#include "exact/sum192.h"

namespace hdb {

class RealSum {
 public:
  void add(double x) {
    const auto bits = std::bit_cast<uint64_t>(x);
    const int exponent_bits = static_cast<int>((bits >> 52) & 0x7ff);
    if (x == 0) return;
    if (exponent_bits >= kFarExponent) return wide().add(x);
    const int exponent = exponent_bits != 0 ? exponent_bits - 1 : 0;  // of the lowest bit, above -1074
    if (base_ == kUnset) base_ = exponent > kBelow ? exponent - kBelow : 0;
    const int shift = exponent - base_;
    if (shift < 0 || shift > kShiftMax) return wide().add(x);
    const uint64_t mantissa = (bits & ((uint64_t{1} << 52) - 1)) | (static_cast<uint64_t>(exponent_bits != 0) << 52);
    Sum192 term;
    const uint128 low = static_cast<uint128>(mantissa) << (shift & 63);
    if (shift < 64) {
      term.l0 = static_cast<uint64_t>(low);
      term.l1 = static_cast<uint64_t>(low >> 64);
    } else {
      term.l1 = static_cast<uint64_t>(low);
      term.l2 = static_cast<uint64_t>(low >> 64);
    }
    if ((bits >> 63) != 0) window_.unmerge(term);
    else window_.merge(term);
  }
  void merge(const RealSum& o) {
    if (o.wide_ != nullptr) wide().merge(*o.wide_);
    if (o.window_.is_zero()) return;
    if (base_ == kUnset) base_ = o.base_;
    if (base_ == o.base_) window_.merge(o.window_);
    else o.spill(wide());
  }
  double value() const { return total().value(); }
  double average(uint64_t n) const { return total().average(n); }

  RealSum() = default;
  RealSum(RealSum&&) = default;
  RealSum& operator=(RealSum&&) = default;

 private:
  static constexpr int kFarExponent = 0x7ff - 64;  // sums of what lies below stay below the largest double (spill)
  static constexpr int kUnset = INT32_MIN, kBelow = 48, kShiftMax = 96;

  DoubleSum& wide() {
    if (wide_ == nullptr) wide_ = std::make_unique<DoubleSum>();
    return *wide_;
  }
  DoubleSum total() const {
    DoubleSum sum;
    if (wide_ != nullptr) sum = *wide_;
    spill(sum);
    return sum;
  }
  // The window as doubles of 32 bits each, which are exact.
  void spill(DoubleSum& to) const {
    Sum192 m = window_;
    const bool negative = m.negative();
    if (negative) m.negate();
    const uint64_t limbs[3] = {m.l0, m.l1, m.l2};
    for (int i = 0; i < 6; ++i) {
      const auto part = static_cast<uint32_t>(limbs[i / 2] >> (i % 2 * 32));
      if (part == 0) continue;
      const double x = std::ldexp(static_cast<double>(part), base_ - 1074 + i * 32);
      to.add(negative ? -x : x);
    }
  }

  Sum192 window_;
  int base_ = kUnset;
  std::unique_ptr<DoubleSum> wide_;
};

}  // namespace hdb
