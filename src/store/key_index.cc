#include "store/key_index.h"

#include <algorithm>

#include "base/check.h"
#include "base/hash.h"

namespace hdb {

namespace {
constexpr uint32_t kRowBits = 36;
constexpr uint64_t kRowMask = (uint64_t{1} << kRowBits) - 1;
constexpr uint64_t kTagMask = (uint64_t{1} << 28) - 1;
uint32_t shard_of(uint64_t hash) { return static_cast<uint32_t>(hash >> 58); }
uint64_t tag_of(uint64_t hash) { return (hash >> 30) & kTagMask; }
uint64_t pack(uint64_t hash, uint64_t row) { return (tag_of(hash) << kRowBits) | row; }
}  // namespace

bool hash_key(const Table& table, std::span<const uint32_t> columns, const Datum* key, uint64_t* hash) {
  uint64_t h = 0;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (key[i].null) return false;
    uint64_t part = 0;
    switch (table.type(columns[i]).lane()) {
      case Lane::kText: part = hash_bytes(key[i].text()->data, key[i].text()->bytes); break;
      case Lane::kDouble: part = hash64(key[i].f64() == 0 ? 0 : key[i].f64() != key[i].f64() ? 1 : key[i].raw); break;  // -0.0 equals 0.0, NaN NaN
      default: part = key[i].raw;
    }
    h = hash_combine(h, part);
  }
  *hash = h;
  return true;
}

bool keys_equal(const Table& table, std::span<const uint32_t> columns, const Datum* a, const Datum* b) {
  for (size_t i = 0; i < columns.size(); ++i) {
    if (a[i].null || b[i].null) return false;
    switch (table.type(columns[i]).lane()) {
      case Lane::kText:
        if (a[i].raw != b[i].raw && a[i].text()->view() != b[i].text()->view()) return false;
        break;
      case Lane::kDouble:
        // NaN equals NaN as a key, as it does in GROUP BY.
        if (!(a[i].f64() == b[i].f64()) && !(a[i].f64() != a[i].f64() && b[i].f64() != b[i].f64())) return false;
        break;
      default:
        if (a[i].raw != b[i].raw) return false;
    }
  }
  return true;
}

KeyIndex::KeyIndex(std::string name, std::vector<uint32_t> columns, bool primary, bool integer_key, MemoryBudget* budget)
    : name_(std::move(name)), columns_(std::move(columns)), primary_(primary), integer_key_(integer_key && columns_.size() == 1),
      budget_(budget) {
  runs_.reserve(kRunsMax);
}

KeyIndex::~KeyIndex() {
  if (budget_ == nullptr) return;
  for (const Shard& s : shards_) budget_->release(s.slots.size() * 8);
}

bool KeyIndex::find_in(std::span<const Run> runs, int64_t key, uint64_t* row) {
  auto it = std::upper_bound(runs.begin(), runs.end(), key, [](int64_t k, const Run& r) { return k < r.key_first; });
  if (it == runs.begin()) return false;
  --it;
  const uint64_t at = static_cast<uint64_t>(key) - static_cast<uint64_t>(it->key_first);
  if (at >= it->length) return false;
  *row = it->row_first + at;
  return true;
}

bool KeyIndex::in_run(int64_t key, uint64_t* row) const { return find_in(runs_, key, row); }

size_t KeyIndex::candidates(const Datum* key, uint64_t hash, std::array<uint64_t, 8>& rows, std::vector<uint64_t>* more) const {
  size_t n = 0;
  if (integer_key_) {
    const SharedLatch hold(run_latch_);
    if (in_run(key[0].i64(), &rows[0])) n = 1;
  }
  const Shard& shard = shards_[shard_of(hash)];
  const uint64_t tag = tag_of(hash);
  const SharedLatch hold(shard.latch);
  if (shard.slots.empty()) return n;
  const uint64_t mask = shard.slots.size() - 1;
  for (uint64_t i = tag & mask;; i = (i + 1) & mask) {
    const uint64_t slot = shard.slots[i];
    if (slot == kEmpty) return n;
    if (slot == kGone || (slot >> kRowBits) != tag) continue;
    const uint64_t row = slot & kRowMask;
    if (n < rows.size()) rows[n] = row;
    else more->push_back(row);
    ++n;
  }
}

