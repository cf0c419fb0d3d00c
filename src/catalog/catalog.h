// catalog/catalog.h: the versioned names of a database.
//
// What:       tables by name and id, indexes by name; each name has versions with [created, dropped) as the journal's entries have (C11).
//             Changes are made by the holder of the writer's turn, are journaled (txn/journal.h, push_action) and undone like rows.
// Invariants: C1 a look-up takes the snapshot triple: it finds the version visible there.
//             C11 versions are immutable; version() changes whenever any look-up could answer differently for a new snapshot.
//             C7 last_change() is the newest commit that changed the catalog, stored before H is: a snapshot that sees a change sees its number.
//             G1 two snapshots with the same mark() and S >= last_change() on both sides see the same versions (what a kept plan relies on).
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
  Catalog() = default;
  ~Catalog();  // a summary and its table hold each other: the table's side lets go here, or when DROP detached it
  Catalog(const Catalog&) = delete;
  Catalog& operator=(const Catalog&) = delete;

  using TablePtr = std::shared_ptr<const TableDef>;
  using IndexPtr = std::shared_ptr<const IndexDef>;

  TablePtr find_table(std::string_view folded, const Snapshot& snapshot) const;
  TablePtr find_table(uint64_t id, const Snapshot& snapshot) const;
  TablePtr require_table(std::string_view name, const Snapshot& snapshot, int64_t position) const;  // any case
  IndexPtr find_index(std::string_view folded, const Snapshot& snapshot) const;
  std::vector<TablePtr> tables(const Snapshot& snapshot) const;  // in order of creation
  // Tables whose foreign keys name this one (itself, too, if it refers to itself).
  std::vector<TablePtr> children(uint64_t table_id, const Snapshot& snapshot) const;

  uint64_t version() const { return version_.load(std::memory_order_acquire); }
  const std::atomic<uint64_t>& last_change() const { return last_change_; }
  // 0, or a number that tells the uncommitted catalog changes which this snapshot sees from any others.
  uint64_t mark(const Snapshot& snapshot) const { return snapshot.transaction != nullptr && snapshot.transaction == writer_ ? mark_ : 0; }
  uint64_t next_id() { return next_id_.fetch_add(1, std::memory_order_relaxed); }
  uint64_t peek_id() const { return next_id_.load(std::memory_order_relaxed); }
  void set_next_id(uint64_t id) { next_id_.store(id, std::memory_order_relaxed); }  // replay: ids recur

  // Writer's turn held. Publishes a new version of the table's name (old: null for CREATE; fresh: null for DROP) as a change of the
  // transaction: journaled, visible to its own later statements, undone with it. redo: what the log says of it (txn/journal.h).
  void change(Transaction& transaction, TablePtr old, TablePtr fresh, std::string redo = {}, uint64_t redo_id = 0);

  uint64_t version_count() const;  // kept, for tests of reclaiming

 private:
  struct Version {
    TablePtr table;
    std::shared_ptr<TransactionState> created, dropped;  // dropped: null while it stands
    uint64_t created_position = 0, dropped_position = 0;
  };
  static bool visible(const Version& v, const Snapshot& s);
  void note_change(const std::shared_ptr<TransactionState>& state, int by);
  void remove_version(const TableDef* table);
  void set_dropped(const TableDef* table, std::shared_ptr<TransactionState> by, uint64_t position);

  mutable Latch latch_;
  std::map<uint64_t, std::vector<Version>> tables_;  // by table id, oldest first; versions that nobody needs are dropped at reclaim
  std::map<std::string, std::vector<uint64_t>, std::less<>> names_;  // folded name -> ids that have or had it
  std::atomic<uint64_t> version_{1};
  std::atomic<uint64_t> last_change_{0};
  std::atomic<uint64_t> next_id_{1};
  // Of the transaction that holds the turn; read by itself only.
  std::atomic<const TransactionState*> writer_{nullptr};
  uint64_t mark_ = 0, changes_ = 0;
};

// ASCII lower case: how names match.
std::string fold_name(std::string_view name);

}  // namespace hdb
