// exec/vector_ops.h: making, flattening, gathering and masking vectors.
//
// What:       the small operations that every kernel needs. Results live in the scratch memory (or are shared with the argument).
// Invariants: O1 a result keeps W1-W3 of store/vector.h; a NULL row's data is readable.
// Callers:    exec/. Pure apart from the scratch memory.
// Held by:    src/exec/evaluate_test.cc
#pragma once

#include <span>

#include "base/bitmap.h"
#include "exec/scratch.h"
#include "store/value.h"
#include "store/vector.h"

namespace hdb {

Vector null_vector(const Type& type);  // constant NULL; lives for ever
Vector constant_vector(const Value& value, const Type& type, Scratch& scratch);  // value.type's lane must be type's
Value value_at(const Vector& v, uint32_t row);
bool constant_null(const Vector& v);

// Text as an array of `rows` views (one if constant), whatever the form.
const std::string_view* text_views(const Vector& v, uint32_t rows, Scratch& scratch);
// Not constant any more: index i stands for row i.
Vector flatten(const Vector& v, uint32_t rows, Scratch& scratch);
// The rows with the given numbers.
Vector gather(const Vector& v, const uint32_t* rows, uint32_t count, Scratch& scratch);
void gather_chunk(const Chunk& in, const uint32_t* rows, uint32_t count, Scratch& scratch, Chunk* out);
// NULL where any argument is NULL (arguments that are constant and not NULL do not matter). Null pointer: none.
const uint64_t* merged_nulls(std::span<const Vector> args, uint32_t rows, Scratch& scratch);

template <class T> struct LaneOf;
template <> struct LaneOf<int64_t> {
  static constexpr Lane lane = Lane::kInt64;
  static const int64_t* of(const Vector& v) { return v.i64; }
  static void set(Vector& v, const int64_t* p) { v.i64 = p; }
};
template <> struct LaneOf<int128> {
  static constexpr Lane lane = Lane::kInt128;
  static const int128* of(const Vector& v) { return v.i128; }
  static void set(Vector& v, const int128* p) { v.i128 = p; }
};
template <> struct LaneOf<double> {
  static constexpr Lane lane = Lane::kDouble;
  static const double* of(const Vector& v) { return v.f64; }
  static void set(Vector& v, const double* p) { v.f64 = p; }
};
template <> struct LaneOf<std::string_view> {
  static constexpr Lane lane = Lane::kText;
  static const std::string_view* of(const Vector& v) { return v.text; }
  static void set(Vector& v, const std::string_view* p) { v.text = p; }
};

template <class T>
Vector make_vector(const Type& type, const T* data, const uint64_t* nulls) {
  Vector v;
  v.type = type;
  v.lane = LaneOf<T>::lane;
  LaneOf<T>::set(v, data);
  v.nulls = nulls;
  return v;
}

// Exact numbers of either lane, one by one.
inline int128 wide_at(const Vector& v, uint32_t row) {
  const uint32_t i = v.at(row);
  return v.lane == Lane::kInt128 ? v.i128[i] : static_cast<int128>(v.i64[i]);
}

// Row numbers where a BOOLEAN vector is true (not NULL). `out` has room for `rows`.
uint32_t select_true(const Vector& v, uint32_t rows, uint32_t* out);

// Collects the results of a kernel that may make NULLs of its own, starting from those of the arguments.
class NullMask {
 public:
  NullMask(const uint64_t* inherited, uint32_t rows, Scratch& scratch) : inherited_(inherited), rows_(rows), scratch_(scratch) {}
  bool is_null(uint32_t row) const { return inherited_ != nullptr && bit_test(inherited_, row); }
  void set(uint32_t row) {
    if (own_ == nullptr) {
      own_ = scratch_.zeroed<uint64_t>(bitmap_words(rows_));
      if (inherited_ != nullptr) std::memcpy(own_, inherited_, bitmap_words(rows_) * 8);
    }
    bit_set(own_, row);
  }
  const uint64_t* words() const { return own_ != nullptr ? own_ : inherited_; }

 private:
  const uint64_t* inherited_;
  uint64_t* own_ = nullptr;
  uint32_t rows_;
  Scratch& scratch_;
};

}  // namespace hdb
