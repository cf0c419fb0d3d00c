#include "exec/build.h"

#include <chrono>
#include <deque>

#include "base/check.h"
#include "base/epoch.h"
#include "exec/aggregate.h"
#include "exec/cells_source.h"
#include "exec/join.h"
#include "exec/modify.h"
#include "exec/run.h"
#include "exec/scan.h"
#include "exec/sort.h"
#include "plane/summary.h"

namespace hdb {

namespace {

// Rows of expressions without columns: VALUES, and SELECT without FROM.
class ValuesSource final : public Source {
 public:
  explicit ValuesSource(const Node& node) : node_(node) {}
  uint32_t morsels() const override { return static_cast<uint32_t>((node_.rows.size() + kVectorRows - 1) / kVectorRows); }
  uint64_t rows_hint() const override { return node_.rows.size(); }
  void run(uint32_t morsel, Worker& worker, Operator& out) override {
    worker.scratch.reset();
    const size_t first = size_t{morsel} * kVectorRows;
    Chunk chunk;
    chunk.rows = static_cast<uint32_t>(std::min<size_t>(kVectorRows, node_.rows.size() - first));
    Rows rows(types(), worker.context.budget);
    // Row by row, so that the first row with an error is the one that is told.
    const ColumnMap none;
    Chunk one;
    one.rows = 1;
    std::vector<Vector> values(node_.output.size());
    for (uint32_t r = 0; r < chunk.rows; ++r) {
      for (size_t c = 0; c < values.size(); ++c) values[c] = worker.evaluator.evaluate(*node_.rows[first + r][c], none, one);
      rows.append(values.data(), 1, nullptr);
    }
    for (uint32_t c = 0; c < rows.column_count(); ++c) chunk.columns.push_back(rows.whole(c));
    out.push(chunk);
  }

 private:
  std::vector<Type> types() const {
    std::vector<Type> types;
    for (const OutputColumn& c : node_.output) types.push_back(c.type);
    return types;
  }
  const Node& node_;
};

// summary_verify: one row.
class VerifySource final : public Source {
 public:
  explicit VerifySource(const Node& node) : node_(node) {}
  uint32_t morsels() const override { return 1; }
  uint64_t rows_hint() const override { return 1; }
  void run(uint32_t, Worker& worker, Operator& out) override {
    const EpochManager::Guard guard(*worker.context.epochs);
    const VerifyResult r = verify_summary(*node_.access.index->summary, worker.context.snapshot, worker.context.cancel);
    const auto checked = static_cast<int64_t>(r.cells_checked), differences = static_cast<int64_t>(r.differences);
    Chunk chunk;
    chunk.rows = 1;
    chunk.columns = {make_vector<int64_t>(Type::bigint(), &checked, nullptr), make_vector<int64_t>(Type::bigint(), &differences, nullptr)};
    out.push(chunk);
  }

 private:
  const Node& node_;
};

ColumnMap map_of(const std::vector<OutputColumn>& columns) {
  ColumnMap map;
  for (const OutputColumn& c : columns) map.add(c.id, c.type);
  return map;
}

class Builder {
 public:
  explicit Builder(ExecContext& context) : context_(context) {}

  std::shared_ptr<Rows> collect(const NodePtr& node, Rows::Texts texts) {
    Pipe pipe = build(node);
    CollectSink sink(pipe.line.map.types(), context_.budget, texts);
    run(pipe, sink);
    return sink.take();
  }
  std::vector<NodeStats> stats() const {
    std::vector<NodeStats> out;
    for (const Probe& p : probes_) out.push_back({p.node, p.rows.load(std::memory_order_relaxed), p.ns});
    return out;
  }
  uint64_t modify(const NodePtr& node) {
    Probe* probe = context_.analyze ? &probes_.emplace_back() : nullptr;
    const std::shared_ptr<Rows> rows = collect(node->inputs[0], Rows::Texts::kKeepCodes);
    const auto begin = std::chrono::steady_clock::now();
    const uint64_t changed = modify_rows(*node, *rows, context_);
    if (probe != nullptr) {
      probe->node = node.get();
      probe->rows = changed;
      probe->ns = static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin).count());
    }
    return changed;
  }

 private:
  struct Pipe {
    Pipeline line;
    std::vector<Probe*> probes;
  };

  void run(Pipe& pipe, Sink& sink) { run_pipeline(pipe.line, sink, context_, pipe.probes); }

  Pipe build(const NodePtr& node) {
    // The root comes first in the list, as EXPLAIN shows it.
    Probe* probe = context_.analyze ? &probes_.emplace_back() : nullptr;
    Pipe pipe = build_node(node);
    if (probe != nullptr) {
      probe->node = node.get();
      pipe.line.stages.push_back(probe_rows_stage(*probe));
      pipe.probes.push_back(probe);
    }
    return pipe;
  }

  Pipe build_node(const NodePtr& node) {
    switch (node->kind) {
      case NodeKind::kScan: return scan(node);
      case NodeKind::kValues: return from(std::make_unique<ValuesSource>(*node), map_of(node->output));
      case NodeKind::kTableFunction: return from(std::make_unique<VerifySource>(*node), map_of(node->output));
      case NodeKind::kFilter: {
        Pipe pipe = build(node->inputs[0]);
        pipe.line.stages.push_back(filter_stage(node->conjuncts, pipe.line.map));
        return pipe;
      }
      case NodeKind::kProject: return project(node);
      case NodeKind::kJoin: return join(node);
      case NodeKind::kAggregate: return aggregate(*node, build(node->inputs[0]));
      case NodeKind::kDistinct: return distinct(*node);
      case NodeKind::kSort: return sort(*node);
      case NodeKind::kLimit: {
        Pipe pipe = build(node->inputs[0]);
        pipe.line.sequential = true;
        pipe.line.stages.push_back(limit_stage(count_of(node->limit, UINT64_MAX), count_of(node->offset, 0)));
        return pipe;
      }
      default: CHECK(node->kind == NodeKind::kScan);  // modifications are roots
    }
    return {};
  }

