#include "exec/point.h"

#include <cstring>
#include <new>

#include "base/epoch.h"
#include "plan/make.h"
#include "store/key_index.h"
#include "txn/block_view.h"
#include "txn/change.h"
#include "txn/transaction.h"
#include "txn/undo.h"

namespace hdb {

namespace {

constexpr size_t kColumnsHere = 64, kCellsHere = 128, kKeyTextBytes = 240;

const Value* given_value(const Expr& e, const ExecContext& context) {
  if (e.kind == ExprKind::kConstant) return &e.constant;
  if (e.kind != ExprKind::kParameter || e.parameter >= context.parameters.size()) return nullptr;
  return &context.parameters[e.parameter];
}

// The values of expressions that are a constant, a parameter, or a cast of one.
class PlainValues {
 public:
  explicit PlainValues(const ExecContext& context) : context_(context) {}

  // Null if the expression is anything else, or would raise: that is for the pipeline, which knows where.
  const Value* get(const Expr& e, const Type& type) {
    if (e.kind == ExprKind::kParameter && e.type == type && e.parameter < context_.parameters.size()) {
      const Value* v = &context_.parameters[e.parameter];
      return v->null || v->type == type ? v : nullptr;
    }
    return constant_or_cast(e, type);
  }

 private:
  const Value* constant_or_cast(const Expr& e, const Type& type) {
    if (!(e.type == type)) return nullptr;
    if (const Value* v = given_value(e, context_)) return v->null || v->type == type ? v : nullptr;
    if (e.kind != ExprKind::kCast) return nullptr;
    const Value* v = given_value(*e.args[0], context_);
    if (v == nullptr || (!v->null && !(v->type == e.args[0]->type))) return nullptr;
    if (casts_.empty()) casts_.reserve(kCellsHere);  // so that pointers stay
    if (casts_.size() == kCellsHere) return nullptr;
    try {
      casts_.push_back(cast_value(*v, e.type));
    } catch (const Error&) {
      return nullptr;
    }
    return &casts_.back();
  }

