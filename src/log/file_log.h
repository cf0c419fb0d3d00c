// log/file_log.h: the log in a file: append, group commit, and what happens when the disk fails.
//
// What:       append() writes the group of a commit behind the last one, under the writer's turn. wait_durable() comes after the turn was given up:
//             the first who waits syncs for everybody whose group is there by then.
// States:     open -> frozen (a sync failed, or a failed append could not be taken back) | closed.
// Invariants: C4 a failed append is undone in full: the file is cut to where it was, and that is synced, before the transaction learns of it.
//             C7 with full, D = min(newest synced group, H), moved before anybody is told. A failed sync freezes: no group is appended after it, and
//                the database takes no further writes.
//             L4 each group says up to where the log was durable when it was written.
//             L5 cut() takes a new file's place only when that is whole and synced, and before anything that is in it alone is acknowledged.
// Modes:      full: a commit is acknowledged when its group is synced. normal: when it is written; the file is synced every kSyncBytes and when it
//             is closed, so a crash of the machine may lose the last commits, never others. off: as normal, but synced only when it is closed.
// Callers:    engine/ makes it; txn/ calls. append: the holder of the turn; the rest is thread-safe.
// Held by:    src/engine/file_test.cc, src/engine/crash_test.cc, spec/models/
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include "io/file.h"
#include "log/log_format.h"
#include "txn/transaction.h"

namespace hdb {

enum class Synchronous : uint8_t { kFull, kNormal, kOff };

class FileLog final : public CommitLog {
 public:
  static constexpr uint64_t kSyncBytes = 1u << 20;

  // The file ends at tail.end, synced.
  FileLog(TransactionManager& manager, std::unique_ptr<File> file, const LogHeader& header, const LogTail& tail);
  ~FileLog() override;  // close()

  void append(const Transaction& transaction, uint64_t commit) override;
  void wait_durable(uint64_t commit) override;

  Synchronous synchronous() const;
  // The caller holds the writer's turn: no commit is between its append and its end.
  void set_synchronous(Synchronous mode);
  // Marks the end as durable, if it is. Never throws: what was acknowledged needs no mark.
  void close() noexcept;
  uint64_t bytes() const;
  uint64_t syncs() const;

  // ---- for a checkpoint (spec/recovery.md)
  uint64_t base() const;
  // Whatever the mode, this commit is synced when it returns.
  void sync_up_to(uint64_t commit);
  // Everything up to commit `base`, which is in this log or just before it, is durable elsewhere: a new log with the groups behind it takes this one's
  // place. Waits for an append, not for a transaction. Throws 58030: then the log is as it was, or frozen.
  void cut(FileSystem& files, uint64_t base);

 private:
  static constexpr size_t kKeepBytes = 1u << 20;  // the buffer of a large load is given back
  void take_back(const std::string& why);
  void sync_for_all(std::unique_lock<std::mutex>& hold);
  void freeze(const std::string& why);
  void advance() noexcept;
  void copy(File& to, uint64_t from, uint64_t end, uint64_t at);
  uint64_t end_of(uint64_t commit, uint64_t end);
  void take_place(FileSystem& files, std::unique_ptr<File> fresh, const LogHeader& header, uint64_t from, uint64_t copied);

  TransactionManager& manager_;
  std::mutex append_mutex_;     // before mutex_: an append, or the change of files
  std::unique_ptr<File> file_;  // cut() gives another, while nobody appends or syncs
  LogHeader header_;
  std::string buffer_;  // the holder of the turn
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Synchronous mode_ = Synchronous::kFull;
  uint64_t end_, appended_, synced_;  // end_: the next group's offset
  uint64_t synced_end_, syncs_ = 0;
  bool syncing_ = false, marked_;
  std::string frozen_;                // why; empty: it is not
};

}  // namespace hdb
