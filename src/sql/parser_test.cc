// Invariants checked: T1, T2, T3, P1, P2, P3, Q1.
#include "sql/parser.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>

#include "base/error.h"
#include "base/limits.h"
#include "sql/tree_dump.h"

using namespace hdb;
using namespace hdb::sql;

namespace {

std::string tree(const std::string& text) {
  Arena arena;
  return dump(parse_one(text, arena).root);
}

std::string expr(const std::string& text) {
  Arena arena;
  return dump(parse_expression(text, arena));
}

struct Failure {
  std::string code;
  int64_t position = -2;
  std::string message;
};

Failure failure(const std::string& text) {
  Arena arena;
  try {
    size_t start = 0;
    for (;;) {
      const ParsedStatement parsed = parse_one(text, arena, {start, {}});
      if (parsed.root == nullptr) return {};
      start = parsed.end_offset;
    }
  } catch (const Error& error) {
    return {error.sqlstate(), error.position(), error.message()};
  }
}

std::string code_at(const std::string& text) {
  const Failure f = failure(text);
  return f.code + "@" + std::to_string(f.position);
}

std::string repeat(const std::string& text, size_t count) {
  std::string out;
  for (size_t i = 0; i < count; ++i) out += text;
  return out;
}

}  // namespace

TEST_CASE("operators bind as in PostgreSQL", "[sql]") {
  REQUIRE(expr("a + b * c - d") == "((a + (b * c)) - d)");
  REQUIRE(expr("a - b - c") == "((a - b) - c)");
  REQUIRE(expr("a OR b AND NOT c = d") == "(or[a(and[b(u2 (c = d))])])");
  REQUIRE(expr("a AND b AND c") == "(and[abc])");
  REQUIRE(expr("(a AND b) AND c") == "(and[(and[ab])c])");
  REQUIRE(expr("-a * b") == "((u1 a) * b)");
  REQUIRE(expr("- -a") == "(u1 (u1 a))");
  REQUIRE(expr("-a::text") == "(u1 (cast a type4))");
  REQUIRE(expr("a || b + c") == "(a || (b + c))");
  REQUIRE(expr("a = b IS NULL") == "(null? (a = b))");
  REQUIRE(expr("a < b = c") == "((a < b) = c)");
  REQUIRE(expr("a BETWEEN b + 1 AND c AND d") == "(and[(between a (b + i1) c)d])");
  REQUIRE(expr("a NOT BETWEEN 1 AND 2 OR b") == "(or[(not-between a i1 i2)b])");
  REQUIRE(expr("a NOT IN (1, b, NULL)") == "(not-in a[i1bnull])");
  REQUIRE(expr("a LIKE 'x%' || b ESCAPE '!' AND c") == "(and[(like a (s'x%' || b) s'!')c])");
  REQUIRE(expr("a NOT ILIKE b") == "(not-ilike a b -)");
  REQUIRE(expr("a IS NOT DISTINCT FROM b + 1") == "(a isnotdistinct (b + i1))");
  REQUIRE(expr("a IS DISTINCT FROM b IS NULL") == "(null? (a isdistinct b))");
  REQUIRE(expr("a IS NOT TRUE") == "(not-true? a)");
  REQUIRE(expr("a IS FALSE") == "(false? a)");
  REQUIRE(expr("a IS UNKNOWN") == "(null? a)");
  REQUIRE(expr("a NOTNULL") == "(not-null? a)");
  REQUIRE(expr("a == b AND c != d") == "(and[(a = b)(c <> d)])");
  REQUIRE(expr("a = NOT b") == "(a = (u2 b))");
}

TEST_CASE("primary expressions", "[sql]") {
  REQUIRE(expr("CASE WHEN a THEN 1 WHEN b THEN 2 ELSE 3 END") == "(case - a:i1 b:i2 else i3)");
  REQUIRE(expr("case a when 1 then 'x' end") == "(case a i1:s'x' else -)");
  REQUIRE(expr("CAST(a + 1 AS DECIMAL(10,2))") == "(cast (a + i1) type2:10:2)");
  REQUIRE(expr("a::bigint::double precision") == "(cast (cast a type1) type3)");
  REQUIRE(expr("count(*)") == "count<*>[]");
  REQUIRE(expr("COUNT(DISTINCT t.a)") == "COUNT<distinct>[t.a]");
  REQUIRE(expr("f()") == "f[]");
  REQUIRE(expr("left(a, 2)") == "left[ai2]");
  REQUIRE(expr("extract(YEAR FROM d)") == "date_part[s'year'd]");
  REQUIRE(expr("\"A b\".\"c\"\"d\"") == "A b.c\"d");
  REQUIRE(expr("DATE '2026-11-30'") == "date'2026-11-30'");
  REQUIRE(expr("date + timestamp") == "(date + timestamp)");
  REQUIRE(expr("TIMESTAMP '2026-11-30 12:00:00'") == "timestamp'2026-11-30 12:00:00'");
  REQUIRE(expr("'it''s'") == "s'it's'");
}

