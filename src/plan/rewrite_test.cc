// Invariants checked: Q1, Q2, Q3; join keys and join order.
#include "plan/rewrite.h"

#include <catch2/catch.hpp>

#include "plan/test_plan.h"

using namespace hdb;
using hdb::testing::PlanSchema;

namespace {

// Storage of a given size, for what depends on it.
void resize(PlanSchema& s, TableDef& t, uint64_t rows) {
  std::vector<ColumnShape> shape;
  for (const ColumnDef& c : t.columns) shape.push_back({c.name, c.type, c.not_null});
  t.table = std::make_shared<Table>(t.id, t.name, shape, &s.budget);
  t.table->live_rows = rows;
}

}  // namespace

TEST_CASE("conditions become filters of their table or keys of a join") {
  PlanSchema s;
  REQUIRE(s.plan("SELECT i.invoice_id, c.name FROM invoices i, customers c WHERE i.customer_id = c.customer_id AND c.segment = 'smb' AND "
                 "i.due_day > 5 AND i.tax_cents > c.customer_id") ==
          "join i.customer_id = c.customer_id, on i.tax_cents > c.customer_id\n"
          "  scan invoices i: 0 blocks, columns invoice_id, customer_id, tax_cents, due_day, filter i.due_day > 5\n"
          "  scan customers c: 0 blocks, columns customer_id, name, segment, filter c.segment = 'smb'");
  const Plan p = s.routed("SELECT c.name FROM invoices i JOIN customers c USING (customer_id) WHERE segment = 'smb'");
  REQUIRE(p.root->kind == NodeKind::kJoin);
  REQUIRE(p.root->output.size() == 1);
}

TEST_CASE("the largest table is the probe side, the others are joined smallest first") {
  PlanSchema s;
  s.settings.block_cells = false;
  resize(s, *s.customers, 200'000);
  resize(s, *s.invoices, 1'000'000);
  resize(s, *s.types, 50);
  const std::string plan = s.plan("SELECT COUNT(*), MIN(t) FROM customers c JOIN invoices i ON c.customer_id = i.customer_id, types "
                                  "WHERE types.i = c.customer_id AND i.balance_cents > 0");
  const auto at = [&](const char* text) { return plan.find(text); };
  INFO(plan);
  REQUIRE(at("scan invoices") < at("scan customers"));
  REQUIRE(at("scan customers") < at("scan Types"));
}

TEST_CASE("a filter goes below a LEFT JOIN only where that is sound") {
  PlanSchema s;
  const std::string from = "SELECT i.invoice_id, c.name FROM invoices i LEFT JOIN customers c ON i.customer_id = c.customer_id "
                           "AND c.country = 'DE' AND i.due_day = 1 ";
  const auto has = [&](const std::string& where, const std::string& part) {
    const std::string plan = s.plan(from + where);
    INFO(plan);
    return plan.find(part) != std::string::npos;
  };
  REQUIRE(has("", "left join i.customer_id = c.customer_id, on i.due_day = 1"));
  REQUIRE(has("", "columns customer_id, name, country, filter c.country = 'DE'"));
  REQUIRE(has("WHERE i.status = 'paid'", "filter i.status = 'paid'"));
  REQUIRE(has("WHERE c.segment IS NULL", "filter c.segment IS NULL\n"));
  REQUIRE(has("WHERE c.segment IS NULL", "left join"));
  REQUIRE_FALSE(has("WHERE c.segment = 'smb'", "left join"));  // no partner, no row: the same as an inner join
  REQUIRE(has("WHERE c.segment IS NULL OR c.segment = 'smb'", "left join"));
}

TEST_CASE("what may raise stays behind what could have spared it") {
  PlanSchema s;
  const std::string plan = s.plan("SELECT 1 FROM types a, types b WHERE a.i <> b.i AND 1 / a.k > 0 AND a.d > 1");
  INFO(plan);
  REQUIRE(plan.find("on a.i <> b.i AND (1 / a.k) > 0") != std::string::npos);
  REQUIRE(plan.find("filter a.d > 1.00") != std::string::npos);
  REQUIRE(s.plan("SELECT k FROM types WHERE i <> 0 AND 10 / i > 2").find("filter i <> 0 AND (10 / i) > 2") != std::string::npos);
}

TEST_CASE("keys of different decimals meet in one type, others stay conditions") {
  PlanSchema s;
  REQUIRE(s.plan("SELECT 1 FROM types a JOIN types b ON a.d = b.i").find("join a.d = CAST") == std::string::npos);
  REQUIRE(s.plan("SELECT 1 FROM types a JOIN types b ON a.d = b.i").find("CAST(a.d AS DECIMAL(21,2)) = ") != std::string::npos);
  REQUIRE(s.plan("SELECT 1 FROM types a JOIN types b ON a.i + b.i = 3").find("join on (a.i + b.i) = 3") != std::string::npos);
  REQUIRE(s.plan("SELECT 1 FROM types a CROSS JOIN types b").find("cross join\n") != std::string::npos);
}

TEST_CASE("scans list only the columns that something reads") {
  PlanSchema s;
  const Plan p = s.routed("SELECT COUNT(*) FROM types WHERE v LIKE 'a%' ORDER BY 1");
  const Node* scan = p.root.get();
  while (!scan->inputs.empty()) scan = scan->inputs[0].get();
  REQUIRE(scan->columns.size() == 1);
  REQUIRE(scan->filter_only == 1);
  REQUIRE(scan->output.size() == 1);
}
