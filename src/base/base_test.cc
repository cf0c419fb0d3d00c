// Invariants checked: E1, E2, K1 (errors and checks), M1, M2 (budgets), L1 (latches), C3 (epochs), and bitmaps and hashes.
#include <catch2/catch.hpp>

#include <set>
#include <thread>
#include <vector>

#include "base/bitmap.h"
#include "base/budget.h"
#include "base/check.h"
#include "base/epoch.h"
#include "base/hash.h"
#include "base/latch.h"

using namespace hdb;

namespace {
template <class F>
std::string code_of(const F& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.sqlstate();
  }
  return "";
}
struct Flag final : Retirable {
  explicit Flag(int* n) : count(n) {}
  ~Flag() override { ++*count; }
  int* count;
};
}  // namespace

TEST_CASE("an error carries its code, sentence and place; a failed CHECK is one") {
  const Error e("22012", "division by zero", 7);
  REQUIRE(std::string(e.sqlstate()) == "22012");
  REQUIRE(e.position() == 7);
  REQUIRE(std::string(e.what()) == "division by zero");
  REQUIRE_FALSE(Error("22012", "x").has_position());
  const auto broken = [] { ::hdb::check_failed("/somewhere/src/base/x.cc", 3, "1 == 2"); };
  REQUIRE(code_of(broken) == "XX000");
  try {
    broken();
  } catch (const Error& error) {
    REQUIRE(error.message().find("src/base/x.cc:3") != std::string::npos);
    REQUIRE(error.message().find("somewhere") == std::string::npos);  // no path of the machine that built it
  }
}

TEST_CASE("a budget takes its limit and not a byte more, and a child passes on to its parent") {
  MemoryBudget parent(100);
  {
    MemoryBudget child(80, &parent);
    child.charge(80);
    REQUIRE(code_of([&] { child.charge(1); }) == "53200");
    REQUIRE((child.used() == 80 && parent.used() == 80));
    MemoryBudget other(80, &parent);
    REQUIRE(code_of([&] { other.charge(21); }) == "53200");
    REQUIRE((other.used() == 0 && parent.used() == 80));
    other.charge(20);
    child.release(30);
    REQUIRE(parent.used() == 70);
  }
  REQUIRE(parent.used() == 0);
  CancelToken token;
  token.check();
  token.cancel();
  REQUIRE(code_of([&] { token.check(); }) == "57014");
}

TEST_CASE("bitmaps fill, count and walk at every length") {
  for (uint32_t n = 1; n <= 200; ++n) {
    uint64_t words[4] = {~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0}};
    bitmap_fill(words, n);
    REQUIRE(bitmap_count(words, bitmap_words(n)) == n);
    bit_clear(words, n - 1);
    uint32_t seen = 0, last = 0;
    for_each_bit(words, bitmap_words(n), [&](uint32_t i) {
      ++seen;
      last = i;
    });
    REQUIRE(seen == n - 1);
    if (n > 1) REQUIRE(last == n - 2);
    bit_assign(words, n - 1, true);
    REQUIRE(bit_test(words, n - 1));
  }
}

TEST_CASE("hashes of different keys differ, also in the bits that tables use") {
  std::set<uint64_t> whole, high, low;
  for (uint64_t i = 0; i < 10'000; ++i) {
    const uint64_t h = hash_combine(0, i);
    whole.insert(h);
    high.insert(h >> 40);
    low.insert(h & 0xFFFFFF);
  }
  REQUIRE(whole.size() == 10'000);
  REQUIRE((high.size() > 9'900 && low.size() > 9'900));
  REQUIRE(hash_bytes("abc", 3) != hash_bytes("abc\0", 4));
  REQUIRE(hash_bytes("", 0) != hash_bytes("\0", 1));
}

TEST_CASE("a latch keeps writers alone and lets readers in together") {
  Latch latch;
  int64_t value = 0, twin = 0;
  std::atomic<int> torn{0};
  std::vector<std::thread> threads;
  for (int w = 0; w < 2; ++w) {
    threads.emplace_back([&] {
      for (int i = 0; i < 3'000; ++i) {
        const ExclusiveLatch hold(latch);
        ++value;
        ++twin;
      }
    });
    threads.emplace_back([&] {
      for (int i = 0; i < 3'000; ++i) {
        const SharedLatch hold(latch);
        if (value != twin) ++torn;
      }
    });
  }
  for (auto& t : threads) t.join();
  REQUIRE((value == 6'000 && twin == 6'000 && torn == 0));
  const SharedLatch a(latch), b(latch);
}

TEST_CASE("what was retired under a guard lives until the guard is gone") {
  int freed = 0;
  EpochManager epochs;
  {
    const EpochManager::Guard early(epochs);
    epochs.retire(std::make_unique<Flag>(&freed));
    {
      const EpochManager::Guard late(epochs);
      epochs.collect();
      REQUIRE(freed == 0);
    }
    epochs.collect();
    REQUIRE((freed == 0 && epochs.waiting() == 1));
  }
  const EpochManager::Guard later(epochs);
  epochs.retire(std::make_unique<Flag>(&freed));
  epochs.collect();
  REQUIRE(freed == 1);  // the first one: `later` came after it
}
