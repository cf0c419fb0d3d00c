// W5: seventeen classes of questions over the nine columns of invoices and a table of 40 rows, at three sizes; and whether the router's choice
// is as fast as the best path that settings can force.
#include <algorithm>
#include <array>

#include "bench/ledger_tables.h"
#include "bench/timing.h"
#include "bench/workloads.h"

namespace hdb::bench {
namespace {

using shell::Ledger;

constexpr int64_t kTerms = 40;
constexpr int64_t kDaysPerTerm = 18;
constexpr int kRoutingRounds = 9;
constexpr double kRoutingBatch = 1e-3;

#define JOINED "FROM invoices i JOIN terms t ON i.due_day = t.day"
const std::vector<Question> kClasses = {
    {"COUNT(*)", "SELECT COUNT(*) FROM invoices"},
    {"SUM", "SELECT SUM(amount_cents) FROM invoices"},
    {"GROUP BY one", "SELECT status, COUNT(*), SUM(amount_cents) FROM invoices GROUP BY status ORDER BY status"},
    {"MIN/MAX", "SELECT MIN(amount_cents), MAX(amount_cents) FROM invoices"},
    {"COUNT DISTINCT", "SELECT COUNT(DISTINCT month) FROM invoices"},
    {"GROUP BY two", "SELECT region, month, COUNT(*), SUM(amount_cents) FROM invoices GROUP BY region, month ORDER BY region, month"},
    {"GROUP BY, WHERE", "SELECT month, SUM(amount_cents) FROM invoices WHERE status = 'open' GROUP BY month ORDER BY month"},
    {"COUNT DISTINCT, WHERE", "SELECT COUNT(DISTINCT month) FROM invoices WHERE region = 'east' AND status = 'void'"},
    {"three-column WHERE", "SELECT COUNT(*), SUM(amount_cents) FROM invoices WHERE region = 'north' AND status = 'paid' AND month = '2025-07'"},
    {"LIKE, OR", "SELECT COUNT(*), SUM(amount_cents) FROM invoices WHERE month LIKE '2026-1%' OR status = 'draft'"},
    {"BETWEEN", "SELECT SUM(amount_cents) FROM invoices WHERE month BETWEEN '2025-03' AND '2025-09'"},
    {"range count", "SELECT COUNT(*) FROM invoices WHERE due_day < 200"},
    {"equality filter", "SELECT COUNT(*), SUM(balance_cents) FROM invoices WHERE status = 'overdue'"},
    {"join COUNT", "SELECT COUNT(*) " JOINED},
    {"join SUM", "SELECT t.grade, SUM(i.amount_cents) " JOINED " GROUP BY t.grade ORDER BY t.grade"},
    {"join on TEXT", "SELECT t.grade, COUNT(*), SUM(i.amount_cents) FROM invoices i JOIN terms t ON i.month = t.month GROUP BY t.grade ORDER BY t.grade"},
    {"no summary serves", "SELECT COUNT(*), SUM(tax_cents) FROM invoices WHERE amount_cents > tax_cents * 9"},
};
#undef JOINED

// Settings under which a question takes another path, each from the session's defaults.
const std::vector<std::vector<std::string>> kPaths = {
    {},
    {"SET summary_mode = off"},
    {"SET summary_mode = force"},
    {"SET block_cells = off"},
    {"SET summary_mode = off", "SET block_cells = off"},
    {"SET zone_sums = off"},
    {"SET indexes = off"},
};
const std::vector<std::string> kDefaults = {"SET summary_mode = auto", "SET block_cells = on", "SET zone_sums = on", "SET indexes = on"};

// The router's choice over the best forced one: the median over rounds in which all paths take turns.
std::string routing(EngineWorker& worker, const std::string& id) {
  const auto& questions = worker.workload().questions;
  const auto question = std::find_if(questions.begin(), questions.end(), [&](const Question& q) { return q.id == id; });
  std::vector<std::vector<double>> seconds(kPaths.size());
  for (int round = -1; round < kRoutingRounds; ++round) {
    for (size_t path = 0; path < kPaths.size(); ++path) {
      for (const auto& statement : kDefaults) worker.peer().execute(statement);
      for (const auto& statement : kPaths[path]) worker.peer().execute(statement);
      try {
        const auto query = worker.peer().prepare(question->sql);
        const auto call = [&] {
          worker.rows().clear();
          query->run({}, worker.rows());
        };
        const double each = std::min(seconds_of(call), seconds_of(call));
        const auto times = static_cast<uint64_t>(std::max(kRoutingBatch / std::max(each, 1e-7), 1.0));
        if (round >= 0) seconds[path].push_back(seconds_of(call, times));
      } catch (const PeerError&) {  // force: no summary serves it
      }
    }
  }
  for (const auto& statement : kDefaults) worker.peer().execute(statement);
  double best = 1e9;
  std::string text;
  for (auto& path : seconds) {
    std::sort(path.begin(), path.end());
    const double median = path.empty() ? 0 : path[path.size() / 2];
    if (&path != &seconds.front() && !path.empty()) best = std::min(best, median);
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.9g ", median);
    text += digits;
  }
  return text;
}

Workload make_classes(const Options& options, bool shuffled) {
  Workload w;
  w.tables = {
      {.name = "terms",
       .columns = {{.name = "day", .primary = true}, {.name = "grade", .text = true}, {.name = "month", .text = true, .domain = ledger_months()}},
       .rows = kTerms,
       .append =
           [](uint64_t id, Batch& batch) {
             batch.integers[0].push_back(static_cast<int64_t>(id - 1) * kDaysPerTerm);
             batch.texts[1].push_back(batch.own("grade " + std::to_string(id % 7)));
             batch.texts[2].push_back(Ledger::months()[(id - 1) % Ledger::months().size()]);
           }},
      ledger_invoices(options.rows, shuffled, false)};
  w.questions = kClasses;
  // Bytes a row: 1 for a code, 2 for a day, 4 for an amount, a tax or a balance.
  const std::array<double, 17> row_bytes = {0, 4, 5, 4, 1, 6, 6, 3, 7, 6, 5, 2, 5, 2, 6, 5, 8};
  for (size_t i = 0; i < row_bytes.size(); ++i) w.questions[i].bytes = row_bytes[i] * static_cast<double>(options.rows);
  w.indexes = {{"s1", "CREATE INDEX s1 ON invoices USING SUMMARY (region, status, month) INCLUDE (amount_cents, balance_cents)"},
               {"s2", "CREATE INDEX s2 ON invoices USING SUMMARY (due_day) INCLUDE (amount_cents)"}};
  w.control = kLedgerControl;
  w.commands["routing"] = routing;
  return w;
}

std::string size_name(uint64_t rows) { return rows >= 1'000'000 ? std::to_string(rows / 1'000'000) + "M" : std::to_string(rows / 1'000) + "k"; }

}  // namespace

Json run_classes(const Options& options) {
  Json json = begin_json(options);
  json["title"] = "W5 classes";
  const std::vector<std::string> summaries = {"s1", "s2"};
  const auto arms = standard_arms(options, summaries);
  Progress progress(3 * SideBySide::steps(arms.size(), kClasses.size()) + 3 * kClasses.size());
  std::vector<std::vector<Json>> table;
  double worst = 0;
  for (const uint64_t rows : {options.rows / 10, options.rows * 3 / 10, options.rows}) {
    Options sized = options;
    sized.rows = rows;
    SideBySide run(sized, make_classes, arms, json, progress, rows == options.rows ? "" : size_name(rows) + " ");
    run.load();
    run.compare_rows();
    if (rows == options.rows) run.placebo(summaries);
    run.time_questions();
    run.after_questions();
    begin_phase("routing");
    for (const Question& question : kClasses) {
      progress.step("routing of " + question.id);
      const auto seconds = fields_of(run.worker("summary").call("routing " + question.id), ' ');
      double best = 1e9;
      std::vector<Json> row = {Json(size_name(rows)), Json(question.id)};
      for (size_t i = 0; i < kPaths.size(); ++i) {
        const double s = std::stod(seconds[i]);
        if (i > 0 && s > 0) best = std::min(best, s);
        row.push_back(s > 0 ? seconds_json(s) : Json("-"));
      }
      const double ratio = std::stod(seconds[0]) / best;
      worst = std::max(worst, ratio);
      row.push_back(Json(ratio));
      table.push_back(std::move(row));
    }
  }
  keep_bandwidth(options, json);
  json["metrics"]["routing.worst"] = Json(worst);
  add_table(json, "Routing: the router's path against the paths that settings force, all in turns (median; the last column: the router over the best one)",
            {"rows", "class", "auto", "no summary", "force", "no block cells", "neither", "no zone sums", "no index", "auto / best"}, table);
  return json;
}

}  // namespace hdb::bench
