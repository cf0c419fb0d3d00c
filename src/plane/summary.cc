#include "plane/summary.h"

#include <algorithm>

#include "base/bitmap.h"
#include "base/check.h"
#include "plane/summary_impl.h"
#include "txn/block_view.h"

namespace hdb {

namespace {
// A large delta is published in parts of this many cells, so that no reader waits for the whole of it (C4).
constexpr uint32_t kPublishCells = 4096;
constexpr size_t kSpareCells = 64;     // a larger delta's memory is not kept
constexpr size_t kPendingCells = 4096;  // nor that of more pending cells
}  // namespace

// A commit that was prepared fails after all, or its statement goes on: pending is what it was.
void Summary::Impl::unprepare() noexcept {
  if (prepared == nullptr) return;
  if (pending.empty()) std::swap(*prepared, pending);
  prepared.reset();
}

uint32_t Summary::Impl::cell_of(const Datum* row, const std::vector<uint32_t>& dims) {
  bool known = true;
  for (size_t d = 0; d < dims.size(); ++d) {
    codes[d] = values[d].find(row[dims[d]]);
    known &= codes[d] != DimensionValues::kUnknown;
  }
  return known ? address.find(codes.data(), codes_of()) : AddressMap::kNone;
}

// Cells that nobody sees rows in: their ordinals may serve another address.
void Summary::Impl::collect_vacant() {
  if (!deltas.empty()) return;
  for (uint32_t o = 0; o < cells; ++o) {
    if (chunk(o).weight[o % kChunkCells] == 0 && pending_slot[o] == 0) vacant.push_back(o);
  }
}

uint32_t Summary::Impl::create_cell(const Datum* row, const std::vector<uint32_t>& dims, const std::string& name) {
  // A vacant ordinal may have come back to life at its own address since it was listed.
  const auto taken = [this](uint32_t o) { return !deltas.empty() || chunk(o).weight[o % kChunkCells] != 0 || pending_slot[o] != 0; };
  while (!vacant.empty() && taken(vacant.back())) vacant.pop_back();
  if (cells >= max_cells && vacant.empty()) collect_vacant();
  if (cells >= max_cells && vacant.empty())
    fail(sqlstate::kProgramLimit, "summary index " + name + " would have more than its max_cells = " + std::to_string(max_cells) + " cells");
  const bool again = cells >= max_cells;
  const uint32_t ordinal = again ? vacant.back() : cells;
  if (!again && ordinal % kChunkCells == 0 && ordinal / kChunkCells == chunks.size()) {
    // With each chunk also what the address table and the dimensions' values have grown by since the last one.
    uint64_t others = address.bytes();
    for (const DimensionValues& v : values) others += v.bytes();
    const uint64_t bytes = CellChunk::bytes(dimensions(), measures) + (others > others_charged ? others - others_charged : 0);
    if (budget != nullptr) budget->charge(bytes);
    charged += bytes;
    others_charged = std::max(others_charged, others);
    auto c = std::make_unique<CellChunk>(dimensions(), measures);
    const ExclusiveLatch hold(latch);
    chunks.push_back(std::move(c));
  }
  if (pending_slot.size() <= ordinal) pending_slot.resize(size_t{ordinal} + ordinal / 4 + 64, 0);
  if (fresh.size() == fresh.capacity()) fresh.reserve(std::max<size_t>(16, fresh.size() * 2));
  if (again) {
    std::vector<uint32_t> old(dimensions());
    for (size_t d = 0; d < old.size(); ++d) old[d] = codes_of()(ordinal, d);
    address.remove(old.data(), codes_of());
    vacant.pop_back();
  }
  {
    const ExclusiveLatch hold(latch);
    for (size_t d = 0; d < dims.size(); ++d) {
      if (codes[d] == DimensionValues::kUnknown) codes[d] = values[d].add(row[dims[d]]);
      chunk(ordinal).codes[d * kChunkCells + ordinal % kChunkCells] = codes[d];
    }
    if (again) forget_recent();  // a cell without rows, but folds go by its codes
    if (!again) ++cells;
  }
  try {
    address.add(codes.data(), ordinal, cells, codes_of());
  } catch (...) {
    const ExclusiveLatch hold(latch);
    if (!again) --cells;
    throw;
  }
  fresh.push_back(ordinal);
  return ordinal;
}

size_t Summary::Impl::pending_entry(uint32_t ordinal) {
  uint32_t& slot = pending_slot[ordinal];
  if (slot == 0) {
    // All three have room before the first grows: a refused allocation leaves nothing half-done.
    if (pending.size() == pending.ordinals.capacity()) {
      const size_t room = std::max<size_t>(16, pending.size() * 2);
      pending.measures.reserve(room * measures);
      pending.weights.reserve(room);
      pending.ordinals.reserve(room);
    }
    pending.measures.resize((pending.size() + 1) * measures);
    pending.weights.push_back(0);
    pending.ordinals.push_back(ordinal);
    slot = static_cast<uint32_t>(pending.size());
  }
  return slot - 1;
}

// Under the exclusive latch: one entry of a delta goes into the cells. True if the cell had no rows before, or has none now.
bool Summary::Impl::add_entry(const PlaneDelta& delta, size_t i) {
  CellChunk& c = chunk(delta.ordinals[i]);
  const uint32_t at = delta.ordinals[i] % kChunkCells;
  const bool was_empty = c.weight[at] == 0;
  c.weight[at] += delta.weights[i];
  for (size_t m = 0; m < measures; ++m) {
    Sum128 s = c.sum(m, at);
    s.merge(delta.measures[i * measures + m].sum);
    c.set_sum(m, at, s);
    c.count[m * kChunkCells + at] += delta.measures[i * measures + m].count;
  }
  return was_empty || c.weight[at] == 0;
}

// Under the exclusive latch: entries [from, to) go into the cells and, if they are few, into the ring.
void Summary::Impl::add_entries(const PlaneDelta& delta, size_t from, size_t to) {
  bool forget = to - from > kRecentMax / 4;
  for (size_t i = from; i < to; ++i) {
    if (add_entry(delta, i)) forget = true;
    if (forget) continue;
    const size_t r = version++ % kRecentMax;
    recent.ordinals[r] = delta.ordinals[i];
    recent.weights[r] = delta.weights[i];
    std::copy_n(delta.measures.begin() + static_cast<long>(i * measures), measures, recent.measures.begin() + static_cast<long>(r * measures));
  }
  if (forget) forget_recent();
}

void Summary::Impl::forget_pending() noexcept {
  for (const uint32_t o : pending.ordinals) pending_slot[o] = 0;
  if (pending.size() > kPendingCells) pending = {};
  else pending.clear();
}

// Cells that this transaction created and that nobody else has seen become vacant, or go if they are the last.
void Summary::Impl::forget_fresh() noexcept {
  for (size_t i = fresh.size(); i-- > 0;) {
    const uint32_t o = fresh[i];
    if (o + 1 != cells || chunk(o).weight[o % kChunkCells] != 0) continue;
    for (size_t d = 0; d < dimensions(); ++d) codes[d] = codes_of()(o, d);
    address.remove(codes.data(), codes_of());
    const ExclusiveLatch hold(latch);
    --cells;
  }
  fresh.clear();
}

// ---- construction

Summary::Summary(std::string name, std::shared_ptr<Table> table, std::vector<uint32_t> dimensions, std::vector<uint32_t> measures,
                 uint64_t max_cells, MemoryBudget* budget)
    : name_(std::move(name)), table_(std::move(table)), dimensions_(std::move(dimensions)), measures_(std::move(measures)), columns_(dimensions_) {
  if (dimensions_.size() > kSummaryDimensionsMax || measures_.size() > kSummaryMeasuresMax)
    fail(sqlstate::kProgramLimit, "a summary index has at most " + std::to_string(kSummaryDimensionsMax) + " dimensions and " +
                                      std::to_string(kSummaryMeasuresMax) + " measures");
  for (const uint32_t d : dimensions_) {
    if (table_->type(d).lane() == Lane::kDouble)
      fail(sqlstate::kFeature, "column " + table_->shape(d).name + " of type DOUBLE cannot be a dimension of a summary index");
  }
  for (const uint32_t m : measures_) {
    if (!table_->type(m).exact_number())
      fail(sqlstate::kFeature, "column " + table_->shape(m).name + " of type " + to_string(table_->type(m)) +
                                   " cannot be a measure of a summary index: measures are BIGINT or DECIMAL");
    if (std::find(columns_.begin(), columns_.end(), m) == columns_.end()) columns_.push_back(m);
  }
  impl_ = std::make_unique<Impl>(*table_, dimensions_, measures_.size(), std::min<uint64_t>(max_cells, UINT32_MAX - 1), budget);
  impl_->codes.resize(dimensions_.size());
}

Summary::~Summary() = default;

// ---- what plan/ and SHOW want to know

uint64_t Summary::cell_count() const {
  const SharedLatch hold(impl_->latch);
  return impl_->cells;
}

uint64_t Summary::live_cells() const {
  const SharedLatch hold(impl_->latch);
  uint64_t n = 0;
  for (uint32_t o = 0; o < impl_->cells; ++o) n += impl_->chunk(o).weight[o % kChunkCells] > 0 ? 1 : 0;
  return n;
}

uint64_t Summary::bytes() const {
  const SharedLatch hold(impl_->latch);
  uint64_t n = sizeof(Summary) + sizeof(Impl) + impl_->chunks.size() * CellChunk::bytes(dimensions_.size(), measures_.size());
  for (const auto& c : impl_->chunks) {
    for (const auto& h : c->high) n += h != nullptr ? kChunkCells * 8 : 0;
  }
  for (const DimensionValues& v : impl_->values) n += v.bytes();
  n += impl_->folds_bytes;
  return n + impl_->address.bytes() + impl_->pending_slot.capacity() * 4;
}

bool Summary::dense() const { return impl_->address.dense(); }

uint32_t Summary::delta_nodes() const {
  const SharedLatch hold(impl_->latch);
  return static_cast<uint32_t>(impl_->deltas.size());
}

std::optional<std::string> Summary::declines(const Snapshot& snapshot) const {
  if (snapshot.commit < impl_->valid_from) return "it is newer than the snapshot";
  if (snapshot.transaction != nullptr && snapshot.transaction->journal_end.load(std::memory_order_relaxed) != snapshot.position)
    return "the transaction has changed rows since the statement began";
  return std::nullopt;
}

// ---- reading

namespace {

// What a snapshot sees of one chunk: copies, from which newer deltas are taken and to which its own pending changes are added.
struct ChunkCopy {
  std::vector<int64_t> weight;
  std::vector<MeasureDelta> measures;  // [measure of the request * kChunkCells + i]
};

void fill_dimension(const DimensionValues& values, const uint32_t* codes, const std::vector<uint32_t>& kept, const Dictionary* dictionary,
                    CellDimension* out) {
  const size_t n = kept.size();
  out->type = values.type();
  out->any_null = false;
  out->nulls.assign(bitmap_words(static_cast<uint32_t>(n)), 0);
  out->values.clear();
  out->codes.clear();
  out->texts.clear();
  out->dictionary = nullptr;
  const bool text = values.type().lane() == Lane::kText;
  const bool coded = text && !values.any_heap_text();
  if (coded) out->dictionary = dictionary;
  for (size_t i = 0; i < n; ++i) {
    const Datum& d = values.value(codes[kept[i]]);
    if (d.null) {
      out->any_null = true;
      bit_set(out->nulls.data(), static_cast<uint32_t>(i));
    }
    if (coded) out->codes.push_back(d.null ? 0 : d.text()->code);
    else if (text) out->texts.push_back(d.null ? std::string_view() : d.text()->view());
    else out->values.push_back(d.null ? 0 : d.i64());
  }
}

}  // namespace

uint64_t Summary::read(const Snapshot& snapshot, uint64_t first, const CellRequest& request, CellBatch* out) const {
  const Impl& p = *impl_;
  std::vector<size_t> dims, measures;
  for (const uint32_t d : request.dimensions)
    dims.push_back(static_cast<size_t>(std::find(dimensions_.begin(), dimensions_.end(), d) - dimensions_.begin()));
  for (const uint32_t m : request.measures)
    measures.push_back(static_cast<size_t>(std::find(measures_.begin(), measures_.end(), m) - measures_.begin()));
  out->dimensions.resize(dims.size());
  out->measures.resize(measures.size());
  out->rows = 0;
  const SharedLatch hold(p.latch);
  if (first >= p.cells) return UINT64_MAX;
  CHECK(first % kChunkCells == 0);
  const auto begin = static_cast<uint32_t>(first);
  const uint32_t count = std::min(kChunkCells, p.cells - begin);
  const CellChunk& c = *p.chunks[begin / kChunkCells];
  ChunkCopy copy;
  copy.weight.assign(c.weight.get(), c.weight.get() + count);
  copy.measures.resize(measures.size() * kChunkCells);
  for (size_t m = 0; m < measures.size(); ++m) {
    for (uint32_t i = 0; i < count; ++i) copy.measures[m * kChunkCells + i] = {c.sum(measures[m], i), c.count[measures[m] * kChunkCells + i]};
  }
  const auto apply_entry = [&](const PlaneDelta& delta, size_t e, int sign) {
    const uint32_t at = delta.ordinals[e] - begin;
    copy.weight[at] += sign * delta.weights[e];
    for (size_t m = 0; m < measures.size(); ++m) {
      const MeasureDelta& d = delta.measures[e * p.measures + measures[m]];
      MeasureDelta& to = copy.measures[m * kChunkCells + at];
      if (sign > 0) to.sum.merge(d.sum);
      else to.sum.unmerge(d.sum);
      to.count += sign * d.count;
    }
  };
  // P1: an older snapshot is the current plane minus what was committed since.
  for (size_t n = p.deltas.size(); n-- > 0 && p.deltas[n]->commit > snapshot.commit;) {
    const PlaneDelta& delta = *p.deltas[n];
    const auto from = std::lower_bound(delta.ordinals.begin(), delta.ordinals.begin() + delta.attached, begin);
    for (auto it = from; it != delta.ordinals.begin() + delta.attached && *it < begin + count; ++it)
      apply_entry(delta, static_cast<size_t>(it - delta.ordinals.begin()), -1);
  }
  if (snapshot.transaction != nullptr && !p.pending.empty()) {
    if (p.pending.size() < count) {
      for (size_t e = 0; e < p.pending.size(); ++e) {
        if (p.pending.ordinals[e] >= begin && p.pending.ordinals[e] < begin + count) apply_entry(p.pending, e, +1);
      }
    } else {
      for (uint32_t i = 0; i < count; ++i) {
        if (const uint32_t slot = p.pending_slot[begin + i]; slot != 0) apply_entry(p.pending, slot - 1, +1);
      }
    }
  }
  std::vector<uint32_t> kept;
  kept.reserve(count);
  for (uint32_t i = 0; i < count; ++i) {
    if (copy.weight[i] != 0) kept.push_back(i);
  }
  out->rows = static_cast<uint32_t>(kept.size());
  out->weight.resize(kept.size());
  for (size_t i = 0; i < kept.size(); ++i) out->weight[i] = copy.weight[kept[i]];
  for (size_t d = 0; d < dims.size(); ++d)
    fill_dimension(p.values[dims[d]], c.codes.get() + dims[d] * kChunkCells, kept, table_->dictionary(dimensions_[dims[d]]), &out->dimensions[d]);
  for (size_t m = 0; m < measures.size(); ++m) {
    CellMeasure& to = out->measures[m];
    to.sum.resize(kept.size());
    to.count.resize(kept.size());
    for (size_t i = 0; i < kept.size(); ++i) {
      to.sum[i] = copy.measures[m * kChunkCells + kept[i]].sum.value();
      to.count[i] = copy.measures[m * kChunkCells + kept[i]].count;
    }
  }
  return begin + count < p.cells ? begin + count : UINT64_MAX;
}

// ---- RowSink

void Summary::apply(const Datum* row, int sign) {
  Impl& p = *impl_;
  p.unprepare();
  uint32_t ordinal = p.cell_of(row, dimensions_);
  if (ordinal == AddressMap::kNone) ordinal = p.create_cell(row, dimensions_, name_);
  const size_t e = p.pending_entry(ordinal);
  p.pending.weights[e] += sign;
  for (size_t m = 0; m < measures_.size(); ++m) {
    const Datum& d = row[measures_[m]];
    if (d.null) continue;
    MeasureDelta& to = p.pending.measures[e * p.measures + m];
    if (sign > 0) to.sum.add(static_cast<uint64_t>(d.i64()));
    else to.sum.sub(static_cast<uint64_t>(d.i64()));
    to.count += sign;
  }
}

void Summary::prepare() {
  Impl& p = *impl_;
  p.prepared = p.spare != nullptr ? std::move(p.spare) : std::make_unique<PlaneDelta>();
  if (p.pending.size() == 1 && p.pending.weights[0] != 0) {
    // One row's worth, by far the most frequent: the arrays change places instead of being copied.
    p.prepared->clear();
    p.prepared->ordinals.swap(p.pending.ordinals);
    p.prepared->weights.swap(p.pending.weights);
    p.prepared->measures.swap(p.pending.measures);
  } else {
    *p.prepared = p.pending;
    p.prepared->normalize(p.measures);
  }
  // High parts that publishing will need are allocated now (C4).
  for (size_t i = 0; i < p.prepared->size(); ++i) {
    const uint32_t o = p.prepared->ordinals[i];
    CellChunk& c = p.chunk(o);
    for (size_t m = 0; m < p.measures; ++m) {
      if (c.high[m] != nullptr) continue;
      Sum128 s = c.sum(m, o % kChunkCells);
      s.merge(p.prepared->measures[i * p.measures + m].sum);
      if (s.fits_int64()) continue;
      auto high = c.make_high(m);
      if (p.budget != nullptr) p.budget->charge(kChunkCells * 8);
      p.charged += kChunkCells * 8;
      const ExclusiveLatch hold(p.latch);
      c.high[m] = std::move(high);
    }
  }
  if (p.deltas.size() < p.deltas.capacity()) return;
  const ExclusiveLatch hold(p.latch);
  p.deltas.reserve(std::max<size_t>(8, p.deltas.size() * 2));
}

void Summary::publish(uint64_t commit) noexcept {
  Impl& p = *impl_;
  if (p.prepared == nullptr) return;
  p.prepared->commit = commit;
  PlaneDelta* delta = p.prepared.get();
  const auto total = static_cast<uint32_t>(delta->size());
  for (uint32_t from = 0; from < total; from += kPublishCells) {
    const uint32_t to = std::min(total, from + kPublishCells);
    // Cells and delta move together: a reader between two parts subtracts exactly what is attached.
    const ExclusiveLatch hold(p.latch);
    if (from == 0) p.deltas.push_back(std::move(p.prepared));
    p.add_entries(*delta, from, to);
    delta->attached = to;
  }
  if (p.pending.empty() && total == 1) p.pending_slot[delta->ordinals[0]] = 0;  // the arrays had changed places
  p.prepared.reset();  // one that came to nothing was not attached
  p.forget_pending();
  p.fresh.clear();
}

void Summary::discard() noexcept {
  Impl& p = *impl_;
  p.unprepare();
  p.forget_pending();
  p.prepared.reset();
  p.forget_fresh();
}

void Summary::reclaim(const SnapshotRegistry& registry) noexcept {
  Impl& p = *impl_;
  if (p.deltas.empty()) return;
  const uint64_t bound = registry.bound(), durable = registry.durable();
  const ExclusiveLatch hold(p.latch);
  // No snapshot older than the bound exists: those deltas have no reader.
  size_t gone = 0;
  while (gone < p.deltas.size() && p.deltas[gone]->commit <= bound) ++gone;
  if (gone > 0 && p.spare == nullptr && p.deltas[0]->size() <= kSpareCells) p.spare = std::move(p.deltas[0]);
  p.deltas.erase(p.deltas.begin(), p.deltas.begin() + static_cast<long>(gone));
  // Adjacent deltas C1 < C2 <= D become one if no registered S lies in [C1, C2) (C5).
  try {
    for (size_t i = p.deltas.size(); i-- > 1;) {
      PlaneDelta& older = *p.deltas[i - 1];
      PlaneDelta& newer = *p.deltas[i];
      if (newer.commit > durable || registry.any_in(older.commit, newer.commit)) continue;
      newer.merge(older, p.measures);
      p.deltas.erase(p.deltas.begin() + static_cast<long>(i) - 1);
    }
  } catch (const std::bad_alloc&) {
    // A merge only saves memory; without it every delta stays as it was.
  }
}

}  // namespace hdb
