// Invariants checked: LM1 (cells follow changes by commit, less what a snapshot does not see), LM2, LM3, C4 (publishing in parts).
#include "plane/limb.h"

#include <catch2/catch.hpp>

namespace {

using namespace hdb;

LimbForm form() {
  LimbForm f;
  f.key = {0, false, 10, 20};
  f.locals.push_back({1, false, true, 0, 4});
  f.measures.push_back({2, true, 1, 2});
  f.stride = 3;
  return f;
}

std::shared_ptr<Limb> empty_limb(MemoryBudget& budget, uint64_t rows = 0) {
  const LimbForm f = form();
  return std::make_shared<Limb>(f, LimbCells(f.fields(), &budget), 0, rows);
}

void apply(Limb& limb, int64_t key, int64_t local, int64_t value, int sign) {
  const Datum row[3] = {Datum::of(key), local < 0 ? Datum{} : Datum::of(local), value == 0 ? Datum{} : Datum::of(value)};
  limb.apply(row, sign);
}

// Weight, sum and count of all cells at a commit.
std::vector<int64_t> totals(const Limb& limb, uint64_t commit, bool* ok) {
  std::vector<int64_t> sum(3);
  *ok = limb.scan({commit, nullptr, 0}, 0, limb.form().key.capacity + 1,
                  [&](uint64_t, uint64_t slots, const int64_t* fields) {
                    for (uint64_t i = 0; i < slots * 4 * 3; ++i) sum[i % 3] += fields[i];
                  },
                  [&](uint32_t, const int64_t* fields, int sign) {
                    for (int f = 0; f < 3; ++f) sum[static_cast<size_t>(f)] += sign * fields[f];
                  });
  return sum;
}

}  // namespace

TEST_CASE("LM1 each commit is seen from its number on") {
  MemoryBudget budget;
  const auto limb = empty_limb(budget);
  REQUIRE(budget.used() == 21 * 4 * 3 * 8);
  for (int64_t c = 1; c <= 5; ++c) {
    apply(*limb, 10 + c, c % 3, 100 * c, +1);
    apply(*limb, 29, -1, 0, +1);
    if (c == 3) {
      apply(*limb, 11, 1, 100, -1);
      apply(*limb, 12, 0, 7, +1);
      apply(*limb, 12, 0, 7, -1);
    }
    limb->prepare();
    limb->publish(static_cast<uint64_t>(c));
  }
  bool ok = false;
  REQUIRE(totals(*limb, 5, &ok) == std::vector<int64_t>{9, 1400, 4});
  REQUIRE(totals(*limb, 3, &ok) == std::vector<int64_t>{5, 500, 2});
  REQUIRE(totals(*limb, 0, &ok) == std::vector<int64_t>{0, 0, 0});
  SnapshotRegistry registry;
  registry.publish(5);
  limb->reclaim(registry);
  REQUIRE(totals(*limb, 5, &ok) == std::vector<int64_t>{9, 1400, 4});
  REQUIRE(ok);
  apply(*limb, 15, 0, 1, +1);
  limb->discard();
  REQUIRE(totals(*limb, 6, &ok) == std::vector<int64_t>{9, 1400, 4});
  REQUIRE(limb->live_cells() == 5);
}

TEST_CASE("LM1 an old snapshot that would keep too many deltas is turned away") {
  MemoryBudget budget;
  const auto limb = empty_limb(budget);
  SnapshotRegistry registry;
  registry.open_at(0);
  for (uint64_t c = 1; c <= 200; ++c) {
    apply(*limb, 11, 1, 5, +1);
    limb->prepare();
    limb->publish(c);
    registry.publish(c);
    limb->reclaim(registry);
    bool ok = false;
    const auto old = totals(*limb, 0, &ok);
    if (ok) REQUIRE(old == std::vector<int64_t>{0, 0, 0});
    REQUIRE((ok || c > 32));
    REQUIRE(totals(*limb, c, &ok)[0] == static_cast<int64_t>(c));
    REQUIRE(ok);
  }
  REQUIRE(!limb->serves({0, nullptr, 0}));
}

TEST_CASE("LM3 a limb dies of a key, a code or a sum that it has no room for, and of writes that nobody reads") {
  MemoryBudget budget;
  const auto dies = [&](auto&& change) {
    const auto limb = empty_limb(budget);
    change(*limb);
    bool ok = true;
    totals(*limb, 9, &ok);
    REQUIRE(ok == !limb->dead());
    REQUIRE(limb->serves({9, nullptr, 0}) == ok);
    limb->prepare();
    limb->publish(1);
    return !ok;
  };
  REQUIRE(!dies([](Limb& l) { apply(l, 29, 2, 1, +1); }));
  REQUIRE(dies([](Limb& l) { apply(l, 30, 2, 1, +1); }));
  REQUIRE(dies([](Limb& l) { apply(l, 9, 2, 1, +1); }));
  REQUIRE(dies([](Limb& l) { apply(l, 29, 3, 1, +1); }));
  REQUIRE(!dies([](Limb& l) { apply(l, 29, 2, INT64_MAX / 2, +1); }));
  REQUIRE(dies([](Limb& l) { apply(l, 29, 2, INT64_MIN, +1); }));
  REQUIRE(dies([](Limb& l) {
    for (int i = 0; i < 2; ++i) apply(l, 29, 2, INT64_MAX / 2, +1);
  }));
  REQUIRE(!dies([](Limb& l) {
    for (int i = 0; i < 30'000; ++i) {
      if (i % 1000 == 0) l.note_read();
      apply(l, 15, 0, 1, i % 2 == 0 ? +1 : -1);
    }
  }));
  REQUIRE(dies([](Limb& l) {
    for (int i = 0; i < 30'000; ++i) apply(l, 15, 0, 1, i % 2 == 0 ? +1 : -1);
  }));
  REQUIRE(budget.used() == 0);
}
