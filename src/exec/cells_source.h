// exec/cells_source.h: sources of a scan node that do not read rows block by block: cells, and look-ups by a unique key.
//
// What:       cells come out as weighted rows: dimension columns, then weight, then for each measure sum, count, min, max as far as they have an id
//             (the order of scan_output). The node's filters are applied to them.
// Invariants: C6, P1 through plane/: cells are those of the snapshot. C8 a look-up re-checks key and visibility on the row as of the snapshot.
// Callers:    exec/build. One source for a pipeline; run() is called by many workers.
// Held by:    oracle/, properties/
#pragma once

#include <memory>

#include "exec/pipeline.h"

namespace hdb {

// scan: access kZoneSums, kBlockCells, kSummary or kLimb.
std::unique_ptr<Source> cells_source(const Node& scan, ExecContext& context);
// scan: access kIndexLookup: at most one row (one morsel).
std::unique_ptr<Source> lookup_source(const Node& scan, ExecContext& context);
// What either puts out, in order.
ColumnMap scan_output(const Node& scan);

}  // namespace hdb
