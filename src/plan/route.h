// plan/route.h: how each scan of a plan gets its rows: the cheapest of zone sums, block cells, summary, limb, index, scan.
//
// What:       route() sets Node::access of every scan and, where cells serve an aggregate, swaps its functions for their merge forms (N3).
//             Cells are weighted rows: a scan below joins and filters may be replaced by them if every column that something other than
//             SUM, AVG or COUNT looks at is a dimension. At most one scan below an aggregate is read as cells.
// Invariants: R1 the result is that of the scan, whatever is chosen: a path that cannot promise it declines with a reason.
//             R2 with summary_mode = force a query that reads tables and is served by no summary is 0A000 with the reason.
// Cost:       plan/cost.h. Estimates only: a plan stays right when tables change, still_fits() says whether it is still well chosen.
// Callers:    engine/. Thread-safe for different plans; a plan is routed once.
// Held by:    src/plan/route_test.cc, oracle/ (every path against the scan)
#pragma once

#include "plan/logical.h"
#include "txn/snapshot.h"

namespace hdb {

enum class SummaryMode : uint8_t { kAuto, kOff, kForce };

struct RouteSettings {
  SummaryMode summary_mode = SummaryMode::kAuto;
  bool zone_sums = true;
  bool block_cells = true;
  bool indexes = true;
  bool limbs = true;                   // may queries keep and use limbs (C16); with summary_mode = auto only
  bool explain = false;                // note every path that declined, and why
  const Snapshot* snapshot = nullptr;  // the reader's: a summary that does not serve it declines. Null: any newest reader.
};

void route(Plan& plan, const RouteSettings& settings);

// Would the plan, made earlier and kept in a cache, be chosen again? False when a summary of it does not serve the snapshot (then it must not
// run), or when a table's size has changed by so much that another path may win.
bool still_fits(const Plan& plan, const Snapshot& snapshot);

}  // namespace hdb
