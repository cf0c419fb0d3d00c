// plan/test_plan.h: a small schema for tests of plan/: W1's two tables and one with every type; plans and errors as text.
//
// What:       tables without storage (plans need none), whose sizes are given by hand where a test is about cost.
// Callers:    src/plan/*_test.cc only.
// Held by:    the tests that use it
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/error.h"
#include "catalog/catalog.h"
#include "plan/binder.h"
#include "plan/explain.h"
#include "plan/route.h"
#include "sql/parser.h"
#include "store/table.h"
#include "txn/transaction.h"

namespace hdb::testing {

struct PlanSchema {
  MemoryBudget budget;
  TransactionManager manager{&budget};
  Catalog catalog;
  std::shared_ptr<TableDef> customers, invoices, types;
  RouteSettings settings;

  explicit PlanSchema(bool summaries = true) {
    settings.explain = true;
    customers = table(1, "customers", {{"customer_id", Type::bigint(), true}, {"name", Type::text(), true}, {"segment", Type::text(), true},
                                       {"signup_cohort", Type::text(), true}, {"country", Type::text(), true}});
    key(*customers, "customers_pkey", {0});
    invoices = table(2, "invoices", {{"invoice_id", Type::bigint(), true}, {"customer_id", Type::bigint(), true}, {"region", Type::text(), true},
                                     {"status", Type::text(), true}, {"month", Type::text(), true}, {"amount_cents", Type::bigint(), true},
                                     {"tax_cents", Type::bigint(), true}, {"balance_cents", Type::bigint(), false}, {"due_day", Type::bigint(), false}});
    key(*invoices, "invoices_pkey", {0});
    invoices->foreign_keys.push_back({{1}, 1, "customers", {0}});
    if (summaries) {
      summary(*invoices, "s1", {2, 3, 4}, {5, 7});
      summary(*invoices, "s2", {1, 3}, {5});
    }
    types = table(3, "Types", {{"k", Type::bigint(), true}, {"b", Type::boolean(), false}, {"i", Type::bigint(), false},
                               {"d", Type::decimal(10, 2), false}, {"r", Type::real(), false}, {"t", Type::text(), false},
                               {"v", Type::text(5), false}, {"day", Type::date(), false}, {"at", Type::timestamp(), false}});
    types->columns[5].has_default = true;
    types->columns[5].default_value = Value::make_text("none");
    key(*types, "types_pkey", {0});
    key(*types, "types_i_v", {2, 6});
    Transaction transaction(manager);
    transaction.begin_write();
    for (const auto& t : {customers, invoices, types}) catalog.change(transaction, nullptr, t);
    transaction.end_statement();
    transaction.commit();
    reader_ = std::make_unique<Transaction>(manager);
    snapshot = reader_->snapshot();
  }

  Plan bound(const std::string& text, const ParameterTypes& given = {}) const {
    Arena arena;
    return hdb::bind(*sql::parse_one(text, arena).root, text, catalog, snapshot, given);
  }
  Plan routed(const std::string& text, const ParameterTypes& given = {}) const {
    Plan plan = bound(text, given);
    route(plan, settings);
    return plan;
  }
  // The routed plan, a line a node; `declined` keeps those lines, too.
  std::string plan(const std::string& text, bool declined = false) const { return lines(routed(text), declined); }
  static std::string lines(const Plan& plan, bool declined = false) {
    std::string out;
    for (const std::string& line : explain_lines(plan)) {
      if (!declined && line.find("declined: ") != std::string::npos) continue;
      out += (out.empty() ? "" : "\n") + line;
    }
    return out;
  }
  // "SQLSTATE@position", or the plan if there is no error.
  std::string error(const std::string& text) const {
    try {
      return plan(text);
    } catch (const Error& e) {
      return std::string(e.sqlstate()) + "@" + std::to_string(e.position());
    }
  }
  // The type of the only column of a SELECT.
  std::string type(const std::string& expression) const { return to_string(bound("SELECT " + expression + " FROM types").result.at(0).type); }
  // The expression as it is bound (and folded).
  std::string expr(const std::string& expression) const {
    const Plan p = bound("SELECT " + expression + " FROM types");
    std::string line = explain_lines(p).at(0);
    return line.rfind("project ", 0) == 0 ? line.substr(8) : line;
  }

  Snapshot snapshot;

 private:
  static std::shared_ptr<TableDef> table(uint64_t id, const std::string& name, const std::vector<ColumnShape>& shape) {
    auto t = std::make_shared<TableDef>();
    t->id = id;
    t->name = name;
    for (const char c : name) t->folded += static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    for (const ColumnShape& s : shape) t->columns.push_back({s.name, s.name, s.type, s.not_null, false, {}});
    return t;
  }
  static void key(TableDef& t, const std::string& name, std::vector<uint32_t> columns) {
    auto index = std::make_shared<IndexDef>();
    index->name = index->folded = name;
    index->kind = IndexKind::kUnique;
    index->table_id = t.id;
    index->columns = std::move(columns);
    t.indexes.push_back(std::move(index));
  }
  static void summary(TableDef& t, const std::string& name, std::vector<uint32_t> dimensions, std::vector<uint32_t> measures) {
    auto index = std::make_shared<IndexDef>();
    index->name = index->folded = name;
    index->kind = IndexKind::kSummary;
    index->table_id = t.id;
    index->columns = std::move(dimensions);
    index->measures = std::move(measures);
    t.indexes.push_back(std::move(index));
  }
  std::unique_ptr<Transaction> reader_;
};

}  // namespace hdb::testing
