#include "shell/verify.h"

#include "shell/commands.h"
#include "shell/terminal.h"
#include "shell/utf8.h"

namespace hdb::shell {

namespace {

struct IndexRow {
  std::string table;
  std::string name;
  std::string kind;
  std::string columns;
};

std::string plural(uint64_t count, const char* one, const char* many) { return format_count(count) + " " + (count == 1 ? one : many); }

// "a, b" -> "a", "b" as quoted identifiers. SHOW INDEXES separates them by a comma and a blank.
std::vector<std::string> key_columns(std::string_view columns) {
  std::vector<std::string> out;
  while (!columns.empty()) {
    const size_t comma = columns.find(", ");
    const std::string_view one = columns.substr(0, comma);
    out.push_back(one.starts_with('"') ? std::string(one) : quote_identifier(one));
    columns = comma == std::string_view::npos ? std::string_view() : columns.substr(comma + 2);
  }
  return out;
}

IndexVerdict verify_key(holodb::Connection& connection, const IndexRow& index) {
  std::string list;
  std::string not_null;
  for (const std::string& column : key_columns(index.columns)) {
    list += (list.empty() ? "" : ", ") + column;
    not_null += (not_null.empty() ? "" : " AND ") + column + " IS NOT NULL";
  }
  const std::string table = quote_identifier(index.table);
  IndexVerdict verdict;
  verdict.name = index.name;
  verdict.checked = static_cast<uint64_t>(connection.query_value<int64_t>("SELECT COUNT(*) FROM " + table));
  const std::string repeated = " GROUP BY " + list + " HAVING COUNT(*) > 1";
  for (const holodb::Row row : connection.query("SELECT COUNT(*) FROM " + table + " WHERE " + not_null + repeated)) {
    verdict.differences += static_cast<uint64_t>(row.get<int64_t>(0)) - 1;
  }
  verdict.good = verdict.differences == 0;
  verdict.text = index.name + " on " + index.table + ": " +
                 (verdict.good ? "ok, no value twice in " + plural(verdict.checked, "row", "rows")
                               : plural(verdict.differences, "row repeats", "rows repeat") + " a value that must be unique");
  return verdict;
}

}  // namespace

IndexVerdict verify_summary(holodb::Connection& connection, const std::string& table, const std::string& name) {
  holodb::Result result = connection.query("SELECT * FROM summary_verify(" + quote_text(name) + ")");
  IndexVerdict verdict;
  verdict.name = name;
  if (result.step()) {
    verdict.checked = static_cast<uint64_t>(result.row().get<int64_t>(0));
    verdict.differences = static_cast<uint64_t>(result.row().get<int64_t>(1));
    verdict.good = verdict.differences == 0;
  } else {
    verdict.good = false;
  }
  verdict.text = name + " on " + table + ": " +
                 (verdict.good ? "ok, " + plural(verdict.checked, "cell equals", "cells equal") + " a rebuild from the rows"
                               : plural(verdict.differences, "difference", "differences") + " in " + plural(verdict.checked, "cell", "cells"));
  return verdict;
}

std::vector<IndexVerdict> verify_indexes(holodb::Connection& connection, const std::optional<std::string>& name) {
  std::vector<IndexRow> indexes;
  for (const holodb::Row row : connection.query("SHOW INDEXES")) {
    indexes.push_back({row.get<std::string>(0), row.get<std::string>(1), row.get<std::string>(2), row.get<std::string>(3)});
  }
  std::vector<IndexVerdict> verdicts;
  for (const IndexRow& index : indexes) {
    if (name && !same_name(*name, index.name)) continue;
    // A limb that is kept from first use is nobody's index: `limbs = off` answers the same from the rows, and that is how it is checked.
    if (index.kind == "limb" && !name) continue;
    if (index.kind == "summary") {
      verdicts.push_back(verify_summary(connection, index.table, index.name));
    } else if (index.kind == "primary" || index.kind == "unique") {
      verdicts.push_back(verify_key(connection, index));
    } else {
      IndexVerdict verdict;
      verdict.name = index.name;
      verdict.text = index.name + " on " + index.table + ": not checked (" + index.kind + ")";
      verdicts.push_back(verdict);
    }
  }
  if (name && verdicts.empty()) throw holodb::Error(HOLODB_ERROR, "42704", "there is no index '" + *name + "'");
  return verdicts;
}

}  // namespace hdb::shell
