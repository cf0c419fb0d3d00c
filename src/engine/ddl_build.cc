#include "engine/ddl_build.h"

#include <algorithm>

#include "base/check.h"
#include "plan/binder.h"
#include "plan/type_rules.h"
#include "plane/summary.h"
#include "store/key_index.h"
#include "store/table.h"
#include "txn/undo.h"

namespace hdb {

namespace {

std::string quoted(std::string_view name) { return "\"" + std::string(name) + "\""; }

uint32_t require_column(const TableDef& table, const sql::Identifier& name) {
  for (uint32_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].folded == name.folded) return i;
  }
  fail(sqlstate::kUndefinedColumn, "there is no column " + quoted(name.spelling) + " in table " + quoted(table.name), name.span.begin);
}

std::vector<uint32_t> key_columns(const TableDef& table, const sql::Identifier* names, size_t count) {
  std::vector<uint32_t> columns;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t c = require_column(table, names[i]);
    if (std::find(columns.begin(), columns.end(), c) != columns.end())
      fail(sqlstate::kDuplicateColumn, "column " + quoted(names[i].spelling) + " is named twice", names[i].span.begin);
    if (columns.size() == kKeyColumnsMax)
      fail(sqlstate::kProgramLimit, "a key has at most " + std::to_string(kKeyColumnsMax) + " columns", names[i].span.begin);
    columns.push_back(c);
  }
  return columns;
}

std::shared_ptr<KeyIndex> make_key(const TableDef& table, const std::string& name, const std::vector<uint32_t>& columns, bool primary,
                                   MemoryBudget* budget) {
  const bool integer = columns.size() == 1 && table.columns[columns[0]].type.id == TypeId::kBigint;
  return std::make_shared<KeyIndex>(name, columns, primary, integer, budget);
}

class TableBuilder {
 public:
  TableBuilder(const DdlContext& ctx, const sql::CreateTableStatement& s)
      : ctx_(ctx), s_(s), now_(ctx.transaction.snapshot()), def_(std::make_shared<TableDef>()) {}

  std::shared_ptr<TableDef> build() {
    def_->id = ctx_.catalog.next_id();
    def_->name = std::string(s_.name.spelling);
    def_->folded = std::string(s_.name.folded);
    for (const sql::ColumnDef& c : s_.columns) add_column(c);
    add_keys();
    std::vector<ColumnShape> shape;
    for (const ColumnDef& c : def_->columns) shape.push_back({c.name, c.type, c.not_null});
    def_->table = std::make_shared<Table>(def_->id, def_->name, std::move(shape), ctx_.budget);
    if (ctx_.columns != nullptr) def_->table->keep_in(ctx_.columns);
    for (const auto& index : def_->indexes) def_->table->keys.push_back(index->key);
    for (const sql::ColumnDef& c : s_.columns) {
      if (c.references.table) add_foreign_key(&c.name, 1, c.references);
    }
    for (const sql::TableConstraint& c : s_.constraints) {
      if (c.kind == sql::ConstraintKind::kForeignKey) add_foreign_key(c.columns.items, c.columns.size(), c.references);
    }
    return def_;
  }

 private:
  void add_column(const sql::ColumnDef& c) {
    for (const ColumnDef& other : def_->columns) {
      if (other.folded == c.name.folded)
        fail(sqlstate::kDuplicateColumn, "column " + quoted(c.name.spelling) + " is defined twice", c.name.span.begin);
    }
    ColumnDef column;
    column.name = std::string(c.name.spelling);
    column.folded = std::string(c.name.folded);
    column.type = column_type(c.type);
    column.not_null = c.not_null || c.primary_key;
    if (c.default_value != nullptr) {
      column.has_default = true;
      column.default_value = bind_default(*c.default_value, column.type);
    }
    def_->columns.push_back(std::move(column));
  }

  void add_keys() {
    for (const sql::ColumnDef& c : s_.columns) {
      if (c.primary_key) add_key(true, {}, &c.name, 1, c.span.begin);
      if (c.unique) add_key(false, {}, &c.name, 1, c.span.begin);
    }
    for (const sql::TableConstraint& c : s_.constraints) {
      if (c.kind == sql::ConstraintKind::kForeignKey) continue;
      add_key(c.kind == sql::ConstraintKind::kPrimaryKey, c.name, c.columns.items, c.columns.size(), c.span.begin);
    }
    // The primary key comes first, wherever it was written.
    std::stable_partition(def_->indexes.begin(), def_->indexes.end(), [](const auto& i) { return i->kind == IndexKind::kPrimary; });
  }

