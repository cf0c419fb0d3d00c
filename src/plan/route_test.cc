// Invariants checked: N3, R1-R5 of routing.
#include "plan/route.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "plan/test_plan.h"

using namespace hdb;
using hdb::testing::PlanSchema;

namespace {

const Node& scan_of(const Plan& plan, const std::string& table = "invoices") {
  const Node* found = nullptr;
  const auto visit = [&](const auto& self, const Node& n) -> void {
    if (n.kind == NodeKind::kScan && n.table->name == table) found = &n;
    for (const NodePtr& input : n.inputs) self(self, *input);
  };
  visit(visit, *plan.root);
  REQUIRE(found != nullptr);
  return *found;
}

// How a query reads invoices: the first words of that line.
std::string access(const PlanSchema& s, const std::string& text) {
  const std::string plan = s.plan(text);
  const size_t at = std::min(plan.find(" invoices:"), plan.find(" invoices i:"));
  REQUIRE(at != std::string::npos);
  const size_t line = plan.rfind('\n', at);
  const size_t begin = plan.find_first_not_of(" \n", line == std::string::npos ? 0 : line);
  return plan.substr(begin, at - begin);
}

std::string declined(const PlanSchema& s, const std::string& text, const std::string& path) {
  const Plan p = s.routed(text);
  for (const std::string& d : scan_of(p).access.declined) {
    if (d.rfind(path + " (", 0) == 0) return d.substr(path.size() + 2, d.size() - path.size() - 3);
  }
  return {};
}

}  // namespace

TEST_CASE("the queries of W1 are served by what DESIGN says") {
  const PlanSchema s;
  const std::string join = "FROM invoices i JOIN customers c ON i.customer_id=c.customer_id ";
  const std::pair<std::string, std::string> cases[] = {
      {"SELECT status, SUM(amount_cents), COUNT(*) FROM invoices GROUP BY status ORDER BY status", "summary s1"},
      {"SELECT SUM(amount_cents) FROM invoices", "zone sums"},
      {"SELECT COUNT(*) FROM invoices", "zone sums"},
      {"SELECT * FROM invoices WHERE invoice_id = ?", "index invoices_pkey"},
      {"SELECT SUM(balance_cents), COUNT(*) FROM invoices WHERE status='overdue' AND due_day < 200", "scan"},
      {"SELECT COUNT(*) FROM invoices WHERE amount_cents > 200000", "scan"},
      {"SELECT invoice_id, customer_id, amount_cents FROM invoices ORDER BY amount_cents DESC, invoice_id LIMIT 20", "scan"},
      {"SELECT customer_id, SUM(amount_cents) AS s FROM invoices GROUP BY customer_id ORDER BY s DESC, customer_id LIMIT 10", "summary s2"},
      {"SELECT region, status, SUM(amount_cents), COUNT(*) FROM invoices GROUP BY region, status ORDER BY region, status", "summary s1"},
      {"SELECT c.segment, SUM(i.amount_cents), COUNT(*) " + join + "GROUP BY c.segment ORDER BY c.segment", "limb s2"},
      {"SELECT c.segment, i.status, SUM(i.amount_cents), COUNT(*) " + join + "GROUP BY c.segment, i.status", "limb s2"},
      {"SELECT SUM(i.amount_cents) " + join + "WHERE c.segment='enterprise'", "limb s2"},
      {"SELECT c.name, SUM(i.amount_cents) AS s " + join + "GROUP BY c.name ORDER BY s DESC, c.name LIMIT 10", "limb s2"},
      {"SELECT DISTINCT region, month FROM invoices", "summary s1"},
      {"SELECT COUNT(DISTINCT month), MIN(region), MAX(month) FROM invoices WHERE status LIKE '%d' OR region IN ('a', 'b')", "summary s1"},
      {"SELECT upper(status), AVG(balance_cents) FROM invoices GROUP BY 1 HAVING COUNT(*) > 5", "summary s1"},
  };
  for (const auto& [text, path] : cases) {
    INFO(text);
    REQUIRE(access(s, text) == path);
  }
}

