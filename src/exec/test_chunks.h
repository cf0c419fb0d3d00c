// exec/test_chunks.h: expressions and chunks for the tests of exec/, written short.
//
// Callers:    *_test.cc only.
// Held by:    the tests that use it
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <vector>

#include "exec/evaluate.h"

namespace hdb::testing {

inline ExprPtr make(ExprKind kind, Type type, std::vector<ExprPtr> args, Function f = Function::kAdd, int64_t position = -1) {
  auto e = std::make_shared<Expr>();
  e->kind = kind;
  e->type = type;
  e->args = std::move(args);
  e->function = f;
  e->position = position;
  return e;
}
inline ExprPtr lit(Value v) {
  auto e = std::make_shared<Expr>();
  e->type = v.type;
  e->constant = std::move(v);
  return e;
}
template <std::integral I>
inline ExprPtr lit(I v) { return lit(Value::bigint(v)); }
inline ExprPtr lit(const char* v) { return lit(Value::make_text(v)); }
inline ExprPtr col(ColumnId id, Type type) {
  auto e = std::make_shared<Expr>();
  e->kind = ExprKind::kColumn;
  e->type = type;
  e->column = id;
  return e;
}
inline ExprPtr call(Function f, Type type, std::vector<ExprPtr> args, int64_t position = 7) {
  return make(ExprKind::kCall, type, std::move(args), f, position);
}
inline ExprPtr cast(ExprPtr e, Type type, int64_t position = 9) {
  return make(ExprKind::kCast, type, {std::move(e)}, Function::kAdd, position);
}

using Ints = std::vector<std::optional<int64_t>>;
using Texts = std::vector<std::optional<std::string>>;
using Reals = std::vector<std::optional<double>>;

// Owns the data of a chunk; columns get the ids 0, 1, ...
class TestChunk {
 public:
  ColumnMap map;
  Chunk chunk;
  Scratch scratch;

  ExprPtr ints(const Ints& values, Type type = Type::bigint()) {
    auto* data = scratch.array<int64_t>(values.size());
    for (size_t i = 0; i < values.size(); ++i) data[i] = values[i].value_or(0);
    return add(make_vector(type, static_cast<const int64_t*>(data), nulls(values)), values.size());
  }
  ExprPtr wide(const Ints& values, Type type) {
    auto* data = scratch.array<int128>(values.size());
    for (size_t i = 0; i < values.size(); ++i) data[i] = values[i].value_or(0);
    return add(make_vector(type, static_cast<const int128*>(data), nulls(values)), values.size());
  }
  ExprPtr reals(const Reals& values) {
    auto* data = scratch.array<double>(values.size());
    for (size_t i = 0; i < values.size(); ++i) data[i] = values[i].value_or(0);
    return add(make_vector(Type::real(), static_cast<const double*>(data), nulls(values)), values.size());
  }
  ExprPtr texts(const Texts& values) {
    auto* data = scratch.array<std::string_view>(values.size());
    for (size_t i = 0; i < values.size(); ++i) data[i] = scratch.copy(values[i].value_or(""));
    return add(make_vector(Type::text(), static_cast<const std::string_view*>(data), nulls(values)), values.size());
  }
  ExprPtr coded(const Texts& values, Dictionary& dictionary) {
    auto* codes = scratch.zeroed<uint32_t>(values.size());
    dictionary.intern("");
    for (size_t i = 0; i < values.size(); ++i) codes[i] = dictionary.intern(values[i].value_or(""))->code;
    Vector v;
    v.type = Type::text();
    v.lane = Lane::kText;
    v.codes = codes;
    v.dictionary = &dictionary;
    v.nulls = nulls(values);
    return add(v, values.size());
  }

 private:
  template <class T>
  const uint64_t* nulls(const std::vector<std::optional<T>>& values) {
    auto* words = scratch.zeroed<uint64_t>(bitmap_words(static_cast<uint32_t>(values.size())));
    bool any = false;
    for (uint32_t i = 0; i < values.size(); ++i) {
      if (values[i]) continue;
      bit_set(words, i);
      any = true;
    }
    return any ? words : nullptr;
  }
  ExprPtr add(const Vector& v, size_t rows) {
    chunk.columns.push_back(v);
    chunk.rows = static_cast<uint32_t>(rows);
    const ColumnId id = map.size();
    map.add(id, v.type);
    return col(id, v.type);
  }
};

// "NULL" or the text of each value.
inline std::vector<std::string> shown(const Vector& v, uint32_t rows) {
  std::vector<std::string> out;
  for (uint32_t i = 0; i < rows; ++i) out.push_back(v.is_null(i) ? "NULL" : to_text(value_at(v, i)));
  return out;
}

}  // namespace hdb::testing
