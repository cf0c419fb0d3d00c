#include "plan/limb_shape.h"

#include <algorithm>

#include "plan/make.h"
#include "plan/route_cells.h"
#include "plan/type_rules.h"
#include "plane/summary.h"
#include "store/table.h"

namespace hdb {
namespace {

constexpr uint32_t kNone = UINT32_MAX;
constexpr uint64_t kWideKey = 1024;  // a narrower key is a dimension of block cells

const ScanColumn* column_in(const Node& scan, ColumnId id) {
  for (const ScanColumn& c : scan.columns) {
    if (c.id == id) return &c;
  }
  return nullptr;
}

bool codable(const Type& type) { return type.lane() == Lane::kInt64 || type.lane() == Lane::kText; }

bool unique_column(const Node& scan, uint32_t ordinal) {
  for (const auto& i : scan.table->indexes) {
    if ((i->kind == IndexKind::kPrimary || i->kind == IndexKind::kUnique) && i->columns.size() == 1 && i->columns[0] == ordinal) return true;
  }
  return false;
}

// How many values lie between a column's bounds; 0 if it has none.
uint64_t width_of(const Table& table, uint32_t ordinal) {
  int64_t low = INT64_MAX, high = INT64_MIN;
  for (uint64_t b = 0; b < table.block_count(); ++b) {
    const SharedLatch hold(table.block(b).latch);
    low = std::min(low, table.block(b).zones[ordinal].low);
    high = std::max(high, table.block(b).zones[ordinal].high);
  }
  return low > high ? 0 : static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;
}

class Finder {
 public:
  Finder(const Region& region, Plan* plan) : region_(region), plan_(plan), shape_(std::make_shared<LimbShape>()) {}

  std::shared_ptr<const LimbShape> run() {
    if (!find_tables()) return nullptr;
    if (!take_group_keys() || !take_filters() || !take_aggregates()) return nullptr;
    const TableDef& table = *shape_->fact->table;
    shape_->text = "(" + table.columns[shape_->key].name;
    for (const ScanColumn& c : shape_->locals) shape_->text += ", " + table.columns[c.ordinal].name;
    shape_->text += ")";
    return shape_;
  }

 private:
  static bool row_scan(const Node& n) { return n.kind == NodeKind::kScan && n.access.kind == AccessKind::kScan && n.table->table && n.row_id == kNoColumn; }

  bool find_tables() {
    const Node& below = *region_.aggregate->inputs[0];
    if (row_scan(below)) {
      shape_->fact = &below;
      return find_wide_key();
    }
    if (below.kind != NodeKind::kJoin || below.join == JoinKind::kCross || !below.conjuncts.empty() || below.left_keys.size() != 1) return false;
    if (!row_scan(*below.inputs[0]) || !row_scan(*below.inputs[1])) return false;
    const Node* sides[2] = {below.inputs[0].get(), below.inputs[1].get()};
    const Expr* keys[2] = {below.left_keys[0].get(), below.right_keys[0].get()};
    double best = -1;
    shape_->left = below.join == JoinKind::kLeft;
    for (const size_t d : {0, 1}) {
      if (shape_->left && d == 0) continue;
      if (keys[d]->kind != ExprKind::kColumn || keys[1 - d]->kind != ExprKind::kColumn) return false;
      const ScanColumn* own = column_in(*sides[d], keys[d]->column);
      const ScanColumn* other = column_in(*sides[1 - d], keys[1 - d]->column);
      if (own == nullptr || other == nullptr || !unique_column(*sides[d], own->ordinal)) continue;
      const Type& type = sides[d]->table->columns[own->ordinal].type;
      const Type& fact_type = sides[1 - d]->table->columns[other->ordinal].type;
      if (!codable(type) || type.id != fact_type.id || type.scale != fact_type.scale) continue;
      // The fact is the larger of the two if both keys are unique.
      const auto rows = static_cast<double>(sides[1 - d]->table->table->live_rows.load(std::memory_order_relaxed));
      if (rows <= best) continue;
      best = rows;
      shape_->dimension = sides[d];
      shape_->fact = sides[1 - d];
      shape_->dimension_key = own->ordinal;
      shape_->key = other->ordinal;
    }
    return best >= 0;
  }

  // Without a join: the group key with the widest range of whole numbers.
  bool find_wide_key() {
    uint64_t widest = kWideKey;
    bool found = false;
    for (const NamedExpr& k : region_.aggregate->exprs) {
      const ScanColumn* c = k.expr->kind == ExprKind::kColumn ? column_in(*shape_->fact, k.expr->column) : nullptr;
      if (c == nullptr || shape_->fact->table->columns[c->ordinal].type.lane() != Lane::kInt64) continue;
      const uint64_t width = width_of(*shape_->fact->table->table, c->ordinal);
      if (width <= widest) continue;
      widest = width;
      shape_->key = c->ordinal;
      found = true;
    }
    return found;
  }

  static void add(std::vector<ScanColumn>* list, const ScanColumn& c) {
    for (const ScanColumn& s : *list) {
      if (s.ordinal == c.ordinal) return;
    }
    list->push_back(c);
  }