TEST_CASE("aggregates over cells use their merge forms and only the columns they need") {
  const PlanSchema s;
  const Plan p = s.routed("SELECT status, COUNT(*), SUM(amount_cents), AVG(balance_cents), COUNT(balance_cents), COUNT(amount_cents), COUNT(month), "
                          "sum_exact(amount_cents), COUNT(DISTINCT region), MAX(month) FROM invoices WHERE region <> 'x' GROUP BY status");
  const Node& scan = scan_of(p);
  REQUIRE(scan.access.kind == AccessKind::kSummary);
  REQUIRE(scan.columns.size() == 3);
  REQUIRE(scan.access.weight != kNoColumn);
  REQUIRE(scan.access.measures.size() == 2);
  REQUIRE(scan.access.measures[0].sum != kNoColumn);
  REQUIRE(scan.access.measures[0].count == kNoColumn);  // NOT NULL: the weight counts it
  REQUIRE(scan.access.measures[1].count != kNoColumn);
  REQUIRE(scan.access.measures[1].min == kNoColumn);
  REQUIRE(scan.output.size() == 3 + 1 + 1 + 2);
  const auto& a = p.root->aggregates;
  const AggregateKind kinds[] = {AggregateKind::kMergeCount, AggregateKind::kMergeSum,      AggregateKind::kMergeAvg,
                                 AggregateKind::kMergeCount, AggregateKind::kMergeCount,    AggregateKind::kMergeCount,
                                 AggregateKind::kMergeSumExact, AggregateKind::kCount,      AggregateKind::kMax};
  REQUIRE(a.size() == 9);
  for (size_t i = 0; i < 9; ++i) REQUIRE(a[i].kind == kinds[i]);
  REQUIRE(a[1].argument->type.lane() == Lane::kInt128);
  REQUIRE(a[2].type == Type::real());
  REQUIRE(a[2].measure_type == Type::bigint());
  REQUIRE(a[7].distinct);
}

TEST_CASE("exact expressions over dimensions and other tables are multiplied by the weight") {
  const PlanSchema s;
  const Plan p = s.routed("SELECT SUM(1), SUM(CASE WHEN i.status = 'paid' THEN 1 ELSE 0 END), SUM(c.customer_id), COUNT(c.segment), COUNT(1), "
                          "SUM(i.amount_cents) FROM invoices i JOIN customers c ON i.customer_id = c.customer_id");
  REQUIRE(scan_of(p).access.kind == AccessKind::kLimb);
  const std::string plan = PlanSchema::lines(p);
  INFO(plan);
  REQUIRE(plan.find("SUM(COALESCE(1 * CAST(weight AS DECIMAL(19,0)), 0))") != std::string::npos);
  REQUIRE(p.root->aggregates[0].argument->type.lane() == Lane::kInt128);
  REQUIRE(p.root->aggregates[2].kind == AggregateKind::kMergeSum);
  REQUIRE(p.root->aggregates[3].kind == AggregateKind::kMergeCount);
  REQUIRE(p.root->aggregates[4].kind == AggregateKind::kMergeCount);
}

TEST_CASE("a CASE over dimensions chooses among the sums of a cell") {
  const PlanSchema s;
  const Plan p = s.routed("SELECT SUM(CASE WHEN status = 'paid' THEN balance_cents ELSE 0 END), AVG(CASE region WHEN 'EU' THEN amount_cents END), "
                          "COUNT(CASE WHEN month > 'x' THEN balance_cents ELSE 0 END) FROM invoices");
  REQUIRE(PlanSchema::lines(p) ==
          "aggregate SUM(CASE WHEN status = 'paid' THEN balance_cents ELSE 0 END), AVG(CASE WHEN region = 'EU' THEN amount_cents ELSE 0 END), "
          "COUNT(CASE WHEN month > 'x' THEN balance_cents ELSE weight END)\n"
          "  summary s1 invoices: 0 cells, dimensions region, status, month, measures balance_cents, amount_cents");
  REQUIRE(p.root->aggregates[0].argument->type == Type::decimal(38, 0));
  REQUIRE(to_string(*p.root->aggregates[1].value_count).find("ELSE 0 END") != std::string::npos);  // NULL is not counted
  REQUIRE(access(s, "SELECT SUM(CASE WHEN status = 'paid' THEN tax_cents ELSE 0 END) FROM invoices") == "scan");
  REQUIRE(access(s, "SELECT SUM(CASE WHEN amount_cents > 0 THEN balance_cents ELSE 0 END) FROM invoices") == "scan");
}

