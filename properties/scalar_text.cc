#include "scalar_text.h"

#include <algorithm>

namespace judge {

std::string print(const Node& node) {
  std::string out = node.text[0];
  for (size_t i = 0; i < node.kids.size(); ++i) out += print(*node.kids[i]) + node.text[i + 1];
  return out;
}

size_t size_of(const Node& node) {
  size_t size = 1;
  for (const NodePtr& kid : node.kids) size += size_of(*kid);
  return size;
}

NodePtr ScalarText::leaf(char type, std::string text) {
  auto out = std::make_shared<Node>();
  out->type = type;
  out->text = {std::move(text)};
  return out;
}

// `pattern` has a # for each operand.
NodePtr ScalarText::node(char type, const std::string& pattern, std::vector<NodePtr> kids) {
  auto out = std::make_shared<Node>();
  out->type = type;
  out->text = {"("};
  for (const char c : pattern) {
    if (c == '#')
      out->text.emplace_back();
    else
      out->text.back() += c;
  }
  out->text.back() += ")";
  out->kids = std::move(kids);
  return out;
}

std::string ScalarText::literal(char type) {
  static const std::vector<std::string> kTexts = {"''", "'a'", "'b'", "'ab'", "'A'", "'%'", "'a_b'", "'é'", "'zz'", "'it''s'"};
  static const std::vector<std::string> kHuge = {"9223372036854775807", "-9223372036854775808", "0", "4294967296", "-4294967297", "128", "-129", "65536"};
  static const std::vector<std::string> kReals = {"0e0", "1.5e0", "-1e300", "1e-3", "2.5e1", "-7e0"};
  static const std::vector<std::string> kDates = {"DATE '2020-01-01'", "DATE '2020-02-29'", "DATE '2021-12-31'", "DATE '1999-06-15'"};
  if (random_.chance(6)) {
    static const char* const kNames[] = {"BOOLEAN", "BIGINT", "BIGINT", "DECIMAL(12,2)", "DOUBLE", "TEXT", "DATE"};
    return std::string("CAST(NULL AS ") + kNames[std::string("bihmxtd").find(type)] + ")";
  }
  switch (type) {
    case 'b':
      return random_.chance(50) ? "TRUE" : "FALSE";
    case 'i':
      return std::to_string(random_.range(-12, 60));
    case 'h':
      return random_.pick(kHuge);
    case 'm':
      return std::to_string(random_.range(-30, 30)) + (random_.chance(50) ? ".50" : ".25");
    case 'x':
      return random_.pick(kReals);
    case 't':
      return random_.pick(kTexts);
    default:
      return random_.pick(kDates);
  }
}

NodePtr ScalarText::end(char type) {
  std::vector<std::string> names;
  for (const TextColumn& column : columns_) {
    if (column.type == type) names.push_back(column.name);
  }
  if (names.empty() || random_.chance(30)) return leaf(type, literal(type));
  return leaf(type, random_.pick(names));
}

NodePtr ScalarText::make(char type, int depth) {
  if (depth <= 0) return end(type);
  if (random_.chance(12)) return chosen(type, depth - 1);
  switch (type) {
    case 'b':
      return boolean(depth - 1);
    case 'i':
      return small(depth - 1);
    case 'm':
      return decimal(depth - 1);
    case 'x':
      return real(depth - 1);
    case 't':
      return text(depth - 1);
    case 'd':
      return date(depth - 1);
    default:
      return end(type);
  }
}

NodePtr ScalarText::chosen(char type, int depth) {
  switch (random_.below(6)) {
    case 0:
      return node(type, "CASE WHEN # THEN # ELSE # END", {make('b', depth), make(type, depth), make(type, depth)});
    case 1:
      return node(type, "CASE WHEN # THEN # WHEN # THEN # END", {make('b', depth), make(type, depth), make('b', depth), make(type, depth)});
    case 2:
      return node(type, "CASE # WHEN # THEN # ELSE # END", {make('i', depth), make('i', 0), make(type, depth), make(type, depth)});
    case 3:
      return node(type, "COALESCE(#, #)", {make(type, depth), make(type, depth)});
    case 4:
      return node(type, "NULLIF(#, #)", {make(type, depth), make(type, 0)});
    default:
      if (type == 'b') return node(type, "COALESCE(#, #, #)", {make(type, depth), make(type, depth), make(type, 0)});
      return node(type, random_.chance(50) ? "GREATEST(#, #)" : "LEAST(#, #)", {make(type, depth), make(type, depth)});
  }
}

NodePtr ScalarText::comparison(int depth) {
  static const std::vector<std::string> kOperators = {
      " = ", " <> ", " < ", " <= ", " > ", " >= ", " == ", " != ", " IS DISTINCT FROM ", " IS NOT DISTINCT FROM "};
  static const std::string kTypes = "iiihmxtdb";
  const char type = kTypes[random_.below(kTypes.size())];
  const NodePtr a = make(type, random_.chance(60) ? 0 : depth);
  switch (random_.below(10)) {
    case 0:
    case 1: {
      std::vector<NodePtr> kids = {a};
      std::string pattern = random_.chance(65) ? "# IN (" : "# NOT IN (";
      const size_t items = 1 + random_.below(type == 'i' ? 7 : 3);
      for (size_t i = 0; i < items; ++i) {
        pattern += i > 0 ? ", #" : "#";
        kids.push_back(random_.chance(85) ? leaf(type, literal(type)) : make(type, 0));
      }
      return node('b', pattern + ")", std::move(kids));
    }
    case 2:
      if (type != 'b') return node('b', random_.chance(70) ? "# BETWEEN # AND #" : "# NOT BETWEEN # AND #", {a, make(type, 0), make(type, 0)});
      break;
    case 3:
      return node('b', random_.chance(50) ? "# IS NULL" : "# IS NOT NULL", {a});
    case 4:  // BIGINT, DECIMAL and DOUBLE side by side
      return node('b', "#" + random_.pick(kOperators) + "#", {make('i', depth), make(random_.chance(50) ? 'm' : 'x', depth)});
    default:
      break;
  }
  return node('b', "#" + random_.pick(kOperators) + "#", {a, random_.chance(70) ? leaf(type, literal(type)) : make(type, depth)});
}

NodePtr ScalarText::boolean(int depth) {
  static const std::vector<std::string> kLikes = {"# LIKE #", "# NOT LIKE #", "# ILIKE #", "# NOT ILIKE #"};
  static const std::vector<std::string> kPatterns = {"'a%'", "'%b'", "'_'", "'%'", "''", "'%a%'", "'A_'"};
  static const std::vector<std::string> kTests = {"# IS TRUE",      "# IS FALSE",       "# IS UNKNOWN", "# IS NOT TRUE",
                                                  "# IS NOT FALSE", "# IS NOT UNKNOWN", "# ISNULL",     "# NOTNULL"};
  switch (random_.below(12)) {
    case 0:
    case 1:
    case 2:
      return node('b', random_.chance(60) ? "# AND #" : "# OR #", {make('b', depth), make('b', depth)});
    case 3:
      return node('b', random_.chance(50) ? "# AND # AND #" : "# OR # OR #", {make('b', depth), make('b', depth), make('b', depth)});
    case 4:
      return node('b', "NOT #", {make('b', depth)});
    case 5:
      return node('b', random_.pick(kTests), {make('b', depth)});
    case 6:
      return node('b', random_.pick(kLikes), {make('t', depth), random_.chance(85) ? leaf('t', random_.pick(kPatterns)) : make('t', 0)});
    case 7:
      if (random_.chance(40))
        return node('b', random_.chance(50) ? "starts_with(#, #)" : "# LIKE # ESCAPE '!'", {make('t', depth), leaf('t', random_.pick(kPatterns))});
      return end('b');
    default:
      return comparison(depth);
  }
}

NodePtr ScalarText::small(int depth) {
  switch (random_.below(14)) {
    case 0:
    case 1:
      return node('i', random_.chance(50) ? "# + #" : "# - #", {make('i', depth), make('i', depth)});
    case 2:
      return node('i', "# * " + std::to_string(random_.range(-4, 9)), {make('i', depth)});
    case 3:
      return node('i', (random_.chance(50) ? "# / " : "# % ") + std::to_string(random_.range(2, 9)), {make('i', depth)});
    case 4:
      return node('i', "- #", {make('i', depth)});
    case 5:
      return node('i', random_.chance(50) ? "ABS(#)" : "SIGN(#)", {make('i', depth)});
    case 6:
      return node('i', "LENGTH(#)", {make('t', depth)});
    case 7:
      return node('i', random_.chance(50) ? "EXTRACT(YEAR FROM #)" : "EXTRACT(MONTH FROM #)", {make('d', depth)});
    case 8:
      return node('i', "CAST(# AS BIGINT)", {make('m', depth)});
    case 9:
      return node('i', "CASE WHEN # THEN # ELSE 0 END", {make('b', depth), make('i', depth)});
    case 10:
      return node('i', "INSTR(#, #)", {make('t', depth), make('t', 0)});
    default:
      return end('i');
  }
}

NodePtr ScalarText::decimal(int depth) {
  switch (random_.below(8)) {
    case 0:
      return node('m', random_.chance(50) ? "# + #" : "# - #", {make('m', depth), make('m', depth)});
    case 1:
      return node('m', "# * 1.5", {make('m', depth)});
    case 2:
      return node('m', "# / 4", {make('m', depth)});
    case 3:
      return node('m', "CAST(# AS DECIMAL(12,2))", {make('i', depth)});
    case 4:
      return node('m', random_.chance(50) ? "ROUND(#, 1)" : "ABS(#)", {make('m', depth)});
    case 5:
      return node('m', "# + #", {make('m', depth), make('i', depth)});
    default:
      return end('m');
  }
}

NodePtr ScalarText::real(int depth) {
  switch (random_.below(8)) {
    case 0:
      return node('x', random_.chance(50) ? "# + #" : "# - #", {make('x', depth), make('x', depth)});
    case 1:
      return node('x', "# / 2e0", {make('x', depth)});
    case 2:
      return node('x', "CAST(# AS DOUBLE)", {make(random_.chance(50) ? 'i' : 'm', depth)});
    case 3:
      return node('x', random_.chance(50) ? "FLOOR(#)" : "CEIL(#)", {make('x', depth)});
    default:
      return end('x');
  }
}

NodePtr ScalarText::text(int depth) {
  switch (random_.below(10)) {
    case 0:
      return node('t', "# || #", {make('t', depth), make('t', depth)});
    case 1:
      return node('t', random_.chance(50) ? "UPPER(#)" : "LOWER(#)", {make('t', depth)});
    case 2:
      return node('t', "SUBSTR(#, #, 2)", {make('t', depth), make('i', 0)});
    case 3:
      return node('t', random_.chance(50) ? "TRIM(#)" : "RTRIM(#, 'b')", {make('t', depth)});
    case 4:
      return node('t', "REPLACE(#, 'a', 'bb')", {make('t', depth)});
    case 5:
      return node('t', "CAST(# AS TEXT)", {make(random_.chance(60) ? 'i' : 'd', depth)});
    default:
      return end('t');
  }
}

NodePtr ScalarText::date(int depth) {
  if (random_.chance(25)) return node('d', "date_trunc('month', #)", {make('d', depth)});
  return end('d');
}

namespace {

const char* simplest(char type) {
  switch (type) {
    case 'b':
      return "TRUE";
    case 'i':
    case 'h':
      return "0";
    case 'm':
      return "0.00";
    case 'x':
      return "0e0";
    case 't':
      return "''";
    default:
      return "DATE '2020-01-01'";
  }
}

void below(const Node& node, char type, std::vector<NodePtr>& out) {
  for (const NodePtr& kid : node.kids) {
    if (kid->type == type) out.push_back(kid);
    below(*kid, type, out);
  }
}

}  // namespace

std::vector<NodePtr> simpler(const NodePtr& node) {
  std::vector<NodePtr> out;
  const std::string now = print(*node);
  std::vector<std::string> literals = {simplest(node->type)};
  if (node->type == 'b') literals.insert(literals.end(), {"FALSE", "CAST(NULL AS BOOLEAN)"});
  const bool is_literal = std::find(literals.begin(), literals.end(), now) != literals.end();
  if (!is_literal) {
    for (const std::string& text : literals) out.push_back(ScalarText::leaf(node->type, text));
    below(*node, node->type, out);
  }
  for (size_t i = 0; i < node->kids.size(); ++i) {
    for (const NodePtr& kid : simpler(node->kids[i])) {
      auto copy = std::make_shared<Node>(*node);
      copy->kids[i] = kid;
      out.push_back(copy);
    }
  }
  std::vector<std::pair<size_t, size_t>> order;  // size, place
  for (size_t i = 0; i < out.size(); ++i) order.emplace_back(size_of(*out[i]), i);
  std::sort(order.begin(), order.end());
  std::vector<NodePtr> sorted;
  for (const auto& [size, place] : order) sorted.push_back(out[place]);
  return sorted;
}

}  // namespace judge
