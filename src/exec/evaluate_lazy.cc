// The parts of evaluation that visit only some rows: AND, OR, CASE, COALESCE, IN, and the memo over dictionary codes.

#include <boost/unordered/unordered_flat_set.hpp>

#include "base/check.h"
#include "exec/evaluate.h"

namespace hdb {

namespace {

constexpr size_t kItemsMin = 6;  // arguments of IN, with the value: fewer are compared one after the other

// Results of a branch, put together row by row: dense data of the result's lane, text as views.
class Assembly {
 public:
  Assembly(const Type& type, uint32_t rows, Scratch& scratch) : type_(type), rows_(rows), scratch_(scratch) {
    nulls_ = scratch.zeroed<uint64_t>(bitmap_words(rows));
    const size_t width = type.lane() == Lane::kInt128 || type.lane() == Lane::kText ? 16 : 8;
    data_ = scratch.zeroed<int128>((size_t{rows} * width + 15) / 16);
    if (type.lane() == Lane::kText) {
      for (uint32_t i = 0; i < rows; ++i) at<std::string_view>()[i] = std::string_view("", 0);
    }
  }

  template <class T>
  T* at() { return reinterpret_cast<T*>(data_); }

  // Row i of v goes to row rows[i] (or i, if rows is null).
  void put(const Vector& v, const uint32_t* rows, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t to = rows != nullptr ? rows[i] : i;
      if (v.is_null(i)) {
        bit_set(nulls_, to);
        any_null_ = true;
      } else {
        const uint32_t from = v.at(i);
        switch (type_.lane()) {
          case Lane::kInt64: at<int64_t>()[to] = v.i64[from]; break;
          case Lane::kInt128: at<int128>()[to] = v.i128[from]; break;
          case Lane::kDouble: at<double>()[to] = v.f64[from]; break;
          case Lane::kText: at<std::string_view>()[to] = v.text_at(i); break;
        }
      }
    }
  }

  Vector result() {
    const uint64_t* nulls = any_null_ ? nulls_ : nullptr;
    switch (type_.lane()) {
      case Lane::kInt64: return make_vector(type_, at<int64_t>(), nulls);
      case Lane::kInt128: return make_vector(type_, at<int128>(), nulls);
      case Lane::kDouble: return make_vector(type_, at<double>(), nulls);
      default: return make_vector(type_, at<std::string_view>(), nulls);
    }
  }

 private:
  Type type_;
  uint32_t rows_;
  Scratch& scratch_;
  uint64_t* nulls_;
  int128* data_;
  bool any_null_ = false;
};

uint32_t* row_numbers(uint32_t rows, Scratch& scratch) {
  auto* all = scratch.array<uint32_t>(rows);
  for (uint32_t i = 0; i < rows; ++i) all[i] = i;
  return all;
}

}  // namespace

// The expression over some rows only: gathers the columns that it names.
Vector Evaluator::on_rows(const Expr& e, const ColumnMap& map, const Chunk& in, const uint32_t* rows, uint32_t count) {
  if (e.kind == ExprKind::kConstant || e.kind == ExprKind::kParameter) return evaluate(e, map, in);
  Chunk some;
  some.rows = count;
  some.columns.resize(in.columns.size());
  std::vector<ColumnId> used;
  collect_columns(e, &used);
  for (const ColumnId id : used) {
    Vector& column = some.columns[map.index(id)];
    if (column.type.id == TypeId::kNull) column = gather(in.columns[map.index(id)], rows, count, scratch_);
  }
  return evaluate(e, map, some);
}