TEST_CASE("numbers have the type their text says", "[sql]") {
  REQUIRE(expr("9223372036854775807") == "i9223372036854775807");
  REQUIRE(expr("-9223372036854775808") == "(u1 i9223372036854775808)");
  REQUIRE(expr("9223372036854775808") == "d9223372036854775808/19,0");
  REQUIRE(expr("-9223372036854775809") == "(u1 d9223372036854775809/19,0)");
  REQUIRE(expr("1.50") == "d150/3,2");
  REQUIRE(expr(".5") == "d5/1,1");
  REQUIRE(expr("0.00") == "d0/2,2");
  REQUIRE(expr("7.") == "d7/1,0");
  REQUIRE(expr("0") == "i0");
  REQUIRE(expr("1e3") == "f" + std::to_string(0x408F400000000000u));
  REQUIRE(expr("15e-1") == "f" + std::to_string(0x3FF8000000000000u));
  REQUIRE(expr("99999999999999999999999999999999999999") == "d99999999999999999999999999999999999999/38,0");
  REQUIRE(code_at("SELECT 999999999999999999999999999999999999990") == "22003@7");
  REQUIRE(code_at("SELECT 1e309") == "22003@7");
  REQUIRE(code_at("SELECT 12ab") == "42601@7");
}

TEST_CASE("parameters are numbered as SQLite numbers them", "[sql]") {
  REQUIRE(expr("? + ?5 + ? + $2") == "((($1 + $5) + $6) + $2)");
  REQUIRE(expr(":a + :b + :a") == "(($1 + $2) + $1)");
  Arena arena;
  const ParsedStatement parsed = parse_one("SELECT :x, ?3, :y", arena);
  REQUIRE(parsed.parameter_count == 4);
  REQUIRE(parsed.parameter_names[0] == "x");
  REQUIRE(parsed.parameter_names[1].empty());
  REQUIRE(parsed.parameter_names[3] == "y");
  REQUIRE(expr("?" + std::to_string(kParametersMax)) == "$32767");
  REQUIRE(code_at("SELECT ?32768") == "54000@7");
  REQUIRE(code_at("SELECT ?99999999999999999999999") == "54000@7");
  REQUIRE(code_at("SELECT $0") == "42P02@7");
}

TEST_CASE("queries", "[sql]") {
  REQUIRE(tree("SELECT DISTINCT a x, b AS \"Y\", t.*, * FROM t, u AS v LEFT JOIN w USING (k) WHERE a > 1 GROUP BY a, 2 HAVING COUNT(*) > 1 "
             "ORDER BY 1 DESC NULLS LAST, b LIMIT 10 OFFSET 5;") ==
        "select distinct {a as x} {b as Y} {t* as } {* as } from t as  from (join2 u as v; w as  on -[k,]) where (a > i1) group[ai2] "
        "having (COUNT<*>[] > i1) order{i1 desc2} order{b0} limit i10 offset i5");
  REQUIRE(tree("select 1") == "select {i1 as } where - having - limit - offset -");
  REQUIRE(tree("SELECT * FROM (a JOIN b ON a.x = b.x) CROSS JOIN (c INNER JOIN d USING(k))") ==
        "select {* as } from (join0 (join1 a as ; b as  on (a.x = b.x)[]); (join1 c as ; d as  on -[k,]) on -[]) where - having - limit - offset "
        "-");
  REQUIRE(tree("SELECT * FROM summary_verify('s') v") == "select {* as } from summary_verify[s's'] as v where - having - limit - offset -");
  REQUIRE(tree("VALUES (1, 'a'), (2, NULL) ORDER BY 1") == "values[i1s'a'][i2null] order{i10} limit - offset -");
  REQUIRE(tree("SELECT a OFFSET 1 LIMIT ALL") == "select {a as } where - having - limit - offset i1");
  REQUIRE(tree("SELECT a AS select") == "select {a as select} where - having - limit - offset -");
}

