#include "shell/dump.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "shell/commands.h"

namespace hdb::shell {

namespace {

constexpr size_t kInsertBytes = 256 << 10;       // of an INSERT, about
constexpr size_t kStatementBytesMax = 15 << 20;  // a statement may have 16 MiB
constexpr size_t kInsertRows = 500;
constexpr size_t kTokensMax = 1'000'000;

struct TableText {
  std::string name, create, indexes;
  std::vector<std::string> refers_to;  // names without case
};

std::string folded(std::string_view name) {
  std::string out(name);
  for (char& c : out) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return out;
}

// Behind the text or name whose quote opens at `at`.
size_t behind_quoted(const std::string& sql, size_t at) {
  const char quote = sql[at++];
  for (; at < sql.size(); ++at) {
    if (sql[at] != quote) continue;
    if (at + 1 < sql.size() && sql[at + 1] == quote) ++at;
    else return at + 1;
  }
  return at;
}

std::string name_at(const std::string& sql, size_t at) {
  if (at < sql.size() && sql[at] == '"') {
    std::string name = sql.substr(at + 1, behind_quoted(sql, at) - at - 2);
    for (size_t q = name.find("\"\""); q != std::string::npos; q = name.find("\"\"", q + 1)) name.erase(q, 1);
    return folded(name);
  }
  size_t end = at;
  while (end < sql.size() && (std::isalnum(static_cast<unsigned char>(sql[end])) != 0 || sql[end] == '_' || sql[end] == '$' || (sql[end] & 0x80) != 0)) ++end;
  return folded(sql.substr(at, end - at));
}

// What SHOW CREATE TABLE says: the table, then its indexes.
TableText read_table(const std::string& name, const std::string& sql) {
  TableText table{name, "", "", {}};
  constexpr std::string_view kReferences = "REFERENCES ";
  size_t end = std::string::npos;
  for (size_t at = 0; at < sql.size();) {
    if (sql[at] == '\'' || sql[at] == '"') {
      at = behind_quoted(sql, at);
      continue;
    }
    if (sql.compare(at, kReferences.size(), kReferences) == 0 && end == std::string::npos) table.refers_to.push_back(name_at(sql, at + kReferences.size()));
    if (sql[at] == ';' && end == std::string::npos) end = at;
    ++at;
  }
  table.create = sql.substr(0, end);
  if (end != std::string::npos) table.indexes = sql.substr(end + 1);
  const size_t first = table.indexes.find_first_not_of(" \n");
  table.indexes = first == std::string::npos ? "" : table.indexes.substr(first);
  while (!table.indexes.empty() && (table.indexes.back() == '\n' || table.indexes.back() == ' ')) table.indexes.pop_back();
  if (!table.indexes.empty()) table.indexes += table.indexes.back() == ';' ? "\n" : ";\n";
  return table;
}

// Those that others refer to come first, else by name. A table can refer to older ones and to itself only, so there is an order.
std::vector<TableText> tables_in_order(holodb::Connection& connection) {
  std::vector<std::string> names;
  for (const holodb::Row row : connection.query("SHOW TABLES")) names.push_back(row.get<std::string>(0));
  std::map<std::string, TableText> left;
  for (const std::string& name : names) {
    for (const holodb::Row row : connection.query("SHOW CREATE TABLE " + quote_identifier(name))) left.emplace(folded(name), read_table(name, row.get<std::string>(0)));
  }
  std::vector<TableText> ordered;
  while (!left.empty()) {
    const auto ready = [&](const TableText& table, const std::string& self) {
      return std::none_of(table.refers_to.begin(), table.refers_to.end(), [&](const std::string& other) { return other != self && left.count(other) > 0; });
    };
    auto next = std::find_if(left.begin(), left.end(), [&](const auto& one) { return ready(one.second, one.first); });
    if (next == left.end()) next = left.begin();
    ordered.push_back(std::move(next->second));
    left.erase(next);
  }
  return ordered;
}

class Inserts {
 public:
  Inserts(const TableText& table, const Sink& sink) : table_(table), sink_(sink), head_("INSERT INTO " + quote_identifier(table.name) + " VALUES") {
    // Its rows may refer to rows that come later: they are checked where the statement ends.
    whole_ = std::count(table.refers_to.begin(), table.refers_to.end(), folded(table.name)) > 0;
  }
  void row(std::string values, size_t columns) {
    if (values.size() > kStatementBytesMax) fail("a row of " + table_.name + " is longer than a statement may be (.export writes it)");
    if (rows_ > 0 && !whole_ && (rows_ >= kInsertRows || sql_.size() + values.size() > kInsertBytes)) end();
    sql_ += (rows_ == 0 ? head_ + "\n(" : ",\n(") + std::move(values) + ")";
    ++rows_;
    tokens_ += 2 * columns + 4;
    if (sql_.size() > kStatementBytesMax || tokens_ > kTokensMax) fail(table_.name + " refers to itself and is too long for one statement (.export writes it)");
  }
  void end() {
    if (rows_ > 0) sink_(sql_ + ";\n");
    sql_.clear();
    rows_ = tokens_ = 0;
  }

