#include "exec/modify.h"

#include <algorithm>

#include "base/check.h"
#include "txn/change.h"

namespace hdb {

namespace {

// Texts are brought into the table's dictionary: by code where the source has codes, so that each distinct text is looked up once.
class TextColumn {
 public:
  TextColumn(Table& table, uint32_t column) : table_(table), column_(column) {}
  Datum datum(const Vector& v, uint32_t row) {
    const uint32_t i = v.at(row);
    if (v.codes == nullptr) return table_.intern(column_, v.text[i]);
    if (v.dictionary == table_.dictionary(column_)) return Datum::of(v.dictionary->entry(v.codes[i]));
    if (v.dictionary != dictionary_) {
      dictionary_ = v.dictionary;
      known_.assign(v.dictionary->size(), nullptr);
    }
    const TextEntry*& entry = known_[v.codes[i]];
    if (entry == nullptr || entry->code == TextEntry::kNoCode) entry = table_.intern(column_, v.dictionary->text(v.codes[i])).text();
    return Datum::of(entry);
  }

 private:
  Table& table_;
  uint32_t column_;
  const Dictionary* dictionary_ = nullptr;
  std::vector<const TextEntry*> known_;
};

// `count` values of a vector as data of a table column of the same type.
void fill(const Vector& v, uint32_t count, TextColumn& texts, Datum* out) {
  for (uint32_t i = 0; i < count; ++i) {
    if (v.is_null(i)) {
      out[i] = {};
      continue;
    }
    switch (v.lane) {
      case Lane::kInt64: out[i] = Datum::of(v.i64[v.at(i)]); break;
      case Lane::kDouble: out[i] = Datum::of(v.f64[v.at(i)]); break;
      case Lane::kText: out[i] = texts.datum(v, i); break;
      case Lane::kInt128: CHECK(v.lane != Lane::kInt128);  // T1: no stored column has it
    }
  }
}

// Columns [first_column, ...) of the source rows from `first` on, as arrays of data for the given table columns.
class Batch {
 public:
  Batch(Table& table, const Rows& source, uint32_t first_column, const std::vector<uint32_t>& columns, uint32_t rows_max)
      : source_(source), first_column_(first_column), data_(columns.size()) {
    for (const uint32_t c : columns) texts_.emplace_back(table, c);
    for (auto& d : data_) d.resize(rows_max);
    for (auto& d : data_) pointers_.push_back(d.data());
  }
  void read(uint32_t first, uint32_t count) {
    for (size_t c = 0; c < data_.size(); ++c) fill(source_.view(first_column_ + static_cast<uint32_t>(c), first), count, texts_[c], data_[c].data());
  }
  std::span<const Datum* const> columns() const { return pointers_; }
  const Datum& at(size_t column, uint32_t row) const { return data_[column][row]; }

 private:
  const Rows& source_;
  uint32_t first_column_;
  std::vector<TextColumn> texts_;
  std::vector<std::vector<Datum>> data_;
  std::vector<const Datum*> pointers_;
};

uint64_t insert(const Node& node, const Rows& source, ExecContext& context) {
  Table& table = *node.table->table;
  std::vector<uint32_t> columns(table.column_count());
  for (uint32_t c = 0; c < columns.size(); ++c) columns[c] = c;
  Batch batch(table, source, 0, columns, std::min(source.size(), kBlockRows));
  for (uint32_t first = 0; first < source.size(); first += kBlockRows) {
    context.cancel->check();
    const uint32_t n = std::min(kBlockRows, source.size() - first);
    batch.read(first, n);
    insert_rows(*context.transaction, table, batch.columns(), n);
  }
  return source.size();
}

uint64_t update(const Node& node, const Rows& source, ExecContext& context) {
  Table& table = *node.table->table;
  const auto& columns = node.set_columns;
  Batch batch(table, source, 1, columns, std::min(source.size(), kVectorRows));
  std::vector<Datum> values(columns.size());
  uint64_t changed = 0;
  for (uint32_t first = 0; first < source.size(); first += kVectorRows) {
    context.cancel->check();
    const uint32_t n = std::min(kVectorRows, source.size() - first);
    batch.read(first, n);
    const Vector ids = source.view(0, first);
    for (uint32_t i = 0; i < n; ++i) {
      for (size_t c = 0; c < columns.size(); ++c) values[c] = batch.at(c, i);
      changed += update_row(*context.transaction, table, static_cast<uint64_t>(ids.i64[ids.at(i)]), columns, values.data()) ? 1 : 0;
    }
  }
  return changed;
}

uint64_t remove(const Node& node, const Rows& source, ExecContext& context) {
  Table& table = *node.table->table;
  uint64_t changed = 0;
  for (uint32_t first = 0; first < source.size(); first += kVectorRows) {
    context.cancel->check();
    const uint32_t n = std::min(kVectorRows, source.size() - first);
    const Vector ids = source.view(0, first);
    for (uint32_t i = 0; i < n; ++i) changed += delete_row(*context.transaction, table, static_cast<uint64_t>(ids.i64[ids.at(i)])) ? 1 : 0;
  }
  return changed;
}

}  // namespace

uint64_t modify_rows(const Node& node, const Rows& source, ExecContext& context) {
  CHECK(context.transaction != nullptr && context.transaction->writing());
  context.transaction->keep(node.table->table);
  switch (node.kind) {
    case NodeKind::kInsert: return insert(node, source, context);
    case NodeKind::kUpdate: return update(node, source, context);
    default: return remove(node, source, context);
  }
}

}  // namespace hdb
