// FROM: tables, table functions and joins; every column of every table gets its id here.
#include "base/error.h"
#include "base/limits.h"
#include "plan/binder_impl.h"
#include "plan/make.h"
#include "plan/type_rules.h"

namespace hdb {

std::shared_ptr<const TableDef> Binder::require_table(const sql::Identifier& name) {
  std::shared_ptr<const TableDef> table = catalog_->find_table(name.folded, *snapshot_);
  if (!table) fail(sqlstate::kUndefinedTable, "there is no table \"" + std::string(name.spelling) + "\"", name.span.begin);
  for (const auto& known : plan_.tables) {
    if (known == table) return table;
  }
  plan_.tables.push_back(table);
  return table;
}

NodePtr Binder::bind_table(std::shared_ptr<const TableDef> table, std::string_view alias, std::string_view alias_folded, int64_t position) {
  if (scope_.tables.size() == kJoinTablesMax) {
    fail(sqlstate::kProgramLimit, "a query joins at most " + std::to_string(kJoinTablesMax) + " tables", position);
  }
  auto scan = std::make_shared<Node>();
  scan->kind = NodeKind::kScan;
  scan->alias = std::string(alias.empty() ? std::string_view(table->name) : alias);
  ScopeTable entry;
  entry.name = alias.empty() ? std::string_view(table->name) : alias;
  entry.folded = alias.empty() ? std::string_view(table->folded) : alias_folded;
  entry.columns.reserve(table->columns.size());
  scans_.push_back({scan, next_id_, static_cast<uint32_t>(table->columns.size())});
  for (const ColumnDef& c : table->columns) entry.columns.push_back({c.name, c.folded, new_id(), c.type, false});
  scan->table = std::move(table);
  scope_.add(std::move(entry), position);
  return scan;
}

NodePtr Binder::bind_named_table(const sql::Identifier& name, const sql::Identifier& alias) {
  return bind_table(require_table(name), alias.spelling, alias.folded, (alias ? alias : name).span.begin);
}

NodePtr Binder::bind_function_table(const sql::FunctionTable& ref) {
  if (ref.name.folded != "summary_verify") {
    fail(sqlstate::kUndefinedFunction, "there is no table function " + std::string(ref.name.spelling), ref.span.begin);
  }
  if (ref.arguments.size() != 1) fail(sqlstate::kUndefinedFunction, "summary_verify takes the name of a summary index", ref.span.begin);
  ExprPtr name = bind_expr(*ref.arguments[0]);
  if (!is_constant(*name) || name->type.id != TypeId::kText || name->constant.null) {
    fail(sqlstate::kFeature, "the argument of summary_verify must be a string literal", ref.arguments[0]->span.begin);
  }
  std::string folded = name->constant.text;
  for (char& c : folded) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  auto index = catalog_->find_index(folded, *snapshot_);
  if (!index) fail(sqlstate::kUndefinedObject, "there is no index \"" + name->constant.text + "\"", name->position);
  if (index->kind != IndexKind::kSummary) {
    fail(sqlstate::kInvalidParameter, "\"" + index->name + "\" is not a summary index", name->position);
  }
  auto node = std::make_shared<Node>();
  node->kind = NodeKind::kTableFunction;
  node->function = "summary_verify";
  node->arguments.push_back(std::move(name));
  if (auto table = catalog_->find_table(index->table_id, *snapshot_)) {
    node->table = table;
    plan_.tables.push_back(std::move(table));
  }
  node->access.index = std::move(index);
  ScopeTable entry;
  entry.name = ref.alias ? ref.alias.spelling : ref.name.spelling;
  entry.folded = ref.alias ? ref.alias.folded : ref.name.folded;
  node->alias = std::string(entry.name);
  scans_.push_back({node, next_id_, 2});
  for (const std::string_view column : {"cells_checked", "differences"}) {
    node->output.push_back({new_id(), {}, Type::bigint()});
    entry.columns.push_back({column, column, node->output.back().id, Type::bigint(), false});
  }
  scope_.add(std::move(entry), ref.span.begin);
  return node;
}

void Binder::bind_using(const sql::Join& ref, size_t first, size_t middle, std::vector<ExprPtr>* conjuncts) {
  const auto find = [&](const sql::Identifier& name, size_t from, size_t to) {
    ScopeColumn* found = nullptr;
    for (size_t i = from; i < to; ++i) {
      for (ScopeColumn& c : scope_.tables[i].columns) {
        if (c.folded != name.folded || c.merged) continue;
        if (found != nullptr) {
          fail(sqlstate::kAmbiguousColumn, "the column \"" + std::string(name.spelling) + "\" of USING is in more than one table", name.span.begin);
        }
        found = &c;
      }
    }
    if (found == nullptr) no_column(name);
    return found;
  };
  for (const sql::Identifier& name : ref.using_columns) {
    ScopeColumn* left = find(name, first, middle);
    ScopeColumn* right = find(name, middle, scope_.tables.size());
    conjuncts->push_back(bind_comparison(Function::kEqual, make_column(left->id, left->type, name.span.begin),
                                         make_column(right->id, right->type, name.span.begin), name.span.begin, coercion_));
    right->merged = true;
  }
}

NodePtr Binder::bind_join(const sql::Join& ref) {
  auto join = std::make_shared<Node>();
  join->kind = NodeKind::kJoin;
  join->join = ref.type == sql::JoinType::kLeft ? JoinKind::kLeft : ref.type == sql::JoinType::kInner ? JoinKind::kInner : JoinKind::kCross;
  // Tables outside of this join are not in reach of its ON.
  const size_t first = scope_.tables.size();
  join->inputs.push_back(bind_table_ref(*ref.left));
  const size_t middle = scope_.tables.size();
  join->inputs.push_back(bind_table_ref(*ref.right));
  if (!ref.using_columns.empty()) bind_using(ref, first, middle, &join->conjuncts);
  if (ref.on != nullptr) {
    const auto own = scope_.tables.begin() + static_cast<ptrdiff_t>(first);
    std::vector<ScopeTable> outside(std::make_move_iterator(scope_.tables.begin()), std::make_move_iterator(own));
    scope_.tables.erase(scope_.tables.begin(), own);
    scope_.changed();
    clause_ = "ON";
    split_conjuncts(condition(*ref.on, "ON"), &join->conjuncts);
    scope_.tables.insert(scope_.tables.begin(), std::make_move_iterator(outside.begin()), std::make_move_iterator(outside.end()));
    scope_.changed();
  }
  return join;
}

NodePtr Binder::bind_table_ref(const sql::TableRef& ref) {
  switch (ref.kind) {
    case sql::TableRefKind::kNamed: {
      const auto& named = ref.as<sql::NamedTable>();
      return bind_named_table(named.name, named.alias);
    }
    case sql::TableRefKind::kFunction: return bind_function_table(ref.as<sql::FunctionTable>());
    case sql::TableRefKind::kJoin: return bind_join(ref.as<sql::Join>());
    default: fail(sqlstate::kFeature, "a subquery in FROM is not supported yet", ref.span.begin);
  }
}

NodePtr Binder::bind_from(const List<const sql::TableRef*>& from) {
  NodePtr node;
  for (const sql::TableRef* ref : from) {
    NodePtr next = bind_table_ref(*ref);
    if (!node) {
      node = std::move(next);
      continue;
    }
    auto join = std::make_shared<Node>();
    join->kind = NodeKind::kJoin;
    join->join = JoinKind::kCross;
    join->inputs = {std::move(node), std::move(next)};
    node = std::move(join);
  }
  if (!node) {  // SELECT without FROM: one row without columns
    node = std::make_shared<Node>();
    node->kind = NodeKind::kValues;
    node->rows.emplace_back();
  }
  from_end_ = next_id_;
  return node;
}

}  // namespace hdb
