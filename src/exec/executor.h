// exec/executor.h: the state of one execution: its workers, and how nodes become pipelines.
//
// Invariants: W1 workers live until the execution ends: rows and groups may point to texts that their evaluators made.
// Callers:    exec/build, exec/direct. One execution, one thread (helpers come in through Pool).
// Held by:    src/exec/build_test.cc
#pragma once

#include <atomic>
#include <map>

#include "exec/pipeline.h"

namespace hdb {

// A top-n that orders the rows of a node by one of its columns first.
struct Top {
  const Node* node = nullptr;
  ColumnId column = kNoColumn;
  bool descending = false;
  uint64_t rows = 0;
};

class Executor {
 public:
  explicit Executor(ExecContext& context) : context_(context) {}

  Pipeline pipeline(const Node& node);
  void run(Pipeline& pipeline, Sink& sink, const Node* sink_node);
  // The rows of a node, collected: columns with the given ids in that order.
  std::shared_ptr<Rows> collect(Pipeline pipeline, const std::vector<ColumnId>& columns, Rows::Texts texts, const Node* sink_node);
  Worker& worker(uint32_t i);
  ExecContext& context() { return context_; }
  std::vector<NodeStats> stats(const Node& root) const;
  // Adds to a node's figures (analyze).
  void note(const Node* node, uint64_t rows, uint64_t ns);
  uint32_t workers_for(const Source& source, bool sequential) const;
  // The top-n right above the node, if there is one.
  const Top* top_of(const Node* node) const { return top_.node == node ? &top_ : nullptr; }

 private:
  Pipeline scan(const Node& node);
  Pipeline join(const Node& node);
  std::shared_ptr<Rows> build_rows(const Node& join, ColumnMap* map);
  Pipeline aggregate(const Node& node);
  Pipeline sort(const Node& node);
  Pipeline limit(const Node& node);
  void tap(Pipeline& pipeline, const Node& node);  // counts what comes out of the node (analyze)
  uint64_t count_of(const ExprPtr& e, uint64_t none, const char* what);
  void note_top(const Node& sort, uint64_t rows);

  struct Figures {
    uint64_t rows = 0;
    int64_t ns = 0;
  };
  ExecContext& context_;
  Top top_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::map<const Node*, Figures> figures_;
};

}  // namespace hdb