Vector Evaluator::logic(const Expr& e, const ColumnMap& map, const Chunk& in) {
  const bool deciding = e.kind == ExprKind::kOr;  // the value that ends it: false for AND, true for OR
  auto* value = scratch_.array<int64_t>(in.rows);
  auto* nulls = scratch_.zeroed<uint64_t>(bitmap_words(in.rows));
  for (uint32_t i = 0; i < in.rows; ++i) value[i] = deciding ? 0 : 1;
  uint32_t* open = row_numbers(in.rows, scratch_);  // rows that are not decided
  uint32_t count = in.rows;
  bool any_null = false;
  for (const ExprPtr& arg : e.args) {
    if (count == 0) break;
    const bool whole = count == in.rows || !can_fail(*arg);
    const Vector v = whole ? evaluate(*arg, map, in) : on_rows(*arg, map, in, open, count);
    uint32_t left = 0;
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t row = open[i];
      const uint32_t from = whole ? row : i;
      open[left] = row;
      if (v.is_null(from)) {
        bit_set(nulls, row);
        any_null = true;
        ++left;
      } else if ((v.i64[v.at(from)] != 0) == deciding) {
        value[row] = deciding ? 1 : 0;
        bit_clear(nulls, row);
      } else {
        ++left;
      }
    }
    count = left;
  }
  return make_vector(e.type, static_cast<const int64_t*>(value), any_null ? nulls : nullptr);
}

Vector Evaluator::choose(const Expr& e, const ColumnMap& map, const Chunk& in) {
  Assembly out(e.type, in.rows, scratch_);
  uint32_t* open = row_numbers(in.rows, scratch_);
  auto* taken = scratch_.array<uint32_t>(in.rows);
  uint32_t count = in.rows;
  size_t i = 0;
  for (; i + 1 < e.args.size() && count > 0; i += 2) {
    const Vector when = count == in.rows ? evaluate(*e.args[i], map, in) : on_rows(*e.args[i], map, in, open, count);
    uint32_t left = 0, hits = 0;
    for (uint32_t r = 0; r < count; ++r) {
      const uint32_t row = open[r];
      if (!when.is_null(r) && when.i64[when.at(r)] != 0) taken[hits++] = row;
      else open[left++] = row;
    }
    if (hits == in.rows) return evaluate(*e.args[i + 1], map, in);
    if (hits > 0) out.put(on_rows(*e.args[i + 1], map, in, taken, hits), taken, hits);
    count = left;
  }
  if (count == in.rows) return evaluate(*e.args.back(), map, in);
  if (count > 0) out.put(on_rows(*e.args.back(), map, in, open, count), open, count);
  return out.result();
}

Vector Evaluator::coalesce(const Expr& e, const ColumnMap& map, const Chunk& in) {
  const Vector first = evaluate(*e.args[0], map, in);
  if (first.nulls == nullptr || (first.constant && !constant_null(first))) return first;
  Assembly out(e.type, in.rows, scratch_);
  uint32_t* open = row_numbers(in.rows, scratch_);
  auto* filled = scratch_.array<uint32_t>(in.rows);
  uint32_t count = in.rows;
  for (size_t a = 0; a < e.args.size() && count > 0; ++a) {
    const Vector v = a == 0 ? first : on_rows(*e.args[a], map, in, open, count);
    const bool last = a + 1 == e.args.size();
    uint32_t left = 0, hits = 0;
    auto* from = scratch_.array<uint32_t>(count);
    for (uint32_t r = 0; r < count; ++r) {
      const uint32_t row = open[r];
      if (last || !v.is_null(r)) {
        filled[hits] = row;
        from[hits++] = r;
      } else {
        open[left++] = row;
      }
    }
    if (hits > 0) out.put(gather(v, from, hits, scratch_), filled, hits);
    count = left;
  }
  return out.result();
}

struct Evaluator::Items {
  bool usable = false;
  bool null = false;                               // some item is NULL
  std::vector<Value> values;                       // of texts
  boost::unordered_flat_set<int64_t> integers;
  boost::unordered_flat_set<std::string_view> texts;
};

const Evaluator::Items* Evaluator::items_for(const Expr& e) {
  if (e.args.size() < kItemsMin) return nullptr;
  std::unique_ptr<Items>& items = items_[&e];
  if (items == nullptr) {
    items = std::make_unique<Items>();
    const Type& type = e.args[0]->type;
    items->usable = type.lane() == Lane::kInt64 || type.lane() == Lane::kText;
    for (size_t i = 1; i < e.args.size() && items->usable; ++i) {
      const Expr& item = *e.args[i];
      const bool fixed = item.kind == ExprKind::kConstant || item.kind == ExprKind::kParameter;
      items->usable = fixed && item.type.id == type.id && item.type.lane() == type.lane() && (type.id != TypeId::kDecimal || item.type.scale == type.scale);
      if (!items->usable) break;
      Value v = evaluate_constant(item, parameters_);
      if (v.null) items->null = true;
      else if (type.lane() == Lane::kInt64) items->integers.insert(v.int64());
      else items->values.push_back(std::move(v));
    }
    for (const Value& v : items->values) items->texts.insert(v.text);
  }
  return items->usable ? items.get() : nullptr;
}

