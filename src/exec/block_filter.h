// exec/block_filter.h: conditions that are answered on a block as it is stored, without making vectors.
//
// What:       conjuncts over single columns, and AND, OR and NOT of such: ranges and IN lists on integers become comparisons in the domain of the
//             block's offsets, any condition over one TEXT column becomes a set of dictionary codes, found once for each distinct value.
//             Zone maps decide a block without reading it where they can.
// Invariants: V6 a bit stays set iff the condition is *true* for the row (not NULL): NOT is pushed down to the columns, where NULL fails both ways.
//             V7 only conditions that cannot raise are taken. Z1 a block is skipped only on bounds, which hold for every snapshot.
//             V8 a code set is worked out from the dictionary as it was at first use: texts that came later are of rows that no snapshot of this
//                statement sees.
// Cost:       a compare for each column and slot, skipped where 64 neighbouring rows are out already.
// Callers:    exec/scan. After take(), thread-safe.
// Held by:    src/exec/scan_test.cc
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include "exec/kernels.h"
#include "exec/pipeline.h"
#include "txn/block_view.h"

namespace hdb {

class ScanPlan;

class BlockFilter {
 public:
  explicit BlockFilter(const ScanPlan& plan) : plan_(plan) {}

  // Takes a conjunct that has the form; false: the caller has to evaluate it on vectors.
  bool take(const ExprPtr& conjunct);
  bool empty() const { return tests_.empty(); }
  bool never() const { return never_; }                // no row passes, whatever the block
  bool skips(const BlockView& view) const;             // no row of the block passes
  void apply(const BlockView& view, Worker& worker, uint64_t* bits) const;  // bits &= all conjuncts, over the view's rows

 private:
  enum class Verdict { kNone, kSome, kEvery };
  // Codes of a TEXT column that pass.
  struct CodeSet {
    ExprPtr expr;
    bool negate = false;
    std::once_flag once;
    std::vector<uint8_t> pass;       // by code; the last is for NULL
    bool none = false;
    bool interval = false;           // the codes that pass (outside: that fail) are [low, high]
    bool outside = false;
    uint32_t low = 0, high = 0;
    uint64_t first[4] = {};          // codes below 256 that pass
  };
  // Integers of an IN list.
  struct IntSet {
    std::vector<int64_t> sorted;
    boost::unordered_flat_set<int64_t> all;
  };
  struct Test {
    enum class Kind { kNever, kRange, kNull, kInts, kCodes, kAnd, kOr } kind = Kind::kNever;
    uint32_t column = 0;             // place in ScanPlan::columns()
    RangeTest range;
    bool negate = false;             // kNull: IS NOT NULL; kInts: NOT IN
    std::unique_ptr<IntSet> ints;
    std::unique_ptr<CodeSet> codes;
    std::vector<Test> parts;
  };

  bool make(const ExprPtr& e, bool negate, Test* out) const;
  bool make_parts(const Expr& e, bool negate, Test* out) const;
  bool make_comparison(const Expr& e, bool negate, Test* out) const;
  bool make_list(const Expr& e, bool negate, Test* out) const;
  bool make_codes(const ExprPtr& e, bool negate, Test* out) const;
  bool merge(const Test& range);

  Verdict verdict(const Test& t, const BlockView& view) const;
  void apply(const Test& t, const BlockView& view, Worker& worker, uint64_t* bits) const;
  void apply_ints(const Test& t, const BlockView& view, Worker& worker, uint64_t* bits) const;
  void apply_codes(const Test& t, const BlockView& view, Worker& worker, uint64_t* bits) const;
  void apply_rows(const Test& t, const BlockView& view, Worker& worker, uint64_t* bits) const;
  void prepare(const Test& t, Worker& worker) const;
  bool look_up(const Test& t) const;

  const ScanPlan& plan_;
  std::vector<Test> tests_;
  bool never_ = false;
};

}  // namespace hdb
