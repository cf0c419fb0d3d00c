#include "exec/build.h"

#include <algorithm>
#include <chrono>

#include "base/check.h"
#include "base/pool.h"
#include "exec/aggregate.h"
#include "exec/cells_source.h"
#include "exec/direct.h"
#include "exec/executor.h"
#include "exec/join.h"
#include "exec/join_lookup.h"
#include "exec/limb_aggregate.h"
#include "exec/modify.h"
#include "exec/point.h"
#include "exec/scan.h"
#include "exec/sort.h"
#include "exec/sources.h"

namespace hdb {

namespace {

constexpr uint64_t kParallelRowsMin = 3 * uint64_t{kBlockRows};  // below that a plan takes less than some 100 us (U4)

uint64_t now_ns() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count());
}

// Counts what passes, and the time that everything behind it takes.
class TapStage final : public Stage {
 public:
  explicit TapStage(const Node* n) : node(n) {}
  std::unique_ptr<Operator> instance(Worker&, Operator* next) override {
    class Tap final : public Operator {
     public:
      Tap(TapStage& s, Operator* n) : Operator(n), stage_(s) {}
      void push(Chunk& chunk) override {
        stage_.rows.fetch_add(chunk.rows, std::memory_order_relaxed);
        const uint64_t begin = now_ns();
        next_->push(chunk);
        stage_.behind_ns.fetch_add(now_ns() - begin, std::memory_order_relaxed);
      }

     private:
      TapStage& stage_;
    };
    return std::make_unique<Tap>(*this, next);
  }
  const Node* node;
  std::atomic<uint64_t> rows{0}, behind_ns{0};
};

std::vector<ExprPtr> exprs_of(const std::vector<NamedExpr>& named) {
  std::vector<ExprPtr> out;
  for (const NamedExpr& n : named) out.push_back(n.expr);
  return out;
}

ColumnMap map_of(const std::vector<OutputColumn>& output) {
  ColumnMap map;
  for (const OutputColumn& c : output) map.add(c.id, c.type);
  return map;
}

}  // namespace

// ---- Executor --------------------------------------------------------------------------------------------------------

Worker& Executor::worker(uint32_t i) {
  while (workers_.size() <= i) workers_.push_back(std::make_unique<Worker>(context_));
  return *workers_[i];
}

uint32_t Executor::workers_for(const Source& source, bool sequential) const {
  if (context_.pool == nullptr || sequential || source.rows_hint() < kParallelRowsMin) return 1;
  return context_.pool->workers_for(source.morsels(), context_.threads);
}

void Executor::note(const Node* node, uint64_t rows, uint64_t ns) {
  if (!context_.analyze || node == nullptr) return;
  figures_[node].rows += rows;
  figures_[node].ns += static_cast<int64_t>(ns);
}

void Executor::tap(Pipeline& pipeline, const Node& node) {
  if (context_.analyze) pipeline.stages.push_back(std::make_unique<TapStage>(&node));
}

void Executor::run(Pipeline& p, Sink& sink, const Node* sink_node) {
  const uint32_t workers = workers_for(*p.source, p.sequential);
  struct Chain {
    std::vector<std::unique_ptr<Operator>> operators;
    Operator* first = nullptr;
  };
  std::vector<Chain> chains(workers);
  std::vector<std::unique_ptr<Operator>> sinks;
  for (uint32_t w = 0; w < workers; ++w) {
    sinks.push_back(sink.instance(worker(w)));
    Operator* next = sinks.back().get();
    for (size_t s = p.stages.size(); s-- > 0;) {
      chains[w].operators.push_back(p.stages[s]->instance(worker(w), next));
      next = chains[w].operators.back().get();
    }
    chains[w].first = next;
  }
  std::atomic<uint64_t> spent{0};
  const auto one = [&](uint32_t w, uint32_t morsel) {
    const uint64_t begin = context_.analyze ? now_ns() : 0;
    chains[w].first->start(morsel);
    p.source->run(morsel, *workers_[w], *chains[w].first);
    if (context_.analyze) spent.fetch_add(now_ns() - begin, std::memory_order_relaxed);
  };
  const uint32_t morsels = p.source->morsels();
  if (workers == 1) {
    for (uint32_t m = 0; m < morsels && chains[0].first->wants_more(); ++m) one(0, m);
  } else {
    context_.pool->parallel_for(morsels, workers, one);
  }
  const uint64_t begin = context_.analyze ? now_ns() : 0;
  sink.finish(worker(0), sinks);
  if (!context_.analyze) return;
  // A node's own time: what its input passed on to it, less what it passed on itself.
  uint64_t before = spent.load();
  for (const auto& stage : p.stages) {
    const auto* t = dynamic_cast<const TapStage*>(stage.get());
    if (t == nullptr) continue;
    note(t->node, t->rows.load(), before - std::min(before, t->behind_ns.load()));
    before = t->behind_ns.load();
  }
  note(sink_node, 0, before + (now_ns() - begin));
}

