// plane/block_cells.h: the cells of one block over 1 to 3 columns of few values, kept from first use; and zone sums as cells.
//
// What:       computed when a query first asks; attached to the block (BlockExtension), adjusted in place by writers under the block's latch, and
//             used only for a snapshot that sees the block as it is now; otherwise that one block is computed from its rewound view.
// Invariants: C6 kept cells belong to the latest state; they are installed only if the block's version has not moved since the view was pinned.
// Callers:    exec/ (sources), plan/ (estimates). Thread-safe: the block's latch guards the kept cells.
// Held by:    spec/planes.md, src/plane/plane_test.cc, properties/
#pragma once

#include <span>
#include <string>
#include <vector>

#include "plane/cells.h"
#include "store/table.h"
#include "txn/block_view.h"

namespace hdb {

inline constexpr uint32_t kBlockCellsDimensionsMax = 3;
inline constexpr uint32_t kBlockCellsMax = 4096;       // cells a block; more are not kept and not estimated as eligible
inline constexpr uint32_t kBlockCellsSetsMax = 16;     // different dimension sets kept a block, and
inline constexpr uint32_t kBlockCellsKeptMax = 16'384; // their cells; the oldest gives way

// The columns that a view must pin for these cells: dimensions, then measures.
std::vector<uint32_t> block_cells_columns(const CellRequest& request);

// Can block cells over these columns serve? Estimates the cells a block, and of the whole table when they are folded; *reason says why not.
bool block_cells_eligible(const Table& table, const CellRequest& request, uint32_t* cells_per_block, double* cells_whole, std::string* reason);

// The cells of the viewed block (its view opened with block_cells_columns(request), under an epoch guard): the kept ones, or computed and, if
// `keep`, attached. May exceed kVectorRows rows: exec/ slices it.
void read_block_cells(const Table& table, const BlockView& view, const CellRequest& request, bool keep, CellBatch* out);

// Does append_zone_sums need no column of this view?
bool zones_suffice(const BlockView& view, const CellRequest& request);
// One cell for the whole block, no dimensions: from the zone map if view.current(), else counted from the rows. view: opened with request.measures.
// Appends a row to the batch (nothing if the block has no visible row). Extremes are found again where the zone's bounds are loose.
void append_zone_sums(const Table& table, const BlockView& view, const CellRequest& request, CellBatch* out);

}  // namespace hdb
