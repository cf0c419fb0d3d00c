// The laws of the group that carries the engine, seen through SQL: totals over disjoint parts add up, what is added and taken away
// again leaves no trace, an update is a delete and an insert. No judge: the engine is compared with itself.
//
// Invariants checked: PL1 total(R) = total(p) + total(NOT p) + total(p IS NULL); PL2 the groups add up to the total;
// PL3 insert then delete, and any change then ROLLBACK, is nothing; PL4 update = delete + insert. PL5 groups by parts of a date are those of
// a scan, and add up to the total.
#include <iterator>

#include "laws.h"
#include "model/print.h"

namespace judge {

namespace {

using model::Big;
using model::Query;

// COUNT(*) and an exact sum of each integer measure of the fact table.
std::vector<model::ExprPtr> exact_cell(const std::vector<model::Relation>& from) {
  std::vector<model::ExprPtr> out = {model::aggregate(model::Fn::kCountStar)};
  for (int c : model::columns_of(*from[0].table, {model::Role::kSmall, model::Role::kHuge, model::Role::kGrowing})) {
    out.push_back(model::aggregate(model::Fn::kSumExact, model::column(from, 0, c)));
    out.push_back(model::aggregate(model::Fn::kCount, model::column(from, 0, c)));
  }
  return out;
}

void add(std::vector<Big>& totals, const std::vector<Cell>& row, size_t first) {
  totals.resize(row.size() - first);
  for (size_t i = first; i < row.size(); ++i) {
    if (!row[i].null) totals[i - first] += Big(row[i].text);
  }
}

std::vector<Big> totals_of(Connection& c, const Query& q, size_t keys) {
  std::vector<Big> totals;
  const Reply reply = must(c, model::print(q));
  for (const auto& row : reply.rows) add(totals, row, keys);
  if (reply.rows.empty()) totals.resize(q.outputs.size() - keys);
  return totals;
}

// PL5, for each DATE of the fact table. `plain` is the total's question.
void parts_of_dates(Connection& c, model::Random& r, const model::TableDef& fact, const Query& plain) {
  static const char* const kParts[] = {"EXTRACT(month FROM @)", "EXTRACT(dow FROM @)", "EXTRACT(year FROM @)", "EXTRACT(week FROM @)", "DATE_TRUNC('month', @)",
                                       "DATE_TRUNC('week', @)", "EXTRACT(day FROM @)"};
  for (const int d : model::columns_of(fact, {model::Role::kDay})) {
    must(c, "CREATE INDEX parts ON f USING SUMMARY (" + fact.columns[static_cast<size_t>(d)].name + ", g) INCLUDE (a, q, w)");
    for (int round = 0; round < 2; ++round) {
      std::string part = kParts[r.below(std::size(kParts))];
      part.replace(part.find('@'), 1, fact.columns[static_cast<size_t>(d)].name);
      std::string sql = model::print(plain);
      sql.insert(sql.find(' '), " " + part + " AS part,");
      sql += " GROUP BY " + part + " ORDER BY part";
      must(c, "SET summary_mode = off");
      const Reply scanned = must(c, sql);
      must(c, "SET summary_mode = auto");
      const Reply reply = must(c, sql);
      const auto text = [](const Reply& one) {
        std::string out;
        for (const auto& row : one.rows) {
          for (const Cell& cell : row) out += (cell.null ? "NULL" : cell.text) + "|";
        }
        return out;
      };
      require(text(reply) == text(scanned), "PL5: the groups by a part of a date are others than a scan's\n  " + sql);
      std::vector<Big> sum(plain.outputs.size());
      for (const auto& row : reply.rows) add(sum, row, 1);
      require(sum == totals_of(c, plain, 0), "PL5: the groups by a part of a date do not add up to the table\n  " + sql);
      must(c, round == 0 ? "UPDATE f SET a = 7 WHERE id % 7 = 3" : "DELETE FROM f WHERE id % 5 = 1");
    }
  }
}

std::string random_mode(model::Random& r) { return r.chance(60) ? "auto" : "off"; }

void parts_add_up(Context& context) {
  model::Random& r = context.random;
  const World w = random_world(r, 10, r.range(1, 90));
  Engine engine;
  const auto c = engine.connection();
  create(*c, w);
  if (r.chance(60)) must(*c, model::print(model::create_summary(model::random_summary(r, *w.schema.fact, "s"), w.schema.fact)));
  insert(*c, w.schema.parent, w.parents, 50);
  insert(*c, w.schema.fact, w.facts, 7);
  Query q;
  model::Relation only;
  only.table = w.schema.fact.get();
  only.alias = "r0";
  q.from = {only};
  q.outputs = exact_cell(q.from);
  const std::vector<Big> total = totals_of(*c, q, 0);
  for (int round = 0; round < 12; ++round) {
    must(*c, "SET summary_mode = " + random_mode(r));
    const model::ExprPtr p = model::random_predicate(r, q.from, 2);
    std::vector<Big> sum(total.size());
    for (const model::ExprPtr& part : {p, model::unary(model::Op::kNot, p), model::unary(model::Op::kIsNull, p)}) {
      Query piece = q;
      piece.where = part;
      const std::vector<Big> t = totals_of(*c, piece, 0);
      for (size_t i = 0; i < t.size(); ++i) sum[i] += t[i];
    }
    Query where = q;
    where.where = p;
    require(sum == total, "PL1: WHERE p, NOT p and p IS NULL do not add up to the table\n  " + model::print(where));
  }
  for (int d : model::columns_of(*w.schema.fact, {model::Role::kDimension, model::Role::kForeign, model::Role::kFlag, model::Role::kDay})) {
    must(*c, "SET summary_mode = " + random_mode(r));
    Query grouped = q;
    grouped.group = {model::column(q.from, 0, d)};
    grouped.outputs.insert(grouped.outputs.begin(), grouped.group[0]);
    require(totals_of(*c, grouped, 1) == total, "PL2: the groups do not add up to the table\n  " + model::print(grouped));
  }
  parts_of_dates(*c, r, *w.schema.fact, q);
}

void traceless(Context& context) {
  model::Random& r = context.random;
  const World w = random_world(r, 10, r.range(2, 60));
  Engine engine;
  const auto c = engine.connection();
  create(*c, w);
  const bool summary = r.chance(75);
  if (summary) must(*c, model::print(model::create_summary(model::random_summary(r, *w.schema.fact, "s"), w.schema.fact)));
  insert(*c, w.schema.parent, w.parents, 50);
  insert(*c, w.schema.fact, w.facts, 20);
  for (int round = 0; round < 4; ++round) {
    const std::vector<Reply> before = answers(*c, w.panel);
    std::vector<model::Row> extra;
    for (int64_t i = 0; i < r.range(1, 9); ++i) extra.push_back(model::random_row(r, *w.schema.fact, 100000 + i, 10, true));
    insert(*c, w.schema.fact, extra, 1 + r.below(4));
    if (r.chance(50)) answers(*c, w.panel);  // caches are filled while the rows are there
    must(*c, "DELETE FROM f WHERE id >= 100000");
    same_answers(w.panel, before, answers(*c, w.panel), "PL3: insert, then delete");
    must(*c, "BEGIN");
    insert(*c, w.schema.fact, extra, 3);
    if (r.chance(50)) must(*c, "SAVEPOINT a");
    must(*c, "DELETE FROM f WHERE id % 3 = 1");
    if (r.chance(50)) answers(*c, w.panel);
    must(*c, "UPDATE f SET a = 5, q = -9223372036854775807, h = 3 WHERE id % 2 = 0");
    must(*c, "ROLLBACK");
    same_answers(w.panel, before, answers(*c, w.panel), "PL3: changes, then ROLLBACK");
  }
  if (summary) verify_summary(*c, "s");
}

void update_is_delete_and_insert(Context& context) {
  model::Random& r = context.random;
  World w = random_world(r, 10, r.range(2, 50));
  const model::SummaryDef summary = model::random_summary(r, *w.schema.fact, "s");
  Engine one, two;
  const auto a = one.connection(), b = two.connection();
  for (Connection* c : {a.get(), b.get()}) {
    create(*c, w);
    insert(*c, w.schema.parent, w.parents, 50);
    insert(*c, w.schema.fact, w.facts, 20);
    must(*c, model::print(model::create_summary(summary, w.schema.fact)));
  }
  for (int round = 0; round < 15; ++round) {
    const size_t i = r.below(w.facts.size());
    model::Row next = model::random_row(r, *w.schema.fact, static_cast<int64_t>(w.facts[i][0].n), 10, true);
    model::Statement update;
    update.act = model::Act::kUpdate;
    update.name = "f";
    update.table = w.schema.fact;
    for (size_t c = 1; c < next.size(); ++c) {
      if (w.schema.fact->columns[c].unique) next[c] = w.facts[i][c];
      update.settings.emplace_back(static_cast<int>(c), model::literal(next[c], w.schema.fact->columns[c].type));
    }
    update.where = model::binary(model::Op::kEq, model::column_of(*w.schema.fact, 0), model::literal(next[0], model::int_type()));
    must(*a, model::print(update));
    must(*b, "DELETE FROM f WHERE id = " + model::to_text(next[0]));
    insert(*b, w.schema.fact, {next}, 1);
    w.facts[i] = next;
    if (round % 3 == 2) same_answers(w.panel, answers(*a, w.panel), answers(*b, w.panel), "PL4: update = delete + insert");
  }
  for (Connection* c : {a.get(), b.get()}) verify_summary(*c, "s");
}

}  // namespace

std::vector<Case> group_laws() {
  std::vector<Case> cases;
  for (int i = 0; i < 6; ++i) cases.push_back({"parts-add-up-" + std::to_string(i), "PL1", parts_add_up});
  for (int i = 0; i < 6; ++i) cases.push_back({"traceless-" + std::to_string(i), "PL3", traceless});
  for (int i = 0; i < 4; ++i) cases.push_back({"update-is-delete-and-insert-" + std::to_string(i), "PL4", update_is_delete_and_insert});
  return cases;
}

}  // namespace judge
