// Scaling: what a question costs against rows, against the cells of its summary, and against threads; a curve and a sentence each.
#include <algorithm>
#include <cmath>

#include "bench/ledger_tables.h"
#include "bench/timing.h"
#include "bench/workloads.h"

namespace hdb::bench {
namespace {

constexpr uint64_t kCellRowsMax = uint64_t{1} << 22;
constexpr int kCellBitsMin = 4;
constexpr int kCellBitsMax = 22;
constexpr uint64_t kSmallSide = 16;  // values of the dimension that is grouped by
constexpr uint64_t kInserts = 2'000;
constexpr int kCalls = 5;
constexpr uint64_t kLookupsMax = 2'000;  // a size; W1 makes more
const std::vector<std::string> kIds = {"Q1", "Q4", "Q6", "Q7", "Q8", "Q9", "Q10", "Q12"};
const std::vector<std::string> kScans = {"Q7", "Q8", "Q9", "Q10", "Q12"};

std::string number(double value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.9g", value);
  return digits;
}

double best_call(EngineWorker& worker, const std::string& sql) {
  Query& query = worker.prepared(sql);
  double best = 1e9;
  for (int i = 0; i < kCalls; ++i) {
    worker.rows().clear();
    best = std::min(best, seconds_of([&] { query.run({}, worker.rows()); }));
  }
  return best;
}

// Each pair once, in a scattered order, then at random: so that a table of as many rows has that many cells.
uint64_t pair_of(uint64_t id, uint64_t pairs) { return id <= pairs ? (id * 0x9E3779B97F4A7C15u) % pairs : draw_below(id, 1, pairs); }

// Rows of two dimensions with 2^bits pairs of values: "CELLS BYTES BUILD FOLD FILTER INSERT", seconds.
std::string cells(EngineWorker& worker, int bits) {
  const uint64_t pairs = uint64_t{1} << bits;
  const uint64_t small = std::min(kSmallSide, pairs / 2);
  const uint64_t rows = std::min(worker.options().rows, kCellRowsMax);
  const std::string t = "cells_" + std::to_string(bits);
  const Table table = {.name = t,
                       .columns = {{.name = "id", .primary = true}, {.name = "a"}, {.name = "b"}, {.name = "v"}},
                       .rows = rows,
                       .append = [=](uint64_t id, Batch& batch) {
                         const uint64_t pair = pair_of(id, pairs);
                         batch.integers[0].push_back(static_cast<int64_t>(id));
                         batch.integers[1].push_back(static_cast<int64_t>(pair % small));
                         batch.integers[2].push_back(static_cast<int64_t>(pair / small));
                         batch.integers[3].push_back(static_cast<int64_t>(draw_below(id, 2, 100'000)));
                       }};
  Peer& peer = worker.peer();
  peer.create_table(table);
  worker.load_rows(table, 1, rows);
  const std::string fold = "SELECT a, COUNT(*), SUM(v) FROM " + t + " GROUP BY a ORDER BY a";
  const std::string filter = "SELECT COUNT(*), SUM(v) FROM " + t + " WHERE a = 1 AND b < " + std::to_string(pairs / small / 2 + 1);
  const auto answers = [&] {
    Rows answer;
    peer.run_text(fold, answer);
    peer.run_text(filter, answer);
    return answer.to_text();
  };
  const std::string before = answers();
  const double build = seconds_of([&] { peer.execute("CREATE INDEX s_" + t + " ON " + t + " USING SUMMARY (a, b) INCLUDE (v) WITH (max_cells = 16777216)"); });
  peer.execute("SET block_cells = off");
  if (answers() != before) throw PeerError("answers by the summary differ at 2^" + std::to_string(bits) + " cells");
  const double folded = best_call(worker, fold);
  const double filtered = best_call(worker, filter);
  Query& insert = worker.prepared("INSERT INTO " + t + " VALUES (?,?,?,?)");
  Rows none;
  uint64_t next = rows;
  const double inserted = seconds_of(
      [&] {
        const uint64_t pair = pair_of(++next, pairs);
        const std::array<Value, 4> values = {static_cast<int64_t>(next), static_cast<int64_t>(pair % small), static_cast<int64_t>(pair / small), int64_t{7}};
        insert.run(values, none);
      },
      kInserts);
  peer.execute("SET block_cells = on");
  Rows shown;
  peer.run_text("SHOW INDEXES FROM " + t, shown);
  std::string index;
  for (const std::string& line : lines_of(shown.to_text())) {
    const auto f = fields_of(line, '|');
    if (f.at(2) == "summary") index = f.at(5) + " " + f.at(6);
  }
  peer.execute("DROP TABLE " + t);
  return index + " " + number(build) + " " + number(folded) + " " + number(filtered) + " " + number(inserted);
}

// The scans of one thread count, with everything off that keeps answers: seconds, in the order of kScans.
std::string threads(EngineWorker& worker, const std::string& count) {
  for (const std::string statement : {"SET summary_mode = off", "SET block_cells = off", "SET zone_sums = off"}) worker.peer().execute(statement);
  worker.peer().execute("SET threads = " + count);
  std::string text;
  for (const std::string& id : kScans) {
    for (const Question& q : worker.workload().questions) {
      if (q.id != id) continue;
      const auto query = worker.peer().prepare(q.sql);
      double best = 1e9;
      for (int i = 0; i < kCalls; ++i) {
        worker.rows().clear();
        best = std::min(best, seconds_of([&] { query->run({}, worker.rows()); }));
      }
      text += number(best) + " ";
    }
  }
  return text;
}

Workload make_scaling(const Options& options, bool shuffled) {
  Workload w;
  w.tables = {ledger_customers(options.rows), ledger_invoices(options.rows, shuffled, true)};
  for (const auto& q : shell::kLedgerQuestions) {
    if (std::find(kIds.begin(), kIds.end(), q.id) == kIds.end()) continue;
    const bool is_lookup = std::string_view(q.id) == "Q6";
    w.questions.push_back({.id = q.id, .sql = q.sql, .keys = is_lookup ? options.lookups : 0, .keys_max = options.rows});
  }
  w.indexes = {{"s1", shell::kLedgerSummary1}, {"s2", shell::kLedgerSummary2}};
  w.control = kLedgerControl;
  w.commands["cells"] = [](EngineWorker& worker, const std::string& rest) { return cells(worker, std::stoi(rest)); };
  w.commands["threads"] = threads;
  return w;
}

struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points;
};

// "cost grows as x^0.97": the slope between the first point and the last one.
std::string growth(const Series& series) {
  const auto& p = series.points;
  char text[160];
  const double slope = p.size() < 2 ? 0 : std::log(p.back().second / p.front().second) / std::log(p.back().first / p.front().first);
  std::snprintf(text, sizeof text, "%s ^%.2f", series.name.c_str(), slope);
  return text;
}

void add_plot(Json& json, const std::string& title, const std::string& x, const std::string& y_unit, const std::vector<Series>& all, const std::string& before) {
  Json plot;
  plot["title"] = title;
  plot["x"] = x;
  plot["y_unit"] = y_unit;
  plot["series"] = Json::array();
  std::string sentence;
  for (const Series& series : all) {
    if (series.points.size() > 1) sentence += (sentence.empty() ? "" : ", ") + growth(series);
    Json s;
    s["name"] = series.name;
    s["points"] = Json::array();
    for (const auto& [a, b] : series.points) s["points"].add(Json::array_of(std::vector<double>{a, b}));
    plot["series"].add(std::move(s));
  }
  plot["sentence"] = before + (sentence.empty() ? "" : " Exponents from the first point to the last: " + sentence + ".");
  if (json["plots"].is_null()) json["plots"] = Json::array();
  json["plots"].add(std::move(plot));
}

std::string size_name(uint64_t rows) { return std::to_string(rows / 1000) + "k"; }

void against_cells(SideBySide& run, const Options& options, Json& json, Progress& progress) {
  begin_phase("against cells");
  const auto worker = run.start({.name = "cells", .label = "HoloDb, cells"});
  std::vector<Series> times = {{"fold", {}}, {"filter", {}}, {"INSERT", {}}, {"build", {}}};
  Series bytes{"bytes", {}};
  std::vector<std::vector<Json>> table;
  for (int bits = kCellBitsMin; bits <= kCellBitsMax; bits += 2) {
    if ((uint64_t{1} << bits) > std::min(options.rows, kCellRowsMax)) break;
    progress.step("2^" + std::to_string(bits) + " cells");
    const auto f = fields_of(worker->call("cells " + std::to_string(bits)), ' ');
    const double count = std::stod(f.at(0));
    bytes.points.emplace_back(count, std::stod(f.at(1)));
    std::vector<Json> row = {Json("2^" + std::to_string(bits)), Json(count), Json(std::stod(f[1]))};
    const size_t order[] = {3, 4, 5, 2};
    for (size_t i = 0; i < times.size(); ++i) {
      times[i].points.emplace_back(count, std::stod(f.at(order[i])));
      row.push_back(seconds_json(times[i].points.back().second));
    }
    table.push_back(std::move(row));
  }
  add_table(json, "Against cells: a summary over two dimensions (" + std::to_string(std::min(options.rows, kCellRowsMax)) + " rows; fold: GROUP BY the small one; block cells off)",
            {"pairs of values", "cells", "bytes", "fold", "filter", "INSERT", "build"}, table);
  add_plot(json, "Cost against the cells of a summary", "cells", "s", times, "Folding and filtering go over cells, an INSERT to one cell, a build over the rows.");
  add_plot(json, "Bytes against the cells of a summary", "cells", "B", {bytes}, "Bytes that the engine counts.");
}

void against_threads(SideBySide& run, const Options& options, Json& json, Progress& progress) {
  begin_phase("against threads");
  std::vector<Series> all;
  for (const std::string& id : kScans) all.push_back({id, {}});
  for (unsigned t = 1; t <= options.threads; ++t) {
    progress.step(std::to_string(t) + " threads");
    const auto f = fields_of(run.worker("engine").call("threads " + std::to_string(t)), ' ');
    for (size_t i = 0; i < all.size(); ++i) all[i].points.emplace_back(t, std::stod(f.at(i)));
  }
  for (const Series& s : all) json["metrics"]["threads." + s.name + ".speedup"] = Json(s.points.front().second / s.points.back().second);
  progress.step("bandwidth");
  Series rates{"read", {}};
  for (const double rate : keep_bandwidth(options, json)) rates.points.emplace_back(static_cast<double>(rates.points.size() + 1), rate);
  add_plot(json, "Scans against threads", "threads", "s", all, "W1's scans with zone sums, block cells and summaries off; -1 is a perfect division.");
  add_plot(json, "Memory bandwidth against threads", "threads", "B/s", {rates}, "An own loop that adds 64-bit words of 256 MB.");
}

}  // namespace

Json run_scaling(const Options& options) {
  Json json = begin_json(options);
  json["title"] = "Scaling";
  std::vector<Arm> arms = standard_arms(options, {"s1", "s2"});
  std::erase_if(arms, [](const Arm& arm) { return arm.name == "sqlite" || arm.name == "duckdb_text"; });  // their W1 figures are W1's
  std::vector<Series> all;
  for (const Arm& arm : arms) {
    for (const std::string& id : kIds) all.push_back({id + " " + arm.name, {}});
  }
  Progress progress(5 * SideBySide::steps(arms.size(), kIds.size()) + 16);
  for (const uint64_t part : {100, 30, 10, 3, 1}) {
    Options sized = options;
    sized.rows = std::max<uint64_t>(options.rows / part, 100);
    sized.lookups = std::min(options.lookups, kLookupsMax);
    SideBySide run(sized, make_scaling, arms, json, progress, part == 1 ? "" : size_name(sized.rows) + " ");
    run.load();
    run.compare_rows();
    if (part == 1) run.placebo({"s1", "s2"});
    run.time_questions();
    run.time_lookups();
    run.after_questions();
    for (size_t i = 0; i < all.size(); ++i) {
      const std::string& id = kIds[i % kIds.size()];
      all[i].points.emplace_back(static_cast<double>(sized.rows), run.warm(id, arms[i / kIds.size()].name));
    }
    if (part != 1) continue;
    against_threads(run, options, json, progress);
    against_cells(run, options, json, progress);
  }
  for (size_t a = 0; a < arms.size(); ++a) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(a * kIds.size());
    add_plot(json, "Warm calls against rows, " + arms[a].label, "rows", "s", {begin, begin + static_cast<std::ptrdiff_t>(kIds.size())},
             "0 is a cost that does not depend on the rows, 1 one that is proportional to them.");
  }
  return json;
}

}  // namespace hdb::bench
