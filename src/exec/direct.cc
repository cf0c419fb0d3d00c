#include "exec/direct.h"

#include <algorithm>
#include <atomic>

#include "base/check.h"
#include "exec/aggregate.h"
#include "exec/direct_block.h"
#include "exec/scan.h"

namespace hdb {

namespace {

constexpr uint32_t kKeysMax = 3;
constexpr ColumnId kFirstHidden = 0x80000000u;

struct Measure {
  uint32_t column;     // place in ScanPlan::columns()
  ColumnId sum, count;
};

// What the direct form needs to know of an aggregate node; and its aggregates in merge form.
struct Shape {
  std::vector<uint32_t> keys;                // places in ScanPlan::columns()
  std::vector<Measure> measures;
  ColumnId weight = kFirstHidden;
  Node merged;

  const Measure& measure(uint32_t column) {
    for (const Measure& m : measures) {
      if (m.column == column) return m;
    }
    const ColumnId id = kFirstHidden + 1 + static_cast<ColumnId>(measures.size()) * 2;
    measures.push_back({column, id, id + 1});
    return measures.back();
  }
};

ExprPtr column_expr(ColumnId id, const Type& type) {
  auto e = std::make_shared<Expr>();
  e->kind = ExprKind::kColumn;
  e->type = type;
  e->column = id;
  return e;
}

bool plain_column(const Expr& e, const ColumnMap& columns, uint32_t limit, uint32_t* place) {
  if (e.kind != ExprKind::kColumn) return false;
  *place = columns.find(e.column);
  return *place < limit;
}

bool add_aggregate(const Aggregate& a, const ScanPlan& plan, Shape* shape) {
  Aggregate merged = a;
  if (a.distinct) return false;
  if (a.kind == AggregateKind::kCountStar) {
    merged.kind = AggregateKind::kMergeCount;
    merged.argument = column_expr(shape->weight, Type::bigint());
    shape->merged.aggregates.push_back(std::move(merged));
    return true;
  }
  uint32_t place = 0;
  if (a.argument == nullptr || !plain_column(*a.argument, plan.columns(), static_cast<uint32_t>(plan.ordinals().size()), &place)) return false;
  const Type type = plan.columns().type(place);
  if (!type.exact_number()) return false;
  const Measure m = shape->measure(place);
  const ExprPtr count = column_expr(m.count, Type::bigint());
  switch (a.kind) {
    case AggregateKind::kCount: merged.kind = AggregateKind::kMergeCount; merged.argument = count; break;
    case AggregateKind::kSum: merged.kind = AggregateKind::kMergeSum; break;
    case AggregateKind::kSumExact: merged.kind = AggregateKind::kMergeSumExact; break;
    case AggregateKind::kAvg: merged.kind = AggregateKind::kMergeAvg; break;
    default: return false;
  }
  if (a.kind != AggregateKind::kCount) {
    merged.argument = column_expr(m.sum, Type::decimal(38, type.scale));
    merged.value_count = count;
    merged.measure_type = type;
  }
  shape->merged.aggregates.push_back(std::move(merged));
  return true;
}

bool make_shape(const Node& node, const ScanPlan& plan, Shape* shape) {
  if (!plan.rest().empty() || node.exprs.size() > kKeysMax) return false;
  for (const NamedExpr& key : node.exprs) {
    uint32_t place = 0;
    if (!plain_column(*key.expr, plan.columns(), static_cast<uint32_t>(plan.ordinals().size()), &place)) return false;
    if (key.expr->type.lane() == Lane::kDouble) return false;
    if (key.expr->type.lane() == Lane::kText) {
      const Dictionary* d = plan.table().dictionary(plan.ordinals()[place]);
      if (d == nullptr || d->overflowed() || d->size() == 0 || d->size() >= kCellsMax) return false;
    }
    shape->keys.push_back(place);
  }
  for (const Aggregate& a : node.aggregates) {
    if (!add_aggregate(a, plan, shape)) return false;
  }
  shape->merged.kind = NodeKind::kAggregate;
  shape->merged.exprs = node.exprs;
  shape->merged.output = node.output;
  return true;
}

// ---- The source ------------------------------------------------------------------------------------------------------

class DirectSource final : public Source {
 public:
  DirectSource(const ScanPlan& plan, const Shape& shape) : plan_(plan), shape_(shape) {
    for (const uint32_t k : shape.keys) map.add(plan.columns().id(k), plan.columns().type(k));
    map.add(shape.weight, Type::bigint());
    for (const Measure& m : shape.measures) {
      map.add(m.sum, Type::decimal(38, plan.columns().type(m.column).scale));
      map.add(m.count, Type::bigint());
    }
  }
  uint32_t morsels() const override { return plan_.empty() ? 0 : static_cast<uint32_t>(plan_.blocks()); }
  uint64_t rows_hint() const override { return plan_.blocks() * kBlockRows; }

