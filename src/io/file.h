// io/file.h: the one door to files: positional reads and writes, sync, locks, names.
//
// What:       File and FileSystem are interfaces; PosixFiles (io/posix_files.h) is the machine's, MemoryFiles (io/memory_files.h) keeps files in
//             memory, SimulatedFiles (io/simulated_files.h) forgets what was not synced, fails calls and lies.
// Invariants: F1 what sync() returned for is on the disk, whatever happens; what was written later may be there in part and in any order.
//             F2 a rename is atomic: after a crash the name is the old file or the new one. It lasts once sync_directory() returned.
//             F3 a failed sync() may have dropped what it was to write: nothing may be built on a later success (the file is poisoned).
// Units:      bytes; offsets from the start of the file.
// Errors:     58030 naming the path and the reason; nothing else leaves these classes, except bad_alloc.
// Callers:    log/, engine/, later pages/. A File may be read, written and synced by several threads at once; a FileSystem too.
// Held by:    src/io/io_test.cc, src/engine/file_test.cc, src/engine/crash_test.cc
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace hdb {

enum class OpenMode : uint8_t { kRead, kReadWrite, kCreate };  // kCreate: read and write, made if it is not there

class File {
 public:
  explicit File(std::string path) : path_(std::move(path)) {}
  virtual ~File() = default;  // closes, which gives up its lock
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  const std::string& path() const { return path_; }  // as opened, for messages

  // All bytes, however many calls it takes. read: fewer only at the end of the file.
  size_t read(uint64_t offset, void* data, size_t bytes);
  void write(uint64_t offset, const void* data, size_t bytes);

  virtual void sync() = 0;                     // contents and size
  virtual void truncate(uint64_t bytes) = 0;
  virtual uint64_t size() = 0;
  // A lock of the whole file that ends with this File, for one writer or for many readers. False: somebody else has one that excludes it.
  virtual bool lock(bool exclusive) = 0;
  // The same of a number (below 2^62), beside the lock of the whole file: shared by those who read what it stands for, exclusive by who takes that away.
  virtual bool lock_mark(uint64_t mark, bool exclusive) = 0;
  virtual void unlock_mark(uint64_t mark) = 0;

 protected:
  // May do less than was asked for; read_some gives 0 at the end of the file only.
  virtual size_t read_some(uint64_t offset, void* data, size_t bytes) = 0;
  virtual size_t write_some(uint64_t offset, const void* data, size_t bytes) = 0;

 private:
  const std::string path_;
};

class FileSystem {
 public:
  virtual ~FileSystem() = default;
  // A regular file only; a symbolic link in its place is refused.
  virtual std::unique_ptr<File> open(const std::string& path, OpenMode mode) = 0;
  virtual bool exists(const std::string& path) = 0;
  virtual void rename(const std::string& from, const std::string& to) = 0;
  virtual void remove(const std::string& path) = 0;  // no error if it is not there
  // The names in the directory of this file last from now on.
  virtual void sync_directory(const std::string& path) = 0;
  // The path that symbolic links lead to. An error if they lead nowhere.
  virtual std::string resolve(const std::string& path) = 0;
  // Is this open file what the path names now?
  virtual bool is_at(File& file, const std::string& path) = 0;
  virtual uint64_t random() = 0;  // for ids
};

// 58030: "cannot WHAT PATH: REASON".
[[noreturn]] void fail_io(std::string_view what, const std::string& path, std::string_view reason);

}  // namespace hdb
