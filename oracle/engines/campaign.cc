#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include "finding.h"
#include "model/generate.h"
#include "model/print.h"
#include "properties/experiment.h"
#include "shown.h"

namespace engines {

namespace {

using model::Expr;
using model::ExprPtr;
using model::Kind;
using model::Query;
using model::Role;
using model::TableDef;
using TablePtr = std::shared_ptr<const TableDef>;

struct Line {
  bool is_fact = true;
  model::Row row;
};
// One question about a few rows. The query's relations point into the tables.
struct Trial {
  TablePtr parent, fact;
  std::vector<Line> lines;
  Query query;
};

std::string insert_of(const Trial& t, const Line& line) { return model::print(model::insert_rows(line.is_fact ? t.fact : t.parent, {line.row})); }
std::vector<std::string> setup_of(const Trial& t, const std::vector<Line>& lines) {
  std::vector<std::string> out;
  if (t.parent != nullptr) out.push_back(model::print(model::create_table(t.parent)));
  if (t.fact != nullptr) out.push_back(model::print(model::create_table(t.fact)));
  for (const Line& line : lines) out.push_back(insert_of(t, line));
  return out;
}

// kOpen if a row is refused: then nothing is compared.
model::Outcome by_model(const Trial& t, const std::vector<Line>& lines) {
  model::Database database;
  model::Session session(database);
  model::Outcome open;
  open.ending = model::Ending::kOpen;
  for (const TablePtr& table : {t.parent, t.fact}) {
    if (table != nullptr) session.run(model::create_table(table));
  }
  for (const Line& line : lines) {
    if (session.run(model::insert_rows(line.is_fact ? t.fact : t.parent, {line.row})).ending != model::Ending::kDone) return open;
  }
  return session.run(model::query_statement(t.query));
}

bool all_of(const Expr& e, const std::function<bool(const Expr&)>& holds) {
  return holds(e) && std::all_of(e.kids.begin(), e.kids.end(), [&](const ExprPtr& kid) { return all_of(*kid, holds); });
}
void each(const Query& q, const std::function<void(const Expr&)>& visit) {
  const auto look = [&](const ExprPtr& e) {
    if (e != nullptr) all_of(*e, [&](const Expr& node) { return visit(node), true; });
  };
  for (const ExprPtr& e : q.outputs) look(e);
  for (const ExprPtr& e : q.group) look(e);
  for (const model::Relation& r : q.from) look(r.on);
  look(q.where);
  look(q.having);
}

class Campaign {
 public:
  Campaign(const External& engine, const Profile& profile) : engine_(engine), profile_(profile) {}

  Difference differs(const Trial& t, const std::vector<Line>& lines) const {
    const model::Outcome want = by_model(t, lines);
    if (want.ending == model::Ending::kOpen) return {};
    std::vector<std::string> all = setup_of(t, lines);
    all.push_back(model::print(t.query));
    const Difference d = difference(want, engine_.run(all).back());
    return profile_.known_for(all.back(), d.text) == nullptr ? d : Difference{};
  }
  // Still wrong in the same way?
  bool broken(const Trial& t, const std::string& kind) const { return differs(t, t.lines).kind == kind; }

  Trial smallest(Trial t, const std::string& kind) const {
    relax(t, kind);
    simpler_query(t, kind);
    fewer_rows(t, kind);
    simpler_query(t, kind);
    simpler_values(t, kind);
    fewer_columns(t, kind);
    fewer_rows(t, kind);
    return t;
  }

  static void point_at(Query& q, const Trial& from, const TablePtr& parent, const TablePtr& fact) {
    for (model::Relation& r : q.from) r.table = r.table == from.fact.get() ? fact.get() : parent.get();
  }

 private:
  // Constraints keep rows from being changed freely.
  void relax(Trial& t, const std::string& kind) const {
    const auto without = [](const TablePtr& table) {
      auto copy = std::make_shared<TableDef>(*table);
      for (model::Column& c : copy->columns) c.not_null = c.unique = false, c.references.clear();
      return copy;
    };
    Trial tried = t;
    tried.parent = without(t.parent), tried.fact = without(t.fact);
    point_at(tried.query, t, tried.parent, tried.fact);
    if (broken(tried, kind)) t = std::move(tried);
  }

