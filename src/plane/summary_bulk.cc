// Many rows at once into a summary: those of a load as pending changes, and those that are there when it is created.
#include <algorithm>

#include "base/bitmap.h"
#include "base/check.h"
#include "plane/summary_build.h"
#include "plane/summary_impl.h"
#include "txn/block_view.h"

namespace hdb {

namespace {

constexpr uint32_t kBatchRows = kVectorRows;
constexpr uint32_t kAhead = 16;  // rows between a prefetch and its use

}  // namespace

// The pending entry of each row, in two steps that may throw, before any sum is touched.
class Summary::BulkAdd {
 public:
  BulkAdd(Impl& impl, const std::vector<uint32_t>& dimensions, const std::vector<uint32_t>& measures, const std::string& name)
      : p_(impl), dimensions_(dimensions), measures_(measures), name_(name), codes_(dimensions.size() * kBatchRows) {}

  void run(const ColumnRun* runs, uint32_t from, uint32_t count) {
    entries_.resize(count);
    for (uint32_t done = 0; done < count; done += kBatchRows) find_entries(runs, from + done, std::min(kBatchRows, count - done), entries_.data() + done);
    // Nothing throws from here on.
    for (const uint32_t e : entries_) ++p_.pending.weights[e];
    for (size_t m = 0; m < measures_.size(); ++m) add_measure(runs[measures_[m]], m, from, count);
  }

 private:
  void find_entries(const ColumnRun* runs, uint32_t from, uint32_t count, uint32_t* entries) {
    for (size_t d = 0; d < dimensions_.size(); ++d) {
      uint32_t* codes = codes_.data() + d * kBatchRows;
      const ColumnRun& run = runs[dimensions_[d]];
      DimensionValues& values = p_.values[d];
      if (values.find_all(run, from, count, codes)) continue;
      for (uint32_t i = 0; i < count; ++i) {
        if (codes[i] != DimensionValues::kUnknown) continue;
        const Datum value = run.at(from + i);
        codes[i] = values.find(value);
        if (codes[i] != DimensionValues::kUnknown) continue;
        const ExclusiveLatch hold(p_.latch);
        codes[i] = values.add(value);
      }
    }
    p_.address.find_all(codes_.data(), kBatchRows, count, p_.codes_of(), entries);
    for (uint32_t i = 0; i < count; ++i) {
      if (i + kAhead < count && entries[i + kAhead] < p_.pending_slot.size()) __builtin_prefetch(&p_.pending_slot[entries[i + kAhead]]);
      uint32_t ordinal = entries[i];
      if (ordinal == AddressMap::kNone) ordinal = find_or_create(i);
      entries[i] = static_cast<uint32_t>(p_.pending_entry(ordinal));
    }
  }

  // A cell that was not there when the batch began: an earlier row may have made it since.
  uint32_t find_or_create(uint32_t i) {
    for (size_t d = 0; d < dimensions_.size(); ++d) p_.codes[d] = codes_[d * kBatchRows + i];
    const uint32_t ordinal = p_.address.find(p_.codes.data(), p_.codes_of());
    return ordinal != AddressMap::kNone ? ordinal : p_.create_cell(nullptr, dimensions_, name_);
  }

  void add_measure(const ColumnRun& run, size_t measure, uint32_t from, uint32_t count) {
    MeasureDelta* cells = p_.pending.measures.data() + measure;
    const size_t stride = p_.measures;
    for (uint32_t i = 0; i < count; ++i) {
      if (i + kAhead < count) __builtin_prefetch(&cells[entries_[i + kAhead] * stride], 1);
      if (run.is_null(from + i)) continue;
      MeasureDelta& to = cells[entries_[i] * stride];
      to.sum.add(run.raw[from + i]);
      ++to.count;
    }
  }

