// exact/word.h: carry, borrow and sign of a machine word, without a branch.
//
// What:       three primitives over any unsigned word. Proofs supply overloads for a symbolic word (found by its namespace), so
//             that the sums built on these are proved as they are shipped; uint8_t lets tests visit every input.
// Invariants: X0 carry_of_add(a + b, b) == 1 exactly when a + b leaves the word; borrow_of_sub(a, b) == 1 exactly when a < b;
//             sign_fill(x) is all ones for a negative two's complement x, else 0.
// Callers:    exact/sum128.h, exact/sum192.h. Pure.
// Held by:    spec/exact.md, src/exact/sum_test.cc (all inputs of 8-bit words)
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>

namespace hdb {

template <std::unsigned_integral W>
constexpr W carry_of_add(W sum, W addend) {
  return static_cast<W>(sum < addend);
}

template <std::unsigned_integral W>
constexpr W borrow_of_sub(W minuend, W subtrahend) {
  return static_cast<W>(minuend < subtrahend);
}

template <std::unsigned_integral W>
constexpr W sign_fill(W x) {
  return static_cast<W>(W{0} - static_cast<W>(x >> (std::numeric_limits<W>::digits - 1)));
}

}  // namespace hdb
