// log/record.h: the redo group of a commit as bytes, and back.
//
// What:       encode_group() writes what a transaction changed as the net after-image of each row that it touched: rows that are gone, then rows
//             that are there; ranges of loaded rows column by column; a definition as its SQL text. GroupReader reads it back.
// Invariants: C12 a group holds values, never codes, and each row id at most once between two definitions; within such a stretch deletions come
//                first, so replay never checks uniqueness. A definition stands where it was made among the changes.
//             L1 a group is valid iff its length, checksum and record count are right; a reader never reads past it.
// Format:     spec/log.md. Callers: log/ (writers), engine/ (replay). encode_group: the holder of the writer's turn.
// Held by:    spec/log.md, src/log/record_test.cc, src/engine/replay_test.cc
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "store/column.h"
#include "txn/transaction.h"

namespace hdb {

inline constexpr uint32_t kGroupMagic = 0x50524748u;  // "HGRP"
inline constexpr size_t kGroupPieceBytes = size_t{256} << 10;
inline constexpr size_t kGroupHeaderBytes = 40;

enum class RecordKind : uint8_t { kDelete = 1, kRow = 2, kRange = 3, kCatalog = 4 };

// What a group says of the log that it is in.
struct GroupStamp {
  uint32_t salt = 0;     // of the log: a group of another log is none here
  uint64_t synced = 0;   // every group up to this number was durable when this one was written
};

// Replaces *out by the group of the transaction's journal under this commit number.
// drain: for a log that keeps nothing. It is given what there is of a load's group whenever that has come to kGroupPieceBytes, takes it out, and the
// group gets no header then.
void encode_group(const Transaction& transaction, uint64_t commit, std::string* out, const GroupStamp& stamp = {},
                  const std::function<void(std::string*)>& drain = {});
// A group without records: the mark that everything before it was durable.
void encode_mark(uint64_t commit, std::string* out, const GroupStamp& stamp);

struct GroupHeader {
  uint64_t bytes = 0, sequence = 0, synced = 0;
  uint32_t sum = 0, records = 0, salt = 0;
};
// False: these kGroupHeaderBytes are not the beginning of a group. What it says is not checked yet.
bool read_group_header(const char* bytes, GroupHeader* header);
// Is the whole group what was written? group.size() == header.bytes
bool group_is_whole(std::string_view group, const GroupHeader& header);

// One value: a number's or double's 64 bits, or a text.
struct LoggedValue {
  bool null = true;
  bool is_text = false;
  uint64_t raw = 0;
  std::string_view text;  // into the group
};

// One column of a range.
struct LoggedColumn {
  bool is_text = false;
  std::string_view nulls;                   // empty: no NULL; else a bit a row
  uint8_t width = 0;                        // numbers, and codes if there is a dictionary
  int64_t base = 0;                         // numbers of width below 8
  std::string_view packed;                  // rows * width bytes
  bool has_dictionary = false;
  std::vector<std::string_view> texts;      // the dictionary, or a text a row

  bool is_null(uint32_t row) const { return !nulls.empty() && ((static_cast<uint8_t>(nulls[row / 8]) >> (row % 8)) & 1) != 0; }
  uint64_t packed_at(uint32_t row) const;   // the bits of a number less its base, or a code
  LoggedValue value(uint32_t row) const;
};

struct LoggedRecord {
  RecordKind kind = RecordKind::kDelete;
  uint64_t table_id = 0;
  uint64_t row_id = 0;                            // kRange: of the first row
  uint32_t rows = 0;                              // kRow 1, kRange n
  uint32_t columns = 0;
  std::vector<LoggedValue> values;                // kRow: one a column
  std::vector<LoggedColumn> range;                // kRange: one a column
  uint64_t next_id = 0;                           // kCatalog
  std::string_view sql;                           // kCatalog
};

class GroupReader {
 public:
  // Throws 58030 if it is not a valid group.
  explicit GroupReader(std::string_view group);
  // Of a group that was found whole already.
  GroupReader(std::string_view group, const GroupHeader& header) : group_(group), sequence_(header.sequence), records_(header.records) {}
  uint64_t sequence() const { return sequence_; }
  bool next(LoggedRecord* record);  // false: that was all

 private:
  template <class T> T take();
  std::string_view take_text(size_t bytes);
  void read_row(LoggedRecord* record);
  void read_column(uint32_t rows, LoggedColumn* column);

  std::string_view group_;
  size_t at_ = kGroupHeaderBytes;
  uint64_t sequence_ = 0;
  uint32_t records_ = 0, seen_ = 0;
};

}  // namespace hdb
