#include "exec/scan.h"

#include <algorithm>

#include "base/check.h"
#include "base/epoch.h"
#include "exact/decimal.h"
#include "exact/wide.h"

namespace hdb {

namespace {

constexpr uint32_t kCodesMax = 8192;  // distinct values up to which a text test is run for all of them at once

Function mirrored(Function f) {
  switch (f) {
    case Function::kLess: return Function::kGreater;
    case Function::kLessEqual: return Function::kGreaterEqual;
    case Function::kGreater: return Function::kLess;
    case Function::kGreaterEqual: return Function::kLessEqual;
    default: return f;
  }
}

bool is_comparison(Function f) { return f >= Function::kEqual && f <= Function::kGreaterEqual; }
bool fixed(const Expr& e) { return e.kind == ExprKind::kConstant || e.kind == ExprKind::kParameter; }

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

}  // namespace

ScanPlan::ScanPlan(const Node& node, ExecContext& context) : node_(node), context_(context), blocks_(node.table->table->block_count()) {
  for (const ScanColumn& c : node.columns) {
    ordinals_.push_back(c.ordinal);
    columns_.add(c.id, node.table->columns[c.ordinal].type);
  }
  if (node.row_id != kNoColumn) columns_.add(node.row_id, Type::bigint());
  for (const ExprPtr& e : node.filters) {
    // Tests that cannot raise may run before others; they only make fewer rows reach those.
    if (take_null_test(*e) || take_comparison(*e) || take_code_test(e)) continue;
    rest_.push_back(e);
  }
}

bool ScanPlan::take_null_test(const Expr& e) {
  if (e.kind != ExprKind::kCall || (e.function != Function::kIsNull && e.function != Function::kIsNotNull)) return false;
  if (e.args[0]->kind != ExprKind::kColumn) return false;
  const uint32_t column = columns_.index(e.args[0]->column);
  if (column >= ordinals_.size()) return false;
  nulls_.push_back({column, e.function == Function::kIsNull});
  return true;
}

bool ScanPlan::take_comparison(const Expr& e) {
  if (e.kind != ExprKind::kCall || !is_comparison(e.function)) return false;
  const bool forward = e.args[0]->kind == ExprKind::kColumn && fixed(*e.args[1]);
  if (!forward && !(e.args[1]->kind == ExprKind::kColumn && fixed(*e.args[0]))) return false;
  const Expr& column = *e.args[forward ? 0 : 1];
  const Expr& value = *e.args[forward ? 1 : 0];
  const uint32_t place = columns_.index(column.column);
  if (column.type.lane() != Lane::kInt64 || value.type.lane() == Lane::kDouble || value.type.lane() == Lane::kText || place >= ordinals_.size()) return false;
  const Value v = evaluate_constant(value, context_.parameters);
  if (v.null) {
    empty_ = true;
    return true;
  }
  int64_t x = 0;
  if (!to_domain(v, value.type, column.type, &x)) return false;
  ints_.push_back({place, range_of(forward ? e.function : mirrored(e.function), x)});
  return true;
}

bool ScanPlan::take_code_test(const ExprPtr& e) {
  if (can_fail(*e)) return false;
  std::vector<ColumnId> used;
  collect_columns(*e, &used);
  if (used.empty()) return false;
  for (const ColumnId id : used) {
    if (id != used[0]) return false;
  }
  const uint32_t place = columns_.index(used[0]);
  if (place >= ordinals_.size() || columns_.type(place).lane() != Lane::kText) return false;
  const Dictionary* dictionary = table().dictionary(ordinals_[place]);
  if (dictionary == nullptr || dictionary->size() == 0 || dictionary->size() > kCodesMax || dictionary->overflowed()) return false;
  auto test = std::make_unique<CodeTest>();
  test->column = place;
  test->expr = e;
  codes_.push_back(std::move(test));
  return true;
}

bool ScanPlan::open(uint64_t block, BlockView* view) const {
  {
    const EpochManager::Guard guard(*context_.epochs);
    view->open(table(), block, ordinals_, context_.snapshot);
  }
  if (view->visible_count() == 0) return false;
  for (const IntTest& t : ints_) {
    const Zone& z = view->zone(t.column);
    if (z.low > z.high) return false;  // NULLs only: no comparison is true
    if (!t.range.negate && (t.range.low > z.high || t.range.high < z.low)) return false;
    if (t.range.negate && z.low == z.high && t.range.low <= z.low && t.range.high >= z.high) return false;
  }
  return true;
}

// The test for every code, and for NULL after them.
void ScanPlan::prepare(CodeTest& test, Worker& worker) const {
  const Dictionary* dictionary = table().dictionary(ordinals_[test.column]);
  const uint32_t size = dictionary->size();
  test.pass.assign(size + 1, 0);
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
    chunk.columns.resize(columns_.size());
    chunk.columns[test.column] = make_vector(columns_.type(test.column), static_cast<const std::string_view*>(views), nulls);
    const Vector v = worker.evaluator.evaluate(*test.expr, columns_, chunk);
    for (uint32_t i = 0; i < count; ++i) test.pass[first + i] = !v.is_null(i) && v.i64[v.at(i)] != 0;
    worker.scratch.rewind(mark);
  }
  test.usable = true;
}