  void run(uint32_t morsel, Worker& worker, Operator& out) override {
    worker.context.cancel->check();
    worker.scratch.reset();
    BlockView view;
    if (!plan_.open(morsel, &view)) return;
    auto* bits = worker.scratch.array<uint64_t>(kBlockWords);
    const uint32_t count = plan_.select(view, worker, bits);
    if (count == 0) return;
    scanned.fetch_add(count, std::memory_order_relaxed);
    std::vector<BlockKey> keys;
    uint32_t cells = 0;
    if (shape_.keys.empty()) return send_one(view, bits, count, worker.scratch, out);
    if (!block_keys(plan_, shape_.keys, view, &keys, &cells)) return send_rows(view, bits, count, worker, out);
    send_cells(view, bits, count, keys, cells, worker.scratch, out);
  }

  ColumnMap map;
  std::atomic<uint64_t> scanned{0};  // rows of the scan, for EXPLAIN ANALYZE

 private:
  struct Cells {
    int64_t* weight;
    std::vector<int128*> sum;
    std::vector<int64_t*> count;
  };
  Cells make_cells(uint32_t cells, Scratch& scratch) const {
    Cells c;
    c.weight = scratch.zeroed<int64_t>(cells);
    for (size_t m = 0; m < shape_.measures.size(); ++m) {
      c.sum.push_back(scratch.zeroed<int128>(cells));
      c.count.push_back(scratch.zeroed<int64_t>(cells));
    }
    return c;
  }
  void send(const Cells& cells, uint32_t rows, std::vector<Vector> keys, Operator& out) const {
    Chunk chunk;
    chunk.columns = std::move(keys);
    chunk.rows = rows;
    chunk.columns.push_back(make_vector(Type::bigint(), static_cast<const int64_t*>(cells.weight), nullptr));
    for (size_t m = 0; m < shape_.measures.size(); ++m) {
      const Type type = Type::decimal(38, plan_.columns().type(shape_.measures[m].column).scale);
      chunk.columns.push_back(make_vector(type, static_cast<const int128*>(cells.sum[m]), nullptr));
      chunk.columns.push_back(make_vector(Type::bigint(), static_cast<const int64_t*>(cells.count[m]), nullptr));
    }
    out.push(chunk);
  }

  // No keys: sums under the bitmap.
  void send_one(const BlockView& view, const uint64_t* bits, uint32_t count, Scratch& scratch, Operator& out) const {
    const Cells cells = make_cells(1, scratch);
    cells.weight[0] = count;
    const uint32_t words = bitmap_words(view.rows());
    for (size_t m = 0; m < shape_.measures.size(); ++m) {
      const ColumnBuffer& c = view.column(shape_.measures[m].column);
      const uint64_t* selected = count == view.rows() ? nullptr : bits;
      uint32_t values = count;
      if (c.nulls != nullptr) {
        auto* some = scratch.array<uint64_t>(words);
        for (uint32_t w = 0; w < words; ++w) some[w] = bits[w] & ~c.nulls[w];
        values = bitmap_count(some, words);
        selected = some;
      }
      const OffsetSum s = sum_offsets(c, selected, view.rows());
      cells.sum[m][0] = (static_cast<int128>(s.high) << 32) + static_cast<int128>(s.low) + static_cast<int128>(c.width == 8 ? 0 : c.base) * values;
      cells.count[m][0] = values;
    }
    send(cells, 1, {}, out);
  }

