// plan/route_cells.h: can cells stand in for the rows of a scan below an aggregate, and what the aggregate becomes then.
//
// What:       a Region is an aggregate and the joins, filters and scans below it. paths() weighs every cells path of every scan of the
//             region; apply() turns one of them into the plan.
// Invariants: R3 a column that a filter, a join, a group key, MIN, MAX or DISTINCT looks at must be a dimension; SUM, AVG and COUNT of a plain
//                column (or of a CASE that chooses among measures, 0 and NULL) may be measures instead; any other exact expression over
//                dimensions is multiplied by the cell's weight.
//             R4 a scan on the side of a LEFT JOIN that may be NULL never reads cells.
//             R6 a DATE or TIMESTAMP dimension that only group keys look at, and those by EXTRACT or DATE_TRUNC, is read as these parts: the cells are
//                added up by them, and the keys are plain columns.
//             R5 DOUBLE sums decline: they are not kept as cells yet.
// Callers:    plan/ (route).
// Held by:    src/plan/route_test.cc, src/engine/date_keys_test.cc
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "plan/cost.h"
#include "plan/logical.h"
#include "plan/route.h"

namespace hdb {

struct RegionScan {
  NodePtr node;
  bool nullable = false;             // R4
  std::vector<std::pair<uint32_t, uint32_t>> parted;  // R6: ordinal, and how many values its parts have at most (0: not known)
  std::vector<uint32_t> looked_at;   // ordinals that filters, joins and group keys use; sorted
  double rows = 0, passing = 0, blocks = 0;
  double scan_cost = 0;
};

struct Region {
  NodePtr aggregate;
  std::vector<RegionScan> scans;
  std::vector<const Node*> joins;
  bool bare = true;                  // nothing but one scan below the aggregate
  cost::Above above;
};

struct CellsPath {
  size_t scan = 0;                   // of Region::scans
  AccessKind kind = AccessKind::kZoneSums;
  std::shared_ptr<const IndexDef> index;
  std::vector<uint32_t> dimensions, measures;  // ordinals, sorted
  bool extremes = false;
  double cost = 0;
  std::string declined;              // why not; empty: it serves
};

// False: something below the aggregate is neither join, filter nor scan.
bool make_region(const NodePtr& aggregate, uint32_t threads, Region* region);
std::vector<CellsPath> cells_paths(const Region& region, const RouteSettings& settings);
void apply_cells(const Region& region, const CellsPath& path, Plan* plan);
std::string path_name(const CellsPath& path);

}  // namespace hdb
