// Cells of a summary added up over fewer dimensions: what most questions need, and much less to read.
#include <algorithm>
#include <array>

#include "base/bitmap.h"
#include "base/check.h"
#include "plane/summary_impl.h"

namespace hdb {

namespace {

constexpr uint32_t kChunksHeld = 8;      // chunks read under one hold of the plane's latch: some 50 us
constexpr int kAttempts = 3;             // the writer may publish between two holds
constexpr size_t kFoldsMax = 32;         // requests kept; the one that was kept first gives way
constexpr uint64_t kFoldBytesMin = uint64_t{4} << 20;  // folds that are kept may take so much, or as much as the cells do
constexpr uint64_t kFoldSmall = 4096;    // combinations that are folded whether the fold can be kept or not

bool same_request(const CellRequest& a, const CellRequest& b) {
  return a.dimensions == b.dimensions && a.measures == b.measures && a.parts == b.parts;
}

// Codes of the parts in the order of their first values. Under the plane's latch.
std::shared_ptr<const PartCodes> part_codes(const DimensionValues& values, const DatePart& part) {
  auto out = std::make_shared<PartCodes>();
  std::vector<int64_t> raw(values.size());
  for (uint32_t code = 1; code < values.size(); ++code) raw[code] = values.value(code).i64();
  date_parts(part, raw.data(), values.size(), raw.data());
  out->of.assign(values.size(), 0);
  out->values.resize(1);
  boost::unordered_flat_map<int64_t, uint32_t> codes;
  for (uint32_t code = 1; code < values.size(); ++code) {
    // Values that come one after the other often have the same part.
    if (code > 1 && raw[code] == raw[code - 1]) {
      out->of[code] = out->of[code - 1];
      continue;
    }
    const auto [at, added] = codes.try_emplace(raw[code], static_cast<uint32_t>(out->values.size()));
    if (added) out->values.push_back(Datum::of(raw[code]));
    out->of[code] = at->second;
  }
  return out;
}

// Adds cells up by the mixed-radix number of their codes.
class PlaneFold {
 public:
  using Parts = std::vector<std::shared_ptr<const PartCodes>>;
  PlaneFold(const std::vector<size_t>& dims, const std::vector<size_t>& measures, std::vector<uint32_t> capacity, Parts parts, uint64_t size)
      : dims_(dims), measures_(measures), capacity_(std::move(capacity)), parts_(std::move(parts)), place_(size, 0), sums_(measures.size()),
        counts_(measures.size()) {}

  void add_chunk(const CellChunk& c, uint32_t count) {
    std::array<uint32_t, kChunkCells> groups;
    address(c, count, groups.data());
    c.weight.visit([&](const auto* weight) {
      for (uint32_t i = 0; i < count; ++i) {
        if (weight[i] == 0) {
          groups[i] = kNoGroup;
          continue;
        }
        groups[i] = group_of(groups[i]);
        weight_[groups[i]] += weight[i];
      }
    });
    for (size_t m = 0; m < measures_.size(); ++m) {
      int128* sum = sums_[m].data();
      const uint64_t* low = c.low.get() + measures_[m] * kChunkCells;
      const uint64_t* high = c.high[measures_[m]].get();
      for (uint32_t i = 0; i < count; ++i) {
        if (groups[i] != kNoGroup) sum[groups[i]] += high != nullptr ? c.sum(measures_[m], i).value() : int128{static_cast<int64_t>(low[i])};
      }
      int64_t* values = counts_[m].data();
      c.counts(measures_[m]).visit([&](const auto* counts) {
        for (uint32_t i = 0; i < count; ++i) {
          if (groups[i] != kNoGroup) values[groups[i]] += counts[i];
        }
      });
    }
  }
  // One cell's part of a delta.
  void add_entry(const CellChunk& c, uint32_t i, const PlaneDelta& delta, size_t e, size_t measure_count, int sign) {
    const uint32_t g = group_of(address(c, i));
    weight_[g] += sign * delta.weights[e];
    for (size_t m = 0; m < measures_.size(); ++m) {
      const MeasureDelta& d = delta.measures[e * measure_count + measures_[m]];
      sums_[m][g] += sign * d.sum.value();
      counts_[m][g] += sign * d.count;
    }
  }
  void emit(const std::vector<DimensionValues>& values, const std::vector<const Dictionary*>& dictionaries, CellBatch* out) const;
  // To find the cells' rows again; only if no group came to nothing.
  std::shared_ptr<const FoldIndex> index() {
    return std::make_shared<const FoldIndex>(FoldIndex{dims_, measures_, capacity_, parts_, std::move(place_)});
  }