  void send_cells(const BlockView& view, const uint64_t* bits, uint32_t count, const std::vector<BlockKey>& keys, uint32_t cells, Scratch& scratch,
                  Operator& out) const {
    auto* at = scratch.array<uint16_t>(view.rows());
    address_rows(shape_.keys, view, keys, at);
    const bool masks = cells <= kMaskCellsMax, whole = count == view.rows();
    uint32_t* slots = nullptr;
    if (!whole && !masks) {
      slots = scratch.array<uint32_t>(count);
      list_bits(bits, view.rows(), slots);
    }
    const Cells all = make_cells(cells, scratch);
    bool weighed = false;
    for (size_t m = 0; m < shape_.measures.size(); ++m) {
      const ColumnBuffer& c = view.column(shape_.measures[m].column);
      if (masks) sum_by_masks(c, at, bits, view.rows(), cells, all.sum[m], all.count[m]);
      else sum_cells(c, at, slots, count, cells, scratch, all.sum[m], all.count[m]);
      if (c.nulls == nullptr && !weighed) {
        std::copy(all.count[m], all.count[m] + cells, all.weight);
        weighed = true;
      }
    }
    if (!weighed && masks) count_by_masks(at, bits, view.rows(), cells, all.weight);
    else if (!weighed) count_cells(at, slots, count, cells, scratch, all.weight);
    send_found(at, bits, view.rows(), keys, cells, all, scratch, out);
  }

  // The non-empty cells, in the order of their first row (C17).
  void send_found(const uint16_t* at, const uint64_t* bits, uint32_t rows, const std::vector<BlockKey>& keys, uint32_t cells, const Cells& all, Scratch& scratch,
                  Operator& out) const {
    uint32_t some = 0;
    for (uint32_t i = 0; i < cells; ++i) some += static_cast<uint32_t>(all.weight[i] != 0);
    auto* order = scratch.array<uint32_t>(some);
    auto* seen = scratch.zeroed<uint8_t>(cells);
    uint32_t found = 0;
    for (uint32_t w = 0; w < bitmap_words(rows) && found < some; ++w) {
      for (uint64_t rest = bits[w]; rest != 0; rest &= rest - 1) {
        const uint16_t cell = at[w * 64 + static_cast<uint32_t>(__builtin_ctzll(rest))];
        if (seen[cell] != 0) continue;
        seen[cell] = 1;
        order[found++] = cell;
      }
    }
    for (uint32_t first = 0; first < some; first += kVectorRows) {
      const uint32_t n = std::min(kVectorRows, some - first);
      const Cells part = make_cells(n, scratch);
      for (uint32_t i = 0; i < n; ++i) {
        const uint32_t cell = order[first + i];
        part.weight[i] = all.weight[cell];
        for (size_t m = 0; m < shape_.measures.size(); ++m) {
          part.sum[m][i] = all.sum[m][cell];
          part.count[m][i] = all.count[m][cell];
        }
      }
      send(part, n, key_vectors(order + first, n, keys, scratch), out);
    }
  }

