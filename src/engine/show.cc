#include "engine/show.h"

#include <deque>

#include "engine/check_table.h"
#include "engine/checkpoint.h"
#include "engine/database.h"
#include "engine/ddl.h"
#include "plan/explain.h"
#include "plane/limb.h"
#include "plane/summary.h"
#include "store/key_index.h"
#include "store/table.h"

namespace hdb {

namespace {

// Rows of values, turned into columns at the end.
class RowBuilder {
 public:
  explicit RowBuilder(std::vector<ResultColumn> columns) : columns_(std::move(columns)) {}
  void add(std::vector<Value> row) { rows_.push_back(std::move(row)); }
  ExecResult result(MemoryBudget* budget) const {
    std::vector<Type> types;
    for (const ResultColumn& c : columns_) types.push_back(c.type);
    auto rows = std::make_shared<Rows>(types, budget, Rows::Texts::kOwn);
    Scratch scratch(budget);
    for (const auto& row : rows_) {
      std::vector<Vector> vectors;
      for (size_t c = 0; c < row.size(); ++c)
        vectors.push_back(flatten(row[c].null ? null_vector(types[c]) : constant_vector(row[c], types[c], scratch), 1, scratch));
      rows->append(vectors.data(), 1, nullptr);
    }
    ExecResult r;
    r.rows = MaterializedResult(std::move(rows));
    return r;
  }

