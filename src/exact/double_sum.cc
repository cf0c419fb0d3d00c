#include "exact/double_sum.h"

#include <limits>

#include "base/check.h"
#include "exact/round.h"

namespace hdb {

void DoubleSum::put_special(uint64_t bits, int count) {
  if ((bits & kMantissaMask) != 0) {
    nans_ += count;
    return;
  }
  const bool negative = ((bits & kSignBit) != 0) != (count < 0);
  (negative ? minus_infinities_ : plus_infinities_) += count;
}

void DoubleSum::carry() {
  carry_limbs(limbs_);
  pending_ = 1;
}

void DoubleSum::merge(const DoubleSum& other) {
  if (pending_ + other.pending_ > kPendingMax) {
    carry();
    if (pending_ + other.pending_ > kPendingMax) {
      DoubleSum carried = other;
      carried.carry();
      return merge(carried);
    }
  }
  merge_limbs(limbs_, other.limbs_);
  pending_ += other.pending_;
  plus_infinities_ += other.plus_infinities_;
  minus_infinities_ += other.minus_infinities_;
  nans_ += other.nans_;
}

void DoubleSum::unmerge(const DoubleSum& other) {
  DoubleSum negated = other;
  negate_limbs(negated.limbs_);
  negated.plus_infinities_ = -other.plus_infinities_;
  negated.minus_infinities_ = -other.minus_infinities_;
  negated.nans_ = -other.nans_;
  merge(negated);
}

bool DoubleSum::operator==(const DoubleSum& other) const {
  if (plus_infinities_ != other.plus_infinities_ || minus_infinities_ != other.minus_infinities_ || nans_ != other.nans_) return false;
  DoubleSum a = *this, b = other;
  a.carry();
  b.carry();
  return a.limbs_ == b.limbs_;
}

bool DoubleSum::special(double& result) const {
  if (nans_ == 0 && plus_infinities_ == 0 && minus_infinities_ == 0) return false;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const bool nan = nans_ != 0 || (plus_infinities_ != 0 && minus_infinities_ != 0);
  result = nan ? std::numeric_limits<double>::quiet_NaN() : plus_infinities_ != 0 ? kInfinity : -kInfinity;
  return true;
}

double DoubleSum::value() const { return average(1); }

double DoubleSum::average(uint64_t n) const {
  CHECK(n > 0);
  double result;
  return special(result) ? result : quotient(n);
}

// Divides limb by limb from the top; one more limb of zeros holds the bits below 2^-1074 that decide the rounding of the smallest
// results, and the last remainder tells whether anything lies below those.
double DoubleSum::quotient(uint64_t n) const {
  DoubleSum sum = *this;
  sum.carry();
  const bool negative = sum.limbs_[kLimbs - 1] < 0;
  if (negative) {
    negate_limbs(sum.limbs_);
    sum.carry();
  }
  size_t top = kLimbs;
  while (top > 0 && sum.limbs_[top - 1] == 0) --top;
  if (top == 0) return 0.0;

  // digit[0] weighs 2^-1106; the top limb may have more than 32 bits, so its upper half is a digit of its own.
  std::array<uint32_t, kLimbs + 2> digits{};
  for (size_t i = 0; i < top; ++i) digits[i + 1] = static_cast<uint32_t>(sum.limbs_[i]);
  digits[kLimbs + 1] = static_cast<uint32_t>(static_cast<uint64_t>(sum.limbs_[kLimbs - 1]) >> 32);
  uint64_t remainder = 0;
  if (n > 1) {
    for (size_t i = digits.size(); i-- > 0;) {
      const uint128 part = (static_cast<uint128>(remainder) << 32) | digits[i];
      digits[i] = static_cast<uint32_t>(part / n);
      remainder = static_cast<uint64_t>(part % n);
    }
  }
  size_t first = digits.size();
  while (first > 0 && digits[first - 1] == 0) --first;
  if (first == 0) return negative ? -0.0 : 0.0;

  // The first four digits have at least 97 bits; what lies below them only matters for being there.
  uint128 lead = 0;
  for (size_t k = 1; k <= 4; ++k) lead = (lead << 32) | (first >= k ? digits[first - k] : 0);
  bool sticky = remainder != 0;
  for (size_t i = 0; i + 4 < first; ++i) sticky = sticky || digits[i] != 0;
  return round_to_double(negative, lead, -1106 + 32 * (static_cast<int>(first) - 4), sticky);
}

}  // namespace hdb