TEST_CASE("changes of rows", "[sql]") {
  REQUIRE(tree("INSERT INTO t VALUES (1, ?)") == "insert t[]values[i1$1] limit - offset -");
  REQUIRE(tree("INSERT INTO t (a, b) SELECT a, b FROM u") == "insert t[a,b,]select {a as } {b as } from u as  where - having - limit - offset -");
  REQUIRE(tree("UPDATE t AS x SET a = a + 1, b = NULL WHERE id = 3") == "update t as x {a := (a + i1)} {b := null} where (id = i3)");
  REQUIRE(tree("DELETE FROM t") == "delete t as  where -");
  REQUIRE(tree("TRUNCATE TABLE t") == "truncate t");
}

TEST_CASE("definitions", "[sql]") {
  REQUIRE(tree("CREATE TABLE IF NOT EXISTS t (id INT PRIMARY KEY, n VARCHAR(5) NOT NULL DEFAULT 'x' UNIQUE, f BIGINT REFERENCES u(id), "
             "d NUMERIC, e DECIMAL(10), CONSTRAINT k UNIQUE (n, f), FOREIGN KEY (f) REFERENCES u ON DELETE NO ACTION)") ==
        "create table t ine {id type1 pkref{[]}-} {n type5:5 nn uref{[]}s'x'} {f type1ref{u[id,]}-} {d type2ref{[]}-} {e type2:10ref{[]}-} "
        "{k1[n,f,]ref{[]}} {2[f,]ref{u[]}}");
  REQUIRE(tree("CREATE TABLE t (c CHAR, v CHARACTER VARYING(3), x VARCHAR, ts TIMESTAMP WITHOUT TIME ZONE, f FLOAT(24), a INT CONSTRAINT q "
  "PRIMARY KEY)") ==
        "create table t {c type5:1ref{[]}-} {v type5:3ref{[]}-} {x type4ref{[]}-} {ts type7ref{[]}-} {f type3ref{[]}-} {a type1ref{[]}-} "
        "{q0[a,]ref{[]}}");
  REQUIRE(tree("CREATE INDEX s ON t USING SUMMARY (g, h) INCLUDE (a) WITH (max_cells = 100)") == "create index s s on t[gh][a]max100");
  REQUIRE(tree("CREATE UNIQUE INDEX IF NOT EXISTS i ON t(a, b)") == "create index u ine i on t[ab][]0");
  REQUIRE(tree("DROP TABLE IF EXISTS t") == "drop table ie t");
  REQUIRE(tree("DROP INDEX i") == "drop index i");
}

TEST_CASE("transactions, EXPLAIN, SHOW, SET", "[sql]") {
  REQUIRE(tree("BEGIN") == "begin");
  REQUIRE(tree("START TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY") == "begin ro");
  REQUIRE(tree("BEGIN WORK READ WRITE") == "begin");
  REQUIRE(tree("END") == "commit");
  REQUIRE(tree("ROLLBACK WORK") == "rollback");
  REQUIRE(tree("ROLLBACK TO SAVEPOINT a") == "rollback to a");
  REQUIRE(tree("ROLLBACK TRANSACTION TO a") == "rollback to a");
  REQUIRE(tree("RELEASE a") == "release a");
  REQUIRE(tree("SAVEPOINT a") == "savepoint a");
  REQUIRE(tree("EXPLAIN (FORMAT JSON, ANALYZE) DELETE FROM t") == "explain a j delete t as  where -");
  REQUIRE(tree("EXPLAIN ANALYZE VALUES (1)") == "explain a values[i1] limit - offset -");
  REQUIRE(tree("SHOW TABLES") == "show 0 ");
  REQUIRE(tree("SHOW COLUMNS FROM t") == "show 1 t");
  REQUIRE(tree("SHOW CREATE TABLE t") == "show 2 t");
  REQUIRE(tree("SHOW INDEXES") == "show 3 ");
  REQUIRE(tree("SHOW INDEXES FROM t") == "show 3 t");
  REQUIRE(tree("SHOW ALL") == "show 4 ");
  REQUIRE(tree("SHOW summary_mode") == "show 5 summary_mode");
  REQUIRE(tree("SET summary_mode = force") == "set summary_mode 'force'");
  REQUIRE(tree("SET SESSION threads TO -2") == "set threads '-2'");
  REQUIRE(tree("SET x = DEFAULT") == "set x default ''");
  REQUIRE(tree("SET x = on") == "set x 'on'");
  REQUIRE(tree("CHECKPOINT") == "file 0  ''");
  REQUIRE(tree("CREATE RESTORE POINT a") == "file 1 a ''");
  REQUIRE(tree("drop restore point \"B c\"") == "file 2 B c ''");
  REQUIRE(tree("RESTORE TO a") == "file 3 a ''");
  REQUIRE(tree("BACKUP TO 'x''y'") == "file 4  'x'y'");
  REQUIRE(tree("CHECK DATABASE") == "file 5  ''");
  REQUIRE(tree("SHOW RESTORE POINTS") == "show 6 ");
  REQUIRE(tree("SHOW restore") == "show 5 restore");
  REQUIRE(failure("BACKUP TO x").code == "42601");
  REQUIRE(failure("RESTORE a").code == "42601");
  REQUIRE(failure("CHECK x").code == "42601");
}

