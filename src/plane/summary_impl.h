// plane/summary_impl.h: the inside of a summary index, for its files: summary.cc (upkeep, reading), summary_bulk.cc (many rows at once) and summary_fold.cc
// (cells added up).
//
// Invariants: those of plane/summary.h. `version` moves under the exclusive latch with every change of committed cells, and when a cell gets other codes.
//             A cell that is pending is not vacant: whoever finds an ordinal makes its pending entry at once.
// Callers:    plane/summary*.cc only.
// Held by:    src/plane/plane_test.cc
#pragma once

#include "base/budget.h"
#include "plane/address.h"
#include "plane/delta.h"
#include "plane/dimension.h"
#include "plane/plane.h"
#include "plane/summary.h"

namespace hdb {

// The parts of a dimension's values: codes by the value's code (0: NULL), and what they stand for.
struct PartCodes {
  std::vector<uint32_t> of;
  std::vector<Datum> values;
};

// Where a cell's part of a fold is: the mixed-radix number of its codes gives the row.
struct FoldIndex {
  std::vector<size_t> dims, measures;   // places in the summary's
  std::vector<uint32_t> capacity;       // codes of each dimension
  std::vector<std::shared_ptr<const PartCodes>> parts;  // of each dimension; null: the values themselves
  std::vector<uint32_t> place;          // by number: row + 1, 0 for none
};

struct Summary::Impl {
  Impl(const Table& table, const std::vector<uint32_t>& dims, size_t measure_count, uint64_t cells_max, MemoryBudget* memory)
      : measures(measure_count), max_cells(cells_max), budget(memory), address(dims.size()) {
    for (const uint32_t d : dims) values.emplace_back(table.type(d));
    recent.ordinals.resize(kRecentMax);
    recent.weights.resize(kRecentMax);
    recent.measures.resize(kRecentMax * measures);
  }
  ~Impl() {
    if (budget != nullptr) budget->release(charged + folds_bytes);
  }

  const size_t measures;
  const uint64_t max_cells;
  MemoryBudget* const budget;
  uint64_t charged = 0, others_charged = 0;
  uint64_t valid_from = 0;

  mutable Latch latch;                            // guards what readers read: values, chunks, cells, deltas
  std::vector<DimensionValues> values;
  std::vector<std::unique_ptr<CellChunk>> chunks;
  uint32_t cells = 0;                             // ordinals in use
  std::vector<std::unique_ptr<PlaneDelta>> deltas;  // oldest first

  // Changes of the cells are numbered: `version` is how many there have been. The last few are kept (a ring), so that a fold catches up with them; one
  // that is older than `recent_from` cannot: much was published at once, or a cell came, went or got other codes.
  static constexpr uint32_t kRecentMax = 256;
  uint64_t version = 0, recent_from = 0;
  PlaneDelta recent;                              // change n at n % kRecentMax
  void forget_recent() { recent_from = ++version; }

  // What questions have kept: cells added up at a version. Its latch is taken after the other, if both.
  struct Fold {
    CellRequest request;
    uint64_t version = 0;
    uint64_t bytes = 0;
    std::shared_ptr<const CellBatch> cells;
    std::shared_ptr<const FoldIndex> index;
  };
  mutable Latch folds_latch;
  mutable std::vector<Fold> folds;
  mutable uint64_t folds_bytes = 0;

  // The writer's own.
  AddressMap address;
  PlaneDelta pending;
  std::vector<uint32_t> pending_slot;             // by ordinal: index into pending + 1, 0 for none
  std::vector<uint32_t> vacant;                   // ordinals without rows, deltas or pending changes, to be used again
  std::unique_ptr<PlaneDelta> prepared, spare;    // spare: a dropped delta whose arrays are used again
  std::vector<uint32_t> codes, fresh;             // scratch; ordinals created by this transaction

  size_t dimensions() const { return values.size(); }
  auto codes_of() const {
    return [this](uint32_t ordinal, size_t d) { return chunks[ordinal / kChunkCells]->codes[d].at(ordinal % kChunkCells); };
  }
  CellChunk& chunk(uint32_t ordinal) { return *chunks[ordinal / kChunkCells]; }
  void charge(uint64_t bytes) {
    if (budget != nullptr) budget->charge(bytes);
    charged += bytes;
  }

  uint32_t cell_of(const Datum* row, const std::vector<uint32_t>& dims);
  uint32_t create_cell(const Datum* row, const std::vector<uint32_t>& dims, const std::string& name);
  void collect_vacant();
  void widen_codes(CellChunk& c);
  void make_room(const PlaneDelta& delta, size_t i);
  size_t pending_entry(uint32_t ordinal);
  bool add_entry(const PlaneDelta& delta, size_t i);
  void add_entries(const PlaneDelta& delta, size_t from, size_t to);
  // Under the latch: does the snapshot see the committed cells as they are?
  bool shows(const Snapshot& snapshot) const {
    return (deltas.empty() || deltas.back()->commit <= snapshot.commit) && (snapshot.transaction == nullptr || pending.empty());
  }
  void read_chunk(const CellChunk& c, uint32_t count, const std::vector<size_t>& wanted, std::vector<uint32_t>* kept, CellBatch* out) const;
  void read_rewound(const CellChunk& c, const Snapshot& snapshot, uint32_t begin, uint32_t count, const std::vector<size_t>& wanted,
                    std::vector<uint32_t>* kept, CellBatch* out) const;
  void forget_pending() noexcept;
  void unprepare() noexcept;
  void forget_fresh() noexcept;
  // Combinations of values that a fold may have: many only if there are more cells still.
  uint64_t fold_limit() const { return std::min(kFoldCellsMax, std::max(kFoldCellsAlways, uint64_t{cells} / 2)); }
  uint64_t fold_room() const;
  std::shared_ptr<const CellBatch> caught_up(const Fold& old) const;
  void keep(const CellRequest& request, uint64_t at, const std::shared_ptr<const CellBatch>& fold, const std::shared_ptr<const FoldIndex>& index) const;
};

}  // namespace hdb
