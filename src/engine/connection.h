// engine/connection.h: a session: prepares and runs statements, and keeps its transaction, its settings and its last error.
//
// What:       prepare() parses and plans (through the statement cache), execute() runs a prepared statement to its end (decision 0001: results
//             are materialised), begin/commit and savepoints as statements.
// States:     autocommit -> in transaction (BEGIN) -> autocommit (COMMIT, ROLLBACK); closed at any time.
// Invariants: N1 a failed statement has undone itself; an open transaction stays open with its earlier work.
//             C7 every table of a plan enters the read set before it is read; what a writing transaction returns waits for durability first.
//             C11 a plan runs only for catalog versions that the snapshot sees. K1 a failed CHECK while writing poisons the database.
// Callers:    engine/c_api, engine/appender, engine/replay, tests. One thread at a time, by `mutex`; interrupt() from any.
// Held by:    src/engine/connection_test.cc, src/engine/sql_test.cc, oracle/, properties/
#pragma once

#include <memory>
#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "engine/database.h"
#include "engine/settings.h"
#include "engine/statement.h"
#include "sql/fingerprint.h"

namespace hdb {

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  explicit Connection(std::shared_ptr<Database> database);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  std::mutex mutex;  // taken by whoever calls from outside, for each call

  // The first statement of text; null if there is none. *end: where it ended, behind its `;`.
  std::unique_ptr<Statement> prepare(std::string_view text, size_t base, size_t* end);
  void execute(Statement& statement);
  // Every statement of the text, for tests, replay and holodb_exec.
  void run_script(std::string_view text);

  void close();  // rolls back
  bool closed() const { return closed_; }
  bool closed_or_gone() const { return closed_ || database_->closed(); }
  void check_open() const {
    if (closed_or_gone()) [[unlikely]] fail_closed();
  }
  void interrupt() noexcept { cancel_.cancel(); }

  Database& database() { return *database_; }
  const std::shared_ptr<Database>& database_ptr() const { return database_; }
  Settings& settings() { return settings_; }
  const CancelToken& cancel_token() const { return cancel_; }
  bool in_transaction() const { return transaction_.has_value(); }
  Transaction* transaction() { return transaction_ ? &*transaction_ : nullptr; }
  uint64_t changes() const { return changes_; }
  void set_changes(uint64_t n) { changes_ = n; }
  StatementCache& cache() { return cache_; }
  // While an appender has rows in its transaction, nothing else changes anything here (appender.h, A3).
  void set_appender(class Appender* appender) { appender_ = appender; }
  void drop_appender(class Appender* appender) { if (appender_ == appender) appender_ = nullptr; }
  void check_no_appender() const {
    if (appender_ != nullptr) fail(sqlstate::kCursorState, "an appender of this connection has rows in it: close it first");
  }

  // Runs `work` in the open transaction, or in one of its own that it commits. writes: takes the turn first. The changes of a failed `work` are
  // undone (N1).
  template <class F>
  void in_own_or_open_transaction(bool writes, F&& work) {
    if (transaction_) return in_open_transaction(writes, work);
    Transaction own(database_->manager());
    own.set_read_only(database_->read_only());
    uint64_t base = 0;
    try {
      if (writes) own.begin_write();
      base = own.writing() ? own.snapshot().commit : 0;
      work(own);
      if (writes) own.end_statement();
    } catch (...) {
      fail_autocommit(own, base);  // throws
    }
    finish_autocommit(own);
  }

 private:
  template <class F>
  void in_open_transaction(bool writes, F&& work) {
    Transaction& t = *transaction_;
    const uint64_t mark = t.position();
    try {
      if (writes) t.begin_write();
      work(t);
      if (writes) t.end_statement();
    } catch (...) {
      fail_open(t, mark);  // throws
    }
    if (t.writing()) t.wait_durable();
  }
  [[noreturn]] void fail_closed() const;  // 08003
  [[noreturn]] void fail_autocommit(Transaction& own, uint64_t base);
  [[noreturn]] void fail_open(Transaction& t, uint64_t mark);
  void finish_autocommit(Transaction& own);
  void note_failure(const Transaction& t) noexcept;  // K1; in a handler

  // compile.cc
  CompiledPtr compile(std::string_view text, const Snapshot& snapshot, const ParameterTypes& given, const sql::Fingerprint* fingerprint,
                      std::shared_ptr<Compiled> parsed);
  std::shared_ptr<Compiled> parse(std::string_view text, const sql::Fingerprint* fingerprint);
  void plan(Compiled& c, const Snapshot& snapshot, const ParameterTypes& given);
  void ensure_plan(Statement& statement, const Snapshot& snapshot);
  void adopt(Statement& statement, CompiledPtr compiled);
  bool current(const Compiled& c, const Snapshot& snapshot) const;
  bool fit_parameters(Statement& statement);
  template <class F>
  void with_snapshot(F&& f);

  // run.cc
  void run(Statement& statement);
  void run_plan(Statement& statement);
  ExecResult execute_plan(Statement& statement, Transaction& t, bool analyze);
  void run_explain(Statement& statement);
  void run_definition(Statement& statement);
  void run_transaction(const sql::Statement& s);
  void run_show(Statement& statement);
  void run_file(Statement& statement);
  void point_into_text(Error& error, const Statement& statement);
  void note_reads(const Plan& plan, Transaction& t);

  std::shared_ptr<Database> database_;
  Settings settings_;
  StatementCache cache_;
  sql::Fingerprint fingerprint_;
  CancelToken cancel_;
  std::optional<Transaction> transaction_;
  class Appender* appender_ = nullptr;
  uint64_t changes_ = 0;
  std::atomic<bool> closed_{false};
};

}  // namespace hdb