  void simpler_query(Trial& t, const std::string& kind) const {
    for (bool smaller = true; smaller;) {
      smaller = false;
      std::vector<Query> variants;
      const Query& q = t.query;
      const auto variant = [&](auto change) {
        variants.push_back(q);
        change(variants.back());
      };
      if (q.limit >= 0 || q.offset > 0) variant([](Query& v) { v.limit = -1, v.offset = 0; });
      if (!q.order.empty() && q.limit < 0) variant([](Query& v) { v.order.clear(); });
      if (q.having) variant([](Query& v) { v.having = nullptr; });
      if (q.where) variant([](Query& v) { v.where = nullptr; });
      if (q.distinct) variant([](Query& v) { v.distinct = false; });
      for (size_t i = 0; q.outputs.size() > 1 && q.order.empty() && i < q.outputs.size(); ++i) variant([i](Query& v) { v.outputs = {v.outputs[i]}; });
      for (size_t i = 0; i < q.group.size(); ++i) {
        variant([i](Query& v) {
          const ExprPtr gone = v.group[i];
          v.group.erase(v.group.begin() + static_cast<std::ptrdiff_t>(i));
          v.outputs.erase(std::remove_if(v.outputs.begin(), v.outputs.end(), [&](const ExprPtr& e) { return model::same(*e, *gone); }), v.outputs.end());
        });
      }
      if (q.from.size() == 2) {
        bool second = false;
        each(q, [&](const Expr& e) { second |= e.op == model::Op::kColumn && e.relation == 1 && !within(q.from[1].on, e); });
        if (!second) variant([](Query& v) { v.from.pop_back(); });
      }
      for (Query& v : variants) {
        if (v.outputs.empty() || (v.having && !v.grouped())) continue;
        Trial tried = t;
        tried.query = std::move(v);
        if (!broken(tried, kind)) continue;
        t = std::move(tried);
        smaller = true;
        break;
      }
    }
    if (t.query.from.size() == 1) {  // the other table goes
      const bool fact_stays = t.query.from[0].table == t.fact.get();
      Trial tried = t;
      (fact_stays ? tried.parent : tried.fact) = nullptr;
      tried.lines.erase(std::remove_if(tried.lines.begin(), tried.lines.end(), [&](const Line& l) { return l.is_fact != fact_stays; }), tried.lines.end());
      if (broken(tried, kind)) t = std::move(tried);
    }
  }
  static bool within(const ExprPtr& tree, const Expr& e) {
    return tree != nullptr && !all_of(*tree, [&](const Expr& node) { return &node != &e; });
  }

  void fewer_rows(Trial& t, const std::string& kind) const {
    std::map<std::string, Line> line_of;
    judge::Experiment e;
    for (const Line& line : t.lines) {
      e.setup.push_back(insert_of(t, line));
      line_of[e.setup.back()] = line;
    }
    const auto lines_of = [&](const judge::Experiment& tried) {
      std::vector<Line> out;
      for (const std::string& sql : tried.setup) out.push_back(line_of.at(sql));
      return out;
    };
    const judge::Law law = [&](judge::Script&, const judge::Experiment& tried) {
      const Difference d = differs(t, lines_of(tried));
      return d.kind == kind ? d.text : "";
    };
    t.lines = lines_of(judge::shrink([] { return std::make_unique<NoPeer>(); }, e, law, 20000));
  }

