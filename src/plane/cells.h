// plane/cells.h: cells as columns: what every cells source (zone sums, block cells, summary, limb) hands to exec/.
//
// What:       a batch of weighted rows: dimension values, how many rows each cell stands for, and exact sums and counts of its measures.
// Invariants: G1 a batch lists only non-empty cells (weight > 0). G2 sum is the exact sum of the measure's non-NULL values in the cell, 0 if none;
//             |sum| < 2^127.
// Callers:    plane/ fills, exec/ reads. Belongs to one pipeline instance; arrays are reused from batch to batch.
// Held by:    src/plane/plane_test.cc
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/int128.h"
#include "store/date_part.h"
#include "store/vector.h"

namespace hdb {

struct CellRequest {
  std::vector<uint32_t> dimensions;  // table column ordinals, in the order wanted
  std::vector<uint32_t> measures;    // table column ordinals
  bool extremes = false;             // zone sums only: also min and max
  // By dimension: the part of its value by which cells are told apart; empty: no dimension has one. Only Summary::folded knows of them.
  std::vector<std::optional<DatePart>> parts = {};
};

struct CellDimension {
  Type type;
  std::vector<int64_t> values;               // int64 lane
  std::vector<uint32_t> codes;               // TEXT in code form (dictionary set), or
  std::vector<std::string_view> texts;       // TEXT past the dictionary's limit
  const Dictionary* dictionary = nullptr;
  std::vector<uint64_t> nulls;               // bitmap_words(rows) words if any_null
  bool any_null = false;
};

struct CellMeasure {
  std::vector<int128> sum;
  std::vector<int64_t> count;                // non-NULL values
  std::vector<int64_t> min, max;             // if asked for; meaningless where count is 0
};

struct CellBatch {
  uint32_t rows = 0;                         // at most kVectorRows
  std::vector<int64_t> weight;
  std::vector<CellDimension> dimensions;
  std::vector<CellMeasure> measures;
};

}  // namespace hdb
