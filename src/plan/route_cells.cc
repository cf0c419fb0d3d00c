#include "plan/route_cells.h"

#include <algorithm>

#include "plan/make.h"
#include "plan/part_keys.h"
#include "plan/rewrite.h"
#include "plan/type_rules.h"
#include "plane/folded_cells.h"
#include "plane/summary.h"
#include "store/table.h"

namespace hdb {
namespace {

void insert_sorted(std::vector<uint32_t>* list, uint32_t v) {
  const auto at = std::lower_bound(list->begin(), list->end(), v);
  if (at == list->end() || *at != v) list->insert(at, v);
}
bool contains(const std::vector<uint32_t>& list, uint32_t v) { return std::find(list.begin(), list.end(), v) != list.end(); }

constexpr uint32_t kNone = UINT32_MAX;

// The table's ordinal of a scan's column, or kNone.
uint32_t ordinal_in(const Node& scan, ColumnId id) {
  for (const ScanColumn& c : scan.columns) {
    if (c.id == id) return c.ordinal;
  }
  return kNone;
}
uint32_t ordinal_of(const Node& scan, const Expr& e) { return e.kind == ExprKind::kColumn ? ordinal_in(scan, e.column) : kNone; }

// The ordinals of the scan's columns in an expression.
void collect_ordinals(const Expr& e, const Node& scan, std::vector<uint32_t>* out) {
  if (e.kind == ExprKind::kColumn) {
    if (const uint32_t o = ordinal_in(scan, e.column); o != kNone) insert_sorted(out, o);
  }
  for (const ExprPtr& a : e.args) collect_ordinals(*a, scan, out);
}

bool walk(const NodePtr& node, bool nullable, Region* region) {
  switch (node->kind) {
    case NodeKind::kScan: {
      RegionScan s;
      s.node = node;
      s.nullable = nullable;
      region->scans.push_back(std::move(s));
      return true;
    }
    case NodeKind::kFilter: region->bare = false; return walk(node->inputs[0], nullable, region);
    case NodeKind::kJoin:
      region->bare = false;
      region->joins.push_back(node.get());
      return walk(node->inputs[0], nullable, region) && walk(node->inputs[1], nullable || node->join == JoinKind::kLeft, region);
    default: return false;
  }
}

template <class F>
void each_looking_expr(const NodePtr& node, const F& f) {
  for (const ExprPtr& e : node->filters) f(*e);
  for (const ExprPtr& e : node->conjuncts) f(*e);
  for (const ExprPtr& e : node->left_keys) f(*e);
  for (const ExprPtr& e : node->right_keys) f(*e);
  for (const NodePtr& input : node->inputs) each_looking_expr(input, f);
}

// What one aggregate takes from the cells of a scan.
struct Role {
  enum Kind { kWeight, kMeasure, kConditional, kExtreme, kUnweighted, kWeighted, kImpossible } kind = kWeight;
  uint32_t ordinal = 0;
  std::string reason;
};

bool is_sum(const Aggregate& a) {
  return a.kind == AggregateKind::kSum || a.kind == AggregateKind::kAvg || a.kind == AggregateKind::kSumExact;
}

bool is_zero(const Expr& e) { return is_constant(e) && !e.constant.null && e.type.exact_number() && e.constant.number == 0; }

// CASE WHEN ... THEN measure ... ELSE 0 (or NULL): the condition is the same for all rows of a cell, so it may choose among the cell's sums.
template <class HasMeasure>
bool is_conditional(const Expr& e, const Node& scan, const HasMeasure& has_measure) {
  if (e.kind != ExprKind::kCase) return false;
  bool any = false;
  for (size_t i = 1; i <= e.args.size(); i += 2) {
    const Expr& value = *e.args[std::min(i, e.args.size() - 1)];
    const uint32_t ordinal = ordinal_of(scan, value);
    const bool measure = ordinal != kNone && has_measure(ordinal) && value.type == e.type;
    if (!measure && !is_null_constant(value) && !is_zero(value)) return false;
    any = any || measure;
  }
  return any;
}

template <class HasMeasure>
Role role_of(const Aggregate& a, const Node& scan, bool zones, const HasMeasure& has_measure) {
  if (a.kind == AggregateKind::kCountStar) return {Role::kWeight, 0, {}};
  const uint32_t ordinal = ordinal_of(scan, *a.argument);
  const bool own = ordinal != kNone;
  if (a.distinct || a.kind == AggregateKind::kMin || a.kind == AggregateKind::kMax) {
    const bool extreme = zones && own && !a.distinct && has_measure(ordinal);
    return {extreme ? Role::kExtreme : Role::kUnweighted, ordinal, {}};
  }
  if (a.kind == AggregateKind::kCount && own && scan.table->columns[ordinal].not_null) return {Role::kWeight, 0, {}};
  if (is_sum(a) && !a.argument->type.exact_number()) {
    return {Role::kImpossible, 0, "sums of DOUBLE are not kept as cells"};
  }
  if (own && has_measure(ordinal)) return {Role::kMeasure, ordinal, {}};
  if (is_conditional(*a.argument, scan, has_measure)) return {Role::kConditional, 0, {}};
  if (is_sum(a) && a.argument->type.id == TypeId::kDecimal && a.argument->type.precision > 18) {
    return {Role::kImpossible, 0, "a DECIMAL of more than 18 digits cannot be multiplied by a weight"};
  }
  return {Role::kWeighted, ordinal, {}};
}

// Fills dimensions and measures; what a path has is for the caller to compare.
template <class HasMeasure>
void find_needs(const Region& region, CellsPath* path, const HasMeasure& has_measure) {
  const RegionScan& s = region.scans[path->scan];
  path->dimensions = s.looked_at;
  for (const Aggregate& a : region.aggregate->aggregates) {
    const Role role = role_of(a, *s.node, path->kind == AccessKind::kZoneSums, has_measure);
    switch (role.kind) {
      case Role::kImpossible: path->declined = role.reason; return;
      case Role::kExtreme: path->extremes = true; [[fallthrough]];
      case Role::kMeasure: insert_sorted(&path->measures, role.ordinal); break;
      case Role::kConditional:
        for (size_t i = 0; i < a.argument->args.size(); ++i) {
          const Expr& part = *a.argument->args[i];
          const bool value = i % 2 == 1 || i + 1 == a.argument->args.size();
          collect_ordinals(part, *s.node, value ? &path->measures : &path->dimensions);
        }
        break;
      case Role::kUnweighted: case Role::kWeighted: collect_ordinals(*a.argument, *s.node, &path->dimensions); break;
      case Role::kWeight: break;
    }
  }
}

double cells_passing(const RegionScan& s, double cells) { return s.rows > 0 ? cells * (s.passing / s.rows) : cells; }

void weigh_zone_sums(const Region& region, const RouteSettings& settings, CellsPath* path) {
  const RegionScan& s = region.scans[path->scan];
  const TableDef& table = *s.node->table;
  if (!settings.zone_sums) return void(path->declined = "switched off");
  if (!region.bare) return void(path->declined = "joins need rows");
  if (!region.aggregate->exprs.empty()) return void(path->declined = "GROUP BY");
  if (!s.node->filters.empty()) return void(path->declined = "a filter");
  find_needs(region, path, [&](uint32_t o) { return table.columns[o].type.lane() == Lane::kInt64; });
  if (!path->declined.empty()) return;
  if (!path->dimensions.empty()) {
    return void(path->declined = "it has no values of " + table.columns[path->dimensions[0]].name);
  }
  path->cost = cost::kZoneStart + s.blocks * cost::kFoldedBlock + cost::kCellMeasure * static_cast<double>(path->measures.size());
}

void weigh_block_cells(const Region& region, const RouteSettings& settings, CellsPath* path) {
  const RegionScan& s = region.scans[path->scan];
  const TableDef& table = *s.node->table;
  if (!settings.block_cells) return void(path->declined = "switched off");
  find_needs(region, path, [&](uint32_t o) { return table.columns[o].type.exact_number(); });
  if (!path->declined.empty()) return;
  if (path->dimensions.empty()) return void(path->declined = "no column to tell cells apart");
  if (path->dimensions.size() > kBlockCellsDimensionsMax) {
    return void(path->declined = std::to_string(path->dimensions.size()) + " columns, more than " + std::to_string(kBlockCellsDimensionsMax));
  }
  const CellRequest request{path->dimensions, path->measures, false};
  uint32_t cells = 0;
  double whole = 0;
  if (!block_cells_eligible(*table.table, request, &cells, &whole, &path->declined)) {
    if (path->declined.empty()) path->declined = "too many values";
    return;
  }
  const bool kept = whole <= kKeptFoldMax;
  const double count = kept ? whole : s.blocks * cells;
  path->cost = cost::cells(cost::kCellsStart, s.blocks * (kept ? cost::kFoldedBlock : cost::kBlock), count, path->dimensions.size(), path->measures.size(),
                           cells_passing(s, count), region.above);
}

// Is a dimension of the summary a foreign key to a table that the scan is joined with by it? (C16)
bool is_limb(const Region& region, const Node& scan, const IndexDef& index) {
  for (const Node* join : region.joins) {
    if (join->left_keys.size() != 1) continue;
    for (const bool left : {true, false}) {
      const uint32_t own = ordinal_of(scan, left ? *join->left_keys[0] : *join->right_keys[0]);
      if (own == kNone || !contains(index.columns, own)) continue;
      for (const RegionScan& other : region.scans) {
        const uint32_t parent = ordinal_of(*other.node, left ? *join->right_keys[0] : *join->left_keys[0]);
        for (const ForeignKeyDef& f : scan.table->foreign_keys) {
          if (f.columns.size() == 1 && f.columns[0] == own && f.parent_table_id == other.node->table->id && f.parent_columns[0] == parent) return true;
        }
      }
    }
  }
  return false;
}

void weigh_summary(const Region& region, const RouteSettings& settings, CellsPath* path) {
  const RegionScan& s = region.scans[path->scan];
  const TableDef& table = *s.node->table;
  const IndexDef& index = *path->index;
  if (settings.summary_mode == SummaryMode::kOff) return void(path->declined = "summary_mode is off");
  find_needs(region, path, [&](uint32_t o) { return contains(index.measures, o); });
  if (!path->declined.empty()) return;
  for (const uint32_t o : path->dimensions) {
    if (contains(index.columns, o)) continue;
    const bool summed = !contains(s.looked_at, o);
    return void(path->declined = table.columns[o].name + (summed ? " is neither a measure nor a dimension" : " is not a dimension"));
  }
  double cells = s.rows;
  if (index.summary) {
    if (settings.snapshot != nullptr) {
      if (const auto reason = index.summary->declines(*settings.snapshot)) return void(path->declined = *reason);
    }
    std::vector<uint32_t> read, values_max;
    for (const uint32_t o : path->dimensions) {
      const size_t before = read.size();
      for (const auto& [ordinal, most] : s.parted) {
        if (ordinal != o) continue;
        read.push_back(o);
        values_max.push_back(most);
      }
      if (read.size() > before) continue;
      read.push_back(o);
      values_max.push_back(0);
    }
    cells = static_cast<double>(index.summary->cells_read(read, values_max));
  }
  path->cost = cost::cells(cost::kSummaryStart, 0, cells, path->dimensions.size(), path->measures.size(), cells_passing(s, cells), region.above);
}

// The merge form of one aggregate over the cells of `scan`.
class Merger {
 public:
  Merger(Node& scan, Plan* plan, const CellsPath& path) : scan_(scan), plan_(plan), path_(path) {}

