// Pruning of columns, and the order of the rewrites. Filters and joins are in rewrite_joins.cc.
#include "plan/rewrite.h"

#include <algorithm>

#include "base/limits.h"
#include "plan/make.h"

namespace hdb {
namespace {

template <class F>
void each_expr(const Node& node, const F& f) {
  const auto all = [&](const std::vector<ExprPtr>& list) {
    for (const ExprPtr& e : list) f(*e);
  };
  all(node.filters);
  all(node.conjuncts);
  all(node.left_keys);
  all(node.right_keys);
  all(node.arguments);
  all(node.access.key);
  for (const NamedExpr& e : node.exprs) f(*e.expr);
  for (const Aggregate& a : node.aggregates) {
    if (a.argument) f(*a.argument);
    if (a.value_count) f(*a.value_count);
  }
  for (const SortKey& k : node.keys) f(*k.expr);
}

void mark(const Expr& e, std::vector<bool>& used) {
  if (e.kind == ExprKind::kColumn && e.column < used.size()) used[e.column] = true;
  for (const ExprPtr& a : e.args) mark(*a, used);
}

void mark_all(const Node& node, std::vector<bool>& used) {
  each_expr(node, [&](const Expr& e) { mark(e, used); });
  for (const NodePtr& input : node.inputs) mark_all(*input, used);
}

// Marks what a node itself uses for as long as it lives.
class Uses {
 public:
  Uses(const Node& node, std::vector<bool>& needed) : needed_(needed) {
    each_expr(node, [&](const Expr& e) { add(e); });
  }
  ~Uses() {
    for (const ColumnId id : added_) needed_[id] = false;
  }
  Uses(const Uses&) = delete;
  Uses& operator=(const Uses&) = delete;

 private:
  void add(const Expr& e) {
    if (e.kind == ExprKind::kColumn && !needed_[e.column]) {
      needed_[e.column] = true;
      added_.push_back(e.column);
    }
    for (const ExprPtr& a : e.args) add(*a);
  }
  std::vector<bool>& needed_;
  std::vector<ColumnId> added_;
};

void prune_scan(Node& scan, const std::vector<bool>& needed) {
  const auto middle = std::stable_partition(scan.columns.begin(), scan.columns.end(), [&](const ScanColumn& c) { return needed[c.id]; });
  scan.filter_only = static_cast<uint32_t>(scan.columns.end() - middle);
  scan.output.clear();
  scan.output.reserve(scan.columns.size() + 1);
  for (const ScanColumn& c : scan.columns) scan.output.push_back({c.id, {}, c.derived ? c.derived->type : scan.table->columns[c.ordinal].type});
  const auto hidden = [&](ColumnId id, const Type& type) {
    if (id != kNoColumn) scan.output.push_back({id, {}, type});
  };
  hidden(scan.access.weight, Type::bigint());
  for (const MeasureColumns& m : scan.access.measures) {
    const Type& own = scan.table->columns[m.measure].type;
    hidden(m.sum, Type::decimal(kDecimalDigitsMax, own.id == TypeId::kDecimal ? own.scale : 0));
    hidden(m.count, Type::bigint());
    hidden(m.min, own);
    hidden(m.max, own);
  }
  hidden(scan.row_id, Type::bigint());
}

}  // namespace

void prune_node(const NodePtr& node, std::vector<bool>& needed) {
  if (node->kind == NodeKind::kProject) {
    // Only what is used above; what its outputs are made of is decided by what is left.
    std::erase_if(node->exprs, [&](const NamedExpr& e) { return !needed[e.output.id]; });
  }
  if (node->kind == NodeKind::kScan) return prune_scan(*node, needed);
  {
    const Uses uses(*node, needed);
    if (node->kind == NodeKind::kInsert || node->kind == NodeKind::kUpdate || node->kind == NodeKind::kDelete) {
      for (const OutputColumn& o : node->inputs[0]->output) needed[o.id] = true;
    }
    for (const NodePtr& input : node->inputs) prune_node(input, needed);
  }
  switch (node->kind) {
    case NodeKind::kFilter: case NodeKind::kSort: case NodeKind::kLimit: case NodeKind::kDistinct:
      node->output = node->inputs[0]->output;
      break;
    case NodeKind::kProject:
      node->output.clear();
      for (const NamedExpr& e : node->exprs) node->output.push_back(e.output);
      break;
    case NodeKind::kAggregate:
      node->output.clear();
      for (const NamedExpr& e : node->exprs) node->output.push_back(e.output);
      for (const Aggregate& a : node->aggregates) node->output.push_back({a.id, {}, a.type});
      break;
    case NodeKind::kJoin:
      node->output.clear();
      for (const NodePtr& input : node->inputs) {
        for (const OutputColumn& o : input->output) {
          if (needed[o.id]) node->output.push_back(o);
        }
      }
      break;
    default: break;
  }
}

NodePtr drop_empty_projects(NodePtr node) {
  for (NodePtr& input : node->inputs) input = drop_empty_projects(std::move(input));
  if (node->kind != NodeKind::kProject) return node;
  const std::vector<OutputColumn>& below = node->inputs[0]->output;
  if (below.size() != node->exprs.size()) return node;
  for (size_t i = 0; i < below.size(); ++i) {
    const NamedExpr& e = node->exprs[i];
    if (e.expr->kind != ExprKind::kColumn || e.expr->column != below[i].id || e.output.id != below[i].id) return node;
  }
  return node->inputs[0];
}

void prune(Plan* plan, const std::vector<ScanInfo>& scans) {
  std::vector<bool> used(plan->next_column);
  mark_all(*plan->root, used);
  for (const OutputColumn& o : plan->result) used[o.id] = true;
  for (const ScanInfo& info : scans) {
    if (info.node->kind != NodeKind::kScan) continue;
    for (uint32_t i = 0; i < info.count; ++i) {
      if (used[info.base + i]) info.node->columns.push_back({info.base + i, i});
    }
  }
  std::vector<bool> needed(plan->next_column);
  for (const OutputColumn& o : plan->result) needed[o.id] = true;
  prune_node(plan->root, needed);
}

void rewrite(Plan* plan, std::vector<ScanInfo>& scans) {
  push_down(plan, scans);
  prune(plan, scans);
  plan->root = drop_empty_projects(std::move(plan->root));
}

bool covers_unique_key(const TableDef& table, const std::vector<uint32_t>& ordinals) {
  for (const auto& index : table.indexes) {
    if (index->kind != IndexKind::kPrimary && index->kind != IndexKind::kUnique) continue;
    const auto has = [&](uint32_t c) { return std::find(ordinals.begin(), ordinals.end(), c) != ordinals.end(); };
    if (std::all_of(index->columns.begin(), index->columns.end(), has)) return true;
  }
  return false;
}

}  // namespace hdb