  bool take_column(ColumnId id) {
    if (const ScanColumn* c = column_in(*shape_->fact, id)) {
      if (c->ordinal != shape_->key) return take_local(*c);
    } else {
      c = shape_->dimension != nullptr ? column_in(*shape_->dimension, id) : nullptr;
      if (c == nullptr) return false;
      if (c->ordinal != shape_->dimension_key) {
        add(&shape_->attributes, *c);
        return true;
      }
      if (shape_->left) {
        add_key_id(id);
        return true;
      }
    }
    if (shape_->left) return false;  // keys without a row in the dimension would be groups of their own
    add_key_id(id);
    return true;
  }
  void add_key_id(ColumnId id) {
    if (std::find(shape_->key_ids.begin(), shape_->key_ids.end(), id) == shape_->key_ids.end()) shape_->key_ids.push_back(id);
  }
  bool take_local(const ScanColumn& c) {
    if (!codable(shape_->fact->table->columns[c.ordinal].type)) return false;
    add(&shape_->locals, c);
    return true;
  }
  template <class F>
  static bool each_column(const Expr& e, const F& f) {
    if (e.kind == ExprKind::kColumn) return f(e.column);
    for (const ExprPtr& a : e.args) {
      if (!each_column(*a, f)) return false;
    }
    return true;
  }

  bool take_group_keys() {
    for (const NamedExpr& k : region_.aggregate->exprs) {
      shape_->plain = shape_->plain && k.expr->kind == ExprKind::kColumn;
      if (!each_column(*k.expr, [&](ColumnId id) { return take_column(id); })) return false;
    }
    shape_->grouped = static_cast<uint32_t>(shape_->locals.size());
    return true;
  }

  bool take_filters() {
    for (const ExprPtr& f : shape_->fact->filters) {
      if (!has_columns(*f)) return false;
      const auto is_key = [&](ColumnId id) {
        const ScanColumn* c = column_in(*shape_->fact, id);
        return c != nullptr && c->ordinal == shape_->key;
      };
      if (each_column(*f, is_key)) {
        shape_->key_filters.push_back(f);
        continue;
      }
      const bool locals = each_column(*f, [&](ColumnId id) {
        const ScanColumn* c = column_in(*shape_->fact, id);
        return c != nullptr && !is_key(id) && take_local(*c);
      });
      if (!locals) return false;
      shape_->local_filters.push_back(f);
    }
    return true;
  }

  LimbMeasureColumns& measure(uint32_t ordinal) {
    for (LimbMeasureColumns& m : shape_->measures) {
      if (m.ordinal == ordinal) return m;
    }
    shape_->measures.push_back({ordinal, plan_->next_column++, plan_->next_column++});
    return shape_->measures.back();
  }

  bool take_aggregates() {
    Node& merged = shape_->merged;
    merged.kind = NodeKind::kAggregate;
    merged.exprs = region_.aggregate->exprs;
    merged.output = region_.aggregate->output;
    shape_->weight = plan_->next_column++;
    for (const Aggregate& a : region_.aggregate->aggregates) {
      Aggregate m = a;
      if (a.distinct || !merge(a, &m)) return false;
      merged.aggregates.push_back(std::move(m));
    }
    return true;
  }

  bool merge(const Aggregate& a, Aggregate* m) {
    const ExprPtr weight = make_column(shape_->weight, Type::bigint());
    m->kind = AggregateKind::kMergeCount;
    m->argument = weight;
    if (a.kind == AggregateKind::kCountStar) return true;
    const ScanColumn* c = a.argument->kind == ExprKind::kColumn ? column_in(*shape_->fact, a.argument->column) : nullptr;
    if (c == nullptr) return false;
    const ColumnDef& column = shape_->fact->table->columns[c->ordinal];
    if (a.kind == AggregateKind::kCount && column.not_null) return true;
    if (!column.type.exact_number() || column.type.lane() != Lane::kInt64) return false;
    const LimbMeasureColumns own = measure(c->ordinal);
    const ExprPtr count = make_column(own.count, Type::bigint());
    switch (a.kind) {
      case AggregateKind::kCount: m->argument = count; return true;
      case AggregateKind::kSum: m->kind = AggregateKind::kMergeSum; break;
      case AggregateKind::kSumExact: m->kind = AggregateKind::kMergeSumExact; break;
      case AggregateKind::kAvg: m->kind = AggregateKind::kMergeAvg; break;
      default: return false;
    }
    m->argument = make_column(own.sum, Type::decimal(kDecimalDigitsMax, column.type.id == TypeId::kDecimal ? column.type.scale : 0));
    m->value_count = count;
    m->measure_type = column.type;
    return true;
  }

  const Region& region_;
  Plan* plan_;
  std::shared_ptr<LimbShape> shape_;
};

}  // namespace

std::shared_ptr<const LimbShape> limb_shape(const Region& region, Plan* plan) { return Finder(region, plan).run(); }

void limb_columns(const LimbShape& shape, std::vector<uint32_t>* locals, std::vector<uint32_t>* measures) {
  for (const ScanColumn& c : shape.locals) locals->push_back(c.ordinal);
  for (const LimbMeasureColumns& m : shape.measures) measures->push_back(m.ordinal);
}

std::shared_ptr<const Summary> limb_summary(const LimbShape& shape, const Snapshot& snapshot) {
  std::vector<uint32_t> locals, measures;
  limb_columns(shape, &locals, &measures);
  std::shared_ptr<const Summary> best;
  for (const auto& index : shape.fact->table->indexes) {
    if (index->kind != IndexKind::kSummary || index->summary == nullptr) continue;
    const Summary& s = *index->summary;
    if (!s.covers(shape.key, locals, measures) || s.declines(snapshot)) continue;
    if (best == nullptr || s.cell_count() < best->cell_count()) best = index->summary;
  }
  return best;
}

}  // namespace hdb
