// plane/folded_cells.h: block cells and zone sums added up, kept for runs of blocks and for the whole table.
//
// Terms:      run: Table::run_blocks() blocks in a row. Fold: the cells of some blocks, those of the same values added. Scope: a run, or the table; it
//             counts the changes of its blocks (store/block.h, ChangeScope).
// What:       a question over block cells reads one fold if nothing has changed since it was kept; after a change it folds the runs again that the
//             change was in, from their blocks' kept cells, and adds the runs up.
// Invariants: C6 a fold is kept only if every block of the scope was committed and was read as it was at the kept count of changes; it serves S only if
//             the count has not moved since and the newest change in it is <= S. A change counts before it can be seen, under its block's latch; a commit
//             <= S has been seen to count (H is read by acquire), a transaction's own changes too.
//             C17 cells come in the order of first appearance by (block, cell), kept or not.
// Callers:    exec/cells_source; one for an execution. read() may be called by many threads, each for its own runs.
// Held by:    src/plane/folded_cells_test.cc, properties/, mutants/run_fold_not_told.patch
#pragma once

#include <memory>
#include <vector>

#include "plane/block_cells.h"

namespace hdb {

class CancelToken;
class EpochManager;

inline constexpr uint32_t kKeptFoldMax = 16'384;  // cells of a fold that is kept

class FoldedCells {
 public:
  using Batch = std::shared_ptr<const CellBatch>;

  // request: no dimensions means zone sums. keep: false neither reads nor leaves anything kept.
  FoldedCells(const Table& table, const Snapshot& snapshot, CellRequest request, bool keep, EpochManager& epochs, const CancelToken& cancel);

  // The cells of the whole table, if they are kept or little work on one thread; else null. Not empty of columns even if there are no rows.
  Batch whole();
  uint64_t runs() const { return runs_; }
  // Rows of the runs that must be read anew; after whole() said null.
  uint64_t rows_to_read() const { return missing_ * table_.run_blocks() * uint64_t{kBlockRows}; }
  // The cells of one run: one batch, or one a block where some have texts past the dictionary's limit.
  std::vector<Batch> read(uint64_t run) const;

 private:
  Batch read_block(uint64_t block, BlockView* view) const;
  Batch kept_run(uint64_t run, uint64_t* newest) const;
  Batch read_unmoved(uint64_t first, uint64_t end, const uint64_t* versions) const;
  Batch read_few_moved(uint64_t first, uint64_t end, uint64_t changes, ChangeScope& scope, uint64_t* newest) const;
  std::vector<Batch> read_run(uint64_t run, uint64_t* newest) const;

  const Table& table_;
  const Snapshot snapshot_;
  const CellRequest request_;
  const bool keep_;
  EpochManager& epochs_;
  const CancelToken& cancel_;
  const std::vector<uint32_t> columns_;  // that a view pins
  const uint64_t blocks_;
  const uint64_t runs_;
  uint64_t missing_ = 0;
};

// Adds cells of one request over one table up, in order of first appearance. Cells are found by the mixed-radix number of their values' offsets while
// the joint range is small, else by hash.
class CellFolder {
 public:
  // False, and nothing is done: texts past the dictionary's limit, which have no code to be told apart by.
  bool add(const CellBatch& more);
  // Takes what has been added up.
  CellBatch take() { return std::move(out_); }

 private:
  struct Axis {
    int64_t low = 0;
    uint64_t span = 0;  // values low .. low + span - 1; 0: none yet
  };
  void find_places(const CellBatch& from);
  bool fit(const CellBatch& from);
  void number(const CellBatch& from, uint32_t first, uint32_t rows);
  void place_by_axes(const CellBatch& from, uint32_t first, uint32_t rows);
  void place_by_hash(const CellBatch& from, uint32_t row);
  static uint64_t hash_of(const CellBatch& from, uint32_t row);
  static bool same(const CellBatch& a, uint32_t i, const CellBatch& b, uint32_t row);
  void grow();
  void append_new(const CellBatch& from);

  CellBatch out_;
  bool started_ = false, direct_ = true;
  std::vector<Axis> axes_;
  std::vector<uint32_t> places_, fresh_;  // of the batch being added: where each cell goes, and which are new
  std::vector<uint32_t> address_;
  std::vector<uint64_t> hashes_;          // by place
  std::vector<uint32_t> slots_;           // place + 1, 0: free; by number or by hash
};

}  // namespace hdb
