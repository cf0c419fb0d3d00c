// txn/transaction.h: transactions: one writer at a time, any number of snapshot readers.
//
// Terms:      turn: the right to write; one holder, first come first served, with a time-out. H0: the snapshot of a transaction that holds it.
// States:     open (no snapshot) -> reading (snapshot registered) -> writing (turn held) -> committed | rolled back.
// Invariants: C1, C3, C4, C5, C7 of spec/concurrency.md. P1 publish happens in the order: sinks, commit number, H.
//             P2 reclaiming happens only between transactions, by the holder of the turn.
// Errors:     40001 (reads were overtaken), 55P03 (no turn in time), 25006 (read-only), 3B001, 58030 (log), 53200.
// Callers:    engine/, exec/. TransactionManager is thread-safe; a Transaction belongs to one thread at a time.
// Held by:    src/txn/transaction_test.cc, spec/models/, properties/, the stress suite
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/epoch.h"
#include "txn/journal.h"
#include "txn/sinks.h"
#include "txn/snapshot.h"

namespace hdb {

class Transaction;

class TransactionManager {
 public:
  explicit TransactionManager(MemoryBudget* budget);
  ~TransactionManager();

  SnapshotRegistry& registry() { return registry_; }
  EpochManager& epochs() { return epochs_; }
  MemoryBudget* budget() const { return budget_; }

  void set_log(CommitLog* log, bool holds_durable);
  CommitLog* log() const { return log_; }
  void set_turn_timeout_ms(uint32_t ms) { turn_timeout_ms_.store(ms, std::memory_order_relaxed); }
  // After a failed CHECK on the write path, or a failed sync: no further writes (XX000 or 58030 with this reason).
  void poison(std::string reason, const char* code = sqlstate::kInternal);
  bool poisoned() const { return poisoned_.load(std::memory_order_acquire); }
  void check_writable() const;
  // Tests only: called while a commit publishes, after each plane (contract test 4). Must not throw.
  void set_publish_hook(std::function<void()> hook) { publish_hook_ = std::move(hook); }
  // Reclaims what no snapshot needs. Takes the turn if it is free; used by tests and idle time. True: it had the turn.
  bool try_reclaim();
  // Runs f() with the turn if it is free, and returns what it says; false if it is not free. f changes no rows.
  template <class F>
  bool try_turn(const F& f) {
    if (!try_take_turn()) return false;
    struct Give {
      TransactionManager& manager;
      ~Give() { manager.give_turn(); }
    } const give{*this};
    return f();
  }

 private:
  friend class Transaction;
  // What outlives a transaction until no reader needs it. Taken with the turn, so that the transaction's end allocates nothing, and used again
  // by a later one, so that a small transaction allocates nothing at all.
  struct Record final : Retirable {
    explicit Record(TransactionManager& owner) : manager(owner), arena(owner.budget_) {}
    void release() noexcept override { manager.keep_spare(std::unique_ptr<Record>(this)); }
    void reset();
    TransactionManager& manager;
    std::shared_ptr<TransactionState> state = std::make_shared<TransactionState>();
    JournalArena arena;
    std::vector<JournalItem> items;
    std::vector<Table*> touched;    // while the transaction is open
    std::vector<Block*> held;
    std::vector<std::shared_ptr<Table>> tables;
    std::unique_ptr<Record> newer;  // the next commit, or the next spare
  };

  void take_turn();   // blocks; 55P03
  bool try_take_turn();
  void give_turn() noexcept;
  // Turn held. bound: of the registry, now or before: it only grows.
  void reclaim(uint64_t bound) noexcept;
  std::unique_ptr<Record> take_record();
  void keep_spare(std::unique_ptr<Record> record) noexcept;  // in collect(), so turn held

  MemoryBudget* const budget_;
  SnapshotRegistry registry_;
  EpochManager epochs_;
  CommitLog* log_ = nullptr;
  std::mutex turn_mutex_;
  std::condition_variable turn_free_;
  struct Waiter {
    bool granted = false;
  };
  std::deque<Waiter*> turn_waiters_;            // first come, first served
  bool turn_held_ = false;
  VisibleRef spare_visible_;                    // of the holder of the turn: a change under a latch does not allocate
  std::atomic<uint32_t> turn_timeout_ms_{10'000};
  std::unique_ptr<Record> oldest_;              // commits that some snapshot may still have to look behind, oldest first
  Record* newest_ = nullptr;
  static constexpr uint32_t kSparesMax = 8;
  static constexpr size_t kSpareItemsMax = 1024;  // the lists of a larger transaction are not kept
  std::unique_ptr<Record> spares_;
  uint32_t spare_count_ = 0;
  std::function<void()> publish_hook_;
  std::atomic<bool> poisoned_{false};
  mutable std::mutex poison_mutex_;
  std::string poison_reason_;
  const char* poison_code_ = sqlstate::kInternal;
};

// What the end of a statement must check (C8). Kept by the transaction; filled by txn/change.
struct StatementChecks {
  struct Unique {
    Table* table;
    KeyIndex* index;
    uint64_t row_id;
  };
  struct Parent {   // a child row whose parent was not there when it was written
    Table* child;
    size_t reference;
    uint64_t row_id;
  };
  struct Child {    // a parent key that is gone, unless it came back
    Table* parent;
    size_t check;
    std::vector<Datum> key;
  };
  std::vector<Unique> unique;
  std::vector<Parent> parents;
  std::vector<Child> children;
  bool empty() const { return unique.empty() && parents.empty() && children.empty(); }
  void clear() { unique.clear(); parents.clear(); children.clear(); }
};

class Transaction {
 public:
  explicit Transaction(TransactionManager& manager) : manager_(manager) {}
  ~Transaction();  // rolls back
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  TransactionManager& manager() { return manager_; }

