// A plane equals its rebuild. After a random history the rows that are left are read back, loaded into a second database with the
// same summaries, and every standing question must be answered alike by both, by every path.
//
// Invariants checked: PL6 plane = rebuild; H1, H2, H3 (support/history.h) judged by the executable model.
#include "inside.h"
#include "laws.h"
#include "model/print.h"

namespace judge {

namespace {

// The rows as the engine lists them, as literals of an INSERT.
std::vector<model::Row> listed(Connection& c, const model::TableDef& table) {
  std::string columns;
  for (const model::Column& column : table.columns) columns += (columns.empty() ? "" : ", ") + column.name;
  const Reply reply = must(c, "SELECT " + columns + " FROM " + table.name);
  std::vector<model::Row> rows;
  for (const auto& cells : reply.rows) {
    model::Row row;
    for (size_t i = 0; i < cells.size(); ++i) row.push_back(value_from(cells[i], table.columns[i].type));
    rows.push_back(std::move(row));
  }
  return rows;
}

void rebuilt(Context& context) {
  HistoryPlan plan;
  plan.facts = 50;
  plan.steps = 30;
  plan.panel = 1;
  Engine engine, fresh;
  History history(context.random.next(), context.random, plan, &engine, nullptr, context.tally);
  history.run();
  const auto a = engine.connection(), b = fresh.connection();
  for (const auto& table : {history.schema().parent, history.schema().fact}) {
    must(*b, model::print(model::create_table(table)));
    insert(*b, table, listed(*a, *table), 100);
  }
  for (const auto& [name, summary] : history.committed().summaries) must(*b, model::print(model::create_summary(summary, history.schema().fact)));
  for (const char* mode : {"auto", "force", "off"}) {
    for (Connection* c : {a.get(), b.get()}) must(*c, std::string("SET summary_mode = ") + mode);
    same_answers(history.panel(), answers(*a, history.panel()), answers(*b, history.panel()), std::string("PL6: kept and rebuilt, summary_mode ") + mode);
  }
  for (const auto& [name, summary] : history.committed().summaries) verify_summary(*b, name);
}

// run_blocks: of the tables (folded cells), so that a few blocks are several runs; 0: as the engine has it.
Case history(const std::string& name, int64_t facts, int steps, int panel, uint32_t run_blocks = 0) {
  return {name, "H2", [=](Context& context) {
            const struct Runs {
              ~Runs() { inside::set_run_blocks(0); }
            } restore;
            inside::set_run_blocks(run_blocks);
            HistoryPlan plan;
            plan.facts = facts;
            plan.steps = steps;
            plan.panel = panel;
            plan.model_rows_max = 100000;
            Engine engine;
            History h(context.random.next(), context.random, plan, &engine, nullptr, context.tally);
            h.run();
          }};
}

}  // namespace

std::vector<Case> rebuild_laws() {
  std::vector<Case> cases;
  for (int i = 0; i < 6; ++i) cases.push_back({"rebuilt-" + std::to_string(i), "PL6", rebuilt});
  return cases;
}

std::vector<Case> history_laws() {
  std::vector<Case> cases;
  for (int i = 0; i < 40; ++i) cases.push_back(history("history-" + std::to_string(i), i % 3 == 0 ? 6 : 50, 45, 3));
  for (int i = 0; i < 2; ++i) cases.push_back(history("history-blocks-" + std::to_string(i), 16400, 8, 2, i == 0 ? 0 : 1));
  return cases;
}

}  // namespace judge