 private:
  [[noreturn]] static void fail(const std::string& why) { throw holodb::Error(HOLODB_ERROR, "54000", why); }
  const TableText& table_;
  const Sink& sink_;
  const std::string head_;
  bool whole_;
  std::string sql_;
  size_t rows_ = 0, tokens_ = 0;
};

void dump_rows(holodb::Connection& connection, const TableText& table, const Sink& sink) {
  holodb::Statement statement = connection.prepare("SELECT * FROM " + quote_identifier(table.name));
  const int columns = statement.column_count();
  Inserts inserts(table, sink);
  while (statement.step()) {
    const holodb::Row row = statement.row();
    std::string values;
    for (int c = 0; c < columns; ++c) {
      if (c > 0) values += ", ";
      if (row.is_null(c)) {
        values += "NULL";
        continue;
      }
      const auto text = row.get<std::string_view>(c);
      values += sql_literal(statement.column_type(c), text.data(), text.size());
    }
    inserts.row(std::move(values), static_cast<size_t>(columns));
  }
  inserts.end();
}

}  // namespace

std::string sql_literal(holodb::Type type, const char* text, size_t bytes) {
  std::string value(text, bytes);
  switch (type) {
    case holodb::Type::kBigint:
    case holodb::Type::kDecimal: return value;
    case holodb::Type::kBoolean: return value == "true" ? "TRUE" : "FALSE";
    case holodb::Type::kDouble:
      if (value.find_first_of("Nn") != std::string::npos) return "CAST('" + value + "' AS DOUBLE)";  // NaN, Infinity
      return value.find('e') == std::string::npos ? value + "e0" : value;                            // without an exponent it would be a DECIMAL
    case holodb::Type::kDate: return "DATE '" + value + "'";
    case holodb::Type::kTimestamp: return "TIMESTAMP '" + value + "'";
    default: return quote_text(value);
  }
}

void dump_database(holodb::Connection& connection, const Sink& sink) {
  std::optional<holodb::Transaction> snapshot;  // in an open transaction it sees what that sees
  if (!connection.in_transaction()) snapshot.emplace(connection);
  for (const holodb::Row row : connection.query("SHOW RESTORE POINTS"))
    sink("-- The restore point " + quote_identifier(row.get<std::string>(0)) + " (commit " + row.get<std::string>(1) + ") is no part of this script.\n");
  sink("BEGIN;\n");
  for (const TableText& table : tables_in_order(connection)) {
    sink(table.create + ";\n");
    dump_rows(connection, table, sink);
    if (!table.indexes.empty()) sink(table.indexes);
  }
  sink("COMMIT;\n");
  if (snapshot) snapshot->rollback();
}

uint64_t export_csv(holodb::Connection& connection, const std::string& query, const Sink& sink) {
  holodb::Statement statement = connection.prepare(query);
  const int columns = statement.column_count();
  if (columns == 0) throw holodb::Error(HOLODB_ERROR, "42601", "only a query has rows that can be exported");
  std::string out;
  for (int c = 0; c < columns; ++c) {
    if (c > 0) out += ',';
    append_csv_field(&out, statement.column_name(c), false);
  }
  out += '\n';
  uint64_t rows = 0;
  for (; statement.step(); ++rows) {
    const holodb::Row row = statement.row();
    for (int c = 0; c < columns; ++c) {
      if (c > 0) out += ',';
      const bool null = row.is_null(c);
      append_csv_field(&out, null ? std::string_view() : row.get<std::string_view>(c), null);
    }
    out += '\n';
    if (out.size() < kInsertBytes) continue;
    sink(out);
    out.clear();
  }
  sink(out);
  return rows;
}

void write_file(const std::string& file, const std::function<void(const Sink&)>& body) {
  const std::string part = file + ".part";
  const auto refuse = [&](int code) { throw holodb::Error(HOLODB_ERROR, "58030", "cannot write '" + file + "': " + std::strerror(code)); };
  std::FILE* stream = std::fopen(part.c_str(), "wb");
  if (stream == nullptr) refuse(errno);
  try {
    body([&](std::string_view text) {
      if (std::fwrite(text.data(), 1, text.size(), stream) != text.size()) refuse(errno);
    });
    const bool flushed = std::fflush(stream) == 0;
    const int code = errno;
    if (std::fclose(std::exchange(stream, nullptr)) != 0 || !flushed) refuse(flushed ? errno : code);
    if (std::rename(part.c_str(), file.c_str()) != 0) refuse(errno);
  } catch (...) {
    if (stream != nullptr) std::fclose(stream);
    std::remove(part.c_str());
    throw;
  }
}

}  // namespace hdb::shell
