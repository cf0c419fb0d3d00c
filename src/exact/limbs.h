// exact/limbs.h: digits of 32 bits in words of 64, whose carries wait: the arithmetic inside of DoubleSum.
//
// What:       a number is the sum of limb[i] * 2^(32 i), each limb signed; adding touches three limbs and propagates nothing.
// Invariants: X9 an added mantissa changes a limb by less than 2^32, so 2^30 of them never overflow; carry_limbs keeps the number and
//             brings every limb but the top one into [0, 2^32), a form that is unique.
// Callers:    exact/double_sum. Pure. Written over the word, so that the proofs run what is shipped.
// Held by:    spec/proofs/, src/exact/double_sum_test.cc
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "exact/word.h"

namespace hdb {

// |x| = mantissa * 2^(shift - 1074) for a finite x; sign is 0 or -1.
template <class W>
struct DoubleParts {
  W mantissa;
  W shift;
  SignedOf<W> sign;
};

template <class W>
constexpr DoubleParts<W> parts_of_double(W bits, W exponent) {
  const W normal = static_cast<W>(exponent != W(0));
  const W mantissa = (bits & ((W(1) << 52) - W(1))) | (normal << 52);
  return {mantissa, exponent - normal, static_cast<SignedOf<W>>(bits) >> 63};
}

// Adds mantissa * 2^(shift % 32), or takes it away if sign is -1, to the three limbs from `limb` on: mantissa < 2^53.
template <class W>
constexpr void add_to_limbs(SignedOf<W>* limb, W mantissa, W shift, SignedOf<W> sign) {
  using Half = typename WordTypes<W>::Half;
  using Double = typename WordTypes<W>::Wide;
  using Signed = SignedOf<W>;
  const Double shifted = static_cast<Double>(mantissa) << (shift & W(31));
  limb[0] += (static_cast<Signed>(static_cast<Half>(shifted)) ^ sign) - sign;
  limb[1] += (static_cast<Signed>(static_cast<Half>(shifted >> 32)) ^ sign) - sign;
  limb[2] += (static_cast<Signed>(static_cast<W>(shifted >> 64)) ^ sign) - sign;
}

// Brings every limb but the top one into [0, 2^32). The shift of a negative limb rounds down, as two's complement wants it.
template <class Signed, size_t N>
constexpr void carry_limbs(std::array<Signed, N>& limbs) {
  Signed carry(0);
  for (size_t i = 0; i + 1 < N; ++i) {
    const Signed limb = limbs[i] + carry;
    carry = limb >> 32;
    limbs[i] = limb & Signed(0xffffffff);
  }
  limbs[N - 1] += carry;
}

template <class Signed, size_t N>
constexpr void merge_limbs(std::array<Signed, N>& limbs, const std::array<Signed, N>& other) {
  for (size_t i = 0; i < N; ++i) limbs[i] += other[i];
}

template <class Signed, size_t N>
constexpr void negate_limbs(std::array<Signed, N>& limbs) {
  for (Signed& limb : limbs) limb = -limb;
}

}  // namespace hdb