  const ExecContext& context_;
  std::vector<Value> casts_;
};

// What a scan by key finds.
struct Found {
  bool there = false;
  uint64_t row_id = 0;
  DatumArray<kColumnsHere> row;  // for who reads; who writes needs the id only
};

bool is_point_scan(const Node& n) {
  return n.kind == NodeKind::kScan && n.access.kind == AccessKind::kIndexLookup && n.filters.empty() &&
         n.columns.size() + n.access.key.size() <= kColumnsHere && n.access.key.size() <= kKeyColumnsMax;
}

// False: a key's value is not plain.
bool find(const Node& scan, const ExecContext& context, Found* found) {
  const Table& table = *scan.table->table;
  const KeyIndex& index = *scan.access.index->key;
  const auto key_columns = index.columns();
  PlainValues given(context);
  DatumArray<kKeyColumnsMax> key;
  alignas(TextEntry) char text[sizeof(TextEntry) + kKeyTextBytes];  // a text key's entry: hashing and comparing go by content
  for (size_t i = 0; i < key_columns.size(); ++i) {
    const Type& type = table.type(key_columns[i]);
    const Value* v = given.get(*scan.access.key[i], type);
    if (v == nullptr) return false;
    if (v->null) return true;  // NULL equals nothing
    if (type.lane() == Lane::kDouble) {
      key[i] = Datum::of(v->real);
    } else if (type.lane() != Lane::kText) {
      key[i] = Datum::of(v->int64());
    } else {
      if (v->text.size() > kKeyTextBytes || key_columns.size() > 1) return false;
      auto* entry = new (text) TextEntry{TextEntry::kNoCode, static_cast<uint32_t>(v->text.size()), {0}};
      std::memcpy(text + offsetof(TextEntry, data), v->text.data(), v->text.size());
      key[i] = Datum::of(entry);
    }
  }
  uint32_t columns[kColumnsHere];
  size_t n = 0;
  for (const ScanColumn& c : scan.columns) columns[n++] = c.ordinal;
  for (const uint32_t c : key_columns) columns[n++] = c;
  uint64_t hash = 0;
  if (!hash_key(table, key_columns, key, &hash)) return true;
  if (context.transaction != nullptr && context.transaction->writing()) {
    // Who holds the turn sees the latest state, and is alone in changing it; it asks for no values.
    found->row_id = find_live(table, index, key, hash, kNoRow);
    found->there = found->row_id != kNoRow;
    return true;
  }
  const EpochManager::Guard guard(*context.epochs);
  found->there = index.find(key, hash, [&](uint64_t candidate) {
    found->row_id = candidate;
    return read_row(table, candidate, std::span<const uint32_t>(columns, n), context.snapshot, found->row) &&
           keys_equal(table, key_columns, key, found->row + scan.columns.size());
  });
  return true;
}

// The result's columns in one piece: a 64-bit word or a view each, texts behind them.
MaterializedResult one_row(const Datum* const* values, const std::vector<OutputColumn>& columns) {
  size_t bytes = 16;
  for (size_t c = 0; c < columns.size(); ++c) bytes += 16 + (columns[c].type.lane() == Lane::kText && !values[c]->null ? values[c]->text()->bytes : 0);
  std::unique_ptr<char[]> memory(new char[bytes]);
  auto* all_null = reinterpret_cast<uint64_t*>(memory.get());
  *all_null = 1;
  char* cell = memory.get() + 16;
  char* text = cell + 16 * columns.size();
  std::vector<Vector> vectors(columns.size());
  for (size_t c = 0; c < columns.size(); ++c, cell += 16) {
    Vector& v = vectors[c];
    const Datum& d = *values[c];
    v.type = columns[c].type;
    v.lane = v.type.lane();
    if (d.null) v.nulls = all_null;
    if (v.lane == Lane::kText) {
      const std::string_view from = d.null ? std::string_view() : d.text()->view();
      std::memcpy(text, from.data() != nullptr ? from.data() : "", from.size());
      v.text = new (cell) std::string_view(text, from.size());
      text += from.size();
    } else {
      std::memcpy(cell, &d.raw, 8);
      if (v.lane == Lane::kDouble) v.f64 = reinterpret_cast<const double*>(cell);
      else v.i64 = reinterpret_cast<const int64_t*>(cell);
    }
  }
  return MaterializedResult(std::move(memory), std::move(vectors));
}

bool select_row(const Plan& plan, const ExecContext& context, ExecResult* result) {
  if (plan.point_columns.empty() || plan.point_columns.size() > kColumnsHere) return false;
  const Node& scan = plan.root->kind == NodeKind::kProject ? *plan.root->inputs[0] : *plan.root;
  if (!is_point_scan(scan)) return false;
  Found found;
  if (!find(scan, context, &found)) return false;
  if (!found.there) {
    // No row: columns without values.
    std::vector<Type> types;
    for (const OutputColumn& c : plan.result) types.push_back(c.type);
    result->rows = MaterializedResult(std::make_shared<Rows>(std::move(types), context.budget, Rows::Texts::kOwn));
    return true;
  }
  const Datum* values[kColumnsHere];
  for (size_t r = 0; r < plan.result.size(); ++r) values[r] = found.row + plan.point_columns[r];
  result->rows = one_row(values, plan.result);
  return true;
}

// UPDATE and DELETE: the scan below the projection that puts out the row id and the new values.
bool change_row(const Node& root, ExecContext& context, ExecResult* result) {
  const Node& project = *root.inputs[0];
  const Node& scan = project.kind == NodeKind::kProject ? *project.inputs[0] : project;
  if (!is_point_scan(scan) || root.set_columns.size() > kColumnsHere) return false;
  Table& table = *root.table->table;
  const Value* fresh[kColumnsHere];
  PlainValues given(context);
  if (root.kind == NodeKind::kUpdate) {
    if (project.kind != NodeKind::kProject || project.exprs.size() != root.set_columns.size() + 1) return false;
    for (size_t i = 0; i < root.set_columns.size(); ++i) {
      fresh[i] = given.get(*project.exprs[i + 1].expr, table.type(root.set_columns[i]));
      if (fresh[i] == nullptr) return false;
    }
  }
  Found found;
  if (!find(scan, context, &found)) return false;
  if (!found.there) return true;
  if (root.kind == NodeKind::kDelete) {
    result->changed = delete_row(*context.transaction, table, found.row_id) ? 1 : 0;
    return true;
  }
  DatumArray<kColumnsHere> values;
  for (size_t i = 0; i < root.set_columns.size(); ++i) values[i] = to_datum(table, root.set_columns[i], *fresh[i]);
  result->changed = update_row(*context.transaction, table, found.row_id, root.set_columns, values) ? 1 : 0;
  return true;
}

// A row whose values are all parameters: no expression is looked at.
bool insert_parameters(const Plan& plan, ExecContext& context, ExecResult* result) {
  const std::vector<uint32_t>& from = plan.insert_parameters;
  if (from.empty() || from.size() > kColumnsHere) return false;
  Table& table = *plan.root->table->table;
  for (uint32_t c = 0; c < from.size(); ++c) {
    if (from[c] >= context.parameters.size()) return false;
    const Value& v = context.parameters[from[c]];
    if (!v.null && !(v.type == table.type(c))) return false;
  }
  DatumArray<kColumnsHere> row;
  for (uint32_t c = 0; c < from.size(); ++c) row[c] = to_datum(table, c, context.parameters[from[c]]);
  insert_row(*context.transaction, table, row);
  result->changed = 1;
  return true;
}

bool insert_few(const Node& root, ExecContext& context, ExecResult* result) {
  const Node& values = *root.inputs[0];
  Table& table = *root.table->table;
  const uint32_t width = table.column_count();
  if (values.kind != NodeKind::kValues || width > kColumnsHere || values.rows.size() * width > kCellsHere) return false;
  const auto rows = static_cast<uint32_t>(values.rows.size());
  PlainValues given(context);
  const Value* cells[kCellsHere];
  for (uint32_t r = 0; r < rows; ++r) {
    for (uint32_t c = 0; c < width; ++c) {
      cells[r * width + c] = given.get(*values.rows[r][c], table.type(c));
      if (cells[r * width + c] == nullptr) return false;
    }
  }
  DatumArray<kCellsHere> data;
  if (rows == 1) {
    for (uint32_t c = 0; c < width; ++c) data[c] = to_datum(table, c, *cells[c]);
    insert_row(*context.transaction, table, data);
    result->changed = 1;
    return true;
  }
  const Datum* columns[kColumnsHere];
  for (uint32_t c = 0; c < width; ++c) {
    columns[c] = data + size_t{c} * rows;
    for (uint32_t r = 0; r < rows; ++r) data[c * rows + r] = to_datum(table, c, *cells[r * width + c]);
  }
  insert_rows(*context.transaction, table, std::span<const Datum* const>(columns, width), rows);
  result->changed = rows;
  return true;
}

}  // namespace

bool point_statement(const Plan& plan, ExecContext& context, ExecResult* result) {
  switch (plan.root->kind) {
    case NodeKind::kScan:
    case NodeKind::kProject: return select_row(plan, context, result);
    case NodeKind::kInsert: return insert_parameters(plan, context, result) || insert_few(*plan.root, context, result);
    case NodeKind::kUpdate:
    case NodeKind::kDelete: return change_row(*plan.root, context, result);
    default: return false;
  }
}

}  // namespace hdb
