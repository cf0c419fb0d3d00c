#include "plane/summary.h"

#include <algorithm>

#include "base/bitmap.h"
#include "base/check.h"
#include "base/protocol.h"
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
    if (chunk(o).weight.at(o % kChunkCells) == 0 && pending_slot[o] == 0) vacant.push_back(o);
  }
}

uint32_t Summary::Impl::create_cell(const Datum* row, const std::vector<uint32_t>& dims, const std::string& name) {
  // A vacant ordinal may have come back to life at its own address since it was listed.
  const auto taken = [this](uint32_t o) { return !deltas.empty() || chunk(o).weight.at(o % kChunkCells) != 0 || pending_slot[o] != 0; };
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
    charge(bytes);
    others_charged = std::max(others_charged, others);
    auto c = std::make_unique<CellChunk>(dimensions(), measures);
    const ExclusiveLatch hold(latch);
    chunks.push_back(std::move(c));
  }
  if (pending_slot.size() <= ordinal) pending_slot.resize(size_t{ordinal} + ordinal / 4 + 64, 0);
  if (fresh.size() == fresh.capacity()) fresh.reserve(std::max<size_t>(16, fresh.size() * 2));
  widen_codes(chunk(ordinal));
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
      chunk(ordinal).codes[d].set(ordinal % kChunkCells, codes[d]);
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

// Room in a chunk for the codes of a cell that is about to be made; a value that is unknown will get the next code.
void Summary::Impl::widen_codes(CellChunk& c) {
  for (size_t d = 0; d < dimensions(); ++d) {
    const uint32_t code = codes[d] == DimensionValues::kUnknown ? values[d].size() : codes[d];
    if (c.codes[d].fits(code)) continue;
    charge(PackedCodes::bytes_for(code) - c.codes[d].bytes());
    PackedCodes wider = c.codes[d].widened(code);
    const ExclusiveLatch hold(latch);
    c.codes[d] = std::move(wider);
  }
}

