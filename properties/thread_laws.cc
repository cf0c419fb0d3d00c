// The same statement gives the same bytes on one thread and on four, in the same order, whether it orders its rows or not.
//
// Invariants checked: C17 (order of results), V2.
#include "laws.h"
#include "model/print.h"

namespace judge {

namespace {

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
}

}  // namespace

std::vector<Case> thread_laws() { return {{"same-bytes-0", "C17", same_bytes}, {"same-bytes-1", "C17", same_bytes}}; }

}  // namespace judge
