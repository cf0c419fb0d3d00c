// exec/test_run.h: runs nodes of exec/ over rows made by hand, on one thread or three, and shows what comes out.
//
// What:       a PieceSource cuts rows into small morsels and claims to be large, so that several workers take part.
// Callers:    *_test.cc only.
// Held by:    the tests that use it
#pragma once

#include <algorithm>
#include <random>

#include "base/pool.h"
#include "exec/build.h"
#include "exec/executor.h"
#include "exec/test_chunks.h"

namespace hdb::testing {

struct Bench {
  MemoryBudget budget;
  CancelToken cancel;
  Pool pool{3};
  ExecContext context;
  explicit Bench(uint32_t threads) {
    context.budget = &budget;
    context.cancel = &cancel;
    context.pool = threads > 1 ? &pool : nullptr;
    context.threads = threads;
  }
};

class PieceSource final : public Source {
 public:
  PieceSource(std::shared_ptr<const Rows> rows, uint32_t piece) : rows_(std::move(rows)), piece_(piece) {}
  uint32_t morsels() const override { return (rows_->size() + piece_ - 1) / piece_; }
  uint64_t rows_hint() const override { return 1u << 20; }
  void run(uint32_t morsel, Worker& worker, Operator& out) override {
    const uint32_t first = morsel * piece_, end = std::min(first + piece_, rows_->size());
    for (uint32_t at = first; at < end && out.wants_more(); at += 50) {
      worker.scratch.reset();
      Chunk chunk;
      chunk.rows = std::min(50u, end - at);
      auto* numbers = worker.scratch.array<uint32_t>(chunk.rows);
      for (uint32_t i = 0; i < chunk.rows; ++i) numbers[i] = at + i;
      for (uint32_t c = 0; c < rows_->column_count(); ++c) chunk.columns.push_back(rows_->gather(c, numbers, chunk.rows, worker.scratch));
      out.push(chunk);
    }
  }

 private:
  std::shared_ptr<const Rows> rows_;
  uint32_t piece_;
};

inline Pipeline pieces(std::shared_ptr<const Rows> rows, const ColumnMap& map, uint32_t piece = 130) {
  Pipeline p;
  p.source = std::make_unique<PieceSource>(std::move(rows), piece);
  p.map = map;
  return p;
}

// Each row as "a|b|NULL".
inline std::vector<std::string> lines(const Rows& rows) {
  std::vector<std::string> out(rows.size());
  for (uint32_t c = 0; c < rows.column_count(); ++c) {
    const std::vector<std::string> column = shown(rows.whole(c), rows.size());
    for (uint32_t r = 0; r < rows.size(); ++r) out[r] += (c > 0 ? "|" : "") + column[r];
  }
  return out;
}

inline std::vector<std::string> drain(Executor& executor, Pipeline p) {
  std::vector<ColumnId> ids;
  for (uint32_t c = 0; c < p.map.size(); ++c) ids.push_back(p.map.id(c));
  const auto rows = executor.collect(std::move(p), ids, Rows::Texts::kOwn, nullptr);
  return lines(*rows);
}

inline std::shared_ptr<Rows> rows_of(const TestChunk& t) {
  auto rows = std::make_shared<Rows>(t.map.types(), nullptr);
  rows->append(t.chunk);
  return rows;
}

}  // namespace hdb::testing
