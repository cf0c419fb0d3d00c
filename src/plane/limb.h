// plane/limb.h: a limb kept from first use: a table's rows by one key column (and a few columns with few values), counted and summed.
//
// Terms:      key: a whole-number or dictionary-coded column, mostly a foreign key. Local: another column of the same table whose values are few.
//             Cell: (key slot, local code); its number is key slot * local_cells() + local code. Field: an int64 of a cell: field 0 counts rows, then
//             for each measure its sum and, if it may be NULL, its count of values.
// What:       dense cells, one group of fields after the other. A query that needed the cells has counted them at its snapshot; install() makes
//             them kept: from then on the limb follows the table as a RowSink, in pending changes and committed deltas like a summary.
// Invariants: C16 kept only if the table has not changed since the counting snapshot, under the writer's turn. LM1 what scan() gives equals a recount
//             at its snapshot: cells less the deltas committed since, slice by slice under the latch. LM2 every sum of any set of cells fits int64:
//             `bound` is above the sum of all absolute values ever added. LM3 a limb that cannot follow (a key outside of its range, a new
//             code, too many writes since it was last read) is dead: it frees its cells, and every reader that comes later declines.
// Cost:       a write: one append; a commit: a sort of what it changed. A reader: the cells, in order.
// Callers:    exec/limb_* (build, install, read), txn/ (RowSink). Readers at any time; the sink's calls hold the writer's turn.
// Held by:    src/plane/limb_test.cc, src/engine/kept_limb_test.cc, oracle/ and properties/ (summary_mode auto against off), mutants/
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "base/latch.h"
#include "store/table.h"
#include "txn/sinks.h"
#include "txn/snapshot.h"

namespace hdb {

class TransactionManager;

struct LimbKey {
  uint32_t column = 0;
  bool text = false;            // slots are dictionary codes
  int64_t low = 0;
  uint64_t capacity = 0;        // values; slot 0 is NULL's, the value v has slot 1 + v - low
};
struct LimbLocal {
  uint32_t column = 0;
  bool text = false, nullable = false;
  int64_t low = 0;
  uint32_t capacity = 1;        // codes, with NULL's (which is 0) if it may be NULL
};
struct LimbMeasure {
  uint32_t column = 0;
  bool nullable = false;
  uint32_t sum = 0, count = 0;  // fields; count is 0, the weight, for a column without NULLs
};

// What a limb is over; equal forms can share cells.
struct LimbForm {
  LimbKey key;
  std::vector<LimbLocal> locals;
  std::vector<LimbMeasure> measures;
  uint32_t stride = 1;          // fields of a cell

  uint32_t local_cells() const {
    uint32_t n = 1;
    for (const LimbLocal& l : locals) n *= l.capacity;
    return n;
  }
  uint64_t cells() const { return (key.capacity + 1) * local_cells(); }
  uint64_t fields() const { return cells() * stride; }
};

// Cells of one form: zeroed, charged to the budget. (Huge pages were tried: the kernel's compaction cost 68 ms for 34 MB.)
class LimbCells {
 public:
  LimbCells() = default;
  LimbCells(uint64_t fields, MemoryBudget* budget);  // 53200
  ~LimbCells() { free(); }
  LimbCells(LimbCells&& o) noexcept { swap(o); }
  LimbCells& operator=(LimbCells&& o) noexcept { swap(o); return *this; }
  int64_t* data() const { return data_; }
  uint64_t bytes() const { return fields_ * 8; }
  void free() noexcept;

 private:
  void swap(LimbCells& o) noexcept {
    std::swap(data_, o.data_);
    std::swap(fields_, o.fields_);
    std::swap(budget_, o.budget_);
  }
  int64_t* data_ = nullptr;
  uint64_t fields_ = 0;
  MemoryBudget* budget_ = nullptr;
};

class Limb final : public RowSink {
 public:
  // The cells of all rows at a snapshot; bound: at least the sum of the absolute values of each measure (LM2).
  Limb(LimbForm form, LimbCells cells, uint64_t bound, uint64_t rows);

