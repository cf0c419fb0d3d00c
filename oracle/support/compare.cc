#include "compare.h"

#include <algorithm>
#include <cstdlib>

namespace judge {

namespace {

std::string joined(const std::vector<Cell>& row) {
  std::string out;
  for (const Cell& c : row) out += (out.empty() ? "" : "|") + (c.null ? std::string("NULL") : c.text);
  return out;
}

std::string joined(const model::Row& row) {
  std::string out;
  for (const model::Value& v : row) out += (out.empty() ? "" : "|") + model::to_text(v);
  return out;
}

template <typename Rows>
std::string sample(const Rows& rows) {
  std::string out;
  for (size_t i = 0; i < rows.size() && i < 6; ++i) out += "\n    " + joined(rows[i]);
  return rows.size() > 6 ? out + "\n    ... " + std::to_string(rows.size()) + " rows" : out;
}

bool equal_keys(std::vector<std::string> a, std::vector<std::string> b, bool ordered) {
  if (!ordered) {
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
  }
  return a == b;
}

std::string type_difference(const std::vector<model::Type>& expected, const std::vector<model::Type>& got) {
  if (expected.size() != got.size()) {
    return std::to_string(expected.size()) + " columns expected, " + std::to_string(got.size()) + " returned";
  }
  for (size_t i = 0; i < got.size(); ++i) {
    if (expected[i].kind == model::Kind::kNull) continue;
    const bool scales = expected[i].kind == model::Kind::kDec && expected[i].scale != got[i].scale;
    if (expected[i].kind != got[i].kind || scales) {
      return "column " + std::to_string(i) + ": " + model::type_name(expected[i]) + " expected, " + model::type_name(got[i]) + " returned";
    }
  }
  return "";
}

model::Value decimal_from(const std::string& text) {
  std::string digits;
  int scale = -1;
  for (char c : text) {
    if (c == '.') {
      scale = 0;
    } else {
      digits += c;
      if (scale >= 0) ++scale;
    }
  }
  model::Value v;
  v.kind = model::Kind::kDec;
  v.scale = std::max(scale, 0);
  const bool negative = !digits.empty() && digits[0] == '-';
  for (size_t i = negative ? 1 : 0; i < digits.size(); ++i) v.n = v.n * 10 + (digits[i] - '0');
  if (negative) v.n = -v.n;
  return v;
}

std::string states_text(const std::set<std::string>& states) {
  std::string out;
  for (const std::string& s : states) out += (out.empty() ? "" : " or ") + s;
  return out;
}

}  // namespace

model::Value value_from(const Cell& cell, const model::Type& type) {
  using model::Kind;
  if (cell.null) return {};
  switch (type.kind) {
    case Kind::kBool:
      return model::make_bool(cell.text == "true");
    case Kind::kInt:
      return model::make_int(std::strtoll(cell.text.c_str(), nullptr, 10));
    case Kind::kDec:
      return decimal_from(cell.text);
    case Kind::kDbl:
      return model::make_dbl(std::strtod(cell.text.c_str(), nullptr));
    case Kind::kDate:
      return model::make_date(model::days_from_text(cell.text));
    default:
      return model::make_text(cell.text);
  }
}

std::vector<std::string> row_keys(const model::Result& result) {
  std::vector<std::string> keys;
  for (const model::Row& row : result.rows) {
    std::string key;
    for (const model::Value& v : row) key += model::key_of(v);
    keys.push_back(std::move(key));
  }
  return keys;
}

std::vector<std::string> row_keys(const Reply& reply) {
  std::vector<std::string> keys;
  for (const std::vector<Cell>& row : reply.rows) {
    std::string key;
    for (size_t i = 0; i < row.size(); ++i) key += model::key_of(value_from(row[i], reply.types[i]));
    keys.push_back(std::move(key));
  }
  return keys;
}

std::string difference(const model::Outcome& expected, const Reply& got) {
  if (expected.ending == model::Ending::kOpen) return "";
  if (expected.ending == model::Ending::kError) {
    if (got.ok) return "error " + states_text(expected.states) + " expected, none raised; rows:" + sample(got.rows);
    if (expected.states.count(got.state) != 0) return "";
    return "error " + states_text(expected.states) + " expected, but " + got.state + " raised: " + got.message;
  }
  if (!got.ok) return "no error expected, but " + got.state + ": " + got.message;
  if (expected.ending == model::Ending::kDone) {
    if (expected.changes == got.changes) return "";
    return std::to_string(expected.changes) + " rows changed expected, " + std::to_string(got.changes) + " reported";
  }
  const std::string types = type_difference(expected.result.types, got.types);
  if (!types.empty()) return types;
  if (equal_keys(row_keys(expected.result), row_keys(got), expected.result.ordered)) return "";
  return "expected:" + sample(expected.result.rows) + "\n  got:" + sample(got.rows);
}

std::string difference(const model::Outcome& expected, const model::Outcome& got) {
  if (expected.ending == model::Ending::kOpen || got.ending == model::Ending::kOpen) return "";
  if (expected.ending != got.ending) {
    return "endings differ: " + std::to_string(static_cast<int>(expected.ending)) + " (" + states_text(expected.states) + ") and " +
           std::to_string(static_cast<int>(got.ending)) + " (" + states_text(got.states) + ")";
  }
  if (expected.ending != model::Ending::kRows) return "";
  if (equal_keys(row_keys(expected.result), row_keys(got.result), expected.result.ordered)) return "";
  return "expected:" + sample(expected.result.rows) + "\n  got:" + sample(got.result.rows);
}

std::string difference(const Reply& a, const Reply& b, bool ordered) {
  if (a.ok != b.ok || a.state != b.state) return "one errs, one does not: '" + a.state + "' and '" + b.state + "'";
  if (equal_keys(row_keys(a), row_keys(b), ordered)) return "";
  return "one:" + sample(a.rows) + "\n  other:" + sample(b.rows);
}

}  // namespace judge
