// plan/scope.h: the names that an expression may use: the tables of FROM and their columns.
//
// What:       a list of tables in order, each with its columns and their ids; look-up by folded name, with or without a table.
// Invariants: P1 two tables of a scope never share a name. A column that USING merged away is found by its table's name only.
// Errors:     42P01 no such table, 42703 no such column, 42702 ambiguous; each at the name's position.
// Callers:    plan/ (binder). One statement.
// Held by:    src/plan/binder_test.cc
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "plan/expression.h"
#include "sql/tree.h"

namespace hdb {

struct ScopeColumn {
  std::string_view name, folded;  // of the catalog version, which the plan holds
  ColumnId id = kNoColumn;
  Type type;
  bool merged = false;            // by USING: neither in * nor found without its table
};

struct ScopeTable {
  std::string_view name, folded;  // its alias, or its own name
  std::vector<ScopeColumn> columns;
};

class Scope {
 public:
  void add(ScopeTable table, int64_t position);
  const ScopeColumn* find(const sql::Identifier& column) const;  // null: none; 42702 if several
  const ScopeColumn& require(const sql::ColumnRef& ref) const;
  const ScopeTable& require_table(const sql::Identifier& name) const;
  std::string_view name_of(ColumnId id) const;

  void changed() { indexed_ = 0; }  // call it after `tables` was changed by hand

  std::vector<ScopeTable> tables;

 private:
  // By name once a scope is wide; scanning is faster before that.
  mutable std::unordered_multimap<std::string_view, const ScopeColumn*> by_name_;
  mutable size_t indexed_ = 0;
};

[[noreturn]] void no_column(const sql::Identifier& name);

}  // namespace hdb