  const LimbForm& form() const { return form_; }
  bool dead() const { return dead_.load(std::memory_order_acquire); }
  uint64_t bytes() const { return form_.fields() * 8; }
  // Rows in the cells' latest state are not counted again; how many cells have rows. Takes the latch.
  uint64_t live_cells() const;
  // False: it does not serve this snapshot: it is younger, or dead, or the transaction has changed rows since the statement began (C1).
  bool serves(const Snapshot& snapshot) const;
  // Calls slice(first key slot, slots, fields) for slices of whole key slots in order, then correct(cell, fields, -1) for each committed change in the
  // slice that the snapshot does not see. False: it died or grew out of the snapshot; what was seen means nothing.
  template <class Slice, class Correct>
  bool scan(const Snapshot& snapshot, uint64_t begin, uint64_t end, const Slice& slice, const Correct& correct) const;
  // The snapshot's own changes, which are pending: correct(cell, fields, +1). By the transaction's own thread.
  template <class Correct>
  void scan_own(const Snapshot& snapshot, const Correct& correct) const {
    if (snapshot.transaction == nullptr) return;
    for (size_t i = 0; i < pending_.cells.size(); ++i) correct(pending_.cells[i], &pending_.fields[i * form_.stride], +1);
  }
  void note_read() const { writes_.store(0, std::memory_order_relaxed); }

  // RowSink
  std::span<const uint32_t> columns() const override { return columns_; }
  void apply(const Datum* row, int sign) override;
  void prepare() override;
  void publish(uint64_t commit) noexcept override;
  void discard() noexcept override;
  void reclaim(const SnapshotRegistry& registry) noexcept override;

 private:
  friend bool install_limb(TransactionManager& manager, Table& table, const Snapshot& snapshot, std::shared_ptr<Limb> limb);
  struct Delta {
    uint64_t commit = 0;
    uint32_t attached = 0;           // entries [0, attached) are in the cells already (C4)
    std::vector<uint32_t> cells;     // ascending
    std::vector<int64_t> fields;     // stride of them each
  };
  uint64_t slice_slots() const;
  bool cell_of(const Datum* row, uint64_t* cell) const;
  void die() noexcept;
  void normalize(Delta* delta) const;

  const LimbForm form_;
  std::vector<uint32_t> columns_;
  const uint64_t writes_max_;
  std::atomic<bool> dead_{false};
  mutable std::atomic<uint64_t> writes_{0};   // rows changed since it was last read
  mutable Latch latch_;                       // cells, deltas, valid_from
  LimbCells cells_;
  uint64_t valid_from_ = 0;
  std::vector<std::unique_ptr<Delta>> deltas_;  // oldest first
  // The writer's own.
  uint64_t bound_;
  Delta pending_;                             // unsorted, a cell may occur again
  std::unique_ptr<Delta> prepared_;
};

// Keeps a limb whose cells were counted at `snapshot`, if the turn is free and the table is as it was there. A kept limb that the new one covers, or
// that is dead, goes. Never waits; false: it is not kept.
bool install_limb(TransactionManager& manager, Table& table, const Snapshot& snapshot, std::shared_ptr<Limb> limb);
// A kept limb that has these columns and serves the snapshot: the one with the fewest cells. Null: none.
std::shared_ptr<Limb> find_limb(const Table& table, uint32_t key, const std::vector<uint32_t>& locals, const std::vector<uint32_t>& measures,
                                const Snapshot& snapshot);
std::vector<std::shared_ptr<Limb>> kept_limbs(const Table& table);

// ---- implementation of scan

inline constexpr uint64_t kLimbSliceCells = 16'384;  // cells under one hold of the latch: some microseconds

inline uint64_t Limb::slice_slots() const {
  const uint64_t slots = kLimbSliceCells / form_.local_cells();
  return slots == 0 ? 1 : slots;
}

template <class Slice, class Correct>
bool Limb::scan(const Snapshot& snapshot, uint64_t begin, uint64_t end, const Slice& slice, const Correct& correct) const {
  const uint64_t each = slice_slots(), locals = form_.local_cells();
  for (uint64_t at = begin; at < end; at += each) {
    const uint64_t slots = end - at < each ? end - at : each;
    const SharedLatch hold(latch_);
    if (cells_.data() == nullptr || valid_from_ > snapshot.commit) return false;
    slice(at, slots, cells_.data() + at * locals * form_.stride);
    for (size_t n = deltas_.size(); n-- > 0 && deltas_[n]->commit > snapshot.commit;) {
      const Delta& d = *deltas_[n];
      const auto last = d.cells.begin() + d.attached;
      auto it = std::lower_bound(d.cells.begin(), last, static_cast<uint32_t>(at * locals));
      for (; it != last && *it < (at + slots) * locals; ++it) correct(*it, &d.fields[static_cast<size_t>(it - d.cells.begin()) * form_.stride], -1);
    }
  }
  return true;
}

}  // namespace hdb
