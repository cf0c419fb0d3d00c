#include "adjudicate.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "exact_token.h"

namespace engines {

namespace {

struct Item {
  std::string fn, text;  // fn: "" for a group key
};
struct Parts {
  std::vector<Item> items;
  std::string from;  // FROM ... WHERE ..., without what follows
};

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return text;
}
std::string trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t\n"), last = text.find_last_not_of(" \t\n");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

// Places of a word that stands outside of quotes and parentheses; for ",", of commas.
std::vector<size_t> places_of(const std::string& sql, const std::string& word) {
  std::vector<size_t> out;
  const std::string text = upper(sql);
  int depth = 0;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(') {
      ++depth;
    } else if (c == ')') {
      --depth;
    } else if (depth == 0 && text.compare(i, word.size(), word) == 0) {
      const auto letter = [&text](size_t at) { return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_'); };
      if (word == "," || ((i == 0 || !letter(i - 1)) && !letter(i + word.size()))) out.push_back(i);
    }
  }
  return out;
}

// "(...)" whose first parenthesis is closed by its last.
bool whole(const std::string& text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0) return i + 1 == text.size();
  }
  return false;
}

Item item_of(const std::string& raw) {
  const std::vector<size_t> as = places_of(raw, "AS");
  const std::string text = trimmed(as.empty() ? raw : raw.substr(0, as.back()));
  const size_t open = text.find('(');
  if (open == std::string::npos || text.back() != ')') return {"", text};
  const std::string fn = upper(trimmed(text.substr(0, open)));
  for (const char* known : {"COUNT", "SUM", "AVG", "MIN", "MAX", "SUM_EXACT"}) {
    if (fn == known && whole(text.substr(open))) return {fn == "SUM_EXACT" ? "SUM" : fn, trimmed(text.substr(open + 1, text.size() - open - 2))};
  }
  return {"", text};
}

bool split(const std::string& sql, Parts& parts, std::string* why_not) {
  const std::vector<size_t> select = places_of(sql, "SELECT"), from = places_of(sql, "FROM");
  const auto refuse = [&](const char* why) { return *why_not = why, false; };
  if (select.size() != 1 || from.size() != 1 || trimmed(sql.substr(0, select[0])) != "") return refuse("it is not one SELECT ... FROM");
  if (!places_of(sql, "HAVING").empty()) return refuse("HAVING chooses groups by their totals");
  if (!places_of(sql, "LIMIT").empty() || !places_of(sql, "OFFSET").empty()) return refuse("LIMIT chooses groups");
  if (!places_of(sql, "DISTINCT").empty()) return refuse("DISTINCT takes rows together");
  size_t end = sql.size();
  for (const char* word : {"GROUP", "ORDER"}) {
    for (size_t at : places_of(sql, word)) end = std::min(end, at);
  }
  parts.from = trimmed(sql.substr(from[0], end - from[0]));
  while (!parts.from.empty() && parts.from.back() == ';') parts.from.pop_back();
  const std::string list = sql.substr(select[0] + 6, from[0] - select[0] - 6);
  size_t at = 0;
  std::vector<size_t> commas = places_of(list, ",");
  commas.push_back(list.size());
  bool any = false;
  for (size_t comma : commas) {
    parts.items.push_back(item_of(list.substr(at, comma - at)));
    at = comma + 1;
    Item& item = parts.items.back();
    any |= !item.fn.empty();
    if (upper(item.text).rfind("DISTINCT", 0) == 0) return refuse("DISTINCT inside of an aggregate");
    if (item.fn == "COUNT" && item.text == "*") item.text = "1";
  }
  return any || refuse("it has no aggregate");
}

std::string feed_text(const Parts& parts) {
  std::string out = "SELECT ";
  for (size_t i = 0; i < parts.items.size(); ++i) out += (i > 0 ? ", " : "") + parts.items[i].text + " AS c" + std::to_string(i);
  return out + " " + parts.from;
}

// A number of the feeding rows: a double is the ratio that it is, not the decimal text that reads back as it.
bool feed_number(const Token& token, const model::Type& type, Ratio* out) {
  if (type.kind != model::Kind::kDbl) return ratio_from(token.text, out);
  int exponent = 0;
  const double x = std::strtod(token.text.c_str(), nullptr);
  if (!(x - x == 0)) return false;
  const auto digits = static_cast<int64_t>(std::ldexp(std::frexp(x, &exponent), 53));
  exponent -= 53;
  model::Big power = 1;
  power <<= static_cast<unsigned>(exponent < 0 ? -exponent : exponent);
  *out = exponent < 0 ? Ratio(model::Big(digits), power) : Ratio(model::Big(digits) * power);
  return true;
}

std::string row_text(const std::vector<Token>& row, const std::vector<model::Type>& types) {
  std::string out;
  for (size_t c = 0; c < row.size(); ++c) {
    Ratio ratio;
    const bool number = c < types.size() && row[c].kind == Token::Kind::kNumber && feed_number(row[c], types[c], &ratio);
    const bool truth = row[c].text == "true" || row[c].text == "false";
    out += (row[c].kind == Token::Kind::kNull ? "NULL" : number ? ratio.str() : truth ? (row[c].text == "true" ? "1" : "0") : "'" + row[c].text + "'") + "|";
  }
  return out;
}
std::vector<std::string> sorted_rows(const Answer& answer, const std::vector<model::Type>& types) {
  std::vector<std::string> out;
  for (const auto& row : answer.rows) out.push_back(row_text(row, types));
  std::sort(out.begin(), out.end());
  return out;
}

