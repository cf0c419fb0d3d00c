// Invariants checked: P1, C1, C4, C5, C6, A2, A4, G1, G2: every plane equals a rebuild for every open snapshot, through random histories.
#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>

#include "plane/address.h"
#include "plane/block_cells.h"
#include "plane/packed.h"
#include "plane/summary.h"
#include "txn/test_store.h"

using namespace hdb;
using hdb::testing::Row;
using hdb::testing::Rows;
using hdb::testing::TestStore;

namespace {

using Key = std::vector<std::string>;
struct Sums {
  int64_t weight = 0, count = 0;
  int128 sum = 0;
  bool operator==(const Sums&) const = default;
};
using Cells = std::map<Key, Sums>;

std::string text(const std::optional<std::string>& g) { return g ? "v" + *g : "n"; }

Cells by_g(const Rows& rows) {
  Cells cells;
  for (const auto& [id, r] : rows) {
    Sums& s = cells[{text(r.g)}];
    ++s.weight;
    if (r.v) {
      s.sum += *r.v;
      ++s.count;
    }
  }
  return cells;
}

Key key_of(const CellBatch& batch, uint32_t i) {
  Key key;
  for (const CellDimension& d : batch.dimensions) {
    if (d.any_null && bit_test(d.nulls.data(), i)) key.push_back("n");
    else if (d.dictionary != nullptr) key.push_back("v" + std::string(d.dictionary->text(d.codes[i])));
    else if (d.type.lane() == Lane::kText) key.push_back("v" + std::string(d.texts[i]));
    else key.push_back("v" + std::to_string(d.values[i]));
  }
  return key;
}

void take(const CellBatch& batch, Cells* cells) {
  for (uint32_t i = 0; i < batch.rows; ++i) {
    Sums& s = (*cells)[key_of(batch, i)];
    REQUIRE(batch.weight[i] > 0);
    s.weight += batch.weight[i];
    s.sum += batch.measures[0].sum[i];
    s.count += batch.measures[0].count[i];
  }
}

Cells from_summary(const Summary& summary, const Snapshot& snapshot) {
  REQUIRE_FALSE(summary.declines(snapshot).has_value());
  Cells cells;
  CellBatch batch;
  const CellRequest request{summary.dimensions(), summary.measures(), false};
  for (uint64_t next = 0; next != UINT64_MAX;) {
    next = summary.read(snapshot, next, request, &batch);
    take(batch, &cells);
  }
  return cells;
}

// The cells over column 1, added up.
Cells from_fold(const Summary& summary, const Snapshot& snapshot) {
  const auto fold = summary.folded(snapshot, {{1}, {2}, false});
  REQUIRE(fold != nullptr);
  Cells cells;
  take(*fold, &cells);
  REQUIRE(cells.size() == fold->rows);  // each combination once
  return cells;
}

Cells from_blocks(TestStore& store, const Snapshot& snapshot, const CellRequest& request) {
  const EpochManager::Guard guard(store.manager.epochs());
  Cells cells;
  CellBatch batch;
  for (uint64_t b = 0; b < store.table->block_count(); ++b) {
    const BlockView view(*store.table, b, block_cells_columns(request), snapshot);
    read_block_cells(*store.table, view, request, true, &batch);
    take(batch, &cells);
  }
  return cells;
}

Sums whole(TestStore& store, const Snapshot& snapshot, const Rows& rows) {
  const EpochManager::Guard guard(store.manager.epochs());
  CellBatch batch;
  const CellRequest request{{}, {2}, true};
  for (uint64_t b = 0; b < store.table->block_count(); ++b)
    append_zone_sums(*store.table, BlockView(*store.table, b, request.measures, snapshot), request, &batch);
  Sums s;
  int64_t low = INT64_MAX, high = INT64_MIN, low_rows = INT64_MAX, high_rows = INT64_MIN;
  for (uint32_t i = 0; i < batch.rows; ++i) {
    s.weight += batch.weight[i];
    s.sum += batch.measures[0].sum[i];
    s.count += batch.measures[0].count[i];
    low = std::min(low, batch.measures[0].min[i]);
    high = std::max(high, batch.measures[0].max[i]);
  }
  for (const auto& [id, r] : rows) {
    if (!r.v) continue;
    low_rows = std::min(low_rows, *r.v);
    high_rows = std::max(high_rows, *r.v);
  }
  REQUIRE(low == low_rows);
  REQUIRE(high == high_rows);
  return s;
}

Row random_row(std::mt19937_64& random, uint64_t groups) {
  Row r;
  if (random() % 8 != 0) r.g = "g" + std::to_string(random() % groups);
  if (random() % 8 != 0) r.v = random() % 3 == 0 ? static_cast<int64_t>(random()) : static_cast<int64_t>(random() % 7);
  return r;
}

}  // namespace

