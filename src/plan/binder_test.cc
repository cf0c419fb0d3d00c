// Invariants checked: B1, B3, R1, R2, Y1, Y2, Y3; errors with SQLSTATE and position.
#include "plan/binder.h"

#include <catch2/catch.hpp>

#include "plan/test_plan.h"

using namespace hdb;
using hdb::testing::PlanSchema;

TEST_CASE("types of expressions are those of INTERFACE") {
  const PlanSchema s;
  const std::pair<const char*, const char*> cases[] = {
      {"i + 1", "BIGINT"}, {"i / 2", "BIGINT"}, {"d + 1", "DECIMAL(11,2)"}, {"d * d", "DECIMAL(20,4)"}, {"d / 3", "DECIMAL(14,6)"},
      {"i + r", "DOUBLE"}, {"d + r", "DOUBLE"}, {"1.5", "DECIMAL(2,1)"}, {"1e3", "DOUBLE"}, {"+t", "TEXT"}, {"t || 'x'", "TEXT"},
      {"t || i", "TEXT"}, {"day + 1", "DATE"}, {"day - day", "BIGINT"}, {"day - '2026-01-01'", "BIGINT"}, {"NULLIF(i, 2.5)", "BIGINT"},
      {"COALESCE(i, d)", "DECIMAL(21,2)"}, {"CASE WHEN b THEN 1 ELSE 2.5 END", "DECIMAL(2,1)"}, {"COUNT(t)", "BIGINT"},
      {"SUM(i)", "BIGINT"}, {"SUM(d)", "DECIMAL(38,2)"}, {"SUM(r)", "DOUBLE"}, {"sum_exact(i)", "DECIMAL(38,0)"}, {"AVG(i)", "DOUBLE"},
      {"AVG(d)", "DECIMAL(38,8)"}, {"MIN(day)", "DATE"}, {"round(d, 1)", "DECIMAL(10,1)"}, {"round(d)", "DECIMAL(9,0)"}, {"abs(d)", "DECIMAL(10,2)"},
      {"date_trunc('month', at)", "TIMESTAMP"}, {"extract(year from day)", "BIGINT"}, {"CAST(i AS VARCHAR(3))", "VARCHAR(3)"},
      {"GREATEST(i, 2)", "BIGINT"}, {"9223372036854775808", "DECIMAL(19,0)"}, {"-9223372036854775808", "BIGINT"},
  };
  for (const auto& [expression, type] : cases) {
    INFO(expression);
    REQUIRE(s.type(expression) == type);
  }
}

TEST_CASE("constants are folded, and folding never raises") {
  const PlanSchema s;
  REQUIRE(s.expr("1 + 2 * 3") == "7");
  REQUIRE(s.expr("-1.50") == "-1.50");
  REQUIRE(s.expr("1/0") == "1 / 0");
  REQUIRE(s.expr("NULL/0") == "NULL");
  REQUIRE(s.expr("9223372036854775807 + 1") == "9223372036854775807 + 1");
  REQUIRE(s.expr("CAST('abc' AS BIGINT)") == "CAST('abc' AS BIGINT)");
  REQUIRE(s.expr("CASE WHEN TRUE THEN i ELSE 1/0 END") == "scan Types: 0 blocks, columns i");
  REQUIRE(s.expr("CASE WHEN i > 0 THEN 1 WHEN FALSE THEN 1/0 END") == "CASE WHEN i > 0 THEN 1 ELSE NULL END");
  REQUIRE(s.expr("i = 1 OR TRUE") == "TRUE");
  REQUIRE(s.expr("i = 1 AND NULL") == "i = 1 AND NULL");
  REQUIRE(s.expr("COALESCE(NULL, i, 1, 1/0)") == "COALESCE(i, 1)");
  REQUIRE(s.expr("NOT i = 1") == "i <> 1");
  REQUIRE(s.expr("i NOT BETWEEN 1 AND 2") == "NOT (i >= 1 AND i <= 2)");
}

