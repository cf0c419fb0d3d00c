// Filters to the scans, conditions to join keys, joins into an order: greedy, from the largest relation on, so that each further one
// is the build side.
#include <algorithm>
#include <bit>
#include <memory>

#include "exact/decimal.h"
#include "plan/make.h"
#include "plan/rewrite.h"
#include "plan/type_rules.h"
#include "store/table.h"

namespace hdb {
namespace {

using Mask = uint64_t;  // of scans; kJoinTablesMax is 64
using Conjuncts = std::vector<ExprPtr>;

class Pusher {
 public:
  explicit Pusher(const std::vector<ScanInfo>& scans) : scans_(scans) {
    for (const ScanInfo& s : scans) ends_.push_back(s.base + s.count);
  }

  NodePtr push(NodePtr node, Conjuncts conjuncts) {
    switch (node->kind) {
      case NodeKind::kFilter:
        conjuncts.insert(conjuncts.begin(), node->conjuncts.begin(), node->conjuncts.end());
        return push(node->inputs[0], std::move(conjuncts));
      case NodeKind::kScan:
        node->filters.insert(node->filters.end(), std::make_move_iterator(conjuncts.begin()), std::make_move_iterator(conjuncts.end()));
        return node;
      case NodeKind::kJoin:
        return node->join == JoinKind::kLeft ? push_left(std::move(node), std::move(conjuncts)) : push_group(std::move(node), std::move(conjuncts));
      default: break;
    }
    for (NodePtr& input : node->inputs) input = push(std::move(input), {});
    return filtered(std::move(node), std::move(conjuncts));
  }

 private:
  struct Relation {
    NodePtr node;
    Mask mask = 0;
    Mask equal_to = 0;   // scans that some equality ties it to
    double rows = 0;
    Conjuncts own;
  };
  struct Condition {
    ExprPtr expr;
    Mask mask = 0;
    bool used = false;
  };

  static NodePtr filtered(NodePtr node, Conjuncts conjuncts) {
    if (conjuncts.empty()) return node;
    auto filter = std::make_shared<Node>();
    filter->kind = NodeKind::kFilter;
    filter->inputs.push_back(std::move(node));
    filter->conjuncts = std::move(conjuncts);
    return filter;
  }

  Mask mask_of(const Expr& e) const {
    Mask m = 0;
    if (e.kind == ExprKind::kColumn) {
      const auto at = std::upper_bound(ends_.begin(), ends_.end(), e.column);
      if (at != ends_.end()) m = Mask{1} << (at - ends_.begin());
    }
    for (const ExprPtr& a : e.args) m |= mask_of(*a);
    return m;
  }

  Mask mask_of(const Node& node) const {
    Mask m = 0;
    for (size_t i = 0; i < scans_.size(); ++i) {
      if (scans_[i].node.get() == &node) m = Mask{1} << i;
    }
    for (const NodePtr& input : node.inputs) m |= mask_of(*input);
    return m;
  }

  // Is it never true where the column is NULL, for some column of `side`?
  bool rejects_nulls(const Expr& e, Mask side) const {
    const auto is_column = [&](const Expr& a) { return a.kind == ExprKind::kColumn && (mask_of(a) & side) != 0; };
    if (e.kind == ExprKind::kIn) return is_column(*e.args[0]);
    if (e.kind != ExprKind::kCall) return false;
    switch (e.function) {
      case Function::kEqual: case Function::kNotEqual: case Function::kLess: case Function::kLessEqual: case Function::kGreater:
      case Function::kGreaterEqual: case Function::kLike: case Function::kILike: case Function::kIsNotNull:
        return std::any_of(e.args.begin(), e.args.end(), [&](const ExprPtr& a) { return is_column(*a); });
      default: return false;
    }
  }

