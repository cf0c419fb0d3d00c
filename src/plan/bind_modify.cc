// INSERT, UPDATE, DELETE, TRUNCATE, and the entry points.
#include "base/error.h"
#include "plan/binder.h"
#include "plan/binder_impl.h"
#include "plan/make.h"
#include "plan/type_rules.h"
#include "store/table.h"

namespace hdb {
namespace {

uint32_t require_ordinal(const TableDef& table, const sql::Identifier& name) {
  for (uint32_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].folded == name.folded) return i;
  }
  fail(sqlstate::kUndefinedColumn, "there is no column \"" + std::string(name.spelling) + "\" in \"" + table.name + "\"", name.span.begin);
}

ExprPtr default_of(const ColumnDef& c) {
  return c.has_default ? make_constant(c.default_value) : make_null(c.type);
}

std::shared_ptr<Node> modify_node(NodeKind kind, std::shared_ptr<const TableDef> table, NodePtr input) {
  auto node = std::make_shared<Node>();
  node->kind = kind;
  node->table = std::move(table);
  node->inputs.push_back(std::move(input));
  return node;
}

void check_count(size_t given, size_t wanted, int64_t position) {
  if (given == wanted) return;
  fail(sqlstate::kSyntax, "INSERT has " + std::to_string(wanted) + " columns but " + std::to_string(given) + (given == 1 ? " value" : " values"),
       position);
}

}  // namespace

ExprPtr Binder::assign(ExprPtr value, const ColumnDef& column, int64_t position) {
  if (!assignable(*value, column.type)) {
    fail(sqlstate::kTypeMismatch, "the column \"" + column.name + "\" is of type " + to_string(column.type) + ", the value of type " +
         to_string(value->type), position);
  }
  return coercion_.to(std::move(value), column.type);
}

NodePtr Binder::insert_rows(const TableDef& table, const sql::ValuesBody& body, const std::vector<uint32_t>& target) {
  auto values = std::make_shared<Node>();
  values->kind = NodeKind::kValues;
  for (const ColumnDef& c : table.columns) values->output.push_back({new_id(), {}, c.type});
  std::vector<ExprPtr> defaults;
  if (target.size() < table.columns.size()) {
    for (const ColumnDef& c : table.columns) defaults.push_back(default_of(c));
  }
  clause_ = "VALUES";
  values->rows.reserve(body.rows.size());
  for (const sql::ValuesRow& row : body.rows) {
    check_count(row.values.size(), target.size(), row.span.begin);
    std::vector<ExprPtr>& made = values->rows.emplace_back();
    if (defaults.empty()) {
      made.resize(table.columns.size());
    } else {
      made = defaults;
    }
    for (size_t i = 0; i < target.size(); ++i) {
      const sql::Expr& e = *row.values[i];
      made[target[i]] = assign(bind_expr(e), table.columns[target[i]], e.span.begin);
    }
  }
  return values;
}

NodePtr Binder::insert_query(const TableDef& table, const sql::Query& query, const std::vector<uint32_t>& target) {
  std::vector<SelectItem> items;
  NodePtr source = bind_query(query, &items);
  plan_.literal_names = false;
  check_count(items.size(), target.size(), query.span.begin);
  std::vector<NamedExpr> exprs(table.columns.size());
  for (size_t i = 0; i < table.columns.size(); ++i) exprs[i].expr = default_of(table.columns[i]);
  for (size_t i = 0; i < target.size(); ++i) {
    // A constant item is projected below; as a column it is no literal any more, so it is judged by itself.
    const ColumnDef& c = table.columns[target[i]];
    const int64_t at = items[i].expr->position;
    if (!assignable(*items[i].expr, c.type)) assign(items[i].expr, c, at);
    exprs[target[i]].expr = make_cast(make_column(items[i].id, items[i].expr->type, at), c.type, at);
  }
  for (size_t i = 0; i < exprs.size(); ++i) exprs[i].output = {new_id(), {}, table.columns[i].type};
  return project(std::move(source), std::move(exprs));
}

void Binder::bind_insert(const sql::InsertStatement& s) {
  auto table = require_table(s.table);
  std::vector<uint32_t> target;
  std::vector<bool> named(table->columns.size());
  for (const sql::Identifier& name : s.columns) {
    const uint32_t i = require_ordinal(*table, name);
    if (named[i]) fail(sqlstate::kDuplicateColumn, "the column \"" + std::string(name.spelling) + "\" is named twice", name.span.begin);
    named[i] = true;
    target.push_back(i);
  }
  if (s.columns.empty()) {
    for (uint32_t i = 0; i < table->columns.size(); ++i) target.push_back(i);
  }
  const sql::Query& query = *s.source;
  const bool rows = query.body->is<sql::ValuesBody>() && query.order_by.empty() && query.limit == nullptr && query.offset == nullptr;
  NodePtr source = rows ? insert_rows(*table, query.body->as<sql::ValuesBody>(), target) : insert_query(*table, query, target);
  plan_.root = modify_node(NodeKind::kInsert, std::move(table), std::move(source));
}

