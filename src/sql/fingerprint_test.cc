// Invariants checked: F1, F2, F3.
#include "sql/fingerprint.h"

#include <catch2/catch.hpp>
#include <random>

#include "sql/tree_dump.h"

using namespace hdb;
using namespace hdb::sql;

namespace {

// The key with its marks made readable, or "declined".
std::string key(std::string_view text) {
  Fingerprint fingerprint;
  if (!fingerprint.scan(text)) return "declined";
  std::string out;
  for (size_t i = 0; i < fingerprint.key.size(); ++i) {
    if (fingerprint.key[i] != '\x01') {
      out += fingerprint.key[i];
      continue;
    }
    out += std::string("<") + fingerprint.key[++i];
    if (fingerprint.key[i] == 'd') {
      out += std::to_string(fingerprint.key[i + 1]) + "," + std::to_string(fingerprint.key[i + 2]);
      i += 2;
    }
    out += '>';
  }
  return out;
}

std::string value_dump(const ExtractedLiteral& literal) {
  Literal made;
  made.literal_kind = literal.slot.kind;
  made.magnitude = static_cast<uint64_t>(literal.integer);
  made.number = literal.number;
  made.precision = literal.slot.precision;
  made.scale = literal.slot.scale;
  made.text = literal.text;
  std::string digits;
  if (literal.slot.kind == LiteralKind::kDecimal) {
    for (int128 rest = literal.decimal; rest != 0 || digits.empty(); rest /= 10) digits.insert(0, 1, static_cast<char>('0' +
        static_cast<int>(rest % 10)));
    made.text = digits;
  }
  return dump(made);
}

// The tree of the form with parameters, the literals' values put back in their places.
std::string rebuilt(const std::string& text, const Fingerprint& fingerprint, size_t start = 0) {
  Arena arena;
  const ParsedStatement parsed = parse_one(text, arena, {start, fingerprint.slots(arena)});
  REQUIRE(parsed.literals_bound);
  REQUIRE(parsed.end_offset == fingerprint.end_offset);
  REQUIRE(parsed.literal_count == fingerprint.literals.size());
  std::string tree = dump(parsed.root);
  for (size_t i = fingerprint.literals.size(); i-- != 0;) {
    const ExtractedLiteral& literal = fingerprint.literals[i];
    const std::string mark =
        "$" + std::to_string(parsed.parameter_count + 1 + i) + "L" + std::to_string(static_cast<int>(literal.slot.kind));
    const size_t at = tree.find(mark);
    REQUIRE(at != std::string::npos);
    tree.replace(at, mark.size(), value_dump(literal));
    REQUIRE(tree.find(mark) == std::string::npos);
  }
  return tree;
}

std::string plain(const std::string& text, size_t start = 0) {
  Arena arena;
  return dump(parse_one(text, arena, {start, {}}).root);
}

// Statements from a small grammar, with a place for each literal.
class Statements {
 public:
  explicit Statements(std::mt19937_64& random) : random_(random) {}
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }

  // `#` stands for a literal of a kind that the next character names.
  std::string value(int depth) {
    static constexpr const char* kLeaves[] = {"#i", "#s", "#d", "#f", "a", "t.b", "?", ":p", "$2", "NULL", "\"q c\"", "DATE #D", "TIMESTAMP #D",
        "-#i", "9223372036854775808"};
    if (depth == 0) return kLeaves[below(sizeof kLeaves / sizeof *kLeaves)];
    switch (below(9)) {
      case 0: return value(depth - 1) + " + " + value(depth - 1);
      case 1: return "(" + value(depth - 1) + " * " + value(depth - 1) + ")";
      case 2: return "coalesce(" + value(depth - 1) + ", #i)";
      case 3: return "CASE WHEN " + condition(depth - 1) + " THEN #i ELSE " + value(depth - 1) + " END";
      case 4: return "CAST(" + value(depth - 1) + " AS DECIMAL(10,2))";
      case 5: return "a::varchar(5)";
      case 6: return value(depth - 1) + "||'kept" "'";
      default: return value(0);
    }
  }

  std::string condition(int depth) {
    switch (below(depth == 0 ? 5 : 8)) {
      case 0: return "a = " + value(depth);
      case 1: return "a IN (#i, #i, " + value(depth) + ")";
      case 2: return "b LIKE #s ESCAPE '!'";
      case 3: return "a BETWEEN #i AND " + value(depth);
      case 4: return value(depth) + "<" + value(depth);
      case 5: return "(" + condition(depth - 1) + " OR " + condition(depth - 1) + ")";
      case 6: return "NOT (" + condition(depth - 1) + ")";
      default: return condition(depth - 1) + " AND " + condition(depth - 1);
    }
  }

