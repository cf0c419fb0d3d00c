// base/budget.h: the memory counter and the cancel token that every operator honours.
//
// What:       MemoryBudget counts bytes against a limit, with a parent (statement -> database); what somebody can give back leaves before a charge fails.
//             CancelToken ends a statement.
// Invariants: M1 charge() throws 53200 and counts nothing when a limit would be passed. M2 what is charged is released by its owner.
// Units:      bytes.
// Callers:    all layers. Both are thread-safe.
// Held by:    src/base/base_test.cc
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/error.h"

namespace hdb {

// Whoever can give memory back when it is wanted. Called with latches held, by any thread: it must not wait for one.
class MemoryReclaimer {
 public:
  virtual ~MemoryReclaimer() = default;
  virtual bool make_room(uint64_t bytes) noexcept = 0;  // true: so many bytes fit now
};

class MemoryBudget {
 public:
  explicit MemoryBudget(uint64_t limit_bytes = UINT64_MAX, MemoryBudget* parent = nullptr) : limit_(limit_bytes), parent_(parent) {}
  ~MemoryBudget() { if (parent_ != nullptr) parent_->release(used()); }
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  void charge(uint64_t bytes) {
    const uint64_t now = used_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    if (now > limit_.load(std::memory_order_relaxed)) charge_again(bytes);
    if (parent_ == nullptr) return;
    try {
      parent_->charge(bytes);
    } catch (...) {
      used_.fetch_sub(bytes, std::memory_order_relaxed);
      throw;
    }
  }
  void release(uint64_t bytes) noexcept {
    used_.fetch_sub(bytes, std::memory_order_relaxed);
    if (parent_ != nullptr) parent_->release(bytes);
  }
  uint64_t used() const { return used_.load(std::memory_order_relaxed); }
  uint64_t limit() const { return limit_.load(std::memory_order_relaxed); }
  void set_limit(uint64_t bytes) { limit_.store(bytes, std::memory_order_relaxed); }
  // Asked before a charge fails. Null: nobody. It outlives every charge, or takes itself away.
  void set_reclaimer(MemoryReclaimer* reclaimer) { reclaimer_.store(reclaimer, std::memory_order_release); }

 private:
  // The charge did not fit: taken back, and tried again when there may be room.
  void charge_again(uint64_t bytes) {
    constexpr int kTries = 8;  // others may take the room that was made
    for (int i = 0;; ++i) {
      used_.fetch_sub(bytes, std::memory_order_relaxed);
      MemoryReclaimer* const reclaimer = reclaimer_.load(std::memory_order_acquire);
      if (i == kTries || reclaimer == nullptr || !reclaimer->make_room(bytes))
        fail(sqlstate::kMemory, "out of memory: the limit of " + std::to_string(limit()) + " bytes would be passed by " + std::to_string(bytes) + " more");
      if (used_.fetch_add(bytes, std::memory_order_relaxed) + bytes <= limit_.load(std::memory_order_relaxed)) return;
    }
  }

  std::atomic<uint64_t> used_{0};
  std::atomic<uint64_t> limit_;
  MemoryBudget* parent_;
  std::atomic<MemoryReclaimer*> reclaimer_{nullptr};
};

class CancelToken {
 public:
  void cancel() noexcept { canceled_.store(true, std::memory_order_relaxed); }
  void reset() noexcept { canceled_.store(false, std::memory_order_relaxed); }
  void check() const {
    if (canceled_.load(std::memory_order_relaxed)) fail(sqlstate::kCanceled, "the statement was canceled");
  }

 private:
  std::atomic<bool> canceled_{false};
};

}  // namespace hdb