TEST_CASE("summaries, block cells and zone sums equal the rows for every snapshot of a random history") {
  const uint64_t seed = GENERATE(11u, 12u, 13u);
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  TestStore store;
  const auto summary = std::make_shared<Summary>("s", store.table, std::vector<uint32_t>{1}, std::vector<uint32_t>{2}, 1u << 20, &store.budget);
  const auto wide = std::make_shared<Summary>("w", store.table, std::vector<uint32_t>{2, 1, 0}, std::vector<uint32_t>{2}, 1u << 20, &store.budget);
  Rows committed;
  int64_t next_id = 0;
  struct Reader {
    std::unique_ptr<Transaction> t;
    Rows rows;
  };
  std::vector<Reader> readers;
  for (int round = 0; round < 50; ++round) {
    Transaction t(store.manager);
    t.begin_write();
    t.keep(store.table);
    t.touch(*store.table);
    Rows rows = committed;
    std::vector<std::pair<std::string, Rows>> savepoints;
    for (uint64_t i = 0, n = random() % 100; i < n; ++i) {
      if (rows.empty() || random() % 3 != 0) {
        const Row r = random_row(random, 3 + static_cast<uint64_t>(round));
        store.insert(t, next_id, r);
        rows[next_id++] = r;
      } else {
        auto it = rows.lower_bound(static_cast<int64_t>(random() % static_cast<uint64_t>(next_id)));
        if (it == rows.end()) it = rows.begin();
        const auto found = store.find(t.snapshot(), it->first);
        REQUIRE(found.has_value());
        if (random() % 2 == 0) {
          REQUIRE(delete_row(t, *store.table, found->first));
          rows.erase(it);
        } else {
          it->second = random_row(random, 3);
          REQUIRE(store.update(t, found->first, it->second));
        }
      }
      if (random() % 15 == 0) {
        savepoints.emplace_back(std::to_string(i), rows);
        t.savepoint(savepoints.back().first);
      } else if (!savepoints.empty() && random() % 15 == 0) {
        savepoints.resize(random() % savepoints.size() + 1);
        t.rollback_to_savepoint(savepoints.back().first, -1);
        rows = savepoints.back().second;
      }
      if (i == 50 && round % 10 == 5) {
        // A summary that is created inside of a transaction: built at H, own changes pending.
        const auto late = std::make_shared<Summary>("l", store.table, std::vector<uint32_t>{1}, std::vector<uint32_t>{2}, 1u << 20, nullptr);
        late->build(t.snapshot(), nullptr);
        REQUIRE(from_summary(*late, t.snapshot()) == by_g(rows));
      }
    }
    if (round == 3) {
      for (const auto& s : {summary, wide}) {
        s->build(t.snapshot(), nullptr);
        store.table->sinks.push_back(s);
      }
    }
    const auto check = [&](const Snapshot& s, const Rows& expected) {
      REQUIRE(from_blocks(store, s, {{1}, {2}, false}) == by_g(expected));
      REQUIRE(from_blocks(store, s, {{1}, {2}, false}) == by_g(expected));  // now kept
      Sums total;
      for (const auto& [k, c] : by_g(expected)) {
        total.weight += c.weight;
        total.sum += c.sum;
        total.count += c.count;
      }
      REQUIRE(whole(store, s, expected) == total);
      if (round < 3 || summary->declines(s)) return;
      REQUIRE(from_summary(*summary, s) == by_g(expected));
      for (int again = 0; again < 2; ++again) {
        REQUIRE(from_fold(*summary, s) == by_g(expected));
        REQUIRE(from_fold(*wide, s) == by_g(expected));
      }
      const EpochManager::Guard guard(store.manager.epochs());
      const VerifyResult v = verify_summary(*wide, s, nullptr);
      REQUIRE(v.differences == 0);
      REQUIRE((v.cells_checked >= 1 || expected.empty()));
    };
    check(t.snapshot(), rows);
    if (random() % 3 == 0) {
      t.rollback();
    } else {
      t.commit();
      committed = rows;
    }
    if (random() % 2 == 0 && round > 3) {
      readers.push_back({std::make_unique<Transaction>(store.manager), committed});
      readers.back().t->snapshot();
    }
    if (readers.size() > 4) readers.erase(readers.begin() + static_cast<long>(random() % readers.size()));
    for (const Reader& r : readers) check(r.t->snapshot(), r.rows);
    REQUIRE(summary->delta_nodes() <= store.manager.registry().distinct() + 1);
  }
  REQUIRE_FALSE(wide->dense());
}