  static Pipe from(std::unique_ptr<Source> source, ColumnMap map) {
    Pipe pipe;
    pipe.line.source = std::move(source);
    pipe.line.map = std::move(map);
    return pipe;
  }

  Pipe scan(const NodePtr& node) {
    switch (node->access.kind) {
      case AccessKind::kScan: {
        ColumnMap map;
        auto source = scan_source(*node, context_, &map);
        return from(std::move(source), std::move(map));
      }
      case AccessKind::kIndexLookup: return from(lookup_source(node, context_), scan_output(*node));
      default: return from(cells_source(node, context_), scan_output(*node));
    }
  }

  Pipe project(const NodePtr& node) {
    Pipe pipe = build(node->inputs[0]);
    std::vector<ExprPtr> exprs;
    for (const NamedExpr& e : node->exprs) exprs.push_back(e.expr);
    pipe.line.stages.push_back(project_stage(std::move(exprs), pipe.line.map));
    pipe.line.map = map_of(node->output);
    return pipe;
  }

  Pipe join(const NodePtr& node) {
    // The right side: its columns, then its keys.
    Pipe right = build(node->inputs[1]);
    const ColumnMap columns = right.line.map;
    std::vector<ExprPtr> exprs;
    std::vector<Type> types = columns.types();
    for (uint32_t i = 0; i < columns.size(); ++i) {
      auto e = std::make_shared<Expr>();
      e->kind = ExprKind::kColumn;
      e->column = columns.id(i);
      e->type = columns.type(i);
      exprs.push_back(std::move(e));
    }
    for (const ExprPtr& key : node->right_keys) {
      exprs.push_back(key);
      types.push_back(key->type);
    }
    right.line.stages.push_back(project_stage(std::move(exprs), columns));
    CollectSink sink(types, context_.budget, Rows::Texts::kKeepCodes);
    run(right, sink);
    Worker worker(context_);
    auto table = build_join(sink.take(), static_cast<uint32_t>(node->right_keys.size()), worker);

    Pipe left = build(node->inputs[0]);
    JoinShape shape;
    shape.kind = node->join;
    shape.left_keys = node->left_keys;
    shape.residual = node->conjuncts;
    shape.left = left.line.map;
    shape.both = left.line.map;
    for (uint32_t i = 0; i < columns.size(); ++i) shape.both.add(columns.id(i), columns.type(i));
    for (const OutputColumn& c : node->output) shape.out.push_back(shape.both.index(c.id));
    left.line.stages.push_back(probe_stage(std::move(shape), std::move(table)));
    left.line.map = map_of(node->output);
    return left;
  }

  Pipe aggregate(const Node& node, Pipe input) {
    auto sink = std::make_shared<AggregateSink>(node, input.line.map, input.line.source->rows_hint(), context_.budget);
    run(input, *sink);
    keep_.push_back(sink);
    return from(sink->source(), map_of(node.output));
  }

  // DISTINCT is a grouping by all columns.
  Pipe distinct(const Node& node) {
    Pipe input = build(node.inputs[0]);
    auto groups = std::make_shared<Node>();
    groups->kind = NodeKind::kAggregate;
    for (uint32_t i = 0; i < input.line.map.size(); ++i) {
      auto e = std::make_shared<Expr>();
      e->kind = ExprKind::kColumn;
      e->column = input.line.map.id(i);
      e->type = input.line.map.type(i);
      groups->exprs.push_back({e, {input.line.map.id(i), {}, input.line.map.type(i)}});
      groups->output.push_back(groups->exprs.back().output);
    }
    keep_.push_back(groups);
    return aggregate(*groups, std::move(input));
  }

  Pipe sort(const Node& node) {
    Pipe input = build(node.inputs[0]);
    const ColumnMap map = input.line.map;
    auto sink = std::make_shared<SortSink>(node.keys, map, count_of(node.limit, UINT64_MAX), count_of(node.offset, 0), context_.budget);
    run(input, *sink);
    keep_.push_back(sink);
    return from(sink->source(), map);
  }

  // LIMIT and OFFSET: NULL means none.
  uint64_t count_of(const ExprPtr& e, uint64_t otherwise) const {
    if (e == nullptr) return otherwise;
    const Value v = evaluate_constant(*e, context_.parameters);
    if (v.null) return otherwise;
    if (v.number < 0) fail(sqlstate::kInvalidParameter, "LIMIT and OFFSET must not be negative", e->position);
    return static_cast<uint64_t>(v.int64());
  }

  ExecContext& context_;
  std::deque<Probe> probes_;
  std::vector<std::shared_ptr<void>> keep_;
};

}  // namespace

ExecResult execute(const Plan& plan, ExecContext& context) {
  Builder builder(context);
  ExecResult result;
  if (plan.writes) result.changed = builder.modify(plan.root);
  else result.rows = MaterializedResult(builder.collect(plan.root, Rows::Texts::kOwn));
  if (context.analyze) result.stats = builder.stats();
  return result;
}

}  // namespace hdb
