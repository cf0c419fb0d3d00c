#include "plan/explain.h"

#include "plane/summary.h"
#include "store/table.h"

namespace hdb {
namespace {

class Explainer {
 public:
  Explainer(const Plan& plan, const NodeTimes* times) : times_(times), names_(plan.next_column) {
    count_scans(*plan.root);
    name_columns(*plan.root);
    for (const OutputColumn& o : plan.result) {
      if (names_[o.id].empty()) names_[o.id] = o.name;
    }
  }

  void lines(const Node& node, size_t depth, std::vector<std::string>* out) const {
    const std::string indent(2 * depth, ' ');
    out->push_back(indent + text(node) + time_text(node));
    for (const std::string& d : node.access.declined) out->push_back(indent + "  declined: " + d);
    for (const NodePtr& input : node.inputs) lines(*input, depth + 1, out);
  }

  void json(const Node& node, std::string* out) const {
    *out += "{\"node\":";
    quote(text(node), out);
    if (!node.access.declined.empty()) {
      *out += ",\"declined\":[";
      for (size_t i = 0; i < node.access.declined.size(); ++i) {
        if (i > 0) *out += ',';
        quote(node.access.declined[i], out);
      }
      *out += ']';
    }
    if (const NodeTime* t = time_of(node)) {
      *out += ",\"rows\":" + std::to_string(t->rows) + ",\"ms\":" + milliseconds(t->ns);
    }
    if (!node.inputs.empty()) {
      *out += ",\"inputs\":[";
      for (size_t i = 0; i < node.inputs.size(); ++i) {
        if (i > 0) *out += ',';
        json(*node.inputs[i], out);
      }
      *out += ']';
    }
    *out += '}';
  }

 private:
  void count_scans(const Node& node) {
    if (node.kind == NodeKind::kScan) ++scans_;
    for (const NodePtr& input : node.inputs) count_scans(*input);
  }

  void name(ColumnId id, std::string text) {
    if (id != kNoColumn && id < names_.size()) names_[id] = std::move(text);
  }

  void name_columns(const Node& node) {
    for (const NodePtr& input : node.inputs) name_columns(*input);
    if (node.kind == NodeKind::kScan) {
      const std::string prefix = scans_ > 1 ? node.alias + "." : "";
      const auto own = [&](uint32_t ordinal) { return prefix + node.table->columns[ordinal].name; };
      for (const ScanColumn& c : node.columns) name(c.derived ? c.source : c.id, own(c.ordinal));
      for (const ScanColumn& c : node.columns) {
        if (c.derived) name(c.id, expr(c.derived));
      }
      name(node.access.weight, "weight");
      name(node.row_id, "row id");
      for (const MeasureColumns& m : node.access.measures) {
        for (const ColumnId id : {m.sum, m.count, m.min, m.max}) name(id, own(m.measure));
      }
      return;
    }
    if (node.kind == NodeKind::kTableFunction) {
      name(node.output[0].id, "cells_checked");
      name(node.output[1].id, "differences");
    }
    for (const NamedExpr& e : node.exprs) {
      if (e.output.id < names_.size() && names_[e.output.id].empty()) name(e.output.id, to_string(*e.expr, names_));
    }
    for (const Aggregate& a : node.aggregates) name(a.id, to_string(a, names_));
  }

  std::string expr(const ExprPtr& e) const { return to_string(*e, names_); }

  template <class List, class F>
  static std::string join(const List& list, const char* separator, const F& f) {
    std::string out;
    size_t shown = 0;
    for (const auto& item : list) {
      if (shown > 0) out += separator;
      if (shown == 30) return out + "...";
      out += f(item);
      ++shown;
    }
    return out;
  }
  std::string exprs(const std::vector<ExprPtr>& list, const char* separator) const {
    return join(list, separator, [&](const ExprPtr& e) { return expr(e); });
  }

  const NodeTime* time_of(const Node& node) const {
    if (times_ == nullptr) return nullptr;
    const auto at = times_->find(&node);
    return at == times_->end() ? nullptr : &at->second;
  }

  std::string time_text(const Node& node) const {
    const NodeTime* t = time_of(node);
    if (t == nullptr) return {};
    return " (" + counted(t->rows, "row") + ", " + milliseconds(t->ns) + " ms)";
  }

  // Whatever the host's locale.
  static std::string milliseconds(uint64_t ns) {
    std::string micro = std::to_string(ns / 1000 % 1000);
    return std::to_string(ns / 1'000'000) + "." + std::string(3 - micro.size(), '0') + micro;
  }

