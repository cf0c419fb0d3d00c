// txn/undo.h: what happens to an entry at the end of its life, and the checks at the end of a statement.
//
// What:       undo_entry applies an entry's inverse to the block, the keys and the sinks; reclaim_entry cuts it from its chain.
// Invariants: J1 an entry that is reclaimed is the last of its chain; one that is undone is the first. S3 a before-image fits its buffer.
// Callers:    txn/transaction.cc, holding the writer's turn.
// Held by:    src/txn/change_test.cc
#pragma once

#include "txn/transaction.h"

namespace hdb {

// They throw for a failed CHECK or a refused allocation only; the caller poisons the database then.
void undo_entry(UndoEntry& entry);
void reclaim_entry(UndoEntry& entry, uint64_t commit);
void check_statement(const StatementChecks& checks);  // 23505, 23503

// Writer-only helpers over the latest state of a row (no latch needed but for columns that may leave: only the holder of the turn changes blocks).
inline bool row_live(const Table& table, uint64_t row_id) {
  if (row_id / kBlockRows >= table.block_count()) return false;
  const Block& b = table.block(row_id / kBlockRows);
  const auto slot = static_cast<uint32_t>(row_id % kBlockRows);
  return slot < b.rows && bit_test(b.visible->words, slot);
}
inline Datum row_value(const Table& table, uint64_t row_id, uint32_t column) {
  return table.latest(row_id, column);
}
// A live row other than `except` with this key in the writer's own view, or kNoRow.
inline constexpr uint64_t kNoRow = UINT64_MAX;
uint64_t find_live(const Table& table, const KeyIndex& index, const Datum* key, uint64_t hash, uint64_t except);
[[noreturn]] void fail_not_null(const Table& table, uint32_t column);
[[noreturn]] void fail_duplicate(const Table& table, const KeyIndex& index, const Datum* key);
std::string key_text(const Table& table, std::span<const uint32_t> columns, const Datum* key);
[[noreturn]] void fail_no_parent(const Table& child, const ReferenceCheck& reference, const Datum* key);
// Zone, visible count and sums follow one row of the latest state; under the block's exclusive latch.
void zones_add(const Table& table, Block& block, uint32_t slot);
void zones_remove(const Table& table, Block& block, uint32_t slot);
// A longer range drops a block's kept cells instead of following row by row.
inline constexpr uint32_t kAdjustRowsMax = 64;
void adjust_extension(Block& block, uint32_t slot, int sign) noexcept;
// Makes the visibility bitmap the block's own (a pinned one is copied into the spare).
void own_visible(Block& block, VisibleRef& spare);

}  // namespace hdb