TEST_CASE("a select item's span is its text as written, parentheses included", "[sql]") {
  const std::string text = "SELECT  SUM( a ) , (b+1) , -c::int x FROM t";
  Arena arena;
  const SelectBody& body = parse_one(text, arena).root->as<SelectStatement>().query->body->as<SelectBody>();
  const auto written = [&](size_t i) {
    const Span span = body.items[i].expr->span;
    return text.substr(span.begin, span.end - span.begin);
  };
  REQUIRE(written(0) == "SUM( a )");
  REQUIRE(written(1) == "(b+1)");
  REQUIRE(written(2) == "-c::int");
}

TEST_CASE("a script is read a statement at a time, with offsets into the whole", "[sql]") {
  const std::string text = " ; SELECT 1 ; -- none\n SELECT x/0";
  Arena arena;
  const ParsedStatement first = parse_one(text, arena);
  REQUIRE(first.end_offset == 13);
  REQUIRE(first.root->span.begin == 3);
  REQUIRE(first.root->span.end == 11);
  const ParsedStatement second = parse_one(text, arena, {first.end_offset, {}});
  REQUIRE(second.end_offset == text.size());
  const Expr* item = second.root->as<SelectStatement>().query->body->as<SelectBody>().items[0].expr;
  REQUIRE(text[item->as<Binary>().op_span.begin] == '/');
  REQUIRE(parse_one(text, arena, {second.end_offset, {}}).root == nullptr);
  REQUIRE(parse_one("", arena).root == nullptr);
  REQUIRE(parse_one("  /* nothing */ ;", arena).root == nullptr);
  // P3: an error in the next statement is none of this one's.
  REQUIRE(dump(parse_one("COMMIT; 'open", arena).root) == "commit");
}

TEST_CASE("a syntax error names the token and what could stand there", "[sql]") {
  REQUIRE(failure("SELECT * FORM t").message ==
        "syntax error at \"FORM\": expected \",\", FROM, WHERE, GROUP BY, HAVING, ORDER BY, LIMIT, OFFSET, or the end of the statement");
  REQUIRE(failure("SELECT * FORM t").position == 9);
  REQUIRE(failure("UPDATE t a = 1").message == "syntax error at \"=\": expected SET");
  REQUIRE(failure("SELECT").message == "syntax error at the end of the statement: expected DISTINCT, ALL, or an expression");
  REQUIRE(code_at("SELECT (1 + ") == "42601@11");
  REQUIRE(failure("CREATE TABLE select (a INT)").message ==
        "syntax error at \"select\": expected a table name (SELECT is a reserved word; as a name it needs double quotes)");
  REQUIRE(failure("FOO").message.find("syntax error at \"FOO\": expected SELECT, VALUES, INSERT, ") == 0);
  REQUIRE(code_at("SELECT 1 2") == "42601@9");
  REQUIRE(code_at("SELECT a FROM t WHERE") == "42601@21");
  REQUIRE(code_at("SELECT a & b") == "42601@9");
  REQUIRE(code_at("INSERT INTO t VALUES (1), (1, 2)") == "42601@26");
  REQUIRE(code_at("SELECT 'abc") == "42601@7");
  REQUIRE(code_at("SELECT \"abc") == "42601@7");
  REQUIRE(code_at("SELECT /* /* */ 1") == "42601@7");
  REQUIRE(code_at("SELECT \"\"") == "42601@7");
  REQUIRE(code_at("SELECT CAST(1 AS wibble)") == "42704@17");
  REQUIRE(code_at("CREATE TABLE t (a DECIMAL(39))") == "22023@26");
  REQUIRE(code_at("CREATE TABLE t (a DECIMAL(4,5))") == "22023@28");
  REQUIRE(code_at("CREATE TABLE t (a VARCHAR(0))") == "22023@26");
  REQUIRE(code_at("CREATE INDEX i ON t USING SUMMARY (a) WITH (max_cells = 0)") == "22023@56");
  REQUIRE(code_at("CREATE INDEX i ON t USING SUMMARY (a) WITH (wibble = 1)") == "42704@44");
  REQUIRE(code_at("CREATE TABLE t (PRIMARY KEY (a))") == "42601@13");
}

