// plane/summary.h: a summary index: one plane over chosen dimensions, kept exact by the writer for every snapshot.
//
// Terms:      cell: count of rows and, for each measure, exact sum and count of non-NULL values. Ordinal: a cell's place; it never moves.
//             Pending: the open transaction's changes. Delta: a commit's changes, kept while an older snapshot needs them.
// What:       cells lie in arrays by ordinal; an address (one code a dimension) finds its ordinal directly while the joint domain is small
//             (dense form), by hash above that. A sum is a 64-bit low part and an overflow part that is allocated at the first overflow.
// Invariants: P1 cells(S) = current - deltas newer than S (+ own pending) = a rebuild from the rows as of S, cell by cell.
//             C4 publish adds the cells and attaches the delta tagged C under one hold of the plane's latch, and allocates nothing.
//             C5 two deltas merge only if both commits <= D and no registered snapshot lies between. A plane serves S only if valid_from <= S.
//             C1 for a position before the journal's end it declines.
//             LM4 a limb that is read off it has the cells that counting the rows of the snapshot would give.
// Limits:     kSummaryDimensionsMax, kSummaryMeasuresMax, max_cells (54000).
// Callers:    txn/ as a RowSink (writer); plan/ (estimates), exec/ (read); catalog/engine (build). Reading is thread-safe.
// Held by:    spec/planes.md, src/plane/plane_test.cc, src/engine/kept_limb_test.cc (LM4), properties/, mutants/
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plane/cells.h"
#include "store/table.h"
#include "txn/sinks.h"
#include "txn/snapshot.h"

namespace hdb {

class CancelToken;
class Pool;
struct LimbForm;  // plane/limb.h

// Where a summary's cells go in the cells of a limb, by the codes of its dimensions.
struct LimbPlaces {
  static constexpr uint32_t kNone = 0xFFFFFFFFu;   // the limb has no such value
  std::vector<size_t> dimensions;                  // places of the limb's key and locals in the summary's dimensions
  std::vector<std::vector<uint32_t>> part;         // of each of them, by code: its part of the limb's cell number
  std::vector<size_t> measures;                    // of the limb's measures in the summary's
  uint64_t cells = 0;                              // that the summary had then; there may be more by now
  bool apart = false;                              // no two cells go to one place
};

inline constexpr uint64_t kFoldCellsMax = uint64_t{1} << 20;  // combinations of values that a fold may have, with many cells; and
inline constexpr uint64_t kFoldCellsAlways = uint64_t{1} << 16;  // with few

class Summary final : public RowSink {
 public:
  // dimensions: int64-lane or TEXT columns; measures: BIGINT or DECIMAL columns. Throws 0A000 for others, 54000 past a limit.
  Summary(std::string name, std::shared_ptr<Table> table, std::vector<uint32_t> dimensions, std::vector<uint32_t> measures,
          uint64_t max_cells, MemoryBudget* budget);
  ~Summary() override;

  // Writer's turn held: fills the plane from the rows at H0 (the committed cells), then replays the transaction's own changes as pending, and
  // sets valid_from. Call before it is added to the table's sinks. Throws 54000, 53200, 57014.
  // pool: null for the caller's thread alone; cells and their order do not depend on it (C17).
  void build(const Snapshot& writer, const CancelToken* cancel, Pool* pool = nullptr, uint32_t threads = 1);

  const std::string& name() const { return name_; }
  const std::shared_ptr<Table>& table() const { return table_; }
  const std::vector<uint32_t>& dimensions() const { return dimensions_; }
  const std::vector<uint32_t>& measures() const { return measures_; }

  uint64_t cell_count() const;      // ordinals in use: what a slice reads
  // About how many cells a question over these of its dimensions reads: those of a fold where one is possible, else all.
  // values_max: by dimension, how many values it has at most (of a part of a date); 0: as many as it has; empty: all of them 0.
  uint64_t cells_read(const std::vector<uint32_t>& dimensions, const std::vector<uint32_t>& values_max = {}) const;
  uint64_t live_cells() const;      // cells with rows in the latest committed state (for SHOW INDEXES)
  uint64_t bytes() const;
  bool dense() const;               // address form in use
  uint32_t delta_nodes() const;     // committed deltas kept
  // Why it cannot serve this snapshot, or nothing.
  std::optional<std::string> declines(const Snapshot& snapshot) const;
  // For a checkpoint: the number of the last change of its committed cells, if all of them are of commits up to this one; else nothing.
  std::optional<uint64_t> settled_version(uint64_t commit) const;
  // The committed cells of a new summary, as read() gave them (all dimensions and measures, in order); last, the commit that they belong to.
  // False: it cannot be. Throws 54000, 53200.
  bool load(const CellBatch& cells);
  void loaded(uint64_t commit) { set_valid_from(commit); }

  // Reads cells from ordinal `first` on, as of the snapshot, skipping empty ones, until the batch is full or the cells end. Returns the ordinal to go
  // on from; cell_count() or more means that was all. Each call is exact by itself whatever is published between calls (C4).
  uint64_t read(const Snapshot& snapshot, uint64_t first, const CellRequest& request, CellBatch* out) const;

  // The cells added up over request.dimensions (some of its own) or their parts, in the order of their first cell: kept at the plane's version, or added up now. Null where
  // too many could come out (kFoldCellsMax), or the writer kept publishing meanwhile: then read() serves.
  std::shared_ptr<const CellBatch> folded(const Snapshot& snapshot, const CellRequest& request) const;

  // Has it the key and locals of a limb among its dimensions, and its measures?
  bool covers(uint32_t key, const std::vector<uint32_t>& locals, const std::vector<uint32_t>& measures) const;
  // A limb's cells from the summary's, in two steps. add_to_limb adds the cells with ordinals [first, end) (multiples of kVectorRows) as of the snapshot,
  // without its own changes; add_own_to_limb adds those. Calls for different ordinals may run at once if places.apart, or into different fields.
  // False: a cell has no place there, and what was added means nothing.
  LimbPlaces limb_places(const LimbForm& form) const;
  bool add_to_limb(const Snapshot& snapshot, const LimbForm& form, const LimbPlaces& places, uint64_t first, uint64_t end, int64_t* fields) const;
  bool add_own_to_limb(const Snapshot& snapshot, const LimbForm& form, const LimbPlaces& places, int64_t* fields) const;

  // RowSink
  std::span<const uint32_t> columns() const override { return columns_; }
  void apply(const Datum* row, int sign) override;
  void apply_runs(const ColumnRun* columns, uint32_t column_count, uint32_t from, uint32_t count) override;
  void prepare() override;
  void publish(uint64_t commit) noexcept override;
  void discard() noexcept override;
  void reclaim(const SnapshotRegistry& registry) noexcept override;

 private:
  struct Impl;
  class BulkAdd;
  void add_views(const Snapshot& snapshot, const CancelToken* cancel);
  void set_valid_from(uint64_t commit);

  const std::string name_;
  const std::shared_ptr<Table> table_;
  const std::vector<uint32_t> dimensions_, measures_;
  std::vector<uint32_t> columns_;  // both, without repetition
  std::unique_ptr<Impl> impl_;
};

struct VerifyResult {
  uint64_t cells_checked = 0;
  uint64_t differences = 0;
};
// Compares every cell with a rebuild from the rows as of the snapshot (an independent row-by-row loop).
VerifyResult verify_summary(const Summary& summary, const Snapshot& snapshot, const CancelToken* cancel);

}  // namespace hdb
