// W1 billing: invoices and customers, sixteen questions, two arms of HoloDb; single-row changes at up to 2,000,000 rows (W6 has more).
#include <array>

#include "bench/ledger_tables.h"
#include "bench/scan_limits.h"
#include "bench/timing.h"
#include "bench/workloads.h"

namespace hdb::bench {
namespace {

using shell::Ledger;

constexpr uint64_t kChangesMax = 20'000;
constexpr uint64_t kChangesRowsMax = 2'000'000;
constexpr int kStages = 3;

// Of each kind of change, in each of the three stages (0, 1 and 2 summaries).
uint64_t changes_per_stage(uint64_t rows) { return std::max<uint64_t>(std::min(kChangesMax, rows / 10), 1); }

// One stage of single-row changes, each its own transaction: inserts, updates, deletes. Ids of the stages, and of updates and deletes
// among each other, are distinct, so that every statement changes one row. Returns three lines, each a Loop.
std::string stage(EngineWorker& worker, uint64_t number) {
  const uint64_t rows = worker.options().rows;
  const Ledger ledger(rows);
  const Permutation permutation(rows);
  const uint64_t count = changes_per_stage(rows);
  const uint64_t batch = std::max<uint64_t>(count / 20, 1);
  const uint64_t base = number * count;
  auto insert = worker.peer().prepare("INSERT INTO invoices VALUES (?,?,?,?,?,?,?,?,?)");
  auto update = worker.peer().prepare("UPDATE invoices SET status = ?, amount_cents = ?, balance_cents = ? WHERE invoice_id = ?");
  auto remove = worker.peer().prepare("DELETE FROM invoices WHERE invoice_id = ?");
  Rows none;
  std::string text;
  const auto run = [&](auto&& make_values, Query& query) {
    Loop loop;
    loop.batch = batch;
    for (uint64_t done = 0; done + batch <= count; done += batch) {
      std::vector<decltype(make_values(done))> values;
      for (uint64_t i = 0; i < batch; ++i) values.push_back(make_values(base + done + i));
      int64_t changed = 0;
      size_t next = 0;
      loop.samples.push_back(seconds_of([&] { changed += query.run(values[next++], none); }, batch));
      if (changed != static_cast<int64_t>(batch)) throw PeerError("a change of one row changed " + std::to_string(changed) + " of " + std::to_string(batch));
    }
    text += loop.to_text() + "\n";
  };
  run(
      [&](uint64_t i) { return invoice_values(ledger, rows + 1 + i); },
      *insert);
  run(
      [&](uint64_t i) {
        const auto row = ledger.invoice(2 * rows + 1 + i);
        return std::array<Value, 4>{row.status, row.amount_cents, row.balance_cents, static_cast<int64_t>(permutation(kStages * count + i))};
      },
      *update);
  run([&](uint64_t i) { return std::array<Value, 1>{static_cast<int64_t>(permutation(i))}; }, *remove);
  return text;
}

Workload make_billing(const Options& options, bool shuffled) {
  Workload w;
  w.tables = {ledger_customers(options.rows), ledger_invoices(options.rows, shuffled, true)};
  for (const auto& q : shell::kLedgerQuestions) {
    const bool is_lookup = std::string_view(q.id) == "Q6";
    w.questions.push_back({.id = q.id, .sql = q.sql, .keys = is_lookup ? options.lookups : 0, .keys_max = options.rows});
  }
  w.indexes = {{"s1", shell::kLedgerSummary1}, {"s2", shell::kLedgerSummary2}};
  w.control = kLedgerControl;
  w.commands["stage"] = [](EngineWorker& worker, const std::string& rest) { return stage(worker, std::stoul(rest)); };
  return w;
}

// Single-row changes with 0, 1 and 2 summaries, and in SQLite; the same statements in both, and afterwards the same answers.
void changes(SideBySide& run, const Options& options, Json& json, Progress& progress) {
  begin_phase("changes");
  const auto holodb = run.start({.name = "changes", .label = "HoloDb changed"});
  json["changes"]["per_stage"] = Json(changes_per_stage(options.rows));
  run.load_into(*holodb, "engine_again");
  const auto keep = [&](const std::string& name, const std::string& answer) {
    const auto lines = lines_of(answer);
    const char* kinds[] = {"INSERT", "UPDATE", "DELETE"};
    for (size_t i = 0; i < 3; ++i) keep_halves(json["cells"][kinds[i]][name], lines.at(i));
  };
  for (int number = 0; number < kStages; ++number) {
    const std::string n = std::to_string(number);
    if (number > 0) json["metrics"]["build.s" + n] = Json(std::stod(holodb->call("create s" + n)));
    progress.step("changes with " + n + " summaries");
    keep("holodb_" + n, holodb->call("stage " + n));
    if (run.has("sqlite")) keep("sqlite_" + n, run.worker("sqlite").call("stage " + n));
  }
  for (const std::string name : {"s1", "s2"}) run.verify(*holodb, name, "after the changes");
  if (!run.has("sqlite")) return;
  for (const Question& q : run.questions()) {
    const auto rows = [&](Worker& worker) {
      const std::string answer = worker.call("rows " + q.id);
      return answer.substr(answer.find('\n') + 1);
    };
    const std::string a = rows(*holodb);
    const std::string b = rows(run.worker("sqlite"));
    if (a != b) throw Differs(q.id + " differs after the changes: HoloDb and SQLite: " + first_difference(a, b) + "\n  " + q.sql);
  }
  json["changes"]["rows_equal"] = true;
}

// What the machine allows, and the same questions as loops over narrow columns; a loop whose answer differs is no limit.
void limits(SideBySide& run, const Options& options, Json& json, Progress& progress) {
  progress.step("scan limits");
  keep_bandwidth(options, json);
  begin_phase("scan limits");
  Worker worker("the scan limits", [options]() -> Worker::Handler {
    return [options](const std::string&) {
      std::string text;
      char digits[64];
      for (const Limit& limit : measure_limits(options.rows, options.threads)) {
        std::snprintf(digits, sizeof digits, " %.9g %llu\t", limit.seconds, static_cast<unsigned long long>(limit.bytes));
        text += limit.id + digits + limit.answer + "\f";
      }
      return text;
    };
  });
  const auto parts = fields_of(worker.call("measure"), '\f');
  for (size_t i = 0; i < parts.size(); ++i) {
    const size_t tab = parts[i].find('\t');
    const auto fields = fields_of(parts[i].substr(0, tab), ' ');
    const std::string answer = parts[i].substr(tab + 1);
    if (answer != run.answer(fields[0])) throw Differs(fields[0] + " differs: the engines and the loop of the scan limit: " + first_difference(run.answer(fields[0]), answer));
    json["limits"][fields[0]] = Json(std::stod(fields[1]));
    json["bytes_touched"][fields[0]] = Json(std::stod(fields[2]));
  }
}

}  // namespace

Json run_billing(const Options& options) {
  Json json = begin_json(options);
  json["title"] = "W1 billing";
  json["row_name"] = "invoice";
  const std::vector<std::string> summaries = {"s1", "s2"};
  const auto arms = standard_arms(options, summaries);
  Progress progress(SideBySide::steps(arms.size(), shell::kLedgerQuestions.size()) + 13);
  SideBySide run(options, make_billing, arms, json, progress);
  run.load();
  run.compare_rows();
  limits(run, options, json, progress);
  run.placebo(summaries);
  run.time_questions();
  run.time_lookups();
  run.after_questions();
  begin_phase("loads with one summary");
  for (const std::string& name : summaries) {
    // What each summary alone costs a bulk load, and a build over the rows.
    progress.step("loading with " + name);
    const auto worker = run.start({.name = "load_" + name, .label = "HoloDb with " + name, .indexes = {name}});
    run.load_into(*worker, "with_" + name);
    const std::string other = name == "s1" ? "s2" : "s1";
    json["metrics"]["build." + other] = Json(std::stod(worker->call("create " + other)));
  }
  if (options.rows <= kChangesRowsMax) changes(run, options, json, progress);
  return json;
}

}  // namespace hdb::bench
