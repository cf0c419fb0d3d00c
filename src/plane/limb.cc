#include "plane/limb.h"

#include <algorithm>
#include <cstdlib>

#include "txn/transaction.h"

namespace hdb {

namespace {

constexpr size_t kLimbsMax = 6;            // of one table: a write tells each of them
constexpr uint64_t kWritesMin = 20'000;    // so many rows may change between two reads, or a quarter of the table
constexpr size_t kDeltasMax = 64;          // with more of them kept back, old snapshots count rows instead
constexpr uint64_t kBoundMax = uint64_t{1} << 62;

bool value_code(const Datum& d, bool text, int64_t low, uint64_t capacity, uint64_t* code) {
  if (text) {
    *code = d.text()->code;  // kNoCode is above every capacity
  } else {
    *code = static_cast<uint64_t>(d.i64()) - static_cast<uint64_t>(low);
  }
  return *code < capacity;
}

bool same_key(const LimbKey& k, uint32_t column) { return k.column == column; }

// Does the form have these columns?
bool covers(const LimbForm& form, uint32_t key, const std::vector<uint32_t>& locals, const std::vector<uint32_t>& measures) {
  if (!same_key(form.key, key)) return false;
  for (const uint32_t c : locals) {
    if (std::none_of(form.locals.begin(), form.locals.end(), [&](const LimbLocal& l) { return l.column == c; })) return false;
  }
  for (const uint32_t c : measures) {
    if (std::none_of(form.measures.begin(), form.measures.end(), [&](const LimbMeasure& m) { return m.column == c; })) return false;
  }
  return true;
}

// Is everything that `old` answers answered as fast by `fresh`?
bool replaces(const LimbForm& fresh, const LimbForm& old) {
  std::vector<uint32_t> locals, measures;
  for (const LimbLocal& l : old.locals) locals.push_back(l.column);
  for (const LimbMeasure& m : old.measures) measures.push_back(m.column);
  return fresh.locals.size() == old.locals.size() && covers(fresh, old.key.column, locals, measures);
}

}  // namespace

// ---- cells

LimbCells::LimbCells(uint64_t fields, MemoryBudget* budget) : fields_(fields), budget_(budget) {
  if (budget_ != nullptr) budget_->charge(bytes());
  data_ = static_cast<int64_t*>(std::calloc(fields, 8));  // pages come as they are touched, by the thread that does
  if (data_ != nullptr) return;
  if (budget_ != nullptr) budget_->release(bytes());
  budget_ = nullptr;
  throw std::bad_alloc();
}

void LimbCells::free() noexcept {
  if (data_ == nullptr) return;
  std::free(data_);
  data_ = nullptr;
  if (budget_ != nullptr) budget_->release(bytes());
}

// ---- the limb

Limb::Limb(LimbForm form, LimbCells cells, uint64_t bound, uint64_t rows)
    : form_(std::move(form)), writes_max_(std::max(kWritesMin, rows / 4)), cells_(std::move(cells)), bound_(bound) {
  columns_.push_back(form_.key.column);
  for (const LimbLocal& l : form_.locals) columns_.push_back(l.column);
  for (const LimbMeasure& m : form_.measures) {
    if (std::find(columns_.begin(), columns_.end(), m.column) == columns_.end()) columns_.push_back(m.column);
  }
}

bool Limb::serves(const Snapshot& snapshot) const {
  if (dead()) return false;
  if (snapshot.transaction != nullptr && snapshot.transaction->journal_end.load(std::memory_order_relaxed) != snapshot.position) return false;
  const SharedLatch hold(latch_);
  return valid_from_ <= snapshot.commit;
}

uint64_t Limb::live_cells() const {
  const SharedLatch hold(latch_);
  uint64_t n = 0;
  if (cells_.data() == nullptr) return 0;
  for (uint64_t c = 0; c < form_.cells(); ++c) n += cells_.data()[c * form_.stride] != 0 ? 1 : 0;
  return n;
}

void Limb::die() noexcept {
  dead_.store(true, std::memory_order_release);
  const ExclusiveLatch hold(latch_);
  cells_.free();
}

bool Limb::cell_of(const Datum* row, uint64_t* cell) const {
  uint64_t code = 0;
  const Datum& key = row[form_.key.column];
  if (!key.null) {
    if (!value_code(key, form_.key.text, form_.key.low, form_.key.capacity, &code)) return false;
    ++code;
  }
  for (const LimbLocal& l : form_.locals) {
    const Datum& d = row[l.column];
    uint64_t c = 0;
    const uint32_t first = l.nullable ? 1 : 0;
    if (d.null && !l.nullable) return false;
    if (!d.null) {
      if (!value_code(d, l.text, l.low, l.capacity - first, &c)) return false;
      c += first;
    }
    code = code * l.capacity + c;
  }
  *cell = code;
  return true;
}

void Limb::apply(const Datum* row, int sign) {
  if (dead_.load(std::memory_order_relaxed)) return;
  uint64_t cell = 0;
  if (writes_.fetch_add(1, std::memory_order_relaxed) >= writes_max_ || !cell_of(row, &cell)) return die();  // LM3
  const size_t at = pending_.fields.size();
  try {
    pending_.fields.resize(at + form_.stride, 0);
    pending_.cells.push_back(static_cast<uint32_t>(cell));
  } catch (const std::bad_alloc&) {
    return die();  // an inverse must not fail (C5)
  }
  int64_t* fields = &pending_.fields[at];
  fields[0] = sign;
  for (const LimbMeasure& m : form_.measures) {
    const Datum& d = row[m.column];
    if (d.null && !m.nullable) return die();
    if (d.null) continue;
    const int64_t v = d.i64();
    const uint64_t size = v < 0 ? 0 - static_cast<uint64_t>(v) : static_cast<uint64_t>(v);
    if (size >= kBoundMax - bound_) return die();  // LM2
    bound_ += size;
    fields[m.sum] += sign > 0 ? v : -v;
    if (m.nullable) fields[m.count] += sign;
  }
}

// Sorted by cell, each cell once, without what came to nothing.
void Limb::normalize(Delta* delta) const {
  const uint32_t stride = form_.stride;
  if (delta->cells.size() == 1) return;
  std::vector<uint64_t> order(delta->cells.size());  // cell << 32 | place: sorted without looking elsewhere
  for (size_t i = 0; i < order.size(); ++i) order[i] = uint64_t{delta->cells[i]} << 32 | i;
  std::sort(order.begin(), order.end());
  Delta out;
  out.cells.reserve(order.size());
  out.fields.reserve(delta->fields.size());
  for (size_t i = 0; i < order.size();) {
    const auto cell = static_cast<uint32_t>(order[i] >> 32);
    const size_t at = out.fields.size();
    out.fields.resize(at + stride, 0);
    for (; i < order.size() && order[i] >> 32 == cell; ++i) {
      for (uint32_t f = 0; f < stride; ++f) out.fields[at + f] += delta->fields[(order[i] & UINT32_MAX) * stride + f];
    }
    bool zero = true;
    for (uint32_t f = 0; f < stride; ++f) zero = zero && out.fields[at + f] == 0;
    if (zero) out.fields.resize(at);
    else out.cells.push_back(cell);
  }
  delta->cells.swap(out.cells);
  delta->fields.swap(out.fields);
}

void Limb::prepare() {
  if (dead_.load(std::memory_order_relaxed)) return;
  try {
    prepared_ = std::make_unique<Delta>();
    std::swap(prepared_->cells, pending_.cells);
    std::swap(prepared_->fields, pending_.fields);
    normalize(prepared_.get());
    if (deltas_.size() < deltas_.capacity()) return;
    const ExclusiveLatch hold(latch_);
    deltas_.reserve(std::max<size_t>(8, deltas_.size() * 2));
  } catch (const std::bad_alloc&) {
    die();  // a limb is no reason for a commit to fail
  }
}

void Limb::publish(uint64_t commit) noexcept {
  pending_.cells.clear();
  pending_.fields.clear();
  if (dead_.load(std::memory_order_relaxed) || prepared_ == nullptr) return;
  prepared_->commit = commit;
  Delta* delta = prepared_.get();
  const auto total = static_cast<uint32_t>(delta->cells.size());
  const uint32_t stride = form_.stride;
  for (uint32_t from = 0; from < total;) {
    const uint32_t to = std::min<uint32_t>(total, from + 4096);
    // Cells and delta move together: a reader between two parts subtracts exactly what is attached.
    const ExclusiveLatch hold(latch_);
    if (from == 0) deltas_.push_back(std::move(prepared_));
    for (; from < to; ++from) {
      int64_t* cell = cells_.data() + uint64_t{delta->cells[from]} * stride;
      for (uint32_t f = 0; f < stride; ++f) cell[f] += delta->fields[size_t{from} * stride + f];
    }
    delta->attached = to;
  }
  prepared_.reset();
}

void Limb::discard() noexcept {
  pending_.cells.clear();
  pending_.fields.clear();
  prepared_.reset();
}

void Limb::reclaim(const SnapshotRegistry& registry) noexcept {
  if (deltas_.empty()) return;
  const uint64_t bound = registry.bound();
  const ExclusiveLatch hold(latch_);
  size_t gone = 0;
  while (gone < deltas_.size() && deltas_[gone]->commit <= bound) ++gone;
  if (deltas_.size() - gone > kDeltasMax) {
    // Someone holds an old snapshot through many commits: it counts rows from now on.
    gone = deltas_.size() - kDeltasMax / 2;
    valid_from_ = deltas_[gone - 1]->commit;
  }
  deltas_.erase(deltas_.begin(), deltas_.begin() + static_cast<long>(gone));
}

// ---- the limbs of a table

bool install_limb(TransactionManager& manager, Table& table, const Snapshot& snapshot, std::shared_ptr<Limb> limb) {
  return manager.try_turn([&] {
    // C16: the cells are those of the snapshot; they are the latest state's if nothing was committed to the table since.
    if (table.last_commit.load(std::memory_order_acquire) > snapshot.commit) return false;
    limb->valid_from_ = snapshot.commit;
    const ExclusiveLatch hold(table.kept_latch);
    std::vector<std::shared_ptr<Limb>> kept;
    std::vector<std::shared_ptr<RowSink>> sinks;
    kept.reserve(table.limbs.size() + 1);
    sinks.reserve(table.sinks.size() + 1);
    size_t live = 0;
    for (const auto& l : table.limbs) live += !l->dead() && !replaces(limb->form(), l->form()) ? 1 : 0;
    size_t over = live >= kLimbsMax ? live + 1 - kLimbsMax : 0;  // the oldest go
    for (const auto& l : table.limbs) {
      if (l->dead() || replaces(limb->form(), l->form())) continue;
      if (over > 0) {
        --over;
        continue;
      }
      kept.push_back(l);
    }
    for (const auto& s : table.sinks) {
      const bool gone = std::any_of(table.limbs.begin(), table.limbs.end(), [&](const auto& l) { return l.get() == s.get(); }) &&
                        std::none_of(kept.begin(), kept.end(), [&](const auto& l) { return l.get() == s.get(); });
      if (!gone) sinks.push_back(s);
    }
    for (const auto& l : table.limbs) {
      if (std::find(kept.begin(), kept.end(), l) == kept.end()) l->die();  // it follows the table no more
    }
    kept.push_back(limb);
    sinks.push_back(limb);
    table.limbs.swap(kept);
    table.sinks.swap(sinks);
    return true;
  });
}

std::shared_ptr<Limb> find_limb(const Table& table, uint32_t key, const std::vector<uint32_t>& locals, const std::vector<uint32_t>& measures,
                                const Snapshot& snapshot) {
  std::shared_ptr<Limb> best;
  const SharedLatch hold(table.kept_latch);
  for (const auto& l : table.limbs) {
    if (!covers(l->form(), key, locals, measures) || !l->serves(snapshot)) continue;
    if (best == nullptr || l->form().fields() < best->form().fields()) best = l;
  }
  return best;
}

std::vector<std::shared_ptr<Limb>> kept_limbs(const Table& table) {
  const SharedLatch hold(table.kept_latch);
  return table.limbs;
}

}  // namespace hdb
