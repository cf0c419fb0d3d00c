// base/pool.h: the engine's own small worker pool: a parallel loop over numbered tasks.
//
// What:       parallel_for(tasks, workers, f) calls f(worker, task) once for each task; the caller takes part as worker 0 and helpers
//             join while there is work. Threads start when they are first wanted and stay until the pool's end.
// Invariants: P1 each task runs exactly once, unless a task threw: then tasks not yet begun are dropped and the first error (by task
//                number among those that ran) is thrown in the caller.
//             P2 when parallel_for returns, no helper touches the loop's state any more.
//             P3 at most threads_max() - 1 threads exist; with 1, or built with HOLODB_NO_THREADS, everything runs on the caller.
// Cost:       waking a helper takes about 60 us: the caller does not wait for it, it just begins. A helper stays awake for 100 us after its last task.
// Callers:    exec/, engine/. Thread-safe: several loops may run at once and share the helpers.
// Held by:    src/base/pool_test.cc
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace hdb {

class Pool {
 public:
  explicit Pool(uint32_t threads_max);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  using Task = std::function<void(uint32_t worker, uint32_t task)>;
  // Worker numbers are below max(1, min(workers_max, threads_max(), tasks)).
  void parallel_for(uint32_t tasks, uint32_t workers_max, const Task& f);
  uint32_t threads_max() const { return threads_max_; }
  uint32_t workers_for(uint32_t tasks, uint32_t workers_max) const;

  static uint32_t hardware_threads();

 private:
  struct Impl;
  uint32_t threads_max_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hdb
