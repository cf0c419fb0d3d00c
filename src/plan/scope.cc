#include "plan/scope.h"

#include "base/error.h"

namespace hdb {
namespace {
constexpr size_t kScanColumnsMax = 64;  // wider scopes get an index of names
}

void no_column(const sql::Identifier& name) {
  fail(sqlstate::kUndefinedColumn, "there is no column \"" + std::string(name.spelling) + "\"", name.span.begin);
}

void Scope::add(ScopeTable table, int64_t position) {
  for (const ScopeTable& t : tables) {
    if (t.folded == table.folded) {
      fail(sqlstate::kDuplicateObject, "the table name \"" + std::string(table.name) + "\" stands twice in FROM; give one an alias", position);
    }
  }
  tables.push_back(std::move(table));
  changed();
}

const ScopeColumn* Scope::find(const sql::Identifier& column) const {
  const ScopeColumn* found = nullptr;
  const auto take = [&](const ScopeColumn& c) {
    if (c.merged) return;
    if (found != nullptr) {
      fail(sqlstate::kAmbiguousColumn, "the column \"" + std::string(column.spelling) + "\" is in more than one table", column.span.begin);
    }
    found = &c;
  };
  size_t count = 0;
  for (const ScopeTable& t : tables) count += t.columns.size();
  if (count <= kScanColumnsMax) {
    for (const ScopeTable& t : tables) {
      for (const ScopeColumn& c : t.columns) {
        if (c.folded == column.folded) take(c);
      }
    }
    return found;
  }
  if (indexed_ == 0) {
    by_name_.clear();
    for (const ScopeTable& t : tables) {
      for (const ScopeColumn& c : t.columns) by_name_.emplace(c.folded, &c);
    }
    indexed_ = count;
  }
  const auto [begin, end] = by_name_.equal_range(column.folded);
  for (auto it = begin; it != end; ++it) take(*it->second);
  return found;
}

const ScopeTable& Scope::require_table(const sql::Identifier& name) const {
  for (const ScopeTable& t : tables) {
    if (t.folded == name.folded) return t;
  }
  fail(sqlstate::kUndefinedTable, "there is no table \"" + std::string(name.spelling) + "\" in FROM", name.span.begin);
}

const ScopeColumn& Scope::require(const sql::ColumnRef& ref) const {
  if (ref.table.empty()) {
    const ScopeColumn* c = find(ref.column);
    if (c == nullptr) no_column(ref.column);
    return *c;
  }
  for (const ScopeColumn& c : require_table(ref.table).columns) {
    if (c.folded == ref.column.folded) return c;
  }
  fail(sqlstate::kUndefinedColumn, "there is no column \"" + std::string(ref.column.spelling) + "\" in \"" + std::string(ref.table.spelling) + "\"",
       ref.column.span.begin);
}

std::string_view Scope::name_of(ColumnId id) const {
  for (const ScopeTable& t : tables) {
    for (const ScopeColumn& c : t.columns) {
      if (c.id == id) return c.name;
    }
  }
  return "?";
}

}  // namespace hdb
