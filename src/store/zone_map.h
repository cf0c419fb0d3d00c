// store/zone_map.h: what a block knows about each of its columns without reading it.
//
// What:       count of NULLs, bounds and the exact sum of the live values of one block column, kept by the writer as rows change.
// Invariants: Z1 every live non-NULL value of any state that a snapshot may need lies within [low, high]: bounds only widen while the block
//                has undo entries. Z2 not loose: low and high are values that occur. Z3 sum and nulls are exact for the latest state (C6).
// Units:      int64-lane columns: values. DOUBLE: low_real/high_real (no bounds once a NaN was seen). TEXT: no bounds, no sum.
// Callers:    store/, txn/ (writer, under the block latch); plane/ and exec/ read the copy in a BlockView.
// Held by:    src/txn/transaction_test.cc, properties/, mutants/ (zone bound narrowed under a live snapshot)
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "exact/sum128.h"
#include "store/column.h"

namespace hdb {

struct Zone {
  int64_t low = INT64_MAX, high = INT64_MIN;                 // low > high: no value yet
  double low_real = INFINITY, high_real = -INFINITY;
  uint32_t nulls = 0;                                        // live rows that are NULL
  bool loose = false;                                        // a deleted or replaced value may have been a bound
  bool unbounded = false;                                    // DOUBLE: a NaN was here; bounds say nothing
  Sum128 sum;                                                // int64-lane columns only

  void add(Lane lane, const Datum& d) {
    if (d.null) {
      ++nulls;
    } else if (lane == Lane::kInt64) {
      low = std::min(low, d.i64());
      high = std::max(high, d.i64());
      sum.add(d.i64());
    } else if (lane == Lane::kDouble) {
      const double v = d.f64();
      if (std::isnan(v)) unbounded = true;
      low_real = std::min(low_real, v);
      high_real = std::max(high_real, v);
    }
  }
  void remove(Lane lane, const Datum& d) {
    if (d.null) {
      --nulls;
    } else if (lane == Lane::kInt64) {
      if (d.i64() == low || d.i64() == high) loose = true;
      sum.sub(d.i64());
    } else if (lane == Lane::kDouble) {
      if (d.f64() == low_real || d.f64() == high_real) loose = true;
    }
  }
};

}  // namespace hdb
