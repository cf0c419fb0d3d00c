// Where files that were written for SQLite ask for what spec/dialect.md decides otherwise. Each entry is a row of that document.
#include <algorithm>
#include <initializer_list>

#include "runner.h"

namespace slt {

namespace {

bool has(const std::vector<std::string>& words, std::initializer_list<const char*> wanted) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) { return std::find(wanted.begin(), wanted.end(), word) != wanted.end(); });
}

}  // namespace

std::string refused_because(const std::string& state, const std::string& message, const std::string& sql) {
  if (state == "42803") return "a column that is neither grouped nor aggregated (42803)";
  if (state == "42883") return "types are strict (42883)";
  if (state == "42804") return "types are strict (42804)";
  if (state == "22012") return "x / 0 is an error and not NULL (22012)";
  if (state == "22P02") return "CAST of text that is no number (22P02)";
  const std::vector<std::string> words = words_of_sql(sql);
  if (state == "42601" && has(words, {"indexed", "replace", "trigger", "pragma"})) return "syntax of SQLite alone (42601)";
  if (state == "42601" && message.find("at \")\"") != std::string::npos && sql.find("()") != std::string::npos) return "an empty list behind IN (42601)";
  if (state == "42601" && has(words, {"total", "group_concat"})) return "an aggregate of SQLite alone (42601)";
  if (state == "42601" && message.find("expected \"(\"") != std::string::npos && has(words, {"in"})) return "IN before the name of a table (42601)";
  if (state == "42601" && message.find("at \"NOT\"") != std::string::npos && sql.find(" NOT NULL") != std::string::npos)
    return "NOT NULL behind an operand (42601)";
  if (state == "42701" && !words.empty() && words[0] == "update") return "UPDATE sets a column twice (42701)";
  return "";
}

std::string differs_because(const std::string& sql) {
  const std::vector<std::string> words = words_of_sql(sql);
  // SQLite's value has the type of the branch that was taken, so that a later division truncates or does not, row by row.
  if (has(words, {"case", "coalesce", "nullif"}) && sql.find('/') != std::string::npos && has(words, {"avg", "real", "double", "decimal", "total"})) {
    return "a division behind CASE or COALESCE of BIGINT and DOUBLE";
  }
  return "";
}

}  // namespace slt
