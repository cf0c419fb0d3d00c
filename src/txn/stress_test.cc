// Invariants checked: C1, C2, C3, C4 under real threads (run under tsan by the gate). Test 1 of spec/concurrency.md: transfers between two rows
// in different blocks; readers by scan and by key see a constant sum, with widening, re-basing and dictionary growth forced.
#include <catch2/catch.hpp>

#include <atomic>
#include <random>
#include <thread>

#include "txn/test_store.h"

using namespace hdb;
using hdb::testing::Row;
using hdb::testing::TestStore;

TEST_CASE("readers see a constant sum while a writer moves values between blocks") {
  TestStore store;
  constexpr int64_t kRows = kBlockRows + 200;
  {
    Transaction t(store.manager);
    t.begin_write();
    std::vector<Datum> id, g, v, d;
    for (int64_t i = 0; i < kRows; ++i) {
      id.push_back(Datum::of(i));
      g.push_back(store.table->intern(1, "a"));
      v.push_back(Datum::of(int64_t{10}));
      d.push_back(Datum::of(1.0));
    }
    const Datum* columns[4] = {id.data(), g.data(), v.data(), d.data()};
    insert_rows(t, *store.table, columns, kRows);
    t.commit();
  }
  std::atomic<bool> stop{false};
  std::atomic<int> bad{0};
  const auto read = [&](uint64_t seed) {
    std::mt19937_64 random(seed);
    while (!stop.load()) {
      Transaction t(store.manager);
      const Snapshot s = t.snapshot();
      int128 sum = 0;
      const EpochManager::Guard guard(store.manager.epochs());
      const uint32_t column = 2;
      BlockView view;
      for (uint64_t b = 0; b < store.table->block_count(); ++b) {
        view.open(*store.table, b, {&column, 1}, s);
        for_each_bit(view.visible(), bitmap_words(view.rows()), [&](uint32_t slot) { sum += view.column(0).int_at(slot); });
      }
      if (sum != int128{10} * kRows) ++bad;
      const auto id = static_cast<int64_t>(random() % 100);
      if (!store.find(s, id).has_value()) ++bad;
    }
  };
  std::vector<std::thread> readers;
  for (uint64_t i = 0; i < 2; ++i) readers.emplace_back(read, i);
  std::mt19937_64 random(7);
  for (int i = 0; i < 400; ++i) {
    Transaction t(store.manager);
    t.begin_write();
    const uint64_t from = random() % 100, to = kBlockRows + random() % 100;
    const auto amount = static_cast<int64_t>(i % 3 == 0 ? random() % 5 : random() >> (8 + random() % 50));
    Row a = store.find(t.snapshot(), static_cast<int64_t>(from))->second, b = store.find(t.snapshot(), static_cast<int64_t>(to))->second;
    *a.v -= amount;
    *b.v += amount;
    a.g = "text " + std::to_string(i);
    store.update(t, from, a);
    store.update(t, to, b);
    if (i % 5 == 0) t.rollback();
    else t.commit();
  }
  stop = true;
  for (auto& r : readers) r.join();
  REQUIRE(bad == 0);
}
