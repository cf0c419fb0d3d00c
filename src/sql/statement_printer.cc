#include "sql/precedence.h"
#include "sql/printer_state.h"
#include "sql/token.h"

namespace hdb::sql {

void Printer::alias(const Identifier& identifier) {
  if (!identifier) return;
  out_ += " AS ";
  name(identifier);
}

void Printer::names(const List<Identifier>& names) {
  out_ += '(';
  separated(names, [&](const Identifier& one) { name(one); });
  out_ += ')';
}

void Printer::any_keyword_quoted(const Identifier& identifier) {
  const std::string printed = print_name(identifier.spelling);
  const bool bare_keyword = printed[0] != '"' && find_keyword(printed) != Keyword::kNone;
  out_ += bare_keyword ? '"' + printed + '"' : printed;
}

void Printer::where(const Expr* condition) {
  if (condition == nullptr) return;
  out_ += " WHERE ";
  expr(*condition);
}

void Printer::query(const Query& query) {
  if (query.body->is<SelectBody>()) select(query.body->as<SelectBody>());
  else values(query.body->as<ValuesBody>());
  order_by(query.order_by);
  if (query.limit != nullptr) out_ += " LIMIT ", expr(*query.limit);
  if (query.offset != nullptr) out_ += " OFFSET ", expr(*query.offset);
}

void Printer::select(const SelectBody& body) {
  out_ += body.distinct ? "SELECT DISTINCT " : "SELECT ";
  separated(body.items, [&](const SelectItem& item) {
    expr(*item.expr);
    alias(item.alias);
  });
  if (!body.from.empty()) {
    out_ += " FROM ";
    separated(body.from, [&](const TableRef* one) { table(*one); });
  }
  where(body.where);
  if (body.has_group_by) out_ += " GROUP BY ", exprs(body.group_by);
  if (body.having != nullptr) out_ += " HAVING ", expr(*body.having);
}

void Printer::values(const ValuesBody& body) {
  out_ += "VALUES ";
  separated(body.rows, [&](const ValuesRow& row) {
    out_ += '(';
    exprs(row.values);
    out_ += ')';
  });
}

void Printer::table(const TableRef& table) {
  if (table.is<NamedTable>()) {
    name(table.as<NamedTable>().name);
    alias(table.as<NamedTable>().alias);
  } else if (table.is<FunctionTable>()) {
    const FunctionTable& function = table.as<FunctionTable>();
    name(function.name);
    out_ += '(';
    exprs(function.arguments);
    out_ += ')';
    alias(function.alias);
  } else {
    join(table.as<Join>());
  }
}

void Printer::join(const Join& join) {
  table(*join.left);
  out_ += join.type == JoinType::kCross ? " CROSS JOIN " : join.type == JoinType::kLeft ? " LEFT JOIN " : " JOIN ";
  const bool nested = join.right->is<Join>();
  if (nested) out_ += '(';
  table(*join.right);
  if (nested) out_ += ')';
  if (join.on != nullptr) out_ += " ON ", expr(*join.on);
  if (!join.using_columns.empty()) out_ += " USING ", names(join.using_columns);
}

void Printer::order_by(const List<OrderItem>& items) {
  if (items.empty()) return;
  out_ += " ORDER BY ";
  separated(items, [&](const OrderItem& item) {
    expr(*item.expr);
    if (item.descending) out_ += " DESC";
    if (item.nulls != NullsOrder::kDefault) out_ += item.nulls == NullsOrder::kFirst ? " NULLS FIRST" : " NULLS LAST";
  });
}

void Printer::insert(const InsertStatement& insert) {
  out_ += "INSERT INTO ";
  name(insert.table);
  if (!insert.columns.empty()) out_ += ' ', names(insert.columns);
  out_ += ' ';
  query(*insert.source);
}

void Printer::update(const UpdateStatement& update) {
  out_ += "UPDATE ";
  name(update.table);
  alias(update.alias);
  out_ += " SET ";
  separated(update.assignments, [&](const Assignment& assignment) {
    name(assignment.column);
    out_ += " = ";
    expr(*assignment.value);
  });
  where(update.where);
}

void Printer::remove(const DeleteStatement& remove) {
  out_ += "DELETE FROM ";
  name(remove.table);
  alias(remove.alias);
  where(remove.where);
}

void Printer::references(const ForeignKeyRef& references) {
  out_ += " REFERENCES ";
  name(references.table);
  if (!references.columns.empty()) out_ += ' ', names(references.columns);
}

void Printer::column(const ColumnDef& column) {
  name(column.name);
  out_ += ' ';
  type(column.type);
  if (column.not_null) out_ += " NOT NULL";
  if (column.primary_key) out_ += " PRIMARY KEY";
  if (column.unique) out_ += " UNIQUE";
  if (column.references.table) references(column.references);
  if (column.default_value != nullptr) out_ += " DEFAULT ", expr(*column.default_value, kLevelUnary);
}

void Printer::constraint(const TableConstraint& constraint) {
  if (constraint.name) out_ += "CONSTRAINT ", name(constraint.name), out_ += ' ';
  switch (constraint.kind) {
    case ConstraintKind::kPrimaryKey: out_ += "PRIMARY KEY "; break;
    case ConstraintKind::kUnique: out_ += "UNIQUE "; break;
    case ConstraintKind::kForeignKey: out_ += "FOREIGN KEY "; break;
  }
  names(constraint.columns);
  if (constraint.kind == ConstraintKind::kForeignKey) references(constraint.references);
}

void Printer::create_table(const CreateTableStatement& create) {
  out_ += create.if_not_exists ? "CREATE TABLE IF NOT EXISTS " : "CREATE TABLE ";
  name(create.name);
  out_ += " (";
  separated(create.columns, [&](const ColumnDef& one) { column(one); });
  for (const TableConstraint& one : create.constraints) out_ += ", ", constraint(one);
  out_ += ')';
}

void Printer::create_index(const CreateIndexStatement& create) {
  out_ += create.unique ? "CREATE UNIQUE INDEX " : "CREATE INDEX ";
  if (create.if_not_exists) out_ += "IF NOT EXISTS ";
  name(create.name);
  out_ += " ON ";
  name(create.table);
  out_ += create.summary ? " USING SUMMARY (" : " (";
  exprs(create.columns);
  out_ += ')';
  if (!create.measures.empty()) out_ += " INCLUDE (", exprs(create.measures), out_ += ')';
  if (create.has_max_cells) out_ += " WITH (max_cells = " + std::to_string(create.max_cells) + ")";
}

void Printer::explain(const ExplainStatement& explain) {
  out_ += "EXPLAIN ";
  if (explain.json) out_ += explain.analyze ? "(ANALYZE, FORMAT JSON) " : "(FORMAT JSON) ";
  else if (explain.analyze) out_ += "ANALYZE ";
  statement(*explain.statement);
}

void Printer::show(const ShowStatement& show) {
  switch (show.show) {
    case ShowKind::kTables: out_ += "SHOW TABLES"; return;
    case ShowKind::kAll: out_ += "SHOW ALL"; return;
    case ShowKind::kColumns: out_ += "SHOW COLUMNS FROM "; return name(show.name);
    case ShowKind::kCreateTable: out_ += "SHOW CREATE TABLE "; return name(show.name);
    case ShowKind::kIndexes:
      out_ += "SHOW INDEXES";
      if (show.name) out_ += " FROM ", name(show.name);
      return;
    case ShowKind::kRestorePoints: out_ += "SHOW RESTORE POINTS"; return;
    case ShowKind::kSetting: out_ += "SHOW "; return any_keyword_quoted(show.name);
  }
}

void Printer::set(const SetStatement& set) {
  out_ += "SET ";
  any_keyword_quoted(set.name);
  out_ += " = ";
  out_ += set.is_default ? "DEFAULT" : print_string(set.value);
}

void Printer::statement(const Statement& node) {
  const auto named = [&](const char* words, bool condition, const char* condition_words, const Identifier& identifier) {
    out_ += words;
    if (condition) out_ += condition_words;
    name(identifier);
  };
  switch (node.kind) {
    case StatementKind::kSelect: return query(*node.as<SelectStatement>().query);
    case StatementKind::kInsert: return insert(node.as<InsertStatement>());
    case StatementKind::kUpdate: return update(node.as<UpdateStatement>());
    case StatementKind::kDelete: return remove(node.as<DeleteStatement>());
    case StatementKind::kTruncate: return named("TRUNCATE ", false, "", node.as<TruncateStatement>().table);
    case StatementKind::kCreateTable: return create_table(node.as<CreateTableStatement>());
    case StatementKind::kDropTable: {
      const DropTableStatement& drop = node.as<DropTableStatement>();
      return named("DROP TABLE ", drop.if_exists, "IF EXISTS ", drop.name);
    }
    case StatementKind::kCreateIndex: return create_index(node.as<CreateIndexStatement>());
    case StatementKind::kDropIndex: {
      const DropIndexStatement& drop = node.as<DropIndexStatement>();
      return named("DROP INDEX ", drop.if_exists, "IF EXISTS ", drop.name);
    }
    case StatementKind::kBegin: out_ += node.as<BeginStatement>().read_only ? "BEGIN READ ONLY" : "BEGIN"; return;
    case StatementKind::kCommit: out_ += "COMMIT"; return;
    case StatementKind::kRollback: out_ += "ROLLBACK"; return;
    case StatementKind::kSavepoint: return named("SAVEPOINT ", false, "", node.as<SavepointStatement>().name);
    case StatementKind::kRelease: return named("RELEASE ", false, "", node.as<ReleaseStatement>().name);
    case StatementKind::kRollbackTo: return named("ROLLBACK TO ", false, "", node.as<RollbackToStatement>().name);
    case StatementKind::kExplain: return explain(node.as<ExplainStatement>());
    case StatementKind::kShow: return show(node.as<ShowStatement>());
    case StatementKind::kSet: return set(node.as<SetStatement>());
    case StatementKind::kFile: {
      const FileStatement& file = node.as<FileStatement>();
      switch (file.action) {
        case FileAction::kCheckpoint: out_ += "CHECKPOINT"; return;
        case FileAction::kCheck: out_ += "CHECK DATABASE"; return;
        case FileAction::kBackup: out_ += "BACKUP TO " + print_string(file.path); return;
        case FileAction::kCreateRestorePoint: return named("CREATE RESTORE POINT ", false, "", file.name);
        case FileAction::kDropRestorePoint: return named("DROP RESTORE POINT ", false, "", file.name);
        case FileAction::kRestore: return named("RESTORE TO ", false, "", file.name);
      }
    }
  }
}

std::string print(const Query& query) {
  std::string out;
  Printer(out).query(query);
  return out;
}

std::string print(const Statement& statement) {
  std::string out;
  Printer(out).statement(statement);
  return out;
}

}  // namespace hdb::sql