  void merge(Aggregate* a) {
    const bool zones = path_.kind == AccessKind::kZoneSums;
    const Role role = role_of(*a, scan_, zones, [&](uint32_t o) { return contains(path_.measures, o); });
    switch (role.kind) {
      case Role::kWeight: set(a, AggregateKind::kMergeCount, weight(), nullptr); break;
      case Role::kMeasure: merge_measure(a, role.ordinal); break;
      case Role::kExtreme: {
        ColumnId& id = a->kind == AggregateKind::kMin ? measure(role.ordinal).min : measure(role.ordinal).max;
        a->argument = column(&id, scan_.table->columns[role.ordinal].type);
        break;
      }
      case Role::kWeighted: merge_weighted(a); break;
      case Role::kConditional: merge_conditional(a); break;
      case Role::kUnweighted: case Role::kImpossible: break;
    }
  }

 private:
  ExprPtr column(ColumnId* id, const Type& type) {
    if (*id == kNoColumn) *id = plan_->next_column++;
    return make_column(*id, type);
  }
  ExprPtr weight() { return column(&scan_.access.weight, Type::bigint()); }
  MeasureColumns& measure(uint32_t ordinal) {
    for (MeasureColumns& m : scan_.access.measures) {
      if (m.measure == ordinal) return m;
    }
    scan_.access.measures.push_back({});
    scan_.access.measures.back().measure = ordinal;
    return scan_.access.measures.back();
  }
  static void set(Aggregate* a, AggregateKind kind, ExprPtr argument, ExprPtr value_count) {
    a->kind = kind;
    a->argument = std::move(argument);
    a->value_count = std::move(value_count);
  }
  static AggregateKind merge_kind(AggregateKind kind) {
    switch (kind) {
      case AggregateKind::kSum: return AggregateKind::kMergeSum;
      case AggregateKind::kSumExact: return AggregateKind::kMergeSumExact;
      case AggregateKind::kAvg: return AggregateKind::kMergeAvg;
      default: return AggregateKind::kMergeCount;
    }
  }