 private:
  static constexpr uint32_t kNoGroup = 0xFFFFFFFFu;

  void address(const CellChunk& c, uint32_t count, uint32_t* out) const {
    std::fill(out, out + count, 0u);
    for (size_t d = 0; d < dims_.size(); ++d) {
      const uint32_t capacity = capacity_[d];
      const auto* of = parts_[d] != nullptr ? parts_[d]->of.data() : nullptr;
      c.codes[dims_[d]].visit([&](const auto* codes) {
        if (of != nullptr) {
          for (uint32_t i = 0; i < count; ++i) out[i] = out[i] * capacity + of[codes[i]];
        } else {
          for (uint32_t i = 0; i < count; ++i) out[i] = out[i] * capacity + codes[i];
        }
      });
    }
  }
  uint32_t address(const CellChunk& c, uint32_t i) const {
    uint32_t at = 0;
    for (size_t d = 0; d < dims_.size(); ++d) {
      const uint32_t code = c.codes[dims_[d]].at(i);
      at = at * capacity_[d] + (parts_[d] != nullptr ? parts_[d]->of[code] : code);
    }
    return at;
  }
  uint32_t group_of(uint32_t at) {
    uint32_t& g = place_[at];
    if (g != 0) return g - 1;
    first_.push_back(at);
    weight_.push_back(0);
    for (size_t m = 0; m < measures_.size(); ++m) {
      sums_[m].push_back(0);
      counts_[m].push_back(0);
    }
    g = static_cast<uint32_t>(first_.size());
    return g - 1;
  }

