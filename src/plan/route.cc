#include "plan/route.h"

#include <algorithm>

#include "base/error.h"
#include "plan/limb_shape.h"
#include "plan/make.h"
#include "plan/rewrite.h"
#include "plan/route_cells.h"
#include "plane/limb.h"
#include "plane/summary.h"
#include "store/table.h"

namespace hdb {
namespace {

std::string duration(double ns) {
  const bool micro = ns < 1e6;
  const auto tenths = static_cast<uint64_t>(ns / (micro ? 100 : 100'000));
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + (micro ? " us" : " ms");
}

class Router {
 public:
  Router(Plan* plan, const RouteSettings& settings) : plan_(plan), settings_(settings) {
    notes_ = settings.explain || settings.summary_mode == SummaryMode::kForce;
  }

  void run() {
    visit(plan_->root);
    const bool forced = settings_.summary_mode == SummaryMode::kForce && !plan_->writes;
    if (forced && scans_ > 0 && !served_) {
      fail(sqlstate::kFeature, "summary_mode is force, and no summary serves this query: " + (reason_.empty() ? "it reads rows, not totals" : reason_));
    }
    if (!cells_) return;
    std::vector<bool> needed(plan_->next_column);
    for (const OutputColumn& o : plan_->result) needed[o.id] = true;
    prune_node(plan_->root, needed);
  }

 private:
  void visit(const NodePtr& node) {
    if (node->kind == NodeKind::kAggregate) {
      Region region;
      if (make_region(node, cost::kThreads, &region)) return route_region(region);
    }
    if (node->kind == NodeKind::kScan) return route_rows(*node, {});
    for (const NodePtr& input : node->inputs) visit(input);
  }

  // The best cells path against reading rows: by what it saves, since only one scan of a region may be cells.
  void route_region(const Region& region) {
    std::vector<CellsPath> paths = cells_paths(region, settings_);
    const bool force = settings_.summary_mode == SummaryMode::kForce;
    const CellsPath* best = nullptr;
    double best_saving = 0;
    for (const CellsPath& p : paths) {
      if (!p.declined.empty()) continue;
      const bool summary = p.kind == AccessKind::kSummary || p.kind == AccessKind::kLimb;
      if (force && !summary) continue;
      const RegionScan& s = region.scans[p.scan];
      const double rows_cost = settings_.indexes && find_key(*s.node, nullptr) ? cost::kLookup : s.scan_cost;
      const double saving = rows_cost - p.cost;
      if (best == nullptr ? saving > 0 || force : saving > best_saving) {
        best = &p;
        best_saving = saving;
      }
    }
    for (size_t i = 0; i < region.scans.size(); ++i) {
      std::vector<std::string> declined;
      if (notes_) declined = declined_paths(region, paths, i, best);
      Node& scan = *region.scans[i].node;
      if (best != nullptr && best->scan == i) {
        ++scans_;
        scan.access.declined = std::move(declined);
      } else {
        route_rows(scan, std::move(declined));
        if (scan.access.kind == AccessKind::kScan) scan.access.cost = region.scans[i].scan_cost;
      }
    }
    if (take_limb(region, best)) return;
    if (best == nullptr) return note_reason(paths);
    cells_ = true;
    served_ = served_ || best->kind == AccessKind::kSummary || best->kind == AccessKind::kLimb;
    apply_cells(region, *best, plan_);
  }

  // A limb kept from first use, if it is cheaper than the best cells and than rows. What it declines at run time is read as routed here.
  bool take_limb(const Region& region, const CellsPath* best) {
    if (!settings_.limbs || settings_.summary_mode != SummaryMode::kAuto) return false;
    for (const RegionScan& s : region.scans) {
      if (s.node->access.kind != AccessKind::kScan && (best == nullptr || s.node != region.scans[best->scan].node)) return false;
    }
    const std::shared_ptr<const LimbShape> shape = limb_shape(region, plan_);
    if (shape == nullptr) return false;
    Node* fact = nullptr;
    double cost = 0;
    std::string from;
    for (const RegionScan& s : region.scans) {
      if (s.node.get() != shape->fact) continue;
      fact = s.node.get();
      cost = limb_cost(*shape, s, &from);
    }
    if (best != nullptr && best->cost <= cost) return false;
    region.aggregate->limb = shape;
    fact->access.kept_limb = shape->text + from;
    fact->access.cost = cost;
    return true;
  }

  // *from: where its cells will come from, if not from rows.
  double limb_cost(const LimbShape& shape, const RegionScan& s, std::string* from) const {
    if (settings_.snapshot != nullptr) {
      std::vector<uint32_t> locals, measures;
      limb_columns(shape, &locals, &measures);
      if (const auto kept = find_limb(*shape.fact->table->table, shape.key, locals, measures, *settings_.snapshot))
        return cost::kLimbStart + cost::kLimbField * static_cast<double>(kept->form().fields());
      if (const auto summary = limb_summary(shape, *settings_.snapshot)) {
        *from = " of summary " + summary->name();
        return cost::kLimbStart + cost::kLimbCell * static_cast<double>(summary->cell_count());
      }
    }
    return cost::kLimbStart + s.blocks * cost::kBlock + s.rows * cost::kLimbRow;
  }

  static std::vector<std::string> declined_paths(const Region& region, const std::vector<CellsPath>& paths, size_t scan, const CellsPath* best) {
    std::vector<std::string> out;
    for (const CellsPath& p : paths) {
      if (p.scan != scan || &p == best) continue;
      std::string reason = p.declined;
      if (reason.empty() && best != nullptr && best->scan != scan) reason = "another table of the join is read from cells";
      if (reason.empty()) {
        reason = "about " + duration(p.cost) + ", the choice " + duration(best != nullptr ? best->cost : region.scans[scan].scan_cost);
      }
      out.push_back(path_name(p) + " (" + reason + ")");
    }
    return out;
  }

  void note_reason(const std::vector<CellsPath>& paths) {
    for (const CellsPath& p : paths) {
      if (p.kind != AccessKind::kSummary && p.kind != AccessKind::kLimb) continue;
      if (!reason_.empty()) reason_ += "; ";
      reason_ += path_name(p) + " (" + p.declined + ")";
    }
    if (reason_.empty()) reason_ = "its tables have no summary index";
  }

  void route_rows(Node& scan, std::vector<std::string> declined) {
    ++scans_;
    const bool region = !declined.empty();
    std::vector<size_t> used;
    std::shared_ptr<const IndexDef> index = settings_.indexes ? find_key(scan, &used) : nullptr;
    if (settings_.explain && !region && !plan_->writes) {
      declined.push_back("zone sums (no aggregate)");
      declined.push_back("block cells (no aggregate)");
    }
    for (const auto& i : scan.table->indexes) {
      if (!settings_.explain || i == index) continue;
      if (i->kind == IndexKind::kSummary) {
        if (!region && !plan_->writes) declined.push_back("summary " + i->name + " (no aggregate)");
      } else {
        declined.push_back("index " + i->name + (settings_.indexes ? " (its key is not given by =)" : " (switched off)"));
      }
    }
    scan.access.declined = std::move(declined);
    if (!index) return;
    scan.access.kind = AccessKind::kIndexLookup;
    scan.access.cost = cost::kLookup;
    for (const uint32_t column : index->columns) scan.access.key.push_back(key_value(scan, column, used));
    scan.access.index = std::move(index);
    std::vector<ExprPtr> rest;
    for (size_t i = 0; i < scan.filters.size(); ++i) {
      if (std::find(used.begin(), used.end(), i) == used.end()) rest.push_back(scan.filters[i]);
    }
    scan.filters = std::move(rest);
  }

  // column = value, where value has no columns and the column's own type; null if the condition is something else.
  static ExprPtr equality(const Node& scan, const Expr& e, uint32_t* ordinal) {
    if (e.kind != ExprKind::kCall || e.function != Function::kEqual) return nullptr;
    for (const size_t side : {0, 1}) {
      const Expr& column = *e.args[side];
      const ExprPtr& value = e.args[1 - side];
      if (column.kind != ExprKind::kColumn || !(value->type == column.type) || has_columns(*value)) continue;
      for (const ScanColumn& c : scan.columns) {
        if (c.id != column.column) continue;
        *ordinal = c.ordinal;
        return value;
      }
    }
    return nullptr;
  }

  static ExprPtr key_value(const Node& scan, uint32_t column, const std::vector<size_t>& used) {
    for (const size_t i : used) {
      uint32_t ordinal = 0;
      ExprPtr value = equality(scan, *scan.filters[i], &ordinal);
      if (value && ordinal == column) return value;
    }
    return nullptr;
  }

  // A unique key whose columns are all given by equality; *used: one filter for each of them.
  static std::shared_ptr<const IndexDef> find_key(const Node& scan, std::vector<size_t>* used) {
    if (scan.filters.empty()) return nullptr;
    std::vector<std::pair<uint32_t, size_t>> given;
    for (size_t i = 0; i < scan.filters.size(); ++i) {
      uint32_t ordinal = 0;
      if (equality(scan, *scan.filters[i], &ordinal)) given.emplace_back(ordinal, i);
    }
    if (given.empty()) return nullptr;
    for (const auto& index : scan.table->indexes) {
      if (index->kind != IndexKind::kPrimary && index->kind != IndexKind::kUnique) continue;
      std::vector<size_t> filters;
      for (const uint32_t column : index->columns) {
        const auto at = std::find_if(given.begin(), given.end(), [&](const auto& g) { return g.first == column; });
        if (at == given.end()) break;
        filters.push_back(at->second);
      }
      if (filters.size() != index->columns.size()) continue;
      if (used != nullptr) *used = std::move(filters);
      return index;
    }
    return nullptr;
  }

  Plan* plan_;
  const RouteSettings& settings_;
  bool notes_ = false, cells_ = false, served_ = false;
  size_t scans_ = 0;
  std::string reason_;
};

bool summaries_serve(const Node& node, const Snapshot& snapshot) {
  const bool summary = node.access.kind == AccessKind::kSummary || node.access.kind == AccessKind::kLimb;
  if (summary && node.access.index->summary && node.access.index->summary->declines(snapshot)) return false;
  for (const NodePtr& input : node.inputs) {
    if (!summaries_serve(*input, snapshot)) return false;
  }
  return true;
}

std::vector<uint32_t> insert_parameters(const Plan& plan) {
  std::vector<uint32_t> parameters;
  const Node* values = plan.root->kind == NodeKind::kInsert ? plan.root->inputs[0].get() : nullptr;
  if (values == nullptr || values->kind != NodeKind::kValues || values->rows.size() != 1) return parameters;
  const auto& columns = plan.root->table->columns;
  for (size_t c = 0; c < columns.size(); ++c) {
    const Expr& e = *values->rows[0][c];
    if (e.kind != ExprKind::kParameter || !(e.type == columns[c].type)) return {};
    parameters.push_back(e.parameter);
  }
  return parameters;
}

std::vector<uint32_t> point_columns(const Plan& plan) {
  const Node* project = plan.root->kind == NodeKind::kProject ? plan.root.get() : nullptr;
  const Node& scan = project != nullptr ? *project->inputs[0] : *plan.root;
  std::vector<uint32_t> places;
  if (scan.kind != NodeKind::kScan || scan.access.kind != AccessKind::kIndexLookup || scan.row_id != kNoColumn) return places;
  for (const OutputColumn& column : plan.result) {
    ColumnId id = column.id;
    if (project != nullptr) {
      const auto made = std::find_if(project->exprs.begin(), project->exprs.end(), [&](const NamedExpr& e) { return e.output.id == id; });
      if (made == project->exprs.end() || made->expr->kind != ExprKind::kColumn) return {};
      id = made->expr->column;
    }
    const auto from = std::find_if(scan.columns.begin(), scan.columns.end(), [&](const ScanColumn& c) { return c.id == id; });
    if (from == scan.columns.end() || !(scan.table->columns[from->ordinal].type == column.type)) return {};
    places.push_back(static_cast<uint32_t>(from - scan.columns.begin()));
  }
  return places;
}

}  // namespace

void route(Plan& plan, const RouteSettings& settings) {
  Router(&plan, settings).run();
  plan.insert_parameters = insert_parameters(plan);
  plan.point_columns = point_columns(plan);
}

bool still_fits(const Plan& plan, const Snapshot& snapshot) {
  constexpr uint64_t kFactor = 4, kSlack = 20'000;
  for (size_t i = 0; i < plan.tables.size(); ++i) {
    if (!plan.tables[i]->table) continue;
    const uint64_t now = plan.tables[i]->table->live_rows.load(std::memory_order_relaxed), then = plan.table_rows[i];
    if (now > then * kFactor + kSlack || then > now * kFactor + kSlack) return false;
  }
  return summaries_serve(*plan.root, snapshot);
}

}  // namespace hdb
