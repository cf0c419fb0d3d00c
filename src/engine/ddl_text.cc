// Definitions as SQL text: SHOW CREATE TABLE.
#include "engine/ddl.h"

#include "base/limits.h"
#include "sql/printer.h"

namespace hdb {

namespace {

std::string literal(const Value& v) {
  if (v.null) return "NULL";
  switch (v.type.id) {
    case TypeId::kText: return sql::print_string(v.text);
    case TypeId::kDate: return "DATE " + sql::print_string(to_text(v));
    case TypeId::kTimestamp: return "TIMESTAMP " + sql::print_string(to_text(v));
    case TypeId::kBoolean: return v.number != 0 ? "TRUE" : "FALSE";
    case TypeId::kDouble: {
      const std::string text = to_text(v);
      const bool word = text.find_first_not_of("+-.0123456789e") != std::string::npos;  // Infinity, NaN
      if (word) return "CAST(" + sql::print_string(text) + " AS DOUBLE)";
      return text.find('e') == std::string::npos ? text + "e0" : text;
    }
    default: return to_text(v);
  }
}

}  // namespace

std::string column_list(const TableDef& table, const std::vector<uint32_t>& columns) {
  std::string text;
  for (const uint32_t c : columns) text += (text.empty() ? "" : ", ") + sql::print_name(table.columns[c].name);
  return text;
}

std::string create_table_sql(const TableDef& table, const Catalog& catalog, const Snapshot& snapshot) {
  std::string text = "CREATE TABLE " + sql::print_name(table.name) + " (";
  const auto single_key = [&](uint32_t column, IndexKind kind) {
    for (const auto& i : table.indexes) {
      if (i->from_constraint && i->kind == kind && i->columns.size() == 1 && i->columns[0] == column) return true;
    }
    return false;
  };
  for (uint32_t c = 0; c < table.columns.size(); ++c) {
    const ColumnDef& column = table.columns[c];
    const bool primary = single_key(c, IndexKind::kPrimary);
    text += (c > 0 ? ", " : "") + sql::print_name(column.name) + " " + to_string(column.type);
    if (primary) text += " PRIMARY KEY";
    if (column.not_null && !primary) text += " NOT NULL";
    if (single_key(c, IndexKind::kUnique)) text += " UNIQUE";
    if (column.has_default) text += " DEFAULT " + literal(column.default_value);
  }
  for (const auto& i : table.indexes) {
    if (!i->from_constraint || i->columns.size() == 1) continue;
    text += std::string(i->kind == IndexKind::kPrimary ? ", PRIMARY KEY (" : ", UNIQUE (") + column_list(table, i->columns) + ")";
  }
  for (const ForeignKeyDef& f : table.foreign_keys) {
    const auto parent = f.parent_table_id == table.id ? nullptr : catalog.find_table(f.parent_table_id, snapshot);
    const TableDef& to = parent != nullptr ? *parent : table;
    text += ", FOREIGN KEY (" + column_list(table, f.columns) + ") REFERENCES " + sql::print_name(to.name) + " (" +
            column_list(to, f.parent_columns) + ")";
  }
  text += ");";
  for (const auto& i : table.indexes) {
    if (i->from_constraint) continue;
    const bool summary = i->kind == IndexKind::kSummary;
    text += std::string("\nCREATE ") + (i->kind == IndexKind::kUnique ? "UNIQUE " : "") + "INDEX " + sql::print_name(i->name) + " ON " +
            sql::print_name(table.name) + (summary ? " USING SUMMARY (" : " (") + column_list(table, i->columns) + ")";
    if (!i->measures.empty()) text += " INCLUDE (" + column_list(table, i->measures) + ")";
    if (summary && i->max_cells != kSummaryCellsMax) text += " WITH (max_cells = " + std::to_string(i->max_cells) + ")";
    text += ";";
  }
  return text;
}

}  // namespace hdb
