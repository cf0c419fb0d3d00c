// io/posix_files.h: the files of the machine.
//
// What:       pread, pwrite, fdatasync, flock. Locks hold between processes and between two opens of one process.
// Invariants: F1 to F3 of io/file.h, as far as the system keeps its promises.
// Callers:    engine/. Thread-safe.
// Held by:    src/io/io_test.cc
#pragma once

#include "io/file.h"

namespace hdb {

class PosixFiles final : public FileSystem {
 public:
  static PosixFiles& instance();
  std::unique_ptr<File> open(const std::string& path, OpenMode mode) override;
  bool exists(const std::string& path) override;
  void rename(const std::string& from, const std::string& to) override;
  void remove(const std::string& path) override;
  void sync_directory(const std::string& path) override;
  std::string resolve(const std::string& path) override;
  bool is_at(File& file, const std::string& path) override;
  uint64_t random() override;
};

}  // namespace hdb