TEST_CASE("conversions are explicit, constants take the type of the column") {
  const PlanSchema s;
  REQUIRE(s.expr("day = '2026-11-30'") == "day = '2026-11-30'");
  REQUIRE(s.expr("at > DATE '2026-11-30'") == "at > '2026-11-30 00:00:00'");
  REQUIRE(s.expr("day < at") == "CAST(day AS TIMESTAMP) < at");
  REQUIRE(s.expr("d = 5") == "d = 5.00");
  REQUIRE(s.expr("d = 5.125") == "d = 5.125");
  REQUIRE(s.expr("i < 2.5") == "i <= 2");
  REQUIRE(s.expr("-2.5 < i") == "i > -3");
  REQUIRE(s.expr("i = 2.0") == "i = 2");
  REQUIRE(s.expr("r = 1.5") == "r = 1.5");
  REQUIRE(s.expr("r < i") == "r < CAST(i AS DOUBLE)");
  REQUIRE(s.expr("i IN (1, 2.0, NULL)") == "i IN (1, 2, NULL)");
  REQUIRE(s.expr("d IN (1, 2.5)") == "d IN (1.00, 2.50)");
  REQUIRE(s.expr("v IN ('much too long', 'b')") == "v IN ('much too long', 'b')");
  REQUIRE(s.expr("b = 'true'") == "b = TRUE");
}

TEST_CASE("text and numbers never meet without CAST") {
  const PlanSchema s;
  REQUIRE(s.error("SELECT k FROM types WHERE t = 5") == "42883@28");
  REQUIRE(s.error("SELECT k FROM types WHERE i = '5'") == "42883@28");
  REQUIRE(s.error("SELECT k FROM types WHERE i IN (1, 'x')") == "42883@35");
  REQUIRE(s.error("SELECT 1 + 'x'") == "42883@9");
  REQUIRE(s.error("SELECT b = 1 FROM types") == "42883@9");
  REQUIRE(s.error("SELECT day = t FROM types") == "42883@11");
  REQUIRE(s.error("SELECT i LIKE 'x' FROM types") == "42883@14");
  REQUIRE(s.error("SELECT SUM(t) FROM types") == "42883@7");
  REQUIRE(s.error("SELECT length(5)") == "42883@7");
  REQUIRE(s.error("SELECT nothing(5)") == "42883@7");
  REQUIRE(s.error("SELECT k FROM types WHERE i") == "42804@26");
  REQUIRE(s.error("SELECT CASE WHEN b THEN 1 ELSE 'x' END FROM types") == "42804@31");
  REQUIRE(s.error("SELECT CAST(day AS BIGINT) FROM types") == "42804@7");
}

TEST_CASE("names are found, or the error says where") {
  const PlanSchema s;
  REQUIRE(s.error("SELECT x FROM types") == "42703@7");
  REQUIRE(s.error("SELECT k FROM nowhere") == "42P01@14");
  REQUIRE(s.error("SELECT q.k FROM types") == "42P01@7");
  REQUIRE(s.error("SELECT customer_id FROM customers, invoices") == "42702@7");
  REQUIRE(s.error("SELECT 1 FROM types, types") == "42710@21");
  REQUIRE(s.error("SELECT *") == "42601@7");
  REQUIRE(s.error("SELECT i.status FROM invoices i JOIN customers c ON c.customer_id = i.nope") == "42703@70");
  REQUIRE(s.error("SELECT 1 FROM types a JOIN types b ON z.k = a.k, types z") == "42P01@38");
  REQUIRE(s.bound("SELECT C.Name, \"name\" FROM customers c").result.at(0).name == "Name");
  const Plan p = s.bound("SELECT SUM( i ), k AS Key, k + 1, (k) FROM types GROUP BY k");
  REQUIRE(p.result.at(0).name == "SUM( i )");
  REQUIRE(p.result.at(1).name == "Key");
  REQUIRE(p.result.at(2).name == "k + 1");
  REQUIRE(s.bound("SELECT * FROM invoices JOIN customers USING (customer_id)").result.size() == 13);
  REQUIRE(s.bound("SELECT c.*, 1 FROM invoices JOIN customers c USING (customer_id)").result.size() == 6);
}