NodePtr Binder::modified_scan(const sql::Identifier& name, const sql::Identifier& alias, const sql::Expr* where, ColumnId* row_id) {
  NodePtr node = bind_named_table(name, alias);
  *row_id = node->row_id = new_id();
  from_end_ = next_id_;
  if (where == nullptr) return node;
  clause_ = "WHERE";
  auto filter = std::make_shared<Node>();
  filter->kind = NodeKind::kFilter;
  filter->inputs.push_back(std::move(node));
  split_conjuncts(condition(*where, "WHERE"), &filter->conjuncts);
  return filter->conjuncts.empty() ? filter->inputs[0] : NodePtr(filter);
}

void Binder::bind_update(const sql::UpdateStatement& s) {
  ColumnId row_id = kNoColumn;
  NodePtr source = modified_scan(s.table, s.alias, s.where, &row_id);
  auto table = scans_[0].node->table;
  clause_ = "UPDATE";
  std::vector<NamedExpr> exprs{{make_column(row_id, Type::bigint()), {row_id, {}, Type::bigint()}}};
  std::vector<uint32_t> set_columns;
  std::vector<bool> named(table->columns.size());
  for (const sql::Assignment& a : s.assignments) {
    const uint32_t i = require_ordinal(*table, a.column);
    if (named[i]) fail(sqlstate::kDuplicateColumn, "the column \"" + std::string(a.column.spelling) + "\" is set twice", a.column.span.begin);
    named[i] = true;
    set_columns.push_back(i);
    const ColumnDef& c = table->columns[i];
    exprs.push_back({assign(bind_expr(*a.value), c, a.value->span.begin), {new_id(), {}, c.type}});
  }
  NodePtr root = modify_node(NodeKind::kUpdate, std::move(table), project(std::move(source), std::move(exprs)));
  root->set_columns = std::move(set_columns);
  plan_.root = std::move(root);
}

void Binder::bind_delete(const sql::Identifier& name, const sql::Identifier& alias, const sql::Expr* where) {
  ColumnId row_id = kNoColumn;
  NodePtr source = modified_scan(name, alias, where, &row_id);
  std::vector<NamedExpr> exprs{{make_column(row_id, Type::bigint()), {row_id, {}, Type::bigint()}}};
  plan_.root = modify_node(NodeKind::kDelete, scans_[0].node->table, project(std::move(source), std::move(exprs)));
}

void Binder::bind_statement(const sql::Statement& s) {
  plan_.writes = s.kind != sql::StatementKind::kSelect;
  switch (s.kind) {
    case sql::StatementKind::kSelect: {
      std::vector<SelectItem> items;
      plan_.root = bind_query(*s.as<sql::SelectStatement>().query, &items);
      plan_.result.reserve(items.size());
      for (SelectItem& item : items) plan_.result.push_back({item.id, std::move(item.name), item.expr->type});
      break;
    }
    case sql::StatementKind::kInsert: bind_insert(s.as<sql::InsertStatement>()); break;
    case sql::StatementKind::kUpdate: bind_update(s.as<sql::UpdateStatement>()); break;
    case sql::StatementKind::kDelete: {
      const auto& d = s.as<sql::DeleteStatement>();
      bind_delete(d.table, d.alias, d.where);
      break;
    }
    case sql::StatementKind::kTruncate: bind_delete(s.as<sql::TruncateStatement>().table, {}, nullptr); break;
    default: fail(sqlstate::kFeature, "this statement has no plan", s.span.begin);
  }
  plan_.next_column = next_id_;
  rewrite(&plan_, scans_);
  for (const auto& table : plan_.tables) plan_.table_rows.push_back(table->table ? table->table->live_rows.load(std::memory_order_relaxed) : 0);
}

Plan bind(const sql::Statement& statement, std::string_view text, const Catalog& catalog, const Snapshot& snapshot,
          const ParameterTypes& given) {
  const uint64_t version = catalog.version();  // before the first look-up: a change meanwhile makes the plan stale, never wrong
  ParameterTypes types = given;
  for (int round = 0;; ++round) {
    Binder binder(text, &catalog, &snapshot, types);
    binder.bind_statement(statement);
    if (round < 3 && binder.coercion().bind_again()) {
      types.types = binder.coercion().types();
      continue;
    }
    Plan plan = std::move(binder.plan());
    plan.parameters.types = binder.coercion().types();
    plan.catalog_version = version;
    return plan;
  }
}

Value bind_default(const sql::Expr& expr, const Type& type) {
  Binder binder({}, nullptr, nullptr, {});
  const ExprPtr e = binder.bind_value(expr);
  if (!is_constant(*e)) fail(sqlstate::kFeature, "a DEFAULT must be a constant", expr.span.begin);
  if (!assignable(*e, type)) {
    fail(sqlstate::kTypeMismatch, "the DEFAULT is of type " + to_string(e->type) + ", the column of type " + to_string(type), expr.span.begin);
  }
  try {
    return cast_value(e->constant, type);
  } catch (Error& error) {
    error.set_position(expr.span.begin);
    throw;
  }
}

}  // namespace hdb
