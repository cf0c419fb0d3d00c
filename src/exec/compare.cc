// Comparisons, truth tests, NULLIF, GREATEST and LEAST.

#include <cmath>

#include "base/check.h"
#include "exact/decimal.h"
#include "exact/decimal_text.h"
#include "exec/evaluate.h"

namespace hdb {

namespace {

// Orders by lane. NaN equals itself and is above every number.
inline bool equals(int64_t a, int64_t b) { return a == b; }
inline bool equals(int128 a, int128 b) { return a == b; }
inline bool equals(double a, double b) { return a == b || (a != a && b != b); }
inline bool equals(std::string_view a, std::string_view b) { return a == b; }
inline bool below(int64_t a, int64_t b) { return a < b; }
inline bool below(int128 a, int128 b) { return a < b; }
inline bool below(double a, double b) { return a < b || (b != b && a == a); }
inline bool below(std::string_view a, std::string_view b) { return a < b; }

template <class T, class F>
const int64_t* compare_loop(const T* a, bool a_constant, const T* b, bool b_constant, uint32_t rows, Scratch& scratch, F f) {
  auto* out = scratch.array<int64_t>(rows);
  if (a_constant) {
    const T x = a[0];
    for (uint32_t i = 0; i < rows; ++i) out[i] = f(x, b[i]);
  } else if (b_constant) {
    const T y = b[0];
    for (uint32_t i = 0; i < rows; ++i) out[i] = f(a[i], y);
  } else {
    for (uint32_t i = 0; i < rows; ++i) out[i] = f(a[i], b[i]);
  }
  return out;
}

template <class T>
const int64_t* compare_lane(Function op, const T* a, bool a_constant, const T* b, bool b_constant, uint32_t rows, Scratch& s) {
  switch (op) {
    case Function::kEqual: return compare_loop(a, a_constant, b, b_constant, rows, s, [](T x, T y) { return equals(x, y); });
    case Function::kNotEqual: return compare_loop(a, a_constant, b, b_constant, rows, s, [](T x, T y) { return !equals(x, y); });
    case Function::kLess: return compare_loop(a, a_constant, b, b_constant, rows, s, [](T x, T y) { return below(x, y); });
    case Function::kLessEqual: return compare_loop(a, a_constant, b, b_constant, rows, s, [](T x, T y) { return !below(y, x); });
    case Function::kGreater: return compare_loop(a, a_constant, b, b_constant, rows, s, [](T x, T y) { return below(y, x); });
    default: return compare_loop(a, a_constant, b, b_constant, rows, s, [](T x, T y) { return !below(x, y); });
  }
}

bool holds(Function op, std::strong_ordering order) {
  switch (op) {
    case Function::kEqual: return order == 0;
    case Function::kNotEqual: return order != 0;
    case Function::kLess: return order < 0;
    case Function::kLessEqual: return order <= 0;
    case Function::kGreater: return order > 0;
    default: return order >= 0;
  }
}

int scale_of(const Vector& v) { return v.type.id == TypeId::kDecimal ? v.type.scale : 0; }

const double* as_reals(const Vector& v, uint32_t rows, Scratch& scratch) {
  if (v.lane == Lane::kDouble) return v.f64;
  const uint32_t count = v.constant ? 1 : rows;
  auto* out = scratch.array<double>(count);
  for (uint32_t i = 0; i < count; ++i) out[i] = decimal_to_double(wide_at(v, i), scale_of(v));
  return out;
}

}  // namespace

Vector compare_vectors(Function op, const Vector& a, const Vector& b, uint32_t rows, Scratch& scratch) {
  const int64_t* out = nullptr;
  if (a.constant && b.constant) rows = 1;
  if (a.lane == Lane::kText || b.lane == Lane::kText) {
    CHECK(a.lane == b.lane);
    const bool by_code = a.codes != nullptr && b.codes != nullptr && a.dictionary == b.dictionary && (op == Function::kEqual || op == Function::kNotEqual);
    out = by_code ? compare_loop(a.codes, a.constant, b.codes, b.constant, rows, scratch,
                                 [op](uint32_t x, uint32_t y) { return (x == y) == (op == Function::kEqual); })
                  : compare_lane(op, text_views(a, rows, scratch), a.constant, text_views(b, rows, scratch), b.constant, rows, scratch);
  } else if (a.lane == Lane::kDouble || b.lane == Lane::kDouble) {
    out = compare_lane(op, as_reals(a, rows, scratch), a.constant, as_reals(b, rows, scratch), b.constant, rows, scratch);
  } else if (scale_of(a) == scale_of(b) && a.lane == b.lane) {
    out = a.lane == Lane::kInt64 ? compare_lane(op, a.i64, a.constant, b.i64, b.constant, rows, scratch)
                                 : compare_lane(op, a.i128, a.constant, b.i128, b.constant, rows, scratch);
  } else {
    auto* made = scratch.array<int64_t>(rows);
    for (uint32_t i = 0; i < rows; ++i) made[i] = holds(op, compare_decimals(wide_at(a, i), scale_of(a), wide_at(b, i), scale_of(b)));
    out = made;
  }
  Vector v = make_vector(Type::boolean(), out, nullptr);
  v.constant = a.constant && b.constant;
  return v;
}

Vector kernel_compare(const Call& c) {
  Vector v = compare_vectors(c.e.function, c.args[0], c.args[1], c.rows, c.scratch);
  v.nulls = c.nulls;
  return v;
}

Vector kernel_distinct(const Call& c) {
  const bool want = c.e.function == Function::kDistinctFrom;
  const Vector &a = c.args[0], &b = c.args[1];
  const Vector same = compare_vectors(Function::kEqual, a, b, c.rows, c.scratch);
  auto* out = c.scratch.array<int64_t>(c.rows);
  for (uint32_t i = 0; i < c.rows; ++i) {
    const bool a_null = a.is_null(i), b_null = b.is_null(i);
    const bool equal_here = a_null || b_null ? a_null == b_null : same.i64[same.at(i)] != 0;
    out[i] = equal_here != want;
  }
  return make_vector(c.e.type, static_cast<const int64_t*>(out), nullptr);
}

Vector kernel_truth(const Call& c) {
  const Vector& a = c.args[0];
  auto* out = c.scratch.array<int64_t>(c.rows);
  if (c.e.function == Function::kNot) {
    for (uint32_t i = 0; i < c.rows; ++i) out[i] = a.i64[i] == 0;
    return make_vector(c.e.type, static_cast<const int64_t*>(out), c.nulls);
  }
  for (uint32_t i = 0; i < c.rows; ++i) {
    const bool null = a.is_null(i);
    switch (c.e.function) {
      case Function::kIsNull: out[i] = null; break;
      case Function::kIsNotNull: out[i] = !null; break;
      case Function::kIsTrue: out[i] = !null && a.i64[a.at(i)] != 0; break;
      case Function::kIsFalse: out[i] = !null && a.i64[a.at(i)] == 0; break;
      case Function::kIsNotTrue: out[i] = null || a.i64[a.at(i)] == 0; break;
      default: out[i] = null || a.i64[a.at(i)] != 0; break;
    }
  }
  return make_vector(c.e.type, static_cast<const int64_t*>(out), nullptr);
}

Vector kernel_null_if(const Call& c) {
  const Vector a = flatten(c.args[0], c.rows, c.scratch);
  const Vector& b = c.args[1];
  NullMask nulls(a.nulls, c.rows, c.scratch);
  if (!constant_null(b)) {
    const Vector same = compare_vectors(Function::kEqual, a, b, c.rows, c.scratch);
    for (uint32_t i = 0; i < c.rows; ++i) {
      if (!a.is_null(i) && !b.is_null(i) && same.i64[same.at(i)] != 0) nulls.set(i);
    }
  }
  Vector out = a;
  out.nulls = nulls.words();
  return out;
}

Vector kernel_extreme(const Call& c) {
  const Function op = c.e.function == Function::kGreatest ? Function::kGreater : Function::kLess;
  auto* best = c.scratch.zeroed<uint32_t>(c.rows);  // which argument
  for (size_t a = 1; a < c.args.size(); ++a) {
    const Vector& v = c.args[a];
    if (constant_null(v)) continue;
    // Against each argument that may be the best so far.
    for (uint32_t i = 0; i < c.rows; ++i) {
      if (v.is_null(i)) continue;
      const Vector& old = c.args[best[i]];
      if (old.is_null(i)) {
        best[i] = static_cast<uint32_t>(a);
        continue;
      }
      bool better = false;
      const uint32_t x = v.at(i), y = old.at(i);
      switch (v.lane) {
        case Lane::kInt64: better = op == Function::kGreater ? v.i64[x] > old.i64[y] : v.i64[x] < old.i64[y]; break;
        case Lane::kInt128: better = op == Function::kGreater ? v.i128[x] > old.i128[y] : v.i128[x] < old.i128[y]; break;
        case Lane::kDouble: better = op == Function::kGreater ? below(old.f64[y], v.f64[x]) : below(v.f64[x], old.f64[y]); break;
        case Lane::kText: better = op == Function::kGreater ? v.text_at(i) > old.text_at(i) : v.text_at(i) < old.text_at(i); break;
      }
      if (better) best[i] = static_cast<uint32_t>(a);
    }
  }
  NullMask nulls(nullptr, c.rows, c.scratch);
  const auto pick = [&](auto* out, auto get) {
    for (uint32_t i = 0; i < c.rows; ++i) {
      const Vector& v = c.args[best[i]];
      out[i] = get(v, i);
      if (v.is_null(i)) nulls.set(i);
    }
    return make_vector(c.e.type, static_cast<const std::remove_pointer_t<decltype(out)>*>(out), nulls.words());
  };
  switch (c.e.type.lane()) {
    case Lane::kInt64: return pick(c.scratch.array<int64_t>(c.rows), [](const Vector& v, uint32_t i) { return v.i64[v.at(i)]; });
    case Lane::kInt128: return pick(c.scratch.array<int128>(c.rows), [](const Vector& v, uint32_t i) { return v.i128[v.at(i)]; });
    case Lane::kDouble: return pick(c.scratch.array<double>(c.rows), [](const Vector& v, uint32_t i) { return v.f64[v.at(i)]; });
    default: return pick(c.scratch.array<std::string_view>(c.rows), [](const Vector& v, uint32_t i) { return v.text_at(i); });
  }
}

}  // namespace hdb
