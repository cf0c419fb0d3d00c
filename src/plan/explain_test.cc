#include "plan/explain.h"

#include <catch2/catch.hpp>

#include "plan/test_plan.h"

using namespace hdb;
using hdb::testing::PlanSchema;

TEST_CASE("EXPLAIN prints the access, what it reads and what declined") {
  const PlanSchema s;
  REQUIRE(s.plan("SELECT status, SUM(amount_cents), COUNT(*) FROM invoices WHERE region = 'EU' GROUP BY status ORDER BY status", true) ==
          "sort by status\n"
          "  aggregate SUM(amount_cents), COUNT(*) by status\n"
          "    summary s1 invoices: 0 cells, dimensions status, region, measures amount_cents, filter region = 'EU'\n"
          "      declined: zone sums (GROUP BY)\n"
          "      declined: summary s2 (region is not a dimension)");
}

TEST_CASE("EXPLAIN ANALYZE adds rows and time, JSON has the same") {
  const PlanSchema s;
  const Plan p = s.routed("SELECT t FROM types WHERE t = 'a\"\n'");
  const NodeTimes times{{p.root.get(), {7, 1'500'000}}};
  REQUIRE(explain_lines(p, &times).at(0) == "scan Types: 0 blocks, columns t, filter t = 'a\"\n' (7 rows, 1.500 ms)");
  REQUIRE(explain_json(p, &times).substr(0, 125) ==
          "{\"node\":\"scan Types: 0 blocks, columns t, filter t = 'a\\\"\\u000a'\",\"declined\":[\"zone sums (no aggregate)\",\"block cells (no agg");
  REQUIRE(explain_json(p, &times).find(",\"rows\":7,\"ms\":1.500}") != std::string::npos);
}
