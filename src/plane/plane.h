// plane/plane.h: the cells of a summary: arrays by ordinal, in chunks that never move.
//
// What:       for each cell its codes, its rows, and for each measure an exact sum and a count of non-NULL values, as of the latest commit.
//             A sum is a 64-bit low part; the high part of a chunk's measure is allocated when the first sum there does not fit 64 bits.
// Invariants: A3 chunk addresses never change; a cell's ordinal is its place for good. A4 without a high part, every sum of the chunk's measure
//             fits 64 bits (the high part is the sign of the low one).
// Callers:    plane/summary. Changes under the plane's exclusive latch, reads under the shared one (the writer reads without).
// Held by:    src/plane/plane_test.cc
#pragma once

#include <memory>
#include <vector>

#include "base/limits.h"
#include "exact/sum128.h"

namespace hdb {

inline constexpr uint32_t kChunkCells = kVectorRows;

struct CellChunk {
  std::unique_ptr<uint32_t[]> codes;    // [dimension * kChunkCells + i]
  std::unique_ptr<int64_t[]> weight;
  std::unique_ptr<uint64_t[]> low;      // [measure * kChunkCells + i]
  std::unique_ptr<int64_t[]> count;     // [measure * kChunkCells + i]
  std::vector<std::unique_ptr<uint64_t[]>> high;  // by measure; null: none needed yet

  CellChunk(size_t dimensions, size_t measures)
      : codes(new uint32_t[dimensions * kChunkCells]()), weight(new int64_t[kChunkCells]()), low(new uint64_t[measures * kChunkCells]()),
        count(new int64_t[measures * kChunkCells]()), high(measures) {}

  Sum128 sum(size_t measure, uint32_t i) const {
    const uint64_t lo = low[measure * kChunkCells + i];
    return {lo, high[measure] != nullptr ? high[measure][i] : sign_fill(lo)};
  }
  void set_sum(size_t measure, uint32_t i, const Sum128& s) {
    low[measure * kChunkCells + i] = s.lo;
    if (high[measure] != nullptr) high[measure][i] = s.hi;
  }
  // Prepares a high part, with the signs of what is there (A4).
  std::unique_ptr<uint64_t[]> make_high(size_t measure) const {
    std::unique_ptr<uint64_t[]> h(new uint64_t[kChunkCells]);
    for (uint32_t i = 0; i < kChunkCells; ++i) h[i] = sign_fill(low[measure * kChunkCells + i]);
    return h;
  }
  static uint64_t bytes(size_t dimensions, size_t measures) { return kChunkCells * (dimensions * 4 + 8 + measures * 16); }
};

}  // namespace hdb
