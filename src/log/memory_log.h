// log/memory_log.h: logs that write no file: what a memory database commits into, and what tests look at.
//
// What:       NullLog encodes every group (a load's by pieces) and drops it, so that the path of the log runs from the first day. RecordingLog keeps the groups.
//             SimulatedLog holds durability back until it is told, or fails the sync (C7).
// Invariants: C4 append throws before anything is kept. C7 wait_durable returns once D has reached the commit, or throws 58030 when the sync
//             failed: then the outcome of what is not durable is unknown and the database takes no further writes.
// Callers:    engine/ wires them. append: the holder of the turn; the rest is thread-safe.
// Held by:    src/log/record_test.cc, src/engine/durability_test.cc, src/engine/replay_test.cc
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "txn/sinks.h"
#include "txn/transaction.h"

namespace hdb {

class NullLog final : public CommitLog {
 public:
  void append(const Transaction& transaction, uint64_t commit) override;
  void wait_durable(uint64_t) override {}
  uint64_t bytes() const { return bytes_; }  // of the last group; the writer only

 private:
  static constexpr size_t kKeepBytes = 1u << 20;  // the buffer of a large load is given back
  std::string buffer_;
  uint64_t bytes_ = 0;
};

class RecordingLog final : public CommitLog {
 public:
  void append(const Transaction& transaction, uint64_t commit) override;
  void wait_durable(uint64_t) override {}
  std::vector<std::string> groups() const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> groups_;
};

class SimulatedLog final : public CommitLog {
 public:
  explicit SimulatedLog(TransactionManager& manager) : manager_(manager) {}
  void append(const Transaction& transaction, uint64_t commit) override;
  void wait_durable(uint64_t commit) override;
  // The sync of everything up to this commit (or of all) comes back.
  void release(uint64_t commit = UINT64_MAX);
  void fail_sync();
  void fail_next_append() { fail_append_ = true; }
  uint64_t appended() const;
  uint32_t waiting() const;

 private:
  TransactionManager& manager_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string buffer_;
  uint64_t appended_ = 0, durable_ = 0;
  uint32_t waiting_ = 0;
  bool failed_ = false, fail_append_ = false;
};

}  // namespace hdb
