#include <algorithm>

#include "laws.h"
#include "model/print.h"

namespace judge {

World random_world(model::Random& r, int64_t parents, int64_t facts) {
  World w;
  w.schema = model::random_schema(r, {});
  for (int64_t i = 1; i <= parents; ++i) w.parents.push_back(model::random_row(r, *w.schema.parent, i, parents, true));
  for (int64_t i = 1; i <= facts; ++i) w.facts.push_back(model::random_row(r, *w.schema.fact, i, parents, true));
  w.panel = model::standing_panel(r, w.schema, {});
  return w;
}

Reply must(Connection& c, const std::string& sql) {
  if (History::trace) std::fprintf(stderr, "%s;\n", sql.c_str());
  Reply reply = c.run(sql);
  if (!reply.ok) throw Failure{"wrong-result", reply.state + " " + reply.message + "\n  " + sql.substr(0, 700)};
  return reply;
}

void create(Connection& c, const World& w) {
  must(c, model::print(model::create_table(w.schema.parent)));
  must(c, model::print(model::create_table(w.schema.fact)));
}

void insert(Connection& c, const std::shared_ptr<const model::TableDef>& table, const std::vector<model::Row>& rows, size_t chunk) {
  for (size_t at = 0; at < rows.size(); at += chunk) {
    const auto first = rows.begin() + static_cast<std::ptrdiff_t>(at);
    must(c, model::print(model::insert_rows(table, {first, rows.begin() + static_cast<std::ptrdiff_t>(std::min(rows.size(), at + chunk))})));
  }
}

std::vector<Reply> answers(Connection& c, const std::vector<model::Query>& panel) {
  std::vector<Reply> out;
  for (const model::Query& q : panel) {
    if (History::trace) std::fprintf(stderr, "%s;\n", model::print(q).c_str());
    out.push_back(c.run(model::print(q)));
  }
  return out;
}

void same_answers(const std::vector<model::Query>& panel, const std::vector<Reply>& a, const std::vector<Reply>& b, const std::string& law) {
  for (size_t i = 0; i < panel.size(); ++i) {
    const std::string text = difference(a[i], b[i], !panel[i].order.empty());
    require(text.empty(), law + ": " + text + "\n  " + model::print(panel[i]));
  }
}

void verify_summary(Connection& c, const std::string& name) {
  const Reply r = must(c, "SELECT * FROM summary_verify('" + name + "')");
  if (r.rows.size() != 1 || r.rows[0].size() < 2 || r.rows[0][1].text != "0") throw Failure{"self-check", "summary_verify " + name + ": " + Scene::text_of(r)};
  report::checked();
}

}  // namespace judge
