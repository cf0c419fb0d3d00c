// exact/sum192.h: a sum of 128-bit integers that never wraps; SUM and AVG over DECIMAL.
//
// What:       three limbs, value = l2 * 2^128 + l1 * 2^64 + l0 in two's complement; branch-free.
// Invariants: X4 value == the mathematical sum of everything added minus everything subtracted, and |value| < 2^191: holds for
//             at most 2^63 addends of at most 38 decimal digits. The sums are a group (as X3).
// Callers:    exec/, plane/. Not thread-safe; one owner, merge() to combine.
// Held by:    spec/exact.md, spec/proofs/, src/exact/sum_test.cc
#pragma once

#include "exact/sum128.h"
#include "exact/wide.h"

namespace hdb {

template <class W>
struct BasicSum192 {
  W l0{0};
  W l1{0};
  W l2{0};

  constexpr void add(W x) { add192(x, sign_fill(x), sign_fill(x)); }
  constexpr void sub(W x) { sub192(x, sign_fill(x), sign_fill(x)); }
  constexpr void add128(W x_lo, W x_hi) { add192(x_lo, x_hi, sign_fill(x_hi)); }
  constexpr void sub128(W x_lo, W x_hi) { sub192(x_lo, x_hi, sign_fill(x_hi)); }

  constexpr void add192(W x0, W x1, W x2) {
    const W s0 = static_cast<W>(l0 + x0);
    const W carry0 = carry_of_add(s0, x0);
    const W t1 = static_cast<W>(l1 + x1);
    const W s1 = static_cast<W>(t1 + carry0);
    // At most one of the two can carry: t1 + 1 wraps only for t1 = all ones, which l1 + x1 never leaves behind when it wrapped.
    const W carry1 = static_cast<W>(carry_of_add(t1, x1) + carry_of_add(s1, carry0));
    l2 = static_cast<W>(l2 + x2 + carry1);
    l1 = s1;
    l0 = s0;
  }
  constexpr void sub192(W x0, W x1, W x2) {
    const W borrow0 = borrow_of_sub(l0, x0);
    const W t1 = static_cast<W>(l1 - x1);
    const W borrow1 = static_cast<W>(borrow_of_sub(l1, x1) + borrow_of_sub(t1, borrow0));
    l0 = static_cast<W>(l0 - x0);
    l1 = static_cast<W>(t1 - borrow0);
    l2 = static_cast<W>(l2 - x2 - borrow1);
  }
  constexpr void merge(const BasicSum192& other) { add192(other.l0, other.l1, other.l2); }
  constexpr void unmerge(const BasicSum192& other) { sub192(other.l0, other.l1, other.l2); }
  constexpr void merge(const BasicSum128<W>& other) { add128(other.lo, other.hi); }
  constexpr void unmerge(const BasicSum128<W>& other) { sub128(other.lo, other.hi); }
  constexpr void negate() {
    BasicSum192 zero{W(0), W(0), W(0)};
    zero.unmerge(*this);
    *this = zero;
  }

  // The rest is for 64-bit words only.
  constexpr void add_int128(int128 v) requires std::same_as<W, uint64_t> { merge(Sum128::of(v)); }
  constexpr void sub_int128(int128 v) requires std::same_as<W, uint64_t> { unmerge(Sum128::of(v)); }
  constexpr bool negative() const requires std::same_as<W, uint64_t> { return sign_fill(l2) != 0; }
  constexpr bool is_zero() const requires std::same_as<W, uint64_t> { return (l0 | l1 | l2) == 0; }
  constexpr bool fits_int128() const requires std::same_as<W, uint64_t> { return l2 == sign_fill(l1); }
  constexpr bool fits_decimal38() const requires std::same_as<W, uint64_t> {
    return fits_int128() && magnitude_of(low128()) <= kDecimalMax;
  }
  // The value, when fits_int128(); else its low 128 bits.
  constexpr int128 low128() const requires std::same_as<W, uint64_t> { return Sum128{l0, l1}.value(); }

  friend constexpr bool operator==(const BasicSum192&, const BasicSum192&) = default;
};

using Sum192 = BasicSum192<uint64_t>;
static_assert(sizeof(Sum192) == 24 && std::is_trivially_copyable_v<Sum192>);

// SUM over DECIMAL(p,s): the total as the value of a DECIMAL(38,s), or 22003.
inline int128 decimal_sum(const Sum192& sum) {
  if (!sum.fits_decimal38()) fail(sqlstate::kOutOfRange, "the sum does not fit DECIMAL(38)");
  return sum.low128();
}

}  // namespace hdb
