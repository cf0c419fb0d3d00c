#include "engine/checkpoint_format.h"

#include "base/bitmap.h"
#include "base/limits.h"

namespace hdb {

namespace {

void put_type(ByteWriter& out, const Type& t) {
  out.put(static_cast<uint8_t>(t.id));
  out.put(t.precision);
  out.put(t.scale);
  out.put(t.length);
}
Type read_type(ByteReader& in) {
  Type t;
  const auto id = in.take<uint8_t>();
  if (id < static_cast<uint8_t>(TypeId::kBoolean) || id > static_cast<uint8_t>(TypeId::kTimestamp)) fail_object("it names an unknown type");
  t.id = static_cast<TypeId>(id);
  t.precision = in.take<uint8_t>();
  t.scale = in.take<uint8_t>();
  t.length = in.take<uint32_t>();
  if (t.lane() == Lane::kInt128 || t.scale > t.precision) fail_object("it names a type that no column has");
  return t;
}
std::vector<uint32_t> read_ordinals(ByteReader& in, size_t columns) {
  auto ordinals = in.take_all<uint32_t>();
  for (const uint32_t c : ordinals) {
    if (c >= columns) fail_object("it names a column that its table does not have");
  }
  return ordinals;
}

// low part, and the high part where a sum does not fit 64 bits
void put_sums(ByteWriter& out, const std::vector<int128>& sums) {
  bool wide = false;
  for (const int128& s : sums) wide |= !Sum128::of(s).fits_int64();
  out.put<uint8_t>(wide ? 1 : 0);
  for (const int128& s : sums) out.put(Sum128::of(s).lo);
  if (!wide) return;
  for (const int128& s : sums) out.put(Sum128::of(s).hi);
}

enum class DimensionForm : uint8_t { kNumbers = 1, kCodes = 2, kTexts = 3 };

}  // namespace

void put_definition(ByteWriter& out, const TableDef& def) {
  out.put(def.id);
  out.put_text(def.name);
  out.put(static_cast<uint32_t>(def.columns.size()));
  for (const ColumnDef& c : def.columns) {
    out.put_text(c.name);
    put_type(out, c.type);
    out.put<uint8_t>(static_cast<uint8_t>((c.not_null ? 1 : 0) | (c.has_default ? 2 : 0) | (c.has_default && c.default_value.null ? 4 : 0)));
    if (!c.has_default) continue;
    put_type(out, c.default_value.type.id == TypeId::kNull ? c.type : c.default_value.type);
    out.put(Sum128::of(c.default_value.number).lo);
    out.put(Sum128::of(c.default_value.number).hi);
    out.put(c.default_value.real);
    out.put_text(c.default_value.text);
  }
  out.put(static_cast<uint32_t>(def.foreign_keys.size()));
  for (const ForeignKeyDef& f : def.foreign_keys) {
    out.put_all(f.columns);
    out.put(f.parent_table_id);
    out.put_text(f.parent_name);
    out.put_all(f.parent_columns);
  }
  out.put(static_cast<uint32_t>(def.indexes.size()));
  for (const auto& i : def.indexes) {
    out.put(i->id);
    out.put_text(i->name);
    out.put(static_cast<uint8_t>(i->kind));
    out.put<uint8_t>(i->from_constraint ? 1 : 0);
    out.put_all(i->columns);
    out.put_all(i->measures);
    out.put(i->max_cells);
  }
}

namespace {

ColumnDef read_column_definition(ByteReader& in) {
  ColumnDef c;
  c.name = std::string(in.take_text());
  c.type = read_type(in);
  const auto flags = in.take<uint8_t>();
  c.not_null = (flags & 1) != 0;
  c.has_default = (flags & 2) != 0;
  if (!c.has_default) return c;
  c.default_value.null = (flags & 4) != 0;
  c.default_value.type = read_type(in);
  Sum128 number;
  number.lo = in.take<uint64_t>();
  number.hi = in.take<uint64_t>();
  c.default_value.number = number.value();
  c.default_value.real = in.take<double>();
  c.default_value.text = std::string(in.take_text());
  return c;
}

std::shared_ptr<IndexDef> read_index_definition(ByteReader& in, const TableDef& def) {
  auto index = std::make_shared<IndexDef>();
  index->id = in.take<uint64_t>();
  index->name = std::string(in.take_text());
  const auto kind = in.take<uint8_t>();
  if (kind > static_cast<uint8_t>(IndexKind::kSummary)) fail_object("it has an index of an unknown kind");
  index->kind = static_cast<IndexKind>(kind);
  index->from_constraint = in.take<uint8_t>() != 0;
  index->table_id = def.id;
  index->columns = read_ordinals(in, def.columns.size());
  index->measures = read_ordinals(in, def.columns.size());
  index->max_cells = in.take<uint64_t>();
  return index;
}

}  // namespace

std::shared_ptr<TableDef> read_definition(ByteReader& in) {
  auto def = std::make_shared<TableDef>();
  def->id = in.take<uint64_t>();
  def->name = std::string(in.take_text());
  const uint32_t columns = in.take_count(12);
  if (columns == 0 || columns > kColumnsMax) fail_object("it has a table of " + std::to_string(columns) + " columns");
  for (uint32_t c = 0; c < columns; ++c) def->columns.push_back(read_column_definition(in));
  const uint32_t foreign = in.take_count(20);
  for (uint32_t f = 0; f < foreign; ++f) {
    ForeignKeyDef key;
    key.columns = read_ordinals(in, columns);
    key.parent_table_id = in.take<uint64_t>();
    key.parent_name = std::string(in.take_text());
    key.parent_columns = in.take_all<uint32_t>();
    def->foreign_keys.push_back(std::move(key));
  }
  const uint32_t indexes = in.take_count(30);
  for (uint32_t i = 0; i < indexes; ++i) def->indexes.push_back(read_index_definition(in, *def));
  return def;
}

std::string encode_cells(const CellBatch& cells) {
  ByteWriter out;
  out.put(cells.rows);
  for (const CellDimension& d : cells.dimensions) {
    const bool text = d.type.lane() == Lane::kText;
    out.put(!text ? DimensionForm::kNumbers : d.dictionary != nullptr ? DimensionForm::kCodes : DimensionForm::kTexts);
    out.put<uint8_t>(d.any_null ? 1 : 0);
    if (d.any_null) out.put_bytes(d.nulls.data(), size_t{bitmap_words(cells.rows)} * 8);
    if (!text) out.put_bytes(d.values.data(), size_t{cells.rows} * 8);
    else if (d.dictionary != nullptr) out.put_bytes(d.codes.data(), size_t{cells.rows} * 4);
    else for (const std::string_view t : d.texts) out.put_text(t);
  }
  out.put_bytes(cells.weight.data(), size_t{cells.rows} * 8);
  for (const CellMeasure& m : cells.measures) {
    put_sums(out, m.sum);
    out.put_bytes(m.count.data(), size_t{cells.rows} * 8);
  }
  return out.take();
}

namespace {

template <class T>
void read_array(ByteReader& in, uint32_t rows, std::vector<T>* out) {
  out->resize(rows);
  if (rows > 0) std::memcpy(out->data(), in.take_bytes(uint64_t{rows} * sizeof(T)).data(), rows * sizeof(T));
}

void read_dimension(ByteReader& in, uint32_t rows, const Table& table, uint32_t column, CellDimension* d) {
  d->type = table.type(column);
  const bool text = d->type.lane() == Lane::kText;
  const auto form = in.take<DimensionForm>();
  if (form < DimensionForm::kNumbers || form > DimensionForm::kTexts || text != (form != DimensionForm::kNumbers))
    fail_object("it has cells of another type");
  d->any_null = in.take<uint8_t>() != 0;
  if (d->any_null) read_array(in, bitmap_words(rows), &d->nulls);
  if (form == DimensionForm::kNumbers) return read_array(in, rows, &d->values);
  if (form == DimensionForm::kTexts) {
    for (uint32_t i = 0; i < rows; ++i) d->texts.push_back(in.take_text());
    return;
  }
  d->dictionary = table.dictionary(column);
  read_array(in, rows, &d->codes);
  for (uint32_t i = 0; i < rows; ++i) {
    const bool null = d->any_null && bit_test(d->nulls.data(), i);
    if (!null && d->codes[i] >= d->dictionary->size()) fail_object("it has a cell of a text that is not there");
  }
}

}  // namespace

CellBatch decode_cells(std::string_view bytes, const Table& table, const std::vector<uint32_t>& dimensions, size_t measures) {
  ByteReader in(bytes);
  CellBatch cells;
  cells.rows = in.take<uint32_t>();
  if (cells.rows > kVectorRows) fail_object("it has too many cells");
  cells.dimensions.resize(dimensions.size());
  cells.measures.resize(measures);
  for (size_t d = 0; d < dimensions.size(); ++d) read_dimension(in, cells.rows, table, dimensions[d], &cells.dimensions[d]);
  read_array(in, cells.rows, &cells.weight);
  for (CellMeasure& m : cells.measures) {
    const bool wide = in.take<uint8_t>() != 0;
    std::vector<uint64_t> low, high;
    read_array(in, cells.rows, &low);
    if (wide) read_array(in, cells.rows, &high);
    for (uint32_t i = 0; i < cells.rows; ++i) {
      Sum128 sum;
      sum.lo = low[i];
      sum.hi = wide ? high[i] : sign_fill(low[i]);
      m.sum.push_back(sum.value());
    }
    read_array(in, cells.rows, &m.count);
  }
  in.end();
  return cells;
}

}  // namespace hdb
