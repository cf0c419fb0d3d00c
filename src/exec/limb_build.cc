#include "exec/limb_build.h"

#include <algorithm>
#include <atomic>
#include <bit>

#include "base/epoch.h"
#include "base/pool.h"
#include "exec/kernels.h"
#include "txn/block_view.h"

namespace hdb {

namespace {

constexpr uint64_t kBoundMax = uint64_t{1} << 62;
constexpr uint64_t kParallelRows = 3 * uint64_t{kBlockRows};

struct Bounds {
  int64_t low = INT64_MAX, high = INT64_MIN;
  uint64_t width() const {
    if (low > high) return 0;
    const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
    return range == UINT64_MAX ? range : range + 1;
  }
};

uint64_t magnitude(int64_t v) { return v < 0 ? 0 - static_cast<uint64_t>(v) : static_cast<uint64_t>(v); }

// Bounds of the columns over all blocks, and for the measures what their values can add up to at most; false if that is too much.
bool read_zones(const Table& table, const std::vector<uint32_t>& columns, const std::vector<uint32_t>& measures, std::vector<Bounds>* bounds, uint64_t* bound,
                uint64_t* rows) {
  bounds->assign(columns.size(), {});
  std::vector<uint64_t> sums(measures.size(), 0);
  for (uint64_t b = 0; b < table.block_count(); ++b) {
    const Block& block = table.block(b);
    const SharedLatch hold(block.latch);
    *rows += block.rows;
    for (size_t i = 0; i < columns.size(); ++i) {
      const Zone& z = block.zones[columns[i]];
      (*bounds)[i].low = std::min((*bounds)[i].low, z.low);
      (*bounds)[i].high = std::max((*bounds)[i].high, z.high);
    }
    for (size_t m = 0; m < measures.size(); ++m) {
      const Zone& z = block.zones[measures[m]];
      if (z.low > z.high) continue;
      const uint64_t size = std::max(magnitude(z.low), magnitude(z.high));
      if (size > kBoundMax / kBlockRows || (sums[m] += size * block.rows) >= kBoundMax) return false;
    }
  }
  for (const uint64_t s : sums) *bound += s;  // one bound for all measures: it is above each
  return *bound < kBoundMax;
}

// Cells numbers of a block's rows: at = at * capacity + first + code.
template <class T>
void add_codes(const T* data, uint32_t capacity, uint32_t shift, uint32_t rows, uint32_t* at) {
  for (uint32_t i = 0; i < rows; ++i) at[i] = at[i] * capacity + static_cast<uint32_t>(data[i]) + shift;
}

bool add_column(const ColumnBuffer& c, bool text, bool null_code, int64_t low, uint32_t capacity, uint32_t rows, uint32_t* at, uint32_t* before) {
  if (c.encoding != (text ? Encoding::kCode : Encoding::kOffset)) {
    // A block whose values are all NULL may be in any form; nothing else is expected.
    return false;
  }
  const uint32_t shift = static_cast<uint32_t>(static_cast<uint64_t>(text ? 0 : c.width == 8 ? 0 : c.base) - static_cast<uint64_t>(text ? 0 : low)) + (null_code ? 1 : 0);
  if (c.nulls != nullptr) std::copy(at, at + rows, before);
  switch (c.width) {
    case 0: for (uint32_t i = 0; i < rows; ++i) at[i] = at[i] * capacity + shift; break;
    case 1: add_codes(c.data, capacity, shift, rows, at); break;
    case 2: add_codes(reinterpret_cast<const uint16_t*>(c.data), capacity, shift, rows, at); break;
    case 4: add_codes(reinterpret_cast<const uint32_t*>(c.data), capacity, shift, rows, at); break;
    default: add_codes(reinterpret_cast<const uint64_t*>(c.data), capacity, shift, rows, at); break;
  }
  if (c.nulls == nullptr) return true;
  if (!null_code) return false;
  for (uint32_t i = 0; i < rows; ++i) {
    if (c.is_null(i)) at[i] = before[i] * capacity;
  }
  return true;
}

template <class T>
void add_values(const T* data, int64_t base, const uint32_t* at, const uint32_t* slots, uint32_t count, uint32_t stride, uint32_t field, int64_t* cells) {
  if (slots == nullptr) {
    for (uint32_t i = 0; i < count; ++i) cells[size_t{at[i]} * stride + field] += base + static_cast<int64_t>(data[i]);
    return;
  }
  for (uint32_t i = 0; i < count; ++i) cells[size_t{at[slots[i]]} * stride + field] += base + static_cast<int64_t>(data[slots[i]]);
}

// The commonest form: every row counts and has the one measure.
template <class T>
void add_pairs(const T* data, int64_t base, const uint32_t* at, uint32_t count, int64_t* cells) {
  for (uint32_t i = 0; i < count; ++i) {
    int64_t* cell = cells + size_t{at[i]} * 2;
    cell[0] += 1;
    cell[1] += base + static_cast<int64_t>(data[i]);
  }
}

class Counter {
 public:
  // group_of, if not null: by key slot what takes its place in cell numbers, below form.key.capacity + 1. copies: rows take turns among so many
  // copies of the cells, so that additions do not wait for each other.
  Counter(const Table& table, const LimbForm& form, ExecContext& context, const std::vector<uint32_t>* group_of = nullptr, uint32_t copies = 1)
      : table_(table), form_(form), context_(context), group_of_(group_of), copies_(copies) {
    columns_.push_back(form.key.column);
    for (const LimbLocal& l : form.locals) columns_.push_back(l.column);
    for (const LimbMeasure& m : form.measures) columns_.push_back(m.column);
    if (group_of != nullptr && form.key.capacity <= UINT8_MAX) small_groups_.assign(group_of->begin(), group_of->end());
  }

