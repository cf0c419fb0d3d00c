// plane/summary_build.h: the cells of a table's rows, counted from scratch by blocks on several threads.
//
// What:       each worker adds rows into its own dense array of cells, addressed by the columns' encoded values; the arrays are added up, and the cells
//             are listed in the order in which their first rows come.
// Invariants: P1 the cells are those of the rows as of the snapshot. C17 they, and their order, do not depend on the number of workers.
// Limits:     kBuildCellsMax addresses (and no texts outside of a dictionary): else plan() says no, and the caller goes row by row.
// Callers:    plane/summary_bulk.cc. The writer's turn is held: nothing changes meanwhile.
// Held by:    src/plane/bulk_test.cc, spec/planes.md
#pragma once

#include <cstdint>
#include <vector>

#include "base/pool.h"
#include "store/table.h"
#include "txn/snapshot.h"

namespace hdb {

inline constexpr uint64_t kBuildCellsMax = uint64_t{1} << 20;

struct BuiltMeasure {
  Sum128 sum;
  int64_t count = 0;
};

class SummaryBuilder {
 public:
  // columns: of the table; the first `dimensions` of them are dimensions, `measures` lists table columns (BIGINT or DECIMAL).
  SummaryBuilder(const Table& table, const std::vector<uint32_t>& dimensions, const std::vector<uint32_t>& measures, MemoryBudget* budget);
  ~SummaryBuilder();
  SummaryBuilder(const SummaryBuilder&) = delete;
  SummaryBuilder& operator=(const SummaryBuilder&) = delete;

  // False: too many addresses.
  bool plan();
  // pool may be null. Throws 53200, 57014.
  void run(const Snapshot& snapshot, Pool* pool, uint32_t threads, const CancelToken* cancel);

  // In the order of first rows. f(const Datum* row, int64_t weight, const BuiltMeasure* measures): row is indexed by table column.
  template <class F>
  void each_cell(F&& f) const {
    std::vector<Datum> row(table_.column_count());
    std::vector<BuiltMeasure> sums(measures_.size());
    for (const uint32_t address : order_) {
      decode(address, row.data());
      const uint64_t* tile = planes_[0].data() + size_t{address} * stride_;
      for (size_t m = 0; m < measures_.size(); ++m) sums[m] = measure(tile, m);
      f(row.data(), static_cast<int64_t>(tile[0]), sums.data());
    }
  }

 private:
  struct Dimension {
    uint32_t column;
    bool text = false;
    uint64_t low = 0;       // value of digit 0
    uint64_t values = 0;    // digits below it are values; the next one, if `null`, is NULL
    bool null = false;
    uint64_t step = 1;      // of the address
    uint64_t digits() const { return values + (null ? 1 : 0); }
  };
  struct Measure {
    uint32_t column;
    bool wide = false;      // its sum may pass 64 bits: two words
    bool null = false;      // its values are counted
    uint32_t sum_at = 0, count_at = 0;  // words of a tile
  };
  struct Scratch;

  void add_block(const class BlockView& view, uint64_t* plane, Scratch& scratch) const;
  void address_rows(const BlockView& view, uint32_t from, uint32_t count, uint32_t* at) const;
  void merge_planes();
  BuiltMeasure measure(const uint64_t* tile, size_t m) const;
  void decode(uint32_t address, Datum* row) const;

  const Table& table_;
  std::vector<Dimension> dimensions_;
  std::vector<Measure> measures_;
  std::vector<uint32_t> columns_;  // of views: dimensions, then measures
  MemoryBudget* budget_;
  uint64_t charged_ = 0, addresses_ = 1;
  uint32_t stride_ = 2;            // words a tile: weight, first row, then measures
  std::vector<std::vector<uint64_t>> planes_;
  std::vector<uint32_t> order_;
};

}  // namespace hdb