  NodePtr push_left(NodePtr node, Conjuncts conjuncts) {
    const Mask left = mask_of(*node->inputs[0]), right = mask_of(*node->inputs[1]);
    for (const ExprPtr& c : conjuncts) {
      if (rejects_nulls(*c, right)) {  // Q1: rows without a partner do not pass anyway
        node->join = JoinKind::kInner;
        return push_group(std::move(node), std::move(conjuncts));
      }
    }
    Conjuncts to_left, to_right, above, on = std::move(node->conjuncts);
    node->conjuncts.clear();
    for (ExprPtr& c : conjuncts) {
      const Mask m = mask_of(*c);
      const bool ahead = can_raise(*c) && !above.empty();
      ((m & right) == 0 && !ahead ? to_left : above).push_back(std::move(c));
    }
    for (ExprPtr& c : on) {
      const Mask m = mask_of(*c);
      if (m != 0 && (m & left) == 0 && !(can_raise(*c) && !node->conjuncts.empty())) {
        to_right.push_back(std::move(c));
      } else if (!take_key(*node, c, left, right)) {
        node->conjuncts.push_back(std::move(c));
      }
    }
    node->inputs[0] = push(node->inputs[0], std::move(to_left));
    node->inputs[1] = push(node->inputs[1], std::move(to_right));
    return filtered(std::move(node), std::move(above));
  }

  // left = right as a pair of keys of one type.
  bool take_key(Node& join, const ExprPtr& c, Mask left, Mask right) const {
    if (c->kind != ExprKind::kCall || c->function != Function::kEqual) return false;
    ExprPtr a = c->args[0], b = c->args[1];
    Mask x = mask_of(*a), y = mask_of(*b);
    if ((x & ~right) == 0 && (y & ~left) == 0) {
      std::swap(a, b);
      std::swap(x, y);
    }
    if (x == 0 || y == 0 || (x & ~left) != 0 || (y & ~right) != 0) return false;
    if (!(a->type == b->type)) {
      const int whole = std::max(a->type.precision - a->type.scale, b->type.precision - b->type.scale);
      const int scale = std::max(a->type.scale, b->type.scale);
      if (a->type.id != TypeId::kDecimal || b->type.id != TypeId::kDecimal || whole + scale > kDecimalDigits) return false;
      const Type common = to_type(decimal_type_of(whole, scale));
      a = make_cast(a, common, c->position);
      b = make_cast(b, common, c->position);
    }
    join.left_keys.push_back(std::move(a));
    join.right_keys.push_back(std::move(b));
    return true;
  }

  void flatten(const NodePtr& node, std::vector<Relation>* relations, Conjuncts* conjuncts) {
    if (node->kind == NodeKind::kJoin && node->join != JoinKind::kLeft) {
      flatten(node->inputs[0], relations, conjuncts);
      flatten(node->inputs[1], relations, conjuncts);
      conjuncts->insert(conjuncts->end(), node->conjuncts.begin(), node->conjuncts.end());
      return;
    }
    Relation r;
    r.node = node;
    r.mask = mask_of(*node);
    relations->push_back(std::move(r));
  }

  static size_t relation_of(const std::vector<Relation>& relations, Mask m) {
    size_t i = 0;
    while (i + 1 < relations.size() && (relations[i].mask & m) == 0) ++i;
    return i;
  }

  // Single-relation conditions go to their relation; the rest stays for the joins.
  void distribute(Conjuncts conjuncts, std::vector<Relation>* relations, std::vector<Condition>* conditions) const {
    bool kept = false;
    for (ExprPtr& c : conjuncts) {
      const Mask m = mask_of(*c);
      Relation& first = (*relations)[relation_of(*relations, m)];
      if ((m & ~first.mask) == 0 && !(kept && can_raise(*c))) {  // also a constant condition: the first relation decides
        first.own.push_back(std::move(c));
        continue;
      }
      if (c->kind == ExprKind::kCall && c->function == Function::kEqual) {
        const Mask x = mask_of(*c->args[0]), y = mask_of(*c->args[1]);
        if (x != 0 && y != 0) {
          (*relations)[relation_of(*relations, x)].equal_to |= y;
          (*relations)[relation_of(*relations, y)].equal_to |= x;
        }
      } else {
        kept = true;
      }
      conditions->push_back({std::move(c), m, false});
    }
  }