  // Adds the block's rows to `cells`; false: it does not have the expected form.
  bool add(uint64_t block, Scratch& scratch, int64_t* cells) const {
    Addressed a;
    scratch.reset();
    open(block, &a.view);
    if (add_to_few(a.view, scratch, cells)) return true;
    if (!address(scratch, &a)) return false;
    if (a.count > 0) add_fields(a.view, a.at, a.slots, a.count, scratch, cells);
    return true;
  }

  // Rows of a block with their cell numbers: at[slots[i]], or at[i] if there are no slots, for i below count.
  struct Addressed {
    BlockView view;
    uint32_t* at = nullptr;
    uint32_t* slots = nullptr;
    uint32_t count = 0;
  };
  bool address(uint64_t block, Scratch& scratch, Addressed* out) const {
    scratch.reset();
    open(block, &out->view);
    return address(scratch, out);
  }
  void open(uint64_t block, BlockView* view) const {
    const EpochManager::Guard guard(*context_.epochs);
    view->open(table_, block, columns_, context_.snapshot);
  }
  // The same of an open view.
  bool address(Scratch& scratch, Addressed* out) const {
    const BlockView& view = out->view;
    const uint32_t rows = view.rows();
    if (view.visible_count() == 0) return true;
    auto* at = out->at = scratch.zeroed<uint32_t>(rows);
    auto* before = scratch.array<uint32_t>(rows);
    if (!add_column(view.column(0), form_.key.text, true, form_.key.low, static_cast<uint32_t>(form_.key.capacity + 1), rows, at, before)) return false;
    if (group_of_ != nullptr) to_groups(rows, at);
    for (size_t l = 0; l < form_.locals.size(); ++l) {
      const LimbLocal& own = form_.locals[l];
      if (!add_column(view.column(1 + l), own.text, own.nullable, own.low, own.capacity, rows, at, before)) return false;
    }
    if (copies_ > 1) {
      const auto copy = static_cast<uint32_t>(form_.cells());
      for (uint32_t i = 0; i < rows; ++i) at[i] += i % copies_ * copy;
    }
    out->count = rows;
    if (!view.all_visible()) {
      out->slots = scratch.array<uint32_t>(view.visible_count());
      out->count = list_bits(view.visible(), rows, out->slots);
    }
    return true;
  }