bool ScanPlan::select_by_code(CodeTest& test, const BlockView& view, Worker& worker, uint64_t* bits) const {
  std::call_once(test.once, [&] { prepare(test, worker); });
  const ColumnBuffer& c = view.column(test.column);
  if (!test.usable || c.encoding != Encoding::kCode) return false;
  const auto size = static_cast<uint32_t>(test.pass.size() - 1);
  // Codes that came after prepare() belong to rows that this snapshot does not see; they need a place all the same.
  const uint32_t now = c.dictionary->size();
  std::vector<uint8_t> longer;
  const uint8_t* pass = test.pass.data();
  if (now > size) {
    longer.assign(test.pass.begin(), test.pass.end() - 1);
    longer.resize(now, 0);
    pass = longer.data();
  }
  if (c.nulls == nullptr) {
    and_codes(c, pass, view.rows(), bits);
    return true;
  }
  uint64_t with_null[kBlockWords];
  const uint32_t words = bitmap_words(view.rows());
  for (uint32_t w = 0; w < words; ++w) with_null[w] = test.pass[size] != 0 ? bits[w] & c.nulls[w] : 0;
  for (uint32_t w = 0; w < words; ++w) bits[w] &= ~c.nulls[w];
  and_codes(c, pass, view.rows(), bits);
  for (uint32_t w = 0; w < words; ++w) bits[w] |= with_null[w];
  return true;
}

uint32_t ScanPlan::select(const BlockView& view, Worker& worker, uint64_t* bits) const {
  const uint32_t rows = view.rows(), words = bitmap_words(rows);
  std::memcpy(bits, view.visible(), words * 8);
  if (rows % 64 != 0) bits[words - 1] &= (uint64_t{1} << (rows % 64)) - 1;
  for (const NullTest& t : nulls_) and_nulls(view.column(t.column), t.null, rows, bits);
  for (const IntTest& t : ints_) {
    const ColumnBuffer& c = view.column(t.column);
    const Zone& z = view.zone(t.column);
    if (c.nulls != nullptr) and_nulls(c, false, rows, bits);
    // All of the zone inside: every value passes.
    if (!t.range.negate && t.range.low <= z.low && t.range.high >= z.high) continue;
    and_range(c, t.range, rows, bits);
  }
  for (const auto& t : codes_) {
    if (select_by_code(*t, view, worker, bits)) continue;
    // A block in another encoding: row by row.
    const Scratch::Mark mark = worker.scratch.mark();
    auto* slots = worker.scratch.array<uint32_t>(rows);
    const uint32_t count = list_bits(bits, rows, slots);
    std::vector<bool> wanted(columns_.size());
    wanted[t->column] = true;
    for (uint32_t first = 0; first < count; first += kVectorRows) {
      const uint32_t n = std::min(kVectorRows, count - first);
      Chunk chunk;
      fill(view, 0, slots + first, n, wanted, worker.scratch, &chunk);
      const Vector v = worker.evaluator.evaluate(*t->expr, columns_, chunk);
      for (uint32_t i = 0; i < n; ++i) {
        if (v.is_null(i) || v.i64[v.at(i)] == 0) bit_clear(bits, slots[first + i]);
      }
    }
    worker.scratch.rewind(mark);
  }
  return bitmap_count(bits, words);
}

