#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "evaluate.h"

namespace model {

namespace {

using Combination = std::vector<const Row*>;

void conjuncts(const ExprPtr& e, std::vector<ExprPtr>& out) {
  if (e->op == Op::kAnd) {
    conjuncts(e->kids[0], out);
    conjuncts(e->kids[1], out);
  } else {
    out.push_back(e);
  }
}

// `a.x = b.y` between an earlier relation and `relation`: lets the join look only at rows that can match. The whole ON condition
// is still evaluated for each of them.
const Expr* find_key(const ExprPtr& on, int relation, const Expr** other) {
  std::vector<ExprPtr> parts;
  conjuncts(on, parts);
  for (const ExprPtr& p : parts) {
    if (p->op != Op::kEq || p->kids[0]->op != Op::kColumn || p->kids[1]->op != Op::kColumn) continue;
    for (int side = 0; side < 2; ++side) {
      const Expr* mine = p->kids[static_cast<size_t>(side)].get();
      const Expr* theirs = p->kids[static_cast<size_t>(1 - side)].get();
      if (mine->relation == relation && theirs->relation < relation) {
        *other = theirs;
        return mine;
      }
    }
  }
  return nullptr;
}

std::vector<Combination> join_next(std::vector<Combination> left, const Relation& relation, int index, const Table& table) {
  std::vector<Combination> out;
  const Expr* theirs = nullptr;
  const Expr* mine = relation.on ? find_key(relation.on, index, &theirs) : nullptr;
  std::vector<const Row*> all;
  std::unordered_map<std::string, std::vector<const Row*>> by_key;
  for (const RowPtr& row : table.rows) {
    if (mine != nullptr) {
      by_key[key_of((*row)[static_cast<size_t>(mine->column)])].push_back(row.get());
    } else {
      all.push_back(row.get());
    }
  }
  static const std::vector<const Row*> kNone;
  for (Combination& c : left) {
    const std::vector<const Row*>* candidates = &all;
    if (mine != nullptr) {
      const auto found = by_key.find(key_of(evaluate(*theirs, c)));
      candidates = found == by_key.end() ? &kNone : &found->second;
    }
    bool matched = false;
    c.push_back(nullptr);
    for (const Row* row : *candidates) {
      c.back() = row;
      if (relation.on && !evaluate(*relation.on, c).truth()) continue;
      matched = true;
      out.push_back(c);
    }
    if (!matched && relation.join == JoinKind::kLeft) {
      c.back() = nullptr;
      out.push_back(c);
    }
  }
  return out;
}

Value sum_of(const std::vector<Value>& values, const Type& type) {
  if (values.empty()) return Value{};
  if (type.kind == Kind::kDbl) {
    RealSum sum;
    for (const Value& v : values) sum.add(v.d);
    return make_dbl(sum.total());
  }
  Big sum = 0;
  for (const Value& v : values) sum += to_big(v.n);
  return type.kind == Kind::kInt ? make_int_checked(sum) : make_dec_checked(sum, values[0].scale);
}

Value average_of(const std::vector<Value>& values, const Type& argument) {
  if (values.empty()) return Value{};
  const int64_t count = static_cast<int64_t>(values.size());
  if (argument.kind == Kind::kDbl) {
    RealSum sum;
    for (const Value& v : values) sum.add(v.d);
    return make_dbl(sum.average(count));
  }
  Big sum = 0;
  for (const Value& v : values) sum += to_big(v.n);
  if (argument.kind == Kind::kInt) return make_dbl(round_ratio(sum, count));
  return make_dec_checked(divide_half_away(sum * power_of_ten(6), count), argument.scale + 6);
}

Value aggregate_value(const Expr& e, const std::vector<Combination>& group) {
  if (e.fn == Fn::kCountStar) return make_int(static_cast<int64_t>(group.size()));
  std::vector<Value> values;
  for (const Combination& c : group) {
    Value v = evaluate(*e.kids[0], c);
    if (!v.is_null()) values.push_back(std::move(v));
  }
  switch (e.fn) {
    case Fn::kCount:
      return make_int(static_cast<int64_t>(values.size()));
    case Fn::kCountDistinct: {
      std::unordered_set<std::string> keys;
      for (const Value& v : values) keys.insert(key_of(v));
      return make_int(static_cast<int64_t>(keys.size()));
    }
    case Fn::kSum:
      return sum_of(values, e.type);
    case Fn::kSumExact:
      return sum_of(values, e.type);
    case Fn::kAvg:
      return average_of(values, e.kids[0]->type);
    default:
      break;
  }
  if (values.empty()) return Value{};
  const auto less = [](const Value& a, const Value& b) { return compare(a, b) < 0; };
  return e.fn == Fn::kMin ? *std::min_element(values.begin(), values.end(), less) : *std::max_element(values.begin(), values.end(), less);
}

// The expression with every aggregate replaced by its value over the group.
ExprPtr settle(const ExprPtr& e, const std::vector<Combination>& group) {
  if (e->op == Op::kAggregate) return literal(aggregate_value(*e, group), e->type);
  if (!has_aggregate(*e)) return e;
  auto copy = std::make_shared<Expr>(*e);
  for (ExprPtr& kid : copy->kids) kid = settle(kid, group);
  return copy;
}

struct Output {
  Row row;
  bool faulty = false;
  Fault fault{""};
};

std::vector<Output> grouped_outputs(const Query& q, const std::vector<Combination>& rows, bool& open) {
  std::vector<std::vector<Combination>> groups;
  if (q.group.empty()) {
    groups.push_back(rows);
  } else {
    std::unordered_map<std::string, size_t> index;
    for (const Combination& c : rows) {
      std::string key;
      for (const ExprPtr& g : q.group) key += key_of(evaluate(*g, c));
      const auto [at, fresh] = index.try_emplace(key, groups.size());
      if (fresh) groups.emplace_back();
      groups[at->second].push_back(c);
    }
  }
  std::vector<Output> out;
  for (const std::vector<Combination>& group : groups) {
    const Combination empty(q.from.size(), nullptr);
    const Combination& first = group.empty() ? empty : group.front();
    Output o;
    bool kept = true;
    try {
      if (q.having) kept = evaluate(*settle(q.having, group), first).truth();
    } catch (const Fault& f) {
      o.faulty = true;
      o.fault = f;
    }
    try {
      for (const ExprPtr& e : q.outputs) o.row.push_back(evaluate(*settle(e, group), first));
    } catch (const Fault& f) {
      o.faulty = true;
      o.fault = f;
    }
    if (!kept && o.faulty) open = true;
    if (kept) out.push_back(std::move(o));
  }
  return out;
}

int order_values(const Value& a, const Value& b) {  // NULLs first ascending
  if (a.is_null() || b.is_null()) return (a.is_null() ? 0 : 1) - (b.is_null() ? 0 : 1);
  return compare(a, b);
}

}  // namespace

void finish_query(const Query& q, Result& result) {
  if (q.distinct) {
    std::set<std::string> seen;
    std::vector<Row> kept;
    for (Row& row : result.rows) {
      std::string key;
      for (const Value& v : row) key += key_of(v);
      if (seen.insert(key).second) kept.push_back(std::move(row));
    }
    result.rows = std::move(kept);
  }
  if (!q.order.empty()) {
    result.ordered = true;
    std::sort(result.rows.begin(), result.rows.end(), [&q](const Row& a, const Row& b) {
      for (const OrderKey& k : q.order) {
        const int o = order_values(a[static_cast<size_t>(k.output)], b[static_cast<size_t>(k.output)]);
        if (o != 0) return k.descending ? o > 0 : o < 0;
      }
      return false;
    });
  }
  const size_t skip = std::min(result.rows.size(), static_cast<size_t>(q.offset));
  result.rows.erase(result.rows.begin(), result.rows.begin() + static_cast<std::ptrdiff_t>(skip));
  if (q.limit >= 0 && result.rows.size() > static_cast<size_t>(q.limit)) result.rows.resize(static_cast<size_t>(q.limit));
}

Result run_query(const Query& q, const TableLookup& tables) {
  std::vector<Combination> rows;
  for (size_t i = 0; i < q.from.size(); ++i) {
    const Table& table = tables(q.from[i].table->name);
    if (i == 0) {
      for (const RowPtr& row : table.rows) rows.push_back({row.get()});
    } else {
      rows = join_next(std::move(rows), q.from[i], static_cast<int>(i), table);
    }
  }
  if (q.where) {
    std::vector<Combination> kept;
    for (Combination& c : rows) {
      if (evaluate(*q.where, c).truth()) kept.push_back(std::move(c));
    }
    rows = std::move(kept);
  }
  Result result;
  for (const ExprPtr& e : q.outputs) result.types.push_back(e->type);
  if (q.grouped()) {
    for (Output& o : grouped_outputs(q, rows, result.open)) {
      if (o.faulty) {
        if (q.limit < 0 && q.offset == 0 && !result.open) throw o.fault;
        result.open = true;
        continue;
      }
      result.rows.push_back(std::move(o.row));
    }
  } else {
    for (const Combination& c : rows) {
      Row row;
      for (const ExprPtr& e : q.outputs) row.push_back(evaluate(*e, c));
      result.rows.push_back(std::move(row));
    }
  }
  finish_query(q, result);
  return result;
}

}  // namespace model
