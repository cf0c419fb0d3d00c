// exec/context.h: what a statement runs with, and what it gives back.
//
// What:       ExecContext is made by engine/ for one execution; ExecResult holds the rows, owned, or the number of changed rows.
// Invariants: E3 a result points into nothing of the database: it outlives its statement, its snapshot and its tables.
// Callers:    engine/, exec/. A context belongs to one execution; what it points to is thread-safe.
// Held by:    src/exec/build_test.cc
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/budget.h"
#include "exec/rows.h"
#include "plan/logical.h"
#include "txn/snapshot.h"

namespace hdb {

class EpochManager;
class Pool;
class Transaction;
class TransactionManager;

struct ExecContext {
  Snapshot snapshot;
  EpochManager* epochs = nullptr;             // of the database; guards are taken block by block
  TransactionManager* manager = nullptr;      // who gives the turn under which a limb is kept; null: nothing is kept
  Transaction* transaction = nullptr;         // for statements that write: it holds the turn
  std::span<const Value> parameters;
  MemoryBudget* budget = nullptr;
  const CancelToken* cancel = nullptr;
  Pool* pool = nullptr;                       // null: everything on the caller's thread
  uint32_t threads = 1;
  bool analyze = false;
};

struct NodeStats {
  const Node* node = nullptr;
  uint64_t rows = 0;  // put out
  uint64_t ns = 0;    // spent in the node itself, all threads together
};

// The rows of a SELECT, column by column, with typed access.
class MaterializedResult {
 public:
  MaterializedResult() = default;
  explicit MaterializedResult(std::shared_ptr<Rows> rows) : rows_(std::move(rows)) {
    for (uint32_t c = 0; rows_ != nullptr && c < rows_->column_count(); ++c) columns_.push_back(rows_->whole(c));
  }

  // One row in one piece of memory, without Rows around it (exec/point.h): the columns point into `memory`.
  MaterializedResult(std::unique_ptr<char[]> memory, std::vector<Vector> columns)
      : columns_(std::move(columns)), memory_(std::move(memory)) {}

  bool empty() const { return rows_ == nullptr && memory_ == nullptr && columns_.empty(); }
  uint32_t row_count() const { return rows_ != nullptr ? rows_->size() : memory_ != nullptr ? 1 : 0; }
  uint32_t column_count() const { return static_cast<uint32_t>(columns_.size()); }
  const Type& type(uint32_t column) const { return columns_[column].type; }
  bool is_null(uint32_t column, uint32_t row) const { return columns_[column].is_null(row); }
  // The column as a vector: i64, i128, f64 or text is set, by lane. Valid as long as the result.
  const Vector& column(uint32_t column) const { return columns_[column]; }
  int64_t int64(uint32_t column, uint32_t row) const { return columns_[column].i64[row]; }
  double real(uint32_t column, uint32_t row) const { return columns_[column].f64[row]; }
  std::string_view text(uint32_t column, uint32_t row) const { return columns_[column].text[row]; }
  Value value(uint32_t column, uint32_t row) const { return value_at(columns_[column], row); }

 private:
  std::shared_ptr<Rows> rows_;
  std::vector<Vector> columns_;
  std::unique_ptr<char[]> memory_;
};

struct ExecResult {
  MaterializedResult rows;
  uint64_t changed = 0;
  std::vector<NodeStats> stats;  // analyze: in the order of the plan's tree, from the root down
  void clear() {
    changed = 0;
    if (rows.empty() && stats.empty()) return;
    rows = MaterializedResult();
    stats.clear();
  }
};

}  // namespace hdb