  void add_key(bool primary, const sql::Identifier& name, const sql::Identifier* names, size_t count, uint32_t position) {
    auto index = std::make_shared<IndexDef>();
    index->columns = key_columns(*def_, names, count);
    if (primary) {
      for (const auto& other : def_->indexes) {
        if (other->kind == IndexKind::kPrimary)
          fail(sqlstate::kInvalidDefinition, "table " + quoted(def_->name) + " has more than one primary key", position);
      }
      for (const uint32_t c : index->columns) def_->columns[c].not_null = true;
    }
    for (const auto& other : def_->indexes) {
      if (other->columns != index->columns) continue;
      if (!primary && !name) return;  // UNIQUE on top of a key over the same columns adds nothing
    }
    index->id = ctx_.catalog.next_id();
    index->kind = primary ? IndexKind::kPrimary : IndexKind::kUnique;
    index->table_id = def_->id;
    index->from_constraint = true;
    index->name = name ? std::string(name.spelling) : free_name(primary, index->columns);
    index->folded = fold_name(index->name);
    if (name && taken(index->folded))
      fail(sqlstate::kDuplicateTable, "there is an index or table " + quoted(index->name) + " already", name.span.begin);
    index->key = make_key(*def_, index->name, index->columns, primary, ctx_.budget);
    def_->indexes.push_back(std::move(index));
  }

  bool taken(const std::string& folded) const {
    if (folded == def_->folded || ctx_.catalog.find_index(folded, now_) != nullptr || ctx_.catalog.find_table(folded, now_) != nullptr) return true;
    return std::any_of(def_->indexes.begin(), def_->indexes.end(), [&](const auto& i) { return i->folded == folded; });
  }
  std::string free_name(bool primary, const std::vector<uint32_t>& columns) const {
    std::string base = def_->name;
    if (!primary) {
      for (const uint32_t c : columns) base += "_" + def_->columns[c].name;
    }
    base += primary ? "_pkey" : "_key";
    std::string name = base;
    for (int n = 1; taken(fold_name(name)); ++n) name = base + std::to_string(n);
    return name;
  }

  // The parent's key over exactly these columns, in any order (F1).
  const IndexDef* parent_key(const TableDef& parent, const std::vector<uint32_t>& columns) const {
    for (const auto& index : parent.indexes) {
      if (index->key == nullptr || index->columns.size() != columns.size()) continue;
      if (std::is_permutation(index->columns.begin(), index->columns.end(), columns.begin())) return index.get();
    }
    return nullptr;
  }

  void add_foreign_key(const sql::Identifier* names, size_t count, const sql::ForeignKeyRef& references) {
    const std::vector<uint32_t> columns = key_columns(*def_, names, count);
    const bool self = references.table.folded == def_->folded;
    const std::shared_ptr<const TableDef> parent = self ? def_ : ctx_.catalog.find_table(references.table.folded, now_);
    if (parent == nullptr)
      fail(sqlstate::kUndefinedTable, "there is no table " + quoted(references.table.spelling), references.table.span.begin);
    const IndexDef* key = nullptr;
    std::vector<uint32_t> parent_columns;
    if (references.columns.empty()) {
      for (const auto& index : parent->indexes) {
        if (index->kind == IndexKind::kPrimary) key = index.get();
      }
      if (key == nullptr)
        fail(sqlstate::kInvalidDefinition, "table " + quoted(parent->name) + " has no primary key to refer to", references.table.span.begin);
      parent_columns = key->columns;
    } else {
      parent_columns = key_columns(*parent, references.columns.items, references.columns.size());
      key = parent_key(*parent, parent_columns);
      if (key == nullptr)
        fail(sqlstate::kInvalidDefinition, "the columns of table " + quoted(parent->name) + " that are referred to are not its primary key or unique",
             references.table.span.begin);
    }
    if (parent_columns.size() != columns.size())
      fail(sqlstate::kInvalidDefinition, "the foreign key has " + std::to_string(columns.size()) + " columns, the key that it refers to " +
           std::to_string(parent_columns.size()), references.table.span.begin);
    publish_foreign_key(*parent, *key, columns, parent_columns, names[0].span.begin);
  }

