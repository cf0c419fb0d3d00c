// store/column_cache.h: block columns that are in a file as well: they come in when somebody asks for them, and leave when memory is wanted.
//
// Terms:      home: where a file has a block column, at a place that the newest root names. Clean column: one that has a home. Absent: it has a home and
//             no buffer. Pin: a reference to a buffer.
// What:       a table that is kept in a cache may have absent columns. pin() brings one in; a clock with a second chance lets clean ones go: while their
//             bytes are more than the cache's own limit, and when a charge would pass the budget's (the budget asks make_room).
// Invariants: B1 a home's bytes hold what every row of the latest state, and every row that an undo entry of the block made invisible after the home was
//                given, has in that column: whatever changes another byte takes the home away under the same hold of the latch (no_home).
//             B2 what leaves has a home, nobody has pinned it, its block has no undo entry, and no writer holds the block: so nothing is lost, and
//                what an older snapshot sees is never asked of the file.
//             B3 an absent column of a block with rows has a home. B4 no latch is held while something is read; what was read comes in only if
//                the home is the same afterwards.
// Cost:       of a resident column: a test for null, and a store if the clock has passed since. Of one that leaves: a step of the clock for each block
//             with clean columns.
// Errors:     pin: 58030, XX001 (the file's), 53200. The database goes on without the column.
// Callers:    store/table, txn/, engine/column_pages. Thread-safe. Latches: block > mutex_; under mutex_ block latches are only tried.
// Held by:    spec/store.md, src/store/column_cache_test.cc, src/engine/paging_test.cc
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/budget.h"
#include "store/block.h"

namespace hdb {

class Table;

// What is read of an absent column: how many slots its block had, and which of them had rows that are still there.
struct AbsentColumn {
  const Table& table;
  uint64_t block;
  uint32_t column;
  uint32_t rows;
  const uint64_t* visible;
  ColumnHome home;
};

class ColumnReader {
 public:
  virtual ~ColumnReader() = default;
  // A buffer of its own. Any thread, no latch held. The home may be gone meanwhile: then it throws or gives anything.
  virtual BufferRef read(const AbsentColumn& column) = 0;
};

class ColumnCache final : public MemoryReclaimer {
 public:
  // budget: of the database; it outlives this, which is its reclaimer meanwhile.
  explicit ColumnCache(MemoryBudget* budget);
  ~ColumnCache() override;
  ColumnCache(const ColumnCache&) = delete;
  ColumnCache& operator=(const ColumnCache&) = delete;

  // Once, before the first column has a home.
  void set_reader(std::unique_ptr<ColumnReader> reader) {
    reader_owner_ = std::move(reader);
    reader_.store(reader_owner_.get(), std::memory_order_release);
  }
  // Bytes of clean columns that are kept although nobody has pinned them.
  uint64_t limit() const { return limit_.load(std::memory_order_relaxed); }
  void set_limit(uint64_t bytes);
  struct Figures {
    uint64_t clean_bytes = 0, read = 0, left = 0;  // columns that came in and left since the beginning
  };
  Figures figures() const;

  // Null: a block without rows.
  BufferRef pin(const Table& table, Block& block, uint32_t column);
  void trim() noexcept;                                  // down to limit(), as far as nobody has pinned them
  bool make_room(uint64_t bytes) noexcept override;      // by the budget: true if `bytes` fit now

  // Under the block's exclusive latch.
  void give_home(Table& table, Block& block, uint32_t column, const ColumnHome& home);
  void no_home(Block& block, uint32_t column) noexcept;  // the column is about to change

 private:
  friend class Table;
  void add(Table* table);
  void remove(Table* table) noexcept;
  template <class Enough>
  void sweep(const Enough& enough) noexcept;
  void let_go(Block& block) noexcept;

  MemoryBudget* const budget_;
  std::unique_ptr<ColumnReader> reader_owner_;
  std::atomic<ColumnReader*> reader_{nullptr};
  std::atomic<uint64_t> limit_{UINT64_MAX}, clean_bytes_{0}, read_{0}, left_{0};
  std::mutex mutex_;               // of what follows
  std::vector<Table*> tables_;
  size_t hand_table_ = 0;          // the clock's hand
  uint64_t hand_block_ = 0;
};

}  // namespace hdb
