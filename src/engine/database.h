// engine/database.h: one database: its memory budget, transactions, catalog, log and threads.
//
// What:       what connections share. It lives as long as the last connection, statement or handle that holds it.
// Invariants: A1 members are destroyed in the order that they need each other: checkpointer, catalog, log, transactions, budget.
// Options:    `log` makes another log than the null log; it is for tests. Not reachable through the C ABI. Files: engine/database_file.h.
// Callers:    engine/, tests. Thread-safe.
// Held by:    src/engine/connection_test.cc, src/engine/durability_test.cc
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/budget.h"
#include "base/pool.h"
#include "catalog/catalog.h"
#include "io/file.h"
#include "pages/page_format.h"
#include "store/column_cache.h"
#include "txn/transaction.h"

namespace hdb {

struct DatabaseOptions {
  bool read_only = false;
  bool single_thread = false;
  std::function<std::unique_ptr<CommitLog>(TransactionManager&)> log;  // empty: a null log
  bool holds_durable = false;                                          // the log moves D itself (C7)
  PageOptions pages;                                                   // of a file's first checkpoint
  std::string restore_point;                                           // of a file: not empty: opens this one, to read only, whoever writes meanwhile
  uint64_t column_cache = UINT64_MAX;                                  // of a file: bytes of clean block columns that are kept (SET column_cache)
};

// What opening a file found.
struct Recovery {
  uint64_t groups = 0;      // commits replayed
  uint64_t bytes_cut = 0;   // behind the last whole one
  std::string notice;       // a sentence if something was left out, else empty
};

class Database : public std::enable_shared_from_this<Database> {
 public:
  struct Recovering {};
  explicit Database(const DatabaseOptions& options = {});
  // For database_file: without a log and writable until start(), which a null log makes read-only or not as the options say.
  Database(const DatabaseOptions& options, Recovering);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  MemoryBudget& budget() { return budget_; }
  TransactionManager& manager() { return manager_; }
  Catalog& catalog() { return catalog_; }
  Pool& pool() { return pool_; }
  CommitLog& log() { return *log_; }
  bool read_only() const { return read_only_; }
  void start(std::unique_ptr<CommitLog> log, bool holds_durable);
  void keep_file(std::unique_ptr<File> file, Recovery recovery, std::unique_ptr<class Checkpointer> checkpointer);
  // Before the first table: its block columns may be absent.
  void keep_columns(uint64_t limit);
  const std::shared_ptr<ColumnCache>& columns() const { return columns_; }  // null: a memory database
  class Checkpointer* checkpointer() const { return checkpointer_.get(); }  // null: a memory database
  void after_commit() noexcept;                                             // the caller holds no turn: the log may have become long
  const Recovery& recovery() const { return recovery_; }
  class FileLog* file_log() const { return file_log_; }  // null: a memory database, or a read-only one
  // The caller has closed it: connections that are left answer 08003. The storage goes with the last of them.
  void close() { closed_.store(true, std::memory_order_release); }
  bool closed() const { return closed_.load(std::memory_order_acquire); }
  uint32_t threads_default() const { return threads_default_; }
  uint32_t turn_timeout_ms() const { return turn_timeout_ms_.load(std::memory_order_relaxed); }
  void set_turn_timeout_ms(uint32_t ms) {
    turn_timeout_ms_.store(ms, std::memory_order_relaxed);
    manager_.set_turn_timeout_ms(ms);
  }

 private:
  static constexpr uint32_t kThreadsMax = 64;

  const bool read_only_wanted_;
  bool read_only_;
  const uint32_t threads_default_;
  std::atomic<bool> closed_{false};
  std::atomic<uint32_t> turn_timeout_ms_{10'000};
  std::unique_ptr<File> file_;  // its lock goes last
  Recovery recovery_;
  MemoryBudget budget_;
  std::shared_ptr<ColumnCache> columns_;
  TransactionManager manager_{&budget_};
  std::unique_ptr<CommitLog> log_;
  class FileLog* file_log_ = nullptr;
  Catalog catalog_;
  Pool pool_;
  std::unique_ptr<class Checkpointer> checkpointer_;  // goes first: its last work needs all of the above
};

}  // namespace hdb