TEST_CASE("SQL that is known and not built says so, at its place", "[sql]") {
  for (const auto& [text, place] : std::vector<std::pair<std::string, int64_t>>{
           {"WITH x AS (SELECT 1) SELECT * FROM x", 0}, {"SELECT 1 UNION SELECT 2", 9}, {"SELECT * FROM (SELECT 1)", 14},
           {"SELECT (SELECT 1)", 8}, {"SELECT a IN (SELECT 1)", 13}, {"SELECT EXISTS (SELECT 1)", 7}, {"CREATE VIEW v AS SELECT 1", 7},
           {"CREATE TABLE t AS SELECT 1", 15}, {"SELECT sum(a) OVER ()", 14}, {"SELECT sum(a) FILTER (WHERE b)", 14},
           {"SELECT * FROM a RIGHT JOIN b ON TRUE", 16}, {"SELECT * FROM main.t", 18}, {"INSERT INTO t DEFAULT VALUES", 14},
           {"INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING", 25}, {"DELETE FROM t RETURNING *", 14}, {"ALTER TABLE t ADD b INT", 0},
           {"CREATE TABLE t (a INT CHECK (a > 0))", 22}, {"CREATE TABLE t (a BLOB)", 18}, {"SELECT X'0a'", 7}, {"SELECT (1, 2)", 7},
           {"SELECT CURRENT_DATE", 7}, {"SELECT a COLLATE nocase", 9}, {"SELECT a = ANY (1)", 11}, {"(SELECT 1)", 0}}) {
    INFO(text);
    const Failure f = failure(text);
    REQUIRE(f.code == "0A000");
    REQUIRE(f.position == place);
    REQUIRE(f.message.find("is not supported yet") != std::string::npos);
  }
}

TEST_CASE("bytes that are no text are refused at their place", "[sql]") {
  REQUIRE(code_at(std::string("SELECT 'a\0b'", 12)) == "22021@9");
  REQUIRE(code_at(std::string("SELECT \0", 8)) == "22021@7");
  REQUIRE(code_at("SELECT '\xC3\x28'") == "22021@8");
  REQUIRE(code_at("SELECT -- \xFF\n1") == "22021@10");
  REQUIRE(code_at("SELECT a\xED\xA0\x80") == "22021@8");
  REQUIRE(expr("'\xC3\xA9' || \xC3\xA9t\xC3\xA9") == "(s'\xC3\xA9' || \xC3\xA9t\xC3\xA9)");
}

TEST_CASE("nesting is bounded", "[sql]") {
  const size_t fits = kDepthMax - 1;
  REQUIRE(failure("SELECT " + repeat("(", fits) + "1" + repeat(")", fits)).code.empty());
  REQUIRE(failure("SELECT " + repeat("(", fits + 1) + "1" + repeat(")", fits + 1)).code == "54001");
  REQUIRE(failure("SELECT " + repeat("- ", fits) + "1").code.empty());
  REQUIRE(failure("SELECT " + repeat("- ", fits + 1) + "1").code == "54001");
  for (const char* opening : {"(", "NOT ", "-", "f(", "CASE WHEN ", "CAST(", "a IN (", "coalesce(1, ", "SELECT * FROM (", "a BETWEEN ",
      "extract(year from "}) {
    INFO(opening);
    REQUIRE_FALSE(failure("SELECT " + repeat(opening, 100000)).code.empty());
    REQUIRE_FALSE(failure("SELECT * FROM " + repeat(opening, 100000)).code.empty());
  }
}