  Impl& p_;
  const std::vector<uint32_t>& dimensions_;
  const std::vector<uint32_t>& measures_;
  const std::string& name_;
  std::vector<uint32_t> codes_;    // [dimension * kBatchRows + i]
  std::vector<uint32_t> entries_;  // ordinals first, then indexes into pending
};

void Summary::apply_runs(const ColumnRun* runs, uint32_t, uint32_t from, uint32_t count) {
  impl_->unprepare();
  BulkAdd(*impl_, dimensions_, measures_, name_).run(runs, from, count);
}

// Row by row, for whatever has no small address.
void Summary::add_views(const Snapshot& snapshot, const CancelToken* cancel) {
  BlockView view;
  std::vector<uint64_t> raw(columns_.size() * kBlockRows);
  std::vector<uint64_t> nulls(columns_.size() * kBlockWords);
  std::vector<ColumnRun> runs(table_->column_count());
  for (uint64_t b = 0; b < table_->block_count(); ++b) {
    if (cancel != nullptr) cancel->check();
    view.open(*table_, b, columns_, snapshot);
    std::fill(nulls.begin(), nulls.end(), 0);
    for (size_t c = 0; c < columns_.size(); ++c) {
      uint64_t* values = raw.data() + c * kBlockRows;
      uint64_t* bits = nulls.data() + c * kBlockWords;
      uint32_t n = 0;
      for_each_bit(view.visible(), bitmap_words(view.rows()), [&](uint32_t slot) {
        const Datum d = view.column(c).at(slot);
        if (d.null) bit_set(bits, n);
        values[n++] = d.raw;
      });
      runs[columns_[c]] = {values, bits};
    }
    apply_runs(runs.data(), static_cast<uint32_t>(runs.size()), 0, view.visible_count());
  }
}

std::optional<uint64_t> Summary::settled_version(uint64_t commit) const {
  const SharedLatch hold(impl_->latch);
  if (!impl_->deltas.empty() && impl_->deltas.back()->commit > commit) return std::nullopt;
  return impl_->version;
}

void Summary::set_valid_from(uint64_t commit) { impl_->valid_from = commit; }

bool Summary::load(const CellBatch& cells) {
  Impl& p = *impl_;
  if (cells.dimensions.size() != dimensions_.size() || cells.measures.size() != measures_.size()) return false;
  std::vector<Datum> row(table_->column_count());
  for (uint32_t i = 0; i < cells.rows; ++i) {
    for (size_t d = 0; d < dimensions_.size(); ++d) {
      const CellDimension& from = cells.dimensions[d];
      Datum& to = row[dimensions_[d]];
      if (from.any_null && bit_test(from.nulls.data(), i)) to = {};
      else if (from.dictionary != nullptr) to = Datum::of(from.dictionary->entry(from.codes[i]));
      else if (from.type.lane() == Lane::kText) to = table_->intern(dimensions_[d], from.texts[i]);
      else to = Datum::of(from.values[i]);
    }
    if (cells.weight[i] <= 0 || p.cell_of(row.data(), dimensions_) != AddressMap::kNone) return false;
    const size_t e = p.pending_entry(p.create_cell(row.data(), dimensions_, name_));
    p.pending.weights[e] = cells.weight[i];
    for (size_t m = 0; m < measures_.size(); ++m)
      p.pending.measures[e * p.measures + m] = {Sum128::of(cells.measures[m].sum[i]), cells.measures[m].count[i]};
  }
  prepare();
  for (size_t i = 0; i < p.prepared->size(); ++i) p.add_entry(*p.prepared, i);
  p.forget_recent();
  discard();
  p.fresh.clear();
  return true;
}

void Summary::build(const Snapshot& writer, const CancelToken* cancel, Pool* pool, uint32_t threads) {
  const Snapshot committed{writer.commit, nullptr, 0};
  Impl& p = *impl_;
  CHECK(p.cells == 0 && p.pending.empty());
  SummaryBuilder builder(*table_, dimensions_, measures_, p.budget);
  if (builder.plan()) {
    builder.run(committed, pool, threads, cancel);
    builder.each_cell([&](const Datum* row, int64_t weight, const BuiltMeasure* measures) {
      CHECK(p.cell_of(row, dimensions_) == AddressMap::kNone);  // fills p.codes, too
      const size_t e = p.pending_entry(p.create_cell(row, dimensions_, name_));
      p.pending.weights[e] = weight;
      for (size_t m = 0; m < measures_.size(); ++m) p.pending.measures[e * p.measures + m] = {measures[m].sum, measures[m].count};
    });
  } else {
    add_views(committed, cancel);
  }
  // The committed rows are the cells; no delta is attached, for no older snapshot is served (C5, valid_from).
  prepare();
  for (size_t i = 0; i < p.prepared->size(); ++i) p.add_entry(*p.prepared, i);
  p.forget_recent();
  discard();
  p.fresh.clear();
  p.valid_from = writer.commit;
  // What the transaction itself changed before it created the summary is pending: the difference of the two views of its blocks.
  std::vector<Datum> row(table_->column_count());
  const auto add_view = [&](const BlockView& view, int sign) {
    for_each_bit(view.visible(), bitmap_words(view.rows()), [&](uint32_t slot) {
      for (size_t i = 0; i < columns_.size(); ++i) row[columns_[i]] = view.column(i).at(slot);
      apply(row.data(), sign);
    });
  };
  BlockView view, own;
  for (uint64_t b = 0; b < table_->block_count(); ++b) {
    view.open(*table_, b, columns_, committed);
    if (view.current()) continue;
    own.open(*table_, b, columns_, writer);
    add_view(own, +1);
    add_view(view, -1);
  }
}

}  // namespace hdb