  // Cells to NULL; then large integers of a column to the first ones that a double cannot hold, their distances kept.
  void simpler_values(Trial& t, const std::string& kind) const {
    const auto accept = [&](const Trial& tried) {
      if (!broken(tried, kind)) return false;
      t = tried;
      return true;
    };
    for (size_t i = 0; i < t.lines.size(); ++i) {
      const TableDef& table = t.lines[i].is_fact ? *t.fact : *t.parent;
      for (size_t c = 0; c < table.columns.size(); ++c) {
        if (t.lines[i].row[c].is_null() || table.columns[c].primary) continue;
        Trial tried = t;
        tried.lines[i].row[c] = model::Value{};
        accept(tried);
      }
    }
    const bool of_fact = t.fact != nullptr;
    const TableDef& table = of_fact ? *t.fact : *t.parent;
    for (size_t c = 0; c < table.columns.size(); ++c) {
      if (table.columns[c].type.kind != Kind::kInt) continue;
      model::Wide least = 0;
      const auto size_of = [](model::Wide n) { return n < 0 ? -n : n; };
      for (const Line& line : t.lines) {
        if (line.is_fact != of_fact || line.row[c].is_null()) continue;
        const model::Wide size = size_of(line.row[c].n);
        if (size > (int64_t{1} << 50) && (least == 0 || size < least)) least = size;
      }
      if (least == 0) continue;
      Trial small = t, turned = t;
      for (size_t i = 0; i < t.lines.size(); ++i) {
        model::Value& v = small.lines[i].row[c];
        if (t.lines[i].is_fact != of_fact || v.is_null() || size_of(v.n) < least) continue;
        const model::Wide n = (int64_t{1} << 53) + 1 + (size_of(v.n) - least);
        v.n = v.n < 0 ? -n : n;
      }
      accept(small);
      turned = t;
      for (Line& line : turned.lines) {
        if (line.is_fact == of_fact && !line.row[c].is_null()) line.row[c].n = -line.row[c].n;
      }
      if (!t.lines.empty() && !t.lines[0].row[c].is_null() && t.lines[0].row[c].n < 0) accept(turned);
    }
  }

  // Columns that are NULL everywhere and not asked for.
  void fewer_columns(Trial& t, const std::string& kind) const {
    if ((t.fact != nullptr) == (t.parent != nullptr)) return;
    const TablePtr table = t.fact != nullptr ? t.fact : t.parent;
    std::set<int> used;
    each(t.query, [&](const Expr& e) {
      if (e.op == model::Op::kColumn) used.insert(e.column);
    });
    for (size_t c = 0; c < table->columns.size(); ++c) {
      if (table->columns[c].primary) used.insert(static_cast<int>(c));
      for (const Line& line : t.lines) {
        if (!line.row[c].is_null()) used.insert(static_cast<int>(c));
      }
    }
    auto narrow = std::make_shared<TableDef>();
    narrow->name = table->name;
    std::map<int, int> place;
    for (int c : used) place[c] = static_cast<int>(place.size()), narrow->columns.push_back(table->columns[static_cast<size_t>(c)]);
    const std::function<ExprPtr(const ExprPtr&)> moved = [&](const ExprPtr& e) -> ExprPtr {
      if (e == nullptr) return nullptr;
      auto copy = std::make_shared<Expr>(*e);
      if (copy->op == model::Op::kColumn) copy->column = place.at(copy->column);
      for (ExprPtr& kid : copy->kids) kid = moved(kid);
      return copy;
    };
    Trial tried = t;
    (t.fact != nullptr ? tried.fact : tried.parent) = narrow;
    for (Line& line : tried.lines) {
      model::Row row;
      for (int c : used) row.push_back(line.row[static_cast<size_t>(c)]);
      line.row = std::move(row);
    }
    for (model::Relation& r : tried.query.from) r.table = narrow.get();
    for (ExprPtr& e : tried.query.outputs) e = moved(e);
    for (ExprPtr& e : tried.query.group) e = moved(e);
    tried.query.where = moved(t.query.where), tried.query.having = moved(t.query.having);
    if (tried.query.from.size() == 1 && broken(tried, kind)) t = std::move(tried);
  }