std::shared_ptr<Rows> Executor::collect(Pipeline p, const std::vector<ColumnId>& columns, Rows::Texts texts, const Node* sink_node) {
  std::vector<Type> types;
  std::vector<uint32_t> places;
  for (const ColumnId id : columns) {
    places.push_back(p.map.index(id));
    types.push_back(p.map.type(places.back()));
  }
  bool same = places.size() == p.map.size();
  for (uint32_t i = 0; i < places.size(); ++i) same = same && places[i] == i;
  if (!same) p.stages.push_back(select_stage(std::move(places)));
  CollectSink sink(std::move(types), context_.budget, texts);
  run(p, sink, sink_node);
  return sink.take();
}

Pipeline Executor::pipeline(const Node& node) {
  switch (node.kind) {
    case NodeKind::kScan:
    case NodeKind::kValues:
    case NodeKind::kTableFunction: return scan(node);
    case NodeKind::kJoin: return join(node);
    case NodeKind::kAggregate: return aggregate(node);
    case NodeKind::kSort: return sort(node);
    case NodeKind::kLimit: return limit(node);
    case NodeKind::kFilter: {
      Pipeline p = pipeline(*node.inputs[0]);
      p.stages.push_back(filter_stage(node.conjuncts, p.map));
      tap(p, node);
      return p;
    }
    case NodeKind::kProject: {
      Pipeline p = pipeline(*node.inputs[0]);
      p.stages.push_back(project_stage(exprs_of(node.exprs), p.map));
      p.map = map_of(node.output);
      tap(p, node);
      return p;
    }
    default: CHECK(false); return {};
  }
}

Pipeline Executor::scan(const Node& node) {
  Pipeline p;
  if (node.kind == NodeKind::kValues) {
    p.source = values_source(node, context_, &p.map);
  } else if (node.kind == NodeKind::kTableFunction) {
    p.source = table_function_source(node, context_, &p.map);
  } else {
    switch (node.access.kind) {
      case AccessKind::kScan: p.source = scan_source(node, context_, &p.map); break;
      case AccessKind::kIndexLookup:
        p.source = lookup_source(node, context_);
        p.map = scan_output(node);
        break;
      default:
        p.source = cells_source(node, context_);
        p.map = scan_output(node);
        break;
    }
  }
  tap(p, node);
  return p;
}

// The right side of a join: its rows, complete before a left row comes by, then its keys.
std::shared_ptr<Rows> Executor::build_rows(const Node& node, ColumnMap* map) {
  Pipeline p = pipeline(*node.inputs[1]);
  *map = p.map;
  std::vector<ExprPtr> exprs;
  std::vector<Type> types = map->types();
  for (uint32_t c = 0; c < map->size(); ++c) {
    auto e = std::make_shared<Expr>();
    e->kind = ExprKind::kColumn;
    e->type = map->type(c);
    e->column = map->id(c);
    exprs.push_back(std::move(e));
  }
  for (const ExprPtr& key : node.right_keys) {
    exprs.push_back(key);
    types.push_back(key->type);
  }
  p.stages.push_back(project_stage(std::move(exprs), p.map));
  CollectSink sink(std::move(types), context_.budget, Rows::Texts::kKeepCodes);
  run(p, sink, &node);
  return sink.take();
}

