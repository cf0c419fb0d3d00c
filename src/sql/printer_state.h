// sql/printer_state.h: the printer's working half.
//
// What:       class Printer appends to one string. expression_printer.cc and statement_printer.cc hold its parts.
// Callers:    sql/ only.
// Held by:    src/sql/printer_test.cc
#pragma once

#include <string>
#include <string_view>

#include "sql/printer.h"

namespace hdb::sql {

class Printer {
 public:
  explicit Printer(std::string& out) : out_(out) {}

  void expr(const Expr& expr, int level_min = 0);  // in parentheses where its level is below level_min
  void query(const Query& query);
  void statement(const Statement& statement);
  void type(const TypeName& type);
  void name(const Identifier& identifier) { out_ += print_name(identifier.spelling); }

 private:
  void literal(const Literal& literal);
  void unary(const Unary& unary);
  void binary(const Binary& binary);
  void logical(const Logical& logical);
  void like(const Like& like);
  void case_of(const Case& node);
  void call(const Call& call);
  void bare(const Expr& expr);
  void exprs(const List<const Expr*>& list, int level_min = 0);

  void select(const SelectBody& body);
  void values(const ValuesBody& body);
  void table(const TableRef& table);
  void join(const Join& join);
  void order_by(const List<OrderItem>& items);
  void alias(const Identifier& identifier);
  void names(const List<Identifier>& names);
  void any_keyword_quoted(const Identifier& identifier);
  void where(const Expr* condition);

  void insert(const InsertStatement& insert);
  void update(const UpdateStatement& update);
  void remove(const DeleteStatement& remove);
  void create_table(const CreateTableStatement& create);
  void column(const ColumnDef& column);
  void constraint(const TableConstraint& constraint);
  void references(const ForeignKeyRef& references);
  void create_index(const CreateIndexStatement& create);
  void explain(const ExplainStatement& explain);
  void show(const ShowStatement& show);
  void set(const SetStatement& set);

  template <class List, class One>
  void separated(const List& list, One one) {
    bool first = true;
    for (const auto& item : list) {
      if (!first) out_ += ", ";
      first = false;
      one(item);
    }
  }

  std::string& out_;
};

}  // namespace hdb::sql