  std::string statement() {
    switch (below(6)) {
      case 0: return "INSERT INTO t VALUES (" + value(2) + ", " + value(2) + "),(" + value(1) + "," + value(1) + ")";
      case 1: return "INSERT INTO t (a) SELECT a + #i FROM u WHERE " + condition(2) + " LIMIT #i";
      case 2: return "UPDATE t SET a = " + value(2) + ", b = " + value(1) + " WHERE " + condition(2);
      case 3: return "DELETE FROM t WHERE " + condition(3);
      default:
        return "SELECT a, " + value(2) + ", SUM(b + #i) x FROM t LEFT JOIN u ON " + condition(2) + " JOIN f(#s) ON TRUE WHERE " + condition(2) +
               (below(2) == 0 ? " GROUP BY a, " + value(1) + " HAVING SUM(b) > #i ORDER BY #i, a + #i LIMIT #i OFFSET #i" : "");
    }
  }

  std::string filled(const std::string& form) {
    static constexpr const char* kTexts[] = {"'x'", "'it''s'", "''", "'\xE2\x82\xAC'", "'a;b'", "'--'", "'(/*'", "'SELECT'", "''''"};
    std::string out;
    for (size_t i = 0; i < form.size(); ++i) {
      if (form[i] != '#') {
        out += form[i];
        continue;
      }
      switch (form[++i]) {
        case 'i': out += std::to_string(random_() >> (1 + below(63))); break;
        case 'd': out += std::to_string(1 + below(9)) + "." + std::to_string(10 + below(90)); break;
        case 'f': out += std::to_string(below(1000)) + "e" + std::to_string(below(20)); break;
        case 'D': out += below(2) == 0 ? "'2026-11-30'" : "'not a date'"; break;
        default: out += kTexts[below(sizeof kTexts / sizeof *kTexts)]; break;
      }
    }
    return out;
  }

 private:
  std::mt19937_64& random_;
};

}  // namespace

TEST_CASE("literals that are only values leave the key", "[sql]") {
  REQUIRE(key("SELECT a FROM t WHERE id = 42") == "SELECT a FROM t WHERE id = <i>");
  REQUIRE(key("select * from t where a='x' and b in (1,2) and c > 1.50 or d = 1e3;") ==
          "select * from t where a=<s> and b in (<i>,<i>) and c > <d3,2> or d = <f>");
  REQUIRE(key("INSERT INTO t(a, b) VALUES (1, 'it''s'), (-2, NULL)") == "INSERT INTO t(a, b) VALUES (<i>, <s>), (-<i>, NULL)");
  REQUIRE(key("UPDATE t SET a = a + 1 WHERE b = DATE '2026-01-01'") == "UPDATE t SET a = a + <i> WHERE b = DATE <s>");
  REQUIRE(key("DELETE FROM t WHERE a BETWEEN 1 AND 2") == "DELETE FROM t WHERE a BETWEEN <i> AND <i>");
  REQUIRE(key("SELECT 1 FROM a JOIN b ON a.x = 5 JOIN f(7) WHERE 3 < x") == "SELECT 1 FROM a JOIN b ON a.x = <i> JOIN f(7) WHERE <i> < x");
}

TEST_CASE("literals whose value means more stay in the key", "[sql]") {
  for (const char* text :
       {"SELECT 1, 'a', b + 1.5 FROM t", "SELECT a FROM t GROUP BY 1 HAVING SUM(a) > 5 ORDER BY 2 LIMIT 10 OFFSET 3", "SELECT a FROM f('s')",
        "SELECT a FROM t WHERE round(b, 2) = c", "SELECT a FROM t WHERE CAST(a AS DECIMAL(10,2)) = b", "SELECT a FROM t WHERE a::varchar(5) = b",
        "SELECT a FROM t WHERE a LIKE b ESCAPE '!'", "SELECT a FROM t WHERE a = 9223372036854775808", "SELECT a FROM t WHERE \"f\"(1) IS NULL",
        "SELECT a FROM t WHERE a = ?1 AND b = $2 AND c = :n3", "SELECT a FROM t WHERE a = TRUE", "SELECT a FROM t WHERE a.\"1\" = t1"}) {
    REQUIRE(key(text) == text);
  }
}

