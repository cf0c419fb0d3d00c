// Invariants checked: R1 (parse(print(t)) equals t), T2.
#include "sql/printer.h"

#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "sql/number.h"
#include "sql/parser.h"
#include "sql/tree_dump.h"

using namespace hdb;
using namespace hdb::sql;

namespace {

std::string reprinted(const std::string& text) {
  Arena arena;
  return print(*parse_one(text, arena).root);
}

// Random trees, made directly: shapes that no text was the source of.
class TreeMaker {
 public:
  TreeMaker(Arena& arena, std::mt19937_64& random) : arena_(arena), random_(random) {}

  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }

  Identifier identifier() {
    static constexpr std::string_view kNames[] = {"a", "B", "select", "two words", "q\"q", "date", "\xC3\xA9", "t1", "extract", "1x", "unknown",
        "escape", "values", "x"};
    Identifier name;
    name.spelling = name.folded = kNames[below(sizeof kNames / sizeof *kNames)];
    return name;
  }

  const Expr* literal() {
    Literal* made = arena_.make<Literal>();
    made->literal_kind = static_cast<LiteralKind>(below(8));
    switch (made->literal_kind) {
      case LiteralKind::kBoolean: made->boolean = below(2) == 0; break;
      case LiteralKind::kInteger: made->magnitude = random_() >> (1 + below(63)); break;
      case LiteralKind::kDecimal: decimal(made); break;
      case LiteralKind::kDouble: made->number = static_cast<double>(random_() >> below(64)) / 7.0; break;
      case LiteralKind::kString: case LiteralKind::kDate: case LiteralKind::kTimestamp: {
        static constexpr std::string_view kTexts[] = {"", "it's", "--", "/*", "x", "''", "\n", "\xE2\x82\xAC", "\""};
        made->text = kTexts[below(sizeof kTexts / sizeof *kTexts)];
        break;
      }
      case LiteralKind::kNull: break;
    }
    return made;
  }

  void decimal(Literal* made) {
    std::string digits = std::to_string(random_() >> below(64));
    const uint32_t scale = below(25);
    const uint32_t integer_digits = digits == "0" || digits.size() <= scale ? 0 : static_cast<uint32_t>(digits.size()) - scale;
    made->text = arena_.copy_text(digits);
    made->scale = static_cast<uint8_t>(scale);
    made->precision = static_cast<uint8_t>(std::max<uint32_t>(1, integer_digits + scale));
  }

  List<const Expr*> list(uint32_t count, int depth) {
    std::vector<const Expr*> made;
    for (uint32_t i = 0; i < count; ++i) made.push_back(expr(depth));
    return arena_.copy(made);
  }

  const Expr* leaf() {
    if (below(3) == 0) return literal();
    if (below(4) == 0) {
      Parameter* made = arena_.make<Parameter>();
      made->index = 1 + below(9);
      return made;
    }
    ColumnRef* made = arena_.make<ColumnRef>();
    if (below(3) == 0) made->table = identifier();
    made->column = identifier();
    return made;
  }

  const Expr* unary(int depth) {
    Unary* made = arena_.make<Unary>();
    made->op = static_cast<UnaryOp>(below(3));
    made->operand = expr(depth);
    if (made->op == UnaryOp::kMinus && below(8) == 0) {
      Literal* least = arena_.make<Literal>();
      least->literal_kind = LiteralKind::kInteger;
      least->magnitude = uint64_t{1} << 63;
      made->operand = least;
    }
    return made;
  }

