#include "base/epoch.h"

#include <algorithm>

#include "base/hash.h"

namespace hdb {

uint32_t EpochManager::enter() {
  // A thread starts at its own place, so that two readers seldom try the same slot.
  static std::atomic<uint32_t> threads{0};
  thread_local uint32_t hint = threads.fetch_add(7, std::memory_order_relaxed);
  for (uint32_t i = hint;; ++i) {
    std::atomic<uint64_t>& slot = slots_[i % kSlots].epoch;
    uint64_t free = 0;
    // seq_cst: the announcement is ordered before the reads that it protects, and collect() sees it or the reader sees the unlinking.
    if (slot.load(std::memory_order_relaxed) == 0 &&
        slot.compare_exchange_strong(free, epoch_.load(std::memory_order_seq_cst), std::memory_order_seq_cst)) {
      // collect() looks at no slot above: this comes before the reads that the guard protects, as the announcement does.
      uint32_t used = used_.load(std::memory_order_seq_cst);
      while (used <= i % kSlots && !used_.compare_exchange_weak(used, i % kSlots + 1, std::memory_order_seq_cst)) {
      }
      return i % kSlots;
    }
  }
}

void EpochManager::leave(uint32_t slot) noexcept { slots_[slot].epoch.store(0, std::memory_order_release); }

void EpochManager::retire(std::unique_ptr<Retirable> object) noexcept {
  object->retired_epoch_ = epoch_.fetch_add(1, std::memory_order_seq_cst);
  Retirable* raw = object.get();
  (newest_ == nullptr ? oldest_ : newest_->next_retired_) = std::move(object);
  newest_ = raw;
  ++waiting_;
}

void EpochManager::collect() noexcept {
  if (oldest_ == nullptr) return;
  uint64_t held = epoch_.load(std::memory_order_seq_cst);
  for (uint32_t i = 0, used = used_.load(std::memory_order_seq_cst); i < used; ++i) {
    if (const uint64_t e = slots_[i].epoch.load(std::memory_order_seq_cst); e != 0) held = std::min(held, e);
  }
  // Retired in epoch r: a guard announced with e <= r may have seen it.
  while (oldest_ != nullptr && oldest_->retired_epoch_ < held) {
    std::unique_ptr<Retirable> object = std::move(oldest_);
    oldest_ = std::move(object->next_retired_);
    object.release()->release();
    --waiting_;
  }
  if (oldest_ == nullptr) newest_ = nullptr;
}

EpochManager::~EpochManager() {
  // One by one: a long list must not be destroyed by recursion.
  while (oldest_ != nullptr) oldest_ = std::move(oldest_->next_retired_);
}

}  // namespace hdb
