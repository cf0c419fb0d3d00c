// plan/part_keys.h: group keys that look at a date only by its parts (EXTRACT, DATE_TRUNC), over the cells of a summary.
//
// What:       finds the columns of a scan that R6 (plan/route_cells.h) speaks of, and puts plain columns in the keys' place.
// Callers:    plan/route_cells.
// Held by:    src/plan/route_test.cc, src/engine/date_keys_test.cc
#pragma once

#include "plan/route_cells.h"

namespace hdb {

// Fills s->parted, which must be empty.
void find_parted(const Region& region, RegionScan* s);
// The region's aggregate has its merge form. Gives the scan a derived column for each such key.
void put_parts(const Region& region, const RegionScan& s, Plan* plan);

}  // namespace hdb