TEST_CASE("a path that cannot serve says why") {
  const PlanSchema s;
  REQUIRE(declined(s, "SELECT SUM(tax_cents) FROM invoices GROUP BY status", "summary s1") == "tax_cents is neither a measure nor a dimension");
  REQUIRE(declined(s, "SELECT SUM(amount_cents) FROM invoices WHERE due_day = 1", "summary s1") == "due_day is not a dimension");
  REQUIRE(declined(s, "SELECT SUM(amount_cents) FROM invoices WHERE due_day = 1", "zone sums") == "a filter");
  REQUIRE(declined(s, "SELECT status, COUNT(*) FROM invoices GROUP BY status", "zone sums") == "GROUP BY");
  REQUIRE(declined(s, "SELECT MIN(status) FROM invoices", "zone sums") == "it has no values of status");
  REQUIRE(declined(s, "SELECT status FROM invoices", "summary s1") == "no aggregate");
  REQUIRE(declined(s, "SELECT c.segment, COUNT(i.status) FROM customers c LEFT JOIN invoices i ON i.customer_id = c.customer_id GROUP BY 1", "limb s2") ==
          "the table is on the side of a LEFT JOIN that may be NULL");
  REQUIRE(access(s, "SELECT c.segment, COUNT(*) FROM invoices i LEFT JOIN customers c ON i.customer_id = c.customer_id GROUP BY 1") == "limb s2");
  const Plan reals = s.routed("SELECT SUM(r) FROM types");
  REQUIRE(scan_of(reals, "Types").access.declined.at(0) == "zone sums (sums of DOUBLE are not kept as cells)");
}

TEST_CASE("zone sums give MIN and MAX of numbers and dates") {
  const PlanSchema s;
  const Plan p = s.routed("SELECT MIN(i), MAX(day), COUNT(d), AVG(d), COUNT(*) FROM types");
  const Node& scan = scan_of(p, "Types");
  REQUIRE(scan.access.kind == AccessKind::kZoneSums);
  REQUIRE(scan.columns.empty());
  REQUIRE(scan.access.measures.size() == 3);
  REQUIRE(p.root->aggregates[0].kind == AggregateKind::kMin);
  REQUIRE(p.root->aggregates[1].argument->type == Type::date());
  REQUIRE(p.root->aggregates[3].type == Type::decimal(38, 8));
  REQUIRE(p.root->aggregates[3].measure_type == Type::decimal(10, 2));
}

TEST_CASE("summary_mode off and force") {
  PlanSchema s;
  s.settings.summary_mode = SummaryMode::kOff;
  REQUIRE(access(s, "SELECT status, COUNT(*) FROM invoices GROUP BY status") == "scan");
  REQUIRE(declined(s, "SELECT status, COUNT(*) FROM invoices GROUP BY status", "summary s1") == "summary_mode is off");
  s.settings.summary_mode = SummaryMode::kForce;
  REQUIRE(access(s, "SELECT COUNT(*) FROM invoices") == "summary s1");
  REQUIRE(s.plan("SELECT 1") == "project 1\n  values: 1 row");
  REQUIRE(s.error("DELETE FROM types WHERE k = 1").substr(0, 6) == "delete");
  for (const char* text : {"SELECT COUNT(*) FROM types", "SELECT invoice_id FROM invoices", "SELECT SUM(tax_cents) FROM invoices"}) {
    REQUIRE(s.error(text) == "0A000@-1");
  }
  try {
    s.routed("SELECT SUM(tax_cents) FROM invoices");
  } catch (const Error& e) {
    REQUIRE(e.message().find("summary s1 (tax_cents is neither a measure nor a dimension)") != std::string::npos);
  }
}

TEST_CASE("a unique key is looked up when all of its columns are given") {
  const PlanSchema s;
  const auto line = [&](const std::string& where) {
    const std::string plan = s.plan("SELECT k FROM types WHERE " + where);
    return plan.substr(plan.find("project k\n  ") == 0 ? 12 : 0);
  };
  REQUIRE(line("i = 1 AND 'x' = v AND d > 0") == "index types_i_v Types: key i = 1, v = 'x', columns k, i, d, v, filter d > 0.00");
  REQUIRE(line("i = 1") == "scan Types: 0 blocks, columns k, i, filter i = 1");
  REQUIRE(line("k = 2.0") == "index types_pkey Types: key k = 2, columns k");
  REQUIRE(line("k = 2.5").substr(0, 4) == "scan");
  REQUIRE(line("k = i").substr(0, 4) == "scan");
  REQUIRE(line("k = 1 OR k = 2").substr(0, 4) == "scan");
  REQUIRE(line("k = 1 AND k = 2") == "index types_pkey Types: key k = 1, columns k, filter k = 2");
}

TEST_CASE("a kept plan no longer fits when a table has grown") {
  PlanSchema s;
  std::vector<ColumnShape> shape;
  for (const ColumnDef& c : s.types->columns) shape.push_back({c.name, c.type, c.not_null});
  s.types->table = std::make_shared<Table>(3, "Types", shape, &s.budget);
  const Plan p = s.routed("SELECT k FROM types");
  REQUIRE(still_fits(p, s.snapshot));
  s.types->table->live_rows = 10'000;
  REQUIRE(still_fits(p, s.snapshot));
  s.types->table->live_rows = 1'000'000;
  REQUIRE_FALSE(still_fits(p, s.snapshot));
}
