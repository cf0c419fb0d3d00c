// exec/scan_source.h: the source of a plan's scan node: rows of a table, block by block, as of the snapshot.
//
// What:       pins each block, prunes it by its zone map, evaluates simple conjuncts on the encoded column (integer ranges on offsets, dictionary
//             conjuncts as a test on codes) into a selection bitmap, the rest on the rows that are left, and gathers what the plan wants.
// Invariants: C1 only rows of the snapshot come out, in order of their row ids. B2 a conjunct that may fail is evaluated after those before it, and on
//             the rows that they left. U1 chunks live in the worker's scratch memory.
// Callers:    exec/build. One source for a pipeline; run() is called by many workers.
// Held by:    src/exec/scan_test.cc, oracle/, properties/
#pragma once

#include <memory>

#include "exec/pipeline.h"

namespace hdb {

// scan: a kScan node with access kScan. A morsel is kSegmentBlocks blocks. Columns come out in the order of Node::columns, then the row id if asked.
std::unique_ptr<Source> scan_source(std::shared_ptr<const Node> scan, ExecContext& context);

// scan: access kIndexLookup: at most one row, by a unique key (one morsel).
std::unique_ptr<Source> lookup_source(std::shared_ptr<const Node> scan, ExecContext& context);

// scan: access kZoneSums, kBlockCells, kSummary, kLimb: dimension columns, then weight, then for each measure sum, count, min, max as far as they
// have an id (the order of scan_output). The node's filters are applied to the cells.
std::unique_ptr<Source> cells_source(std::shared_ptr<const Node> scan, ExecContext& context);

// What any of these puts out, in order.
ColumnMap scan_output(const Node& scan);

}  // namespace hdb
