#include "engine/ddl.h"

#include "base/check.h"
#include "engine/ddl_build.h"
#include "plane/summary.h"
#include "store/key_index.h"
#include "store/table.h"
#include "txn/sinks.h"

namespace hdb {

namespace {

std::string quoted(std::string_view name) { return "\"" + std::string(name) + "\""; }

// One journaled change beside the catalog's: what undo does. The catalog's change carries the words for the log.
void push_undo(Transaction& transaction, std::function<void()> undo) {
  auto action = std::make_shared<JournalAction>();
  action->undo = std::move(undo);
  transaction.push_action(std::move(action));
}

template <class T>
void attach(Transaction& transaction, const std::shared_ptr<Table>& table, std::vector<std::shared_ptr<T>> Table::*list, std::shared_ptr<T> item) {
  auto& items = table.get()->*list;
  items.reserve(items.size() + 1);
  push_undo(transaction, [table, list, item] { std::erase(table.get()->*list, item); });
  items.push_back(std::move(item));
}

// D1. The vector keeps its room, so undo does not allocate.
template <class T>
void detach(Transaction& transaction, const std::shared_ptr<Table>& table, std::vector<std::shared_ptr<T>> Table::*list, const std::shared_ptr<T>& item) {
  push_undo(transaction, [table, list, item] { (table.get()->*list).push_back(item); });
  std::erase(table.get()->*list, item);
}

bool same_check(const ChildCheck& a, const ChildCheck& b) {
  return a.child.lock() == b.child.lock() && a.columns == b.columns && a.parent_columns == b.parent_columns;
}
void remove_child(Table& parent, const ChildCheck& check) {
  for (size_t i = 0; i < parent.children.size(); ++i) {
    if (!same_check(parent.children[i], check)) continue;
    parent.children.erase(parent.children.begin() + static_cast<ptrdiff_t>(i));
    return;
  }
}

void attach_child(Transaction& transaction, const std::shared_ptr<Table>& parent, const ChildCheck& check) {
  parent->children.reserve(parent->children.size() + 1);
  push_undo(transaction, [parent, check] { remove_child(*parent, check); });
  parent->children.push_back(check);
}
void detach_child(Transaction& transaction, const std::shared_ptr<Table>& parent, const ChildCheck& check) {
  push_undo(transaction, [parent, check] { parent->children.push_back(check); });
  remove_child(*parent, check);
}

ChildCheck child_check(const TableDef& child, const ForeignKeyDef& key) { return {child.table, key.columns, key.parent_columns}; }

// ---- CREATE TABLE

void create_table(const DdlContext& ctx, const sql::CreateTableStatement& s) {
  const Snapshot now = ctx.transaction.snapshot();
  if (ctx.catalog.find_table(s.name.folded, now) != nullptr) {
    if (s.if_not_exists) return;
    fail(sqlstate::kDuplicateTable, "there is a table " + quoted(s.name.spelling) + " already", s.name.span.begin);
  }
  if (ctx.catalog.find_index(s.name.folded, now) != nullptr)
    fail(sqlstate::kDuplicateTable, "there is an index " + quoted(s.name.spelling) + " already", s.name.span.begin);
  const uint64_t first_id = ctx.catalog.peek_id();
  std::shared_ptr<TableDef> def = build_table(ctx, s);
  const std::shared_ptr<Table> table = def->table;
  for (const ForeignKeyDef& key : def->foreign_keys) {
    const std::shared_ptr<const TableDef> parent = key.parent_table_id == def->id ? def : ctx.catalog.find_table(key.parent_table_id, now);
    CHECK(parent != nullptr);
    attach_child(ctx.transaction, parent->table, child_check(*def, key));
  }
  ctx.transaction.keep(table);
  ctx.catalog.change(ctx.transaction, nullptr, std::move(def), std::string(ctx.text), first_id);
}

// ---- DROP TABLE

void drop_table(const DdlContext& ctx, const sql::DropTableStatement& s) {
  const Snapshot now = ctx.transaction.snapshot();
  const std::shared_ptr<const TableDef> def = ctx.catalog.find_table(s.name.folded, now);
  if (def == nullptr) {
    if (s.if_exists) return;
    fail(sqlstate::kUndefinedTable, "there is no table " + quoted(s.name.spelling), s.name.span.begin);
  }
  for (const auto& child : ctx.catalog.children(def->id, now)) {
    if (child->id == def->id) continue;
    fail(sqlstate::kDependentObjects, "table " + quoted(def->name) + " cannot be dropped: table " + quoted(child->name) + " refers to it",
         s.name.span.begin);
  }
  const uint64_t first_id = ctx.catalog.peek_id();
  ctx.transaction.keep(def->table);
  for (const ForeignKeyDef& key : def->foreign_keys) {
    const auto parent = ctx.catalog.find_table(key.parent_table_id, now);
    if (parent != nullptr) detach_child(ctx.transaction, parent->table, child_check(*def, key));
  }
  for (const auto& index : def->indexes) {
    if (index->summary != nullptr) detach(ctx.transaction, def->table, &Table::sinks, std::static_pointer_cast<RowSink>(index->summary));
  }
  ctx.catalog.change(ctx.transaction, def, nullptr, std::string(ctx.text), first_id);
}

// ---- indexes

std::shared_ptr<TableDef> with_indexes(const TableDef& old, std::vector<std::shared_ptr<const IndexDef>> indexes) {
  auto fresh = std::make_shared<TableDef>(old);
  fresh->indexes = std::move(indexes);
  return fresh;
}

void create_index(const DdlContext& ctx, const sql::CreateIndexStatement& s) {
  const Snapshot now = ctx.transaction.snapshot();
  if (ctx.catalog.find_index(s.name.folded, now) != nullptr) {
    if (s.if_not_exists) return;
    fail(sqlstate::kDuplicateTable, "there is an index " + quoted(s.name.spelling) + " already", s.name.span.begin);
  }
  if (ctx.catalog.find_table(s.name.folded, now) != nullptr)
    fail(sqlstate::kDuplicateTable, "there is a table " + quoted(s.name.spelling) + " already", s.name.span.begin);
  const std::shared_ptr<const TableDef> def = ctx.catalog.find_table(s.table.folded, now);
  if (def == nullptr) fail(sqlstate::kUndefinedTable, "there is no table " + quoted(s.table.spelling), s.table.span.begin);
  if (!s.unique && !s.summary)
    fail(sqlstate::kFeature, "ordered indexes are not supported yet: CREATE UNIQUE INDEX and USING SUMMARY are", s.span.begin);
  const uint64_t first_id = ctx.catalog.peek_id();
  std::shared_ptr<IndexDef> index = build_index(ctx, *def, s);
  ctx.transaction.keep(def->table);
  if (index->key != nullptr) {
    attach(ctx.transaction, def->table, &Table::keys, index->key);
  } else {
    // Its pending delta holds what this transaction has changed before, so the commit must come by even if no further row changes.
    ctx.transaction.touch(*def->table);
    attach(ctx.transaction, def->table, &Table::sinks, std::static_pointer_cast<RowSink>(index->summary));
  }
  auto indexes = def->indexes;
  indexes.push_back(std::move(index));
  ctx.catalog.change(ctx.transaction, def, with_indexes(*def, std::move(indexes)), std::string(ctx.text), first_id);
}

void drop_index(const DdlContext& ctx, const sql::DropIndexStatement& s) {
  const Snapshot now = ctx.transaction.snapshot();
  const std::shared_ptr<const IndexDef> index = ctx.catalog.find_index(s.name.folded, now);
  if (index == nullptr) {
    if (s.if_exists) return;
    fail(sqlstate::kUndefinedObject, "there is no index " + quoted(s.name.spelling), s.name.span.begin);
  }
  const std::shared_ptr<const TableDef> def = ctx.catalog.find_table(index->table_id, now);
  CHECK(def != nullptr);
  if (index->from_constraint)
    fail(sqlstate::kDependentObjects, "index " + quoted(index->name) + " belongs to a constraint of table " + quoted(def->name), s.name.span.begin);
  if (index->key != nullptr) {
    for (const auto& child : ctx.catalog.children(def->id, now)) {
      for (const ReferenceCheck& reference : child->table->references) {
        if (reference.parent_key != index->key) continue;
        fail(sqlstate::kDependentObjects, "index " + quoted(index->name) + " cannot be dropped: table " + quoted(child->name) +
             " refers to its columns", s.name.span.begin);
      }
    }
  }
  const uint64_t first_id = ctx.catalog.peek_id();
  ctx.transaction.keep(def->table);
  if (index->key != nullptr) detach(ctx.transaction, def->table, &Table::keys, index->key);
  if (index->summary != nullptr) detach(ctx.transaction, def->table, &Table::sinks, std::static_pointer_cast<RowSink>(index->summary));
  auto indexes = def->indexes;
  std::erase(indexes, index);
  ctx.catalog.change(ctx.transaction, def, with_indexes(*def, std::move(indexes)), std::string(ctx.text), first_id);
}

}  // namespace

bool is_ddl(sql::StatementKind kind) {
  return kind == sql::StatementKind::kCreateTable || kind == sql::StatementKind::kDropTable || kind == sql::StatementKind::kCreateIndex ||
         kind == sql::StatementKind::kDropIndex;
}

void run_ddl(const DdlContext& ctx, const sql::Statement& s) {
  switch (s.kind) {
    case sql::StatementKind::kCreateTable: return create_table(ctx, s.as<sql::CreateTableStatement>());
    case sql::StatementKind::kDropTable: return drop_table(ctx, s.as<sql::DropTableStatement>());
    case sql::StatementKind::kCreateIndex: return create_index(ctx, s.as<sql::CreateIndexStatement>());
    case sql::StatementKind::kDropIndex: return drop_index(ctx, s.as<sql::DropIndexStatement>());
    default: CHECK(!"not a definition");
  }
}

}  // namespace hdb
