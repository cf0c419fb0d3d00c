// Invariants checked: C6, C17: folds of runs and of the table equal a count of the rows, in order of first appearance, for every open snapshot.
#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

#include "base/budget.h"
#include "plane/folded_cells.h"
#include "txn/test_store.h"

using namespace hdb;
using hdb::testing::Row;
using hdb::testing::TestStore;

namespace {

struct Counted {
  int64_t weight = 0, count = 0;
  int128 sum = 0;
  bool operator==(const Counted&) const = default;
};
using Cells = std::map<std::string, Counted>;

std::string name_of(const CellDimension& d, uint32_t i) {
  if (d.any_null && bit_test(d.nulls.data(), i)) return "n";
  return d.dictionary != nullptr ? "v" + std::string(d.dictionary->text(d.codes[i])) : "v" + std::to_string(d.values[i]);
}

// The rows themselves: of column 1 (or of none), with the sums of column 2.
Cells from_rows(TestStore& store, const Snapshot& snapshot, bool grouped) {
  Cells cells;
  const EpochManager::Guard guard(store.manager.epochs());
  const uint32_t columns[2] = {1, 2};
  for (uint64_t b = 0; b < store.table->block_count(); ++b) {
    const BlockView view(*store.table, b, columns, snapshot);
    for_each_bit(view.visible(), bitmap_words(view.rows()), [&](uint32_t slot) {
      const Datum g = view.column(0).at(slot), v = view.column(1).at(slot);
      Counted& c = cells[!grouped ? "" : g.null ? "n" : "v" + std::string(g.text()->view())];
      ++c.weight;
      if (v.null) return;
      c.sum += v.i64();
      ++c.count;
    });
  }
  return cells;
}

void add(const CellBatch& batch, std::vector<std::string>* order, Cells* cells) {
  for (uint32_t i = 0; i < batch.rows; ++i) {
    const std::string name = batch.dimensions.empty() ? "" : name_of(batch.dimensions[0], i);
    if (!cells->contains(name)) order->push_back(name);
    Counted& c = (*cells)[name];
    c.weight += batch.weight[i];
    c.sum += batch.measures[0].sum[i];
    c.count += batch.measures[0].count[i];
  }
}

// As a question reads them. *order: names as they first appear.
Cells from_folds(TestStore& store, const Snapshot& snapshot, bool grouped, bool keep, std::vector<std::string>* order, bool* was_whole) {
  const CancelToken cancel;
  FoldedCells folds(*store.table, snapshot, {grouped ? std::vector<uint32_t>{1} : std::vector<uint32_t>{}, {2}, false}, keep, store.manager.epochs(), cancel);
  Cells cells;
  order->clear();
  const auto whole = folds.whole();
  *was_whole = whole != nullptr;
  if (whole != nullptr) {
    add(*whole, order, &cells);
    return cells;
  }
  for (uint64_t r = 0; r < folds.runs(); ++r) {
    for (const auto& batch : folds.read(r)) add(*batch, order, &cells);
  }
  return cells;
}

struct ShortRuns {
  explicit ShortRuns(uint32_t blocks) { Table::set_run_blocks(blocks); }
  ~ShortRuns() { Table::set_run_blocks(kRunBlocks); }
};

uint64_t fill(TestStore& store, Transaction& t, uint64_t first, uint64_t rows, std::mt19937_64& random) {
  std::vector<Datum> id(rows), g(rows), v(rows), d(rows, Datum::of(0.5));
  for (uint64_t i = 0; i < rows; ++i) {
    id[i] = Datum::of(static_cast<int64_t>(first + i));
    if (random() % 9 != 0) g[i] = store.table->intern(1, "g" + std::to_string(random() % 5));
    if (random() % 9 != 0) v[i] = Datum::of(static_cast<int64_t>(random()) >> (random() % 60));
  }
  const Datum* columns[4] = {id.data(), g.data(), v.data(), d.data()};
  insert_rows(t, *store.table, columns, static_cast<uint32_t>(rows));
  return first + rows;
}

}  // namespace

