// base/latch.h: a 4-byte reader-writer spin latch that sleeps when it has to wait long.
//
// What:       many shared holders or one exclusive holder; a waiting writer keeps new readers out, so it is not starved.
// Invariants: L1 held for memory operations only: never across I/O, a kernel, a callback or a wait (CONCURRENCY C2).
//             L2 order: writer's turn > catalog > table > index > block > dictionary > plane > snapshot registry (C15).
// Callers:    store/, txn/, plane/, catalog/. Thread-safe.
// Held by:    src/base/base_test.cc (under tsan)
#pragma once

#include <atomic>
#include <cstdint>

namespace hdb {

class Latch {
 public:
  void lock() {
    uint32_t expected = 0;
    if (!state_.compare_exchange_strong(expected, kWriter, std::memory_order_acquire, std::memory_order_relaxed)) lock_slow();
  }
  bool try_lock() {
    uint32_t expected = 0;
    return state_.compare_exchange_strong(expected, kWriter, std::memory_order_acquire, std::memory_order_relaxed);
  }
  void unlock() {
    // Clears the writer bit and the waiting mark; whoever waits looks again.
    if ((state_.exchange(0, std::memory_order_release) & kWaiting) != 0) state_.notify_all();
  }
  void lock_shared() {
    uint32_t s = state_.load(std::memory_order_relaxed);
    if ((s & (kWriter | kWaiting)) != 0 || !state_.compare_exchange_weak(s, s + 1, std::memory_order_acquire, std::memory_order_relaxed))
      lock_shared_slow();
  }
  void unlock_shared() {
    const uint32_t before = state_.fetch_sub(1, std::memory_order_release);
    if (before == (kWaiting | 1)) wake_last();
  }

 private:
  static constexpr uint32_t kWriter = 1u << 31;
  static constexpr uint32_t kWaiting = 1u << 30;  // somebody sleeps or a writer waits
  void lock_slow();
  void lock_shared_slow();
  void wake_last();

  std::atomic<uint32_t> state_{0};
};

class ExclusiveLatch {
 public:
  explicit ExclusiveLatch(Latch& latch) : latch_(latch) { latch_.lock(); }
  ~ExclusiveLatch() { latch_.unlock(); }
  ExclusiveLatch(const ExclusiveLatch&) = delete;
  ExclusiveLatch& operator=(const ExclusiveLatch&) = delete;

 private:
  Latch& latch_;
};

class SharedLatch {
 public:
  explicit SharedLatch(Latch& latch) : latch_(latch) { latch_.lock_shared(); }
  ~SharedLatch() { latch_.unlock_shared(); }
  SharedLatch(const SharedLatch&) = delete;
  SharedLatch& operator=(const SharedLatch&) = delete;

 private:
  Latch& latch_;
};

}  // namespace hdb
