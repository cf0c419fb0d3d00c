// exact/sum128.h: a sum of 64-bit integers that never wraps.
//
// What:       two limbs, value = hi * 2^64 + lo in two's complement; add, subtract and merge are branch-free.
// Invariants: X1 value() == the mathematical sum of everything added minus everything subtracted.
//             X2 |value()| < 2^127: holds for at most 2^63 addends of at most 2^63 each, in any order.
//             X3 the sums are a group: sub undoes add, unmerge undoes merge, order and grouping do not matter, bit for bit.
// Cost:       3 instructions an addend; blocks add their 64-bit partial sums, not rows.
// Callers:    store/, plane/, exec/. Not thread-safe; one owner, merge() to combine.
// Held by:    spec/exact.md, spec/proofs/, src/exact/sum_test.cc
#pragma once

#include <compare>
#include <type_traits>

#include "base/error.h"
#include "base/int128.h"
#include "exact/word.h"

namespace hdb {

template <class W>
struct BasicSum128 {
  W lo{0};
  W hi{0};

  // x is a signed word in two's complement: an int64_t converts to it as it is.
  constexpr void add(W x) { add128(x, sign_fill(x)); }
  constexpr void sub(W x) { sub128(x, sign_fill(x)); }
  // x counts from 0 to 2^64 - 1: a block's sum of offsets.
  constexpr void add_unsigned(W x) { add128(x, W(0)); }

  constexpr void add128(W x_lo, W x_hi) {
    const W sum = static_cast<W>(lo + x_lo);
    hi = static_cast<W>(hi + x_hi + carry_of_add(sum, x_lo));
    lo = sum;
  }
  constexpr void sub128(W x_lo, W x_hi) {
    const W borrow = borrow_of_sub(lo, x_lo);
    lo = static_cast<W>(lo - x_lo);
    hi = static_cast<W>(hi - x_hi - borrow);
  }
  constexpr void merge(const BasicSum128& other) { add128(other.lo, other.hi); }
  constexpr void unmerge(const BasicSum128& other) { sub128(other.lo, other.hi); }
  constexpr void negate() {
    BasicSum128 zero{W(0), W(0)};
    zero.unmerge(*this);
    *this = zero;
  }

  // The rest is for 64-bit words only.
  static constexpr BasicSum128 of(int128 v) requires std::same_as<W, uint64_t> {
    return {static_cast<uint64_t>(v), static_cast<uint64_t>(static_cast<uint128>(v) >> 64)};
  }
  constexpr int128 value() const requires std::same_as<W, uint64_t> {
    return static_cast<int128>((static_cast<uint128>(hi) << 64) | lo);
  }
  constexpr void add_int128(int128 v) requires std::same_as<W, uint64_t> { merge(of(v)); }
  constexpr void sub_int128(int128 v) requires std::same_as<W, uint64_t> { unmerge(of(v)); }
  // Adds base `count` times, exactly: |base * count| <= 2^126.
  constexpr void add_product(int64_t base, int64_t count) requires std::same_as<W, uint64_t> {
    merge(of(static_cast<int128>(base) * count));
  }
  constexpr void sub_product(int64_t base, int64_t count) requires std::same_as<W, uint64_t> {
    unmerge(of(static_cast<int128>(base) * count));
  }
  constexpr bool is_zero() const requires std::same_as<W, uint64_t> { return (lo | hi) == 0; }
  constexpr bool fits_int64() const requires std::same_as<W, uint64_t> { return hi == sign_fill(lo); }

  friend constexpr bool operator==(const BasicSum128&, const BasicSum128&) = default;
  friend constexpr std::strong_ordering operator<=>(const BasicSum128& a, const BasicSum128& b)
    requires std::same_as<W, uint64_t>
  {
    const int128 x = a.value(), y = b.value();
    return x < y ? std::strong_ordering::less : x > y ? std::strong_ordering::greater : std::strong_ordering::equal;
  }
};

using Sum128 = BasicSum128<uint64_t>;
static_assert(sizeof(Sum128) == 16 && std::is_trivially_copyable_v<Sum128>);

// SUM over BIGINT: the total, or 22003 that names the function that always has an answer.
inline int64_t bigint_sum(const Sum128& sum) {
  if (!sum.fits_int64()) fail(sqlstate::kOutOfRange, "the sum does not fit BIGINT; sum_exact(x) returns it whole");
  return static_cast<int64_t>(sum.lo);
}

}  // namespace hdb