TEST_CASE("a fold is kept until something is published, and declined where too much could come out") {
  TestStore store;
  const auto summary = std::make_shared<Summary>("s", store.table, std::vector<uint32_t>{1, 0}, std::vector<uint32_t>{2}, 1u << 20, &store.budget);
  store.table->sinks.push_back(summary);
  const auto put = [&](int64_t first, int64_t count) {
    Transaction t(store.manager);
    t.begin_write();
    t.keep(store.table);
    for (int64_t id = first; id < first + count; ++id) store.insert(t, id, {"g" + std::to_string(id % 3), id, 0});
    t.commit();
  };
  put(0, 5000);
  const CellRequest request{{1}, {2}, false};
  Transaction old(store.manager);
  const auto kept = summary->folded(old.snapshot(), request);
  REQUIRE(kept == summary->folded(old.snapshot(), request));
  REQUIRE(kept->rows == 3);
  put(5000, 1);
  Transaction now(store.manager);
  const auto fresh = summary->folded(now.snapshot(), request);
  REQUIRE(fresh != kept);
  int64_t weight = 0;
  for (uint32_t i = 0; i < fresh->rows; ++i) weight += fresh->weight[i];
  REQUIRE(weight == 5001);
  const auto before = summary->folded(old.snapshot(), request);  // minus the delta; not kept
  weight = 0;
  for (uint32_t i = 0; i < before->rows; ++i) weight += before->weight[i];
  REQUIRE(weight == 5000);
  REQUIRE(summary->folded(now.snapshot(), request) == fresh);
  // What has been published since is added to a fold one by one: to cells that were there, so that none comes or goes.
  for (int64_t i = 0; i < 300; ++i) {
    Transaction t(store.manager);
    t.begin_write();
    t.keep(store.table);
    const auto found = store.find(t.snapshot(), i);
    REQUIRE(store.update(t, found->first, {"g" + std::to_string(i % 3), 3 * i, 0}));
    t.commit();
    if (i % 7 != 0 && i < 30) continue;  // one, or several, or more than are kept
    if (i > 30 && i < 295) continue;
    Transaction after(store.manager);
    const auto caught = summary->folded(after.snapshot(), request);
    int128 sum = 0, expected = 0;
    for (uint32_t r = 0; r < caught->rows; ++r) sum += caught->measures[0].sum[r];
    for (int64_t id = 0; id < 5001; ++id) expected += id <= i ? 3 * id : id;
    REQUIRE(sum == expected);
  }
  put(5001, 12'000);
  put(17'001, 60'000);
  Transaction later(store.manager);
  REQUIRE(summary->folded(later.snapshot(), {{0}, {2}, false}) == nullptr);  // 77,001 values
  REQUIRE(summary->folded(later.snapshot(), {{}, {}, false})->weight == std::vector<int64_t>{77'001});
}

TEST_CASE("codes and counts are as wide as they must be") {
  PackedCodes codes;
  std::vector<uint32_t> expected(kChunkCells, 0);
  for (const uint32_t code : {0u, 255u, 256u, 65'535u, 65'536u, 0xFFFFFFFFu}) {
    for (uint32_t i = code % 7; i < kChunkCells; i += 11) {
      if (!codes.fits(code)) codes = codes.widened(code);
      codes.set(i, code);
      expected[i] = code;
    }
    REQUIRE(codes.bytes() == PackedCodes::bytes_for(code));
    codes.visit([&](const auto* array) { REQUIRE(std::equal(expected.begin(), expected.end(), array)); });
    for (uint32_t i = 0; i < kChunkCells; ++i) REQUIRE(codes.at(i) == expected[i]);
  }
  PackedCounts counts;
  REQUIRE(counts.bytes() == PackedCounts::kNarrowBytes);
  for (const int64_t n : {int64_t{INT32_MAX}, int64_t{INT32_MIN}}) {
    REQUIRE(counts.fits(n));
    REQUIRE_FALSE(counts.fits(n > 0 ? n + 1 : n - 1));
    counts.set(n > 0 ? 1 : 2, n);
  }
  counts = counts.copy(true);
  counts.set(3, INT64_MAX);
  REQUIRE(counts.bytes() == PackedCounts::kWideBytes);
  REQUIRE((counts.at(0) == 0 && counts.at(1) == INT32_MAX && counts.at(2) == INT32_MIN && counts.at(3) == INT64_MAX));
}

TEST_CASE("an address finds every cell whichever form it is in") {
  // Sparse first (hashed), then the joint domain fills up (dense again), with removals between.
  std::mt19937_64 random(31);
  std::vector<std::array<uint32_t, 3>> cells;
  AddressMap map(3);
  const auto codes_of = [&](uint32_t ordinal, size_t d) { return cells[ordinal][d]; };
  std::set<std::array<uint32_t, 3>> there;
  bool hashed = false;
  for (uint32_t round = 0; round < 60'000; ++round) {
    const uint32_t reach = round < 3'000 ? 200 : 40;  // 200^3 is too much, 40^3 is not
    const std::array<uint32_t, 3> c = {static_cast<uint32_t>(random() % reach), static_cast<uint32_t>(random() % reach % 50), static_cast<uint32_t>(random() % 30)};
    REQUIRE((map.find(c.data(), codes_of) != AddressMap::kNone) == there.contains(c));
    if (there.contains(c)) continue;
    cells.push_back(c);
    map.add(c.data(), static_cast<uint32_t>(cells.size() - 1), static_cast<uint32_t>(cells.size()), codes_of);
    there.insert(c);
    hashed = hashed || !map.dense();
  }
  REQUIRE(hashed);
  REQUIRE(map.bytes() <= cells.size() * 4 * AddressMap::kSlotsPerCell);
  std::vector<uint32_t> codes(3 * cells.size()), ordinals(cells.size());
  for (uint32_t o = 0; o < cells.size(); ++o) {
    REQUIRE(map.find(cells[o].data(), codes_of) == o);
    for (size_t d = 0; d < 3; ++d) codes[d * cells.size() + o] = cells[o][d];
  }
  map.find_all(codes.data(), cells.size(), static_cast<uint32_t>(cells.size()), codes_of, ordinals.data());
  for (uint32_t o = 0; o < cells.size(); ++o) REQUIRE(ordinals[o] == o);
  for (uint32_t o = 0; o < cells.size(); o += 2) map.remove(cells[o].data(), codes_of);
  for (uint32_t o = 0; o < cells.size(); ++o) REQUIRE(map.find(cells[o].data(), codes_of) == (o % 2 == 0 ? AddressMap::kNone : o));
}

TEST_CASE("A2 in the hashed form a cell that leaves takes no other with it, whatever it collided with") {
  std::mt19937_64 random(32);
  std::vector<std::array<uint32_t, 2>> cells;
  AddressMap map(2);
  const auto codes_of = [&](uint32_t ordinal, size_t d) { return cells[ordinal][d]; };
  std::set<std::array<uint32_t, 2>> there;
  while (cells.size() < 4'000) {
    const std::array<uint32_t, 2> c = {static_cast<uint32_t>(random() % 1'000'000), static_cast<uint32_t>(random() % 1'000)};
    if (!there.insert(c).second) continue;
    cells.push_back(c);
    map.add(c.data(), static_cast<uint32_t>(cells.size() - 1), static_cast<uint32_t>(cells.size()), codes_of);
  }
  REQUIRE_FALSE(map.dense());
  std::vector<uint32_t> order(cells.size());
  for (uint32_t o = 0; o < order.size(); ++o) order[o] = o;
  std::shuffle(order.begin(), order.end(), random);
  std::vector<uint32_t> codes(2 * cells.size()), ordinals(cells.size()), expected(cells.size());
  for (uint32_t o = 0; o < cells.size(); ++o) {
    expected[o] = o;
    for (size_t d = 0; d < 2; ++d) codes[d * cells.size() + o] = cells[o][d];
  }
  for (size_t i = 0; i < order.size(); ++i) {
    map.remove(cells[order[i]].data(), codes_of);
    expected[order[i]] = AddressMap::kNone;
    REQUIRE(map.find(cells[order[i]].data(), codes_of) == AddressMap::kNone);
    if (i % 100 != 0 && i + 1 != order.size()) continue;
    map.find_all(codes.data(), cells.size(), static_cast<uint32_t>(cells.size()), codes_of, ordinals.data());
    REQUIRE(ordinals == expected);
    for (uint32_t o = 0; o < cells.size(); ++o) REQUIRE(map.find(cells[o].data(), codes_of) == expected[o]);
  }
}

TEST_CASE("a measure's counts part from the weights when a NULL comes") {
  TestStore store;
  const auto summary = std::make_shared<Summary>("s", store.table, std::vector<uint32_t>{1}, std::vector<uint32_t>{2}, 100, &store.budget);
  store.table->sinks.push_back(summary);
  const auto commit = [&](int64_t id, const Row& row) {
    Transaction t(store.manager);
    t.begin_write();
    t.keep(store.table);
    store.insert(t, id, row);
    t.commit();
  };
  commit(1, {"a", 5, 0});
  commit(2, {"b", 6, 0});
  const uint64_t before = summary->bytes();
  Transaction old(store.manager);
  old.snapshot();
  commit(3, {"a", std::nullopt, 0});
  REQUIRE(summary->bytes() >= before + PackedCounts::kNarrowBytes);
  commit(4, {"a", 1, 0});
  Transaction now(store.manager);
  REQUIRE(from_summary(*summary, now.snapshot()) == Cells{{{"va"}, {3, 2, 6}}, {{"vb"}, {1, 1, 6}}});
  REQUIRE(from_fold(*summary, now.snapshot()) == Cells{{{"va"}, {3, 2, 6}}, {{"vb"}, {1, 1, 6}}});
  REQUIRE(from_summary(*summary, old.snapshot()) == Cells{{{"va"}, {1, 1, 5}}, {{"vb"}, {1, 1, 6}}});
  REQUIRE(from_fold(*summary, old.snapshot()) == Cells{{{"va"}, {1, 1, 5}}, {{"vb"}, {1, 1, 6}}});
}

TEST_CASE("max_cells refuses the cell past it and keeps what was there") {
  TestStore store;
  const auto summary = std::make_shared<Summary>("s", store.table, std::vector<uint32_t>{1}, std::vector<uint32_t>{2}, 3, &store.budget);
  store.table->sinks.push_back(summary);
  const auto put = [&](Transaction& t, int64_t id, const char* g) { return store.insert(t, id, {std::string(g), id, 0}); };
  Transaction t(store.manager);
  t.begin_write();
  t.keep(store.table);
  put(t, 1, "a");
  put(t, 2, "b");
  put(t, 3, "c");
  try {
    put(t, 4, "d");
    FAIL("a fourth cell");
  } catch (const Error& e) {
    REQUIRE(std::string(e.sqlstate()) == "54000");
  }
  put(t, 5, "a");
  t.commit();
  Transaction u(store.manager);
  u.begin_write();
  u.keep(store.table);
  const auto found = store.find(u.snapshot(), 2);
  REQUIRE(delete_row(u, *store.table, found->first));
  u.commit();
  // The cell of b is empty now: its place may be taken.
  Transaction v(store.manager);
  v.begin_write();
  v.keep(store.table);
  put(v, 6, "d");
  v.commit();
  Transaction r(store.manager);
  const EpochManager::Guard guard(store.manager.epochs());
  REQUIRE(verify_summary(*summary, r.snapshot(), nullptr).differences == 0);
}

TEST_CASE("an emptied group comes back with exactly the new row") {
  TestStore store;
  const auto summary = std::make_shared<Summary>("s", store.table, std::vector<uint32_t>{1}, std::vector<uint32_t>{2}, 100, &store.budget);
  store.table->sinks.push_back(summary);
  Transaction t(store.manager);
  t.begin_write();
  const uint64_t a = store.insert(t, 1, {"g", 5, 0}), b = store.insert(t, 2, {"g", 6, 0});
  delete_row(t, *store.table, a);
  delete_row(t, *store.table, b);
  REQUIRE(from_summary(*summary, t.snapshot()).empty());
  store.insert(t, 3, {"g", 7, 0});
  REQUIRE(from_summary(*summary, t.snapshot()) == Cells{{{"vg"}, {1, 1, 7}}});
}