  std::vector<Vector> key_vectors(const uint32_t* cells, uint32_t n, const std::vector<BlockKey>& keys, Scratch& scratch) const {
    std::vector<Vector> vectors(keys.size());
    for (size_t k = 0; k < keys.size(); ++k) {
      uint32_t stride = 1;
      for (size_t j = k + 1; j < keys.size(); ++j) stride *= keys[j].capacity;
      const Type& type = plan_.columns().type(shape_.keys[k]);
      NullMask nulls(nullptr, n, scratch);
      auto* ints = scratch.zeroed<int64_t>(n);
      auto* codes = scratch.zeroed<uint32_t>(n);
      for (uint32_t i = 0; i < n; ++i) {
        const uint32_t code = cells[i] / stride % keys[k].capacity;
        if (code == 0) {
          nulls.set(i);
        } else {
          ints[i] = keys[k].low + static_cast<int64_t>(code) - 1;
          codes[i] = code - 1;
        }
      }
      Vector& v = vectors[k];
      if (type.lane() == Lane::kText) {
        v.type = type;
        v.lane = Lane::kText;
        v.codes = codes;
        v.dictionary = plan_.table().dictionary(plan_.ordinals()[shape_.keys[k]]);
      } else {
        v = make_vector(type, static_cast<const int64_t*>(ints), nullptr);
      }
      v.nulls = nulls.words();
    }
    return vectors;
  }

  // A block whose keys have too many values: each row is a cell.
  void send_rows(const BlockView& view, const uint64_t* bits, uint32_t count, Worker& worker, Operator& out) const {
    auto* slots = worker.scratch.array<uint32_t>(count);
    list_bits(bits, view.rows(), slots);
    std::vector<bool> wanted(plan_.columns().size());
    for (const uint32_t k : shape_.keys) wanted[k] = true;
    for (const Measure& m : shape_.measures) wanted[m.column] = true;
    const Scratch::Mark mark = worker.scratch.mark();
    for (uint32_t first = 0; first < count; first += kVectorRows) {
      worker.scratch.rewind(mark);
      const uint32_t n = std::min(kVectorRows, count - first);
      Chunk rows;
      plan_.fill(view, 0, slots + first, n, wanted, worker.scratch, &rows);
      const Cells cells = make_cells(n, worker.scratch);
      for (uint32_t i = 0; i < n; ++i) cells.weight[i] = 1;
      for (size_t m = 0; m < shape_.measures.size(); ++m) {
        const Vector& v = rows.columns[shape_.measures[m].column];
        for (uint32_t i = 0; i < n; ++i) {
          cells.count[m][i] = v.is_null(i) ? 0 : 1;
          cells.sum[m][i] = v.is_null(i) ? 0 : v.i64[i];
        }
      }
      std::vector<Vector> keys;
      for (const uint32_t k : shape_.keys) keys.push_back(rows.columns[k]);
      send(cells, n, std::move(keys), out);
    }
  }

  const ScanPlan& plan_;
  const Shape& shape_;
};

// Would the first block with rows fit? Blocks of a table are much alike; one that is not costs time, not correctness.
bool worthwhile(const ScanPlan& plan, const Shape& shape) {
  if (shape.keys.empty()) return true;
  BlockView view;
  std::vector<BlockKey> keys;
  uint32_t cells = 0;
  for (uint64_t b = 0; b < plan.blocks(); ++b) {
    if (plan.open(b, &view)) return block_keys(plan, shape.keys, view, &keys, &cells);
  }
  return true;
}

}  // namespace

std::unique_ptr<Source> direct_aggregate(const Node& node, Executor& executor) {
  const Node* scan = node.inputs[0].get();
  if (scan->kind != NodeKind::kScan || scan->access.kind != AccessKind::kScan) return nullptr;
  ExecContext& context = executor.context();
  const ScanPlan plan(*scan, context);
  Shape shape;
  if (!make_shape(node, plan, &shape) || !worthwhile(plan, shape)) return nullptr;
  auto source = std::make_unique<DirectSource>(plan, shape);
  AggregateSink sink(shape.merged, source->map, 1u << 16, context.budget);
  Pipeline p;
  p.map = source->map;
  const DirectSource& rows = *source;
  p.source = std::move(source);
  executor.run(p, sink, &node);
  executor.note(scan, rows.scanned.load(), 0);
  return sink.source();
}

}  // namespace hdb