namespace {

const uint64_t* nulls_of(const ColumnBuffer& c, uint32_t first, const uint32_t* slots, uint32_t count, Scratch& scratch) {
  if (c.nulls == nullptr) return nullptr;
  if (slots == nullptr) return c.nulls + first / 64;
  auto* out = scratch.zeroed<uint64_t>(bitmap_words(count));
  uint64_t any = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t bit = (c.nulls[slots[i] >> 6] >> (slots[i] & 63)) & 1;
    out[i >> 6] |= bit << (i & 63);
    any |= bit;
  }
  return any != 0 ? out : nullptr;
}

Vector int_column(const ColumnBuffer& c, const Type& type, uint32_t first, const uint32_t* slots, uint32_t count, Scratch& scratch) {
  if (slots == nullptr && c.width == 8) return make_vector(type, reinterpret_cast<const int64_t*>(c.data) + first, nullptr);
  auto* out = scratch.array<int64_t>(count);
  if (slots == nullptr) decode_ints(c, first, count, out);
  else gather_ints(c, slots, count, out);
  return make_vector(type, static_cast<const int64_t*>(out), nullptr);
}

Vector real_column(const ColumnBuffer& c, const Type& type, uint32_t first, const uint32_t* slots, uint32_t count, Scratch& scratch) {
  const auto* data = reinterpret_cast<const double*>(c.data);
  if (c.width == 0) {  // no value yet: NULLs only
    return make_vector(type, static_cast<const double*>(scratch.zeroed<double>(count)), nullptr);
  }
  if (slots == nullptr) return make_vector(type, data + first, nullptr);
  auto* out = scratch.array<double>(count);
  for (uint32_t i = 0; i < count; ++i) out[i] = data[slots[i]];
  return make_vector(type, static_cast<const double*>(out), nullptr);
}

Vector text_column(const ColumnBuffer& c, const Type& type, uint32_t first, const uint32_t* slots, uint32_t count, Scratch& scratch) {
  if (c.encoding == Encoding::kCode && c.dictionary->size() > 0) {
    auto* out = scratch.array<uint32_t>(count);
    if (slots == nullptr) decode_codes(c, first, count, out);
    else gather_codes(c, slots, count, out);
    Vector v;
    v.type = type;
    v.lane = Lane::kText;
    v.codes = out;
    v.dictionary = c.dictionary;
    return v;
  }
  auto* out = scratch.array<std::string_view>(count);
  const auto* entries = reinterpret_cast<const TextEntry* const*>(c.data);
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t slot = slots != nullptr ? slots[i] : first + i;
    const bool some = c.encoding == Encoding::kHeap && !c.is_null(slot) && entries[slot] != nullptr;
    out[i] = some ? entries[slot]->view() : std::string_view("", 0);
  }
  return make_vector(type, static_cast<const std::string_view*>(out), nullptr);
}

}  // namespace

void ScanPlan::fill(const BlockView& view, uint32_t first, const uint32_t* slots, uint32_t count, const std::vector<bool>& wanted, Scratch& scratch,
                    Chunk* out) const {
  out->rows = count;
  out->columns.resize(columns_.size());
  for (uint32_t i = 0; i < ordinals_.size(); ++i) {
    if (!wanted[i]) continue;
    const ColumnBuffer& c = view.column(i);
    const Type& type = columns_.type(i);
    Vector& v = out->columns[i];
    switch (type.lane()) {
      case Lane::kText: v = text_column(c, type, first, slots, count, scratch); break;
      case Lane::kDouble: v = real_column(c, type, first, slots, count, scratch); break;
      default: v = int_column(c, type, first, slots, count, scratch); break;
    }
    v.nulls = nulls_of(c, first, slots, count, scratch);
  }
  if (node_.row_id == kNoColumn || !wanted[ordinals_.size()]) return;
  auto* ids = scratch.array<int64_t>(count);
  for (uint32_t i = 0; i < count; ++i) ids[i] = static_cast<int64_t>(view.first_row() + (slots != nullptr ? slots[i] : first + i));
  out->columns[ordinals_.size()] = make_vector(Type::bigint(), static_cast<const int64_t*>(ids), nullptr);
}