bool KeyIndex::insert(const Datum* key, uint64_t hash, uint64_t row_id, bool* in_hash) {
  if (integer_key_) {
    const int64_t k = key[0].i64();
    const ExclusiveLatch hold(run_latch_);
    uint64_t row = 0;
    if (in_run(k, &row)) {
      if (row == row_id) return false;
    } else {
      auto next = std::upper_bound(runs_.begin(), runs_.end(), k, [](int64_t x, const Run& r) { return x < r.key_first; });
      if (next != runs_.begin()) {
        Run& r = *(next - 1);
        // in_run said no, so k lies at or above the run's end, and below the next run.
        if (static_cast<uint64_t>(k) - static_cast<uint64_t>(r.key_first) == r.length && r.row_first + r.length == row_id) {
          ++r.length;
          return true;
        }
      }
      if (runs_.size() < kRunsMax) {
        runs_.insert(next, Run{k, row_id, 1});
        return true;
      }
    }
  }
  Shard& shard = shards_[shard_of(hash)];
  const uint64_t wanted = pack(hash, row_id), tag = tag_of(hash);
  if ((shard.used + shard.gone + 1) * 4 > shard.slots.size() * 3) grow(shard);
  const ExclusiveLatch hold(shard.latch);
  const uint64_t mask = shard.slots.size() - 1;
  uint64_t place = kEmpty;
  for (uint64_t i = tag & mask;; i = (i + 1) & mask) {
    const uint64_t slot = shard.slots[i];
    if (slot == wanted) {
      if (in_hash != nullptr) *in_hash = true;
      return false;
    }
    if (slot == kGone && place == kEmpty) place = i;
    if (slot != kEmpty) continue;
    if (place == kEmpty) place = i;
    else --shard.gone;
    shard.slots[place] = wanted;
    ++shard.used;
    ++hashed_;
    ++shard.changes;
    return true;
  }
}

bool KeyIndex::insert_run(int64_t key_first, uint64_t row_first, uint64_t count) {
  if (!integer_key_ || count == 0) return false;
  if (hashed_ != 0) return false;
  const ExclusiveLatch hold(run_latch_);
  uint64_t row = 0;
  if (in_run(key_first, &row)) {
    // Rows that were undone come again: only the last run can end among them.
    if (row != row_first) return false;
    Run* run = runs_.data();
    while (row_first < run->row_first || static_cast<uint64_t>(key_first) - static_cast<uint64_t>(run->key_first) >= run->length) ++run;
    const uint64_t at = static_cast<uint64_t>(key_first) - static_cast<uint64_t>(run->key_first);
    if (at + count <= run->length) return true;
    if (run != &runs_.back()) return false;
    run->length = at + count;
    return true;
  }
  if (!runs_.empty()) {
    Run& last = runs_.back();
    if (key_first < last.key_first) return false;
    const uint64_t at = static_cast<uint64_t>(key_first) - static_cast<uint64_t>(last.key_first);
    if (at == last.length && row_first == last.row_first + at) {
      last.length += count;
      return true;
    }
  }
  if (runs_.size() == kRunsMax) return false;
  runs_.push_back({key_first, row_first, count});
  return true;
}

KeyIndex::RunView KeyIndex::run_view() const {
  RunView view;
  const SharedLatch hold(run_latch_);
  if (integer_key_) view.runs_ = runs_;
  return view;
}

void KeyIndex::erase(uint64_t hash, uint64_t row_id) noexcept {
  Shard& shard = shards_[shard_of(hash)];
  const ExclusiveLatch hold(shard.latch);
  if (shard.slots.empty()) return;
  const uint64_t mask = shard.slots.size() - 1, wanted = pack(hash, row_id);
  for (uint64_t i = tag_of(hash) & mask; shard.slots[i] != kEmpty; i = (i + 1) & mask) {
    if (shard.slots[i] != wanted) continue;
    shard.slots[i] = kGone;
    --shard.used;
    ++shard.gone;
    --hashed_;
    ++shard.changes;
    return;
  }
}

