#include "base/latch.h"

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace hdb {

namespace {
constexpr int kSpins = 200;  // some microseconds: a hold is shorter than that unless the holder lost its core
inline void pause_cpu() {
#if defined(__x86_64__) || defined(__i386__)
  _mm_pause();
#endif
}
}  // namespace

void Latch::lock_slow() {
  for (int spin = 0;; ++spin) {
    uint32_t s = state_.load(std::memory_order_relaxed);
    if ((s & ~kWaiting) == 0) {
      // Free, perhaps with the waiting mark: keep the mark, so that unlock wakes the others.
      if (state_.compare_exchange_weak(s, s | kWriter, std::memory_order_acquire, std::memory_order_relaxed)) return;
      continue;
    }
    if ((s & kWaiting) == 0) {
      // From here on new readers queue behind this writer.
      if (!state_.compare_exchange_weak(s, s | kWaiting, std::memory_order_relaxed, std::memory_order_relaxed)) continue;
      s |= kWaiting;
    }
    if (spin < kSpins) {
      pause_cpu();
    } else {
      state_.wait(s, std::memory_order_relaxed);
    }
  }
}

void Latch::lock_shared_slow() {
  for (int spin = 0;; ++spin) {
    uint32_t s = state_.load(std::memory_order_relaxed);
    if ((s & (kWriter | kWaiting)) == 0 || s == kWaiting) {
      // Free of a writer; a lone waiting mark (its owner has not come back yet) is dropped when all are gone.
      const uint32_t next = s == kWaiting ? (kWaiting | 1) : s + 1;
      if (state_.compare_exchange_weak(s, next, std::memory_order_acquire, std::memory_order_relaxed)) return;
      continue;
    }
    if (spin < kSpins) {
      pause_cpu();
    } else {
      if ((s & kWaiting) == 0) {
        if (!state_.compare_exchange_weak(s, s | kWaiting, std::memory_order_relaxed, std::memory_order_relaxed)) continue;
        s |= kWaiting;
      }
      state_.wait(s, std::memory_order_relaxed);
    }
  }
}

void Latch::wake_last() {
  // The last reader left and somebody waits: clear the mark and wake all; they set it again if they must.
  uint32_t expected = kWaiting;
  state_.compare_exchange_strong(expected, 0, std::memory_order_relaxed, std::memory_order_relaxed);
  state_.notify_all();
}

}  // namespace hdb
