#include "plane/folded_cells.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "base/bitmap.h"
#include "base/budget.h"
#include "base/epoch.h"
#include "base/hash.h"

namespace hdb {

namespace {

constexpr uint64_t kStaleMax = 2;       // runs that are folded again on the caller's thread; with more, waking a worker pays
constexpr uint64_t kMovedMax = 4;       // blocks of a run that are read alone after a change
constexpr uint64_t kFewBlocks = 3;      // so many blocks are read on the caller's thread whatever is kept
constexpr size_t kKeptMax = 16;         // requests kept a scope; the one that was kept first gives way
constexpr uint64_t kDirectMax = 65'536;  // slots of a folder's direct form
constexpr uint64_t kNever = UINT64_MAX;

struct Fold {
  CellRequest request;
  uint64_t changes = 0;  // of the scope when its blocks were read
  uint64_t newest = 0;   // the last commit that changed something in it
  FoldedCells::Batch cells;
  // Of a run: its blocks' versions then, and, once a few blocks in a row have changed or come, what those before and behind come to without them.
  std::vector<uint64_t> versions;
  uint64_t split = kNever, split_end = kNever;
  FoldedCells::Batch before, behind;
};

struct Folds final : ScopeExtension {
  std::vector<Fold> kept;
};

bool same_request(const CellRequest& a, const CellRequest& b) {
  return a.extremes == b.extremes && a.dimensions == b.dimensions && a.measures == b.measures;
}

// C6: null if nothing is kept that the snapshot may use.
FoldedCells::Batch find(const ChangeScope& scope, const CellRequest& request, const Snapshot& snapshot, uint64_t* newest) {
  const SharedLatch hold(scope.latch);
  const auto* folds = static_cast<const Folds*>(scope.extension.get());
  if (folds == nullptr) return nullptr;
  for (const Fold& f : folds->kept) {
    if (!same_request(f.request, request)) continue;
    if (f.changes != scope.changes.load(std::memory_order_acquire) || f.newest > snapshot.commit) return nullptr;
    *newest = f.newest;
    return f.cells;
  }
  return nullptr;
}

// What was kept at some earlier count, if the snapshot sees all that was in it.
std::optional<Fold> find_earlier(const ChangeScope& scope, const CellRequest& request, const Snapshot& snapshot) {
  const SharedLatch hold(scope.latch);
  const auto* folds = static_cast<const Folds*>(scope.extension.get());
  if (folds == nullptr) return std::nullopt;
  for (const Fold& f : folds->kept) {
    if (same_request(f.request, request) && f.newest <= snapshot.commit) return f;
  }
  return std::nullopt;
}

bool ever_kept(const ChangeScope& scope, const CellRequest& request) {
  const SharedLatch hold(scope.latch);
  const auto* folds = static_cast<const Folds*>(scope.extension.get());
  return folds != nullptr && std::any_of(folds->kept.begin(), folds->kept.end(), [&](const Fold& f) { return same_request(f.request, request); });
}

void install(ChangeScope& scope, Fold fold) {
  if (fold.cells->rows > kKeptFoldMax) return;
  const ExclusiveLatch hold(scope.latch);
  if (scope.extension == nullptr) scope.extension = std::make_shared<Folds>();
  auto& kept = static_cast<Folds*>(scope.extension.get())->kept;
  const auto old = std::find_if(kept.begin(), kept.end(), [&](const Fold& f) { return same_request(f.request, fold.request); });
  if (old != kept.end()) {
    // Two readers may have folded at once: the later count of changes stays.
    if (old->changes <= fold.changes) *old = std::move(fold);
    return;
  }
  if (kept.size() >= kKeptMax) kept.erase(kept.begin());
  kept.push_back(std::move(fold));
}

uint64_t word_of(const CellDimension& d, uint32_t row) {
  if (d.any_null && bit_test(d.nulls.data(), row)) return 0;
  return d.dictionary != nullptr ? d.codes[row] : static_cast<uint64_t>(d.values[row]);
}

bool null_at(const CellDimension& d, uint32_t row) { return d.any_null && bit_test(d.nulls.data(), row); }

}  // namespace

// ---- CellFolder

bool CellFolder::add(const CellBatch& more) {
  if (more.rows == 0 && more.dimensions.empty() && more.measures.empty()) return true;  // of no block at all: it has no columns either
  if (!started_) {
    started_ = true;
    out_.dimensions.resize(more.dimensions.size());
    out_.measures.resize(more.measures.size());
    axes_.resize(more.dimensions.size());
    for (size_t d = 0; d < more.dimensions.size(); ++d) out_.dimensions[d].type = more.dimensions[d].type;
  }
  if (more.rows == 0) return true;
  for (const CellDimension& d : more.dimensions) {
    if (d.type.lane() == Lane::kText && d.dictionary == nullptr) return false;
  }
  find_places(more);
  append_new(more);
  for (uint32_t row = 0; row < more.rows; ++row) out_.weight[places_[row]] += more.weight[row];
  for (size_t m = 0; m < out_.measures.size(); ++m) {
    CellMeasure& to = out_.measures[m];
    const CellMeasure& from = more.measures[m];
    for (uint32_t row = 0; row < more.rows && !from.min.empty(); ++row) {
      if (from.count[row] == 0) continue;
      const uint32_t place = places_[row];
      to.min[place] = to.count[place] > 0 ? std::min(to.min[place], from.min[row]) : from.min[row];
      to.max[place] = to.count[place] > 0 ? std::max(to.max[place], from.max[row]) : from.max[row];
      to.count[place] += from.count[row];
    }
    for (uint32_t row = 0; row < more.rows; ++row) to.sum[places_[row]] += from.sum[row];
    for (uint32_t row = 0; row < more.rows && from.min.empty(); ++row) to.count[places_[row]] += from.count[row];
  }
  return true;
}

// places_[row], and in fresh_ the rows whose cells are not there yet, in order.
void CellFolder::find_places(const CellBatch& from) {
  places_.resize(from.rows);
  fresh_.clear();
  if (direct_ && fit(from)) {
    for (uint32_t first = 0; first < from.rows; first += kVectorRows) place_by_axes(from, first, std::min(kVectorRows, from.rows - first));
    return;
  }
  if (direct_) {
    direct_ = false;
    slots_.clear();
    hashes_.clear();
    for (uint32_t place = 0; place < out_.rows; ++place) hashes_.push_back(hash_of(out_, place));
    grow();
  }
  for (uint32_t row = 0; row < from.rows; ++row) place_by_hash(from, row);
}

// Widens the axes to the batch's values. False: the joint range would be too large.
bool CellFolder::fit(const CellBatch& from) {
  bool wider = slots_.empty();
  uint64_t size = 1;
  for (size_t d = 0; d < axes_.size(); ++d) {
    const CellDimension& dim = from.dimensions[d];
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (uint32_t row = 0; row < from.rows; ++row) {
      if (null_at(dim, row)) continue;
      const auto word = static_cast<int64_t>(word_of(dim, row));
      low = std::min(low, word);
      high = std::max(high, word);
    }
    Axis& axis = axes_[d];
    if (low <= high) {
      const int64_t axis_high = static_cast<int64_t>(static_cast<uint64_t>(axis.low) + axis.span - 1);
      if (axis.span == 0 || low < axis.low || high > axis_high) {
        if (axis.span > 0) {
          low = std::min(low, axis.low);
          high = std::max(high, axis_high);
        }
        const uint64_t span = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
        if (span >= kDirectMax) return false;
        axis = {low, span + 1};
        wider = true;
      }
    }
    size *= axis.span + 1;
    if (size > kDirectMax) return false;
  }
  if (!wider) return true;
  slots_.assign(size, 0);
  for (uint32_t first = 0; first < out_.rows; first += kVectorRows) {
    const uint32_t rows = std::min(kVectorRows, out_.rows - first);
    number(out_, first, rows);
    for (uint32_t i = 0; i < rows; ++i) slots_[address_[i]] = first + i + 1;
  }
  return true;
}

// address_[i] of row first + i: NULL is 0 on an axis.
void CellFolder::number(const CellBatch& from, uint32_t first, uint32_t rows) {
  address_.assign(rows, 0);
  for (size_t d = 0; d < axes_.size(); ++d) {
    const CellDimension& dim = from.dimensions[d];
    const auto times = static_cast<uint32_t>(axes_[d].span + 1), shift = 1 - static_cast<uint32_t>(axes_[d].low);
    if (dim.any_null) {
      for (uint32_t i = 0; i < rows; ++i) address_[i] = address_[i] * times + (null_at(dim, first + i) ? 0 : static_cast<uint32_t>(word_of(dim, first + i)) + shift);
    } else if (dim.dictionary != nullptr) {
      for (uint32_t i = 0; i < rows; ++i) address_[i] = address_[i] * times + dim.codes[first + i] + shift;
    } else {
      for (uint32_t i = 0; i < rows; ++i) address_[i] = address_[i] * times + static_cast<uint32_t>(dim.values[first + i]) + shift;
    }
  }
}

void CellFolder::place_by_axes(const CellBatch& from, uint32_t first, uint32_t rows) {
  number(from, first, rows);
  for (uint32_t i = 0; i < rows; ++i) {
    uint32_t& slot = slots_[address_[i]];
    if (slot == 0) {
      fresh_.push_back(first + i);
      slot = out_.rows + static_cast<uint32_t>(fresh_.size());
    }
    places_[first + i] = slot - 1;
  }
}

uint64_t CellFolder::hash_of(const CellBatch& from, uint32_t row) {
  uint64_t h = 0;
  for (const CellDimension& d : from.dimensions) h = hash_combine(h, word_of(d, row) + (null_at(d, row) ? 0x51ED270B4D2F9E37u : 0));
  return h;
}

void CellFolder::place_by_hash(const CellBatch& from, uint32_t row) {
  const uint64_t h = hash_of(from, row);
  if ((hashes_.size() + 1) * 2 > slots_.size()) grow();
  const uint64_t mask = slots_.size() - 1;
  for (uint64_t i = h & mask;; i = (i + 1) & mask) {
    if (slots_[i] == 0) {
      places_[row] = static_cast<uint32_t>(hashes_.size());
      hashes_.push_back(h);
      fresh_.push_back(row);
      slots_[i] = places_[row] + 1;
      return;
    }
    const uint32_t place = slots_[i] - 1;
    // A cell that is as new as this one is in the batch still.
    const bool here = place < out_.rows;
    if (hashes_[place] != h || !same(here ? out_ : from, here ? place : fresh_[place - out_.rows], from, row)) continue;
    places_[row] = place;
    return;
  }
}

bool CellFolder::same(const CellBatch& a, uint32_t i, const CellBatch& b, uint32_t row) {
  for (size_t d = 0; d < a.dimensions.size(); ++d) {
    if (null_at(a.dimensions[d], i) != null_at(b.dimensions[d], row) || word_of(a.dimensions[d], i) != word_of(b.dimensions[d], row)) return false;
  }
  return true;
}

void CellFolder::grow() {
  std::vector<uint32_t> wider(std::max<size_t>(64, std::bit_ceil(hashes_.size() + 1) * 4), 0);
  for (uint32_t place = 0; place < hashes_.size(); ++place) {
    uint64_t i = hashes_[place] & (wider.size() - 1);
    while (wider[i] != 0) i = (i + 1) & (wider.size() - 1);
    wider[i] = place + 1;
  }
  slots_ = std::move(wider);
}

// The rows in fresh_ become cells, with nothing in them yet.
void CellFolder::append_new(const CellBatch& from) {
  if (fresh_.empty()) return;
  const uint32_t old = out_.rows, rows = old + static_cast<uint32_t>(fresh_.size());
  for (size_t d = 0; d < axes_.size(); ++d) {
    CellDimension& to = out_.dimensions[d];
    const CellDimension& source = from.dimensions[d];
    to.dictionary = source.dictionary;
    to.nulls.resize(bitmap_words(rows), 0);
    if (to.dictionary != nullptr) to.codes.resize(rows);
    else to.values.resize(rows);
    for (uint32_t i = old; i < rows; ++i) {
      const uint32_t row = fresh_[i - old];
      if (to.dictionary != nullptr) to.codes[i] = static_cast<uint32_t>(word_of(source, row));
      else to.values[i] = static_cast<int64_t>(word_of(source, row));
      if (!null_at(source, row)) continue;
      to.any_null = true;
      bit_set(to.nulls.data(), i);
    }
  }
  out_.weight.resize(rows, 0);
  for (size_t m = 0; m < out_.measures.size(); ++m) {
    out_.measures[m].sum.resize(rows, 0);
    out_.measures[m].count.resize(rows, 0);
    if (from.measures[m].min.empty()) continue;
    out_.measures[m].min.resize(rows, 0);
    out_.measures[m].max.resize(rows, 0);
  }
  out_.rows = rows;
}

// ---- FoldedCells

FoldedCells::FoldedCells(const Table& table, const Snapshot& snapshot, CellRequest request, bool keep, EpochManager& epochs, const CancelToken& cancel)
    : table_(table), snapshot_(snapshot), request_(std::move(request)), keep_(keep), epochs_(epochs), cancel_(cancel),
      columns_(block_cells_columns(request_)), blocks_(table.block_count()),
      runs_((blocks_ + table.run_blocks() - 1) / table.run_blocks()) {}

FoldedCells::Batch FoldedCells::read_block(uint64_t block, BlockView* view) const {
  cancel_.check();
  {
    const EpochManager::Guard guard(epochs_);
    if (!view->open_heads(table_, block, columns_, snapshot_) && !(request_.dimensions.empty() && zones_suffice(*view, request_)))
      view->open(table_, block, columns_, snapshot_);
  }
  auto batch = std::make_shared<CellBatch>();
  if (request_.dimensions.empty()) {
    batch->measures.resize(request_.measures.size());
    append_zone_sums(table_, *view, request_, batch.get());
  } else {
    read_block_cells(table_, *view, request_, keep_, batch.get());
  }
  return batch;
}

FoldedCells::Batch FoldedCells::kept_run(uint64_t run, uint64_t* newest) const {
  return keep_ ? find(table_.run(run), request_, snapshot_, newest) : nullptr;
}

// Blocks [first, end) added up, which must be as they were at `versions`; null if one is not.
FoldedCells::Batch FoldedCells::read_unmoved(uint64_t first, uint64_t end, const uint64_t* versions) const {
  CellFolder folder;
  BlockView view;
  for (uint64_t b = first; b < end; ++b) {
    const Batch cells = read_block(b, &view);
    if (view.version() != versions[b - first] || !view.current() || !folder.add(*cells)) return nullptr;
  }
  return std::make_shared<const CellBatch>(folder.take());
}

// A run in which only a few blocks in a row have moved since it was folded, or have come at its end (appended rows): those anew, between the folds of those
// before and behind them. Null if it is not so.
FoldedCells::Batch FoldedCells::read_few_moved(uint64_t first, uint64_t end, uint64_t changes, ChangeScope& scope, uint64_t* newest) const {
  std::optional<Fold> earlier = keep_ ? find_earlier(scope, request_, snapshot_) : std::nullopt;
  if (!earlier || earlier->versions.size() > end - first) return nullptr;
  const uint64_t known = first + earlier->versions.size();
  uint64_t from = known, to = known < end ? end : first;
  for (uint64_t b = first; b < known; ++b) {
    const Block& block = table_.block(b);
    const SharedLatch hold(block.latch);
    if (block.version() == earlier->versions[b - first]) continue;
    from = std::min(from, b);
    to = std::max(to, b + 1);
  }
  if (from >= to || to - from > kMovedMax) return nullptr;
  if (earlier->split != from) earlier->before = read_unmoved(first, from, earlier->versions.data());
  if (to >= known) earlier->behind = std::make_shared<const CellBatch>();
  else if (earlier->split_end != to) earlier->behind = read_unmoved(to, known, earlier->versions.data() + (to - first));
  if (earlier->before == nullptr || earlier->behind == nullptr) return nullptr;
  earlier->split = from;
  earlier->split_end = to;
  earlier->versions.resize(end - first);
  BlockView view;
  CellFolder folder;
  if (!folder.add(*earlier->before)) return nullptr;
  *newest = earlier->newest;
  for (uint64_t b = from; b < to; ++b) {
    const Batch own = read_block(b, &view);
    if (!folder.add(*own)) return nullptr;
    *newest = view.current() && *newest != kNever && view.newest() <= snapshot_.commit ? std::max(*newest, view.newest()) : kNever;
    earlier->versions[b - first] = view.version();
  }
  if (!folder.add(*earlier->behind)) return nullptr;
  earlier->cells = std::make_shared<const CellBatch>(folder.take());
  earlier->changes = changes;
  earlier->newest = *newest;
  Batch cells = earlier->cells;
  if (*newest != kNever) install(scope, std::move(*earlier));
  return cells;
}

// *newest: the last commit in the run; kNever if its cells are this snapshot's alone.
std::vector<FoldedCells::Batch> FoldedCells::read_run(uint64_t run, uint64_t* newest) const {
  ChangeScope& scope = table_.run(run);
  const uint64_t changes = scope.changes.load(std::memory_order_acquire);  // before any block is pinned
  const uint64_t first = run * table_.run_blocks(), end = std::min(blocks_, first + table_.run_blocks());
  if (Batch cells = read_few_moved(first, end, changes, scope, newest)) return {std::move(cells)};
  std::vector<Batch> batches;
  std::vector<uint64_t> versions;
  CellFolder folder;
  BlockView view;
  bool folds = true;
  *newest = 0;
  for (uint64_t b = first; b < end; ++b) {
    batches.push_back(read_block(b, &view));
    versions.push_back(view.version());
    // A view of an older state, or of changes that are not committed, is nobody else's.
    *newest = view.current() && *newest != kNever && view.newest() <= snapshot_.commit ? std::max(*newest, view.newest()) : kNever;
    folds = folds && folder.add(*batches.back());
  }
  if (!folds) {
    *newest = kNever;
    return batches;
  }
  auto cells = std::make_shared<const CellBatch>(folder.take());
  if (keep_ && *newest != kNever) install(scope, {request_, changes, *newest, cells, std::move(versions), kNever, kNever, nullptr, nullptr});
  return {std::move(cells)};
}

std::vector<FoldedCells::Batch> FoldedCells::read(uint64_t run) const {
  uint64_t newest = 0;
  if (Batch kept = kept_run(run, &newest)) return {std::move(kept)};
  return read_run(run, &newest);
}

FoldedCells::Batch FoldedCells::whole() {
  missing_ = runs_;
  if (!keep_) return nullptr;
  ChangeScope& scope = table_.whole();
  uint64_t newest = 0;
  if (Batch kept = find(scope, request_, snapshot_, &newest)) return kept;
  const uint64_t changes = scope.changes.load(std::memory_order_acquire);  // before any run's count is looked at
  std::vector<Batch> runs(runs_);
  std::vector<uint64_t> newest_of(runs_, 0);
  missing_ = 0;
  bool first_time = false;  // some run's blocks may have no cells yet
  for (uint64_t r = 0; r < runs_; ++r) {
    runs[r] = kept_run(r, &newest_of[r]);
    if (runs[r] != nullptr) continue;
    ++missing_;
    first_time = first_time || !ever_kept(table_.run(r), request_);
  }
  if (!request_.dimensions.empty() && blocks_ > kFewBlocks && (missing_ > kStaleMax || first_time)) return nullptr;
  CellFolder folder;
  for (uint64_t r = 0; r < runs_; ++r) {
    if (runs[r] == nullptr) {
      std::vector<Batch> read = read_run(r, &newest_of[r]);
      if (read.size() != 1) return nullptr;
      runs[r] = std::move(read[0]);
    }
    if (!folder.add(*runs[r])) return nullptr;
    newest = std::max(newest, newest_of[r]);
  }
  auto cells = std::make_shared<CellBatch>(folder.take());
  if (runs_ == 0) {
    cells->dimensions.resize(request_.dimensions.size());
    cells->measures.resize(request_.measures.size());
  }
  if (newest != kNever && runs_ > 0) install(scope, {request_, changes, newest, cells, {}, kNever, kNever, nullptr, nullptr});
  return cells;
}

}  // namespace hdb
