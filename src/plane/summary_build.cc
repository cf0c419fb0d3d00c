#include "plane/summary_build.h"

#include <algorithm>
#include <memory>

#include "base/bitmap.h"
#include "base/check.h"
#include "txn/block_view.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__gnu_linux__)
#define HDB_BUILD_KERNEL __attribute__((optimize("O3"), target_clones("avx2", "default")))
#elif defined(__GNUC__) && !defined(__clang__)
#define HDB_BUILD_KERNEL __attribute__((optimize("O3")))
#else
#define HDB_BUILD_KERNEL
#endif

namespace hdb {

namespace {

constexpr uint32_t kBatchRows = kVectorRows;
constexpr uint32_t kAhead = 16;  // rows between a prefetch and its use
constexpr uint64_t kPrefetchWords = uint64_t{1} << 16;

// at[i] += (data[i] + delta) * step, modulo 2^32: an address is below it.
template <class T>
inline void add_digits(const T* data, uint32_t delta, uint32_t step, uint32_t count, uint32_t* at) {
  for (uint32_t i = 0; i < count; ++i) at[i] += (static_cast<uint32_t>(data[i]) + delta) * step;
}
HDB_BUILD_KERNEL void add_digits1(const uint8_t* d, uint32_t delta, uint32_t step, uint32_t n, uint32_t* at) { add_digits(d, delta, step, n, at); }
HDB_BUILD_KERNEL void add_digits2(const uint16_t* d, uint32_t delta, uint32_t step, uint32_t n, uint32_t* at) { add_digits(d, delta, step, n, at); }
HDB_BUILD_KERNEL void add_digits4(const uint32_t* d, uint32_t delta, uint32_t step, uint32_t n, uint32_t* at) { add_digits(d, delta, step, n, at); }

template <class T>
inline void widen_values(const T* data, uint64_t base, uint32_t count, uint64_t* out) {
  for (uint32_t i = 0; i < count; ++i) out[i] = data[i] + base;
}
HDB_BUILD_KERNEL void widen1(const uint8_t* d, uint64_t base, uint32_t n, uint64_t* out) { widen_values(d, base, n, out); }
HDB_BUILD_KERNEL void widen2(const uint16_t* d, uint64_t base, uint32_t n, uint64_t* out) { widen_values(d, base, n, out); }
HDB_BUILD_KERNEL void widen4(const uint32_t* d, uint64_t base, uint32_t n, uint64_t* out) { widen_values(d, base, n, out); }

template <class T>
const T* slots(const ColumnBuffer& b, uint32_t from) {
  return reinterpret_cast<const T*>(b.data) + from;
}

void values_of(const ColumnBuffer& b, uint32_t from, uint32_t count, uint64_t* out) {
  const auto base = static_cast<uint64_t>(b.base);
  switch (b.width) {
    case 0: return std::fill_n(out, count, base), void();
    case 1: return widen1(slots<uint8_t>(b, from), base, count, out);
    case 2: return widen2(slots<uint16_t>(b, from), base, count, out);
    case 4: return widen4(slots<uint32_t>(b, from), base, count, out);
    default: std::memcpy(out, slots<uint64_t>(b, from), size_t{count} * 8);
  }
}

// Z1 said that there are no others: a write outside of the plane must not happen even if it was wrong.
void check_addresses(const uint32_t* at, uint32_t count, uint64_t addresses) {
  uint32_t highest = 0;
  for (uint32_t i = 0; i < count; ++i) highest = std::max(highest, at[i] == UINT32_MAX ? 0 : at[i]);
  CHECK(highest < addresses);
}

uint64_t magnitude(int64_t v) { return v < 0 ? uint64_t{0} - static_cast<uint64_t>(v) : static_cast<uint64_t>(v); }

}  // namespace

struct SummaryBuilder::Scratch {
  BlockView view;
  uint32_t at[kBatchRows];
  std::vector<uint64_t> values;  // [measure * kBatchRows + i]
  uint64_t last_block = 0;
};

SummaryBuilder::SummaryBuilder(const Table& table, const std::vector<uint32_t>& dimensions, const std::vector<uint32_t>& measures, MemoryBudget* budget)
    : table_(table), budget_(budget) {
  for (const uint32_t c : dimensions) dimensions_.push_back({c, table.type(c).lane() == Lane::kText});
  for (const uint32_t c : measures) measures_.push_back({c});
  columns_ = dimensions;
  columns_.insert(columns_.end(), measures.begin(), measures.end());
}

SummaryBuilder::~SummaryBuilder() {
  if (budget_ != nullptr) budget_->release(charged_);
}

bool SummaryBuilder::plan() {
  // Zone bounds hold for every state that a snapshot may need (Z1), and a column that ever had a NULL keeps its bitmap (S3).
  std::vector<int64_t> low(columns_.size(), INT64_MAX), high(columns_.size(), INT64_MIN);
  std::vector<bool> nulls(columns_.size(), false);
  uint64_t rows = 0;
  for (uint64_t i = 0; i < table_.block_count(); ++i) {
    const Block& b = table_.block(i);
    const SharedLatch hold(b.latch);
    rows += b.rows;
    if (b.rows == 0) continue;
    for (size_t c = 0; c < columns_.size(); ++c) {
      const Zone& z = b.zones[columns_[c]];
      low[c] = std::min(low[c], z.low);
      high[c] = std::max(high[c], z.high);
      const BufferRef& buffer = b.columns[columns_[c]];
      nulls[c] = nulls[c] || (buffer ? buffer->nulls != nullptr : !table_.shape(columns_[c]).not_null);
    }
  }
  for (size_t d = dimensions_.size(); d-- > 0;) {
    Dimension& dim = dimensions_[d];
    dim.null = nulls[d];
    if (dim.text) {
      if (table_.dictionary(dim.column)->overflowed()) return false;
      dim.values = table_.dictionary(dim.column)->size();
    } else if (low[d] <= high[d]) {
      dim.low = static_cast<uint64_t>(low[d]);
      const uint64_t range = static_cast<uint64_t>(high[d]) - dim.low;
      if (range >= kBuildCellsMax) return false;
      dim.values = range + 1;
    }
    dim.step = addresses_;
    addresses_ *= std::max<uint64_t>(dim.digits(), 1);
    if (addresses_ > kBuildCellsMax) return false;
  }
  for (size_t m = 0; m < measures_.size(); ++m) {
    Measure& measure = measures_[m];
    const size_t c = dimensions_.size() + m;
    measure.null = nulls[c];
    const uint64_t most = low[c] <= high[c] ? std::max(magnitude(low[c]), magnitude(high[c])) : 0;
    measure.wide = static_cast<uint128>(most) * rows > static_cast<uint128>(INT64_MAX);
    measure.sum_at = stride_;
    stride_ += measure.wide ? 2 : 1;
    measure.count_at = stride_;
    stride_ += measure.null ? 1 : 0;
  }
  return true;
}

void SummaryBuilder::address_rows(const BlockView& view, uint32_t from, uint32_t count, uint32_t* at) const {
  std::fill_n(at, count, 0u);
  for (size_t d = 0; d < dimensions_.size(); ++d) {
    const Dimension& dim = dimensions_[d];
    const ColumnBuffer& b = view.column(d);
    const auto step = static_cast<uint32_t>(dim.step);
    const auto delta = static_cast<uint32_t>((dim.text ? 0 : static_cast<uint64_t>(b.base)) - dim.low);
    switch (b.width) {
      case 0: {
        for (uint32_t i = 0; i < count; ++i) at[i] += delta * step;
        break;
      }
      case 1: add_digits1(slots<uint8_t>(b, from), delta, step, count, at); break;
      case 2: add_digits2(slots<uint16_t>(b, from), delta, step, count, at); break;
      case 4: add_digits4(slots<uint32_t>(b, from), delta, step, count, at); break;
      default:
        for (uint32_t i = 0; i < count; ++i) at[i] += (static_cast<uint32_t>(b.unsigned_at(from + i)) + delta) * step;
    }
    if (b.nulls == nullptr) continue;
    CHECK(dim.null);
    for (uint32_t i = 0; i < count; ++i) {
      if (b.is_null(from + i)) at[i] += (static_cast<uint32_t>(dim.values) - static_cast<uint32_t>(b.unsigned_at(from + i)) - delta) * step;
    }
  }
}

void SummaryBuilder::add_block(const BlockView& view, uint64_t* plane, Scratch& scratch) const {
  const bool all = view.all_visible(), large = addresses_ * stride_ > kPrefetchWords;
  for (uint32_t from = 0; from < view.rows(); from += kBatchRows) {
    const uint32_t count = std::min(kBatchRows, view.rows() - from);
    uint32_t* at = scratch.at;
    address_rows(view, from, count, at);
    const auto visible = [&](uint32_t i) { return all || bit_test(view.visible(), from + i); };
    const uint64_t first_row = view.first_row() + from;
    if (!all) {
      for (uint32_t i = 0; i < count; ++i) at[i] = visible(i) ? at[i] : UINT32_MAX;
    }
    check_addresses(at, count, addresses_);
    for (uint32_t i = 0; i < count; ++i) {
      if (at[i] == UINT32_MAX) continue;
      if (large && i + kAhead < count) __builtin_prefetch(plane + size_t{at[i + kAhead]} * stride_, 1);
      uint64_t* tile = plane + size_t{at[i]} * stride_;
      if (tile[0]++ == 0) tile[1] = first_row + i;
    }
    for (size_t m = 0; m < measures_.size(); ++m) {
      const Measure& measure = measures_[m];
      const ColumnBuffer& b = view.column(dimensions_.size() + m);
      uint64_t* values = scratch.values.data();
      values_of(b, from, count, values);
      uint64_t* sums = plane + measure.sum_at;
      if (all && !measure.wide && b.nulls == nullptr) {
        for (uint32_t i = 0; i < count; ++i) sums[size_t{at[i]} * stride_] += values[i];
        if (!measure.null) continue;
        for (uint32_t i = 0; i < count; ++i) ++plane[size_t{at[i]} * stride_ + measure.count_at];
        continue;
      }
      for (uint32_t i = 0; i < count; ++i) {
        if (at[i] == UINT32_MAX || b.is_null(from + i)) continue;
        uint64_t* sum = sums + size_t{at[i]} * stride_;
        if (measure.wide) {
          Sum128 s{sum[0], sum[1]};
          s.add(values[i]);
          sum[0] = s.lo;
          sum[1] = s.hi;
        } else {
          sum[0] += values[i];
        }
        if (measure.null) ++plane[size_t{at[i]} * stride_ + measure.count_at];
      }
    }
  }
}

void SummaryBuilder::run(const Snapshot& snapshot, Pool* pool, uint32_t threads, const CancelToken* cancel) {
  const auto blocks = static_cast<uint32_t>(table_.block_count());
  const uint32_t workers = pool == nullptr ? 1 : pool->workers_for(blocks, threads);
  const uint64_t bytes = workers * addresses_ * stride_ * 8;
  if (budget_ != nullptr) budget_->charge(bytes);
  charged_ = bytes;
  for (uint32_t w = 0; w < workers; ++w) planes_.emplace_back(addresses_ * stride_, 0);
  std::vector<std::unique_ptr<Scratch>> scratch(workers);
  const auto work = [&](uint32_t worker, uint32_t block) {
    if (cancel != nullptr) cancel->check();
    if (scratch[worker] == nullptr) {
      scratch[worker] = std::make_unique<Scratch>();
      scratch[worker]->values.resize(kBatchRows);
    }
    Scratch& s = *scratch[worker];
    CHECK(block >= s.last_block);  // a tile's first row is that of its first block
    s.last_block = block;
    if (table_.block(block).rows == 0) return;
    s.view.open(table_, block, columns_, snapshot);
    add_block(s.view, planes_[worker].data(), s);
  };
  if (workers > 1) {
    pool->parallel_for(blocks, workers, work);
  } else {
    for (uint32_t b = 0; b < blocks; ++b) work(0, b);
  }
  merge_planes();
}

void SummaryBuilder::merge_planes() {
  std::vector<uint64_t>& sum = planes_[0];
  for (size_t w = 1; w < planes_.size(); ++w) {
    for (uint64_t a = 0; a < addresses_; ++a) {
      const uint64_t* from = planes_[w].data() + a * stride_;
      if (from[0] == 0) continue;
      uint64_t* to = sum.data() + a * stride_;
      to[1] = to[0] == 0 ? from[1] : std::min(to[1], from[1]);
      to[0] += from[0];
      for (const Measure& m : measures_) {
        if (m.wide) {
          Sum128 s{to[m.sum_at], to[m.sum_at + 1]};
          s.add128(from[m.sum_at], from[m.sum_at + 1]);
          to[m.sum_at] = s.lo;
          to[m.sum_at + 1] = s.hi;
        } else {
          to[m.sum_at] += from[m.sum_at];
        }
        if (m.null) to[m.count_at] += from[m.count_at];
      }
    }
    planes_[w] = {};
  }
  for (uint32_t a = 0; a < addresses_; ++a) {
    if (sum[size_t{a} * stride_] != 0) order_.push_back(a);
  }
  std::sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) { return sum[size_t{a} * stride_ + 1] < sum[size_t{b} * stride_ + 1]; });
}

BuiltMeasure SummaryBuilder::measure(const uint64_t* tile, size_t m) const {
  const Measure& measure = measures_[m];
  BuiltMeasure built;
  if (measure.wide) built.sum = {tile[measure.sum_at], tile[measure.sum_at + 1]};
  else built.sum.add(tile[measure.sum_at]);
  built.count = static_cast<int64_t>(measure.null ? tile[measure.count_at] : tile[0]);
  return built;
}

void SummaryBuilder::decode(uint32_t address, Datum* row) const {
  for (const Dimension& d : dimensions_) {
    const uint64_t digit = address / d.step % std::max<uint64_t>(d.digits(), 1);
    if (digit >= d.values) row[d.column] = {};
    else if (d.text) row[d.column] = Datum::of(table_.dictionary(d.column)->entry(static_cast<uint32_t>(digit)));
    else row[d.column] = {d.low + digit, false};
  }
}

}  // namespace hdb
