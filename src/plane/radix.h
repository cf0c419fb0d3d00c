// plane/radix.h: one step of a mixed-radix address: the codes of a cell's dimensions as one number, and back.
//
// Invariants: A5 with digit < radix, and no product beyond the word, unpack_digit undoes pack_digit; digits come back in reverse.
// What:       the address of codes c0, c1, ... over capacities r0, r1, ... is (c0 * r1 + c1) * r2 + ...
// Callers:    plane/address, plane/block_cells. Pure. Written over the word, so that the proofs run what is shipped.
// Held by:    spec/proofs/, src/plane/plane_test.cc
#pragma once

namespace hdb {

template <class W>
constexpr W pack_digit(W address, W radix, W digit) {
  return address * radix + digit;
}

template <class W>
constexpr W unpack_digit(W& address, W radix) {
  const W digit = address % radix;
  address /= radix;
  return digit;
}

}  // namespace hdb