  // What is added to a stored key to get its slot.
  uint32_t key_shift(const ColumnBuffer& c) const {
    return form_.key.text ? 1 : static_cast<uint32_t>(static_cast<uint64_t>(c.base) - static_cast<uint64_t>(form_.key.low)) + 1;
  }
  // All rows count, key and measure are there in all of them, in at most 4 bytes each.
  bool plain(const BlockView& view) const {
    if (form_.stride != 2 || form_.measures.size() != 1 || !view.all_visible() || view.visible_count() != view.rows()) return false;
    const ColumnBuffer &key = view.column(0), &value = view.column(1 + form_.locals.size());
    return key.encoding == (form_.key.text ? Encoding::kCode : Encoding::kOffset) && key.nulls == nullptr && value.encoding == Encoding::kOffset &&
           value.nulls == nullptr && key.width <= 4 && value.width <= 4;
  }
  // f(values) with the column's own type of offsets; false: it has none.
  template <class F>
  static bool by_width(const ColumnBuffer& c, F f) {
    switch (c.width) {
      case 1: return f(c.data);
      case 2: return f(reinterpret_cast<const uint16_t*>(c.data));
      case 4: return f(reinterpret_cast<const uint32_t*>(c.data));
      default: return false;
    }
  }

 private:
  // A plain block whose rows go to few groups: a word a cell, its count above its sum of offsets (14 bits of rows, 32 of an offset), in four copies.
  bool add_to_few(const BlockView& view, Scratch& scratch, int64_t* cells) const {
    constexpr uint32_t kSumBits = 46;
    static_assert(kBlockRows <= 1u << 14);
    if (small_groups_.empty() || form_.locals.size() > 1 || !plain(view)) return false;
    const ColumnBuffer &key = view.column(0), &value = view.column(1 + form_.locals.size());
    const uint32_t rows = view.rows(), shift = key_shift(key), last = static_cast<uint32_t>(small_groups_.size()) - 1;
    const uint32_t count = form_.local_cells() * (static_cast<uint32_t>(form_.key.capacity) + 1);
    auto* sums = scratch.zeroed<uint64_t>(size_t{count} * 4);
    const uint8_t* groups = small_groups_.data();
    const auto loop = [&](const auto* k, const auto* v, auto local, uint32_t capacity) {
      for (uint32_t i = 0; i < rows; ++i) {
        const uint32_t cell = uint32_t{groups[std::min(static_cast<uint32_t>(k[i]) + shift, last)]} * capacity + local(i);
        sums[size_t{cell} * 4 + i % 4] += (uint64_t{1} << kSumBits) + v[i];
      }
      return true;
    };
    const bool done = by_width(key, [&](const auto* k) {
      return by_width(value, [&](const auto* v) {
        if (form_.locals.empty()) return loop(k, v, [](uint32_t) { return 0u; }, 1);
        const LimbLocal& own = form_.locals[0];
        const ColumnBuffer& c = view.column(1);
        if (c.encoding != (own.text ? Encoding::kCode : Encoding::kOffset) || c.nulls != nullptr || c.width != 1) return false;
        const uint32_t first = static_cast<uint32_t>(static_cast<uint64_t>(own.text ? 0 : c.base) - static_cast<uint64_t>(own.text ? 0 : own.low)) + (own.nullable ? 1 : 0);
        return loop(k, v, [&](uint32_t i) { return c.data[i] + first; }, own.capacity);
      });
    });
    if (!done) return false;
    for (uint32_t cell = 0; cell < count; ++cell) {
      for (uint32_t copy = 0; copy < 4; ++copy) {
        const uint64_t sum = sums[size_t{cell} * 4 + copy];
        const auto n = static_cast<int64_t>(sum >> kSumBits);
        cells[size_t{cell} * 2] += n;
        cells[size_t{cell} * 2 + 1] += value.base * n + static_cast<int64_t>(sum & ((uint64_t{1} << kSumBits) - 1));
      }
    }
    return true;
  }

