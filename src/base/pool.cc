#include "base/pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

#if defined(__wasm__) && !defined(HOLODB_NO_THREADS)
#define HOLODB_NO_THREADS
#endif

namespace hdb {

namespace {

#ifndef HOLODB_NO_THREADS
// A helper that has run out of work looks for more for about as long as waking it up would take, before it sleeps: queries often come one
// after the other.
constexpr std::chrono::microseconds kSpin{100};

inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}
#endif

// One running loop. Lives on the caller's stack; P2 keeps helpers away once it is gone.
struct Loop {
  const Pool::Task* f = nullptr;
  uint32_t tasks = 0;
  uint32_t workers_max = 1;
  std::atomic<uint32_t> next{0};
  uint32_t joined = 1;  // worker numbers given out; under the pool's mutex
  uint32_t active = 0;  // helpers inside; under the pool's mutex
  std::mutex error_mutex;
  std::exception_ptr error;
  uint32_t error_task = UINT32_MAX;

  void work(uint32_t worker) {
    for (;;) {
      const uint32_t task = next.fetch_add(1, std::memory_order_relaxed);
      if (task >= tasks) return;
      try {
        (*f)(worker, task);
      } catch (...) {
        const std::lock_guard<std::mutex> hold(error_mutex);
        if (task < error_task) {
          error_task = task;
          error = std::current_exception();
        }
        next.store(tasks, std::memory_order_relaxed);
        return;
      }
    }
  }
};

}  // namespace

#ifndef HOLODB_NO_THREADS

struct Pool::Impl {
  std::mutex mutex;
  std::condition_variable wake;
  std::condition_variable left;
  std::list<Loop*> loops;
  std::vector<std::thread> threads;
  std::atomic<uint64_t> posted{0};  // loops so far, and one for the end
  bool stop = false;

  // Waits for a loop after the `seen`-th, not long.
  void spin(uint64_t seen) const {
    const auto end = std::chrono::steady_clock::now() + kSpin;
    do {
      for (int i = 0; i < 64; ++i) {
        if (posted.load(std::memory_order_relaxed) != seen) return;
        relax();
      }
    } while (std::chrono::steady_clock::now() < end);
  }

  Loop* wanted() {
    for (Loop* loop : loops) {
      if (loop->joined < loop->workers_max && loop->next.load(std::memory_order_relaxed) < loop->tasks) return loop;
    }
    return nullptr;
  }

  void serve() {
    std::unique_lock<std::mutex> lock(mutex);
    bool spun = true;  // a new thread was wanted: its loop is there, or over
    for (;;) {
      Loop* loop = wanted();
      if (loop == nullptr) {
        if (stop) return;
        const uint64_t seen = posted.load(std::memory_order_relaxed);
        if (!spun) {
          spun = true;
          lock.unlock();
          spin(seen);
          lock.lock();
        } else {
          wake.wait(lock);
          spun = false;  // woken too late, perhaps: the next loop may be close
        }
        continue;
      }
      spun = false;
      const uint32_t worker = loop->joined++;
      ++loop->active;
      lock.unlock();
      loop->work(worker);
      lock.lock();
      if (--loop->active == 0) left.notify_all();
    }
  }
};

Pool::Pool(uint32_t threads_max) : threads_max_(std::max(1u, threads_max)), impl_(std::make_unique<Impl>()) {}

Pool::~Pool() {
  {
    const std::lock_guard<std::mutex> hold(impl_->mutex);
    impl_->stop = true;
    impl_->posted.fetch_add(1, std::memory_order_relaxed);
  }
  impl_->wake.notify_all();
  for (std::thread& thread : impl_->threads) thread.join();
}

void Pool::parallel_for(uint32_t tasks, uint32_t workers_max, const Task& f) {
  Loop loop;
  loop.f = &f;
  loop.tasks = tasks;
  loop.workers_max = workers_for(tasks, workers_max);
  const bool shared = loop.workers_max > 1;
  if (shared) {
    const std::lock_guard<std::mutex> hold(impl_->mutex);
    const uint32_t helpers = loop.workers_max - 1;
    while (impl_->threads.size() < helpers) {
      try {
        impl_->threads.emplace_back([impl = impl_.get()] { impl->serve(); });
      } catch (...) {
        break;  // the system gives no thread: those that exist do the work
      }
    }
    impl_->loops.push_back(&loop);
    impl_->posted.fetch_add(1, std::memory_order_relaxed);
    impl_->wake.notify_all();
  }
  loop.work(0);
  if (shared) {
    std::unique_lock<std::mutex> lock(impl_->mutex);
    impl_->loops.remove(&loop);
    impl_->left.wait(lock, [&] { return loop.active == 0; });
  }
  if (loop.error) std::rethrow_exception(loop.error);
}

uint32_t Pool::hardware_threads() { return std::max(1u, std::thread::hardware_concurrency()); }

#else

struct Pool::Impl {};
Pool::Pool(uint32_t) : threads_max_(1) {}
Pool::~Pool() = default;
void Pool::parallel_for(uint32_t tasks, uint32_t, const Task& f) {
  Loop loop;
  loop.f = &f;
  loop.tasks = tasks;
  loop.work(0);
  if (loop.error) std::rethrow_exception(loop.error);
}
uint32_t Pool::hardware_threads() { return 1; }

#endif

uint32_t Pool::workers_for(uint32_t tasks, uint32_t workers_max) const {
  return std::max(1u, std::min({workers_max, threads_max_, tasks}));
}

}  // namespace hdb
