#include "exec/block_filter.h"

#include <algorithm>

#include "exact/decimal.h"
#include "exact/wide.h"
#include "exec/scan.h"

namespace hdb {

namespace {

constexpr uint32_t kCodesMax = 8192;       // distinct values up to which a text condition is run for all of them at once, however few rows
constexpr uint64_t kRowsPerCode = 8;       // above that: if there are so many rows for each
constexpr size_t kComparesMax = 4;         // so many integers of an IN list are compared one by one
constexpr uint64_t kListSpanMax = 1u << 19;  // up to that range of a block's values an IN list becomes a bitmap over it

bool is_comparison(Function f) { return f >= Function::kEqual && f <= Function::kGreaterEqual; }
bool fixed(const Expr& e) { return e.kind == ExprKind::kConstant || e.kind == ExprKind::kParameter; }
bool exact_lane(const Expr& e) { return e.type.lane() == Lane::kInt64 || e.type.lane() == Lane::kInt128; }

// The range of `column op value`; value is already in the column's domain.
RangeTest range_of(Function f, int64_t value) {
  RangeTest r;
  const RangeTest none{1, 0, false};
  switch (f) {
    case Function::kEqual: r.low = r.high = value; break;
    case Function::kNotEqual: r.low = r.high = value; r.negate = true; break;
    case Function::kLess: if (value == INT64_MIN) return none; r.high = value - 1; break;
    case Function::kLessEqual: r.high = value; break;
    case Function::kGreater: if (value == INT64_MAX) return none; r.low = value + 1; break;
    default: r.low = value; break;
  }
  return r;
}

// The value as an integer of the column's scale; false if it has none there (1.005 in a DECIMAL(5,2)) or is beyond 64 bits.
bool to_domain(const Value& v, const Type& from, const Type& column, int64_t* out) {
  const int from_scale = from.id == TypeId::kDecimal ? from.scale : 0, to_scale = column.id == TypeId::kDecimal ? column.scale : 0;
  int128 x = v.number;
  if (from_scale < to_scale) {
    if (to_scale - from_scale > 18 || magnitude_of(x) > kPow10[18]) return false;
    x *= static_cast<int128>(kPow10[static_cast<size_t>(to_scale - from_scale)]);
  } else if (from_scale > to_scale) {
    const auto unit = static_cast<int128>(kPow10[static_cast<size_t>(from_scale - to_scale)]);
    if (x % unit != 0) return false;
    x /= unit;
  }
  if (x < INT64_MIN || x > INT64_MAX) return false;
  *out = static_cast<int64_t>(x);
  return true;
}

void and_nulls(const ColumnBuffer& c, bool null, uint32_t rows, uint64_t* bits) {
  const uint32_t words = bitmap_words(rows);
  for (uint32_t w = 0; w < words; ++w) {
    const uint64_t nulls = c.nulls != nullptr ? c.nulls[w] : 0;
    bits[w] &= null ? nulls : ~nulls;
  }
}

// The only column of an expression, or kNoColumn.
ColumnId only_column(const Expr& e) {
  std::vector<ColumnId> used;
  collect_columns(e, &used);
  for (const ColumnId id : used) {
    if (id != used[0]) return kNoColumn;
  }
  return used.empty() ? kNoColumn : used[0];
}

}  // namespace

// ---- Making ----------------------------------------------------------------------------------------------------------

bool BlockFilter::take(const ExprPtr& conjunct) {
  Test t;
  if (!make(conjunct, false, &t)) return false;
  if (t.kind == Test::Kind::kNever) never_ = true;
  else if (!merge(t)) tests_.push_back(std::move(t));
  return true;
}

// a >= x AND a <= y is one range.
bool BlockFilter::merge(const Test& t) {
  if (t.kind != Test::Kind::kRange || t.range.negate) return false;
  for (Test& other : tests_) {
    if (other.kind != Test::Kind::kRange || other.range.negate || other.column != t.column) continue;
    other.range.low = std::max(other.range.low, t.range.low);
    other.range.high = std::min(other.range.high, t.range.high);
    return true;
  }
  return false;
}

bool BlockFilter::make(const ExprPtr& e, bool negate, Test* out) const {
  const uint32_t stored = static_cast<uint32_t>(plan_.ordinals().size());
  switch (e->kind) {
    case ExprKind::kAnd:
    case ExprKind::kOr: return make_codes(e, negate, out) || make_parts(*e, negate, out);
    case ExprKind::kIn: return make_list(*e, negate, out) || make_codes(e, negate, out);
    case ExprKind::kColumn: {
      out->column = plan_.columns().find(e->column);
      if (e->type.id != TypeId::kBoolean || out->column >= stored) return false;
      out->kind = Test::Kind::kRange;
      out->range.low = out->range.high = negate ? 0 : 1;
      return true;
    }
    case ExprKind::kCall: break;
    default: return make_codes(e, negate, out);
  }
  if (e->function == Function::kNot) return make(e->args[0], !negate, out);
  if (e->function == Function::kIsTrue && !negate) return make(e->args[0], false, out);
  if ((e->function == Function::kIsNull || e->function == Function::kIsNotNull) && e->args[0]->kind == ExprKind::kColumn) {
    out->column = plan_.columns().find(e->args[0]->column);
    if (out->column >= stored) return false;
    out->kind = Test::Kind::kNull;
    out->negate = (e->function == Function::kIsNotNull) != negate;
    return true;
  }
  return (is_comparison(e->function) && make_comparison(*e, negate, out)) || make_codes(e, negate, out);
}

bool BlockFilter::make_parts(const Expr& e, bool negate, Test* out) const {
  const bool both = (e.kind == ExprKind::kAnd) != negate;  // De Morgan
  out->kind = both ? Test::Kind::kAnd : Test::Kind::kOr;
  out->parts.clear();
  for (const ExprPtr& arg : e.args) {
    Test part;
    if (!make(arg, negate, &part)) return false;
    out->parts.push_back(std::move(part));
  }
  return true;
}

bool BlockFilter::make_comparison(const Expr& e, bool negate, Test* out) const {
  const bool forward = e.args[0]->kind == ExprKind::kColumn && fixed(*e.args[1]);
  if (!forward && !(e.args[1]->kind == ExprKind::kColumn && fixed(*e.args[0]))) return false;
  const Expr& column = *e.args[forward ? 0 : 1];
  const Expr& value = *e.args[forward ? 1 : 0];
  const uint32_t place = plan_.columns().find(column.column);
  if (place >= plan_.ordinals().size() || column.type.lane() != Lane::kInt64 || !exact_lane(value)) return false;
  const Value v = evaluate_constant(value, plan_.context().parameters);
  out->column = place;
  out->kind = Test::Kind::kNever;  // NULL: neither it nor its opposite is true
  if (v.null) return true;
  int64_t x = 0;
  if (!to_domain(v, value.type, column.type, &x)) return false;
  out->kind = Test::Kind::kRange;
  out->range = range_of(forward ? e.function : mirrored(e.function), x);
  if (negate) out->range.negate = !out->range.negate;
  return true;
}

bool BlockFilter::make_list(const Expr& e, bool negate, Test* out) const {
  const Expr& column = *e.args[0];
  if (column.kind != ExprKind::kColumn || column.type.lane() != Lane::kInt64) return false;
  out->column = plan_.columns().find(column.column);
  if (out->column >= plan_.ordinals().size()) return false;
  auto set = std::make_unique<IntSet>();
  bool null = false;
  for (size_t i = 1; i < e.args.size(); ++i) {
    const Expr& item = *e.args[i];
    if (!fixed(item) || !exact_lane(item)) return false;
    const Value v = evaluate_constant(item, plan_.context().parameters);
    int64_t x = 0;
    if (v.null) null = true;
    else if (to_domain(v, item.type, column.type, &x)) set->sorted.push_back(x);  // else nothing in the column equals it
  }
  std::sort(set->sorted.begin(), set->sorted.end());
  set->sorted.erase(std::unique(set->sorted.begin(), set->sorted.end()), set->sorted.end());
  if (null && negate) return true;  // kNever: x NOT IN (.., NULL) is false or NULL
  set->all.insert(set->sorted.begin(), set->sorted.end());
  out->kind = Test::Kind::kInts;
  out->negate = negate;
  out->ints = std::move(set);
  return true;
}

bool BlockFilter::make_codes(const ExprPtr& e, bool negate, Test* out) const {
  const ColumnId id = only_column(*e);
  if (id == kNoColumn || can_fail(*e)) return false;
  const uint32_t place = plan_.columns().find(id);
  if (place >= plan_.ordinals().size() || plan_.columns().type(place).lane() != Lane::kText) return false;
  const Dictionary* dictionary = plan_.table().dictionary(plan_.ordinals()[place]);
  if (dictionary == nullptr || dictionary->size() == 0 || dictionary->overflowed()) return false;
  out->column = place;
  out->codes = std::make_unique<CodeSet>();
  out->codes->expr = e;
  out->codes->negate = negate;
  const uint64_t rows = plan_.table().live_rows.load(std::memory_order_relaxed);
  if (dictionary->size() > kCodesMax && dictionary->size() * kRowsPerCode > rows && !look_up(*out)) return false;
  out->kind = Test::Kind::kCodes;
  return true;
}

// ---- Codes -----------------------------------------------------------------------------------------------------------

// Equality with constants asks the dictionary instead of going through it; false: another condition.
bool BlockFilter::look_up(const Test& t) const {
  CodeSet& s = *t.codes;
  const Expr& e = *s.expr;
  const bool list = e.kind == ExprKind::kIn;
  if (!list && (e.kind != ExprKind::kCall || e.function != Function::kEqual)) return false;
  const size_t at = e.args[0]->kind == ExprKind::kColumn ? 0 : 1;
  if (e.args[at]->kind != ExprKind::kColumn || (list && at != 0)) return false;
  for (size_t i = 0; i < e.args.size(); ++i) {
    if (i != at && !fixed(*e.args[i])) return false;
  }
  const Dictionary* dictionary = plan_.table().dictionary(plan_.ordinals()[t.column]);
  const uint32_t size = dictionary->size();
  bool null = false;
  s.pass.assign(size + 1, 0);
  for (size_t i = 0; i < e.args.size(); ++i) {
    if (i == at) continue;
    const Value v = evaluate_constant(*e.args[i], plan_.context().parameters);
    null = null || v.null;
    const uint32_t code = v.null ? TextEntry::kNoCode : dictionary->find(v.text);
    if (code < size) s.pass[code] = 1;
  }
  if (!s.negate) return true;
  for (uint32_t i = 0; i < size; ++i) s.pass[i] = !null && s.pass[i] == 0;
  return true;
}

// The condition for every code, and for NULL after them; then its shape.
void BlockFilter::prepare(const Test& t, Worker& worker) const {
  CodeSet& s = *t.codes;
  if (s.pass.empty() && !look_up(t)) {
    const Dictionary* dictionary = plan_.table().dictionary(plan_.ordinals()[t.column]);
    const uint32_t size = dictionary->size();
    s.pass.assign(size + 1, 0);
    for (uint32_t first = 0; first <= size; first += kVectorRows) {
      const Scratch::Mark mark = worker.scratch.mark();
      const uint32_t count = std::min(kVectorRows, size + 1 - first);
      auto* views = worker.scratch.array<std::string_view>(count);
      auto* nulls = worker.scratch.zeroed<uint64_t>(bitmap_words(count));
      for (uint32_t i = 0; i < count; ++i) {
        views[i] = first + i < size ? dictionary->text(first + i) : std::string_view("", 0);
        if (first + i == size) bit_set(nulls, i);
      }
      Chunk chunk;
      chunk.rows = count;
      chunk.columns.resize(plan_.columns().size());
      chunk.columns[t.column] = make_vector(plan_.columns().type(t.column), static_cast<const std::string_view*>(views), nulls);
      const Vector v = worker.evaluator.evaluate(*s.expr, plan_.columns(), chunk);
      for (uint32_t i = 0; i < count; ++i) s.pass[first + i] = !v.is_null(i) && (v.i64[v.at(i)] != 0) != s.negate;
      worker.scratch.rewind(mark);
    }
  }
  const auto size = static_cast<uint32_t>(s.pass.size() - 1);
  uint32_t passing = 0, changes = 0;
  for (uint32_t i = 0; i < size; ++i) {
    passing += s.pass[i];
    changes += static_cast<uint32_t>(i > 0 && s.pass[i] != s.pass[i - 1]);
    if (i < 256 && s.pass[i] != 0) s.first[i >> 6] |= uint64_t{1} << (i & 63);
  }
  s.none = passing == 0 && s.pass[size] == 0;
  s.interval = changes <= 2;  // all or none; a prefix or suffix; one run inside, or all but one run
  s.outside = s.pass[0] != 0;
  const auto run_begin = std::find(s.pass.begin(), s.pass.end() - 1, s.outside ? 0 : 1);
  const auto run_end = std::find(run_begin, s.pass.end() - 1, s.outside ? 1 : 0);
  s.low = static_cast<uint32_t>(run_begin - s.pass.begin());
  s.high = static_cast<uint32_t>(run_end - s.pass.begin()) - 1;  // below low: no run
}

void BlockFilter::apply_codes(const Test& t, const BlockView& view, Worker& worker, uint64_t* bits) const {
  CodeSet& s = *t.codes;
  std::call_once(s.once, [&] { prepare(t, worker); });
  const ColumnBuffer& c = view.column(t.column);
  if (c.encoding != Encoding::kCode) return apply_rows(t, view, worker, bits);
  const uint32_t rows = view.rows(), words = bitmap_words(rows);
  const auto size = static_cast<uint32_t>(s.pass.size() - 1);
  uint64_t with_null[kBlockWords];
  const bool null_passes = c.nulls != nullptr && s.pass[size] != 0;
  if (null_passes) {
    for (uint32_t w = 0; w < words; ++w) with_null[w] = bits[w] & c.nulls[w];
  }
  if (c.nulls != nullptr) and_nulls(c, false, rows, bits);
  if (c.width > 0 && s.interval) and_code_range(c, s.low, s.high, s.outside, rows, bits);
  else if (c.width == 1) kernels().set_8(c.data, s.first, rows, bits);
  else and_codes(c, s.pass.data(), size, rows, bits);
  if (null_passes) {
    for (uint32_t w = 0; w < words; ++w) bits[w] |= with_null[w];
  }
}

// A block in another encoding: row by row.
void BlockFilter::apply_rows(const Test& t, const BlockView& view, Worker& worker, uint64_t* bits) const {
  const Scratch::Mark mark = worker.scratch.mark();
  auto* slots = worker.scratch.array<uint32_t>(view.rows());
  const uint32_t count = list_bits(bits, view.rows(), slots);
  std::vector<bool> wanted(plan_.columns().size());
  wanted[t.column] = true;
  for (uint32_t first = 0; first < count; first += kVectorRows) {
    const uint32_t n = std::min(kVectorRows, count - first);
    Chunk chunk;
    plan_.fill(view, 0, slots + first, n, wanted, worker.scratch, &chunk);
    const Vector v = worker.evaluator.evaluate(*t.codes->expr, plan_.columns(), chunk);
    for (uint32_t i = 0; i < n; ++i) {
      if (v.is_null(i) || (v.i64[v.at(i)] != 0) == t.codes->negate) bit_clear(bits, slots[first + i]);
    }
  }
  worker.scratch.rewind(mark);
}

// ---- Integers --------------------------------------------------------------------------------------------------------

void BlockFilter::apply_ints(const Test& t, const BlockView& view, Worker& worker, uint64_t* bits) const {
  const ColumnBuffer& c = view.column(t.column);
  const Zone& z = view.zone(t.column);
  const uint32_t rows = view.rows(), words = bitmap_words(rows);
  if (c.nulls != nullptr) and_nulls(c, false, rows, bits);
  const std::vector<int64_t>& sorted = t.ints->sorted;
  const auto from = std::lower_bound(sorted.begin(), sorted.end(), z.low), to = std::upper_bound(from, sorted.end(), z.high);
  const Scratch::Mark mark = worker.scratch.mark();
  if (static_cast<size_t>(to - from) <= kComparesMax) {
    auto* found = worker.scratch.zeroed<uint64_t>(words);
    auto* one = worker.scratch.array<uint64_t>(words);
    for (auto x = from; x != to; ++x) {
      std::copy(bits, bits + words, one);
      and_range(c, RangeTest{*x, *x, false}, rows, one);
      for (uint32_t w = 0; w < words; ++w) found[w] |= one[w];
    }
    for (uint32_t w = 0; w < words; ++w) bits[w] &= t.negate ? ~found[w] : found[w];
    return worker.scratch.rewind(mark);
  }
  const uint64_t span = static_cast<uint64_t>(z.high) - static_cast<uint64_t>(z.low);
  if (span < kListSpanMax) {
    auto* there = worker.scratch.zeroed<uint64_t>(bitmap_words(static_cast<uint32_t>(span) + 1));
    for (auto x = from; x != to; ++x) bit_set(there, static_cast<uint32_t>(static_cast<uint64_t>(*x) - static_cast<uint64_t>(z.low)));
    for_each_bit(bits, words, [&](uint32_t i) {
      // A row that this snapshot sees lies within the bounds (Z1).
      if (bit_test(there, static_cast<uint32_t>(static_cast<uint64_t>(c.int_at(i)) - static_cast<uint64_t>(z.low))) == t.negate) bit_clear(bits, i);
    });
  } else {
    for_each_bit(bits, words, [&](uint32_t i) {
      if (t.ints->all.contains(c.int_at(i)) == t.negate) bit_clear(bits, i);
    });
  }
  worker.scratch.rewind(mark);
}

// ---- Blocks ----------------------------------------------------------------------------------------------------------

BlockFilter::Verdict BlockFilter::verdict(const Test& t, const BlockView& view) const {
  switch (t.kind) {
    case Test::Kind::kNever: return Verdict::kNone;
    case Test::Kind::kNull:
      if (view.may_have_nulls(t.column)) return Verdict::kSome;
      return t.negate ? Verdict::kEvery : Verdict::kNone;
    case Test::Kind::kRange: {
      const Zone& z = view.zone(t.column);
      if (z.low > z.high) return Verdict::kNone;  // NULLs only: no comparison is true
      const bool inside = t.range.low <= z.low && t.range.high >= z.high;
      const bool beside = t.range.low > t.range.high || t.range.low > z.high || t.range.high < z.low;
      if (t.range.negate ? inside : beside) return Verdict::kNone;
      return (t.range.negate ? beside : inside) && !view.may_have_nulls(t.column) ? Verdict::kEvery : Verdict::kSome;
    }
    case Test::Kind::kInts: {
      const Zone& z = view.zone(t.column);
      if (z.low > z.high) return Verdict::kNone;
      const auto next = std::lower_bound(t.ints->sorted.begin(), t.ints->sorted.end(), z.low);
      const bool any = next != t.ints->sorted.end() && *next <= z.high;
      if (!any && !t.negate) return Verdict::kNone;
      if (any && z.low == z.high && t.negate) return Verdict::kNone;
      return !any && !view.may_have_nulls(t.column) ? Verdict::kEvery : Verdict::kSome;
    }
    case Test::Kind::kCodes: return Verdict::kSome;
    default: break;
  }
  const bool any = t.kind == Test::Kind::kOr;
  Verdict all = any ? Verdict::kNone : Verdict::kEvery;
  for (const Test& part : t.parts) {
    const Verdict v = verdict(part, view);
    if (v == (any ? Verdict::kEvery : Verdict::kNone)) return v;
    if (v == Verdict::kSome) all = v;
  }
  return all;
}

bool BlockFilter::skips(const BlockView& view) const {
  if (never_) return true;
  for (const Test& t : tests_) {
    if (verdict(t, view) == Verdict::kNone) return true;
  }
  return false;
}

void BlockFilter::apply(const BlockView& view, Worker& worker, uint64_t* bits) const {
  for (const Test& t : tests_) apply(t, view, worker, bits);
}

void BlockFilter::apply(const Test& t, const BlockView& view, Worker& worker, uint64_t* bits) const {
  const uint32_t rows = view.rows(), words = bitmap_words(rows);
  const Verdict v = verdict(t, view);
  if (v == Verdict::kEvery) return;
  if (v == Verdict::kNone) return std::fill(bits, bits + words, uint64_t{0});
  switch (t.kind) {
    case Test::Kind::kNever: return;
    case Test::Kind::kNull: return and_nulls(view.column(t.column), !t.negate, rows, bits);
    case Test::Kind::kRange: {
      const ColumnBuffer& c = view.column(t.column);
      const Zone& z = view.zone(t.column);
      if (c.nulls != nullptr) and_nulls(c, false, rows, bits);
      if (!t.range.negate && t.range.low <= z.low && t.range.high >= z.high) return;
      return and_range(c, t.range, rows, bits);
    }
    case Test::Kind::kInts: return apply_ints(t, view, worker, bits);
    case Test::Kind::kCodes: return apply_codes(t, view, worker, bits);
    case Test::Kind::kAnd:
      for (const Test& part : t.parts) apply(part, view, worker, bits);
      return;
    case Test::Kind::kOr: break;
  }
  const Scratch::Mark mark = worker.scratch.mark();
  auto* found = worker.scratch.zeroed<uint64_t>(words);
  auto* open = worker.scratch.array<uint64_t>(words);
  for (const Test& part : t.parts) {
    for (uint32_t w = 0; w < words; ++w) open[w] = bits[w] & ~found[w];
    apply(part, view, worker, open);
    for (uint32_t w = 0; w < words; ++w) found[w] |= open[w];
  }
  std::copy(found, found + words, bits);
  worker.scratch.rewind(mark);
}

}  // namespace hdb