  // A row that the snapshot does not see may have a key outside of the bounds.
  void to_groups(uint32_t rows, uint32_t* at) const {
    const uint32_t* group = group_of_->data();
    const auto last = static_cast<uint32_t>(group_of_->size()) - 1;
    for (uint32_t i = 0; i < rows; ++i) at[i] = group[std::min(at[i], last)];
  }

  void add_fields(const BlockView& view, const uint32_t* at, const uint32_t* slots, uint32_t count, Scratch& scratch, int64_t* cells) const {
    const size_t first = 1 + form_.locals.size();
    const uint32_t stride = form_.stride;
    if (stride == 2 && slots == nullptr && form_.measures.size() == 1) {
      const ColumnBuffer& c = view.column(first);
      if (c.width == 2) return add_pairs(reinterpret_cast<const uint16_t*>(c.data), c.base, at, count, cells);
      if (c.width == 4) return add_pairs(reinterpret_cast<const uint32_t*>(c.data), c.base, at, count, cells);
    }
    for (uint32_t i = 0; i < count; ++i) cells[size_t{at[slots != nullptr ? slots[i] : i]} * stride] += 1;
    for (size_t m = 0; m < form_.measures.size(); ++m) {
      const ColumnBuffer& c = view.column(first + m);
      const uint32_t* chosen = slots;
      uint32_t n = count;
      if (c.nulls != nullptr) {
        auto* some = scratch.array<uint32_t>(count);
        n = 0;
        for (uint32_t i = 0; i < count; ++i) {
          const uint32_t slot = slots != nullptr ? slots[i] : i;
          some[n] = slot;
          n += static_cast<uint32_t>(!c.is_null(slot));
        }
        chosen = some;
      }
      const LimbMeasure& own = form_.measures[m];
      if (own.nullable) {
        for (uint32_t i = 0; i < n; ++i) cells[size_t{at[chosen != nullptr ? chosen[i] : i]} * stride + own.count] += 1;
      }
      switch (c.width) {
        case 0: for (uint32_t i = 0; i < n; ++i) cells[size_t{at[chosen != nullptr ? chosen[i] : i]} * stride + own.sum] += c.base; break;
        case 1: add_values(c.data, c.base, at, chosen, n, stride, own.sum, cells); break;
        case 2: add_values(reinterpret_cast<const uint16_t*>(c.data), c.base, at, chosen, n, stride, own.sum, cells); break;
        case 4: add_values(reinterpret_cast<const uint32_t*>(c.data), c.base, at, chosen, n, stride, own.sum, cells); break;
        default: add_values(reinterpret_cast<const int64_t*>(c.data), 0, at, chosen, n, stride, own.sum, cells); break;
      }
    }
  }

