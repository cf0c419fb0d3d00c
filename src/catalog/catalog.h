// catalog/catalog.h: the versioned names of a database.
//
// What:       tables by name and id, indexes by name; each name has versions with [created, dropped) as the journal's entries have (C11).
//             Changes are made by the holder of the writer's turn, are journaled (txn/journal.h, push_action) and undone like rows.
// Invariants: C1 a look-up takes the snapshot triple: it finds the version visible there.
//             C11 versions are immutable; version() changes whenever any look-up could answer differently for a new snapshot.
// Errors:     find_* return null; require_* throw 42P01 or 42704 with the given position.
// Callers:    plan/, engine/. Thread-safe: its own latch, held for look-ups only.
// Held by:    src/catalog/catalog_test.cc
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/latch.h"
#include "catalog/schema.h"
#include "txn/snapshot.h"

namespace hdb {

class Transaction;

class Catalog {
 public:
  using TablePtr = std::shared_ptr<const TableDef>;
  using IndexPtr = std::shared_ptr<const IndexDef>;

  TablePtr find_table(std::string_view folded, const Snapshot& snapshot) const;
  TablePtr find_table(uint64_t id, const Snapshot& snapshot) const;
  TablePtr require_table(std::string_view name, const Snapshot& snapshot, int64_t position) const;
  IndexPtr find_index(std::string_view folded, const Snapshot& snapshot) const;
  std::vector<TablePtr> tables(const Snapshot& snapshot) const;  // in order of creation
  // Tables whose foreign keys name this one.
  std::vector<TablePtr> children(uint64_t table_id, const Snapshot& snapshot) const;

  uint64_t version() const { return version_.load(std::memory_order_acquire); }
  uint64_t next_id() { return next_id_.fetch_add(1, std::memory_order_relaxed); }

  // Writer's turn held. Publishes a new version of the table's name (old: null for CREATE; fresh: null for DROP) as a change of the
  // transaction: journaled, visible to its own later statements, undone with it.
  void change(Transaction& transaction, TablePtr old, TablePtr fresh);

 private:
  struct Version {
    TablePtr table;
    std::shared_ptr<TransactionState> created, dropped;  // dropped: null while it stands
    uint64_t created_position = 0, dropped_position = 0;
  };
  bool visible(const Version& v, const Snapshot& s) const;

  mutable Latch latch_;
  std::map<uint64_t, std::vector<Version>> tables_;  // by table id, oldest first; versions that nobody needs are dropped at reclaim
  std::atomic<uint64_t> version_{1};
  std::atomic<uint64_t> next_id_{1};
};

}  // namespace hdb
