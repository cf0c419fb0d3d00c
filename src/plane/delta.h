// plane/delta.h: the changes of one transaction to the cells of a plane: pending while it is open, a delta once it has committed.
//
// What:       for each touched cell: rows, and for each measure sum and count of non-NULL values, all signed.
// Invariants: C5 the inverse of an addition finds its cell and allocates nothing. A committed delta is sorted by ordinal.
// Callers:    plane/summary. Pending: the writer only. A committed delta is read under the plane's latch.
// Held by:    src/plane/plane_test.cc
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "exact/sum128.h"

namespace hdb {

struct MeasureDelta {
  Sum128 sum;
  int64_t count = 0;
};

struct PlaneDelta {
  uint64_t commit = 0;
  uint32_t attached = 0;                 // entries [0, attached) are in the cells already (publication by chunks, C4)
  std::vector<uint32_t> ordinals;
  std::vector<int64_t> weights;
  std::vector<MeasureDelta> measures;    // entry i, measure m: [i * measure_count + m]

  size_t size() const { return ordinals.size(); }
  bool empty() const { return ordinals.empty(); }
  void clear() {
    ordinals.clear();
    weights.clear();
    measures.clear();
    attached = 0;
  }
  // Sorts by ordinal and drops entries that came to nothing.
  void normalize(size_t measure_count) {
    if (size() == 1 && weights[0] != 0) return;  // one row: nothing to sort, nothing to drop
    // A load into new cells: in order, and nothing came to nothing.
    if (std::is_sorted(ordinals.begin(), ordinals.end()) && std::find(weights.begin(), weights.end(), 0) == weights.end()) return;
    std::vector<uint32_t> order(size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return ordinals[a] < ordinals[b]; });
    PlaneDelta out;
    out.commit = commit;
    for (const uint32_t i : order) {
      bool zero = weights[i] == 0;
      for (size_t m = 0; m < measure_count; ++m) zero &= measures[i * measure_count + m].sum.is_zero() && measures[i * measure_count + m].count == 0;
      if (zero) continue;
      out.ordinals.push_back(ordinals[i]);
      out.weights.push_back(weights[i]);
      for (size_t m = 0; m < measure_count; ++m) out.measures.push_back(measures[i * measure_count + m]);
    }
    *this = std::move(out);
  }
  // Adds another committed delta (both sorted, both wholly attached). The result keeps the later commit number.
  void merge(const PlaneDelta& o, size_t measure_count) {
    PlaneDelta out;
    out.commit = std::max(commit, o.commit);
    size_t a = 0, b = 0;
    while (a < size() || b < o.size()) {
      const bool take_a = a < size() && (b >= o.size() || ordinals[a] <= o.ordinals[b]);
      const bool take_b = b < o.size() && (a >= size() || o.ordinals[b] <= ordinals[a]);
      out.ordinals.push_back(take_a ? ordinals[a] : o.ordinals[b]);
      out.weights.push_back((take_a ? weights[a] : 0) + (take_b ? o.weights[b] : 0));
      for (size_t m = 0; m < measure_count; ++m) {
        MeasureDelta sum;
        if (take_a) sum = measures[a * measure_count + m];
        if (take_b) {
          sum.sum.merge(o.measures[b * measure_count + m].sum);
          sum.count += o.measures[b * measure_count + m].count;
        }
        out.measures.push_back(sum);
      }
      a += take_a ? 1 : 0;
      b += take_b ? 1 : 0;
    }
    out.attached = static_cast<uint32_t>(out.size());
    *this = std::move(out);
  }
};

}  // namespace hdb