  const Table& table_;
  const LimbForm& form_;
  ExecContext& context_;
  const std::vector<uint32_t>* group_of_;
  std::vector<uint8_t> small_groups_;  // group_of, if its groups are few
  const uint32_t copies_;
  std::vector<uint32_t> columns_;
};

// The cells of one worker for keys without locals and one measure: plain blocks go into a word a key, its count above its sum of offsets from the lowest
// value, so that a row touches 8 bytes; before a word could overflow all of them are added to the cells.
class PackedCells {
 public:
  // cells: of the worker, which get everything in flush().
  PackedCells(const Counter& counter, const LimbPlan& plan, ExecContext& context, int64_t* cells)
      : counter_(counter), plan_(plan), words_(plan.form.cells(), context.budget), cells_(cells) {
    const uint64_t range = static_cast<uint64_t>(plan.high) - static_cast<uint64_t>(plan.low);
    row_bits_ = (64 - static_cast<uint32_t>(std::bit_width(range))) / 2;
  }
  // Worth it only if many rows fit between two flushes.
  static bool fits(const LimbPlan& plan) {
    if (!plan.form.locals.empty() || plan.form.stride != 2 || plan.form.measures.size() != 1 || plan.high < plan.low) return false;
    const uint64_t range = static_cast<uint64_t>(plan.high) - static_cast<uint64_t>(plan.low);
    return std::bit_width(range) <= 26 && plan.form.cells() <= plan.rows / 8;
  }
  bool add(uint64_t block, Scratch& scratch) {
    scratch.reset();
    Counter::Addressed a;
    counter_.open(block, &a.view);
    if (!counter_.plain(a.view) || !add_words(a.view)) return counter_.add(block, scratch, cells_);
    return true;
  }
  void flush() {
    if (rows_ == 0) return;
    rows_ = 0;
    auto* words = reinterpret_cast<uint64_t*>(words_.data());
    const uint64_t sum_bits = 64 - row_bits_, mask = (uint64_t{1} << sum_bits) - 1;
    for (uint64_t c = 0, n = plan_.form.cells(); c < n; ++c) {
      const auto count = static_cast<int64_t>(words[c] >> sum_bits);
      cells_[c * 2] += count;
      cells_[c * 2 + 1] += plan_.low * count + static_cast<int64_t>(words[c] & mask);
      words[c] = 0;
    }
  }

 private:
  bool add_words(const BlockView& view) {
    const ColumnBuffer &key = view.column(0), &value = view.column(1);
    const uint32_t rows = view.rows(), shift = counter_.key_shift(key);
    if ((rows_ + rows) >> row_bits_ != 0) flush();
    auto* words = reinterpret_cast<uint64_t*>(words_.data());
    const uint64_t one = (uint64_t{1} << (64 - row_bits_)) + static_cast<uint64_t>(value.base) - static_cast<uint64_t>(plan_.low);
    const bool done = Counter::by_width(key, [&](const auto* k) {
      return Counter::by_width(value, [&](const auto* v) {
        for (uint32_t i = 0; i < rows; ++i) words[static_cast<uint32_t>(k[i]) + shift] += one + v[i];
        return true;
      });
    });
    if (done) rows_ += rows;
    return done;
  }

  const Counter& counter_;
  const LimbPlan& plan_;
  LimbCells words_;
  int64_t* cells_;
  uint32_t row_bits_ = 0;  // of a word, for its count
  uint64_t rows_ = 0;
};

// Adds all blocks up, each worker into cells of its own, and the workers' cells into the first one's. fields: of one worker. packed: PackedCells fits.
std::optional<LimbCells> count_blocks(const Table& table, const Counter& counter, uint64_t fields, uint32_t workers, Executor& executor, const LimbPlan* packed = nullptr) {
  ExecContext& context = executor.context();
  const auto blocks = static_cast<uint32_t>(table.block_count());
  std::vector<LimbCells> cells;
  std::vector<PackedCells> words;
  for (uint32_t w = 0; w < workers; ++w) {
    cells.emplace_back(fields, context.budget);
    if (packed != nullptr) words.emplace_back(counter, *packed, context, cells[w].data());
    executor.worker(w);
  }
  std::atomic<bool> ok{true};
  const auto one = [&](uint32_t w, uint32_t task) {
    for (uint32_t b = task * 8; b < std::min(blocks, task * 8 + 8) && ok.load(std::memory_order_relaxed); ++b) {
      context.cancel->check();
      Scratch& scratch = executor.worker(w).scratch;
      if (!(packed != nullptr ? words[w].add(b, scratch) : counter.add(b, scratch, cells[w].data()))) ok.store(false, std::memory_order_relaxed);
    }
  };
  if (workers == 1) {
    for (uint32_t t = 0; t * 8 < blocks; ++t) one(0, t);
  } else {
    context.pool->parallel_for((blocks + 7) / 8, workers, one);
  }
  if (!ok.load()) return std::nullopt;
  for (PackedCells& w : words) w.flush();
  for (uint32_t w = 1; w < workers; ++w) {
    int64_t* to = cells[0].data();
    const int64_t* from = cells[w].data();
    for (uint64_t i = 0; i < fields; ++i) to[i] += from[i];
  }
  return std::move(cells[0]);
}

uint32_t workers_of(const Table& table, const LimbPlan& plan, const ExecContext& context) {
  if (context.pool == nullptr || plan.rows < kParallelRows) return 1;
  return context.pool->workers_for(static_cast<uint32_t>((table.block_count() + 7) / 8), context.threads);
}

// Cells that do not fit the caches: rows are first sorted into parts of neighbouring cells, a round of blocks at a time (radix partitioning:
// Manegold, Boncz, Kersten 2000), then each part is added up by one worker. One copy of the cells, and no additions that wait for memory.
class PartedCount {
 public:
  static constexpr uint32_t kPartsMax = 64, kRoundBlocks = 128;

