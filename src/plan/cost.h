// plan/cost.h: what a path costs, in nanoseconds.
//
// What:       constants and sums over them. Only ratios matter: a path that reads cells wins by orders of magnitude or is about as cheap as the scan.
//             A path over cells is weighed as it is from its second use on: what it keeps (folds) is there, and little has changed since.
// Source:     rows: the prototype (DESIGN, "What a prototype measured"). Cells: bench_routing on 2 cores (Zen 4), questions of 1 to 731 cells with the
//             paths forced in turn, least of some hundred calls: a fold of n cells takes 0.9 us + 3 to 6 ns a cell, from whichever plane, and up
//             to 60 ns for each group of the result, whatever the path. After a change of one row: a summary's fold 0.3 us more, a fold of
//             blocks 0.2 to 2 us and 16 blocks' cells. So the starts put them in order: zone sums, summary, block cells.
// Units:      nanoseconds, rows, cells, blocks.
// Callers:    plan/ (route). Pure.
// Held by:    src/plan/route_test.cc, src/engine/routing_test.cc
#pragma once

#include <algorithm>
#include <cstdint>

namespace hdb::cost {

inline constexpr double kScanStart = 1000, kCellsStart = 600, kSummaryStart = 400, kZoneStart = 200;
inline constexpr double kBlock = 300;           // latch, pins, zone map
inline constexpr double kFoldedBlock = 2;       // of a table whose folds are kept: a run is found in 30 ns, a change in 16 folds it again
inline constexpr double kLookup = 700;          // one key
inline constexpr double kValue = 0.35;          // one value of a column decoded
inline constexpr double kFilterRow = 0.4;       // one condition on one row
inline constexpr double kProbeRow = 6;          // one join
inline constexpr double kGroupRow = 2, kUngroupedRow = 0.5, kAggregateRow = 0.5;
inline constexpr double kCell = 3, kCellMeasure = 2;
inline constexpr double kLimbStart = 600, kLimbField = 0.4;
inline constexpr double kLimbRow = 0.8;         // counting one row into a limb that will be kept: half of what it takes
inline constexpr double kLimbCell = 1.5;        // one cell of a summary into a limb
inline constexpr double kWake = 62'000;         // a worker: plans below it stay on one thread

// What a row costs above the scan: joins, grouping, aggregates.
struct Above {
  size_t joins = 0, keys = 0, aggregates = 0;
  double row() const {
    return static_cast<double>(joins) * kProbeRow + (keys > 0 ? kGroupRow * static_cast<double>(keys) : kUngroupedRow) +
           static_cast<double>(aggregates) * kAggregateRow;
  }
};

// The path is chosen as for this many threads whatever the setting is: another path may list unordered groups in another order (C17).
inline constexpr uint32_t kThreads = 2;

inline double parallel(double ns, double blocks, uint32_t threads) {
  if (threads < 2 || ns < kWake) return ns;
  return std::min(ns, kWake + ns / std::min<double>(threads, std::max(blocks, 1.0)));
}

inline double scan(double blocks, double rows, size_t columns, size_t filters, double passing, const Above& above, uint32_t threads) {
  const double read = blocks * kBlock + rows * (kValue * static_cast<double>(columns) + kFilterRow * static_cast<double>(filters));
  return kScanStart + parallel(read + passing * above.row(), blocks, threads);
}

// Sources of cells: `start` and `each` pay the source itself.
inline double cells(double start, double each, double count, size_t dimensions, size_t measures, double passing, const Above& above) {
  const double cell = kCell + static_cast<double>(dimensions) + kCellMeasure * static_cast<double>(measures);
  return start + each + count * cell + passing * 2 * above.row();  // 128-bit sums: twice a plain row
}

}  // namespace hdb::cost
