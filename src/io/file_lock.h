// io/file_lock.h: the lock of one file of a made-up file system: one writer or many readers.
//
// What:       FileLock is the file's; HeldLock is what one open File has of it, and gives back.
// Invariants: a writer excludes everybody else; taking a lock again lets go of the one that was held first.
// Callers:    io/memory_files, io/simulated_files, each under its own mutex. Throws nothing but bad_alloc.
// Held by:    src/io/io_test.cc
#pragma once

#include <cstdint>
#include <map>

namespace hdb {

struct FileLock {
  uint32_t readers = 0;
  bool locked = false;  // by a writer
};

class HeldLock {
 public:
  // False: somebody else has a lock that excludes this one; then nothing is held.
  bool take(FileLock& lock, bool exclusive) noexcept {
    release(lock);
    if (lock.locked || (exclusive && lock.readers > 0)) return false;
    if (exclusive) lock.locked = true;
    else ++lock.readers;
    held_ = exclusive ? Held::kWriter : Held::kReader;
    return true;
  }
  void release(FileLock& lock) noexcept {
    if (held_ == Held::kWriter) lock.locked = false;
    if (held_ == Held::kReader) --lock.readers;
    held_ = Held::kNone;
  }

 private:
  enum class Held : uint8_t { kNone, kReader, kWriter };
  Held held_ = Held::kNone;
};

// Those of the numbers of a file.
using MarkLocks = std::map<uint64_t, FileLock>;

class HeldMarks {
 public:
  bool take(MarkLocks& locks, uint64_t mark, bool exclusive) { return held_[mark].take(locks[mark], exclusive); }
  void release(MarkLocks& locks, uint64_t mark) {
    held_[mark].release(locks[mark]);
    held_.erase(mark);
  }
  void release_all(MarkLocks& locks) noexcept {
    for (auto& [mark, held] : held_) {
      if (const auto at = locks.find(mark); at != locks.end()) held.release(at->second);
    }
    held_.clear();
  }

 private:
  std::map<uint64_t, HeldLock> held_;
};

}  // namespace hdb
