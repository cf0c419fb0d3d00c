// exec/aggregate_state.h: the running states of one aggregate function, one for each group.
//
// What:       update() takes rows with their group's number, merge() takes another worker's states, result() gives the values.
// Invariants: G1 results do not depend on order, cutting or merging (exact sums; MIN and MAX under a total order).
//             G2 with no non-NULL value SUM, AVG, MIN, MAX are NULL; COUNT and kMergeCount are 0.
//             G3 a result outside of its type is 22003 with the aggregate's position, and only when it is asked for: for BIGINT the message
//                names sum_exact.
// Callers:    exec/aggregate. One owner.
// Held by:    src/exec/aggregate_test.cc, cases 1-8 and 10-12 of the case list
#pragma once

#include <memory>
#include <vector>

#include "exec/scratch.h"
#include "exec/vector_ops.h"
#include "plan/expression.h"

namespace hdb {

class MemoryBudget;

class AggregateState {
 public:
  virtual ~AggregateState() = default;
  virtual void resize(uint32_t groups) = 0;
  // groups[i]: of row i; null: all rows belong to group 0. value: the argument (unset for COUNT(*)); counts: of the merge kinds.
  virtual void update(const uint32_t* groups, uint32_t rows, const Vector& value, const Vector& counts, Scratch& scratch) = 0;
  // Group i of `other` goes to groups[i] here. `other` has the same class.
  virtual void merge(const AggregateState& other, const uint32_t* groups, uint32_t count, Scratch& scratch) = 0;
  // Of the groups with these numbers.
  virtual Vector result(const uint32_t* groups, uint32_t count, Scratch& scratch) const = 0;
  virtual uint64_t bytes() const = 0;
};

std::unique_ptr<AggregateState> make_state(const Aggregate& aggregate, uint64_t rows_hint, MemoryBudget* budget);
// aggregate_minmax.cc
std::unique_ptr<AggregateState> make_extreme(const Aggregate& aggregate);
// aggregate_distinct.cc: hands each distinct value of a group once to `inner`.
std::unique_ptr<AggregateState> make_distinct(const Aggregate& aggregate, std::unique_ptr<AggregateState> inner, uint64_t rows_hint, MemoryBudget* budget);

}  // namespace hdb