  PartedCount(const Counter& counter, const LimbPlan& plan, Executor& executor, uint32_t workers)
      : counter_(counter), plan_(plan), executor_(executor), workers_(workers) {
    while ((plan.form.cells() >> shift_) >= kPartsMax) ++shift_;
    parts_ = static_cast<uint32_t>(plan.form.cells() >> shift_) + 1;
    executor.context().budget->charge(kBytes);
    tuples_.resize(size_t{workers} * parts_);
    for (auto& t : tuples_) t.reserve(uint64_t{kRoundBlocks} * kBlockRows / (uint64_t{workers} * parts_) * 5 / 4);
  }
  ~PartedCount() { executor_.context().budget->release(kBytes); }
  PartedCount(const PartedCount&) = delete;
  PartedCount& operator=(const PartedCount&) = delete;

  // The cells are many, and a row is one word: its cell and at most one value of 32 bits above `low`.
  static bool fits(const LimbPlan& plan) {
    const LimbForm& f = plan.form;
    if (f.cells() < kLimbCellsMany || f.stride > 2) return false;
    return f.stride == 1 || (plan.high >= plan.low && static_cast<uint64_t>(plan.high) - static_cast<uint64_t>(plan.low) <= UINT32_MAX);
  }

  bool run(uint32_t blocks, int64_t* cells) {
    std::atomic<bool> ok{true};
    for (uint32_t first = 0; first < blocks && ok.load(); first += kRoundBlocks) {
      const uint32_t end = std::min(blocks, first + kRoundBlocks);
      for (auto& t : tuples_) t.clear();
      each((end - first + 1) / 2, [&](uint32_t w, uint32_t task) {
        for (uint32_t b = first + task * 2; b < std::min(end, first + task * 2 + 2); ++b) {
          executor_.context().cancel->check();
          if (!sort_block(b, w)) ok.store(false, std::memory_order_relaxed);
        }
      });
      each(parts_, [&](uint32_t, uint32_t part) {
        for (uint32_t w = 0; w < workers_; ++w) add_up(tuples_[size_t{w} * parts_ + part], cells);
      });
    }
    return ok.load();
  }

 private:
  static constexpr uint64_t kBytes = uint64_t{kRoundBlocks} * kBlockRows * 8;

  template <class F>
  void each(uint32_t tasks, const F& f) {
    if (workers_ > 1) return executor_.context().pool->parallel_for(tasks, workers_, f);
    for (uint32_t t = 0; t < tasks; ++t) f(0, t);
  }

