#include "exec/scan.h"

#include <algorithm>

#include "base/check.h"
#include "base/epoch.h"

namespace hdb {

ScanPlan::ScanPlan(const Node& node, ExecContext& context)
    : node_(node), context_(context), filter_(*this), blocks_(node.table->table->block_count()) {
  for (const ScanColumn& c : node.columns) {
    ordinals_.push_back(c.ordinal);
    columns_.add(c.id, node.table->columns[c.ordinal].type);
  }
  if (node.row_id != kNoColumn) columns_.add(node.row_id, Type::bigint());
  for (const ExprPtr& e : node.filters) {
    // Tests that cannot raise may run before others; they only make fewer rows reach those.
    if (!filter_.take(e)) rest_.push_back(e);
  }
}

bool ScanPlan::open(uint64_t block, BlockView* view) const {
  {
    const EpochManager::Guard guard(*context_.epochs);
    if (!view->open_heads(table(), block, ordinals_, context_.snapshot)) {
      if (view->visible_count() == 0 || filter_.skips(*view)) return false;
      view->open(table(), block, ordinals_, context_.snapshot);
    }
  }
  return view->visible_count() != 0 && !filter_.skips(*view);
}

uint32_t ScanPlan::select(const BlockView& view, Worker& worker, uint64_t* bits) const {
  const uint32_t rows = view.rows(), words = bitmap_words(rows);
  std::memcpy(bits, view.visible(), words * 8);
  if (rows % 64 != 0) bits[words - 1] &= (uint64_t{1} << (rows % 64)) - 1;
  if (filter_.empty()) return view.visible_count();
  filter_.apply(view, worker, bits);
  return kernels().count(bits, rows);
}

namespace {

constexpr uint64_t kSign = uint64_t{1} << 63;

}  // namespace

uint64_t ScanPlan::best_prefix(uint64_t block, uint32_t place, const SortKey& key) const {
  const Block& b = table().block(block);
  const SharedLatch hold(b.latch);
  const Zone& z = b.zones[ordinals_[place]];
  const BufferRef& buffer = b.columns[ordinals_[place]];
  if (key.nulls_first && (!buffer || buffer->nulls != nullptr)) return 0;
  if (z.low > z.high) return key.nulls_first ? 0 : UINT64_MAX;
  return key.descending ? ~(static_cast<uint64_t>(z.high) ^ kSign) : static_cast<uint64_t>(z.low) ^ kSign;
}

uint32_t ScanPlan::select_prefix(const BlockView& view, uint32_t place, const SortKey& key, uint64_t bound, Worker& worker, uint64_t* bits) const {
  const ColumnBuffer& c = view.column(place);
  const uint32_t rows = view.rows(), words = bitmap_words(rows);
  RangeTest range;
  if (key.descending) range.low = static_cast<int64_t>(~bound ^ kSign);
  else range.high = static_cast<int64_t>(bound ^ kSign);
  if (bound != UINT64_MAX) {
    auto* nulls = worker.scratch.zeroed<uint64_t>(words);
    if (c.nulls != nullptr) {
      for (uint32_t w = 0; w < words; ++w) {
        nulls[w] = key.nulls_first ? bits[w] & c.nulls[w] : 0;
        bits[w] &= ~c.nulls[w];
      }
    }
    and_range(c, range, rows, bits);
    for (uint32_t w = 0; w < words; ++w) bits[w] |= nulls[w];
  }
  return kernels().count(bits, rows);
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

  bool guide(ColumnId column, const SortKey& key, const SortBound& bound) override {
    guide_.place = plan_.columns().find(column);
    if (guide_.place >= plan_.ordinals().size() || plan_.columns().type(guide_.place).lane() != Lane::kInt64) return false;
    guide_.key = &key;
    guide_.bound = &bound;
    for (uint64_t b = 0; b < plan_.blocks(); ++b) guide_.order.push_back({plan_.best_prefix(b, guide_.place, key), static_cast<uint32_t>(b)});
    std::sort(guide_.order.begin(), guide_.order.end());
    return true;
  }

  void run(uint32_t morsel, Worker& worker, Operator& out) override {
    BlockView view;
    worker.context.cancel->check();
    worker.scratch.reset();
    if (guide_.bound != nullptr) return run_guided(guide_.order[morsel], view, worker, out);
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
  // The rows that may be among the first of a sort: after each piece the bound is lower, and what is left of the block is tested against it.
  void run_guided(const std::pair<uint64_t, uint32_t>& block, BlockView& view, Worker& worker, Operator& out) {
    if (block.first > guide_.bound->get() || !plan_.open(block.second, &view)) return;
    out.start(block.second);
    auto* bits = worker.scratch.array<uint64_t>(kBlockWords);
    uint32_t count = plan_.select(view, worker, bits);
    auto* slots = worker.scratch.array<uint32_t>(kVectorRows);
    const Scratch::Mark mark = worker.scratch.mark();
    uint64_t tested = UINT64_MAX;
    while (count > 0) {
      worker.context.cancel->check();
      worker.scratch.rewind(mark);
      const uint64_t bound = guide_.bound->get();
      if (bound != tested) count = plan_.select_prefix(view, guide_.place, *guide_.key, bound, worker, bits);
      tested = bound;
      const uint32_t n = take_bits(bits, view.rows(), bound == UINT64_MAX ? kFirstPiece : kVectorRows / 4, slots);
      count -= n;
      if (n > 0) send(view, 0, slots, n, worker, out);
    }
  }

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

  static constexpr uint32_t kFirstPiece = 256;  // rows before there is a bound
  struct Guide {
    uint32_t place = 0;
    const SortKey* key = nullptr;
    const SortBound* bound = nullptr;                    // null: not guided
    std::vector<std::pair<uint64_t, uint32_t>> order;    // best prefix and number of each block, the best first
  };

  ScanPlan plan_;
  Guide guide_;
  std::vector<bool> out_, rest_, late_;  // columns that come out; that conjuncts need; that are read after them
  std::vector<uint32_t> places_;
  uint64_t rows_hint_;
};

}  // namespace

std::unique_ptr<Source> scan_source(const Node& node, ExecContext& context, ColumnMap* map) {
  return std::make_unique<ScanSource>(node, context, map);
}

}  // namespace hdb