  // The snapshot for a statement that starts now (registers the transaction on first use).
  Snapshot snapshot() {
    if (!registered_) open_snapshot();
    return {snapshot_.commit, record_ != nullptr ? record_->state.get() : nullptr, items_.size()};
  }
  // Enters a table into the read set; call before its first block is read. Not needed once the turn is held.
  void note_read(const std::shared_ptr<Table>& table);
  // Also catalog reads are overtaken when the catalog changed (C7): the number that last_commit of the catalog is compared with.
  void note_catalog_read(const std::atomic<uint64_t>* last_change) { catalog_change_ = last_change; }
  // Takes the writer's turn and moves to H0 = H. Throws 40001, 55P03, 25006.
  void begin_write();
  bool writing() const { return writing_; }
  bool has_snapshot() const { return registered_; }
  void set_read_only(bool on) { read_only_ = on; }

  // A statement that writes is bracketed: mark, changes, then end_statement or undo_to(mark).
  uint64_t position() const { return items_.size(); }
  void end_statement();                       // deferred constraint checks; throws (then the caller undoes)
  void undo_to(uint64_t position) noexcept;   // applies inverses, newest first

  void savepoint(std::string name);
  void release_savepoint(std::string_view name, int64_t text_position);      // 3B001
  void rollback_to_savepoint(std::string_view name, int64_t text_position);  // 3B001; the savepoint stays

  // With a log that holds D back: waits, without the turn's help, until what this transaction read at H0 is durable (C7).
  void wait_durable();

  // Prepare, log, publish. After a throw the transaction is rolled back. Waits for durability after the turn was given back.
  void commit();
  void rollback() noexcept;
  // A read transaction, or one that wrote nothing, just lets go of its snapshot.
  bool finished() const { return finished_; }

  // For txn/change and catalog/.
  UndoEntry* new_entry(UndoKind kind, Table& table, Block& block, uint32_t slot, uint32_t count, uint32_t images, uint32_t keys,
                       uint32_t gone);
  void link(UndoEntry* entry) noexcept;       // under the block's exclusive latch: chain head, last change, journal
  void push_action(std::shared_ptr<JournalAction> action);
  void touch(Table& table);                   // remembers its sinks for prepare and publish
  // Before a block is changed, and its columns are looked at without its latch: all of them come in, and none leaves before this has ended.
  // 58030, XX001, 53200.
  void hold(Table& table, Block& block) {
    if (table.cache() != nullptr && !block.held.load(std::memory_order_relaxed)) hold_block(table, block);
  }
  const std::vector<JournalItem>& items() const { return items_; }
  const std::shared_ptr<TransactionState>& state() { return record_->state; }
  StatementChecks& checks() { return checks_; }
  VisibleRef& spare_visible();                // made by reserve_visible; own_visible takes it if it needs one
  void reserve_visible();
  // Keeps a table alive until this transaction's entries are reclaimed.
  void keep(const std::shared_ptr<Table>& table);

 private:
  struct Savepoint {
    std::string name;
    uint64_t position;
  };
  void hold_block(Table& table, Block& block);
  void open_snapshot();
  void finish(bool committed) noexcept;

  TransactionManager& manager_;
  std::unique_ptr<TransactionManager::Record> record_;  // while the turn is held
  std::vector<JournalItem> items_;                              // the record's, while the turn is held
  std::vector<Table*> touched_;                                 // likewise
  std::vector<Block*> held_;                                    // likewise
  std::vector<Savepoint> savepoints_;
  std::vector<std::shared_ptr<Table>> read_set_;
  const std::atomic<uint64_t>* catalog_change_ = nullptr;
  StatementChecks checks_;
  Snapshot snapshot_;
  bool registered_ = false, writing_ = false, read_only_ = false, finished_ = false;
};

}  // namespace hdb
