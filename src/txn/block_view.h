// txn/block_view.h: a block as of a snapshot: pinned, and rewound on a private copy where it is newer.
//
// What:       the one way to read rows. Under the block's latch it pins the asked columns, the visibility, the zones and the chain's head
//             together; then, without the latch, it walks the chain and puts before-images into copies. Absent columns are brought in.
// Invariants: C1 the rows and values are those of the snapshot. C2 pinned buffers are never written. C3 the caller holds an epoch guard while it
//             constructs a view (afterwards the view stands alone). C6 current(): zones' sums and the extension's cells are of this snapshot.
// Errors:     of a column that is brought in: 58030, XX001, 53200.
// Callers:    plane/, exec/, log/, txn/. A view belongs to one thread; views of one block may be built at the same time.
// Held by:    src/txn/transaction_test.cc, mutants/ (column header read outside the latch)
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "store/table.h"
#include "txn/snapshot.h"

namespace hdb {

class BlockView {
 public:
  // columns: table ordinals; column(i) is the i-th of them. The view can be used again for another block by open().
  BlockView() = default;
  BlockView(const Table& table, uint64_t block, std::span<const uint32_t> columns, const Snapshot& snapshot) {
    open(table, block, columns, snapshot);
  }
  void open(const Table& table, uint64_t block, std::span<const uint32_t> columns, const Snapshot& snapshot);
  // Without bringing anything in. False: some column is absent; all the rest is as open() makes it, and the view is current().
  bool open_heads(const Table& table, uint64_t block, std::span<const uint32_t> columns, const Snapshot& snapshot);

  uint64_t block() const { return block_; }
  uint64_t first_row() const { return block_ * kBlockRows; }
  uint32_t rows() const { return rows_; }                         // slots to look at: [0, rows)
  const uint64_t* visible() const { return visible_->words; }     // bit set: the row exists in this snapshot
  uint32_t visible_count() const { return visible_count_; }
  bool all_visible() const { return visible_count_ == rows_; }
  const ColumnBuffer& column(size_t i) const { return *columns_[i]; }
  bool may_have_nulls(size_t i) const { return !columns_[i] || columns_[i]->nulls != nullptr; }  // also of an absent one
  // Null count and sum are exact only if current(); bounds always hold (Z1), a column without values has low > high.
  const Zone& zone(size_t i) const { return zones_[i]; }
  bool current() const { return current_; }
  // Commit of the block's last change; kUncommitted if that is not committed yet (its own transaction may see it all the same).
  uint64_t newest() const { return newest_; }
  uint64_t version() const { return version_; }                   // of the block when it was pinned
  // The block's kept cells, if current() and there are any; alive as long as the view. Read them under the block's latch (plane/ does).
  const std::shared_ptr<BlockExtension>& extension() const { return extension_; }

 private:
  bool pin(const Block& block, std::span<const uint32_t> columns, const Snapshot& snapshot, const UndoEntry** head);
  void rewind(std::span<const uint32_t> columns, const Snapshot& snapshot, const UndoEntry* head);

  uint64_t block_ = 0;
  uint64_t version_ = 0;
  uint64_t newest_ = 0;
  uint32_t rows_ = 0, visible_count_ = 0;
  bool current_ = false;
  VisibleRef visible_;
  std::vector<BufferRef> columns_;
  std::vector<Zone> zones_;
  std::shared_ptr<BlockExtension> extension_;
};

// Installs recomputed bounds of an int64-lane or DOUBLE column (found in the latest state at `version`): only while no undo entry is left (Z1) and the
// version has not moved (C6). False: not installed.
bool tighten_zone(const Table& table, uint64_t block, uint32_t column, uint64_t version, const Zone& bounds);

// C6 for a block whose latch is held: does the latest state equal what the snapshot sees?
bool is_current(const Block& block, const Snapshot& snapshot);

// One row as of a snapshot: false if it does not exist there. out[i] is the value of columns[i]. The caller holds an epoch guard; texts stay
// valid while the table lives.
bool read_row(const Table& table, uint64_t row_id, std::span<const uint32_t> columns, const Snapshot& snapshot, Datum* out);

}  // namespace hdb