 private:
  std::vector<ResultColumn> columns_;
  std::vector<std::vector<Value>> rows_;
};

const char* kind_name(IndexKind kind) {
  switch (kind) {
    case IndexKind::kPrimary: return "primary";
    case IndexKind::kUnique: return "unique";
    case IndexKind::kOrdered: return "ordered";
    case IndexKind::kSummary: break;
  }
  return "summary";
}

Value text(std::string v) { return Value::make_text(std::move(v)); }
Value number(uint64_t v) { return Value::bigint(static_cast<int64_t>(v)); }

void add_indexes(const TableDef& table, RowBuilder& rows) {
  for (const auto& i : table.indexes) {
    const bool summary = i->summary != nullptr;
    rows.add({text(table.name), text(i->name), text(kind_name(i->kind)), text(column_list(table, i->columns)),
              summary ? text(column_list(table, i->measures)) : Value::make_null(Type::text()),
              summary ? number(i->summary->live_cells()) : Value::make_null(Type::bigint()),
              number(summary ? i->summary->bytes() : i->key != nullptr ? i->key->bytes() : 0)});
  }
  if (table.table == nullptr) return;
  // Limbs that queries have kept: not made by anybody's statement, and gone when they do not pay.
  for (const auto& limb : kept_limbs(*table.table)) {
    if (limb->dead()) continue;
    const LimbForm& form = limb->form();
    std::vector<uint32_t> columns{form.key.column}, measures;
    for (const LimbLocal& l : form.locals) columns.push_back(l.column);
    for (const LimbMeasure& m : form.measures) measures.push_back(m.column);
    const std::string names = column_list(table, columns);
    rows.add({text(table.name), text("(" + names + ")"), text("limb"), text(names), text(column_list(table, measures)), number(limb->live_cells()),
              number(limb->bytes())});
  }
}

void add_columns(const TableDef& table, RowBuilder& rows) {
  for (uint32_t c = 0; c < table.columns.size(); ++c) {
    const ColumnDef& column = table.columns[c];
    std::string key;
    for (const auto& i : table.indexes) {
      if (std::find(i->columns.begin(), i->columns.end(), c) == i->columns.end()) continue;
      if (i->kind == IndexKind::kPrimary) key = "primary";
      if (i->kind == IndexKind::kUnique && key.empty()) key = "unique";
    }
    rows.add({text(column.name), text(to_string(column.type)), Value::boolean(!column.not_null), key.empty() ? Value::make_null(Type::text()) : text(key),
              column.has_default && !column.default_value.null ? text(to_text(column.default_value)) : Value::make_null(Type::text())});
  }
}

}  // namespace

std::vector<ResultColumn> show_columns(const sql::Statement& statement) {
  const auto texts = [](std::initializer_list<const char*> names) {
    std::vector<ResultColumn> columns;
    for (const char* name : names) columns.push_back({name, Type::text()});
    return columns;
  };
  if (statement.kind == sql::StatementKind::kExplain) return texts({"plan"});
  if (statement.kind == sql::StatementKind::kFile) {
    if (statement.as<sql::FileStatement>().action != sql::FileAction::kCheck) return {};
    auto columns = texts({"what", "checked", "findings", "finding"});
    columns[1].type = columns[2].type = Type::bigint();
    return columns;
  }
  if (statement.kind != sql::StatementKind::kShow) return {};
  const auto& s = statement.as<sql::ShowStatement>();
  switch (s.show) {
    case sql::ShowKind::kTables: return texts({"table_name"});
    case sql::ShowKind::kCreateTable: return texts({"sql"});
    case sql::ShowKind::kAll: return texts({"name", "value", "description"});
    case sql::ShowKind::kSetting: return {{std::string(s.name.folded), Type::text()}};
    case sql::ShowKind::kColumns: {
      auto columns = texts({"column_name", "type", "nullable", "key", "default"});
      columns[2].type = Type::boolean();
      return columns;
    }
    case sql::ShowKind::kRestorePoints: {
      auto columns = texts({"name", "commit"});
      columns[1].type = Type::bigint();
      return columns;
    }
    case sql::ShowKind::kIndexes: break;
  }
  auto columns = texts({"table_name", "index_name", "kind", "columns", "measures", "cells", "bytes"});
  columns[5].type = columns[6].type = Type::bigint();
  return columns;
}

ExecResult explain_result(const Plan& plan, const ExecResult& run, bool analyze, bool json, MemoryBudget* budget) {
  NodeTimes times;
  for (const NodeStats& n : run.stats) times[n.node] = {n.rows, n.ns};
  RowBuilder rows({{"plan", Type::text()}});
  if (json) {
    rows.add({text(explain_json(plan, analyze ? &times : nullptr))});
  } else {
    for (std::string& line : explain_lines(plan, analyze ? &times : nullptr)) rows.add({text(std::move(line))});
  }
  return rows.result(budget);
}

ExecResult show_restore_points(Checkpointer* checkpointer, const sql::ShowStatement& s, MemoryBudget* budget) {
  RowBuilder rows(show_columns(s));
  if (checkpointer != nullptr) {
    for (const KeptRoot& kept : checkpointer->restore_points()) rows.add({text(kept.name), number(kept.commit)});
  }
  return rows.result(budget);
}

ExecResult check_database(Database& database, const Snapshot& snapshot, bool repair, const CancelToken* cancel, const sql::Statement& s) {
  RowBuilder rows(show_columns(s));
  const auto add = [&](std::string what, uint64_t checked, uint64_t findings, std::string finding) {
    rows.add({text(std::move(what)), number(checked), number(findings), finding.empty() ? Value::make_null(Type::text()) : text(std::move(finding))});
  };
  if (database.checkpointer() != nullptr) {
    if (const auto scrub = database.checkpointer()->scrub(repair); scrub != nullptr) {
      std::string found;
      for (const std::string& one : scrub->messages) found += (found.empty() ? "" : "; ") + one;
      add("pages", scrub->pages, scrub->messages.size(), std::move(found));
    }
    std::string failure = database.checkpointer()->failure();
    if (!failure.empty()) add("checkpoint", 0, 1, std::move(failure));
  }
  for (const auto& def : database.catalog().tables(snapshot)) {
    const TableCheck t = check_table(*def, snapshot, database.manager().epochs(), cancel);
    add("table " + def->name, t.rows, t.findings, t.first);
    for (const auto& i : def->indexes) {
      if (i->summary == nullptr) continue;
      const VerifyResult v = verify_summary(*i->summary, snapshot, cancel);
      add("summary " + i->name, v.cells_checked, v.differences, v.differences == 0 ? "" : "cells differ from their rebuild");
    }
  }
  return rows.result(&database.budget());
}

ExecResult show_settings(const Settings& settings, const sql::ShowStatement& s, MemoryBudget* budget) {
  RowBuilder rows(show_columns(s));
  if (s.show == sql::ShowKind::kSetting) {
    rows.add({text(settings.get(s.name.folded, s.name.span.begin))});
  } else {
    for (const SettingRow& row : settings.all()) rows.add({text(row.name), text(row.value), text(row.description)});
  }
  return rows.result(budget);
}

ExecResult show_catalog(const Catalog& catalog, const Snapshot& snapshot, const sql::ShowStatement& s, MemoryBudget* budget) {
  RowBuilder rows(show_columns(s));
  const auto table = [&] { return catalog.require_table(s.name.spelling, snapshot, s.name.span.begin); };
  switch (s.show) {
    case sql::ShowKind::kTables:
      for (const auto& t : catalog.tables(snapshot)) rows.add({text(t->name)});
      break;
    case sql::ShowKind::kColumns: add_columns(*table(), rows); break;
    case sql::ShowKind::kCreateTable: rows.add({text(create_table_sql(*table(), catalog, snapshot))}); break;
    default:
      if (s.name) {
        add_indexes(*table(), rows);
      } else {
        for (const auto& t : catalog.tables(snapshot)) add_indexes(*t, rows);
      }
  }
  return rows.result(budget);
}

}  // namespace hdb