struct Total {
  int64_t count = 0;
  Ratio sum = 0, least = 0, most = 0;
  bool doubles = false, is_decimal = false;
  int scale = 0;
  void add(const Ratio& x) {
    if (count == 0 || x < least) least = x;
    if (count == 0 || x > most) most = x;
    ++count;
    sum += x;
  }
};

bool is_right(const Item& item, const Total& t, const Token& got) {
  if (item.fn == "COUNT") return exact_text(got.text) == Ratio(t.count).str();
  if (t.count == 0) return got.kind == Token::Kind::kNull;
  if (got.kind == Token::Kind::kNull) return false;
  const double value = std::strtod(got.text.c_str(), nullptr);
  if (item.fn == "AVG") {
    const Ratio average = t.sum / t.count;
    if (value == nearest(average) && !t.is_decimal) return true;
    Ratio said;
    return t.is_decimal && ratio_from(got.text, &said) && abs(said - average) * 2 * Ratio(model::power_of_ten(t.scale + 6)) <= 1;
  }
  const Ratio& exact = item.fn == "SUM" ? t.sum : item.fn == "MIN" ? t.least : t.most;
  return t.doubles ? value == nearest(exact) : exact_text(got.text) == exact.str();
}

using Groups = std::map<std::string, std::vector<Total>>;

bool gather(const Parts& parts, const Answer& feed, const std::vector<model::Type>& types, Groups& groups) {
  const bool grouped = std::any_of(parts.items.begin(), parts.items.end(), [](const Item& i) { return i.fn.empty(); });
  if (!grouped) groups[""].resize(parts.items.size());
  for (const auto& row : feed.rows) {
    std::string key;
    for (size_t c = 0; c < row.size(); ++c) key += parts.items[c].fn.empty() ? row_text({row[c]}, {types[c]}) : "";
    std::vector<Total>& totals = groups[key];
    totals.resize(parts.items.size());
    for (size_t c = 0; c < row.size(); ++c) {
      if (parts.items[c].fn.empty()) continue;
      totals[c].doubles = types[c].kind == model::Kind::kDbl;
      totals[c].is_decimal = types[c].kind == model::Kind::kDec, totals[c].scale = types[c].scale;
      Ratio x = 1;
      if (row[c].kind == Token::Kind::kNull) continue;
      if (parts.items[c].fn != "COUNT" && (row[c].kind != Token::Kind::kNumber || !feed_number(row[c], types[c], &x))) return false;
      totals[c].add(x);
    }
  }
  return true;
}

bool all_right(const Parts& parts, const Groups& groups, const std::vector<model::Type>& types, const Answer& answer) {
  if (!answer.ok) return false;
  size_t found = 0;
  for (const auto& row : answer.rows) {
    if (row.size() != parts.items.size()) return false;
    std::string key;
    for (size_t c = 0; c < row.size(); ++c) key += parts.items[c].fn.empty() ? row_text({row[c]}, {types[c]}) : "";
    const auto group = groups.find(key);
    if (group == groups.end()) return false;
    ++found;
    for (size_t c = 0; c < row.size(); ++c) {
      if (!parts.items[c].fn.empty() && !is_right(parts.items[c], group->second[c], row[c])) return false;
    }
  }
  return found == groups.size();
}

}  // namespace

std::string feeding_query(const std::string& sql, std::string* why_not) {
  Parts parts;
  return split(sql, parts, why_not) ? feed_text(parts) : "";
}

Judgement adjudicate(const std::string& sql, const Answer& holodb, const Answer& engine, const Ask& ask_holodb, const Ask& ask_engine,
                     const std::function<std::vector<model::Type>(const std::string&)>& types_of) {
  Judgement out;
  Parts parts;
  if (!split(sql, parts, &out.why_not)) return out;
  const std::string feed = feed_text(parts);
  const Answer rows = ask_holodb(feed), theirs = ask_engine(feed);
  const std::vector<model::Type> types = types_of(feed);
  if (!rows.ok || !theirs.ok) return out.why_not = "the rows that feed it cannot be asked for", out;
  if (sorted_rows(rows, types) != sorted_rows(theirs, types)) return out.why_not = "the engines differ in the rows already: " + feed, out;
  Groups groups;
  if (!gather(parts, rows, types, groups)) return out.why_not = "an aggregate is not over numbers", out;
  out.possible = true;
  out.holodb_right = all_right(parts, groups, types, holodb);
  out.engine_right = all_right(parts, groups, types, engine);
  for (const auto& [key, totals] : groups) {
    for (size_t c = 0; c < totals.size() && out.exact.size() < 600; ++c) {
      const Item& item = parts.items[c];
      if (item.fn.empty()) continue;
      const Total& t = totals[c];
      out.exact += (out.exact.empty() ? "" : "; ") + key + item.fn + "(" + item.text + ")";
      if (t.count == 0 || item.fn == "COUNT") out.exact += " of " + std::to_string(t.count) + " values";
      else if (item.fn == "AVG")
        out.exact += " = " + t.sum.str() + " / " + std::to_string(t.count) + ", the nearest double is " + model::to_text(model::make_dbl(nearest(t.sum / t.count)));
      else out.exact += " = " + (item.fn == "SUM" ? t.sum : item.fn == "MIN" ? t.least : t.most).str();
    }
  }
  return out;
}

}  // namespace engines
