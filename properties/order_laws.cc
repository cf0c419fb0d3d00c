// The order of work does not matter: the same rows, in any order, in any split into statements and transactions, through INSERT or
// the appender, with detours and with summaries made early or late, give the same answers.
//
// Invariants checked: PL5 order independence, V2 (sums of doubles to the last bit), C5.
#include <algorithm>

#include "laws.h"
#include "model/print.h"

namespace judge {

namespace {

std::vector<model::Row> shuffled(model::Random& r, std::vector<model::Row> rows) {
  for (size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[r.below(i)]);
  return rows;
}

void fill(model::Random& r, Connection& c, const World& w, const model::SummaryDef& summary) {
  create(c, w);
  const std::string make = model::print(model::create_summary(summary, w.schema.fact));
  const uint64_t when = r.below(3);
  if (when == 0) must(c, make);
  insert(c, w.schema.parent, shuffled(r, w.parents), 1 + r.below(20));
  const std::vector<model::Row> rows = shuffled(r, w.facts);
  size_t at = 0;
  while (at < rows.size()) {
    const size_t n = std::min(rows.size() - at, 1 + r.below(25));
    const auto first = rows.begin() + static_cast<std::ptrdiff_t>(at);
    const std::vector<model::Row> part(first, first + static_cast<std::ptrdiff_t>(n));
    const bool inside = r.chance(50);
    if (inside) must(c, "BEGIN");
    if (inside && r.chance(50)) {  // a detour that is undone
      must(c, "SAVEPOINT detour");
      insert(c, w.schema.fact, part, 3);
      must(c, "DELETE FROM f WHERE id % 2 = 0");
      must(c, "ROLLBACK TO detour");
    }
    if (r.chance(30)) {
      const Reply reply = c.append(*w.schema.fact, part);
      if (!reply.ok) throw Failure{"wrong-result", "append: " + reply.state + " " + reply.message};
    } else {
      insert(c, w.schema.fact, part, 1 + r.below(8));
    }
    if (inside) must(c, "COMMIT");
    if (when == 1 && at == 0) must(c, make);
    if (r.chance(20)) answers(c, w.panel);
    at += n;
  }
  if (when == 2 || (when == 1 && rows.empty())) must(c, make);
}

void any_order(Context& context) {
  model::Random& r = context.random;
  const World w = random_world(r, 10, r.range(5, 120));
  const model::SummaryDef summary = model::random_summary(r, *w.schema.fact, "s");
  std::vector<Reply> first;
  for (int arm = 0; arm < 4; ++arm) {
    Engine engine;
    const auto c = engine.connection();
    fill(r, *c, w, summary);
    must(*c, arm % 2 == 0 ? "SET summary_mode = auto" : "SET summary_mode = off");
    const std::vector<Reply> got = answers(*c, w.panel);
    if (arm == 0) {
      first = got;
    } else {
      same_answers(w.panel, first, got, "PL5: the same rows in another order");
    }
    verify_summary(*c, "s");
  }
}

}  // namespace

std::vector<Case> order_laws() {
  std::vector<Case> cases;
  for (int i = 0; i < 8; ++i) cases.push_back({"any-order-" + std::to_string(i), "PL5", any_order});
  return cases;
}

}  // namespace judge