TEST_CASE("long conditions stay flat, long chains are bounded", "[sql]") {
  REQUIRE(failure("SELECT a" + repeat(" AND a", 20000)).code.empty());
  REQUIRE(failure("SELECT a = 1" + repeat(" OR a = 1", 20000)).code.empty());
  REQUIRE(failure("SELECT a IN (1" + repeat(", 1", 50000) + ")").code.empty());
  REQUIRE(failure("SELECT 1" + repeat(" + 1", kTreeHeightMax - 1)).code.empty());
  REQUIRE(failure("SELECT 1" + repeat(" + 1", kTreeHeightMax)).code == "54001");
  REQUIRE(failure("SELECT 1" + repeat("::bigint", kTreeHeightMax)).code == "54001");
  REQUIRE(failure("SELECT a" + repeat(" IS NULL", kTreeHeightMax)).code == "54001");
}

TEST_CASE("limits hold at their maximum and not past it", "[sql]") {
  REQUIRE(failure("SELECT " + repeat("a", kNameBytesMax)).code.empty());
  REQUIRE(code_at("SELECT " + repeat("a", kNameBytesMax + 1)) == "54000@7");
  REQUIRE(failure("SELECT 1" + repeat(",1", kColumnsMax - 1)).code.empty());
  REQUIRE(failure("SELECT 1" + repeat(",1", kColumnsMax)).code == "54000");
  REQUIRE(failure("SELECT * FROM t" + repeat(",t", kJoinTablesMax - 1)).code.empty());
  REQUIRE(failure("SELECT * FROM t" + repeat(",t", kJoinTablesMax)).code == "54000");
  REQUIRE(failure("SELECT a IN (1" + repeat(",1", kTokensMax / 2) + ")").code == "54001");
  REQUIRE(failure("SELECT 1" + std::string(kSqlBytesMax - 8, ' ')).code.empty());
  REQUIRE(failure("SELECT 1" + std::string(kSqlBytesMax - 7, ' ')).code == "54000");
  REQUIRE(failure("CREATE INDEX s ON t USING SUMMARY (a" + repeat(",a", kSummaryDimensionsMax - 1) + ")").code.empty());
  REQUIRE(failure("CREATE INDEX s ON t USING SUMMARY (a" + repeat(",a", kSummaryDimensionsMax) + ")").code == "54000");
  const std::string measures = "CREATE INDEX s ON t USING SUMMARY (a) INCLUDE (a";
  REQUIRE(failure(measures + repeat(",a", kSummaryMeasuresMax - 1) + ")").code.empty());
  REQUIRE(failure(measures + repeat(",a", kSummaryMeasuresMax) + ")").code == "54000");
  REQUIRE(failure("SELECT a::varchar(" + std::to_string(kVarcharMax) + ")").code.empty());
  REQUIRE(failure("SELECT a::varchar(" + std::to_string(kVarcharMax + 1) + ")").code == "22023");
  REQUIRE(failure("SELECT a::decimal(" + std::to_string(kDecimalDigitsMax) + ")").code.empty());
  REQUIRE(failure("SELECT a::decimal(" + std::to_string(kDecimalDigitsMax + 1) + ")").code == "22023");
  Arena small(8 << 10);
  REQUIRE_THROWS_AS(parse_one("SELECT 1" + repeat(",1", 900), small), Error);
}

TEST_CASE("any bytes give a tree or an error inside of the text", "[sql]") {
  const uint64_t seed = 20261130;
  std::mt19937_64 random(seed);
  const char* words[] = {"SELECT ", "FROM ", "a ", "1 ", "'s' ", "(", ") ", ", ", "* ", "+ ", "NOT ", "IN ", "AND ", "BETWEEN ", "CASE ",
      "WHEN ", "END ", ". ",
                         "JOIN ", "ON ", "INSERT ", "INTO ", "VALUES ", "CREATE ", "TABLE ", "INDEX ", "\"q\" ", "? ", "::", "int ", "; ",
                         "1.5 ", "IS ", "NULL ",
                         "GROUP ", "BY ", "LIMIT ", "UPDATE ", "SET ", "= ", "\xFF", "'", "/*", "--", "\n", "DATE ", "EXPLAIN ", "LIKE ", "x'",
                         ":p "};
  for (int round = 0; round < 20000; ++round) {
    std::string text = round % 3 == 0 ? "SELECT " : "";
    for (uint64_t i = random() % 12; i != 0; --i) text += words[random() % (sizeof words / sizeof *words)];
    const Failure f = failure(text);
    INFO("seed " << seed << " round " << round << ": " << text << " -> " << f.message);
    if (!f.code.empty()) {
      REQUIRE(f.position >= 0);
      REQUIRE(f.position <= static_cast<int64_t>(text.size()));
      REQUIRE(f.code != "XX000");
    }
  }
}
