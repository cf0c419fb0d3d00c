// exec/scan.h: a table's rows as of a snapshot, block by block.
//
// What:       ScanPlan splits the pushed-down conjuncts: those that run on the encoded block (exec/block_filter.h) skip blocks by zone maps and
//             make a selection bitmap; what is left is evaluated on chunks. ScanSource sends the rows.
// Invariants: C1 rows and values are the snapshot's (txn/block_view.h). Z1 a block is skipped only on bounds, which hold for every snapshot.
//             A1 conjuncts that may raise see only rows that passed all conjuncts before them (B2): encoded tests cannot raise and go first.
//             A2 the decoded vectors are those of plain row-by-row reading (W2: codes of an empty dictionary never show).
// Callers:    exec/build, exec/direct.
// Held by:    src/exec/scan_test.cc
#pragma once

#include <memory>
#include <vector>

#include "exec/block_filter.h"
#include "exec/pipeline.h"
#include "txn/block_view.h"

namespace hdb {

class ScanPlan {
 public:
  ScanPlan(const Node& node, ExecContext& context);

  const Node& node() const { return node_; }
  const Table& table() const { return *node_.table->table; }
  ExecContext& context() const { return context_; }
  const std::vector<uint32_t>& ordinals() const { return ordinals_; }   // what a view pins, in the order of `columns()`
  const ColumnMap& columns() const { return columns_; }                 // all columns, those of filters too, then the row id
  const std::vector<ExprPtr>& rest() const { return rest_; }            // conjuncts that need vectors
  bool empty() const { return filter_.never(); }                         // some conjunct is never true
  uint64_t blocks() const { return blocks_; }

  // Opens the block's view; false if zone maps say that nothing in it passes, or nothing is visible.
  bool open(uint64_t block, BlockView* view) const;
  // Visible rows that pass the encoded tests. bits: kBlockWords words. Returns how many.
  uint32_t select(const BlockView& view, Worker& worker, uint64_t* bits) const;
  // Top-n by an int64-lane column (SortSink::prefixes): the least prefix that the block can have, for any snapshot; and the rows up to a bound:
  // bits &= prefix <= bound. Returns how many are left.
  uint64_t best_prefix(uint64_t block, uint32_t place, const SortKey& key) const;
  uint32_t select_prefix(const BlockView& view, uint32_t place, const SortKey& key, uint64_t bound, Worker& worker, uint64_t* bits) const;
  // Columns of the slots [first, first + count), or of slots[0 .. count) if slots is not null. wanted: which; the others stay unset.
  void fill(const BlockView& view, uint32_t first, const uint32_t* slots, uint32_t count, const std::vector<bool>& wanted, Scratch& scratch, Chunk* out) const;

 private:
  const Node& node_;
  ExecContext& context_;
  std::vector<uint32_t> ordinals_;
  ColumnMap columns_;
  BlockFilter filter_;
  std::vector<ExprPtr> rest_;
  uint64_t blocks_ = 0;
};

// The columns that come out are columns() without the last node.filter_only of the table's columns: `map` tells.
std::unique_ptr<Source> scan_source(const Node& node, ExecContext& context, ColumnMap* map);

}  // namespace hdb
