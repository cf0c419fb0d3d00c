// The same statement gives the same bytes on one thread and on four, in the same order, whether it orders its rows or not; the first rows of an
// order are the same whether all are asked for or only those; and a list is what its equalities are. On tables of several blocks.
//
// Invariants checked: C17 (order of results), V2, Z1 (blocks that a top-n or a list does not visit), V6.
#include "laws.h"
#include "model/print.h"

namespace judge {

namespace {

// Rows with equal keys included: they come in the order of their place.
void first_rows(Connection& c, const World& w, model::Random& r) {
  for (const model::Column& column : w.schema.fact->columns) {
    const char* const nulls[] = {"", " NULLS FIRST", " NULLS LAST"};
    // The second key prefers rows of late blocks.
    const std::string sql = "SELECT id, " + column.name + " FROM f WHERE id % 5 <> 1 ORDER BY " + column.name + (r.chance(50) ? " DESC" : "") + nulls[r.below(3)] +
                            (r.chance(60) ? ", id DESC" : "");
    Reply all = must(c, sql);
    for (const size_t n : {300, 20, 1}) {
      if (all.rows.size() > n) all.rows.resize(n);
      const std::string got = Scene::text_of(must(c, sql + " LIMIT " + std::to_string(n)));
      require(got == Scene::text_of(all), "the first rows are others without LIMIT: " + got.substr(0, 300) + "\n  and " + Scene::text_of(all).substr(0, 300) + "\n  " + sql);
    }
  }
}

void lists(Connection& c, model::Random& r) {
  for (const size_t n : {3, 40, 400}) {
    std::string items, equalities;
    for (size_t i = 0; i < n; ++i) {
      const std::string x = std::to_string(r.range(-20, n == 40 ? 41000 : 400));
      items += (i > 0 ? ", " : "") + x;
      if (n < 400) equalities += (i > 0 ? " OR id = " : "id = ") + x;
    }
    const std::string in = Scene::text_of(must(c, "SELECT id FROM f WHERE id IN (" + items + ") ORDER BY id"));
    // A list inside of COALESCE is evaluated on rows, not on blocks.
    const std::string row = Scene::text_of(must(c, "SELECT id FROM f WHERE COALESCE(id IN (" + items + "), id / id = 2) ORDER BY id"));
    require(in == row, "IN on blocks and on rows: " + in.substr(0, 200) + "\n  and " + row.substr(0, 200) + "\n  " + items);
    const std::string out = Scene::text_of(must(c, "SELECT COUNT(*) FROM f WHERE NOT (id IN (" + items + ")) OR id IN (" + items + ")"));
    require(out == Scene::text_of(must(c, "SELECT COUNT(*) FROM f")), "in the list or not: " + out);
    if (n == 400) continue;
    const std::string same = Scene::text_of(must(c, "SELECT id FROM f WHERE " + equalities + " ORDER BY id"));
    require(in == same, "IN and its equalities: " + in.substr(0, 200) + "\n  and " + same.substr(0, 200) + "\n  " + items);
  }
}

void same_bytes(Context& context) {
  model::Random& r = context.random;
  World w = random_world(r, 30, 0);
  for (int64_t i = 1; i <= 40000; ++i) w.facts.push_back(model::random_row(r, *w.schema.fact, i, 30, i % 64 == 0));
  for (size_t c = 0; c < w.schema.fact->columns.size(); ++c) {
    if (!w.schema.fact->columns[c].unique) continue;
    for (size_t i = 0; i < w.facts.size(); ++i) w.facts[i][c] = model::make_text("U" + std::to_string(i));
  }
  Engine engine;
  const auto c = engine.connection();
  create(*c, w);
  insert(*c, w.schema.parent, w.parents, 50);
  const Reply loaded = c->append(*w.schema.fact, w.facts);
  require(loaded.ok, "append: " + loaded.message);
  must(*c, "DELETE FROM f WHERE id % 7 = 3");
  must(*c, "UPDATE f SET a = a + 1 WHERE id BETWEEN 15000 AND 18000");
  std::vector<model::Query> questions = w.panel;
  for (int i = 0; i < 15; ++i) questions.push_back(model::random_query(r, w.schema, {}));
  for (const model::Query& q : questions) {
    const std::string sql = model::print(q);
    Reply first;
    for (const char* threads : {"1", "4", "2"}) {
      must(*c, std::string("SET threads = ") + threads);
      const Reply got = c->run(sql);
      if (*threads == '1') {
        first = got;
        continue;
      }
      require(first.ok == got.ok && first.state == got.state, "C17: one thread count fails, the other does not\n  " + sql);
      require(Scene::text_of(first) == Scene::text_of(got), "C17: other bytes on " + std::string(threads) +
                                                                " threads: " + Scene::text_of(first).substr(0, 300) + "\n  and " +
                                                                Scene::text_of(got).substr(0, 300) + "\n  " + sql);
    }
  }
  first_rows(*c, w, r);
  lists(*c, r);
}

}  // namespace

std::vector<Case> thread_laws() { return {{"same-bytes-0", "C17", same_bytes}, {"same-bytes-1", "C17", same_bytes}}; }

}  // namespace judge
