// log/log_format.h: the log file: its header, its groups in order, and where it ends.
//
// What:       read_log_header, and LogReader, which gives one whole group after another and tells a torn tail from damage.
// Terms:      tail: what a crash has left behind the last whole group. Mark: a group without records.
// Invariants: L1 a group is given only if its length, salt and checksum are right.
//             L2 groups come with sequence numbers base + 1, base + 2, ...; a mark has its predecessor's. Anything else is damage.
//             L3 what is not whole is a tail unless a whole group behind it says that it had been durable: then it is damage. So nothing that was
//                acknowledged is taken for a tail, except in the last group after a crash, where no log can tell.
// Errors:     58030 naming file and offset. Format: spec/log.md.
// Callers:    log/file_log, engine/database_file. One thread.
// Held by:    src/engine/file_test.cc, src/engine/crash_test.cc
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "io/file.h"
#include "log/record.h"

namespace hdb {

inline constexpr uint32_t kLogFormat = 1;
inline constexpr size_t kLogHeaderBytes = 512;  // a sector of its own

struct LogHeader {
  uint64_t database_id = 0;
  uint64_t epoch = 1;   // counts the logs of this database (C14)
  uint64_t base = 0;    // the commit number before the first group
  uint32_t salt = 0;
};
std::string encode_log_header(const LogHeader& header);
LogHeader read_log_header(File& file);

struct LogTail {
  uint64_t end = 0;           // behind the last whole group
  uint64_t last = 0;          // its sequence number
  uint64_t bytes_behind = 0;  // what is not part of the log, up to the end of the file
  uint64_t groups_behind = 0; // whole ones among that: written, never known to be durable
  bool damaged = false;       // salvage only; otherwise damage throws
  bool marked = false;        // the log ends with a mark: it was closed
};

class LogReader {
 public:
  // salvage: stops at damage instead of throwing.
  LogReader(File& file, const LogHeader& header, bool salvage = false);
  // The next group, valid until the call after it; marks are passed over. False: the tail is known now.
  bool next(std::string_view* group, GroupHeader* header);
  uint64_t offset() const { return at_; }  // behind the group that next() gave
  const LogTail& tail() const { return tail_; }

 private:
  static constexpr size_t kChunkBytes = 1u << 20;
  bool have(uint64_t at, uint64_t bytes);  // brings them into the buffer; false: the file ends before
  const char* data(uint64_t at) const { return buffer_.data() + (at - buffer_at_); }
  bool whole(uint64_t at, GroupHeader* header);
  void end_here(const char* why);

  File& file_;
  const LogHeader header_;
  const bool salvage_;
  const uint64_t size_;
  std::string buffer_;
  uint64_t buffer_at_ = 0, at_ = kLogHeaderBytes, last_;
  LogTail tail_;
};

}  // namespace hdb
