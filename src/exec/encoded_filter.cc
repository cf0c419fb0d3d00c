#include "exec/encoded_filter.h"

#include <algorithm>

#include "base/bitmap.h"
#include "exec/evaluate.h"

namespace hdb {

namespace {

bool is_comparison(Function f) { return f >= Function::kEqual && f <= Function::kGreaterEqual; }

Function mirrored(Function f) {
  switch (f) {
    case Function::kLess: return Function::kGreater;
    case Function::kLessEqual: return Function::kGreaterEqual;
    case Function::kGreater: return Function::kLess;
    case Function::kGreaterEqual: return Function::kLessEqual;
    default: return f;
  }
}

bool is_fixed(const Expr& e) { return e.kind == ExprKind::kConstant || e.kind == ExprKind::kParameter; }

// 64 results of pass(i) as a word. The bytes are made in a loop that vectorises, then gathered by multiplication (one bit a byte).
template <class Pass>
uint64_t word_of(const Pass& pass, uint32_t first, uint32_t count) {
  if (count == 64) {
    uint8_t bytes[64];
    for (uint32_t i = 0; i < 64; ++i) bytes[i] = pass(first + i) ? 1 : 0;
    uint64_t word = 0;
    for (uint32_t k = 0; k < 8; ++k) {
      uint64_t eight;
      std::memcpy(&eight, bytes + 8 * k, 8);
      word |= ((eight * 0x0102040810204080u) >> 56) << (8 * k);
    }
    return word;
  }
  uint64_t word = 0;
  for (uint32_t i = 0; i < count; ++i) word |= uint64_t{pass(first + i)} << i;
  return word;
}

template <class Pass>
void narrow(uint64_t* selection, uint32_t rows, const Pass& pass) {
  for (uint32_t w = 0; w < bitmap_words(rows); ++w) {
    if (selection[w] != 0) selection[w] &= word_of(pass, w * 64, std::min(64u, rows - w * 64));
  }
}

template <class Word>
void narrow_range(uint64_t* selection, uint32_t rows, const Word* data, uint64_t low, uint64_t span) {
  const auto from = static_cast<Word>(low), width = static_cast<Word>(span);
  narrow(selection, rows, [=](uint32_t i) { return static_cast<Word>(data[i] - from) <= width; });
}

void drop_nulls(uint64_t* selection, const ColumnBuffer& b, uint32_t rows) {
  if (b.nulls == nullptr) return;
  for (uint32_t w = 0; w < bitmap_words(rows); ++w) selection[w] &= ~b.nulls[w];
}

}  // namespace

EncodedFilter::EncodedFilter(const Node& scan, const ColumnMap& map, const ExecContext& context) {
  bool all_before_cannot_fail = true;
  for (const ExprPtr& e : scan.filters) {
    // A conjunct that may fail must not see rows that an earlier one would have dropped, nor be jumped by a later one that it would have spared:
    // those that cannot fail may be evaluated in any order.
    if (all_before_cannot_fail && (take_range(*e, map, context) || take_codes(e, scan, map, context))) continue;
    if (!all_before_cannot_fail && !can_fail(*e) && (take_range(*e, map, context) || take_codes(e, scan, map, context))) continue;
    rest_.push_back(e);
    all_before_cannot_fail &= !can_fail(*e);
  }
  for (const Range& r : ranges_) never_ |= r.low > r.high;
}

bool EncodedFilter::take_range(const Expr& e, const ColumnMap& map, const ExecContext& context) {
  if (e.kind != ExprKind::kCall || !is_comparison(e.function) || e.function == Function::kNotEqual) return false;
  const bool swapped = is_fixed(*e.args[0]);
  const Expr& column = *e.args[swapped ? 1 : 0];
  const Expr& fixed = *e.args[swapped ? 0 : 1];
  if (column.kind != ExprKind::kColumn || !is_fixed(fixed) || column.type.lane() != Lane::kInt64) return false;
  if (fixed.type.lane() != Lane::kInt64 || fixed.type.scale != column.type.scale) return false;
  const uint32_t at = map.find(column.column);
  if (at == ColumnMap::kNone) return false;
  const Value v = evaluate_constant(fixed, context.parameters);
  if (v.null) {
    never_ = true;
    return true;
  }
  auto it = std::find_if(ranges_.begin(), ranges_.end(), [&](const Range& r) { return r.column == at; });
  if (it == ranges_.end()) it = ranges_.insert(it, Range{at});
  const int64_t x = v.int64();
  switch (swapped ? mirrored(e.function) : e.function) {
    case Function::kEqual: it->low = std::max(it->low, x); it->high = std::min(it->high, x); break;
    case Function::kLess: x == INT64_MIN ? void(never_ = true) : void(it->high = std::min(it->high, x - 1)); break;
    case Function::kLessEqual: it->high = std::min(it->high, x); break;
    case Function::kGreater: x == INT64_MAX ? void(never_ = true) : void(it->low = std::max(it->low, x + 1)); break;
    default: it->low = std::max(it->low, x);
  }
  return true;
}

bool EncodedFilter::take_codes(const ExprPtr& e, const Node& scan, const ColumnMap& map, const ExecContext& context) {
  std::vector<ColumnId> ids;
  collect_columns(*e, &ids);
  if (ids.empty() || std::any_of(ids.begin(), ids.end(), [&](ColumnId id) { return id != ids[0]; }) || can_fail(*e)) return false;
  const uint32_t at = map.find(ids[0]);
  if (at == ColumnMap::kNone || at >= scan.columns.size() || map.type(at).lane() != Lane::kText) return false;
  const Dictionary* dictionary = scan.table->table->dictionary(scan.columns[at].ordinal);
  const uint32_t size = dictionary->size();
  Codes c;
  c.column = at;
  c.conjunct = e;
  c.passes.assign(size <= 256 ? 256 : kDictionaryValuesMax, 0);
  // The conjunct over each distinct text, and over NULL, with a chunk whose only column is that one.
  Scratch scratch(context.budget);
  Evaluator evaluator(context.parameters, scratch, context.budget);
  ColumnMap one;
  one.add(ids[0], map.type(at));
  std::vector<uint32_t> codes(kVectorRows), rows(kVectorRows);
  Chunk chunk;
  chunk.columns.resize(1);
  for (uint32_t first = 0; first < size; first += kVectorRows) {
    context.cancel->check();
    scratch.reset();
    chunk.rows = std::min(kVectorRows, size - first);
    for (uint32_t i = 0; i < chunk.rows; ++i) codes[i] = first + i;
    Vector v;
    v.type = map.type(at);
    v.lane = Lane::kText;
    v.codes = codes.data();
    v.dictionary = dictionary;
    chunk.columns[0] = v;
    const uint32_t n = evaluator.filter({&e, 1}, one, chunk, rows.data());
    for (uint32_t i = 0; i < n; ++i) c.passes[first + rows[i]] = 1;
  }
  scratch.reset();
  chunk.rows = 1;
  chunk.columns[0] = null_vector(map.type(at));
  c.null_passes = evaluator.filter({&e, 1}, one, chunk, rows.data()) == 1;
  codes_.push_back(std::move(c));
  return true;
}

bool EncodedFilter::may_pass(const BlockView& view) const {
  return std::all_of(ranges_.begin(), ranges_.end(), [&](const Range& r) {
    const Zone& z = view.zone(r.column);
    return r.low <= z.high && r.high >= z.low;
  });
}

void EncodedFilter::apply(const BlockView& view, uint64_t* selection, std::vector<ExprPtr>* more) const {
  const uint32_t rows = view.rows();
  for (const Range& r : ranges_) {
    const ColumnBuffer& b = view.column(r.column);
    const Zone& z = view.zone(r.column);
    drop_nulls(selection, b, rows);
    if (r.low <= z.low && r.high >= z.high) continue;  // Z1: every value passes
    if (b.width == 8) {
      const auto* data = reinterpret_cast<const uint64_t*>(b.data);
      narrow_range(selection, rows, data, static_cast<uint64_t>(r.low), static_cast<uint64_t>(r.high) - static_cast<uint64_t>(r.low));
      continue;
    }
    // The range in offsets of this buffer.
    const int128 most = b.width == 0 ? 0 : (int128{1} << (8 * b.width)) - 1;
    const int128 low = std::max(int128{r.low} - b.base, int128{0}), high = std::min(int128{r.high} - b.base, most);
    if (low > high) {
      std::fill(selection, selection + bitmap_words(rows), 0);
      return;
    }
    const auto from = static_cast<uint64_t>(low), span = static_cast<uint64_t>(high - low);
    if (b.width == 1) narrow_range(selection, rows, b.data, from, span);
    if (b.width == 2) narrow_range(selection, rows, reinterpret_cast<const uint16_t*>(b.data), from, span);
    if (b.width == 4) narrow_range(selection, rows, reinterpret_cast<const uint32_t*>(b.data), from, span);
  }
  for (const Codes& c : codes_) {
    const ColumnBuffer& b = view.column(c.column);
    if (b.encoding != Encoding::kCode) {
      more->push_back(c.conjunct);
      continue;
    }
    const uint8_t* passes = c.passes.data();
    const auto size = static_cast<uint32_t>(c.passes.size());
    std::vector<uint64_t> before;
    if (b.nulls != nullptr && c.null_passes) before.assign(selection, selection + bitmap_words(rows));
    if (b.width == 1) narrow(selection, rows, [=, data = b.data](uint32_t i) { return passes[data[i]] != 0; });
    if (b.width == 2) narrow(selection, rows, [=, data = reinterpret_cast<const uint16_t*>(b.data)](uint32_t i) { return data[i] < size && passes[data[i]] != 0; });
    if (b.width == 4) narrow(selection, rows, [=, data = reinterpret_cast<const uint32_t*>(b.data)](uint32_t i) { return data[i] < size && passes[data[i]] != 0; });
    drop_nulls(selection, b, rows);
    if (before.empty()) continue;
    for (uint32_t w = 0; w < bitmap_words(rows); ++w) selection[w] |= before[w] & b.nulls[w];
  }
}

}  // namespace hdb
