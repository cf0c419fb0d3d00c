// store/table.h: the storage of a table: its columns' shared parts, a directory of blocks, its keys and whoever follows its changes.
//
// What:       no SQL here, no snapshots: raw access for txn/ (changes, rewinding) and for scans that go through txn/block_view.h.
// Invariants: S6 a block never moves and is never removed while the table lives; the directory grows in chunks.
//             S7 `keys`, `sinks`, `checks` are changed by the holder of the writer's turn only, and only read by it.
// Callers:    txn/, plane/, catalog/, exec/. block(i) for i < block_count() is thread-safe.
// Held by:    src/txn/transaction_test.cc
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/latch.h"
#include "store/block.h"
#include "store/value.h"
#include "store/column.h"

namespace hdb {

class ColumnCache;
class KeyIndex;
class RowSink;  // txn/sinks.h
class Limb;     // plane/limb.h
class KeyMap;   // exec/key_map.h

struct ColumnShape {
  std::string name;  // for messages
  Type type;
  bool not_null = false;
};

// A foreign key as storage sees it: rows of the table that holds this must find their parent.
struct ReferenceCheck {
  std::string name;                       // for messages: "column (a, b)" as spelled
  std::vector<uint32_t> columns;
  std::weak_ptr<class Table> parent;
  std::vector<uint32_t> parent_columns;
  std::shared_ptr<KeyIndex> parent_key;   // unique key of the parent over parent_columns
};
// The other side: whoever deletes rows of this table looks for children in `child`.
struct ChildCheck {
  std::weak_ptr<class Table> child;
  std::vector<uint32_t> columns;          // in the child
  std::vector<uint32_t> parent_columns;   // here
};

class Table {
 public:
  Table(uint64_t id, std::string name, std::vector<ColumnShape> shape, MemoryBudget* budget);
  ~Table();
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  uint64_t id() const { return id_; }
  const std::string& name() const { return name_; }
  uint32_t column_count() const { return static_cast<uint32_t>(shape_.size()); }
  const ColumnShape& shape(uint32_t column) const { return shape_[column]; }
  const Type& type(uint32_t column) const { return shape_[column].type; }
  ColumnStore& column(uint32_t i) { return columns_[i]; }
  const ColumnStore& column(uint32_t i) const { return columns_[i]; }
  const Dictionary* dictionary(uint32_t i) const { return columns_[i].dictionary.get(); }
  MemoryBudget* budget() const { return budget_; }
  // Of a database file: its block columns may be absent. Before anybody else sees the table. Null: every column is here.
  void keep_in(std::shared_ptr<ColumnCache> cache);
  ColumnCache* cache() const { return cache_.get(); }
  // A block column, brought in if it is absent; null if the block has no rows. Thread-safe. 58030, XX001, 53200.
  BufferRef pin(uint64_t block, uint32_t column) const;
  // One value of the latest state, for the holder of the turn. Errors as pin.
  Datum latest(uint64_t row_id, uint32_t column) const {
    const Block& b = block(row_id / kBlockRows);
    const auto slot = static_cast<uint32_t>(row_id % kBlockRows);
    if (cache_ == nullptr || b.held.load(std::memory_order_relaxed)) return b.columns[column]->at(slot);
    return latest_by_latch(b, slot, column);
  }

  uint64_t block_count() const { return block_count_.load(std::memory_order_acquire); }
  Block& block(uint64_t i) const {
    return *chunks_[i / kChunkBlocks].load(std::memory_order_acquire)[i % kChunkBlocks];
  }
  // Runs: each `run_blocks()` blocks in a row, the last one perhaps fewer. Their change counts, and the table's.
  uint32_t run_blocks() const { return run_blocks_; }
  uint64_t run_count() const { return (block_count() + run_blocks_ - 1) / run_blocks_; }
  ChangeScope& run(uint64_t i) const { return block(i * run_blocks_).run(); }
  ChangeScope& whole() const { return *whole_; }
  // For tests: the length of runs of tables that are made from now on.
  static void set_run_blocks(uint32_t blocks) { run_blocks_of_new_.store(blocks, std::memory_order_relaxed); }
  // Writer: appends an empty block. Throws 53200, 54000.
  Block& add_block();

  // The newest commit that changed the table's rows or definition (C7: overtaken reads).
  std::atomic<uint64_t> last_commit{0};
  // Live rows of the latest state, uncommitted ones included: an estimate for whoever plans.
  std::atomic<uint64_t> live_rows{0};

  // Writer only (S7).
  std::vector<std::shared_ptr<KeyIndex>> keys;
  std::vector<std::shared_ptr<RowSink>> sinks;
  std::vector<ReferenceCheck> references;
  std::vector<ChildCheck> children;
  std::vector<uint64_t> free_slots;       // row ids whose deletion no snapshot needs any more
  uint64_t append_block = 0;              // where the next append goes: blocks behind it have no rows
  // What queries have kept (C16), under kept_latch. A limb is among the sinks, too.
  mutable Latch kept_latch;
  std::vector<std::shared_ptr<Limb>> limbs;
  mutable std::atomic<uint64_t> limbs_asked{0};  // a bit, by hash, for each large limb that has been asked for: the second time it is kept
  mutable std::vector<std::shared_ptr<const KeyMap>> key_maps;
  // Brings a text into the column's dictionary or heap.
  Datum intern(uint32_t column, std::string_view text) { return Datum::of(columns_[column].dictionary->intern(text)); }

  // What holds the places that homes of this table name. The checkpointer's.
  std::vector<std::shared_ptr<const void>> home_pins;

  // Bytes of buffers, bitmaps and dictionaries (not of indexes). Takes each block's latch in turn.
  uint64_t bytes() const;

 private:
  static constexpr uint64_t kChunkBlocks = 1024;
  static constexpr uint64_t kChunks = kTableRowsMax / kBlockRows / kChunkBlocks;

  Datum latest_by_latch(const Block& block, uint32_t slot, uint32_t column) const;

  const uint64_t id_;
  const std::string name_;
  std::vector<ColumnShape> shape_;
  std::vector<ColumnStore> columns_;
  std::shared_ptr<ColumnCache> cache_;
  MemoryBudget* const budget_;
  static std::atomic<uint32_t> run_blocks_of_new_;
  const uint32_t run_blocks_;
  const std::unique_ptr<ChangeScope> whole_;
  std::vector<std::unique_ptr<ChangeScope>> runs_;  // the writer's: readers come through a run's first block
  std::atomic<uint64_t> block_count_{0};
  std::unique_ptr<std::atomic<Block**>[]> chunks_;
};

// The raw bits of a Value for a column of the table (same type, already converted): texts are interned.
Datum to_datum(Table& table, uint32_t column, const Value& value);
Value to_value(const Type& type, const Datum& datum);

}  // namespace hdb