  bool sort_block(uint64_t block, uint32_t worker) {
    Counter::Addressed a;
    Scratch& scratch = executor_.worker(worker).scratch;
    if (!counter_.address(block, scratch, &a)) return false;
    if (a.count == 0) return true;
    uint32_t sizes[kPartsMax] = {};
    for (uint32_t i = 0; i < a.count; ++i) ++sizes[a.at[a.slots != nullptr ? a.slots[i] : i] >> shift_];
    uint64_t* to[kPartsMax];
    for (uint32_t p = 0; p < parts_; ++p) {
      auto& t = tuples_[size_t{worker} * parts_ + p];
      const size_t before = t.size();
      t.resize(before + sizes[p]);
      to[p] = t.data() + before;
    }
    if (plan_.form.stride == 1) {
      for (uint32_t i = 0; i < a.count; ++i) {
        const uint32_t cell = a.at[a.slots != nullptr ? a.slots[i] : i];
        *to[cell >> shift_]++ = uint64_t{cell} << 32;
      }
      return true;
    }
    const ColumnBuffer& c = a.view.column(1 + plan_.form.locals.size());
    if (c.nulls != nullptr) return false;
    const uint64_t shift = static_cast<uint64_t>(c.width == 8 ? 0 : c.base) - static_cast<uint64_t>(plan_.low);
    switch (c.width) {
      case 1: spread(c.data, shift, a, to); break;
      case 2: spread(reinterpret_cast<const uint16_t*>(c.data), shift, a, to); break;
      case 4: spread(reinterpret_cast<const uint32_t*>(c.data), shift, a, to); break;
      case 8: spread(reinterpret_cast<const uint64_t*>(c.data), shift, a, to); break;
      default: {
        for (uint32_t i = 0; i < a.count; ++i) {
          const uint32_t cell = a.at[a.slots != nullptr ? a.slots[i] : i];
          *to[cell >> shift_]++ = (uint64_t{cell} << 32) | static_cast<uint32_t>(shift);
        }
      }
    }
    return true;
  }
  template <class T>
  void spread(const T* data, uint64_t shift, const Counter::Addressed& a, uint64_t** to) const {
    for (uint32_t i = 0; i < a.count; ++i) {
      const uint32_t slot = a.slots != nullptr ? a.slots[i] : i;
      const uint32_t cell = a.at[slot];
      *to[cell >> shift_]++ = (uint64_t{cell} << 32) | static_cast<uint32_t>(data[slot] + shift);
    }
  }
  void add_up(const std::vector<uint64_t>& tuples, int64_t* cells) const {
    if (plan_.form.stride == 1) {
      for (const uint64_t t : tuples) ++cells[t >> 32];
      return;
    }
    for (const uint64_t t : tuples) {
      int64_t* cell = cells + (t >> 32) * 2;
      cell[0] += 1;
      cell[1] += plan_.low + static_cast<int64_t>(t & UINT32_MAX);
    }
  }

