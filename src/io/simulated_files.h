// io/simulated_files.h: a disk that crashes, fails, tears and lies when it is told to, the same way for the same seed.
//
// What:       files in memory that remember what was not synced. A crash image is a disk on which each of those pieces is there, gone or torn.
// Terms:      call: any use of the FileSystem or one of its Files, numbered from 1. Piece: what a crash may keep or lose by itself: one 512-byte
//             sector of a write, the growth of a file, a cut.
// Invariants: F1 to F3 of io/file.h, as their adversary would read them: pieces of unsynced writes are kept in any combination; names change in
//             order (a journal of the directory), but any tail of unsynced changes may be lost. Y1 same seed, same calls: same bytes.
// Callers:    tests and suites. Thread-safe; files must not outlive it.
// Held by:    src/io/io_test.cc
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "io/file.h"
#include "io/file_lock.h"

namespace hdb {

enum class Fault : uint8_t {
  kNone,
  kError,      // EIO. A sync that fails keeps some pieces and drops the others for good (F3)
  kNoSpace,    // a write takes half of its bytes, then there is no space; other calls fail
  kShort,      // a read or write moves some of its bytes only, which is no error
  kFlip,       // a read gives one bit wrong; a write stores one bit wrong
  kMisdirect,  // a write goes to another place of its file
  kLie,        // a sync does nothing and says that it did
};

class SimulatedFiles final : public FileSystem {
 public:
  explicit SimulatedFiles(uint64_t seed = 1) : seed_(seed * 2 + 1) {}

  std::unique_ptr<File> open(const std::string& path, OpenMode mode) override;
  bool exists(const std::string& path) override;
  void rename(const std::string& from, const std::string& to) override;
  void remove(const std::string& path) override;
  void sync_directory(const std::string& path) override;
  std::string resolve(const std::string& path) override { return path; }
  bool is_at(File& file, const std::string& path) override;
  uint64_t random() override;

  // ---- what goes wrong
  void fail_call(uint64_t call, Fault fault) { faults_[call] = fault; }
  // This call and all later ones fail; a write that is cut off so is pending like any other.
  void crash_at(uint64_t call) { crash_at_ = call; }
  void calm() { faults_.clear(), crash_at_ = UINT64_MAX; }  // nothing more of this is to come
  void set_space(uint64_t bytes) { space_ = bytes; }  // of all files together
  uint64_t calls() const { return calls_; }
  bool stopped() const { return calls_ >= crash_at_; }
  // How often a fault of fail_call met a call that it can befall.
  uint64_t faults_met() const { return faults_met_; }

  // ---- what a crash leaves
  // Calls `look` with one image after another: every combination if there are at most `images_max` of them; else none, all, each piece alone
  // there, gone or torn, and seeded combinations up to that number. Returns how many.
  uint64_t for_each_image(uint64_t images_max, const std::function<void(std::unique_ptr<SimulatedFiles>)>& look);
  std::unique_ptr<SimulatedFiles> copy();  // everything as it is now, synced

  std::string contents(const std::string& path);
  void set_contents(const std::string& path, std::string bytes);  // synced

 private:
  friend class SimulatedFile;
  static constexpr uint64_t kSectorBytes = 512;
  enum Kept : uint8_t { kLost, kWritten, kTorn };
  struct Node {
    std::string now, durable;
    FileLock lock;
    MarkLocks marks;
  };
  using NodePtr = std::shared_ptr<Node>;
  using Names = std::map<std::string, NodePtr>;
  struct Piece {
    NodePtr node;
    bool cut = false;     // the size becomes `offset`
    bool grow = false;    // the size becomes at least `offset`, zeros
    uint64_t offset = 0;
    std::string bytes;
  };

  // Under the mutex. Counts the call; throws if it is to fail.
  Fault enter(const char* what, const std::string& path, bool writes = false);
  void write(const NodePtr& node, uint64_t offset, const char* data, size_t bytes);
  void settle(const Node* node, bool all);
  static void apply(std::string& bytes, const Piece& piece, Kept kept, uint64_t random);
  std::unique_ptr<SimulatedFiles> image(const std::vector<uint8_t>& kept, size_t names_kept, uint64_t salt);
  uint64_t next_random();
  uint64_t used() const;

  std::recursive_mutex mutex_;  // whoever looks at an image may look at the disk too
  Names names_;
  std::vector<Names> unsynced_names_;  // the durable directory and what it became since, oldest first
  std::vector<Piece> pieces_;          // in order
  std::map<uint64_t, Fault> faults_;
  uint64_t seed_, calls_ = 0, faults_met_ = 0, crash_at_ = UINT64_MAX, space_ = UINT64_MAX;
};

}  // namespace hdb
