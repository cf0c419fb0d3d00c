// The cells of a limb, read off a summary that has the limb's columns: what is in the summary need not be counted from rows again.
#include <algorithm>

#include "plane/limb.h"
#include "plane/summary_impl.h"

namespace hdb {

namespace {

constexpr uint32_t kChunksHeld = 4;  // chunks read under one hold of the plane's latch

size_t place_of(uint32_t column, const std::vector<uint32_t>& own) {
  return static_cast<size_t>(std::find(own.begin(), own.end(), column) - own.begin());
}

// By code of a dimension: factor times the limb's code for its value.
std::vector<uint32_t> parts_of(const DimensionValues& values, bool text, bool nullable, int64_t low, uint64_t capacity, uint32_t factor) {
  const uint32_t first = nullable ? 1 : 0;
  std::vector<uint32_t> out(values.size(), LimbPlaces::kNone);
  if (nullable) out[0] = 0;
  for (uint32_t code = 1; code < out.size(); ++code) {
    const Datum& d = values.value(code);
    const uint64_t own = text ? d.text()->code : static_cast<uint64_t>(d.i64()) - static_cast<uint64_t>(low);
    if (own < capacity) out[code] = static_cast<uint32_t>(own + first) * factor;
  }
  return out;
}

// Adds parts of cell numbers; what has no place anywhere is kNone.
template <class Code>
void add_parts(const std::vector<uint32_t>& part, const Code* codes, uint32_t count, uint32_t* at) {
  const auto known = static_cast<uint32_t>(part.size());
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t p = codes[i] < known ? part[codes[i]] : LimbPlaces::kNone;
    at[i] = at[i] == LimbPlaces::kNone || p == LimbPlaces::kNone ? LimbPlaces::kNone : at[i] + p;
  }
}

void add(int64_t* field, uint64_t value) { *field = static_cast<int64_t>(static_cast<uint64_t>(*field) + value); }

// One entry of a delta or of what is pending. LM2: sums fit 64 bits, so their low words add up to them.
bool add_entry(const PlaneDelta& delta, size_t e, size_t measure_count, const LimbForm& form, const LimbPlaces& places, uint32_t at, int sign, int64_t* fields) {
  if (at == LimbPlaces::kNone) return false;
  int64_t* cell = fields + uint64_t{at} * form.stride;
  cell[0] += sign * delta.weights[e];
  for (size_t m = 0; m < form.measures.size(); ++m) {
    const MeasureDelta& d = delta.measures[e * measure_count + places.measures[m]];
    add(&cell[form.measures[m].sum], sign > 0 ? d.sum.lo : 0 - d.sum.lo);
    if (form.measures[m].nullable) cell[form.measures[m].count] += sign * d.count;
  }
  return true;
}

uint32_t place_of_cell(const CellChunk& c, uint32_t i, const LimbPlaces& places) {
  uint32_t at = 0;
  for (size_t d = 0; d < places.dimensions.size(); ++d) {
    const uint32_t code = c.codes[places.dimensions[d]].at(i);
    add_parts(places.part[d], &code, 1, &at);
  }
  return at;
}

// The committed cells of one chunk.
bool add_chunk(const CellChunk& c, uint32_t count, const LimbForm& form, const LimbPlaces& places, int64_t* fields) {
  uint32_t at[kChunkCells];
  std::fill(at, at + count, 0u);
  for (size_t d = 0; d < places.dimensions.size(); ++d) {
    c.codes[places.dimensions[d]].visit([&](const auto* codes) { add_parts(places.part[d], codes, count, at); });
  }
  uint64_t lost = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (at[i] != LimbPlaces::kNone) continue;
    lost |= static_cast<uint64_t>(c.weight.at(i));
    at[i] = 0;  // nothing is added there: its weight is 0, so are its sums
  }
  if (lost != 0) return false;
  const uint64_t stride = form.stride;
  if (form.measures.size() == 1 && !form.measures[0].nullable) {
    const uint64_t* low = &c.low[places.measures[0] * kChunkCells];
    c.weight.visit([&](const auto* weights) {
      for (uint32_t i = 0; i < count; ++i) {
        int64_t* cell = fields + at[i] * stride;
        cell[0] += weights[i];
        add(&cell[1], low[i]);
      }
    });
    return true;
  }
  c.weight.visit([&](const auto* weights) {
    for (uint32_t i = 0; i < count; ++i) fields[at[i] * stride] += weights[i];
  });
  for (size_t m = 0; m < form.measures.size(); ++m) {
    const uint64_t* low = &c.low[places.measures[m] * kChunkCells];
    for (uint32_t i = 0; i < count; ++i) add(&fields[at[i] * stride + form.measures[m].sum], low[i]);
    if (!form.measures[m].nullable) continue;
    c.counts(places.measures[m]).visit([&](const auto* values) {
      for (uint32_t i = 0; i < count; ++i) fields[at[i] * stride + form.measures[m].count] += values[i];
    });
  }
  return true;
}

}  // namespace