namespace {

class ScanSource final : public Source {
 public:
  ScanSource(const Node& node, ExecContext& context, ColumnMap* map) : plan_(node, context) {
    const uint32_t table_columns = static_cast<uint32_t>(plan_.ordinals().size());
    out_.resize(plan_.columns().size());
    rest_.resize(plan_.columns().size());
    for (uint32_t i = 0; i < plan_.columns().size(); ++i) {
      out_[i] = i >= table_columns || i < table_columns - node.filter_only;
      if (!out_[i]) continue;
      map->add(plan_.columns().id(i), plan_.columns().type(i));
      places_.push_back(i);
    }
    std::vector<ColumnId> used;
    for (const ExprPtr& e : plan_.rest()) collect_columns(*e, &used);
    for (const ColumnId id : used) rest_[plan_.columns().index(id)] = true;
    for (size_t i = 0; i < out_.size(); ++i) late_.push_back(out_[i] && !rest_[i]);
    rows_hint_ = std::min<uint64_t>(plan_.blocks() * kBlockRows, plan_.table().live_rows.load(std::memory_order_relaxed) + kBlockRows);
  }

  uint32_t morsels() const override { return plan_.empty() ? 0 : static_cast<uint32_t>(plan_.blocks()); }
  uint64_t rows_hint() const override { return rows_hint_; }

  void run(uint32_t morsel, Worker& worker, Operator& out) override {
    BlockView view;
    worker.context.cancel->check();
    worker.scratch.reset();
    if (!plan_.open(morsel, &view)) return;
    auto* bits = worker.scratch.array<uint64_t>(kBlockWords);
    const uint32_t count = plan_.select(view, worker, bits);
    if (count == 0) return;
    const bool whole = count == view.rows();
    uint32_t* slots = nullptr;
    if (!whole) {
      slots = worker.scratch.array<uint32_t>(count);
      list_bits(bits, view.rows(), slots);
    }
    const Scratch::Mark mark = worker.scratch.mark();
    for (uint32_t first = 0; first < count && out.wants_more(); first += kVectorRows) {
      worker.context.cancel->check();
      worker.scratch.rewind(mark);
      send(view, first, whole ? nullptr : slots + first, std::min(kVectorRows, count - first), worker, out);
    }
  }

 private:
  void send(const BlockView& view, uint32_t first, const uint32_t* slots, uint32_t count, Worker& worker, Operator& out) {
    Chunk chunk, result;
    if (!plan_.rest().empty()) {
      plan_.fill(view, first, slots, count, rest_, worker.scratch, &chunk);
      auto* passed = worker.scratch.array<uint32_t>(count);
      const uint32_t n = worker.evaluator.filter(plan_.rest(), plan_.columns(), chunk, passed);
      if (n == 0) return;
      if (n < count) {
        // What was read for the filter is thinned out; the other columns are read for the rows that are left only.
        for (size_t i = 0; i < chunk.columns.size(); ++i) {
          if (rest_[i] && out_[i]) chunk.columns[i] = gather(chunk.columns[i], passed, n, worker.scratch);
        }
        for (uint32_t i = 0; i < n; ++i) passed[i] = slots != nullptr ? slots[passed[i]] : first + passed[i];
        slots = passed;
        count = n;
      }
    }
    plan_.fill(view, first, slots, count, plan_.rest().empty() ? out_ : late_, worker.scratch, &chunk);
    if (places_.size() == chunk.columns.size()) return out.push(chunk);
    result.rows = count;
    for (const uint32_t place : places_) result.columns.push_back(chunk.columns[place]);
    out.push(result);
  }

  ScanPlan plan_;
  std::vector<bool> out_, rest_, late_;  // columns that come out; that conjuncts need; that are read after them
  std::vector<uint32_t> places_;
  uint64_t rows_hint_;
};

}  // namespace

std::unique_ptr<Source> scan_source(const Node& node, ExecContext& context, ColumnMap* map) {
  return std::make_unique<ScanSource>(node, context, map);
}

}  // namespace hdb