TEST_CASE("grouping is checked") {
  const PlanSchema s;
  REQUIRE(s.error("SELECT status, COUNT(*) FROM invoices") == "42803@7");
  REQUIRE(s.error("SELECT * FROM invoices GROUP BY status") == "42803@7");
  REQUIRE(s.error("SELECT status FROM invoices GROUP BY status HAVING region = 'x'") == "42803@51");
  REQUIRE(s.error("SELECT status FROM invoices GROUP BY status ORDER BY region") == "42803@53");
  REQUIRE(s.error("SELECT 1 FROM invoices WHERE COUNT(*) > 1") == "42803@29");
  REQUIRE(s.error("SELECT SUM(COUNT(*)) FROM invoices") == "42803@11");
  REQUIRE(s.error("SELECT COUNT(*) FROM invoices GROUP BY 1") == "42803@39");
  REQUIRE(s.error("SELECT status FROM invoices GROUP BY 2") == "42P10@37");
  REQUIRE(s.error("SELECT status FROM invoices ORDER BY 0") == "42P10@37");
  REQUIRE(s.error("SELECT DISTINCT status FROM invoices ORDER BY region") == "42P10@46");
  REQUIRE(s.error("SELECT k FROM types LIMIT -1") == "22023@26");
  REQUIRE(s.error("SELECT k FROM types LIMIT 'x'") == "42804@26");
  REQUIRE(s.error("SELECT k FROM types LIMIT k") == "42703@26");
}

TEST_CASE("grouping by expression, ordinal and alias is one thing") {
  const PlanSchema s(false);
  const std::string wanted = "aggregate COUNT(*) by upper(t)\n  scan Types: 0 blocks, columns t";
  REQUIRE(s.plan("SELECT upper(t), COUNT(*) FROM types GROUP BY upper(t)") == wanted);
  REQUIRE(s.plan("SELECT upper(t) AS u, COUNT(*) FROM types GROUP BY 1") == wanted);
  REQUIRE(s.plan("SELECT upper(t) AS u, COUNT(*) FROM types GROUP BY u") == wanted);
  REQUIRE(s.plan("SELECT upper(t) || '!' AS u FROM types GROUP BY upper(t) HAVING COUNT(*) > 1 ORDER BY SUM(i) DESC, u") ==
          "project upper(t) || '!'\n  sort by SUM(i) DESC, upper(t) || '!'\n    project upper(t) || '!', SUM(i)\n      filter COUNT(*) > 1\n"
          "        aggregate COUNT(*), SUM(i) by upper(t)\n          scan Types: 0 blocks, columns i, t");
}

TEST_CASE("an aggregate that is written twice is computed once") {
  const PlanSchema s(false);
  REQUIRE(s.plan("SELECT SUM(i), SUM(i) + 1, COUNT(*) FROM types HAVING SUM(i) > 0 ORDER BY sum(I)") ==
          "sort by SUM(i)\n  project SUM(i), SUM(i) + 1, COUNT(*)\n    filter SUM(i) > 0\n"
          "      aggregate SUM(i), COUNT(*)\n        zone sums Types: 0 blocks, measures i");
}

TEST_CASE("ORDER BY takes hidden columns, which the result does not have") {
  const PlanSchema s;
  const Plan p = s.routed("SELECT t FROM types ORDER BY i DESC NULLS FIRST, 'x', k LIMIT 3 OFFSET 1");
  REQUIRE(PlanSchema::lines(p) ==
          "project t\n  top by i DESC NULLS FIRST, k limit 3 offset 1\n    project t, i, k\n      scan Types: 0 blocks, columns k, i, t");
  REQUIRE(p.root->output.size() == 1);
  REQUIRE(s.plan("SELECT k FROM types LIMIT 5") == "limit 5\n  scan Types: 0 blocks, columns k");
}

