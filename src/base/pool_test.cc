#include "base/pool.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <stdexcept>
#include <thread>
#include <vector>

using hdb::Pool;

TEST_CASE("each task runs exactly once, on any number of threads") {
  for (uint32_t threads : {1u, 2u, 4u}) {
    Pool pool(threads);
    for (uint32_t tasks : {0u, 1u, 3u, 1000u}) {
      std::vector<std::atomic<uint32_t>> runs(tasks);
      std::atomic<bool> bounded{true};
      pool.parallel_for(tasks, threads, [&](uint32_t worker, uint32_t task) {
        if (worker >= pool.workers_for(tasks, threads)) bounded = false;
        runs[task].fetch_add(1);
      });
      REQUIRE(bounded);
      for (auto& n : runs) REQUIRE(n.load() == 1);
    }
  }
}

TEST_CASE("an error in a task reaches the caller and ends the loop") {
  Pool pool(3);
  for (int round = 0; round < 20; ++round) {
    std::atomic<uint32_t> done{0};
    REQUIRE_THROWS_AS(pool.parallel_for(100000, 3,
                                        [&](uint32_t, uint32_t task) {
                                          if (task == 5) throw std::runtime_error("five");
                                          done.fetch_add(1);
                                        }),
                      std::runtime_error);
    REQUIRE(done.load() < 100000);
  }
}

TEST_CASE("several callers share the helpers") {
  Pool pool(3);
  std::atomic<uint64_t> sum{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 3; ++c) {
    callers.emplace_back([&] {
      for (int round = 0; round < 50; ++round) pool.parallel_for(40, 3, [&](uint32_t, uint32_t task) { sum.fetch_add(task); });
    });
  }
  for (auto& t : callers) t.join();
  REQUIRE(sum.load() == 3ull * 50 * (39 * 40 / 2));
}
