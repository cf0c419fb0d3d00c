// Queries: select items, grouping, DISTINCT, ORDER BY, LIMIT, VALUES.
#include "base/error.h"
#include "plan/binder_impl.h"
#include "plan/make.h"
#include "plan/type_rules.h"

namespace hdb {
namespace {

NodePtr make_node(NodeKind kind, NodePtr input) {
  auto node = std::make_shared<Node>();
  node->kind = kind;
  if (input) node->inputs.push_back(std::move(input));
  return node;
}

NodePtr make_filter(NodePtr input, const ExprPtr& condition) {
  std::vector<ExprPtr> conjuncts;
  split_conjuncts(condition, &conjuncts);
  if (conjuncts.empty()) return input;
  NodePtr node = make_node(NodeKind::kFilter, std::move(input));
  node->conjuncts = std::move(conjuncts);
  return node;
}

const sql::Literal* ordinal_of(const sql::Expr& e) {
  if (!e.is<sql::Literal>()) return nullptr;
  const auto& literal = e.as<sql::Literal>();
  return literal.literal_kind == sql::LiteralKind::kInteger ? &literal : nullptr;
}

// A literal that became a parameter would silently stop being the number of a column.
void refuse_parameter(const sql::Expr& e) {
  if (e.is<sql::Parameter>() && e.as<sql::Parameter>().from_literal && e.as<sql::Parameter>().literal_kind == sql::LiteralKind::kInteger) {
    fail(sqlstate::kFeature, "the number of a column cannot be a parameter", e.span.begin);
  }
}

bool has_literal_parameter(const sql::Expr& e);
bool any_literal_parameter(std::initializer_list<const sql::Expr*> list) {
  for (const sql::Expr* e : list) {
    if (e != nullptr && has_literal_parameter(*e)) return true;
  }
  return false;
}
bool any_literal_parameter(const List<const sql::Expr*>& list) {
  for (const sql::Expr* e : list) {
    if (has_literal_parameter(*e)) return true;
  }
  return false;
}

bool has_literal_parameter(const sql::Expr& e) {
  switch (e.kind) {
    case sql::ExprKind::kParameter: return e.as<sql::Parameter>().from_literal;
    case sql::ExprKind::kUnary: return has_literal_parameter(*e.as<sql::Unary>().operand);
    case sql::ExprKind::kBinary: return any_literal_parameter({e.as<sql::Binary>().left, e.as<sql::Binary>().right});
    case sql::ExprKind::kLogical: return any_literal_parameter(e.as<sql::Logical>().operands);
    case sql::ExprKind::kIsNull: return has_literal_parameter(*e.as<sql::IsNull>().operand);
    case sql::ExprKind::kIsTruth: return has_literal_parameter(*e.as<sql::IsTruth>().operand);
    case sql::ExprKind::kIn: return has_literal_parameter(*e.as<sql::In>().operand) || any_literal_parameter(e.as<sql::In>().items);
    case sql::ExprKind::kBetween: {
      const auto& b = e.as<sql::Between>();
      return any_literal_parameter({b.operand, b.low, b.high});
    }
    case sql::ExprKind::kLike: {
      const auto& l = e.as<sql::Like>();
      return any_literal_parameter({l.operand, l.pattern, l.escape});
    }
    case sql::ExprKind::kCase: {
      const auto& c = e.as<sql::Case>();
      for (const sql::CaseBranch& b : c.branches) {
        if (any_literal_parameter({b.when, b.then})) return true;
      }
      return any_literal_parameter({c.operand, c.otherwise});
    }
    case sql::ExprKind::kCast: return has_literal_parameter(*e.as<sql::Cast>().operand);
    case sql::ExprKind::kCall: return any_literal_parameter(e.as<sql::Call>().arguments);
    default: return false;
  }
}

bool nulls_first(const sql::OrderItem& item) {
  if (item.nulls != sql::NullsOrder::kDefault) return item.nulls == sql::NullsOrder::kFirst;
  return !item.descending;  // INTERFACE: NULLs sort first ascending, last descending
}

}  // namespace

ExprPtr Binder::output_column(const OutputColumn& c) const { return make_column(c.id, c.type); }

NodePtr Binder::project(NodePtr input, std::vector<NamedExpr> exprs) const {
  NodePtr node = make_node(NodeKind::kProject, std::move(input));
  for (const NamedExpr& e : exprs) node->output.push_back(e.output);
  node->exprs = std::move(exprs);
  return node;
}

void Binder::expand_star(const sql::Star& star, std::vector<SelectItem>* items) {
  const size_t before = items->size();
  const auto take = [&](const ScopeTable& t, bool all) {
    for (const ScopeColumn& c : t.columns) {
      if (c.merged && !all) continue;
      items->push_back({make_column(c.id, c.type, star.span.begin), std::string(c.name), c.folded, kNoColumn});
    }
  };
  if (star.table.empty()) {
    for (const ScopeTable& t : scope_.tables) take(t, false);
  } else {
    take(scope_.require_table(star.table), true);
  }
  if (items->size() == before) fail(sqlstate::kSyntax, "SELECT * needs a table in FROM", star.span.begin);
}

void Binder::bind_items(const sql::SelectBody& body, std::vector<SelectItem>* items) {
  clause_ = "SELECT";
  for (const sql::SelectItem& item : body.items) {
    if (item.expr->is<sql::Star>()) {
      expand_star(item.expr->as<sql::Star>(), items);
    } else {
      SelectItem made{bind_expr(*item.expr), {}, {}, kNoColumn};
      if (item.alias) {
        made.name = std::string(item.alias.spelling);
        made.folded = item.alias.folded;
      } else if (item.expr->is<sql::ColumnRef>()) {
        made.name = std::string(item.expr->as<sql::ColumnRef>().column.spelling);
        made.folded = item.expr->as<sql::ColumnRef>().column.folded;
      } else {
        const sql::Span span = item.expr->span;
        made.name = std::string(text_.substr(span.begin, span.end - span.begin));
        plan_.literal_names = plan_.literal_names || has_literal_parameter(*item.expr);
      }
      items->push_back(std::move(made));
    }
    if (items->size() > kColumnsMax) {
      fail(sqlstate::kProgramLimit, "a result has at most " + std::to_string(kColumnsMax) + " columns", item.expr->span.begin);
    }
  }
}

const SelectItem* Binder::item_by_ordinal(const sql::Expr& e, const std::vector<SelectItem>& items, std::string_view clause) {
  refuse_parameter(e);
  const sql::Literal* literal = ordinal_of(e);
  if (literal == nullptr) return nullptr;
  if (literal->magnitude == 0 || literal->magnitude > items.size()) {
    fail(sqlstate::kInvalidReference, std::string(clause) + " " + std::to_string(literal->magnitude) + " is not the number of a result column",
         e.span.begin);
  }
  return &items[literal->magnitude - 1];
}

const SelectItem* Binder::item_by_name(const sql::Identifier& name, const std::vector<SelectItem>& items) {
  const SelectItem* found = nullptr;
  for (const SelectItem& item : items) {
    if (item.folded != name.folded || item.folded.empty()) continue;
    if (found != nullptr && !equal(*found->expr, *item.expr)) {
      fail(sqlstate::kAmbiguousColumn, "\"" + std::string(name.spelling) + "\" names more than one result column", name.span.begin);
    }
    if (found == nullptr) found = &item;
  }
  return found;
}

std::vector<NamedExpr> Binder::bind_group_by(const sql::SelectBody& body, const std::vector<SelectItem>& items) {
  std::vector<NamedExpr> keys;
  clause_ = "GROUP BY";
  aliases_ = &items;
  for (const sql::Expr* e : body.group_by) {
    const SelectItem* item = item_by_ordinal(*e, items, "GROUP BY");
    ExprPtr key = item != nullptr ? item->expr : bind_expr(*e);
    std::vector<ColumnId> used;
    collect_columns(*key, &used);
    for (const ColumnId id : used) {
      if (id >= from_end_) fail(sqlstate::kGrouping, "an aggregate cannot stand in GROUP BY", e->span.begin);
    }
    bool known = false;
    for (const NamedExpr& k : keys) known = known || equal(*k.expr, *key);
    if (known) continue;
    const Type type = key->type;
    // A plain column stays the column that it is.
    const ColumnId id = key->kind == ExprKind::kColumn ? key->column : new_id();
    keys.push_back({std::move(key), {id, {}, type}});
    if (keys.size() > kColumnsMax) fail(sqlstate::kProgramLimit, "GROUP BY takes at most " + std::to_string(kColumnsMax) + " keys", e->span.begin);
  }
  aliases_ = nullptr;
  return keys;
}

// e as the nodes above the aggregate see it: keys and aggregates, no columns of FROM (R1).
ExprPtr Binder::over_groups(const ExprPtr& e, const std::vector<NamedExpr>& keys) {
  for (const NamedExpr& key : keys) {
    if (key.expr->hash == e->hash && equal(*key.expr, *e)) return make_column(key.output.id, key.output.type, e->position);
  }
  if (e->kind == ExprKind::kColumn && e->column < from_end_) {
    fail(sqlstate::kGrouping, "the column \"" + std::string(scope_.name_of(e->column)) + "\" must stand in GROUP BY or in an aggregate", e->position);
  }
  if (e->args.empty()) return e;
  std::vector<ExprPtr> args;
  bool changed = false;
  for (const ExprPtr& a : e->args) {
    args.push_back(over_groups(a, keys));
    changed = changed || args.back() != a;
  }
  return changed ? with_args(*e, std::move(args)) : e;
}

ExprPtr Binder::bind_limit(const sql::Expr* e, std::string_view what) {
  if (e == nullptr) return nullptr;
  Scope none;
  std::swap(none, scope_);
  clause_ = what;
  ExprPtr bound = bind_expr(*e);
  std::swap(none, scope_);
  if (is_untyped(*bound)) bound = coercion_.to(bound, Type::bigint());
  if (bound->type.id != TypeId::kBigint) {
    fail(sqlstate::kTypeMismatch, std::string(what) + " must be BIGINT, not " + to_string(bound->type), e->span.begin);
  }
  if (is_constant(*bound) && !bound->constant.null && bound->constant.number < 0) {
    fail(sqlstate::kInvalidParameter, std::string(what) + " must not be negative", e->span.begin);
  }
  return is_null_constant(*bound) ? nullptr : bound;
}

NodePtr Binder::order_and_limit(NodePtr node, const sql::Query& query, const sql::SelectBody* body, std::vector<SelectItem>* items,
                                const std::vector<NamedExpr>* groups, NodePtr aggregate) {
  std::vector<SortKey> keys;
  std::vector<NamedExpr> hidden;
  std::vector<Aggregate>* const collected = aggregate ? &aggregate->aggregates : nullptr;
  for (const sql::OrderItem& order : query.order_by) {
    const SelectItem* item = item_by_ordinal(*order.expr, *items, "ORDER BY");
    const bool bare = order.expr->is<sql::ColumnRef>() && order.expr->as<sql::ColumnRef>().table.empty();
    if (item == nullptr && bare) item = item_by_name(order.expr->as<sql::ColumnRef>().column, *items);
    ExprPtr key = item != nullptr ? make_column(item->id, item->expr->type, order.expr->span.begin) : nullptr;
    if (!key) {
      if (body == nullptr) {
        fail(sqlstate::kUndefinedColumn, "ORDER BY of VALUES takes the number of a column", order.expr->span.begin);
      }
      clause_ = "ORDER BY";
      aliases_ = items;
      aggregates_ = collected;
      ExprPtr e = bind_expr(*order.expr);
      aliases_ = nullptr;
      aggregates_ = nullptr;
      if (!has_columns(*e)) continue;  // a constant orders nothing
      if (groups != nullptr) e = over_groups(e, *groups);
      for (const SelectItem& i : *items) {
        if (equal(*i.expr, *e)) key = make_column(i.id, i.expr->type, e->position);
      }
      if (!key) {
        if (body->distinct) {
          fail(sqlstate::kInvalidReference, "ORDER BY of SELECT DISTINCT takes only what SELECT lists", order.expr->span.begin);
        }
        const ColumnId id = e->kind == ExprKind::kColumn ? e->column : new_id();
        const Type type = e->type;
        hidden.push_back({std::move(e), {id, {}, type}});
        key = make_column(id, type);
      }
    }
    keys.push_back({std::move(key), order.descending, nulls_first(order)});
  }
  std::vector<NamedExpr> shown = node->exprs;
  if (!hidden.empty()) {
    for (NamedExpr& h : hidden) {
      bool known = false;  // two keys may be the same column
      for (const OutputColumn& o : node->output) known = known || o.id == h.output.id;
      if (known) continue;
      node->output.push_back(h.output);
      node->exprs.push_back(std::move(h));
    }
  }
  ExprPtr limit = bind_limit(query.limit, "LIMIT");
  ExprPtr offset = bind_limit(query.offset, "OFFSET");
  if (!keys.empty()) {
    node = make_node(NodeKind::kSort, std::move(node));
    node->keys = std::move(keys);
  } else if (limit || offset) {
    node = make_node(NodeKind::kLimit, std::move(node));
  }
  node->limit = std::move(limit);
  node->offset = std::move(offset);
  if (hidden.empty()) return node;
  for (NamedExpr& e : shown) e.expr = output_column(e.output);
  return project(std::move(node), std::move(shown));
}

NodePtr Binder::bind_select(const sql::Query& query, const sql::SelectBody& body, std::vector<SelectItem>* items) {
  NodePtr node = bind_from(body.from);
  if (body.where != nullptr) {
    clause_ = "WHERE";
    node = make_filter(std::move(node), condition(*body.where, "WHERE"));
  }
  std::vector<Aggregate> aggregates;
  aggregates_ = &aggregates;
  bind_items(body, items);
  aggregates_ = nullptr;
  std::vector<NamedExpr> groups = bind_group_by(body, *items);
  aggregates_ = &aggregates;
  ExprPtr having;
  if (body.having != nullptr) {
    clause_ = "HAVING";
    aliases_ = items;
    having = condition(*body.having, "HAVING");
    aliases_ = nullptr;
  }
  // An aggregate in ORDER BY alone makes a query grouped, too: bound here once to know, and again below to keep.
  bool grouped = body.has_group_by || having || !aggregates.empty();
  if (!grouped && !query.order_by.empty()) {
    for (const sql::OrderItem& order : query.order_by) {
      if (order.expr->is<sql::Call>() && is_aggregate_name(order.expr->as<sql::Call>().name.folded)) grouped = true;
    }
  }
  aggregates_ = nullptr;
  NodePtr aggregate;
  if (grouped) {
    aggregate = make_node(NodeKind::kAggregate, std::move(node));
    aggregate->exprs = groups;
    aggregate->aggregates = std::move(aggregates);
    node = aggregate;
    for (SelectItem& item : *items) item.expr = over_groups(item.expr, groups);
    if (having) node = make_filter(std::move(node), over_groups(having, groups));
  }
  std::vector<NamedExpr> shown;
  std::vector<bool> used(next_id_);
  for (SelectItem& item : *items) {
    const bool passes = item.expr->kind == ExprKind::kColumn && !used[item.expr->column];
    item.id = passes ? item.expr->column : new_id();
    if (passes) used[item.id] = true;
    shown.push_back({item.expr, {item.id, {}, item.expr->type}});
  }
  if (!body.distinct) {
    node = project(std::move(node), std::move(shown));
  } else {
    node = make_node(NodeKind::kAggregate, std::move(node));
    for (const NamedExpr& e : shown) node->output.push_back(e.output);
    node->exprs = std::move(shown);
  }
  return order_and_limit(std::move(node), query, &body, items, grouped ? &groups : nullptr, aggregate);
}

NodePtr Binder::bind_values(const sql::Query& query, const sql::ValuesBody& body, std::vector<SelectItem>* items) {
  NodePtr node = make_node(NodeKind::kValues, nullptr);
  clause_ = "VALUES";
  for (const sql::ValuesRow& row : body.rows) {
    std::vector<ExprPtr>& made = node->rows.emplace_back();
    for (const sql::Expr* e : row.values) made.push_back(bind_expr(*e));
  }
  const size_t columns = node->rows[0].size();
  for (size_t c = 0; c < columns; ++c) {
    std::vector<ExprPtr> column;
    for (const auto& row : node->rows) column.push_back(row[c]);
    const Type type = common_type(column, "VALUES");
    for (auto& row : node->rows) row[c] = coercion_.to(std::move(row[c]), type);
    const ColumnId id = new_id();
    node->output.push_back({id, {}, type});
    items->push_back({make_column(id, type), "column" + std::to_string(c + 1), {}, id});
  }
  // The projection is what ORDER BY hangs on; it goes away again when it changes nothing.
  std::vector<NamedExpr> shown;
  for (const OutputColumn& o : node->output) shown.push_back({output_column(o), o});
  return order_and_limit(project(std::move(node), std::move(shown)), query, nullptr, items, nullptr, nullptr);
}

NodePtr Binder::bind_query(const sql::Query& query, std::vector<SelectItem>* items) {
  if (query.body->is<sql::SelectBody>()) return bind_select(query, query.body->as<sql::SelectBody>(), items);
  if (query.body->is<sql::ValuesBody>()) return bind_values(query, query.body->as<sql::ValuesBody>(), items);
  fail(sqlstate::kFeature, "UNION, INTERSECT and EXCEPT are not supported yet", query.body->span.begin);
}

}  // namespace hdb