void KeyIndex::grow(Shard& shard) {
  // The writer is the only one who changes slots, so it may read them without the latch and swap the new table in.
  uint64_t size = 64;
  while (size * 3 < (shard.used + 1) * 4 * 3 / 2) size *= 2;
  if (budget_ != nullptr) budget_->charge(size * 8);
  std::vector<uint64_t> fresh;
  try {
    fresh.assign(size, kEmpty);
  } catch (...) {
    if (budget_ != nullptr) budget_->release(size * 8);
    throw;
  }
  for (const uint64_t slot : shard.slots) {
    if (slot == kEmpty || slot == kGone) continue;
    uint64_t i = (slot >> kRowBits) & (size - 1);
    while (fresh[i] != kEmpty) i = (i + 1) & (size - 1);
    fresh[i] = slot;
  }
  {
    const ExclusiveLatch hold(shard.latch);
    shard.slots.swap(fresh);
    shard.gone = 0;
  }
  if (budget_ != nullptr) budget_->release(fresh.size() * 8);
}

std::vector<KeyIndex::Run> KeyIndex::all_runs() const {
  const SharedLatch hold(run_latch_);
  return runs_;
}

uint64_t KeyIndex::shard_changes(uint32_t shard) const {
  const SharedLatch hold(shards_[shard].latch);
  return shards_[shard].changes;
}

std::vector<uint64_t> KeyIndex::shard_entries(uint32_t shard, uint64_t* changes) const {
  const Shard& s = shards_[shard];
  std::vector<uint64_t> found;
  const SharedLatch hold(s.latch);
  *changes = s.changes;
  found.reserve(s.used);
  for (const uint64_t slot : s.slots) {
    if (slot != kEmpty && slot != kGone) found.push_back(slot);
  }
  return found;
}

bool KeyIndex::load_runs(std::vector<Run> runs) {
  if (runs.size() > kRunsMax || (!integer_key_ && !runs.empty())) return false;
  for (size_t i = 0; i < runs.size(); ++i) {
    // Ascending, not overlapping, and no row beyond what a row id can be.
    if (runs[i].length == 0 || runs[i].row_first > kRowMask || runs[i].length > kRowMask) return false;
    if (i > 0 && (runs[i].key_first <= runs[i - 1].key_first ||
                  static_cast<uint64_t>(runs[i].key_first) - static_cast<uint64_t>(runs[i - 1].key_first) < runs[i - 1].length))
      return false;
  }
  const ExclusiveLatch hold(run_latch_);
  runs_ = std::move(runs);
  runs_.reserve(kRunsMax);
  return true;
}

bool KeyIndex::load_shard(uint32_t shard, std::span<const uint64_t> entries) {
  Shard& s = shards_[shard];
  if (!s.slots.empty()) return false;
  if (entries.empty()) return true;
  s.used = entries.size();
  hashed_ += entries.size();
  grow(s);  // of an empty table: room for so many
  const uint64_t mask = s.slots.size() - 1;
  for (const uint64_t entry : entries) {
    if (entry == kEmpty || entry == kGone) return false;
    uint64_t i = (entry >> kRowBits) & mask;
    while (s.slots[i] != kEmpty) i = (i + 1) & mask;
    s.slots[i] = entry;
  }
  return true;
}

uint64_t KeyIndex::entries() const {
  uint64_t n = 0;
  for (const Shard& s : shards_) {
    const SharedLatch hold(s.latch);
    n += s.used;
  }
  return n;
}

uint64_t KeyIndex::bytes() const {
  uint64_t n = sizeof(KeyIndex);
  for (const Shard& s : shards_) {
    const SharedLatch hold(s.latch);
    n += s.slots.size() * 8;
  }
  return n;
}

uint32_t KeyIndex::runs() const {
  const SharedLatch hold(run_latch_);
  return static_cast<uint32_t>(runs_.size());
}

}  // namespace hdb
