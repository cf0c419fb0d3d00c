// plan/rewrite.h: the rewrites that hold whatever the data: filters go down to scans, joins get keys and an order, columns are pruned.
//
// What:       rewrite() turns the binder's tree (whose scans list no columns yet) into the plan that route() takes.
// Invariants: Q1 a filter moves below a LEFT JOIN only on the side that keeps all rows, or where it rejects the NULLs of the other side.
//             Q2 every column that a node puts out is used above it, or by its own filters (Node::filter_only).
//             Q3 a filter that may raise never moves ahead of one that could have spared it (B2): they stay in the order written.
// Callers:    plan/ (binder; route for prune).
// Held by:    src/plan/rewrite_test.cc
#pragma once

#include <vector>

#include "plan/logical.h"

namespace hdb {

struct ScanInfo {
  std::shared_ptr<Node> node;  // a scan or table function
  ColumnId base = 0;           // its columns have the ids base .. base + count - 1
  uint32_t count = 0;
};

void rewrite(Plan* plan, std::vector<ScanInfo>& scans);
void push_down(Plan* plan, const std::vector<ScanInfo>& scans);  // rewrite_joins.cc: filters, join keys, join order
void prune(Plan* plan, const std::vector<ScanInfo>& scans);
// Lists the outputs of node and what is below it again; `needed` by column id: what is used above.
void prune_node(const NodePtr& node, std::vector<bool>& needed);
NodePtr drop_empty_projects(NodePtr node);

// Rows that a relation is likely to put out after its filters.
double estimate_rows(const Node& node);
double selectivity(const Expr& condition);
// Is every row of `table` told apart by these columns (a primary or unique key within them)?
bool covers_unique_key(const TableDef& table, const std::vector<uint32_t>& ordinals);

}  // namespace hdb
