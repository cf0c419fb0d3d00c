// store/offset.h: the arithmetic of a column that is kept as base + unsigned offsets of width 0, 1, 2, 4 or 8 bytes.
//
// Terms:      width 8 holds the values themselves, with base 0. A layout's values are base .. base + offsets_max(width).
// Invariants: S3 what fits a layout comes back from it; a widened layout holds every value of both that it was made from.
//             S8 base + offsets_max(width) does not pass the end of int64 in a layout that offsets_with_room makes.
// Callers:    store/column. Pure. Written over the word, so that the proofs run what is shipped.
// Held by:    spec/proofs/, src/store/layout_test.cc, src/store/store_test.cc
#pragma once

#include <algorithm>
#include <cstdint>

#include "exact/word.h"

namespace hdb {

template <class W>
constexpr W offsets_max(uint8_t width) {
  return width == 8 ? ~W(0) : (W(1) << (width * 8)) - W(1);
}

// Bytes that an unsigned offset range needs.
template <class W>
constexpr uint8_t offset_width(W range) {
  if (range == W(0)) return 0;
  if (range <= W(0xFF)) return 1;
  if (range <= W(0xFFFF)) return 2;
  return range <= W(0xFFFFFFFFu) ? 4 : 8;
}

template <class W>
constexpr W encode_offset(W value, W base) {
  return value - base;
}
template <class W>
constexpr W decode_offset(W offset, W base) {
  return base + offset;
}

template <class W>
constexpr bool offset_fits(W value, W base, uint8_t width) {
  if (width == 8) return true;
  return static_cast<SignedOf<W>>(value) >= static_cast<SignedOf<W>>(base) && encode_offset(value, base) <= offsets_max<W>(width);
}

// Does the layout (base, width) hold every value of (inner, inner_width)? No if the inner one runs past the end of int64.
template <class W>
constexpr bool offsets_cover(W base, uint8_t width, W inner, uint8_t inner_width) {
  if (width == 8) return true;
  if (inner_width > width || static_cast<SignedOf<W>>(inner) < static_cast<SignedOf<W>>(base)) return false;
  // Compared by subtraction: near the ends of int64 the sum of both would wrap and pass.
  const W from = encode_offset(inner, base), most = offsets_max<W>(width);
  return from <= most && offsets_max<W>(inner_width) <= most - from;
}

template <class W>
struct OffsetLayout {
  uint8_t width;
  W base;
};

// The layout of the least width that holds low .. high (low <= high), with room on both sides.
template <class W>
constexpr OffsetLayout<W> offsets_with_room(W low, W high) {
  const W least = W(1) << 63, most = ~least;  // the ends of int64
  const W range = high - low;
  const uint8_t width = offset_width(range);
  if (width == 8) return {8, W(0)};
  const W room = (offsets_max<W>(width) - range) >> 1;
  W base = low - std::min(room, low - least);
  // Not past the other end: base + offsets must not wrap for a representable value.
  if (most - base < offsets_max<W>(width)) base = most - offsets_max<W>(width);
  return {width, base};
}

// The last value of a layout of less than 8 bytes, cut off at the end of int64.
template <class W>
constexpr W offsets_last(W base, uint8_t width) {
  const W last = base + offsets_max<W>(width);
  return static_cast<SignedOf<W>>(last) < static_cast<SignedOf<W>>(base) ? ~(W(1) << 63) : last;
}

template <class W>
struct OffsetSpan {
  W low, high;
};

// From the least to the last value of two layouts of less than 8 bytes.
template <class W>
constexpr OffsetSpan<W> offsets_span(W base_a, uint8_t width_a, W base_b, uint8_t width_b) {
  using Signed = SignedOf<W>;
  const Signed low = std::min(static_cast<Signed>(base_a), static_cast<Signed>(base_b));
  const Signed high = std::max(static_cast<Signed>(offsets_last(base_a, width_a)), static_cast<Signed>(offsets_last(base_b, width_b)));
  return {static_cast<W>(low), static_cast<W>(high)};
}

}  // namespace hdb