  const Counter& counter_;
  const LimbPlan& plan_;
  Executor& executor_;
  const uint32_t workers_;
  uint32_t shift_ = 15, parts_ = 1;
  std::vector<std::vector<uint64_t>> tuples_;  // [worker * parts + part]: cell << 32 | value - low
};

}  // namespace

std::optional<LimbPlan> limb_form(const LimbShape& shape) {
  const Table& table = *shape.fact->table->table;
  const TableDef& def = *shape.fact->table;
  LimbPlan plan;
  std::vector<uint32_t> columns{shape.key}, measures;
  for (const ScanColumn& c : shape.locals) columns.push_back(c.ordinal);
  for (const LimbMeasureColumns& m : shape.measures) measures.push_back(m.ordinal);
  if (measures.size() == 1) columns.push_back(measures[0]);
  std::vector<Bounds> bounds;
  if (!read_zones(table, columns, measures, &bounds, &plan.bound, &plan.rows)) return std::nullopt;
  if (measures.size() == 1) {
    plan.low = bounds.back().low;
    plan.high = bounds.back().high;
  }
  // Dictionaries after the blocks: whatever a block held then has a code below the size (C9).
  const auto codes = [&](uint32_t column) -> uint64_t {
    const Dictionary* d = table.dictionary(column);
    return d == nullptr || d->overflowed() ? UINT64_MAX : d->size();
  };
  LimbKey& key = plan.form.key;
  key.column = shape.key;
  key.text = table.type(shape.key).lane() == Lane::kText;
  const uint64_t width = key.text ? codes(shape.key) : bounds[0].width();
  if (width > kLimbFieldsMax) return std::nullopt;
  key.low = key.text || bounds[0].low > bounds[0].high ? 0 : bounds[0].low;
  key.capacity = width + width / 16 + 64;  // new keys come at the end
  if (!key.text && key.low > INT64_MAX - static_cast<int64_t>(key.capacity)) key.capacity = width;
  uint64_t locals = 1;
  for (size_t l = 0; l < shape.locals.size(); ++l) {
    const uint32_t column = shape.locals[l].ordinal;
    LimbLocal& own = plan.form.locals.emplace_back();
    own.column = column;
    own.text = table.type(column).lane() == Lane::kText;
    own.nullable = !def.columns[column].not_null;
    own.low = own.text || bounds[1 + l].low > bounds[1 + l].high ? 0 : bounds[1 + l].low;
    const uint64_t values = own.text ? codes(column) : bounds[1 + l].width();
    if (values >= kLimbLocalMax) return std::nullopt;
    own.capacity = std::max<uint32_t>(1, static_cast<uint32_t>(values) + (own.nullable ? 1 : 0));
    locals *= own.capacity;
    if (locals > kLimbLocalMax) return std::nullopt;
  }
  for (const LimbMeasureColumns& m : shape.measures) {
    LimbMeasure& own = plan.form.measures.emplace_back();
    own.column = m.ordinal;
    own.nullable = !def.columns[m.ordinal].not_null;
    own.sum = plan.form.stride++;
    if (own.nullable) own.count = plan.form.stride++;
  }
  plan.keep = plan.form.cells() <= std::max(kLimbCellsSmall, plan.rows / 2) && plan.form.fields() <= kLimbFieldsMax;
  return plan;
}

std::shared_ptr<Limb> count_limb(const Table& table, const LimbPlan& plan, Executor& executor) {
  ExecContext& context = executor.context();
  const Counter counter(table, plan.form, context);
  uint32_t workers = workers_of(table, plan, context);
  if (PartedCount::fits(plan)) {
    LimbCells cells(plan.form.fields(), context.budget);
    for (uint32_t w = 0; w < workers; ++w) executor.worker(w);
    if (!PartedCount(counter, plan, executor, workers).run(static_cast<uint32_t>(table.block_count()), cells.data())) return nullptr;
    return std::make_shared<Limb>(plan.form, std::move(cells), plan.bound, plan.rows);
  }
  // More copies than rows pay for are not made.
  while (workers > 1 && plan.form.fields() * workers > plan.rows * 4 + kLimbCellsSmall) --workers;
  std::optional<LimbCells> cells = count_blocks(table, counter, plan.form.fields(), workers, executor, PackedCells::fits(plan) ? &plan : nullptr);
  if (!cells) return nullptr;
  return std::make_shared<Limb>(plan.form, std::move(*cells), plan.bound, plan.rows);
}

std::optional<LimbCells> count_groups(const Table& table, const LimbPlan& plan, const std::vector<uint32_t>& group_of, uint32_t groups, Executor& executor) {
  constexpr uint64_t kFewFields = 1024;
  LimbForm form = plan.form;
  form.key.capacity = groups;  // and one for what has no group
  const uint32_t copies = form.fields() <= kFewFields ? 4 : 1;
  const Counter counter(table, form, executor.context(), &group_of, copies);
  std::optional<LimbCells> cells = count_blocks(table, counter, form.fields() * copies, workers_of(table, plan, executor.context()), executor);
  if (!cells) return std::nullopt;
  for (uint32_t c = 1; c < copies; ++c) {
    for (uint64_t i = 0, n = form.fields(); i < n; ++i) cells->data()[i] += cells->data()[c * n + i];
  }
  return cells;
}

}  // namespace hdb