TEST_CASE("folds equal the rows for every snapshot, whatever changes between them") {
  const uint32_t run = GENERATE(1u, 2u, 16u);
  INFO("run of " << run << " blocks");
  const ShortRuns runs(run);
  std::mt19937_64 random(5 + run);
  TestStore store;
  uint64_t rows = 0, wholes = 0, asked = 0;
  std::vector<std::unique_ptr<Transaction>> readers;
  const auto check = [&](const Snapshot& s) {
    for (const bool grouped : {false, true}) {
      const Cells expected = from_rows(store, s, grouped);
      std::vector<std::string> cold, warm;
      bool whole = false;
      REQUIRE(from_folds(store, s, grouped, false, &cold, &whole) == expected);
      REQUIRE_FALSE(whole);
      for (int again = 0; again < 3; ++again) {
        REQUIRE(from_folds(store, s, grouped, true, &warm, &whole) == expected);
        REQUIRE(warm == cold);
      }
      wholes += whole ? 1 : 0;
      ++asked;
    }
  };
  for (int round = 0; round < 12; ++round) {
    Transaction t(store.manager);
    t.begin_write();
    t.keep(store.table);
    t.touch(*store.table);
    // Rows that are appended wait behind what is kept; many at once, or a few, and some go again after they have been counted.
    rows = fill(store, t, rows, round % 4 == 0 ? 20'000 : 1 + random() % 100, random);
    if (round % 2 == 1) {
      t.savepoint("b");
      rows = fill(store, t, rows, 1 + random() % 200, random);
      check(t.snapshot());
      if (random() % 3 != 0) t.rollback_to_savepoint("b", -1);
      if (random() % 2 == 0) rows = fill(store, t, rows, 1 + random() % 200, random);
    }
    for (int i = 0; i < 4; ++i) {
      const auto id = static_cast<int64_t>(random() % rows);
      t.savepoint("a");
      const auto found = store.find(t.snapshot(), id);
      if (!found) continue;
      if (random() % 2 == 0) REQUIRE(delete_row(t, *store.table, found->first));
      else REQUIRE(store.update(t, found->first, {"g" + std::to_string(random() % 7), static_cast<int64_t>(random() % 100), 0}));
      if (i == 1) check(t.snapshot());  // its own changes, not committed
      if (random() % 3 == 0) t.rollback_to_savepoint("a", -1);
    }
    check(t.snapshot());
    for (const auto& r : readers) check(r->snapshot());
    if (random() % 3 == 0 && round % 4 != 0) t.rollback();
    else t.commit();
    if (readers.size() > 2) readers.erase(readers.begin() + static_cast<long>(random() % readers.size()));
    readers.push_back(std::make_unique<Transaction>(store.manager));
    for (const auto& r : readers) check(r->snapshot());
  }
  REQUIRE(store.table->block_count() == 4);
  REQUIRE(store.table->run_count() == (4 + run - 1) / run);
  REQUIRE(wholes * 4 > asked);  // folds were read, not only made
}

TEST_CASE("a table without rows has a fold without cells") {
  TestStore store;
  Transaction t(store.manager);
  std::vector<std::string> order;
  bool whole = false;
  REQUIRE(from_folds(store, t.snapshot(), true, true, &order, &whole).empty());
  REQUIRE(whole);
}

TEST_CASE("minima and maxima of a fold leave out cells without a value") {
  CellBatch a, b;
  for (CellBatch* batch : {&a, &b}) batch->measures.resize(1);
  const auto put = [](CellBatch& to, int64_t weight, int64_t count, int64_t low, int64_t high) {
    ++to.rows;
    to.weight.push_back(weight);
    to.measures[0].sum.push_back(0);
    to.measures[0].count.push_back(count);
    to.measures[0].min.push_back(low);
    to.measures[0].max.push_back(high);
  };
  put(a, 2, 0, INT64_MAX, INT64_MIN);
  put(b, 3, 2, 5, 9);
  put(b, 1, 0, -7, 70);
  put(b, 1, 1, 4, 4);
  CellFolder folder;
  REQUIRE(folder.add(a));
  REQUIRE(folder.add(b));
  const CellBatch sum = folder.take();
  REQUIRE(sum.rows == 1);
  REQUIRE(sum.weight[0] == 7);
  REQUIRE(sum.measures[0].count[0] == 3);
  REQUIRE(sum.measures[0].min[0] == 4);
  REQUIRE(sum.measures[0].max[0] == 9);
}

TEST_CASE("a folder's two forms add the same cells in the same order") {
  std::mt19937_64 random(8);
  for (const int64_t stretch : {int64_t{1}, int64_t{1} << 40}) {  // few values side by side, or far apart: by number, or by hash
    CellFolder folder;
    std::vector<std::pair<std::vector<std::string>, Counted>> expected;
    for (int b = 0; b < 20; ++b) {
      CellBatch batch;
      batch.dimensions.resize(2);
      batch.measures.resize(1);
      for (CellDimension& d : batch.dimensions) d.type = Type::bigint();
      std::map<std::vector<std::string>, bool> there;
      for (int n = 0; n < b; ++n) {  // a batch has a cell once; some batches are empty
        std::vector<std::string> key;
        const uint32_t row = batch.rows;
        CellBatch one = batch;
        for (CellDimension& d : one.dimensions) {
          d.values.push_back(static_cast<int64_t>(random() % 5) * stretch - 2 * stretch);
          if (d.nulls.size() * 64 <= row) d.nulls.push_back(0);
          if (random() % 6 == 0) {
            d.values.back() = 0;
            d.any_null = true;
            bit_set(d.nulls.data(), row);
          }
          key.push_back(name_of(d, row));
        }
        if (!there.emplace(key, true).second) continue;
        batch = std::move(one);
        const Counted c{static_cast<int64_t>(random() % 9 + 1), static_cast<int64_t>(random() % 5), static_cast<int64_t>(random())};
        batch.weight.push_back(c.weight);
        batch.measures[0].sum.push_back(c.sum);
        batch.measures[0].count.push_back(c.count);
        ++batch.rows;
        auto it = std::find_if(expected.begin(), expected.end(), [&](const auto& e) { return e.first == key; });
        if (it == expected.end()) it = expected.insert(expected.end(), {key, {}});
        it->second.weight += c.weight;
        it->second.count += c.count;
        it->second.sum += c.sum;
      }
      REQUIRE(folder.add(batch));
    }
    const CellBatch all = folder.take();
    REQUIRE(all.rows == expected.size());
    REQUIRE(all.rows > 20);
    for (uint32_t i = 0; i < all.rows; ++i) {
      REQUIRE(std::vector<std::string>{name_of(all.dimensions[0], i), name_of(all.dimensions[1], i)} == expected[i].first);
      REQUIRE(Counted{all.weight[i], all.measures[0].count[i], all.measures[0].sum[i]} == expected[i].second);
    }
  }
}