  NodePtr push_group(NodePtr node, Conjuncts conjuncts) {
    std::vector<Relation> relations;
    Conjuncts all;
    flatten(node, &relations, &all);
    all.insert(all.end(), std::make_move_iterator(conjuncts.begin()), std::make_move_iterator(conjuncts.end()));
    std::vector<Condition> conditions;
    distribute(std::move(all), &relations, &conditions);
    for (Relation& r : relations) {
      r.node = push(std::move(r.node), std::move(r.own));
      r.rows = estimate_rows(*r.node);
    }
    const auto largest = std::max_element(relations.begin(), relations.end(), [](const Relation& a, const Relation& b) { return a.rows < b.rows; });
    Mask joined = largest->mask;
    NodePtr made = largest->node;
    largest->node = nullptr;
    for (size_t step = 1; step < relations.size(); ++step) {
      Relation* next = nullptr;
      for (Relation& r : relations) {
        if (!r.node) continue;
        const bool tied = (r.equal_to & joined) != 0, best_tied = next != nullptr && (next->equal_to & joined) != 0;
        if (next == nullptr || (tied != best_tied ? tied : r.rows < next->rows)) next = &r;
      }
      made = join(std::move(made), joined, std::move(next->node), next->mask, &conditions);
      joined |= next->mask;
    }
    Conjuncts rest;
    for (Condition& c : conditions) {
      if (!c.used) rest.push_back(std::move(c.expr));
    }
    return filtered(std::move(made), std::move(rest));
  }

  NodePtr join(NodePtr left, Mask left_mask, NodePtr right, Mask right_mask, std::vector<Condition>* conditions) const {
    auto made = std::make_shared<Node>();
    made->kind = NodeKind::kJoin;
    made->inputs = {std::move(left), std::move(right)};
    for (Condition& c : *conditions) {
      if (c.used || (c.mask & ~(left_mask | right_mask)) != 0) continue;
      c.used = true;
      if (!take_key(*made, c.expr, left_mask, right_mask)) made->conjuncts.push_back(c.expr);
    }
    made->join = made->left_keys.empty() && made->conjuncts.empty() ? JoinKind::kCross : JoinKind::kInner;
    return made;
  }

  const std::vector<ScanInfo>& scans_;
  std::vector<ColumnId> ends_;
};

double table_rows(const Node& scan) {
  constexpr double kUnknown = 1000;
  return scan.table && scan.table->table ? static_cast<double>(scan.table->table->live_rows.load(std::memory_order_relaxed)) : kUnknown;
}

}  // namespace

double selectivity(const Expr& e) {
  switch (e.kind) {
    case ExprKind::kAnd: {
      double s = 1;
      for (const ExprPtr& a : e.args) s *= selectivity(*a);
      return s;
    }
    case ExprKind::kOr: {
      double s = 0;
      for (const ExprPtr& a : e.args) s += selectivity(*a);
      return std::min(s, 1.0);
    }
    case ExprKind::kIn: return std::min(0.1 * static_cast<double>(e.args.size() - 1), 0.9);
    case ExprKind::kConstant: return is_true(e) ? 1 : 0;
    case ExprKind::kCall: break;
    default: return 0.5;
  }
  switch (e.function) {
    case Function::kEqual: case Function::kIsNull: case Function::kNotDistinctFrom: return 0.1;
    case Function::kLess: case Function::kLessEqual: case Function::kGreater: case Function::kGreaterEqual: return 0.33;
    case Function::kLike: case Function::kILike: case Function::kStartsWith: return 0.25;
    default: return 0.9;
  }
}

double estimate_rows(const Node& node) {
  switch (node.kind) {
    case NodeKind::kScan: {
      double rows = table_rows(node);
      for (const ExprPtr& f : node.filters) rows *= selectivity(*f);
      return rows;
    }
    case NodeKind::kValues: return static_cast<double>(node.rows.size());
    case NodeKind::kTableFunction: return 1;
    case NodeKind::kFilter: {
      double rows = estimate_rows(*node.inputs[0]);
      for (const ExprPtr& f : node.conjuncts) rows *= selectivity(*f);
      return rows;
    }
    case NodeKind::kJoin: {
      const double left = estimate_rows(*node.inputs[0]), right = estimate_rows(*node.inputs[1]);
      return node.left_keys.empty() ? left * right : std::max(left, right);
    }
    default: return node.inputs.empty() ? 1 : estimate_rows(*node.inputs[0]);
  }
}

void push_down(Plan* plan, const std::vector<ScanInfo>& scans) {
  plan->root = Pusher(scans).push(std::move(plan->root), {});
}

}  // namespace hdb