Pipeline Executor::join(const Node& node) {
  Pipeline p = pipeline(*node.inputs[0]);
  std::shared_ptr<Rows> rows;
  ColumnMap right;
  std::vector<uint32_t> order;
  const IndexDef* index = p.source->rows_hint() <= kLookupRowsMax ? lookup_index(node, &order) : nullptr;
  if (index != nullptr && node.inputs[1]->table->table->block_count() > 1) {
    const ColumnMap map = p.map;
    std::vector<ColumnId> ids;
    for (uint32_t c = 0; c < map.size(); ++c) ids.push_back(map.id(c));
    std::shared_ptr<Rows> left = collect(std::move(p), ids, Rows::Texts::kKeepCodes, &node);
    // A join below may have multiplied the few rows; then the table is read after all.
    if (left->size() <= kLookupRowsMax * 16) {
      rows = lookup_rows(node, *index, order, *left, map, worker(0), &right);
      note(node.inputs[1].get(), rows->size(), 0);
    } else {
      rows = build_rows(node, &right);
    }
    p = Pipeline();
    p.source = rows_source(std::move(left));
    p.map = map;
  } else {
    rows = build_rows(node, &right);
  }
  const uint64_t begin = context_.analyze ? now_ns() : 0;
  const auto table = build_join(std::move(rows), static_cast<uint32_t>(node.right_keys.size()), worker(0));
  note(&node, 0, context_.analyze ? now_ns() - begin : 0);
  JoinShape shape;
  shape.kind = node.join;
  shape.left_keys = node.left_keys;
  shape.residual = node.conjuncts;
  shape.left = p.map;
  shape.both = p.map;
  for (uint32_t c = 0; c < right.size(); ++c) shape.both.add(right.id(c), right.type(c));
  for (const OutputColumn& c : node.output) shape.out.push_back(shape.both.index(c.id));
  p.stages.push_back(probe_stage(std::move(shape), table));
  p.map = map_of(node.output);
  tap(p, node);
  return p;
}

Pipeline Executor::aggregate(const Node& node) {
  Pipeline out;
  out.source = limb_aggregate(node, *this);
  if (out.source == nullptr) out.source = direct_aggregate(node, *this);
  if (out.source == nullptr) {
    Pipeline p = pipeline(*node.inputs[0]);
    AggregateSink sink(node, p.map, p.source->rows_hint(), context_.budget);
    run(p, sink, &node);
    out.source = sink.source();
  }
  out.map = map_of(node.output);
  tap(out, node);
  return out;
}

uint64_t Executor::count_of(const ExprPtr& e, uint64_t none, const char* what) {
  if (e == nullptr) return none;
  const Value v = evaluate_constant(*e, context_.parameters);
  if (v.null) return none;
  if (v.number < 0) fail(sqlstate::kInvalidParameter, std::string(what) + " must not be negative", e->position);
  return static_cast<uint64_t>(v.number);
}

// The column of the pipeline's source that a sort key is, through nodes that only pass rows on; kNoColumn if it is none.
static ColumnId source_column(const Node* n, const Expr& key) {
  ColumnId id = key.kind == ExprKind::kColumn ? key.column : kNoColumn;
  while (id != kNoColumn && n->kind != NodeKind::kScan) {
    if (n->kind == NodeKind::kProject) {
      const auto made = std::find_if(n->exprs.begin(), n->exprs.end(), [&](const NamedExpr& e) { return e.output.id == id; });
      id = made != n->exprs.end() && made->expr->kind == ExprKind::kColumn ? made->expr->column : kNoColumn;
    } else if (n->kind != NodeKind::kFilter && n->kind != NodeKind::kJoin) {
      return kNoColumn;
    }
    n = n->inputs[0].get();
  }
  return id;
}