TEST_CASE("a plain SELECT * is only its scan") {
  const PlanSchema s;
  const Plan p = s.routed("SELECT * FROM customers WHERE customer_id = ?");
  REQUIRE(PlanSchema::lines(p) == "index customers_pkey customers: key customer_id = $1, columns customer_id, name, segment, signup_cohort, country");
  REQUIRE(p.root->filters.empty());
  REQUIRE(p.parameters.types.at(0) == Type::bigint());
}

TEST_CASE("parameters take their types from their context, or have them") {
  const PlanSchema s;
  const auto types = [&](const std::string& text, const ParameterTypes& given = {}) {
    std::string out;
    for (const Type& t : s.bound(text, given).parameters.types) out += (out.empty() ? "" : " ") + to_string(t);
    return out;
  };
  REQUIRE(types("SELECT k FROM types WHERE day = ? AND t LIKE ? LIMIT ?") == "DATE TEXT BIGINT");
  REQUIRE(types("INSERT INTO types(k, d, v) VALUES (?, ?, ?)") == "BIGINT DECIMAL(10,2) TEXT");
  REQUIRE(types("SELECT ?1, i FROM types WHERE ?1 = d") == "DECIMAL(10,2)");
  REQUIRE(types("SELECT ? FROM types") == "NULL");
  REQUIRE(types("SELECT ? + 1 FROM types", {{Type::real()}}) == "DOUBLE");
  REQUIRE(s.bound("SELECT ?1, i FROM types WHERE ?1 = d").result.at(0).type == Type::decimal(10, 2));
  REQUIRE_THROWS_AS(s.bound("SELECT k FROM types WHERE i = ?", {{Type::text()}}), Error);
  REQUIRE_NOTHROW(s.bound("SELECT k FROM types WHERE day = ?", {{Type::text()}}));
}

TEST_CASE("INSERT converts to the column's type, and fills in defaults") {
  const PlanSchema s;
  const Plan p = s.bound("INSERT INTO types (d, k, day, v) VALUES (5, '7', '2026-01-02', 'too long'), (NULL, 2.9, NULL, ?)");
  const auto& rows = p.root->inputs[0]->rows;
  std::vector<std::string> first, second;
  for (const ExprPtr& e : rows.at(0)) first.push_back(to_string(*e));
  for (const ExprPtr& e : rows.at(1)) second.push_back(to_string(*e));
  REQUIRE(first == std::vector<std::string>{"7", "NULL", "NULL", "5.00", "NULL", "'none'", "CAST('too long' AS VARCHAR(5))", "'2026-01-02'", "NULL"});
  REQUIRE(second == std::vector<std::string>{"2", "NULL", "NULL", "NULL", "NULL", "'none'", "CAST($1 AS VARCHAR(5))", "NULL", "NULL"});
  REQUIRE(p.writes);
  REQUIRE(p.result.empty());
  REQUIRE(s.error("INSERT INTO types (k, k) VALUES (1, 2)") == "42701@22");
  REQUIRE(s.error("INSERT INTO types (k, z) VALUES (1, 2)") == "42703@22");
  REQUIRE(s.error("INSERT INTO types (k) VALUES (1, 2)") == "42601@29");
  REQUIRE(s.error("INSERT INTO types (k) SELECT k, i FROM types") == "42601@22");
  REQUIRE(s.error("INSERT INTO types (k) VALUES (TRUE)") == "42804@30");
  REQUIRE(s.error("INSERT INTO types (k) SELECT t FROM types") == "42804@29");
  REQUIRE(s.plan("INSERT INTO customers SELECT i, 'n', t, t, t FROM types").find("insert customers\n  project CAST(") == std::string::npos);
}