  const Expr* expr(int depth) {
    if (depth <= 0 || below(6) == 0) return leaf();
    --depth;
    switch (below(11)) {
      case 0: return unary(depth);
      case 1: case 2: {
        Binary* made = arena_.make<Binary>();
        made->op = static_cast<BinaryOp>(below(14));
        made->left = expr(depth);
        made->right = expr(depth);
        return made;
      }
      case 3: {
        Logical* made = arena_.make<Logical>();
        made->is_and = below(2) == 0;
        made->operands = list(2 + below(2), depth);
        // T2: a AND b AND c is one node, but (a AND b) AND c is two.
        return made;
      }
      case 4: {
        IsNull* made = arena_.make<IsNull>();
        made->negated = below(2) == 0;
        made->operand = expr(depth);
        return made;
      }
      case 5: {
        IsTruth* made = arena_.make<IsTruth>();
        made->negated = below(2) == 0;
        made->truth = below(2) == 0;
        made->operand = expr(depth);
        return made;
      }
      case 6: {
        In* made = arena_.make<In>();
        made->negated = below(2) == 0;
        made->operand = expr(depth);
        made->items = list(1 + below(3), depth);
        return made;
      }
      case 7: {
        Between* made = arena_.make<Between>();
        made->negated = below(2) == 0;
        made->operand = expr(depth);
        made->low = expr(depth);
        made->high = expr(depth);
        return made;
      }
      case 8: {
        Like* made = arena_.make<Like>();
        made->negated = below(2) == 0;
        made->ignore_case = below(2) == 0;
        made->operand = expr(depth);
        made->pattern = expr(depth);
        if (below(2) == 0) made->escape = expr(depth);
        return made;
      }
      case 9: {
        Case* made = arena_.make<Case>();
        if (below(2) == 0) made->operand = expr(depth);
        std::vector<CaseBranch> branches(1 + below(2));
        for (CaseBranch& branch : branches) branch = {expr(depth), expr(depth)};
        made->branches = arena_.copy(branches);
        if (below(2) == 0) made->otherwise = expr(depth);
        return made;
      }
      default: return below(2) == 0 ? cast(depth) : call(depth);
    }
  }

  const Expr* cast(int depth) {
    Cast* made = arena_.make<Cast>();
    made->operand = expr(depth);
    made->type.word = static_cast<TypeWord>(below(8));
    if (made->type.word == TypeWord::kDecimal) {
      made->type.argument_count = static_cast<uint8_t>(below(3));
      if (made->type.argument_count > 0) made->type.arguments[0] = 5 + below(30);
      if (made->type.argument_count > 1) made->type.arguments[1] = below(5);
    }
    if (made->type.word == TypeWord::kVarchar) {
      made->type.argument_count = 1;
      made->type.arguments[0] = 1 + below(100);
    }
    return made;
  }

  const Expr* call(int depth) {
    Call* made = arena_.make<Call>();
    made->name = identifier();
    made->star = below(5) == 0;
    if (!made->star) made->arguments = list(below(3), depth);
    made->distinct = !made->arguments.empty() && below(3) == 0;
    return made;
  }

 private:
  Arena& arena_;
  std::mt19937_64& random_;
};

}  // namespace

TEST_CASE("canonical text", "[sql]") {
  REQUIRE(reprinted("select  a+b*(c-d),((x)) from t as u where not(a and(b or c))") ==
        "SELECT a + b * (c - d), x FROM t AS u WHERE NOT (a AND (b OR c))");
  REQUIRE(reprinted("select a::int, - -1, -(a+1), .5, 7., 1e3 from t") ==
        "SELECT CAST(a AS BIGINT), -(-1), -(a + 1), 0.5, 7., 1e+03 FROM t");
  REQUIRE(reprinted("SELECT :x, ? FROM a, b left outer join c on a.i=c.i order by 1 desc nulls first limit 3") ==
        "SELECT $1, $2 FROM a, b LEFT JOIN c ON a.i = c.i ORDER BY 1 DESC NULLS FIRST LIMIT 3");
  REQUIRE(reprinted("create table t(id int primary key,n varchar(5) default 'x' not null,foreign key(n) references u(n))") ==
        "CREATE TABLE t (id BIGINT PRIMARY KEY, n VARCHAR(5) NOT NULL DEFAULT 'x', FOREIGN KEY (n) REFERENCES u (n))");
  REQUIRE(print_name("plain") == "plain");
  REQUIRE(print_name("Order") == "\"Order\"");
  REQUIRE(print_name("a b\"c") == "\"a b\"\"c\"");
  REQUIRE(print_name("1a") == "\"1a\"");
  REQUIRE(print_string("it's") == "'it''s'");
}