// Which aggregate's rows the sort takes the first of, if only projections lie between them.
void Executor::note_top(const Node& sort, uint64_t rows) {
  const Expr* key = sort.keys.empty() ? nullptr : sort.keys[0].expr.get();
  const Node* below = sort.inputs[0].get();
  while (key != nullptr && key->kind == ExprKind::kColumn && below->kind == NodeKind::kProject) {
    const auto made = std::find_if(below->exprs.begin(), below->exprs.end(), [&](const NamedExpr& e) { return e.output.id == key->column; });
    if (made == below->exprs.end()) return;
    key = made->expr.get();
    below = below->inputs[0].get();
  }
  if (key == nullptr || key->kind != ExprKind::kColumn || below->kind != NodeKind::kAggregate) return;
  top_ = {below, key->column, sort.keys[0].descending, rows};
}

Pipeline Executor::sort(const Node& node) {
  const uint64_t limit = count_of(node.limit, UINT64_MAX, "LIMIT"), offset = count_of(node.offset, 0, "OFFSET");
  if (node.limit != nullptr && limit <= kBlockRows && offset <= kBlockRows) note_top(node, limit + offset);
  Pipeline p = pipeline(*node.inputs[0]);
  SortSink sink(node.keys, p.map, limit, offset, context_.budget);
  const ColumnId first = source_column(node.inputs[0].get(), *node.keys[0].expr);
  if (first != kNoColumn && !p.sequential && sink.kept() < UINT32_MAX) p.source->guide(first, node.keys[0], sink.bound());
  run(p, sink, &node);
  Pipeline out;
  out.source = sink.source();
  out.map = p.map;
  tap(out, node);
  return out;
}

Pipeline Executor::limit(const Node& node) {
  Pipeline p = pipeline(*node.inputs[0]);
  const uint64_t limit = count_of(node.limit, UINT64_MAX, "LIMIT"), offset = count_of(node.offset, 0, "OFFSET");
  p.stages.push_back(limit_stage(limit, offset));
  p.sequential = true;
  tap(p, node);
  return p;
}

std::vector<NodeStats> Executor::stats(const Node& root) const {
  std::vector<NodeStats> out;
  std::vector<const Node*> open{&root};
  while (!open.empty()) {
    const Node* n = open.back();
    open.pop_back();
    const auto found = figures_.find(n);
    if (found != figures_.end()) out.push_back({n, found->second.rows, static_cast<uint64_t>(std::max<int64_t>(0, found->second.ns))});
    else out.push_back({n, 0, 0});
    for (size_t i = n->inputs.size(); i-- > 0;) open.push_back(n->inputs[i].get());
  }
  return out;
}

// ---- Entry -----------------------------------------------------------------------------------------------------------

ExecResult execute(const Plan& plan, ExecContext& context) {
  CHECK(context.budget != nullptr && context.cancel != nullptr);
  context.cancel->check();
  ExecResult result;
  if (!context.analyze && point_statement(plan, context, &result)) return result;
  Executor executor(context);
  const Node& root = *plan.root;
  std::vector<ColumnId> ids;
  if (root.kind == NodeKind::kInsert || root.kind == NodeKind::kUpdate || root.kind == NodeKind::kDelete) {
    for (const OutputColumn& c : root.inputs[0]->output) ids.push_back(c.id);
    const auto rows = executor.collect(executor.pipeline(*root.inputs[0]), ids, Rows::Texts::kKeepCodes, &root);
    const uint64_t begin = context.analyze ? now_ns() : 0;
    result.changed = modify_rows(root, *rows, context);
    if (context.analyze) executor.note(&root, result.changed, now_ns() - begin);
  } else {
    for (const OutputColumn& c : plan.result) ids.push_back(c.id);
    auto rows = executor.collect(executor.pipeline(root), ids, Rows::Texts::kOwn, nullptr);
    result.rows = MaterializedResult(std::move(rows));
  }
  if (context.analyze) result.stats = executor.stats(root);
  return result;
}

}  // namespace hdb