Vector Evaluator::in_list(const Expr& e, const ColumnMap& map, const Chunk& in) {
  const Vector probe = evaluate(*e.args[0], map, in);
  if (const Items* items = items_for(e)) {
    const uint32_t rows = probe.constant ? 1 : in.rows;
    auto* found = scratch_.zeroed<int64_t>(rows);
    auto* unknown = scratch_.zeroed<uint64_t>(bitmap_words(rows));
    for (uint32_t i = 0; i < rows; ++i) {
      if (!probe.is_null(i)) found[i] = probe.lane == Lane::kText ? items->texts.contains(probe.text_at(i)) : items->integers.contains(probe.i64[i]);
      if (probe.is_null(i) || (items->null && found[i] == 0)) bit_set(unknown, i);
    }
    Vector out = make_vector(e.type, static_cast<const int64_t*>(found), unknown);
    out.constant = probe.constant;
    return out;
  }
  auto* value = scratch_.zeroed<int64_t>(in.rows);
  auto* nulls = scratch_.zeroed<uint64_t>(bitmap_words(in.rows));
  uint32_t* open = row_numbers(in.rows, scratch_);
  uint32_t count = in.rows;
  bool any_null = false;
  for (size_t a = 1; a < e.args.size() && count > 0; ++a) {
    const bool whole = count == in.rows || !can_fail(*e.args[a]);
    const Vector item = whole ? evaluate(*e.args[a], map, in) : on_rows(*e.args[a], map, in, open, count);
    const Vector left = whole ? probe : gather(probe, open, count, scratch_);
    const Vector same = compare_vectors(Function::kEqual, left, item, whole ? in.rows : count, scratch_);
    uint32_t rest = 0;
    for (uint32_t r = 0; r < count; ++r) {
      const uint32_t row = open[r], from = whole ? row : r;
      open[rest] = row;
      if (left.is_null(from) || item.is_null(from)) {
        bit_set(nulls, row);
        any_null = true;
        ++rest;
      } else if (same.i64[same.at(from)] != 0) {
        value[row] = 1;
        bit_clear(nulls, row);
      } else {
        ++rest;
      }
    }
    count = rest;
  }
  return make_vector(e.type, static_cast<const int64_t*>(value), any_null ? nulls : nullptr);
}

// ---- Memo (V3) -------------------------------------------------------------------------------------------------------

struct Evaluator::Memo {
  bool usable = false;
  ColumnId column = kNoColumn;
  const Dictionary* dictionary = nullptr;
  uint32_t size = 0;                       // codes that have a place; the place after them is NULL's
  std::vector<uint8_t> known;              // 0: not evaluated, 1: value, 2: NULL
  std::vector<int64_t> i64;
  std::vector<int128> i128;
  std::vector<double> f64;
  std::vector<uint32_t> codes;             // of `texts`
  std::unique_ptr<Dictionary> texts;

  void grow(uint32_t to, Lane lane) {
    size = to;
    known.assign(to + 1, 0);
    if (lane == Lane::kInt64) i64.assign(to + 1, 0);
    if (lane == Lane::kInt128) i128.assign(to + 1, 0);
    if (lane == Lane::kDouble) f64.assign(to + 1, 0);
    if (lane == Lane::kText) codes.assign(to + 1, 0);
  }
  // False: a text got no code, so the memo cannot hold it.
  bool put(uint32_t place, const Vector& v, uint32_t row) {
    known[place] = v.is_null(row) ? 2 : 1;
    if (known[place] == 2) return true;
    const uint32_t i = v.at(row);
    switch (v.lane) {
      case Lane::kInt64: i64[place] = v.i64[i]; break;
      case Lane::kInt128: i128[place] = v.i128[i]; break;
      case Lane::kDouble: f64[place] = v.f64[i]; break;
      case Lane::kText: codes[place] = texts->intern(v.text_at(row))->code; return codes[place] != TextEntry::kNoCode;
    }
    return true;
  }
};