  void merge_measure(Aggregate* a, uint32_t ordinal) {
    ExprPtr count = count_of(ordinal);
    if (a->kind == AggregateKind::kCount) return set(a, AggregateKind::kMergeCount, std::move(count), nullptr);
    set(a, merge_kind(a->kind), sum_of(ordinal), std::move(count));
  }

  ExprPtr count_of(uint32_t ordinal) {
    return scan_.table->columns[ordinal].not_null ? weight() : column(&measure(ordinal).count, Type::bigint());
  }
  ExprPtr sum_of(uint32_t ordinal) {
    const Type& t = scan_.table->columns[ordinal].type;
    return column(&measure(ordinal).sum, Type::decimal(kDecimalDigitsMax, t.id == TypeId::kDecimal ? t.scale : 0));
  }

  void merge_conditional(Aggregate* a) {
    const Expr& choice = *a->argument;
    const Type sum = Type::decimal(kDecimalDigitsMax, choice.type.id == TypeId::kDecimal ? choice.type.scale : 0);
    const bool sums = a->kind != AggregateKind::kCount;
    std::vector<ExprPtr> chosen_sum, chosen_count;
    for (size_t i = 0; i < choice.args.size(); ++i) {
      const ExprPtr& part = choice.args[i];
      const bool condition = i % 2 == 0 && i + 1 < choice.args.size();
      const uint32_t ordinal = condition ? kNone : ordinal_of(scan_, *part);
      if (condition) {
        chosen_count.push_back(part);
      } else if (ordinal != kNone) {
        chosen_count.push_back(count_of(ordinal));
      } else {
        chosen_count.push_back(is_null_constant(*part) ? make_constant(Value::bigint(0)) : weight());
      }
      if (!sums) continue;
      chosen_sum.push_back(condition ? part : ordinal != kNone ? sum_of(ordinal) : make_constant(Value::make_number(sum, 0)));
    }
    ExprPtr count = make_case(Type::bigint(), std::move(chosen_count), choice.position);
    const AggregateKind kind = merge_kind(a->kind);
    ExprPtr argument = sums ? make_case(sum, std::move(chosen_sum), choice.position) : count;
    set(a, kind, std::move(argument), sums ? std::move(count) : nullptr);
  }

