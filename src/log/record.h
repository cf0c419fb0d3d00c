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
#include <string>
#include <string_view>
#include <vector>

#include "store/column.h"
#include "txn/transaction.h"

namespace hdb {

inline constexpr uint32_t kGroupMagic = 0x50524748u;  // "HGRP"
inline constexpr size_t kGroupHeaderBytes = 32;

enum class RecordKind : uint8_t { kDelete = 1, kRow = 2, kRange = 3, kCatalog = 4 };

// Replaces *out by the group of the transaction's journal under this commit number.
void encode_group(const Transaction& transaction, uint64_t commit, std::string* out);

// One value: a number's or double's 64 bits, or a text.
struct LoggedValue {
  bool null = true;
  bool is_text = false;
  uint64_t raw = 0;
  std::string_view text;  // into the group
};

struct LoggedRecord {
  RecordKind kind = RecordKind::kDelete;
  uint64_t table_id = 0;
  uint64_t row_id = 0;                            // kRange: of the first row
  uint32_t rows = 0;                              // kRow 1, kRange n
  uint32_t columns = 0;
  std::vector<LoggedValue> values;                // columns * rows, column by column
  uint64_t next_id = 0;                           // kCatalog
  std::string_view sql;                           // kCatalog
};

class GroupReader {
 public:
  // Throws 58030 if it is not a valid group.
  explicit GroupReader(std::string_view group);
  uint64_t sequence() const { return sequence_; }
  uint32_t record_count() const { return records_; }
  bool next(LoggedRecord* record);  // false: that was all

 private:
  template <class T> T take();
  std::string_view take_text(size_t bytes);
  void read_values(LoggedRecord* record);

  std::string_view group_;
  size_t at_ = kGroupHeaderBytes;
  uint64_t sequence_ = 0;
  uint32_t records_ = 0, seen_ = 0;
};

}  // namespace hdb
