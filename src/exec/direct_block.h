// exec/direct_block.h: one encoded block by groups: a cell number for each row, and sums by cell.
//
// What:       a key of a block is its offset or code plus one (0 is NULL); several keys make one mixed-radix cell number.
// Invariants: G5 sums and counts are exact: offsets of at most 32 bits and their count share a 64-bit word, values of 64 bits add in 128.
// Limits:     kCellsMax joint values a block.
// Callers:    exec/direct. Pure apart from the scratch memory.
// Held by:    src/exec/scan_test.cc
#pragma once

#include <vector>

#include "exec/scan.h"

namespace hdb {

inline constexpr uint32_t kCellsMax = 4096;
inline constexpr uint32_t kMaskCellsMax = 8;

// A key inside of one block: code 0 is NULL, else 1 + offset.
struct BlockKey {
  uint64_t shift = 0;   // what is added to the stored offset
  int64_t low = 0;
  uint32_t capacity = 1;
};

// The keys of the block (places in plan.columns()) and how many cells they span; false if they do not fit the form.
bool block_keys(const ScanPlan& plan, const std::vector<uint32_t>& places, const BlockView& view, std::vector<BlockKey>* keys, uint32_t* cells);
// at[slot]: the cell of each visible row.
void address_rows(const std::vector<uint32_t>& places, const BlockView& view, const std::vector<BlockKey>& keys, uint16_t* at);
// The same sums for up to kMaskCellsMax cells, over the slots whose bit is set: one mask a cell.
void sum_by_masks(const ColumnBuffer& c, const uint16_t* at, const uint64_t* bits, uint32_t rows, uint32_t cells, int128* sums, int64_t* counts);
void count_by_masks(const uint16_t* at, const uint64_t* bits, uint32_t rows, uint32_t cells, int64_t* counts);
// Adds the column's values and how many are not NULL, by cell, over slots[0 .. count) or, if that is null, the first `count` slots.
void sum_cells(const ColumnBuffer& c, const uint16_t* at, const uint32_t* slots, uint32_t count, uint32_t cells, Scratch& scratch, int128* sums, int64_t* counts);
void count_cells(const uint16_t* at, const uint32_t* slots, uint32_t count, uint32_t cells, Scratch& scratch, int64_t* counts);

}  // namespace hdb
