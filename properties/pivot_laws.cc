// Pivot rows: an evaluator that shares nothing with the engine (spec/model) says what a random condition is for one chosen row; the condition
// is turned so that it is true for that row, and the row must be in the answer. One row shows what a comparison of whole results
// would hide: a row that is lost by every path at once.
//
// Invariants checked: ID5 the pivot row is selected, counted, aggregated, joined, updated and deleted; under settings that must not matter,
// inside of a transaction with the pivot row just inserted, and after ROLLBACK.
#include "experiment.h"
#include "laws.h"
#include "model/evaluate.h"
#include "model/print.h"

namespace judge {

namespace {

using model::ExprPtr;
using model::Op;
using model::Row;

// The condition as it must stand to be true for the row; null if the row has no value for it.
ExprPtr rectified(const ExprPtr& p, const std::vector<const Row*>& rows) {
  try {
    const model::Value v = model::evaluate(*p, rows);
    if (v.is_null()) return model::unary(Op::kIsNull, p);
    return v.truth() ? p : model::unary(Op::kNot, p);
  } catch (const model::Fault&) {
    return nullptr;
  }
}

// Conditions inside of a condition, to be tried in its place.
std::vector<ExprPtr> parts_of(const ExprPtr& p) {
  std::vector<ExprPtr> out;
  for (const ExprPtr& kid : p->kids) {
    if (kid->type.kind == model::Kind::kBool && !model::has_aggregate(*kid)) out.push_back(kid);
    for (const ExprPtr& part : parts_of(kid)) out.push_back(part);
  }
  return out;
}

struct Pivot {
  World world;
  std::vector<model::Relation> from;
  std::vector<const Row*> rows;  // of the relations, in the world
  std::string fact, parent;      // their keys
};

std::string where_of(const Pivot& pivot, const ExprPtr& condition) {
  model::Query q;
  q.from = pivot.from;
  q.where = condition;
  q.outputs = {model::column(q.from, 0, pivot.from[0].table->primary())};
  const std::string text = model::print(q);
  return text.substr(text.find(" FROM "));
}

// Asks about one condition, already rectified. Empty if the pivot row is where it should be.
std::string lost(Script& s, const Pivot& pivot, const ExprPtr& condition, const std::string& table) {
  const std::string rest = where_of(pivot, condition);
  const std::string key =
      (pivot.from.size() > 1 ? pivot.from[0].alias + "." : "") + pivot.from[0].table->columns[static_cast<size_t>(pivot.from[0].table->primary())].name;
  bool found = false;
  uint64_t count = 0;
  for (const std::string& row : s.rows("SELECT " + key + rest)) found |= row == "'" + pivot.fact + "'", ++count;
  if (!found) return "ID5: the pivot row " + pivot.fact + " is not selected";
  const std::string counted = s.one("SELECT COUNT(*), MIN(" + key + ") <= " + pivot.fact + ", MAX(" + key + ") >= " + pivot.fact + rest);
  if (counted != "'" + std::to_string(count) + "'|'true'|'true'") return "ID5: " + std::to_string(count) + " rows, aggregated to " + counted;
  const size_t where = rest.find(" WHERE ") + 7;
  const std::string with_key = rest.substr(0, where) + "(" + rest.substr(where) + ") AND " + key + " = " + pivot.fact;
  if (s.one("SELECT COUNT(*)" + with_key) != "'1'" && pivot.from.size() == 1) return "ID5: the pivot row is not found by its key and the condition";
  if (pivot.from.size() > 1 || table.empty()) return "";
  const std::string all = s.one("SELECT COUNT(*) FROM " + table);
  s.run("BEGIN");
  s.run("DELETE FROM " + table + rest.substr(rest.find(" WHERE ")));
  const std::string left = s.one("SELECT COUNT(*) FROM " + table + " WHERE id = " + pivot.fact);
  s.run("ROLLBACK");
  if (left != "'0'") return "ID5: DELETE by the condition left the pivot row";
  return s.one("SELECT COUNT(*) FROM " + table) == all ? "" : "ID5: ROLLBACK did not bring back every row";
}

Pivot random_pivot(model::Random& r) {
  Pivot pivot;
  pivot.world = random_world(r, r.range(1, 6), r.range(1, 40));
  const World& w = pivot.world;
  const Row& fact = w.facts[r.below(w.facts.size())];
  model::Relation first;
  first.table = w.schema.fact.get();
  first.alias = "r0";
  pivot.from = {first};
  pivot.rows = {&fact};
  pivot.fact = model::to_text(fact[static_cast<size_t>(w.schema.fact->primary())]);
  int foreign = -1;
  for (int c : model::columns_of(*w.schema.fact, {model::Role::kForeign})) foreign = c;
  if (foreign < 0 || fact[static_cast<size_t>(foreign)].is_null() || r.chance(50)) return pivot;
  const model::Value& key = fact[static_cast<size_t>(foreign)];
  const auto primary = static_cast<size_t>(w.schema.parent->primary());
  for (const Row& parent : w.parents) {
    if (parent[primary].is_null() || model::compare(parent[primary], key) != 0) continue;
    model::Relation second;
    second.table = w.schema.parent.get();
    second.alias = "r1";
    second.join = r.chance(70) ? model::JoinKind::kInner : model::JoinKind::kLeft;
    pivot.from.push_back(second);
    pivot.from[1].on = model::binary(Op::kEq, model::column(pivot.from, 0, foreign), model::column(pivot.from, 1, static_cast<int>(primary)));
    pivot.rows.push_back(&parent);
    break;
  }
  return pivot;
}

std::vector<std::string> script_of_world(const Pivot& pivot, model::Random& r) {
  const World& w = pivot.world;
  std::vector<std::string> out = {model::print(model::create_table(w.schema.parent)), model::print(model::create_table(w.schema.fact))};
  if (r.chance(60)) out.push_back(model::print(model::create_summary(model::random_summary(r, *w.schema.fact, "s"), w.schema.fact)));
  for (const model::Column& column : w.schema.fact->columns) {
    if (!column.primary && !column.unique && r.chance(25)) out.push_back("CREATE UNIQUE INDEX i_" + column.name + " ON f(" + column.name + ", id)");
  }
  for (const Row& row : w.parents) out.push_back(model::print(model::insert_rows(w.schema.parent, {row})));
  for (const Row& row : w.facts) out.push_back(model::print(model::insert_rows(w.schema.fact, {row})));
  return out;
}

// On a broken law: the condition is cut down first, then the script (experiment.h).
[[noreturn]] void broken(const Pivot& pivot, Experiment e, ExprPtr p, const NewPeer& new_peer, const std::string& name, const Trial& seen) {
  const auto law_of = [&pivot](const ExprPtr& condition) -> Law {
    return [&pivot, condition](Script& s, const Experiment&) { return lost(s, pivot, condition, "f"); };
  };
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (const ExprPtr& part : parts_of(p)) {
      const ExprPtr condition = rectified(part, pivot.rows);
      if (condition == nullptr || attempt(new_peer, e, law_of(condition)).verdict != Verdict::kBroken) continue;
      p = part;
      smaller = true;
      break;
    }
  }
  // A script without the pivot row would break the law too: it is kept, with the tables, and with the parent that it joins.
  const Law law = [&pivot, condition = rectified(p, pivot.rows)](Script& s, const Experiment&) -> std::string {
    if (s.one("SELECT COUNT(*) FROM f WHERE COALESCE(id, 0) = " + pivot.fact) != "'1'") return "";
    if (pivot.from.size() > 1 && s.one(model::print([&] {
          model::Query q;
          q.from = pivot.from;
          const int key = q.from[0].table->primary();
          q.where = model::binary(Op::kEq, model::column(q.from, 0, key), model::literal((*pivot.rows[0])[static_cast<size_t>(key)], model::int_type()));
          q.outputs = {model::aggregate(model::Fn::kCountStar)};
          return q;
        }())) != "'1'")
      return "";
    return lost(s, pivot, condition, "f");
  };
  report_broken(new_peer, e, law, name, seen);
}

class PivotEngine : public Peer {
 public:
  PivotEngine() : connection_(engine_.connection()) {}
  Reply run(const std::string& sql) override { return connection_->run(sql); }
  Reply append(const model::TableDef& table, const std::vector<Row>& rows) override { return connection_->append(table, rows); }