TEST_CASE("a printed expression parses to the same tree", "[sql]") {
  const uint64_t seed = 20261130;
  std::mt19937_64 random(seed);
  for (int round = 0; round < 8000; ++round) {
    Arena arena;
    TreeMaker maker(arena, random);
    const Expr* tree = maker.expr(1 + round % 5);
    const std::string text = print(*tree);
    INFO("seed " << seed << " round " << round << ": " << text);
    const std::string expected = dump(tree);
    std::string got;
    REQUIRE_NOTHROW(got = dump(parse_expression(text, arena)));
    REQUIRE(got == expected);
  }
}

TEST_CASE("a printed statement parses to the same tree", "[sql]") {
  for (const char* text : {
           "SELECT DISTINCT a x, b AS \"Y z\", t.*, * FROM t, u AS v LEFT JOIN w USING (k) WHERE a > 1 GROUP BY a, 2 HAVING COUNT(*) > 1 ORDER "
           "BY 1 DESC NULLS LAST, b LIMIT 10 OFFSET 5",
           "SELECT * FROM (a JOIN b ON a.x = b.x) CROSS JOIN (c INNER JOIN d USING(k))", "SELECT * FROM summary_verify('s') v", "SELECT 1 OFFSET ?",
           "VALUES (1, 'a'), (2, NULL) ORDER BY 1", "INSERT INTO t VALUES (1, ?)", "INSERT INTO t (a, b) SELECT a, b FROM u LIMIT 1",
           "UPDATE t AS x SET a = a + 1, b = NULL WHERE id = 3", "DELETE FROM t AS x WHERE x.a IS NOT NULL", "TRUNCATE t",
           "CREATE TABLE IF NOT EXISTS t (id INT PRIMARY KEY, n VARCHAR(5) NOT NULL DEFAULT 'x' UNIQUE, f BIGINT REFERENCES u(id), d NUMERIC "
           "DEFAULT (1 + 2) * 3, "
           "CONSTRAINT k UNIQUE (n, f), FOREIGN KEY (f) REFERENCES u, PRIMARY KEY (id, n))",
           "CREATE INDEX s ON t USING SUMMARY (g, h) INCLUDE (a) WITH (max_cells = 100)", "CREATE UNIQUE INDEX IF NOT EXISTS i ON t(a, b)",
           "DROP TABLE IF EXISTS t", "DROP INDEX i", "BEGIN", "BEGIN READ ONLY", "COMMIT", "ROLLBACK", "SAVEPOINT \"savepoint\"",
           "RELEASE \"savepoint\"",
           "ROLLBACK TO \"savepoint\"", "EXPLAIN (ANALYZE, FORMAT JSON) DELETE FROM t", "EXPLAIN ANALYZE SELECT 1",
           "EXPLAIN (FORMAT JSON) SELECT 1", "SHOW TABLES",
           "SHOW COLUMNS FROM t", "SHOW CREATE TABLE t", "SHOW INDEXES", "SHOW INDEXES FROM t", "SHOW ALL", "SHOW \"tables\"", "SET a = force",
           "SET \"session\" = -2",
           "SET a = DEFAULT"}) {
    Arena arena;
    const std::string expected = dump(parse_one(text, arena).root);
    const std::string printed = print(*parse_one(text, arena).root);
    INFO(text << " -> " << printed);
    REQUIRE(dump(parse_one(printed, arena).root) == expected);
    REQUIRE(print(*parse_one(printed, arena).root) == printed);
  }
}