  const std::vector<size_t>& dims_;
  const std::vector<size_t>& measures_;
  const std::vector<uint32_t> capacity_;
  const Parts parts_;
  std::vector<uint32_t> place_;              // by address: group + 1
  std::vector<uint32_t> first_;              // by group: its address
  std::vector<int64_t> weight_;
  std::vector<std::vector<int128>> sums_;    // by measure, group
  std::vector<std::vector<int64_t>> counts_;
};

void PlaneFold::emit(const std::vector<DimensionValues>& values, const std::vector<const Dictionary*>& dictionaries, CellBatch* out) const {
  std::vector<uint32_t> groups;
  for (uint32_t g = 0; g < first_.size(); ++g) {
    if (weight_[g] != 0) groups.push_back(g);
  }
  out->rows = static_cast<uint32_t>(groups.size());
  out->dimensions.resize(dims_.size());
  out->measures.resize(measures_.size());
  const auto pick = [&](const auto& from, auto* to) {
    to->resize(groups.size());
    for (size_t i = 0; i < groups.size(); ++i) (*to)[i] = from[groups[i]];
  };
  pick(weight_, &out->weight);
  for (size_t m = 0; m < measures_.size(); ++m) {
    pick(sums_[m], &out->measures[m].sum);
    pick(counts_[m], &out->measures[m].count);
  }
  uint64_t divisor = 1;
  for (size_t d = dims_.size(); d-- > 0;) {
    const DimensionValues& v = values[dims_[d]];
    CellDimension& to = out->dimensions[d];
    const PartCodes* part = parts_[d].get();
    to.type = v.type();
    to.nulls.assign(bitmap_words(out->rows), 0);
    const bool text = v.type().lane() == Lane::kText, coded = text && !v.any_heap_text();
    if (coded) to.dictionary = dictionaries[d];
    if (coded) to.codes.reserve(out->rows);
    else if (!text) to.values.reserve(out->rows);
    for (uint32_t i = 0; i < out->rows; ++i) {
      const auto code = static_cast<uint32_t>(first_[groups[i]] / divisor % capacity_[d]);
      const Datum& value = part != nullptr ? part->values[code] : v.value(code);
      if (value.null) {
        to.any_null = true;
        bit_set(to.nulls.data(), i);
      }
      if (coded) to.codes.push_back(value.null ? 0 : value.text()->code);
      else if (text) to.texts.push_back(value.null ? std::string_view() : value.text()->view());
      else to.values.push_back(value.null ? 0 : value.i64());
    }
    divisor *= capacity_[d];
  }
}

uint64_t bytes_of(const CellBatch& b) {
  uint64_t n = sizeof(CellBatch) + b.weight.capacity() * 8;
  for (const CellDimension& d : b.dimensions) n += sizeof d + d.values.capacity() * 8 + d.codes.capacity() * 4 + d.texts.capacity() * 16 + d.nulls.capacity() * 8;
  for (const CellMeasure& m : b.measures) n += sizeof m + m.sum.capacity() * 16 + m.count.capacity() * 8;
  return n;
}

std::vector<size_t> places(const std::vector<uint32_t>& wanted, const std::vector<uint32_t>& own) {
  std::vector<size_t> out;
  for (const uint32_t w : wanted) out.push_back(static_cast<size_t>(std::find(own.begin(), own.end(), w) - own.begin()));
  return out;
}

}  // namespace

uint64_t Summary::cells_read(const std::vector<uint32_t>& dimensions, const std::vector<uint32_t>& values_max) const {
  const SharedLatch hold(impl_->latch);
  uint64_t capacity = 1, values = 1;
  const std::vector<size_t> at = places(dimensions, dimensions_);
  for (size_t i = 0; i < at.size(); ++i) {
    uint64_t codes = impl_->values[at[i]].size();
    if (i < values_max.size() && values_max[i] != 0) codes = std::min<uint64_t>(codes, values_max[i] + 1);
    capacity *= codes;
    values *= std::max<uint64_t>(codes - 1, 1);  // NULL has a code, and mostly no rows
    if (capacity > impl_->fold_limit()) return impl_->cells;
  }
  return std::min<uint64_t>(values, impl_->cells);
}

std::shared_ptr<const CellBatch> Summary::folded(const Snapshot& snapshot, const CellRequest& request) const {
  const Impl& p = *impl_;
  Impl::Fold old;
  std::shared_ptr<const CellBatch> now;
  {
    const SharedLatch hold(p.latch);
    const SharedLatch also(p.folds_latch);
    for (const Impl::Fold& f : p.folds) {
      if (!same_request(f.request, request) || !p.shows(snapshot)) continue;
      if (f.version == p.version) return f.cells;
      if (f.version >= p.recent_from && p.version - f.version <= Impl::kRecentMax) old = f;
    }
    if (old.cells != nullptr) {
      now = p.caught_up(old);
      old.version = p.version;
    }
  }
  if (now != nullptr) {
    p.keep(request, old.version, now, old.index);
    return now;
  }
  const std::vector<size_t> dims = places(request.dimensions, dimensions_), measures = places(request.measures, measures_);
  std::vector<const Dictionary*> dictionaries;
  for (const uint32_t d : request.dimensions) dictionaries.push_back(table_->dictionary(d));
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::optional<PlaneFold> fold;
    std::shared_ptr<CellBatch> out;
    uint64_t version = 0;
    uint32_t cells = 0;
    bool current = false, moved = false;
    for (uint32_t chunk = 0; out == nullptr && !moved;) {
      const SharedLatch hold(p.latch);
      if (!fold) {
        version = p.version;
        cells = p.cells;
        current = p.shows(snapshot);
        uint64_t size = 1;
        std::vector<uint32_t> capacity;
        PlaneFold::Parts parts(dims.size());
        for (size_t d = 0; d < dims.size(); ++d) {
          const DimensionValues& values = p.values[dims[d]];
          if (d < request.parts.size() && request.parts[d]) parts[d] = part_codes(values, *request.parts[d]);
          capacity.push_back(parts[d] != nullptr ? static_cast<uint32_t>(parts[d]->values.size()) : values.size());
          size *= capacity.back();
          if (size > p.fold_limit()) return nullptr;
        }
        // Too large to be kept: reading the cells as they are is less work than folding them each time.
        const uint64_t each = 8 + dims.size() * 8 + measures.size() * 24;
        if (size > kFoldSmall && std::min<uint64_t>(size, cells) * each + size * 4 > p.fold_room()) return nullptr;
        fold.emplace(dims, measures, std::move(capacity), std::move(parts), size);
      }
      moved = p.version != version;
      if (moved) break;
      for (uint32_t n = 0; n < kChunksHeld && chunk * kChunkCells < cells; ++n, ++chunk) {
        fold->add_chunk(*p.chunks[chunk], std::min(kChunkCells, cells - chunk * kChunkCells));
      }
      if (chunk * kChunkCells < cells) continue;
      // P1: an older snapshot is the current plane minus what was committed since; its own transaction adds what is pending.
      for (size_t n = p.deltas.size(); n-- > 0 && p.deltas[n]->commit > snapshot.commit;) {
        const PlaneDelta& delta = *p.deltas[n];
        for (size_t e = 0; e < delta.attached; ++e) fold->add_entry(*p.chunks[delta.ordinals[e] / kChunkCells], delta.ordinals[e] % kChunkCells, delta, e, p.measures, -1);
      }
      if (snapshot.transaction != nullptr) {
        for (size_t e = 0; e < p.pending.size(); ++e)
          fold->add_entry(*p.chunks[p.pending.ordinals[e] / kChunkCells], p.pending.ordinals[e] % kChunkCells, p.pending, e, p.measures, +1);
      }
      out = std::make_shared<CellBatch>();
      fold->emit(p.values, dictionaries, out.get());
      for (size_t d = 0; d < request.parts.size(); ++d) {
        if (request.parts[d]) out->dimensions[d].type = type_of(*request.parts[d]);
      }
    }
    if (moved) continue;
    if (current) p.keep(request, version, out, fold->index());
    return out;
  }
  return nullptr;
}