  std::string scan_text(const Node& node) const {
    const Access& a = node.access;
    std::string out;
    const bool cells = a.kind != AccessKind::kScan && a.kind != AccessKind::kIndexLookup;
    switch (a.kind) {
      case AccessKind::kScan: out = a.kept_limb.empty() ? "scan " : "limb " + a.kept_limb + " "; break;
      case AccessKind::kIndexLookup: out = "index " + a.index->name + " "; break;
      case AccessKind::kZoneSums: out = "zone sums "; break;
      case AccessKind::kBlockCells: out = "block cells "; break;
      case AccessKind::kSummary: out = "summary " + a.index->name + " "; break;
      case AccessKind::kLimb: out = "limb " + a.index->name + " "; break;
    }
    out += node.table->name;
    if (node.alias != node.table->name) out += " " + node.alias;
    out += ": " + extent(node);
    if (!a.kept_limb.empty()) out += " at first use, then kept cells";
    const char* const what = cells ? "dimensions " : "columns ";
    if (!node.columns.empty()) {
      out += ", " + std::string(what) + join(node.columns, ", ", [&](const ScanColumn& c) { return c.derived ? expr(c.derived) : node.table->columns[c.ordinal].name; });
    }
    if (!a.measures.empty()) {
      out += ", measures " + join(a.measures, ", ", [&](const MeasureColumns& m) { return node.table->columns[m.measure].name; });
    }
    if (!node.filters.empty()) out += ", filter " + exprs(node.filters, " AND ");
    return out;
  }

  std::string extent(const Node& node) const {
    const Access& a = node.access;
    if (a.kind == AccessKind::kIndexLookup) {
      std::string out = "key ";
      for (size_t i = 0; i < a.key.size(); ++i) {
        out += (i > 0 ? ", " : "") + node.table->columns[a.index->columns[i]].name + " = " + expr(a.key[i]);
      }
      return out;
    }
    if (a.kind == AccessKind::kSummary || a.kind == AccessKind::kLimb) {
      return counted(a.index->summary ? a.index->summary->cell_count() : 0, "cell");
    }
    return counted(node.table->table ? node.table->table->block_count() : 0, "block");
  }

  static std::string counted(uint64_t n, const char* unit) { return std::to_string(n) + " " + unit + (n == 1 ? "" : "s"); }

  std::string limits(const Node& node) const {
    std::string out;
    if (node.limit) out += " limit " + expr(node.limit);
    if (node.offset) out += " offset " + expr(node.offset);
    return out;
  }

  std::string join_text(const Node& node) const {
    std::string out = node.join == JoinKind::kLeft ? "left join" : node.join == JoinKind::kCross ? "cross join" : "join";
    for (size_t i = 0; i < node.left_keys.size(); ++i) out += (i > 0 ? " AND " : " ") + expr(node.left_keys[i]) + " = " + expr(node.right_keys[i]);
    if (!node.conjuncts.empty()) out += (node.left_keys.empty() ? " on " : ", on ") + exprs(node.conjuncts, " AND ");
    return out;
  }

  std::string aggregate_text(const Node& node) const {
    const auto shown = [&](const NamedExpr& e) { return expr(e.expr); };
    if (node.aggregates.empty()) return "distinct " + join(node.exprs, ", ", shown);
    std::string out = "aggregate " + join(node.aggregates, ", ", [&](const Aggregate& a) { return to_string(a, names_); });
    if (!node.exprs.empty()) out += " by " + join(node.exprs, ", ", shown);
    return out;
  }

  std::string text(const Node& node) const {
    switch (node.kind) {
      case NodeKind::kScan: return scan_text(node);
      case NodeKind::kValues: return "values: " + counted(node.rows.size(), "row");
      case NodeKind::kTableFunction: return node.function + " " + node.access.index->name;
      case NodeKind::kFilter: return "filter " + exprs(node.conjuncts, " AND ");
      case NodeKind::kProject: return "project " + join(node.exprs, ", ", [&](const NamedExpr& e) { return expr(e.expr); });
      case NodeKind::kJoin: return join_text(node);
      case NodeKind::kAggregate: return aggregate_text(node);
      case NodeKind::kSort:
        return (node.limit ? "top by " : "sort by ") + join(node.keys, ", ", [&](const SortKey& k) { return sort_text(k); }) + limits(node);
      case NodeKind::kLimit: return limits(node).substr(1);
      case NodeKind::kDistinct: return "distinct";
      case NodeKind::kInsert: return "insert " + node.table->name;
      case NodeKind::kUpdate:
        return "update " + node.table->name + ": " + join(node.set_columns, ", ", [&](uint32_t c) { return node.table->columns[c].name; });
      case NodeKind::kDelete: return "delete " + node.table->name;
    }
    return {};
  }

  std::string sort_text(const SortKey& k) const {
    std::string out = expr(k.expr);
    if (k.descending) out += " DESC";
    if (k.nulls_first == k.descending) out += k.nulls_first ? " NULLS FIRST" : " NULLS LAST";
    return out;
  }

  static void quote(const std::string& text, std::string* out) {
    *out += '"';
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x20) {
        constexpr char kHex[] = "0123456789abcdef";
        *out += "\\u00";
        *out += kHex[byte >> 4];
        *out += kHex[byte & 15];
        continue;
      }
      if (c == '"' || c == '\\') *out += '\\';
      *out += c;
    }
    *out += '"';
  }

  const NodeTimes* times_;
  std::vector<std::string> names_;
  size_t scans_ = 0;
};

}  // namespace

std::vector<std::string> explain_lines(const Plan& plan, const NodeTimes* times) {
  std::vector<std::string> out;
  Explainer(plan, times).lines(*plan.root, 0, &out);
  return out;
}

std::string explain_json(const Plan& plan, const NodeTimes* times) {
  std::string out;
  Explainer(plan, times).json(*plan.root, &out);
  return out;
}

}  // namespace hdb
