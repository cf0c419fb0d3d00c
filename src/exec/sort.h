// exec/sort.h: ORDER BY, and with a limit the first rows only.
//
// What:       a sink that keeps rows with their sort keys and their place, and a source that gives them back in order.
// Invariants: C17 equal keys stay in the order of (morsel, row). O2 with a limit a worker never holds much more than twice the rows asked for.
//             O3 a worker's bound is everybody's (SortBound): a source that knows its blocks' bounds visits the promising ones first and skips the rest.
// Cost:       entries of 16 bytes are sorted by a 64-bit prefix of the first key; only equal prefixes look at the rows.
// Callers:    exec/build.
// Held by:    src/exec/sort_test.cc
#pragma once

#include "exec/pipeline.h"

namespace hdb {

class SortSink final : public Sink {
 public:
  // limit: UINT64_MAX for none.
  SortSink(const std::vector<SortKey>& keys, ColumnMap input, uint64_t limit, uint64_t offset, MemoryBudget* budget);
  std::unique_ptr<Operator> instance(Worker& worker) override;
  void finish(Worker& worker, std::vector<std::unique_ptr<Operator>>& instances) override;
  std::unique_ptr<Source> source();

  // The sorted numbers of the rows, the first `keep` only.
  std::vector<uint32_t> sorted(const Rows& rows, uint64_t keep, const CancelToken& cancel) const;
  // A prefix of a value of the first key: if it is smaller, the row comes first; if it is equal, nothing is known.
  void prefixes(const Vector& v, uint32_t rows, uint64_t* out) const;

  const std::vector<SortKey>& keys() const { return keys_; }
  const ColumnMap& input() const { return input_; }
  uint32_t key_place(size_t k) const { return places_[k]; }
  uint64_t kept() const { return kept_; }
  const std::vector<Type>& types() const { return types_; }
  MemoryBudget* budget() const { return budget_; }
  SortBound& bound() const { return bound_; }

 private:
  int compare(const Vector& v, size_t k, uint32_t a, uint32_t b) const;

  const std::vector<SortKey>& keys_;
  ColumnMap input_;
  uint64_t limit_, offset_, kept_;   // kept_: limit + offset
  MemoryBudget* budget_;
  std::vector<Type> types_;          // input columns, keys that are no column, and the place
  std::vector<uint32_t> places_;     // column of each key
  mutable SortBound bound_;          // shared by the workers
  std::shared_ptr<Rows> rows_;
  std::vector<uint32_t> order_;
};

}  // namespace hdb
