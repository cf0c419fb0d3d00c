// plan/binder_impl.h: the binder of one statement, as its files share it.
//
// What:       bind_expression.cc (expressions, aggregates), bind_from.cc (tables, joins), bind_select.cc (queries), bind_modify.cc
//             (INSERT, UPDATE, DELETE). Column ids: first all columns of FROM, then everything computed.
// Invariants: R1 columns of FROM have ids below from_end_; above an aggregate only its plain-column keys do.
//             R2 an aggregate is collected once, however often it is written.
// Callers:    plan/ only. Recursion follows the tree, whose height the parser bounds (sql/tree.h T3).
// Held by:    src/plan/binder_test.cc
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.h"
#include "plan/logical.h"
#include "plan/operators.h"
#include "plan/rewrite.h"
#include "plan/scope.h"
#include "sql/tree.h"

namespace hdb {

struct SelectItem {
  ExprPtr expr;
  std::string name;          // for the user
  std::string_view folded;   // what ORDER BY and GROUP BY may call it; empty: nothing
  ColumnId id = kNoColumn;   // of the projection's output
};

class Binder {
 public:
  Binder(std::string_view text, const Catalog* catalog, const Snapshot* snapshot, const ParameterTypes& given)
      : text_(text), catalog_(catalog), snapshot_(snapshot), coercion_(given) {}

  void bind_statement(const sql::Statement& statement);
  ExprPtr bind_value(const sql::Expr& e);  // an expression without columns and aggregates
  const Coercion& coercion() const { return coercion_; }
  Coercion& coercion() { return coercion_; }
  Plan& plan() { return plan_; }

 private:
  // bind_expression.cc
  ExprPtr bind_expr(const sql::Expr& e);
  ExprPtr bind_literal(const sql::Literal& e);
  ExprPtr bind_parameter(const sql::Parameter& e);
  ExprPtr bind_column(const sql::ColumnRef& e);
  ExprPtr bind_unary(const sql::Unary& e);
  ExprPtr bind_binary(const sql::Binary& e);
  ExprPtr bind_logical(const sql::Logical& e);
  ExprPtr bind_in_list(const sql::In& e);
  ExprPtr bind_between(const sql::Between& e);
  ExprPtr bind_like_test(const sql::Like& e);
  ExprPtr bind_case(const sql::Case& e);
  ExprPtr bind_cast(const sql::Cast& e);
  ExprPtr bind_call(const sql::Call& e);
  ExprPtr bind_aggregate(const sql::Call& e);
  ExprPtr condition(const sql::Expr& e, std::string_view what);

  // bind_from.cc
  NodePtr bind_from(const List<const sql::TableRef*>& from);
  NodePtr bind_table_ref(const sql::TableRef& ref);
  NodePtr bind_named_table(const sql::Identifier& name, const sql::Identifier& alias);
  NodePtr bind_table(std::shared_ptr<const TableDef> table, std::string_view alias, std::string_view alias_folded, int64_t position);
  NodePtr bind_function_table(const sql::FunctionTable& ref);
  NodePtr bind_join(const sql::Join& ref);
  void bind_using(const sql::Join& ref, size_t first, size_t middle, std::vector<ExprPtr>* conjuncts);

  // bind_select.cc
  NodePtr bind_query(const sql::Query& query, std::vector<SelectItem>* items);
  NodePtr bind_select(const sql::Query& query, const sql::SelectBody& body, std::vector<SelectItem>* items);
  NodePtr bind_values(const sql::Query& query, const sql::ValuesBody& body, std::vector<SelectItem>* items);
  void bind_items(const sql::SelectBody& body, std::vector<SelectItem>* items);
  void expand_star(const sql::Star& star, std::vector<SelectItem>* items);
  std::vector<NamedExpr> bind_group_by(const sql::SelectBody& body, const std::vector<SelectItem>& items);
  ExprPtr over_groups(const ExprPtr& e, const std::vector<NamedExpr>& keys);
  NodePtr order_and_limit(NodePtr node, const sql::Query& query, const sql::SelectBody* body, std::vector<SelectItem>* items,
                          const std::vector<NamedExpr>* groups, NodePtr aggregate);
  ExprPtr bind_limit(const sql::Expr* e, std::string_view what);
  const SelectItem* item_by_ordinal(const sql::Expr& e, const std::vector<SelectItem>& items, std::string_view clause);
  const SelectItem* item_by_name(const sql::Identifier& name, const std::vector<SelectItem>& items);

  // bind_modify.cc
  void bind_insert(const sql::InsertStatement& s);
  NodePtr insert_rows(const TableDef& table, const sql::ValuesBody& body, const std::vector<uint32_t>& target);
  NodePtr insert_query(const TableDef& table, const sql::Query& query, const std::vector<uint32_t>& target);
  void bind_update(const sql::UpdateStatement& s);
  void bind_delete(const sql::Identifier& table, const sql::Identifier& alias, const sql::Expr* where);
  ExprPtr assign(ExprPtr value, const ColumnDef& column, int64_t position);
  NodePtr modified_scan(const sql::Identifier& table, const sql::Identifier& alias, const sql::Expr* where, ColumnId* row_id);

  ColumnId new_id() { return next_id_++; }
  ExprPtr output_column(const OutputColumn& c) const;
  NodePtr project(NodePtr input, std::vector<NamedExpr> exprs) const;
  std::shared_ptr<const TableDef> require_table(const sql::Identifier& name);

  std::string_view text_;
  const Catalog* catalog_;
  const Snapshot* snapshot_;
  Coercion coercion_;
  Plan plan_;
  std::vector<ScanInfo> scans_;
  Scope scope_;
  ColumnId next_id_ = 0;
  ColumnId from_end_ = 0;
  // Where the expression stands.
  std::vector<Aggregate>* aggregates_ = nullptr;  // null: aggregates are not allowed
  std::string_view clause_ = "VALUES";            // for that error
  bool in_aggregate_ = false;
  const std::vector<SelectItem>* aliases_ = nullptr;  // names that stand in for no column of that name
};

}  // namespace hdb
