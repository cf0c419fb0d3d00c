#include "plan/part_keys.h"

#include <algorithm>

#include "plan/make.h"
#include "store/date_part.h"

namespace hdb {
namespace {

bool mentions(const Expr& e, ColumnId id) {
  if (e.kind == ExprKind::kColumn && e.column == id) return true;
  return std::any_of(e.args.begin(), e.args.end(), [&](const ExprPtr& a) { return mentions(*a, id); });
}

bool mentioned_below(const Node& node, ColumnId id) {
  const auto in = [&](const std::vector<ExprPtr>& list) { return std::any_of(list.begin(), list.end(), [&](const ExprPtr& e) { return mentions(*e, id); }); };
  if (in(node.filters) || in(node.conjuncts) || in(node.left_keys) || in(node.right_keys)) return true;
  return std::any_of(node.inputs.begin(), node.inputs.end(), [&](const NodePtr& input) { return mentioned_below(*input, id); });
}

// A date function of the column whose field is a constant of the execution. *values_max as date_part_values().
bool is_part_of(const Expr& key, ColumnId id, uint32_t* values_max) {
  if (key.kind != ExprKind::kCall || (key.function != Function::kExtract && key.function != Function::kDateTrunc)) return false;
  if (key.args.size() != 2 || key.args[1]->kind != ExprKind::kColumn || key.args[1]->column != id || has_columns(*key.args[0])) return false;
  *values_max = 0;
  if (!is_constant(*key.args[0])) return true;
  const Value& name = key.args[0]->constant;
  const auto field = name.null ? std::nullopt : date_field(name.text);
  const bool truncate = key.function == Function::kDateTrunc;
  if (!field || (truncate && !can_truncate(*field))) return false;
  *values_max = date_part_values({*field, truncate, false, false});
  return true;
}

}  // namespace

void find_parted(const Region& region, RegionScan* s) {
  for (const ScanColumn& c : s->node->columns) {
    const TypeId type = s->node->table->columns[c.ordinal].type.id;
    if (type != TypeId::kDate && type != TypeId::kTimestamp) continue;
    std::vector<uint32_t> found;
    bool other = mentioned_below(*region.aggregate->inputs[0], c.id);
    for (const NamedExpr& key : region.aggregate->exprs) {
      uint32_t values_max = 0;
      if (is_part_of(*key.expr, c.id, &values_max)) found.push_back(values_max);
      else other = other || mentions(*key.expr, c.id);
    }
    for (const Aggregate& a : region.aggregate->aggregates) other = other || (a.argument != nullptr && mentions(*a.argument, c.id));
    if (other) continue;
    for (const uint32_t values_max : found) s->parted.emplace_back(c.ordinal, values_max);
  }
}

void put_parts(const Region& region, const RegionScan& s, Plan* plan) {
  Node& scan = *s.node;
  std::vector<ScanColumn> columns;
  for (const ScanColumn& c : scan.columns) {
    if (std::none_of(s.parted.begin(), s.parted.end(), [&](const auto& p) { return p.first == c.ordinal; })) {
      columns.push_back(c);
      continue;
    }
    const size_t first = columns.size();
    for (NamedExpr& key : region.aggregate->exprs) {
      uint32_t values_max = 0;
      if (!is_part_of(*key.expr, c.id, &values_max)) continue;
      const auto same = std::find_if(columns.begin() + static_cast<long>(first), columns.end(), [&](const ScanColumn& d) { return equal(*d.derived, *key.expr); });
      const ColumnId id = same != columns.end() ? same->id : plan->next_column++;
      if (same == columns.end()) columns.push_back({id, c.ordinal, key.expr, c.id});
      key.expr = make_column(id, key.expr->type, key.expr->position);
    }
  }
  scan.columns = std::move(columns);
}

}  // namespace hdb
