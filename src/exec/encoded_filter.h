// exec/encoded_filter.h: the conjuncts of a scan that are evaluated on encoded columns, and those that are not.
//
// What:       compiled once an execution: integer comparisons become a range of values for a column, conjuncts over one dictionary column that cannot
//             fail become a table of codes; what is left is for the evaluator. apply() narrows a selection bitmap of one block.
// Invariants: Q1 a row passes apply() and the rest iff all conjuncts are true for it. Q2 codes beyond the dictionary's size when this was compiled belong
//             to rows that the snapshot does not see.
// Callers:    exec/scan_source. Immutable after construction; apply() is thread-safe.
// Held by:    src/exec/scan_test.cc
#pragma once

#include <cstdint>
#include <vector>

#include "exec/context.h"
#include "exec/column_map.h"
#include "store/table.h"
#include "txn/block_view.h"

namespace hdb {

class EncodedFilter {
 public:
  EncodedFilter(const Node& scan, const ColumnMap& map, const ExecContext& context);

  bool never() const { return never_; }                          // a conjunct is never true: NULL, or an empty range
  const std::vector<ExprPtr>& rest() const { return rest_; }     // for every block
  // Could the block hold a passing row at all? By zone bounds; column i of the view is column i of the scan.
  bool may_pass(const BlockView& view) const;
  // Clears the bits of rows that do not pass. Conjuncts whose column has no codes in this block are appended to *more instead.
  void apply(const BlockView& view, uint64_t* selection, std::vector<ExprPtr>* more) const;
  bool empty() const { return ranges_.empty() && codes_.empty(); }

 private:
  struct Range {
    uint32_t column;
    int64_t low = INT64_MIN, high = INT64_MAX;
  };
  struct Codes {
    uint32_t column;
    ExprPtr conjunct;
    bool null_passes = false;
    std::vector<uint8_t> passes;  // by code, 256 or 65,536 of them
  };

  bool take_range(const Expr& e, const ColumnMap& map, const ExecContext& context);
  bool take_codes(const ExprPtr& e, const Node& scan, const ColumnMap& map, const ExecContext& context);

  std::vector<Range> ranges_;
  std::vector<Codes> codes_;
  std::vector<ExprPtr> rest_;
  bool never_ = false;
};

}  // namespace hdb