// Under the shared latch: bytes that all folds that are kept may take.
uint64_t Summary::Impl::fold_room() const { return std::max(kFoldBytesMin, chunks.size() * CellChunk::bytes(dimensions(), measures)); }

// Under the shared latch: the fold plus the changes since, which are all in the ring. Null: a cell of a combination that it does not have.
std::shared_ptr<const CellBatch> Summary::Impl::caught_up(const Fold& old) const {
  const FoldIndex& index = *old.index;
  auto out = std::make_shared<CellBatch>(*old.cells);
  for (uint64_t n = old.version; n < version; ++n) {
    const size_t r = n % kRecentMax;
    const uint32_t ordinal = recent.ordinals[r];
    uint64_t at = 0;
    for (size_t d = 0; d < index.dims.size(); ++d) {
      uint32_t code = codes_of()(ordinal, index.dims[d]);
      if (index.parts[d] != nullptr) {
        if (code >= index.parts[d]->of.size()) return nullptr;  // a value that came since
        code = index.parts[d]->of[code];
      }
      if (code >= index.capacity[d]) return nullptr;
      at = at * index.capacity[d] + code;
    }
    if (index.place[at] == 0) return nullptr;
    const uint32_t row = index.place[at] - 1;
    out->weight[row] += recent.weights[r];
    for (size_t m = 0; m < index.measures.size(); ++m) {
      const MeasureDelta& d = recent.measures[r * measures + index.measures[m]];
      out->measures[m].sum[row] += d.sum.value();
      out->measures[m].count[row] += d.count;
    }
  }
  return out;
}

void Summary::Impl::keep(const CellRequest& request, uint64_t at, const std::shared_ptr<const CellBatch>& fold,
                         const std::shared_ptr<const FoldIndex>& index) const {
  uint64_t bytes = bytes_of(*fold) + index->place.size() * 4;
  for (const auto& part : index->parts) bytes += part != nullptr ? part->of.size() * 4 + part->values.size() * sizeof(Datum) : 0;
  uint64_t room = 0;
  {
    const SharedLatch hold(latch);
    room = fold_room();
  }
  if (bytes > room) return;
  if (budget != nullptr) {
    try {
      budget->charge(bytes);
    } catch (const Error&) {
      return;  // the question is answered all the same
    }
  }
  uint64_t gone = 0;
  {
    const ExclusiveLatch hold(folds_latch);
    const auto drop = [&](std::vector<Fold>::iterator old) {
      gone += old->bytes;
      folds_bytes -= old->bytes;
      folds.erase(old);
    };
    const auto old = std::find_if(folds.begin(), folds.end(), [&](const Fold& f) { return same_request(f.request, request); });
    if (old != folds.end()) drop(old);
    while (!folds.empty() && (folds.size() >= kFoldsMax || folds_bytes + bytes > room)) drop(folds.begin());
    folds.push_back({request, at, bytes, fold, index});
    folds_bytes += bytes;
  }
  if (budget != nullptr) budget->release(gone);
}

}  // namespace hdb
