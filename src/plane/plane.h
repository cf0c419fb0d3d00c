// plane/plane.h: the cells of a summary: arrays by ordinal, in chunks.
//
// What:       for each cell its codes, its rows, and for each measure an exact sum and a count of non-NULL values, as of the latest commit. Nothing is
//             wider than the chunk needs: codes and counts are packed; a measure without NULLs has no counts of its own; a sum is a 64-bit low part,
//             and the high part of a chunk's measure is made when the first sum there does not fit 64 bits.
// Invariants: A3 a cell's ordinal is its place for good. A4 without a high part, every sum of the chunk's measure fits 64 bits (the high part is the sign
//             of the low one). A7 without counts of its own, the measure's count is the cell's weight in every cell of the chunk.
// Callers:    plane/summary. Changes under the plane's exclusive latch, reads under the shared one (the writer reads without).
// Held by:    src/plane/plane_test.cc
#pragma once

#include <memory>
#include <vector>

#include "exact/sum128.h"
#include "plane/packed.h"

namespace hdb {

struct CellChunk {
  std::vector<PackedCodes> codes;                 // by dimension
  PackedCounts weight;
  std::unique_ptr<uint64_t[]> low;                // [measure * kChunkCells + i]
  std::vector<std::unique_ptr<uint64_t[]>> high;  // by measure; null: none needed yet
  std::vector<std::unique_ptr<PackedCounts>> count;  // by measure; null: as `weight`

  CellChunk(size_t dimensions, size_t measures)
      : codes(dimensions), low(new uint64_t[measures * kChunkCells]()), high(measures), count(measures) {}

  Sum128 sum(size_t measure, uint32_t i) const {
    const uint64_t lo = low[measure * kChunkCells + i];
    return {lo, high[measure] != nullptr ? high[measure][i] : sign_fill(lo)};
  }
  void set_sum(size_t measure, uint32_t i, const Sum128& s) {
    low[measure * kChunkCells + i] = s.lo;
    if (high[measure] != nullptr) high[measure][i] = s.hi;
  }
  const PackedCounts& counts(size_t measure) const { return count[measure] != nullptr ? *count[measure] : weight; }
  // Prepares a high part, with the signs of what is there (A4).
  std::unique_ptr<uint64_t[]> make_high(size_t measure) const {
    std::unique_ptr<uint64_t[]> h(new uint64_t[kChunkCells]);
    for (uint32_t i = 0; i < kChunkCells; ++i) h[i] = sign_fill(low[measure * kChunkCells + i]);
    return h;
  }
  // Prepares counts, with what is there (A7).
  std::unique_ptr<PackedCounts> make_counts() const { return std::make_unique<PackedCounts>(weight.copy(false)); }
  // Of a chunk that is new.
  static uint64_t bytes(size_t dimensions, size_t measures) { return kChunkCells * (dimensions * PackedCodes::kNarrowest + measures * 8) + PackedCounts::kNarrowBytes; }
  uint64_t bytes() const {
    uint64_t n = weight.bytes() + high.size() * kChunkCells * 8;
    for (const PackedCodes& c : codes) n += c.bytes();
    for (const auto& h : high) n += h != nullptr ? kChunkCells * 8 : 0;
    for (const auto& c : count) n += c != nullptr ? c->bytes() : 0;
    return n;
  }
};

}  // namespace hdb