Evaluator::Evaluator(std::span<const Value> parameters, Scratch& scratch, MemoryBudget* budget)
    : parameters_(parameters), scratch_(scratch), budget_(budget) {}
Evaluator::~Evaluator() = default;

Evaluator::Memo* Evaluator::memo_for(const Expr& e, const ColumnMap& map, const Chunk& in) {
  auto found = memos_.find(&e);
  if (found == memos_.end()) {
    auto memo = std::make_unique<Memo>();
    std::vector<ColumnId> used;
    collect_columns(e, &used);
    memo->usable = !used.empty();
    for (const ColumnId id : used) memo->usable = memo->usable && id == used[0];
    if (memo->usable) {
      memo->column = used[0];
      // Over anything but text there are no codes to map by.
      memo->usable = map.type(map.index(memo->column)).lane() == Lane::kText;
    }
    found = memos_.emplace(&e, std::move(memo)).first;
  }
  Memo* memo = found->second.get();
  if (!memo->usable) return nullptr;
  const Vector& v = in.columns[map.index(memo->column)];
  if (v.codes == nullptr || v.constant) return nullptr;
  const uint32_t size = v.dictionary->size();
  if (memo->dictionary != v.dictionary || memo->size < size) {
    memo->dictionary = v.dictionary;
    if (e.type.lane() == Lane::kText && memo->texts == nullptr) memo->texts = std::make_unique<Dictionary>(budget_);
    memo->grow(size, e.type.lane());
  }
  return memo;
}

Vector Evaluator::memoised(const Expr& e, Memo& memo, const ColumnMap& map, const Chunk& in) {
  const uint32_t column = map.index(memo.column);
  const Vector& v = in.columns[column];
  auto* place = scratch_.array<uint32_t>(in.rows);
  uint8_t missing = 0;
  for (uint32_t i = 0; i < in.rows; ++i) {
    place[i] = v.nulls != nullptr && bit_test(v.nulls, i) ? memo.size : v.codes[i];
    missing |= static_cast<uint8_t>(memo.known[place[i]] == 0);
  }
  if (missing != 0) {
    auto* first = scratch_.array<uint32_t>(in.rows);
    uint32_t count = 0;
    for (uint32_t i = 0; i < in.rows; ++i) {
      if (memo.known[place[i]] != 0) continue;
      memo.known[place[i]] = 3;  // asked for
      first[count++] = i;
    }
    Chunk some;
    some.rows = count;
    some.columns.resize(in.columns.size());
    some.columns[column] = gather(v, first, count, scratch_);
    bool fits = true;
    try {
      const Vector result = node(e, map, some);
      for (uint32_t i = 0; i < count; ++i) fits = memo.put(place[first[i]], result, i) && fits;
    } catch (...) {
      for (uint32_t i = 0; i < count; ++i) memo.known[place[first[i]]] = 0;
      throw;
    }
    if (!fits) {
      memo.usable = false;
      return node(e, map, in);
    }
  }
  const auto mapped = [&](const auto& values) {
    auto* out = scratch_.array<std::decay_t<decltype(values[0])>>(in.rows);
    for (uint32_t i = 0; i < in.rows; ++i) out[i] = values[place[i]];
    return out;
  };
  Vector out;
  out.type = e.type;
  out.lane = e.type.lane();
  switch (out.lane) {
    case Lane::kInt64: out.i64 = mapped(memo.i64); break;
    case Lane::kInt128: out.i128 = mapped(memo.i128); break;
    case Lane::kDouble: out.f64 = mapped(memo.f64); break;
    case Lane::kText:
      if (memo.texts->size() == 0) return flatten(null_vector(e.type), in.rows, scratch_);  // W2: code 0 needs a text
      out.codes = mapped(memo.codes);
      out.dictionary = memo.texts.get();
      break;
  }
  auto* nulls = scratch_.zeroed<uint64_t>(bitmap_words(in.rows));
  uint64_t any = 0;
  for (uint32_t i = 0; i < in.rows; ++i) {
    const uint64_t null = memo.known[place[i]] == 2;
    nulls[i >> 6] |= null << (i & 63);
    any |= null;
  }
  out.nulls = any != 0 ? nulls : nullptr;
  return out;
}

}  // namespace hdb