// What publishing an entry will need is made now (C4): high parts, wider counts, counts of a measure that were its cells' weights.
void Summary::Impl::make_room(const PlaneDelta& delta, size_t i) {
  CellChunk& c = chunk(delta.ordinals[i]);
  const uint32_t at = delta.ordinals[i] % kChunkCells;
  const int64_t weight = c.weight.at(at) + delta.weights[i];
  const auto widen = [&](PackedCounts& counts, int64_t n) {
    if (counts.fits(n)) return;
    charge(PackedCounts::kWideBytes - PackedCounts::kNarrowBytes);
    PackedCounts wider = counts.copy(true);
    const ExclusiveLatch hold(latch);
    counts = std::move(wider);
  };
  widen(c.weight, weight);
  for (size_t m = 0; m < measures; ++m) {
    const MeasureDelta& d = delta.measures[i * measures + m];
    const int64_t count = c.counts(m).at(at) + d.count;
    if (c.count[m] == nullptr && count != weight) {
      charge(c.weight.bytes());
      auto own = c.make_counts();
      const ExclusiveLatch hold(latch);
      c.count[m] = std::move(own);
    }
    if (c.count[m] != nullptr) widen(*c.count[m], count);
    if (c.high[m] != nullptr) continue;
    Sum128 s = c.sum(m, at);
    s.merge(d.sum);
    if (s.fits_int64()) continue;
    charge(kChunkCells * 8);
    auto high = c.make_high(m);
    const ExclusiveLatch hold(latch);
    c.high[m] = std::move(high);
  }
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
  const int64_t old = c.weight.at(at), now = old + delta.weights[i];
  c.weight.set(at, now);
  for (size_t m = 0; m < measures; ++m) {
    const MeasureDelta& d = delta.measures[i * measures + m];
    Sum128 s = c.sum(m, at);
    s.merge(d.sum);
    c.set_sum(m, at, s);
    if (c.count[m] != nullptr) c.count[m]->set(at, c.count[m]->at(at) + d.count);
  }
  return old == 0 || now == 0;
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
    if (o + 1 != cells || chunk(o).weight.at(o % kChunkCells) != 0) continue;
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

Summary::~Summary() { protocol::tell({protocol::Event::kPlaneGone, nullptr, 0, 0, 0, static_cast<const RowSink*>(this)}); }

// ---- what plan/ and SHOW want to know

uint64_t Summary::cell_count() const {
  const SharedLatch hold(impl_->latch);
  return impl_->cells;
}

uint64_t Summary::live_cells() const {
  const SharedLatch hold(impl_->latch);
  uint64_t n = 0;
  for (uint32_t o = 0; o < impl_->cells; ++o) n += impl_->chunk(o).weight.at(o % kChunkCells) > 0 ? 1 : 0;
  return n;
}

uint64_t Summary::bytes() const {
  const SharedLatch hold(impl_->latch);
  uint64_t n = sizeof(Summary) + sizeof(Impl);
  for (const auto& c : impl_->chunks) n += c->bytes();
  for (const DimensionValues& v : impl_->values) n += v.bytes();
  {
    const SharedLatch also(impl_->folds_latch);
    n += impl_->folds_bytes;
  }
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

void fill_dimension(const DimensionValues& values, const PackedCodes& codes, const std::vector<uint32_t>& kept, const Dictionary* dictionary,
                    CellDimension* out) {
  const auto n = static_cast<uint32_t>(kept.size());
  const bool text = values.type().lane() == Lane::kText, coded = text && !values.any_heap_text();
  out->type = values.type();
  out->any_null = false;
  out->nulls.assign(bitmap_words(n), 0);
  out->values.resize(text ? 0 : n);
  out->codes.resize(coded ? n : 0);
  out->texts.resize(text && !coded ? n : 0);
  out->dictionary = coded ? dictionary : nullptr;
  const auto each = [&](const auto* code, auto&& put) {
    for (uint32_t i = 0; i < n; ++i) {
      const Datum& d = values.value(code[kept[i]]);
      put(i, d);
      if (!d.null) continue;
      out->any_null = true;
      bit_set(out->nulls.data(), i);
    }
  };
  codes.visit([&](const auto* code) {
    if (coded) each(code, [&](uint32_t i, const Datum& d) { out->codes[i] = d.null ? 0 : d.text()->code; });
    else if (text) each(code, [&](uint32_t i, const Datum& d) { out->texts[i] = d.null ? std::string_view() : d.text()->view(); });
    else each(code, [&](uint32_t i, const Datum& d) { out->values[i] = d.null ? 0 : d.i64(); });
  });
}

}  // namespace

// Under the shared latch: a chunk as it is.
void Summary::Impl::read_chunk(const CellChunk& c, uint32_t count, const std::vector<size_t>& wanted, std::vector<uint32_t>* kept, CellBatch* out) const {
  c.weight.visit([&](const auto* weight) {
    for (uint32_t i = 0; i < count; ++i) {
      if (weight[i] != 0) kept->push_back(i);
    }
    out->weight.resize(kept->size());
    for (size_t i = 0; i < kept->size(); ++i) out->weight[i] = weight[(*kept)[i]];
  });
  for (size_t m = 0; m < wanted.size(); ++m) {
    CellMeasure& to = out->measures[m];
    to.sum.resize(kept->size());
    to.count.resize(kept->size());
    const uint64_t* low = c.low.get() + wanted[m] * kChunkCells;
    const bool high = c.high[wanted[m]] != nullptr;
    for (size_t i = 0; i < kept->size(); ++i) to.sum[i] = high ? c.sum(wanted[m], (*kept)[i]).value() : int128{static_cast<int64_t>(low[(*kept)[i]])};
    c.counts(wanted[m]).visit([&](const auto* counts) {
      for (size_t i = 0; i < kept->size(); ++i) to.count[i] = counts[(*kept)[i]];
    });
  }
}

// Under the shared latch: a chunk as the snapshot saw it, with its own changes. P1: the current cells minus what was committed since.
void Summary::Impl::read_rewound(const CellChunk& c, const Snapshot& snapshot, uint32_t begin, uint32_t count, const std::vector<size_t>& wanted,
                                 std::vector<uint32_t>* kept, CellBatch* out) const {
  ChunkCopy copy;
  c.weight.visit([&](const auto* weight) { copy.weight.assign(weight, weight + count); });
  copy.measures.resize(wanted.size() * kChunkCells);
  for (size_t m = 0; m < wanted.size(); ++m) {
    const PackedCounts& counts = c.counts(wanted[m]);
    for (uint32_t i = 0; i < count; ++i) copy.measures[m * kChunkCells + i] = {c.sum(wanted[m], i), counts.at(i)};
  }
  const auto apply_entry = [&](const PlaneDelta& delta, size_t e, int sign) {
    const uint32_t at = delta.ordinals[e] - begin;
    copy.weight[at] += sign * delta.weights[e];
    for (size_t m = 0; m < wanted.size(); ++m) {
      const MeasureDelta& d = delta.measures[e * measures + wanted[m]];
      MeasureDelta& to = copy.measures[m * kChunkCells + at];
      if (sign > 0) to.sum.merge(d.sum);
      else to.sum.unmerge(d.sum);
      to.count += sign * d.count;
    }
  };
  for (size_t n = deltas.size(); n-- > 0 && deltas[n]->commit > snapshot.commit;) {
    const PlaneDelta& delta = *deltas[n];
    const auto from = std::lower_bound(delta.ordinals.begin(), delta.ordinals.begin() + delta.attached, begin);
    for (auto it = from; it != delta.ordinals.begin() + delta.attached && *it < begin + count; ++it)
      apply_entry(delta, static_cast<size_t>(it - delta.ordinals.begin()), -1);
  }
  if (snapshot.transaction != nullptr && !pending.empty()) {
    if (pending.size() < count) {
      for (size_t e = 0; e < pending.size(); ++e) {
        if (pending.ordinals[e] >= begin && pending.ordinals[e] < begin + count) apply_entry(pending, e, +1);
      }
    } else {
      for (uint32_t i = 0; i < count; ++i) {
        if (const uint32_t slot = pending_slot[begin + i]; slot != 0) apply_entry(pending, slot - 1, +1);
      }
    }
  }
  for (uint32_t i = 0; i < count; ++i) {
    if (copy.weight[i] != 0) kept->push_back(i);
  }
  out->weight.resize(kept->size());
  for (size_t i = 0; i < kept->size(); ++i) out->weight[i] = copy.weight[(*kept)[i]];
  for (size_t m = 0; m < wanted.size(); ++m) {
    CellMeasure& to = out->measures[m];
    to.sum.resize(kept->size());
    to.count.resize(kept->size());
    for (size_t i = 0; i < kept->size(); ++i) {
      to.sum[i] = copy.measures[m * kChunkCells + (*kept)[i]].sum.value();
      to.count[i] = copy.measures[m * kChunkCells + (*kept)[i]].count;
    }
  }
}

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
  std::vector<uint32_t> kept;
  kept.reserve(count);
  if (p.shows(snapshot)) p.read_chunk(c, count, measures, &kept, out);
  else p.read_rewound(c, snapshot, begin, count, measures, &kept, out);
  out->rows = static_cast<uint32_t>(kept.size());
  for (size_t d = 0; d < dims.size(); ++d)
    fill_dimension(p.values[dims[d]], c.codes[dims[d]], kept, table_->dictionary(dimensions_[dims[d]]), &out->dimensions[d]);
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
  for (size_t i = 0; i < p.prepared->size(); ++i) p.make_room(*p.prepared, i);
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
    protocol::tell({protocol::Event::kPart, nullptr, commit, to, delta->attached, static_cast<const RowSink*>(this)});
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
  for (; gone < p.deltas.size() && p.deltas[gone]->commit <= bound; ++gone)
    protocol::tell({protocol::Event::kDrop, &registry, p.deltas[gone]->commit, 0, 0, static_cast<const RowSink*>(this)});
  if (gone > 0 && p.spare == nullptr && p.deltas[0]->size() <= kSpareCells) p.spare = std::move(p.deltas[0]);
  p.deltas.erase(p.deltas.begin(), p.deltas.begin() + static_cast<long>(gone));
  // Adjacent deltas C1 < C2 <= D become one if no registered S lies in [C1, C2) (C5).
  try {
    for (size_t i = p.deltas.size(); i-- > 1;) {
      PlaneDelta& older = *p.deltas[i - 1];
      PlaneDelta& newer = *p.deltas[i];
      if (newer.commit > durable || registry.any_in(older.commit, newer.commit)) continue;
      newer.merge(older, p.measures);
      protocol::tell({protocol::Event::kMerge, &registry, older.commit, newer.commit, 0, static_cast<const RowSink*>(this)});
      p.deltas.erase(p.deltas.begin() + static_cast<long>(i) - 1);
    }
  } catch (const std::bad_alloc&) {
    // A merge only saves memory; without it every delta stays as it was.
  }
}

}  // namespace hdb