TEST_CASE("in doubt the fingerprint declines", "[sql]") {
  for (const std::string& text :
       {std::string("CREATE TABLE t (a INT)"), std::string(""), std::string(" ; SELECT 1"), std::string("VALUES (1)"),
           std::string("EXPLAIN SELECT 1"),
        std::string("SELECT a -- x\nFROM t"), std::string("SELECT a /* x */ FROM t"), std::string("SELECT 'a"), std::string("SELECT \"a"),
        std::string("SELECT a FROM t WHERE a = 'x\xFF'"), std::string("SELECT a FROM t WHERE a = 'x\0'", 31), std::string("SELECT '\x01i' FROM t"),
        std::string("SELECT \x01i FROM t"), std::string("SELECT (a FROM t"), std::string("SELECT a) FROM t"),
            std::string("SELECT a FROM t WHERE a = 12ab"),
        std::string("SELECT a FROM t WHERE a = 1e999"), "SELECT a FROM t WHERE a = '" + std::string(Fingerprint::kTextBytesMax, 'x') + "'"}) {
    INFO(text);
    REQUIRE(key(text) == "declined");
  }
}

TEST_CASE("a script's statements are taken one by one", "[sql]") {
  const std::string text = "  SELECT a FROM t WHERE a = 'x;y' ; SELECT b FROM t WHERE b = 2";
  Fingerprint fingerprint;
  REQUIRE(fingerprint.scan(text));
  REQUIRE(fingerprint.begin_offset == 2);
  REQUIRE(fingerprint.end_offset == 35);
  REQUIRE(fingerprint.key == "SELECT a FROM t WHERE a = \x01s");
  REQUIRE(fingerprint.scan(text, fingerprint.end_offset));
  REQUIRE(fingerprint.end_offset == text.size());
  REQUIRE(fingerprint.literals[0].integer == 2);
  REQUIRE(rebuilt(text, fingerprint, 35) == plain(text, 35));
}

TEST_CASE("two texts of one key have one tree, and each its literals", "[sql]") {
  const uint64_t seed = 20261130;
  std::mt19937_64 random(seed);
  Statements statements(random);
  size_t same_keys = 0, extracted = 0;
  for (int round = 0; round < 4000; ++round) {
    const std::string form = statements.statement();
    const std::string first = statements.filled(form), second = statements.filled(form);
    INFO("seed " << seed << " round " << round << ": " << first);
    Fingerprint a, b;
    REQUIRE(a.scan(first));
    REQUIRE(b.scan(second));
    REQUIRE(rebuilt(first, a) == plain(first));
    REQUIRE(rebuilt(second, b) == plain(second));
    extracted += a.literals.size();
    if (a.key != b.key) continue;
    ++same_keys;
    REQUIRE(a.hash == b.hash);
    Arena arena;
    REQUIRE(dump(parse_one(first, arena, {0, a.slots(arena)}).root) == dump(parse_one(second, arena, {0, b.slots(arena)}).root));
  }
  REQUIRE(same_keys > 500);
  REQUIRE(extracted > 4000);
}

TEST_CASE("the position of an error moves with the literals in front of it", "[sql]") {
  const std::string made = "SELECT a FROM t WHERE a = 'long text' AND 1 / b > 22 / c";
  const std::string now = "   SELECT a FROM t WHERE a = '' AND 123456 / b > 2 / c";
  Fingerprint a, b;
  REQUIRE(a.scan(made));
  REQUIRE(b.scan(now));
  REQUIRE(a.key == b.key);
  std::vector<Span> spans;
  for (const ExtractedLiteral& literal : a.literals) spans.push_back(literal.slot.span);
  const auto moved = [&](size_t position) {
    return remap_position(static_cast<int64_t>(position), a.begin_offset, spans, b.begin_offset, b.literals);
  };
  REQUIRE(moved(made.find("FROM")) == static_cast<int64_t>(now.find("FROM")));
  REQUIRE(moved(made.find("'long")) == static_cast<int64_t>(now.find("''")));
  REQUIRE(moved(made.find("text")) == static_cast<int64_t>(now.find("''") + 1));
  REQUIRE(moved(made.find("/ b")) == static_cast<int64_t>(now.find("/ b")));
  REQUIRE(moved(made.find("/ c")) == static_cast<int64_t>(now.find("/ c")));
  REQUIRE(moved(made.size()) == static_cast<int64_t>(now.size()));
  REQUIRE(remap_position(-1, a.begin_offset, spans, b.begin_offset, b.literals) == -1);
}
