#include "exact/average.h"

#include "base/check.h"
#include "base/error.h"
#include "exact/round.h"

namespace hdb {

double average_of_integers(int128 sum, uint64_t count) {
  CHECK(count > 0);
  uint128 numerator = magnitude_of(sum);
  if (numerator <= (uint64_t{1} << 53) && count <= (uint64_t{1} << 53)) {
    return static_cast<double>(static_cast<int64_t>(sum)) / static_cast<double>(count);  // both exact: rounded once
  }
  // Scale up so that the quotient has at least 56 bits; the numerator then has at most 64 + 57.
  int shift = 0;
  if (const int want = bits_of(count) + 57; bits_of(numerator) < want) {
    shift = want - bits_of(numerator);
    numerator <<= shift;
  }
  return round_to_double(sum < 0, numerator / count, -shift, numerator % count != 0);
}

int128 average_of_decimals(const Sum192& sum, uint64_t count, int scale) {
  CHECK(count > 0 && scale >= 0 && scale <= 38);
  Sum192 magnitude = sum;
  if (sum.negative()) magnitude.negate();
  // Divide first, then scale: the sum times 10^6 would not fit 192 bits, the quotient and the remainder do.
  uint64_t remainder = static_cast<uint64_t>(magnitude.l2 % count);
  const uint64_t upper = magnitude.l2 / count;
  uint128 quotient = 0;
  for (const uint64_t limb : {magnitude.l1, magnitude.l0}) {
    const uint128 part = (static_cast<uint128>(remainder) << 64) | limb;
    quotient = (quotient << 64) | (part / count);
    remainder = static_cast<uint64_t>(part % count);
  }
  const uint128 factor = kPow10[static_cast<size_t>(decimal_average_scale(scale) - scale)];
  if (upper == 0 && quotient <= kDecimalMax / factor) {
    const uint128 below = static_cast<uint128>(remainder) * factor;
    const uint128 rest = below % count;
    const uint128 result = quotient * factor + below / count + (rest >= count - rest ? 1 : 0);
    if (result <= kDecimalMax) return with_sign(sum.negative(), result);
  }
  fail(sqlstate::kOutOfRange, "the average does not fit 38 digits");
}

}  // namespace hdb
