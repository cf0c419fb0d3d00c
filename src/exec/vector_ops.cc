#include "exec/vector_ops.h"

#include "base/check.h"

namespace hdb {

namespace {

const uint64_t kOneNull[1] = {~uint64_t{0}};
const int128 kZero[1] = {0};
const int64_t kZero64[1] = {0};
const double kZeroReal[1] = {0};
const std::string_view kEmptyText[1] = {std::string_view("", 0)};

template <class T>
const T* gathered(const T* data, const uint32_t* rows, uint32_t count, Scratch& scratch) {
  T* out = scratch.array<T>(count);
  for (uint32_t i = 0; i < count; ++i) out[i] = data[rows[i]];
  return out;
}

template <class T>
const T* repeated(T value, uint32_t count, Scratch& scratch) {
  T* out = scratch.array<T>(count);
  for (uint32_t i = 0; i < count; ++i) out[i] = value;
  return out;
}

void set_data(Vector& v, const Vector& from, auto&& make) {
  if (from.codes != nullptr) {
    v.codes = make(from.codes);
    return;
  }
  switch (from.lane) {
    case Lane::kInt64: v.i64 = make(from.i64); return;
    case Lane::kInt128: v.i128 = make(from.i128); return;
    case Lane::kDouble: v.f64 = make(from.f64); return;
    case Lane::kText: v.text = make(from.text); return;
  }
}

}  // namespace

Vector null_vector(const Type& type) {
  Vector v;
  v.type = type;
  v.lane = type.lane();
  v.constant = true;
  v.nulls = kOneNull;
  switch (v.lane) {
    case Lane::kInt64: v.i64 = kZero64; break;
    case Lane::kInt128: v.i128 = kZero; break;
    case Lane::kDouble: v.f64 = kZeroReal; break;
    case Lane::kText: v.text = kEmptyText; break;
  }
  return v;
}

Vector constant_vector(const Value& value, const Type& type, Scratch& scratch) {
  if (value.null) return null_vector(type);
  CHECK(value.type.lane() == type.lane());
  Vector v;
  v.type = type;
  v.lane = type.lane();
  v.constant = true;
  switch (v.lane) {
    case Lane::kInt64: v.i64 = repeated(value.int64(), 1, scratch); break;
    case Lane::kInt128: v.i128 = repeated(value.number, 1, scratch); break;
    case Lane::kDouble: v.f64 = repeated(value.real, 1, scratch); break;
    case Lane::kText: v.text = repeated(scratch.copy(value.text), 1, scratch); break;
  }
  return v;
}

Value value_at(const Vector& v, uint32_t row) {
  Value out = Value::make_null(v.type);
  if (v.is_null(row)) return out;
  out.null = false;
  const uint32_t i = v.at(row);
  switch (v.lane) {
    case Lane::kInt64: out.number = v.i64[i]; break;
    case Lane::kInt128: out.number = v.i128[i]; break;
    case Lane::kDouble: out.real = v.f64[i]; break;
    case Lane::kText: out.text = std::string(v.text_at(row)); break;
  }
  return out;
}

bool constant_null(const Vector& v) { return v.constant && v.nulls != nullptr && (v.nulls[0] & 1) != 0; }

const std::string_view* text_views(const Vector& v, uint32_t rows, Scratch& scratch) {
  if (v.codes == nullptr) return v.text;
  const uint32_t count = v.constant ? 1 : rows;
  auto* out = scratch.array<std::string_view>(count);
  for (uint32_t i = 0; i < count; ++i) out[i] = v.dictionary->text(v.codes[i]);
  return out;
}

Vector flatten(const Vector& v, uint32_t rows, Scratch& scratch) {
  if (!v.constant) return v;
  Vector out = v;
  out.constant = false;
  set_data(out, v, [&](const auto* data) { return repeated(data[0], rows, scratch); });
  out.nulls = nullptr;
  if (constant_null(v)) {
    auto* nulls = scratch.array<uint64_t>(bitmap_words(rows));
    bitmap_fill(nulls, rows);
    out.nulls = nulls;
  }
  return out;
}

Vector gather(const Vector& v, const uint32_t* rows, uint32_t count, Scratch& scratch) {
  if (v.constant) return v;
  Vector out = v;
  set_data(out, v, [&](const auto* data) { return gathered(data, rows, count, scratch); });
  if (v.nulls != nullptr) {
    auto* nulls = scratch.zeroed<uint64_t>(bitmap_words(count));
    uint64_t any = 0;
    for (uint32_t i = 0; i < count; ++i) {
      const uint64_t bit = (v.nulls[rows[i] >> 6] >> (rows[i] & 63)) & 1;
      nulls[i >> 6] |= bit << (i & 63);
      any |= bit;
    }
    out.nulls = any != 0 ? nulls : nullptr;
  }
  return out;
}

void gather_chunk(const Chunk& in, const uint32_t* rows, uint32_t count, Scratch& scratch, Chunk* out) {
  out->rows = count;
  out->columns.resize(in.columns.size());
  for (size_t c = 0; c < in.columns.size(); ++c) out->columns[c] = gather(in.columns[c], rows, count, scratch);
}

const uint64_t* merged_nulls(std::span<const Vector> args, uint32_t rows, Scratch& scratch) {
  const uint64_t* first = nullptr;
  uint64_t* own = nullptr;
  const uint32_t words = bitmap_words(rows);
  for (const Vector& v : args) {
    if (v.constant || v.nulls == nullptr) continue;
    if (first == nullptr) {
      first = v.nulls;
      continue;
    }
    if (own == nullptr) {
      own = scratch.array<uint64_t>(words);
      std::memcpy(own, first, words * 8);
      first = own;
    }
    for (uint32_t w = 0; w < words; ++w) own[w] |= v.nulls[w];
  }
  return first;
}

uint32_t select_true(const Vector& v, uint32_t rows, uint32_t* out) {
  if (v.constant) {
    if (v.is_null(0) || v.i64[0] == 0) return 0;
    for (uint32_t i = 0; i < rows; ++i) out[i] = i;
    return rows;
  }
  uint32_t n = 0;
  if (v.nulls == nullptr) {
    for (uint32_t i = 0; i < rows; ++i) {
      out[n] = i;
      n += static_cast<uint32_t>(v.i64[i] != 0);
    }
    return n;
  }
  for (uint32_t i = 0; i < rows; ++i) {
    out[n] = i;
    n += static_cast<uint32_t>(v.i64[i] != 0 && !bit_test(v.nulls, i));
  }
  return n;
}

}  // namespace hdb
