// sql/tree_dump.h: a tree as nested parentheses, for tests.
//
// What:       dump() tells any two trees apart that differ in more than spans, quoting of names and names of parameters. It shares
//             nothing with the printer: no levels, every node in its own parentheses.
// Callers:    tests only.
// Held by:    src/sql/parser_test.cc
#pragma once

#include <cstring>
#include <string>

#include "sql/tree.h"

namespace hdb::sql {

inline std::string dump(const Expr* expr);

inline std::string dump(const TypeName& type) {
  std::string out = "type" + std::to_string(static_cast<int>(type.word));
  for (uint32_t i = 0; i < type.argument_count; ++i) out += ":" + std::to_string(type.arguments[i]);
  return out;
}

template <class T>
std::string dump_exprs(const List<T>& list) {
  std::string out = "[";
  for (const Expr* item : list) out += dump(item);
  return out + "]";
}

inline std::string dump(const List<Identifier>& names) {
  std::string out = "[";
  for (const Identifier& name : names) out += std::string(name.spelling) + ",";
  return out + "]";
}

inline std::string dump(const Literal& literal) {
  switch (literal.literal_kind) {
    case LiteralKind::kNull: return "null";
    case LiteralKind::kBoolean: return literal.boolean ? "true" : "false";
    case LiteralKind::kInteger: return "i" + std::to_string(literal.magnitude);
    case LiteralKind::kDecimal:
      return "d" + std::string(literal.text) + "/" + std::to_string(literal.precision) + "," + std::to_string(literal.scale);
    case LiteralKind::kDouble: {
      uint64_t bits;
      std::memcpy(&bits, &literal.number, sizeof bits);
      return "f" + std::to_string(bits);
    }
    case LiteralKind::kString: return "s'" + std::string(literal.text) + "'";
    case LiteralKind::kDate: return "date'" + std::string(literal.text) + "'";
    case LiteralKind::kTimestamp: return "timestamp'" + std::string(literal.text) + "'";
  }
  return "?";
}

inline std::string dump(const Expr* expr) {
  if (expr == nullptr) return "-";
  const auto no = [](bool negated) { return std::string(negated ? "not-" : ""); };
  switch (expr->kind) {
    case ExprKind::kLiteral: return dump(expr->as<Literal>());
    case ExprKind::kParameter: {
      const Parameter& p = expr->as<Parameter>();
      return "$" + std::to_string(p.index) + (p.from_literal ? "L" + std::to_string(static_cast<int>(p.literal_kind)) : "");
    }
    case ExprKind::kColumnRef: {
      const ColumnRef& ref = expr->as<ColumnRef>();
      return std::string(ref.table ? std::string(ref.table.spelling) + "." : "") + std::string(ref.column.spelling);
    }
    case ExprKind::kStar: return std::string(expr->as<Star>().table.spelling) + "*";
    case ExprKind::kUnary:
      return "(u" + std::to_string(static_cast<int>(expr->as<Unary>().op)) + " " + dump(expr->as<Unary>().operand) + ")";
    case ExprKind::kBinary: {
      const Binary& b = expr->as<Binary>();
      static constexpr const char* kOps[] = {"+", "-", "*", "/", "%", "||", "=", "<>", "<", "<=", ">", ">=", "isdistinct", "isnotdistinct"};
      return "(" + dump(b.left) + " " + kOps[static_cast<int>(b.op)] + " " + dump(b.right) + ")";
    }
    case ExprKind::kLogical: return std::string("(") + (expr->as<Logical>().is_and ? "and" : "or") + dump_exprs(expr->as<Logical>().operands) + ")";
    case ExprKind::kIsNull: return "(" + no(expr->as<IsNull>().negated) + "null? " + dump(expr->as<IsNull>().operand) + ")";
    case ExprKind::kIsTruth: {
      const IsTruth& t = expr->as<IsTruth>();
      return "(" + no(t.negated) + (t.truth ? "true? " : "false? ") + dump(t.operand) + ")";
    }
    case ExprKind::kIn: return "(" + no(expr->as<In>().negated) + "in " + dump(expr->as<In>().operand) + dump_exprs(expr->as<In>().items) + ")";
    case ExprKind::kBetween: {
      const Between& b = expr->as<Between>();
      return "(" + no(b.negated) + "between " + dump(b.operand) + " " + dump(b.low) + " " + dump(b.high) + ")";
    }
    case ExprKind::kLike: {
      const Like& l = expr->as<Like>();
      return "(" + no(l.negated) + (l.ignore_case ? "ilike " : "like ") + dump(l.operand) + " " + dump(l.pattern) + " " + dump(l.escape) + ")";
    }
    case ExprKind::kCase: {
      const Case& c = expr->as<Case>();
      std::string out = "(case " + dump(c.operand);
      for (const CaseBranch& branch : c.branches) out += " " + dump(branch.when) + ":" + dump(branch.then);
      return out + " else " + dump(c.otherwise) + ")";
    }
    case ExprKind::kCast: return "(cast " + dump(expr->as<Cast>().operand) + " " + dump(expr->as<Cast>().type) + ")";
    case ExprKind::kCall: {
      const Call& c = expr->as<Call>();
      return std::string(c.name.spelling) + (c.distinct ? "<distinct>" : "") + (c.star ? "<*>" : "") + dump_exprs(c.arguments);
    }
    default: return "??";
  }
}

inline std::string dump(const TableRef* table) {
  if (table->is<NamedTable>()) {
    return std::string(table->as<NamedTable>().name.spelling) + " as " + std::string(table->as<NamedTable>().alias.spelling);
  }
  if (table->is<FunctionTable>()) {
    const FunctionTable& f = table->as<FunctionTable>();
    return std::string(f.name.spelling) + dump_exprs(f.arguments) + " as " + std::string(f.alias.spelling);
  }
  const Join& j = table->as<Join>();
  return "(join" + std::to_string(static_cast<int>(j.type)) + " " + dump(j.left) + "; " + dump(j.right) + " on " + dump(j.on) +
      dump(j.using_columns) + ")";
}

inline std::string dump(const Query& query) {
  std::string out;
  if (query.body->is<SelectBody>()) {
    const SelectBody& s = query.body->as<SelectBody>();
    out = s.distinct ? "select distinct" : "select";
    for (const SelectItem& item : s.items) out += " {" + dump(item.expr) + " as " + std::string(item.alias.spelling) + "}";
    for (const TableRef* table : s.from) out += " from " + dump(table);
    out += " where " + dump(s.where);
    if (s.has_group_by) out += " group" + dump_exprs(s.group_by);
    out += " having " + dump(s.having);
  } else {
    out = "values";
    for (const ValuesRow& row : query.body->as<ValuesBody>().rows) out += dump_exprs(row.values);
  }
  for (const OrderItem& item : query.order_by) {
    out += " order{" + dump(item.expr) + (item.descending ? " desc" : "") + std::to_string(static_cast<int>(item.nulls)) + "}";
  }
  return out + " limit " + dump(query.limit) + " offset " + dump(query.offset);
}

inline std::string dump(const ForeignKeyRef& ref) { return "ref{" + std::string(ref.table.spelling) + dump(ref.columns) + "}"; }

inline std::string dump(const CreateTableStatement& create) {
  std::string out = "create table " + std::string(create.name.spelling) + (create.if_not_exists ? " ine" : "");
  for (const ColumnDef& c : create.columns) {
    out += " {" + std::string(c.name.spelling) + " " + dump(c.type) + (c.not_null ? " nn" : "") + (c.primary_key ? " pk" : "") +
           (c.unique ? " u" : "") + dump(c.references) + dump(c.default_value) + "}";
  }
  for (const TableConstraint& c : create.constraints) {
    out += " {" + std::string(c.name.spelling) + std::to_string(static_cast<int>(c.kind)) + dump(c.columns) + dump(c.references) + "}";
  }
  return out;
}

inline std::string dump(const Statement* statement) {
  if (statement == nullptr) return "nothing";
  const auto flag = [](bool set, const char* text) { return std::string(set ? text : ""); };
  switch (statement->kind) {
    case StatementKind::kSelect: return dump(*statement->as<SelectStatement>().query);
    case StatementKind::kInsert: {
      const InsertStatement& i = statement->as<InsertStatement>();
      return "insert " + std::string(i.table.spelling) + dump(i.columns) + dump(*i.source);
    }
    case StatementKind::kUpdate: {
      const UpdateStatement& u = statement->as<UpdateStatement>();
      std::string out = "update " + std::string(u.table.spelling) + " as " + std::string(u.alias.spelling);
      for (const Assignment& a : u.assignments) out += " {" + std::string(a.column.spelling) + " := " + dump(a.value) + "}";
      return out + " where " + dump(u.where);
    }
    case StatementKind::kDelete: {
      const DeleteStatement& d = statement->as<DeleteStatement>();
      return "delete " + std::string(d.table.spelling) + " as " + std::string(d.alias.spelling) + " where " + dump(d.where);
    }
    case StatementKind::kTruncate: return "truncate " + std::string(statement->as<TruncateStatement>().table.spelling);
    case StatementKind::kCreateTable: return dump(statement->as<CreateTableStatement>());
    case StatementKind::kDropTable: {
      const DropTableStatement& d = statement->as<DropTableStatement>();
      return "drop table " + flag(d.if_exists, "ie ") + std::string(d.name.spelling);
    }
    case StatementKind::kCreateIndex: {
      const CreateIndexStatement& c = statement->as<CreateIndexStatement>();
      return "create index " + flag(c.unique, "u ") + flag(c.summary, "s ") + flag(c.if_not_exists, "ine ") + std::string(c.name.spelling) +
          " on " +
             std::string(c.table.spelling) + dump_exprs(c.columns) + dump_exprs(c.measures) + flag(c.has_max_cells, "max") +
                 std::to_string(c.max_cells);
    }
    case StatementKind::kDropIndex: {
      const DropIndexStatement& d = statement->as<DropIndexStatement>();
      return "drop index " + flag(d.if_exists, "ie ") + std::string(d.name.spelling);
    }
    case StatementKind::kBegin: return "begin" + flag(statement->as<BeginStatement>().read_only, " ro");
    case StatementKind::kCommit: return "commit";
    case StatementKind::kRollback: return "rollback";
    case StatementKind::kSavepoint: return "savepoint " + std::string(statement->as<SavepointStatement>().name.spelling);
    case StatementKind::kRelease: return "release " + std::string(statement->as<ReleaseStatement>().name.spelling);
    case StatementKind::kRollbackTo: return "rollback to " + std::string(statement->as<RollbackToStatement>().name.spelling);
    case StatementKind::kExplain: {
      const ExplainStatement& e = statement->as<ExplainStatement>();
      return "explain " + flag(e.analyze, "a ") + flag(e.json, "j ") + dump(e.statement);
    }
    case StatementKind::kShow: {
      const ShowStatement& s = statement->as<ShowStatement>();
      return "show " + std::to_string(static_cast<int>(s.show)) + " " + std::string(s.name.spelling);
    }
    case StatementKind::kSet: {
      const SetStatement& s = statement->as<SetStatement>();
      return "set " + std::string(s.name.spelling) + flag(s.is_default, " default") + " '" + std::string(s.value) + "'";
    }
    case StatementKind::kFile: {
      const FileStatement& f = statement->as<FileStatement>();
      return "file " + std::to_string(static_cast<int>(f.action)) + " " + std::string(f.name.spelling) + " '" + std::string(f.path) + "'";
    }
  }
  return "??";
}

}  // namespace hdb::sql
