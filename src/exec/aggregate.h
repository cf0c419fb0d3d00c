// exec/aggregate.h: GROUP BY, DISTINCT and ungrouped aggregates as a sink, and their groups as a source.
//
// What:       each worker groups what it gets; the groups are merged, put in the order of their first row, and read back as rows.
// Invariants: C17 groups come out in the order of first appearance by (morsel, row). G4 without keys there is exactly one group, rows or not.
// Callers:    exec/build.
// Held by:    src/exec/aggregate_test.cc
#pragma once

#include "exec/aggregate_state.h"
#include "exec/key_table.h"
#include "exec/pipeline.h"

namespace hdb {

// A worker's groups, and after the merge all of them.
struct Groups {
  std::unique_ptr<KeyTable> keys;                       // null: no keys, one group
  std::vector<std::unique_ptr<AggregateState>> states;
  std::vector<uint64_t> first_seen;                     // morsel << 32 | row in the morsel
  uint32_t size = 0;
};

class AggregateSink final : public Sink {
 public:
  AggregateSink(const Node& node, ColumnMap input, uint64_t rows_hint, MemoryBudget* budget);
  std::unique_ptr<Operator> instance(Worker& worker) override;
  void finish(Worker& worker, std::vector<std::unique_ptr<Operator>>& instances) override;
  std::unique_ptr<Source> source();

  std::unique_ptr<Groups> make_groups() const;
  const Node& node() const { return node_; }
  const ColumnMap& input() const { return input_; }
  MemoryBudget* budget() const { return budget_; }

 private:
  const Node& node_;
  ColumnMap input_;
  uint64_t rows_hint_;
  MemoryBudget* budget_;
  std::shared_ptr<Groups> groups_;
  std::shared_ptr<std::vector<uint32_t>> order_;  // null: as numbered
};

}  // namespace hdb
