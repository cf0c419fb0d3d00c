// plan/limb_shape.h: aggregates that a limb can answer: over one table by a wide key, or over its join with a table by that table's own key.
//
// What:       limb_shape() looks at the region below an aggregate. If it is rows of one table (the fact), grouped by a key and by columns with few
//             values, or their inner join with one other table (the dimension) over a unique key of that, it says so: which columns are the
//             limb's, what is read of the dimension, and the aggregate in merge form over cells. A LEFT JOIN may keep the fact's rows.
// Invariants: R3 as for all cells. L1 a filter of the fact looks at locals only or at the key only, so they choose among cells. L2 a dimension's row is met by a key at
//             most once (its key is unique), so no cell is counted twice.
// Callers:    plan/ (route), exec/limb_aggregate. Immutable after routing.
// Held by:    src/engine/kept_limb_test.cc
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plan/logical.h"
#include "txn/snapshot.h"

namespace hdb {

struct Region;
class Summary;

struct LimbMeasureColumns {
  uint32_t ordinal = 0;               // of the fact
  ColumnId sum = kNoColumn, count = kNoColumn;
};

struct LimbShape {
  const Node* fact = nullptr;
  const Node* dimension = nullptr;    // null: no join
  bool left = false;                  // fact LEFT JOIN dimension: keys that it does not have are a group with NULLs
  std::vector<ExprPtr> local_filters, key_filters;  // the fact's filters, by what they look at
  uint32_t key = 0, dimension_key = 0;  // ordinals
  std::vector<ColumnId> key_ids;      // under which group keys ask for the key's value
  std::vector<ScanColumn> locals;     // of the fact: the first `grouped` are looked at by group keys, the others by filters only
  uint32_t grouped = 0;
  std::vector<ScanColumn> attributes; // of the dimension, that group keys look at (not its key)
  ColumnId weight = kNoColumn;
  std::vector<LimbMeasureColumns> measures;
  Node merged;                        // the aggregate over cells
  bool plain = true;                  // every group key is a column, so groups of cells are groups of the result
  std::string text;                   // "(customer_id, status)", for EXPLAIN
};

// Null if the region is not of this form. Takes new column ids from the plan.
std::shared_ptr<const LimbShape> limb_shape(const Region& region, Plan* plan);

// The columns of the fact that the limb needs, as ordinals.
void limb_columns(const LimbShape& shape, std::vector<uint32_t>* locals, std::vector<uint32_t>* measures);
// The summary with the fewest cells whose cells the limb can be read off at the snapshot. Null: none.
std::shared_ptr<const Summary> limb_summary(const LimbShape& shape, const Snapshot& snapshot);

}  // namespace hdb
