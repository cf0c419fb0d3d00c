// txn/test_store.h: a small store for tests of txn/ and plane/: one table, its rows as plain values, and readers of both paths.
//
// What:       TestStore owns a manager and a table (id BIGINT primary key, g TEXT, v BIGINT, d DOUBLE); Rows is what a snapshot should show.
// Callers:    *_test.cc only.
// Held by:    the tests that use it
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/bitmap.h"
#include "store/key_index.h"
#include "txn/block_view.h"
#include "txn/change.h"
#include "txn/transaction.h"

namespace hdb::testing {

struct Row {
  std::optional<std::string> g;
  std::optional<int64_t> v;
  double d = 0;
  bool operator==(const Row&) const = default;
};
using Rows = std::map<int64_t, Row>;  // by id

struct TestStore {
  MemoryBudget budget;
  TransactionManager manager{&budget};
  std::shared_ptr<Table> table = std::make_shared<Table>(
      1, "t",
      std::vector<ColumnShape>{{"id", Type::bigint(), true}, {"g", Type::text(), false}, {"v", Type::bigint(), false}, {"d", Type::real(), false}},
      &budget);
  std::shared_ptr<KeyIndex> key = std::make_shared<KeyIndex>("t_pkey", std::vector<uint32_t>{0}, true, true, &budget);

  TestStore() { table->keys.push_back(key); }
  ~TestStore() { table->sinks.clear(); }  // a summary holds its table, and its table it (catalog/ cuts this by hand, too)

  uint64_t insert(Transaction& t, int64_t id, const Row& r) {
    const Datum row[4] = {Datum::of(id), r.g ? table->intern(1, *r.g) : Datum{}, r.v ? Datum::of(*r.v) : Datum{}, Datum::of(r.d)};
    const Datum* columns[4] = {row, row + 1, row + 2, row + 3};
    return insert_rows(t, *table, columns, 1);
  }
  bool update(Transaction& t, uint64_t row_id, const Row& r) {
    const uint32_t columns[3] = {1, 2, 3};
    const Datum values[3] = {r.g ? table->intern(1, *r.g) : Datum{}, r.v ? Datum::of(*r.v) : Datum{}, Datum::of(r.d)};
    return update_row(t, *table, row_id, columns, values);
  }
  static Row row_of(const Datum* d) {
    Row r;
    if (!d[0].null) r.g = std::string(d[0].text()->view());
    if (!d[1].null) r.v = d[1].i64();
    r.d = d[2].null ? 0 : d[2].f64();
    return r;
  }
  // By pinned, rewound blocks.
  Rows scan(const Snapshot& s) {
    const EpochManager::Guard guard(manager.epochs());
    const uint32_t columns[4] = {0, 1, 2, 3};
    Rows rows;
    for (uint64_t b = 0; b < table->block_count(); ++b) {
      const BlockView view(*table, b, columns, s);
      Sum128 sum;
      uint32_t count = 0, nulls = 0;
      for_each_bit(view.visible(), bitmap_words(view.rows()), [&](uint32_t slot) {
        const Datum d[3] = {view.column(1).at(slot), view.column(2).at(slot), view.column(3).at(slot)};
        rows[view.column(0).int_at(slot)] = row_of(d);
        ++count;
        if (d[1].null) ++nulls;
        else {
          sum.add(d[1].i64());
          if (d[1].i64() < view.zone(2).low || d[1].i64() > view.zone(2).high) throw std::logic_error("Z1: a value outside of its zone");
        }
      });
      if (count != view.visible_count()) throw std::logic_error("visible count");
      if (view.current() && (!(sum == view.zone(2).sum) || nulls != view.zone(2).nulls)) throw std::logic_error("Z3: zone sum");
    }
    return rows;
  }
  // By key.
  std::optional<std::pair<uint64_t, Row>> find(const Snapshot& s, int64_t id) {
    const EpochManager::Guard guard(manager.epochs());
    const uint32_t columns[4] = {0, 1, 2, 3};
    const Datum k = Datum::of(id);
    uint64_t hash = 0;
    hash_key(*table, key->columns(), &k, &hash);
    std::optional<std::pair<uint64_t, Row>> found;
    key->find(&k, hash, [&](uint64_t row_id) {
      Datum d[4];
      if (!read_row(*table, row_id, columns, s, d) || d[0].i64() != id) return false;
      found = std::make_pair(row_id, row_of(d + 1));
      return true;
    });
    return found;
  }
};

}  // namespace hdb::testing
