// exec/pipeline.h: push pipelines: a source sends chunks through operators into a sink.
//
// Terms:      morsel: a numbered part of a source (some blocks, a run of rows), done by one worker from start to end. Stage: an operator as
//             the plan has it; Operator: its instance for one worker.
// What:       run() shares the morsels out to workers. Each worker has its own chain of operators, scratch memory and evaluator.
// Invariants: C17 what a sink keeps is tagged with (morsel, row within the morsel), so the result is the same bytes on any number of threads.
//             U1 a chunk is valid only during push(); whoever keeps rows copies them. U2 cancel and budget are honoured at every chunk.
//             U3 a sequential pipeline runs its morsels in order on the caller and stops when the sink wants no more.
// Callers:    exec/.
// Held by:    src/exec/build_test.cc, properties/ (same bytes on 1 and N threads)
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "exec/column_map.h"
#include "exec/context.h"
#include "exec/evaluate.h"

namespace hdb {

struct Worker {
  explicit Worker(ExecContext& c) : context(c), scratch(c.budget), evaluator(c.parameters, scratch, c.budget) {}
  ExecContext& context;
  Scratch scratch;
  Evaluator evaluator;
};

class Operator {
 public:
  virtual ~Operator() = default;
  virtual void start(uint32_t morsel) { if (next_ != nullptr) next_->start(morsel); }
  virtual void push(Chunk& chunk) = 0;
  virtual bool wants_more() const { return next_ == nullptr || next_->wants_more(); }

 protected:
  explicit Operator(Operator* next) : next_(next) {}
  Operator* next_;
};

class Stage {
 public:
  virtual ~Stage() = default;
  virtual std::unique_ptr<Operator> instance(Worker& worker, Operator* next) = 0;
};

// What a row must have to be among the first ones of a sort: a prefix of its first key (SortSink::prefixes) of at most this. It only falls, and any
// worker's own bound holds for all: so many rows are known to come before whatever lies above it.
class SortBound {
 public:
  uint64_t get() const { return prefix_.load(std::memory_order_relaxed); }
  void lower(uint64_t to) {
    for (uint64_t now = get(); to < now && !prefix_.compare_exchange_weak(now, to, std::memory_order_relaxed);) {}
  }

 private:
  std::atomic<uint64_t> prefix_{UINT64_MAX};
};

class Source {
 public:
  virtual ~Source() = default;
  virtual uint32_t morsels() const = 0;
  virtual uint64_t rows_hint() const = 0;  // about how many rows come out at most
  // Sends the morsel's chunks to `out`, resetting the worker's scratch memory before each.
  virtual void run(uint32_t morsel, Worker& worker, Operator& out) = 0;
  // The rows go to a sort whose first key is this column: rows above the bound may be left out, and morsels come in any order (the source then calls
  // out.start() with the number that gives their place). False: the source cannot make use of it.
  virtual bool guide(ColumnId, const SortKey&, const SortBound&) { return false; }
};

// A sink's instances are made one a worker, in the order of worker numbers; finish() is called once, after all of them are done.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual std::unique_ptr<Operator> instance(Worker& worker) = 0;
  virtual void finish(Worker& worker, std::vector<std::unique_ptr<Operator>>& instances) = 0;
};

struct Pipeline {
  std::unique_ptr<Source> source;
  std::vector<std::unique_ptr<Stage>> stages;
  ColumnMap map;            // of what comes out of the last stage
  bool sequential = false;  // U3
};

// The rows that a breaker has materialised, in order.
std::unique_ptr<Source> rows_source(std::shared_ptr<const Rows> rows);
// The same, in the order of `order`.
std::unique_ptr<Source> ordered_source(std::shared_ptr<const Rows> rows, std::vector<uint32_t> order, std::vector<uint32_t> columns);

// Sends [0, count) in slices of kVectorRows; make(first, n, chunk) fills the columns.
template <class F>
void send_slices(uint64_t first, uint64_t end, Worker& worker, Operator& out, F make) {
  Chunk chunk;
  while (first < end && out.wants_more()) {
    worker.context.cancel->check();
    worker.scratch.reset();
    chunk.rows = static_cast<uint32_t>(end - first < kVectorRows ? end - first : kVectorRows);
    const uint32_t n = chunk.rows;
    make(first, n, chunk);
    out.push(chunk);
    first += n;
  }
}

// Stages.
std::unique_ptr<Stage> filter_stage(std::vector<ExprPtr> conjuncts, ColumnMap map);
std::unique_ptr<Stage> project_stage(std::vector<ExprPtr> exprs, ColumnMap map);
std::unique_ptr<Stage> limit_stage(uint64_t limit, uint64_t offset);  // in a sequential pipeline only
// Puts out the columns with these places, in this order.
std::unique_ptr<Stage> select_stage(std::vector<uint32_t> columns);

// Collects rows in the order of C17.
class CollectSink final : public Sink {
 public:
  CollectSink(std::vector<Type> types, MemoryBudget* budget, Rows::Texts texts) : types_(std::move(types)), budget_(budget), texts_(texts) {}
  std::unique_ptr<Operator> instance(Worker& worker) override;
  void finish(Worker& worker, std::vector<std::unique_ptr<Operator>>& instances) override;
  std::shared_ptr<Rows> take() { return std::move(rows_); }

 private:
  std::vector<Type> types_;
  MemoryBudget* budget_;
  Rows::Texts texts_;
  std::shared_ptr<Rows> rows_;
};

}  // namespace hdb
