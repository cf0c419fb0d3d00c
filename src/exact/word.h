// exact/word.h: carry, borrow and sign of a machine word, without a branch.
//
// What:       three primitives over any unsigned word. Proofs run them, and the sums built on them, with a symbolic word as they
//             are shipped; uint8_t lets tests visit every input.
// Invariants: X0 carry_of_add(a + b, b) == 1 exactly when a + b leaves the word; borrow_of_sub(a, b) == 1 exactly when a < b;
//             sign_fill(x) is all ones for a negative two's complement x, else 0.
// Callers:    exact/sum128.h, exact/sum192.h, exact/limbs.h, store/offset.h. Pure.
// Held by:    spec/exact.md, spec/proofs/, src/exact/sum_test.cc (all inputs of 8-bit words)
#pragma once

#include <cstdint>
#include <limits>

#include "base/int128.h"

namespace hdb {

// The types that belong to a word: its signed twin, its half and its double, for code that is written over the word.
template <class W>
struct WordTypes;
template <>
struct WordTypes<uint64_t> {
  using Signed = int64_t;
  using Half = uint32_t;
  using Wide = uint128;
};
template <class W>
using SignedOf = typename WordTypes<W>::Signed;

template <class W>
constexpr W carry_of_add(W sum, W addend) {
  return static_cast<W>(sum < addend);
}

template <class W>
constexpr W borrow_of_sub(W minuend, W subtrahend) {
  return static_cast<W>(minuend < subtrahend);
}

template <class W>
constexpr W sign_fill(W x) {
  return static_cast<W>(W(0) - static_cast<W>(x >> (std::numeric_limits<W>::digits - 1)));
}

}  // namespace hdb