  const External& engine_;
  const Profile& profile_;
};

// The model's schemas, without DECIMAL where the engine has none.
model::Schema schema_for(model::Random& r, const Profile& profile) {
  for (;;) {
    model::Schema schema = model::random_schema(r, {});
    const auto exact = [](const model::Column& c) { return c.type.kind == Kind::kDec; };
    if (profile.decimals || std::none_of(schema.fact->columns.begin(), schema.fact->columns.end(), exact)) return schema;
  }
}

// Near negatives: what is left of a sum is small, what was added is not.
std::vector<Line> lines_for(model::Random& r, const model::Schema& schema) {
  std::vector<Line> out;
  const int64_t parents = r.range(1, 5), facts = r.range(1, 16);
  for (int64_t i = 1; i <= parents; ++i) out.push_back({false, model::random_row(r, *schema.parent, i, parents, true)});
  model::Row before;
  for (int64_t i = 1; i <= facts; ++i) {
    model::Row row = model::random_row(r, *schema.fact, i, parents, true);
    for (int c : model::columns_of(*schema.fact, {Role::kHuge, Role::kGrowing})) {
      const auto at = static_cast<size_t>(c);
      if (before.empty() || before[at].is_null() || !r.chance(40)) continue;
      const model::Wide n = -before[at].n + r.range(-2, 2);
      if (n >= INT64_MIN && n <= INT64_MAX) row[at] = model::make_int(static_cast<int64_t>(n));
    }
    before = row;
    out.push_back({true, std::move(row)});
  }
  return out;
}

// What differs, and in which aggregate: one finding of each kind.
std::string kind_of(const Trial& t, const std::string& kind) {
  std::set<std::string> names;
  each(t.query, [&](const Expr& e) {
    static const char* kNames[] = {"COUNT(*)", "COUNT", "COUNT(DISTINCT)", "SUM", "SUM", "AVG", "MIN", "MAX"};
    if (e.op == model::Op::kAggregate) names.insert(kNames[static_cast<size_t>(e.fn)] + std::string(e.kids.empty() ? "" : " of " + model::type_name(e.kids[0]->type)));
  });
  std::string out = kind;
  for (const std::string& name : names) out += " " + name;
  return out;
}

}  // namespace

Found campaign(uint64_t seed, int rounds, double seconds, size_t findings_max, const External& engine, const Profile& profile) {
  Found out;
  std::map<std::string, uint64_t> known;
  std::set<std::string> kinds, seen;
  const Campaign c(engine, profile);
  const auto start = std::chrono::steady_clock::now();
  for (int round = 0; round < rounds && out.findings.size() < findings_max; ++round) {
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > seconds) break;
    model::Random r(model::seed_for(seed, "round-" + std::to_string(round)));
    Trial t;
    const model::Schema schema = schema_for(r, profile);
    t.parent = schema.parent, t.fact = schema.fact, t.lines = lines_for(r, schema);
    model::Wishes wishes;
    wishes.sqlite = true;
    std::vector<Query> questions = model::standing_panel(r, schema, wishes);
    for (int i = 0; i < 12; ++i) questions.push_back(model::random_query(r, schema, wishes));
    std::vector<std::string> script = setup_of(t, t.lines);
    const size_t first = script.size();
    for (const Query& q : questions) script.push_back(model::print(q));
    const std::vector<Answer> answers = engine.run(script);
    ++out.rounds;
    for (size_t i = 0; i < questions.size() && out.findings.size() < findings_max; ++i) {
      t.query = questions[i];
      ++out.compared;
      const Difference d = difference(by_model(t, t.lines), answers[first + i]);
      if (d.kind.empty()) continue;
      if (const Known* k = profile.known_for(script[first + i], d.text)) {
        ++known[k->name];
        continue;
      }
      if (!seen.insert(kind_of(t, d.kind)).second) continue;
      const Trial small = c.smallest(t, d.kind);
      Finding f;
      f.kind = kind_of(small, d.kind);
      if (!kinds.insert(f.kind).second) continue;
      f.setup = setup_of(small, small.lines), f.question = model::print(small.query);
      const model::Outcome want = by_model(small, small.lines);
      judge::Engine database;
      const auto connection = database.connection();
      for (const std::string& sql : f.setup) connection->run(sql);
      const judge::Reply ours = connection->run(f.question);
      std::vector<std::string> all = f.setup;
      all.push_back(f.question);
      const Answer theirs = engine.run(all).back();
      f.text = difference(want, theirs).text;
      f.model = shown(answer_from(want));
      if (want.ending == model::Ending::kRows) f.slt = slt_of(f.setup, f.question, want.result);
      judge_finding(f, ours, theirs, engine, judge::difference(want, ours).empty());
      out.findings.push_back(std::move(f));
    }
  }
  out.known.assign(known.begin(), known.end());
  return out;
}

}  // namespace engines