TEST_CASE("UPDATE and DELETE read the row id and what they need") {
  const PlanSchema s;
  REQUIRE(s.plan("UPDATE types SET d = d + 1, i = NULL WHERE k = 5") ==
          "update Types: d, i\n  project row id, CAST(d + 1 AS DECIMAL(10,2)), NULL\n    index types_pkey Types: key k = 5, columns d, k");
  REQUIRE(s.plan("DELETE FROM types") == "delete Types\n  scan Types: 0 blocks");
  REQUIRE(s.plan("TRUNCATE types") == "delete Types\n  scan Types: 0 blocks");
  const Plan p = s.routed("DELETE FROM types t WHERE t.i > 5");
  REQUIRE(PlanSchema::lines(p) == "delete Types\n  project row id\n    scan Types t: 0 blocks, columns i, filter i > 5");
  REQUIRE(p.root->inputs[0]->output.size() == 1);
  REQUIRE(p.root->inputs[0]->inputs[0]->filter_only == 1);
  REQUIRE(s.error("UPDATE types SET i = 1, i = 2") == "42701@24");
  REQUIRE(s.error("UPDATE types SET i = COUNT(*)") == "42803@21");
}

TEST_CASE("VALUES, SELECT without FROM, and the table function") {
  const PlanSchema s;
  const Plan p = s.bound("VALUES (1, NULL), (2.5, 'x') ORDER BY 1 DESC");
  REQUIRE(p.result.at(0).name == "column1");
  REQUIRE(p.result.at(0).type == Type::decimal(2, 1));
  REQUIRE(p.result.at(1).type == Type::text());
  REQUIRE(PlanSchema::lines(p) == "sort by column1 DESC\n  values: 2 rows");
  REQUIRE(s.plan("SELECT 1, 'a' WHERE TRUE") == "project 1, 'a'\n  values: 1 row");
  REQUIRE(s.plan("SELECT * FROM summary_verify('S1')") == "summary_verify s1");
  REQUIRE(s.plan("SELECT differences > 0 FROM summary_verify('s1') v") == "project differences > 0\n  summary_verify s1");
  REQUIRE(s.error("SELECT * FROM summary_verify('zz')") == "42704@29");
  REQUIRE(s.error("SELECT * FROM summary_verify('types_pkey')") == "22023@29");
}

TEST_CASE("DEFAULT is a constant of the column's type") {
  Arena arena;
  REQUIRE(to_text(bind_default(*sql::parse_expression("-1.5 * 2", arena), Type::decimal(10, 2))) == "-3.00");
  REQUIRE(to_text(bind_default(*sql::parse_expression("'2026-01-02'", arena), Type::date())) == "2026-01-02");
  REQUIRE_THROWS_AS(bind_default(*sql::parse_expression("1/0", arena), Type::bigint()), Error);
  REQUIRE_THROWS_AS(bind_default(*sql::parse_expression("TRUE", arena), Type::bigint()), Error);
  REQUIRE_THROWS_AS(bind_default(*sql::parse_expression("'abcdef'", arena), Type::text(5)), Error);
}

TEST_CASE("long and deep conditions bind in linear time") {
  const PlanSchema s;
  std::string text = "SELECT k FROM types WHERE i = 0";
  for (int i = 0; i < 20'000; ++i) text += " OR i = " + std::to_string(i);
  REQUIRE(s.bound(text).root->inputs[0]->filters.at(0)->args.size() == 20'001);
  std::string in = "SELECT k FROM types WHERE i IN (0";
  for (int i = 0; i < 20'000; ++i) in += ", " + std::to_string(i);
  REQUIRE(s.bound(in + ")").root->inputs[0]->filters.at(0)->args.size() == 20'002);
  std::string chain = "SELECT i";
  for (int i = 0; i < 900; ++i) chain += " + i";
  REQUIRE_NOTHROW(s.bound(chain + " FROM types"));
}
