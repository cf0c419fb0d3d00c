// engine/checkpoint.h: checkpoints, restore points and backups of a database that is a file.
//
// What:       a checkpoint writes the state of the newest durable commit C into the pages (engine/checkpoint_state.h), commits the root, and then cuts the log:
//             what it keeps begins behind C. A restore point is a root that is kept. RESTORE TO makes a kept root the newest commit.
// Invariants: C13, C14 of spec/concurrency.md. K1 the log is cut only when the root is durable; so at any time the root and the log behind its commit
//                number make up every acknowledged commit. K2 a checkpoint that fails leaves the state as it was, on the disk and in memory.
//             K3 C is durable in the log before its root is. K4 nothing that is uncommitted at C is in it; readers and the writer go on.
// Errors:     58030 (the disk), XX001 (damage), 55P03 (RESTORE: no turn in time), 42710, 42704 (names), 55006 (a restore point that is open somewhere), 0A000 (a
//             memory database).
// Callers:    engine/database, connection, database_file. Thread-safe; one at a time, others wait.
// Held by:    src/engine/checkpoint_test.cc, src/engine/crash_test.cc
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "engine/checkpoint_state.h"
#include "io/file.h"
#include "pages/page_store.h"

namespace hdb {

// Objects of a page store.
class PageSource final : public ObjectSource {
 public:
  explicit PageSource(PageStore& store) : store_(store) {}
  std::string read(const ObjectRef& ref) override { return store_.read(ref); }

 private:
  PageStore& store_;
};

inline constexpr char kBeforeRestore[] = "before_restore";  // the state that the last RESTORE replaced

class Checkpointer {
 public:
  static constexpr uint64_t kLogBytesDefault = 64u << 20;
  static constexpr uint64_t kLogBytesAtClose = 1u << 20;   // a shorter log is replayed as fast as it is cut
  static constexpr uint64_t kIdleDefault = 10'000;         // milliseconds without a commit

  // file: of the database, locked, open to write; it outlives this. store: null for a file of format 1, which the first checkpoint makes one of 2.
  Checkpointer(Database& database, FileSystem& files, File& file, uint64_t database_id, std::unique_ptr<PageStore> store, StateImage image,
               const PageOptions& pages);
  ~Checkpointer();

  void run();                    // CHECKPOINT
  void run_if_due() noexcept;    // after a commit: the log has grown beyond the limit. What fails is told by failure()
  std::string failure();         // why the last automatic checkpoint failed; empty if none has since the last that succeeded
  void close() noexcept;         // the database is closed
  uint64_t limit() const { return limit_.load(std::memory_order_relaxed); }
  void set_limit(uint64_t bytes) { limit_.store(bytes, std::memory_order_relaxed); }

  // With a thread of its own: after so long without a commit (0: never) a log of more than kLogBytesAtClose is cut. Until close().
  void start_idle();
  uint64_t idle_ms() const;
  void set_idle_ms(uint64_t ms);

  FileSystem& files() { return files_; }
  void read_kept_only() { kept_only_ = true; }   // of a database that is open at a restore point: the rest of the file is somebody else's

  void create_restore_point(const std::string& name);
  void drop_restore_point(const std::string& name);
  std::vector<KeptRoot> restore_points();
  void restore(const std::string& name);
  // Null: there are no pages yet.
  std::unique_ptr<ScrubReport> scrub(bool repair);

 private:
  void run_locked();
  void run_quietly(uint64_t log_bytes) noexcept;
  void watch() noexcept;
  void stop_idle() noexcept;
  void take_away(const std::string& name);
  void replace_tables(Transaction& t, const LoadedState& state);

  Database& database_;
  FileSystem& files_;
  File& file_;
  const uint64_t id_;
  const PageOptions pages_;
  std::mutex mutex_;             // one at a time
  std::unique_ptr<PageStore> store_;
  StateImage image_;             // what the newest root names
  std::atomic<uint64_t> limit_{kLogBytesDefault};
  std::string failure_;
  bool kept_only_ = false;
  std::atomic<uint64_t> not_before_{0};  // after a failure: the log's size from which it is tried again
  mutable std::mutex idle_mutex_;        // of what follows
  std::condition_variable idle_changed_;
  uint64_t idle_ms_ = kIdleDefault;
  bool idle_over_ = false;
  std::thread idle_;
};

// A copy of the newest commit as a database of its own; checked by opening it. Any database, memory or file. What fails leaves nothing at `path`.
void backup_database(Database& database, FileSystem& files, const std::string& path);

}  // namespace hdb
