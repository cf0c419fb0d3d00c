// W3 live ingest while querying: rounds of a bulk load, single INSERTs and a panel of questions; pairs of an INSERT and a question; and a panel
// on one connection while another one writes.
#include <algorithm>
#include <atomic>
#include <thread>

#include "bench/ledger_tables.h"
#include "bench/timing.h"
#include "bench/workloads.h"

namespace hdb::bench {
namespace {

constexpr int kRounds = 20;
constexpr uint64_t kBulkRows = 10'000;
constexpr uint64_t kSingles = 200;
constexpr int kPairs = 300;
constexpr int kPanels = 300;            // of the concurrent part, quiet and again with the writer
constexpr double kSlowPanel = 2.0;      // an arm whose panel takes longer shows it in every fifth round, and makes ten pairs
constexpr int kSlowEvery = 5;
constexpr int kSlowPairs = 10;
constexpr double kPairsSeconds = 10.0;  // pairs beyond ten only until then

// Each ends with the number of rows that it counted; the first five count all rows, so that they agree in one snapshot.
const std::vector<Question> kPanel = {
    {"P1", "SELECT SUM(amount_cents), COUNT(*) FROM invoices"},
    {"P2", "SELECT status, SUM(amount_cents), COUNT(*) FROM invoices GROUP BY status ORDER BY status"},
    {"P3", "SELECT month, SUM(amount_cents), COUNT(*) FROM invoices GROUP BY month ORDER BY month"},
    {"P4", "SELECT region, SUM(amount_cents), COUNT(*) FROM invoices GROUP BY region ORDER BY region"},
    {"P5", "SELECT region, status, SUM(amount_cents), COUNT(*) FROM invoices GROUP BY region, status ORDER BY region, status"},
    {"P6", "SELECT month, SUM(balance_cents), COUNT(*) FROM invoices WHERE status = 'open' GROUP BY month ORDER BY month"},
    {"P7", "SELECT SUM(amount_cents), COUNT(*) FROM invoices WHERE region = 'north' AND status <> 'paid'"},
    {"P8", "SELECT status, AVG(amount_cents), COUNT(*) FROM invoices WHERE month LIKE '2026-0%' GROUP BY status ORDER BY status"},
};
constexpr size_t kWholeQuestions = 5;
constexpr const char* kInsert = "INSERT INTO invoices VALUES (?,?,?,?,?,?,?,?,?)";

struct Live {
  uint64_t next = 0;  // invoices beyond the base rows
};

std::string number(double value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.9g", value);
  return digits;
}

double singles(EngineWorker& worker, Live& live, uint64_t count) {
  const shell::Ledger ledger(worker.options().rows);
  std::vector<std::array<Value, 9>> values;
  for (uint64_t i = 0; i < count; ++i) values.push_back(invoice_values(ledger, worker.options().rows + ++live.next));
  Query& insert = worker.prepared(kInsert);
  Rows none;
  size_t next = 0;
  return seconds_of([&] { insert.run(values[next++], none); }, count);
}

// "BULK_SECONDS INSERT_SECONDS"
std::string grow(EngineWorker& worker, Live& live) {
  const Table& table = worker.workload().tables[0];
  const double bulk = worker.load_rows(table, worker.options().rows + live.next + 1, kBulkRows);
  live.next += kBulkRows;
  const double single = singles(worker, live, kSingles);
  return number(bulk) + " " + number(single);
}

double panel(EngineWorker& worker, Rows& rows) {
  rows.clear();
  return seconds_of([&] {
    for (const Question& q : kPanel) worker.prepared(q.sql).run({}, rows);
  });
}

std::string panel_answer(EngineWorker& worker) {
  const double seconds = panel(worker, worker.rows());
  return number(seconds) + "\n" + worker.rows().to_text();
}

std::string pairs(EngineWorker& worker, Live& live, int count) {
  Loop loop;
  const Clock whole;
  for (int i = 0; i < count && (i < kSlowPairs || whole.seconds() < kPairsSeconds); ++i) {
    const shell::Ledger ledger(worker.options().rows);
    const auto values = invoice_values(ledger, worker.options().rows + ++live.next);
    Query& insert = worker.prepared(kInsert);
    Query& query = worker.prepared(kPanel[1].sql);
    worker.rows().clear();
    Rows none;
    loop.samples.push_back(seconds_of([&] {
      insert.run(values, none);
      query.run({}, worker.rows());
    }));
  }
  return loop.to_text();
}

// The whole-table questions of one panel must count the same rows and the same sum: they were asked in one transaction.
bool one_snapshot(const std::vector<std::string>& answers) {
  int64_t rows = -1;
  int64_t sum = -1;
  for (const std::string& answer : answers) {
    int64_t r = 0;
    int64_t s = 0;
    for (const std::string& line : lines_of(answer)) {
      const auto f = fields_of(line, '|');
      r += std::stoll(f.at(f.size() - 1));
      s += std::stoll(f.at(f.size() - 2));
    }
    if (rows >= 0 && (r != rows || s != sum)) return false;
    rows = r;
    sum = s;
  }
  return true;
}

struct Latencies {
  std::vector<double> seconds;
  uint64_t torn = 0;
};

Latencies panels(EngineWorker& worker) {
  Latencies latencies;
  Rows none;
  for (int i = 0; i < kPanels; ++i) {
    std::vector<Rows> results(kPanel.size());
    latencies.seconds.push_back(seconds_of([&] {
      worker.prepared("BEGIN").run({}, none);
      for (size_t q = 0; q < kPanel.size(); ++q) worker.prepared(kPanel[q].sql).run({}, results[q]);
      worker.prepared("COMMIT").run({}, none);
    }));
    std::vector<std::string> answers;
    for (size_t q = 0; q < kWholeQuestions; ++q) answers.push_back(results[q].to_text());
    latencies.torn += !one_snapshot(answers);
  }
  std::sort(latencies.seconds.begin(), latencies.seconds.end());
  return latencies;
}

// "QUIET_P50 QUIET_P99 BUSY_P50 BUSY_P99 WRITES TORN": panels alone, then panels with a writer on another connection that never rests.
std::string concurrent(EngineWorker& worker, Live& live) {
  const auto at = [](const Latencies& l, double part) { return l.seconds[std::min(static_cast<size_t>(part * static_cast<double>(l.seconds.size())), l.seconds.size() - 1)]; };
  const Latencies quiet = panels(worker);
  std::atomic<bool> stop = false;
  std::atomic<uint64_t> writes = 0;
  std::string failed;
  const auto writer_peer = worker.peer().connect();
  std::thread writer([&] {
    try {
      const shell::Ledger ledger(worker.options().rows);
      const auto insert = writer_peer->prepare(kInsert);
      Rows none;
      for (; !stop; ++writes) insert->run(invoice_values(ledger, worker.options().rows + ++live.next), none);
    } catch (const std::exception& e) {
      failed = e.what();
    }
  });
  while (writes == 0 && failed.empty()) std::this_thread::yield();
  const Latencies busy = panels(worker);
  stop = true;
  writer.join();
  if (!failed.empty()) throw PeerError("the concurrent writer: " + failed);
  return number(at(quiet, 0.5)) + " " + number(at(quiet, 0.99)) + " " + number(at(busy, 0.5)) + " " + number(at(busy, 0.99)) + " " + std::to_string(writes) + " " +
         std::to_string(quiet.torn + busy.torn);
}

Workload make_ingest(const Options& options, bool shuffled) {
  Workload w;
  w.tables = {ledger_invoices(options.rows, shuffled, false)};
  w.questions = kPanel;
  w.indexes = {{"s1", "CREATE INDEX s1 ON invoices USING SUMMARY (region, status, month) INCLUDE (amount_cents, balance_cents)"}};
  w.control = kLedgerControl;
  auto live = std::make_shared<Live>();
  w.commands["grow"] = [live](EngineWorker& worker, const std::string&) { return grow(worker, *live); };
  w.commands["panel"] = [](EngineWorker& worker, const std::string&) { return panel_answer(worker); };
  w.commands["pairs"] = [live](EngineWorker& worker, const std::string& rest) { return pairs(worker, *live, std::stoi(rest)); };
  w.commands["concurrent"] = [live](EngineWorker& worker, const std::string&) { return concurrent(worker, *live); };
  return w;
}

// Rounds, each arm after the other in each; panel rows equal in every round.
void rounds(SideBySide& run, const std::vector<std::string>& arms, Json& json, Progress& progress) {
  std::map<std::string, std::map<std::string, std::vector<double>>> seconds;  // cell, arm
  std::map<std::string, bool> slow;
  for (int round = 1; round <= kRounds; ++round) {
    std::string reference;
    for (const std::string& arm : arms) {
      progress.step("round " + std::to_string(round) + ", " + arm);
      const auto fields = fields_of(run.worker(arm).call("grow"), ' ');
      const double bulk = std::stod(fields.at(0));
      const double single = std::stod(fields.at(1));
      seconds["bulk load of 10,000"][arm].push_back(bulk);
      seconds["INSERT"][arm].push_back(single);
      if (slow[arm] && round % kSlowEvery != 0) continue;
      const std::string answer = run.worker(arm).call("panel");
      const double took = std::stod(answer.substr(0, answer.find('\n')));
      slow[arm] = took > kSlowPanel;
      const std::string rows = answer.substr(answer.find('\n') + 1);
      if (reference.empty()) reference = rows;
      if (rows != reference) throw Differs("panel differs in round " + std::to_string(round) + ": " + arms.front() + " and " + arm + ": " + first_difference(reference, rows));
      seconds["panel"][arm].push_back(took);
      seconds["round"][arm].push_back(bulk + single * static_cast<double>(kSingles) + took);
    }
  }
  for (const auto& [cell, by_arm] : seconds) {
    for (const std::string& arm : arms) {
      Loop loop;
      loop.samples = by_arm.at(arm);
      keep_halves(json["cells"][cell][arm], loop.to_text());
      std::sort(loop.samples.begin(), loop.samples.end());
      json["metrics"]["ingest." + cell + "." + arm + "_s"] = Json(loop.samples[loop.samples.size() / 2]);
    }
  }
  for (const std::string& arm : arms) {
    progress.step("pairs, " + arm);
    keep_halves(json["cells"]["INSERT and question"][arm], run.worker(arm).call("pairs " + std::to_string(slow[arm] ? kSlowPairs : kPairs)));
  }
}

}  // namespace

Json run_ingest(const Options& options) {
  Json json = begin_json(options);
  json["title"] = "W3 live ingest while querying";
  auto arms = standard_arms(options, {"s1"});
  arms.insert(arms.begin() + 1, {.name = "cells_off", .label = "HoloDb, cells off", .settings = {"SET block_cells = off", "SET zone_sums = off"}});
  Progress progress(SideBySide::steps(arms.size(), kPanel.size()) + (kRounds + 1) * arms.size() + 3);
  SideBySide run(options, make_ingest, arms, json, progress);
  run.load();
  run.compare_rows();
  run.placebo({"s1"});
  run.time_questions();
  std::vector<std::string> names;
  for (const Arm& arm : arms) names.push_back(arm.name);
  begin_phase("rounds and pairs");
  rounds(run, names, json, progress);
  begin_phase("with a writer");
  std::vector<std::vector<Json>> table;
  for (const std::string arm : {"engine", "cells_off", "summary"}) {
    progress.step("with a writer, " + arm);
    const auto f = fields_of(run.worker(arm).call("concurrent"), ' ');
    const double quiet_p99 = std::stod(f.at(1));
    const double busy_p99 = std::stod(f.at(3));
    if (f.at(5) != "0") throw Differs("a panel saw more than one snapshot: " + f[5] + " of " + std::to_string(2 * kPanels) + " in the " + arm + " arm");
    table.push_back({Json(arm), seconds_json(std::stod(f[0])), seconds_json(quiet_p99), seconds_json(std::stod(f[2])), seconds_json(busy_p99), Json(std::stod(f[4])), Json(f[5])});
    json["metrics"]["concurrent." + arm + ".p99_over_allowed"] = Json(busy_p99 / std::max(3 * quiet_p99, 2e-3));
    json["metrics"]["concurrent." + arm + ".torn"] = Json(std::stod(f[5]));
  }
  add_table(json, "Panels of 8 questions in a transaction, alone and with a writer of single INSERTs on another connection (300 each; torn: not one snapshot)",
            {"arm", "quiet p50", "quiet p99", "with writer p50", "p99", "INSERTs meanwhile", "torn"}, table);
  run.after_questions();
  return json;
}

}  // namespace hdb::bench
