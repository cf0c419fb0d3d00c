// io/memory_files.h: files that live in memory and end with their FileSystem.
//
// What:       every promise of io/file.h without a disk: for tests, and for whoever wants a database file's behaviour without a file.
// Invariants: F1, F2 hold trivially. Locks exclude as PosixFiles' do. A directory is nothing but the beginning of a name.
// Callers:    tests. Thread-safe; files must not outlive it.
// Held by:    src/io/io_test.cc
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "io/file.h"
#include "io/file_lock.h"

namespace hdb {

class MemoryFiles final : public FileSystem {
 public:
  std::unique_ptr<File> open(const std::string& path, OpenMode mode) override;
  bool exists(const std::string& path) override;
  void rename(const std::string& from, const std::string& to) override;
  void remove(const std::string& path) override;
  void sync_directory(const std::string&) override {}
  std::string resolve(const std::string& path) override { return path; }
  bool is_at(File& file, const std::string& path) override;
  uint64_t random() override;

  // The whole file, for tests.
  std::string contents(const std::string& path);
  void set_contents(const std::string& path, std::string bytes);

 private:
  friend class MemoryFile;
  struct Node {
    std::string bytes;
    FileLock lock;
    MarkLocks marks;
  };
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Node>> names_;
  uint64_t random_ = 0x9E3779B97F4A7C15u;
};

}  // namespace hdb