  // SUM(e) over rows is SUM(e * weight) over cells; COUNT(e) the weight where e is not NULL.
  void merge_weighted(Aggregate* a) {
    const ExprPtr e = a->argument;
    ExprPtr present = make_call(Function::kIsNotNull, Type::boolean(), {e}, e->position);
    ExprPtr count = make_case(Type::bigint(), {std::move(present), weight(), make_constant(Value::bigint(0))}, e->position);
    if (a->kind == AggregateKind::kCount) return set(a, AggregateKind::kMergeCount, std::move(count), nullptr);
    const DecimalType value = e->type.id == TypeId::kDecimal ? DecimalType{e->type.precision, e->type.scale} : kBigintAsDecimal;
    const Type product = to_type(decimal_multiply_type(value, kBigintAsDecimal));
    ExprPtr factor = make_cast(weight(), to_type(kBigintAsDecimal), -1);
    ExprPtr times = make_call(Function::kMultiply, product, {make_cast(e, to_type(value), e->position), std::move(factor)}, e->position);
    ExprPtr sum = make_coalesce(product, {std::move(times), make_constant(Value::make_number(product, 0))}, e->position);
    set(a, merge_kind(a->kind), std::move(sum), std::move(count));
  }

  Node& scan_;
  Plan* plan_;
  const CellsPath& path_;
};

}  // namespace

bool make_region(const NodePtr& aggregate, uint32_t threads, Region* region) {
  region->aggregate = aggregate;
  if (!walk(aggregate->inputs[0], false, region)) return false;
  region->above = {region->joins.size(), aggregate->exprs.size(), aggregate->aggregates.size()};
  for (RegionScan& s : region->scans) {
    const auto look = [&](const Expr& e) { collect_ordinals(e, *s.node, &s.looked_at); };
    each_looking_expr(aggregate->inputs[0], look);
    for (const NamedExpr& key : aggregate->exprs) look(*key.expr);
    find_parted(*region, &s);
    if (const Table* table = s.node->table->table.get()) {
      s.rows = static_cast<double>(table->live_rows.load(std::memory_order_relaxed));
      s.blocks = static_cast<double>(table->block_count());
    }
    s.passing = s.rows;
    for (const ExprPtr& f : s.node->filters) s.passing *= selectivity(*f);
    s.scan_cost = cost::scan(s.blocks, s.rows, s.node->columns.size(), s.node->filters.size(), s.passing, region->above, threads);
  }
  return true;
}

std::string path_name(const CellsPath& path) {
  switch (path.kind) {
    case AccessKind::kZoneSums: return "zone sums";
    case AccessKind::kBlockCells: return "block cells";
    case AccessKind::kLimb: return "limb " + path.index->name;
    default: return "summary " + path.index->name;
  }
}

std::vector<CellsPath> cells_paths(const Region& region, const RouteSettings& settings) {
  std::vector<CellsPath> paths;
  for (size_t i = 0; i < region.scans.size(); ++i) {
    const RegionScan& s = region.scans[i];
    const auto add = [&](AccessKind kind, const std::shared_ptr<const IndexDef>& index, auto weigh) {
      CellsPath& path = paths.emplace_back();
      path.scan = i;
      path.kind = kind;
      path.index = index;
      if (s.nullable) {
        path.declined = "the table is on the side of a LEFT JOIN that may be NULL";
      } else {
        weigh(region, settings, &path);
      }
    };
    add(AccessKind::kZoneSums, nullptr, weigh_zone_sums);
    if (s.node->table->table) add(AccessKind::kBlockCells, nullptr, weigh_block_cells);
    for (const auto& index : s.node->table->indexes) {
      if (index->kind != IndexKind::kSummary) continue;
      add(is_limb(region, *s.node, *index) ? AccessKind::kLimb : AccessKind::kSummary, index, weigh_summary);
    }
  }
  return paths;
}

void apply_cells(const Region& region, const CellsPath& path, Plan* plan) {
  Node& scan = *region.scans[path.scan].node;
  scan.access.kind = path.kind;
  scan.access.index = path.index;
  scan.access.cost = path.cost;
  Merger merger(scan, plan, path);
  for (Aggregate& a : region.aggregate->aggregates) merger.merge(&a);
  std::erase_if(scan.columns, [&](const ScanColumn& c) { return !contains(path.dimensions, c.ordinal); });
  if (path.kind == AccessKind::kSummary || path.kind == AccessKind::kLimb) put_parts(region, region.scans[path.scan], plan);
}

}  // namespace hdb