 private:
  Engine engine_;
  std::unique_ptr<Connection> connection_;
};

void pivots(Context& context, const std::string& name) {
  model::Random& r = context.random;
  const NewPeer new_peer = [] { return std::make_unique<PivotEngine>(); };
  const Pivot pivot = random_pivot(r);
  Experiment e;
  e.setup = script_of_world(pivot, r);
  const std::unique_ptr<Peer> peer = new_peer();
  for (const std::string& sql : e.setup) {
    const Reply reply = peer->run(sql);
    if (!reply.ok) throw Failure{"wrong-result", reply.state + " " + reply.message + "\n  " + sql};
  }
  for (int round = 0; round < 25; ++round) {
    e.settings = {std::string("SET summary_mode = ") + (r.chance(60) ? "auto" : "off"), std::string("SET indexes = ") + (r.chance(70) ? "on" : "off"),
                  std::string("SET block_cells = ") + (r.chance(70) ? "on" : "off"), std::string("SET limbs = ") + (r.chance(70) ? "on" : "off"),
                  std::string("SET threads = ") + (r.chance(70) ? "1" : "3")};
    for (const std::string& sql : e.settings) peer->run(sql);
    const ExprPtr p = model::random_predicate(r, pivot.from, static_cast<int>(r.range(1, 3)));
    const ExprPtr condition = rectified(p, pivot.rows);
    if (condition == nullptr) continue;
    const Trial trial = ask(*peer, e, [&](Script& s, const Experiment&) { return lost(s, pivot, condition, "f"); });
    if (trial.verdict == Verdict::kHolds) report::checked();
    if (trial.verdict == Verdict::kBroken) broken(pivot, e, p, new_peer, name, trial);
  }
}

}  // namespace

std::vector<Case> pivot_laws() {
  std::vector<Case> cases;
  for (int i = 0; i < 40; ++i) {
    const std::string name = "pivot-" + std::to_string(i);
    cases.push_back({name, "ID5", [name](Context& c) { pivots(c, name); }});
  }
  return cases;
}

}  // namespace judge