bool Summary::covers(uint32_t key, const std::vector<uint32_t>& locals, const std::vector<uint32_t>& measures) const {
  const auto dimension = [&](uint32_t c) { return place_of(c, dimensions_) < dimensions_.size(); };
  const auto measure = [&](uint32_t c) { return place_of(c, measures_) < measures_.size(); };
  return dimension(key) && std::all_of(locals.begin(), locals.end(), dimension) && std::all_of(measures.begin(), measures.end(), measure);
}

LimbPlaces Summary::limb_places(const LimbForm& form) const {
  const SharedLatch hold(impl_->latch);
  LimbPlaces out;
  uint32_t factor = form.local_cells();
  const auto take = [&](uint32_t column, bool text, bool nullable, int64_t low, uint64_t capacity) {
    out.dimensions.push_back(place_of(column, dimensions_));
    out.part.push_back(parts_of(impl_->values[out.dimensions.back()], text, nullable, low, capacity, factor));
  };
  take(form.key.column, form.key.text, true, form.key.low, form.key.capacity);
  for (const LimbLocal& l : form.locals) {
    factor /= l.capacity;
    take(l.column, l.text, l.nullable, l.low, l.capacity - (l.nullable ? 1 : 0));
  }
  for (const LimbMeasure& m : form.measures) out.measures.push_back(place_of(m.column, measures_));
  out.cells = impl_->cells;
  out.apart = out.dimensions.size() == dimensions_.size();
  return out;
}

bool Summary::add_to_limb(const Snapshot& snapshot, const LimbForm& form, const LimbPlaces& places, uint64_t first, uint64_t end, int64_t* fields) const {
  const Impl& p = *impl_;
  for (uint64_t begin = first; begin < end; begin += uint64_t{kChunksHeld} * kChunkCells) {
    const SharedLatch hold(p.latch);
    const uint64_t to = std::min<uint64_t>({begin + uint64_t{kChunksHeld} * kChunkCells, end, p.cells});
    for (uint64_t at = begin; at < to; at += kChunkCells) {
      if (!add_chunk(*p.chunks[at / kChunkCells], static_cast<uint32_t>(std::min<uint64_t>(kChunkCells, to - at)), form, places, fields)) return false;
    }
    // P1: what was committed since is taken off again, of the same cells under the same hold.
    for (size_t n = p.deltas.size(); n-- > 0 && p.deltas[n]->commit > snapshot.commit;) {
      const PlaneDelta& delta = *p.deltas[n];
      const auto last = delta.ordinals.begin() + delta.attached;
      for (auto it = std::lower_bound(delta.ordinals.begin(), last, begin); it != last && *it < to; ++it) {
        const uint32_t at = place_of_cell(*p.chunks[*it / kChunkCells], *it % kChunkCells, places);
        if (!add_entry(delta, static_cast<size_t>(it - delta.ordinals.begin()), p.measures, form, places, at, -1, fields)) return false;
      }
    }
  }
  return true;
}

bool Summary::add_own_to_limb(const Snapshot& snapshot, const LimbForm& form, const LimbPlaces& places, int64_t* fields) const {
  if (snapshot.transaction == nullptr) return true;
  const Impl& p = *impl_;
  const SharedLatch hold(p.latch);
  for (size_t e = 0; e < p.pending.size(); ++e) {
    const uint32_t at = place_of_cell(*p.chunks[p.pending.ordinals[e] / kChunkCells], p.pending.ordinals[e] % kChunkCells, places);
    if (!add_entry(p.pending, e, p.measures, form, places, at, +1, fields)) return false;
  }
  return true;
}

}  // namespace hdb