  void publish_foreign_key(const TableDef& parent, const IndexDef& key, const std::vector<uint32_t>& columns,
                           const std::vector<uint32_t>& parent_columns, uint32_t position) {
    ForeignKeyDef foreign;
    foreign.parent_table_id = parent.id;
    foreign.parent_name = parent.name;
    foreign.parent_columns = key.columns;
    for (const uint32_t p : key.columns) {
      const auto at = std::find(parent_columns.begin(), parent_columns.end(), p);
      foreign.columns.push_back(columns[static_cast<size_t>(at - parent_columns.begin())]);
      const ColumnDef& child_column = def_->columns[foreign.columns.back()];
      if (!(child_column.type == parent.columns[p].type))
        fail(sqlstate::kTypeMismatch, "column " + quoted(child_column.name) + " is of type " + to_string(child_column.type) + ", the column that it refers to of type " +
             to_string(parent.columns[p].type), position);
    }
    ReferenceCheck check;
    check.name = column_list(*def_, foreign.columns);
    check.columns = foreign.columns;
    check.parent = parent.id == def_->id ? def_->table : parent.table;
    check.parent_columns = foreign.parent_columns;
    check.parent_key = key.key;
    def_->table->references.push_back(std::move(check));
    def_->foreign_keys.push_back(std::move(foreign));
  }

  const DdlContext& ctx_;
  const sql::CreateTableStatement& s_;
  const Snapshot now_;
  std::shared_ptr<TableDef> def_;
};

// Every live row of the latest state, which is the writer's own view, goes into the key.
void fill_key(const Table& table, KeyIndex& key, const CancelToken* cancel) {
  const auto columns = key.columns();
  std::vector<Datum> values(columns.size());
  std::vector<BufferRef> pins(columns.size());
  for (uint64_t i = 0; i < table.block_count(); ++i) {
    if (cancel != nullptr) cancel->check();
    const Block& b = table.block(i);
    if (b.live == 0) continue;
    for (size_t c = 0; c < columns.size(); ++c) pins[c] = table.pin(i, columns[c]);
    for (uint32_t slot = 0; slot < b.rows; ++slot) {
      if (!bit_test(b.visible->words, slot)) continue;
      for (size_t c = 0; c < columns.size(); ++c) values[c] = pins[c]->at(slot);
      uint64_t hash = 0;
      if (!hash_key(table, columns, values.data(), &hash)) continue;
      const uint64_t row = b.first_row() + slot;
      if (find_live(table, key, values.data(), hash, row) != kNoRow) fail_duplicate(table, key, values.data());
      key.insert(values.data(), hash, row);
    }
  }
}

std::vector<sql::Identifier> names_of(const List<const sql::Expr*>& exprs) {
  std::vector<sql::Identifier> names;
  for (const sql::Expr* e : exprs) {
    if (!e->is<sql::ColumnRef>() || e->as<sql::ColumnRef>().table)
      fail(sqlstate::kFeature, "an expression in an index is not supported yet", e->span.begin);
    names.push_back(e->as<sql::ColumnRef>().column);
  }
  return names;
}

}  // namespace

std::shared_ptr<TableDef> build_table(const DdlContext& ctx, const sql::CreateTableStatement& s) { return TableBuilder(ctx, s).build(); }

std::shared_ptr<IndexDef> build_index(const DdlContext& ctx, const TableDef& table, const sql::CreateIndexStatement& s) {
  auto index = std::make_shared<IndexDef>();
  const auto names = names_of(s.columns);
  index->columns = key_columns(table, names.data(), names.size());
  index->id = ctx.catalog.next_id();
  index->name = std::string(s.name.spelling);
  index->folded = std::string(s.name.folded);
  index->table_id = table.id;
  if (!s.summary) {
    index->kind = IndexKind::kUnique;
    index->key = make_key(table, index->name, index->columns, false, ctx.budget);
    fill_key(*table.table, *index->key, ctx.cancel);
    return index;
  }
  index->kind = IndexKind::kSummary;
  const auto measures = names_of(s.measures);
  index->measures = key_columns(table, measures.data(), measures.size());
  index->max_cells = s.has_max_cells ? s.max_cells : kSummaryCellsMax;
  index->summary = std::make_shared<Summary>(index->name, table.table, index->columns, index->measures, index->max_cells, ctx.budget);
  index->summary->build(ctx.transaction.snapshot(), ctx.cancel, ctx.pool, ctx.threads);
  return index;
}

}  // namespace hdb
