#include "store/column_cache.h"

#include <algorithm>

#include "base/check.h"
#include "store/table.h"

namespace hdb {

ColumnCache::ColumnCache(MemoryBudget* budget) : budget_(budget) { budget_->set_reclaimer(this); }
ColumnCache::~ColumnCache() { budget_->set_reclaimer(nullptr); }

void ColumnCache::set_limit(uint64_t bytes) {
  limit_.store(bytes, std::memory_order_relaxed);
  trim();
}

ColumnCache::Figures ColumnCache::figures() const {
  return {clean_bytes_.load(std::memory_order_relaxed), read_.load(std::memory_order_relaxed), left_.load(std::memory_order_relaxed)};
}

BufferRef ColumnCache::pin(const Table& table, Block& b, uint32_t column) {
  for (;;) {
    AbsentColumn wanted{table, b.index(), column, 0, nullptr, {}};
    VisibleRef visible;
    {
      const SharedLatch hold(b.latch);
      if (b.columns[column] || b.rows == 0) return b.columns[column];
      CHECK(!b.homes.empty() && b.homes[column].where != 0);  // B3
      wanted.home = b.homes[column];
      wanted.rows = b.rows;
      visible = b.visible;
    }
    wanted.visible = visible->words;
    BufferRef fresh;
    try {
      ColumnReader* const reader = reader_.load(std::memory_order_acquire);
      CHECK(reader != nullptr);
      fresh = reader->read(wanted);
    } catch (...) {
      const SharedLatch hold(b.latch);
      if (!b.columns[column] && b.homes[column] == wanted.home) throw;
      continue;  // B4: it moved, and its old place was written over
    }
    {
      const ExclusiveLatch hold(b.latch);
      if (b.columns[column]) return b.columns[column];
      if (!(b.homes[column] == wanted.home)) continue;  // B4
      b.columns[column] = fresh;
      b.clean.fetch_add(1, std::memory_order_relaxed);
      clean_bytes_.fetch_add(fresh->bytes(), std::memory_order_relaxed);  // before anybody could count it out again
    }
    read_.fetch_add(1, std::memory_order_relaxed);
    if (clean_bytes_.load(std::memory_order_relaxed) > limit()) trim();
    return fresh;
  }
}

void ColumnCache::give_home(Table& table, Block& b, uint32_t column, const ColumnHome& home) {
  if (b.homes.empty()) b.homes.resize(table.column_count());
  const bool was_clean = b.homes[column].where != 0;
  b.homes[column] = home;
  if (was_clean || !b.columns[column]) return;
  b.clean.fetch_add(1, std::memory_order_relaxed);
  clean_bytes_.fetch_add(b.columns[column]->bytes(), std::memory_order_relaxed);
}

void ColumnCache::no_home(Block& b, uint32_t column) noexcept {
  if (b.homes.empty() || b.homes[column].where == 0) return;
  b.homes[column] = {};
  if (!b.columns[column]) return;
  b.clean.fetch_sub(1, std::memory_order_relaxed);
  clean_bytes_.fetch_sub(b.columns[column]->bytes(), std::memory_order_relaxed);
}

// Of one block, what may leave (B2); what was asked for since the hand came by last stays once more.
void ColumnCache::let_go(Block& b) noexcept {
  if (b.clean.load(std::memory_order_relaxed) == 0 || !b.latch.try_lock()) return;
  if (!b.held.load(std::memory_order_acquire) && b.undo_head == nullptr) {
    for (size_t c = 0; c < b.homes.size(); ++c) {
      BufferRef& buffer = b.columns[c];
      if (b.homes[c].where == 0 || !buffer || buffer->shared()) continue;
      if (buffer->touched.load(std::memory_order_relaxed) != 0) {
        buffer->touched.store(0, std::memory_order_relaxed);
        continue;
      }
      clean_bytes_.fetch_sub(buffer->bytes(), std::memory_order_relaxed);
      b.clean.fetch_sub(1, std::memory_order_relaxed);
      left_.fetch_add(1, std::memory_order_relaxed);
      buffer = BufferRef();
    }
  }
  b.latch.unlock();
}

// The hand goes on from where it was, twice around at most.
template <class Enough>
void ColumnCache::sweep(const Enough& enough) noexcept {
  const std::lock_guard<std::mutex> hold(mutex_);
  uint64_t steps = 0;
  for (const Table* t : tables_) steps += t->block_count() + 1;
  for (steps *= 2; steps > 0 && !enough(); --steps) {
    if (hand_table_ >= tables_.size()) hand_table_ = 0;
    Table& table = *tables_[hand_table_];
    if (hand_block_ >= table.block_count()) {
      hand_block_ = 0;
      ++hand_table_;
      continue;
    }
    let_go(table.block(hand_block_++));
  }
}

void ColumnCache::trim() noexcept {
  if (clean_bytes_.load(std::memory_order_relaxed) <= limit()) return;
  sweep([&] { return clean_bytes_.load(std::memory_order_relaxed) <= limit(); });
}

bool ColumnCache::make_room(uint64_t bytes) noexcept {
  const uint64_t limit = budget_->limit();
  if (bytes > limit) return false;
  const auto enough = [&] { return budget_->used() <= limit - bytes; };
  sweep(enough);
  return enough();
}

void ColumnCache::add(Table* table) {
  const std::lock_guard<std::mutex> hold(mutex_);
  tables_.push_back(table);
}

void ColumnCache::remove(Table* table) noexcept {
  const std::lock_guard<std::mutex> hold(mutex_);
  std::erase(tables_, table);
  for (uint64_t i = 0; i < table->block_count(); ++i) {
    const Block& b = table->block(i);
    for (size_t c = 0; c < b.homes.size(); ++c) {
      if (b.homes[c].where != 0 && b.columns[c]) clean_bytes_.fetch_sub(b.columns[c]->bytes(), std::memory_order_relaxed);
    }
  }
}

}  // namespace hdb
