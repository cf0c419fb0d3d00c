// W2 dashboard: events with a 14-bit joint of six dimensions, one cube over it, 32 ad-hoc slices in classes, and whole-table questions.
#include <algorithm>

#include "bench/workloads.h"

namespace hdb::bench {
namespace {

const std::vector<std::string_view> kCountries = {"AR", "AU", "BR", "CA", "CN", "DE", "ES", "FR", "GB", "IN", "IT", "JP", "MX", "NL", "SE", "US"};
const std::vector<std::string_view> kDevices = {"desktop", "mobile", "tablet", "tv"};
const std::vector<std::string_view> kPlans = {"basic", "free", "pro", "team"};
const std::vector<std::string_view> kChannels = {"ads", "affiliate", "direct", "email", "organic", "partner", "social", "store"};
const std::vector<std::string_view> kStatuses = {"active", "churned", "paused", "trial"};

constexpr uint64_t kEventsPerUser = 10;

// Lower codes are likelier: the smaller of two draws.
size_t skewed(uint64_t id, uint64_t which, size_t count) {
  return static_cast<size_t>(std::min(draw_below(id, which, count), draw_below(id, which + 32, count)));
}

Table events(const Options& options, bool shuffled) {
  const uint64_t rows = options.rows;
  const uint64_t users = std::max<uint64_t>(rows / kEventsPerUser, 1);
  const Permutation permutation(rows);
  return {.name = "events",
          .columns = {{.name = "event_id", .primary = true},
                      {.name = "user_id"},
                      {.name = "country", .text = true, .domain = kCountries},
                      {.name = "device", .text = true, .domain = kDevices},
                      {.name = "plan", .text = true, .domain = kPlans},
                      {.name = "channel", .text = true, .domain = kChannels},
                      {.name = "status", .text = true, .domain = kStatuses},
                      {.name = "is_new"},
                      {.name = "amount_cents"},
                      {.name = "duration_ms"}},
          .rows = rows,
          .append = [=](uint64_t id, Batch& batch) {
            const uint64_t amount = draw_below(shuffled ? permutation(id) : id, 10, 1'000);
            batch.integers[0].push_back(static_cast<int64_t>(id));
            batch.integers[1].push_back(static_cast<int64_t>(1 + std::min(draw_below(id, 1, users), draw_below(id, 2, users))));
            batch.texts[2].push_back(kCountries[skewed(id, 3, kCountries.size())]);
            batch.texts[3].push_back(kDevices[skewed(id, 4, kDevices.size())]);
            batch.texts[4].push_back(kPlans[skewed(id, 5, kPlans.size())]);
            batch.texts[5].push_back(kChannels[skewed(id, 6, kChannels.size())]);
            batch.texts[6].push_back(kStatuses[skewed(id, 7, kStatuses.size())]);
            batch.integers[7].push_back(static_cast<int64_t>(draw_below(id, 8, 2)));
            batch.integers[8].push_back(static_cast<int64_t>(50 + amount * amount));
            batch.integers[9].push_back(static_cast<int64_t>(100 + draw_below(id, 11, 60'000)));
          }};
}

const std::vector<Question> kSlices = {
    {"W1", "SELECT COUNT(*), SUM(amount_cents) FROM events WHERE country = 'US'", "W"},
    {"W2", "SELECT COUNT(*), SUM(amount_cents) FROM events WHERE country IN ('DE', 'FR', 'IT') AND device = 'mobile'", "W"},
    {"W3", "SELECT COUNT(*), SUM(amount_cents) FROM events WHERE plan = 'pro' OR channel = 'email'", "W"},
    {"W4", "SELECT COUNT(*), SUM(amount_cents), SUM(duration_ms) FROM events WHERE NOT (status = 'churned')", "W"},
    {"W5", "SELECT COUNT(*), SUM(amount_cents) FROM events WHERE plan <> 'free' AND is_new = 1", "W"},
    {"W6", "SELECT COUNT(*), SUM(amount_cents) FROM events WHERE channel LIKE 'a%'", "W"},
    {"W7", "SELECT COUNT(*), SUM(duration_ms), SUM(amount_cents) FROM events WHERE country = 'JP' AND device = 'tablet' AND plan = 'team' AND status = 'trial'", "W"},
    {"W8", "SELECT COUNT(*), SUM(amount_cents) FROM events WHERE (country = 'GB' OR country = 'IN') AND status IN ('active', 'paused') AND NOT device = 'tv'", "W"},
    {"W9", "SELECT COUNT(*), SUM(amount_cents) FROM events WHERE country LIKE '%R' AND channel <> 'direct' AND is_new = 0", "W"},
    {"G1", "SELECT country, COUNT(*), SUM(amount_cents) FROM events GROUP BY country ORDER BY country", "G"},
    {"G2", "SELECT device, AVG(amount_cents) FROM events GROUP BY device ORDER BY device", "G"},
    {"G3", "SELECT plan, status, COUNT(*), SUM(amount_cents) FROM events GROUP BY plan, status ORDER BY plan, status", "G"},
    {"G4", "SELECT channel, COUNT(*), SUM(amount_cents) FROM events WHERE is_new = 1 GROUP BY channel ORDER BY channel", "G"},
    {"G5", "SELECT country, device, SUM(amount_cents) FROM events WHERE plan = 'pro' GROUP BY country, device ORDER BY country, device", "G"},
    {"G6", "SELECT device, plan, status, COUNT(*), SUM(amount_cents), SUM(duration_ms) FROM events GROUP BY device, plan, status ORDER BY device, plan, status", "G"},
    {"G7", "SELECT status, AVG(amount_cents), AVG(duration_ms) FROM events WHERE country IN ('US', 'CA', 'MX') GROUP BY status ORDER BY status", "G"},
    {"G8", "SELECT is_new, channel, SUM(amount_cents) FROM events WHERE device <> 'tv' GROUP BY is_new, channel ORDER BY is_new, channel", "G"},
    {"H1", "SELECT country, SUM(amount_cents) AS s FROM events GROUP BY country HAVING COUNT(*) > 100 ORDER BY s DESC, country", "H"},
    {"H2", "SELECT channel, plan, COUNT(*) AS n, SUM(amount_cents) FROM events GROUP BY channel, plan HAVING AVG(amount_cents) > 100000 ORDER BY n DESC, channel, plan", "H"},
    {"H3", "SELECT device, SUM(amount_cents) FROM events WHERE status = 'active' GROUP BY device HAVING SUM(amount_cents) > 1000 ORDER BY device", "H"},
    {"D1", "SELECT COUNT(DISTINCT country) FROM events", "D"},
    {"D2", "SELECT COUNT(DISTINCT channel) FROM events WHERE plan = 'team' AND device = 'tv'", "D"},
    {"D3", "SELECT status, COUNT(DISTINCT country) FROM events GROUP BY status ORDER BY status", "D"},
    {"D4", "SELECT MIN(country), MAX(channel) FROM events WHERE status = 'trial'", "D"},
    {"D5", "SELECT MIN(plan), MAX(plan), MIN(is_new), MAX(is_new) FROM events WHERE device = 'tv' AND country = 'US'", "D"},
    {"X1", "SELECT COUNT(*), SUM(duration_ms) FROM events WHERE amount_cents > 900000", "X"},
    {"X2", "SELECT COUNT(DISTINCT user_id) FROM events", "X"},
    {"X3", "SELECT user_id, SUM(amount_cents) AS s FROM events GROUP BY user_id ORDER BY s DESC, user_id LIMIT 10", "X"},
    {"X4", "SELECT event_id, country, amount_cents FROM events WHERE amount_cents > 990000 AND plan = 'pro' ORDER BY event_id LIMIT 100", "X"},
    {"X5", "SELECT device, COUNT(*), SUM(amount_cents) FROM events WHERE duration_ms < 1000 GROUP BY device ORDER BY device", "X"},
    {"X6", "SELECT MIN(amount_cents), MAX(duration_ms) FROM events WHERE user_id < 100", "X"},
    {"X7", "SELECT * FROM events WHERE event_id = 77", "X"},
    {"S1", "SELECT COUNT(*) FROM events", "S"},
    {"S2", "SELECT SUM(amount_cents), SUM(duration_ms) FROM events", "S"},
    {"S3", "SELECT COUNT(*), AVG(duration_ms) FROM events", "S"},
};

Workload make_dashboard(const Options& options, bool shuffled) {
  Workload w;
  w.tables = {events(options, shuffled)};
  w.questions = kSlices;
  // Bytes a row of what no cube has: 4 for an amount or a user, 2 for a duration, 1 for a code.
  const std::map<std::string, double> row_bytes = {{"X1", 6}, {"X2", 4}, {"X3", 8}, {"X4", 5}, {"X5", 2}, {"X6", 4}};
  for (Question& question : w.questions) {
    if (const auto found = row_bytes.find(question.id); found != row_bytes.end()) question.bytes = found->second * static_cast<double>(options.rows);
  }
  w.indexes = {{"cube", "CREATE INDEX cube ON events USING SUMMARY (country, device, plan, channel, status, is_new) INCLUDE (amount_cents, duration_ms)"}};
  w.control = "SELECT COUNT(*), SUM(amount_cents * 3 + duration_ms) FROM events WHERE amount_cents + duration_ms * 3 > user_id * 7";
  return w;
}

// Does the cube stay as small at any number of rows? "cube.bytes_most" over a hundredth, a tenth and all of them, loaded and built.
void cube_bytes(SideBySide& run, const Options& options, Json& json, Progress& progress) {
  begin_phase("cube at other sizes");
  const auto bytes_of = [&](Worker& worker) {
    for (const std::string& line : lines_of(worker.call("sql SHOW INDEXES"))) {
      const auto fields = fields_of(line, '|');
      if (fields.at(1) == "cube") return std::stod(fields.at(6));
    }
    throw WorkerError(worker.name() + ": there is no cube");
  };
  double most = std::max(bytes_of(run.worker("engine")), bytes_of(run.worker("summary")));
  std::vector<std::vector<Json>> table = {{Json(options.rows), Json(bytes_of(run.worker("summary")))}};
  for (const uint64_t part : {10, 100}) {
    Options small = options;
    small.rows = std::max<uint64_t>(options.rows / part, 100);
    progress.step("the cube over " + std::to_string(small.rows) + " rows");
    Worker worker("HoloDb, fewer rows", [small] { return engine_worker({.name = "small", .label = "HoloDb, fewer rows", .indexes = {"cube"}}, make_dashboard, small); });
    worker.call("load");
    table.push_back({Json(small.rows), Json(bytes_of(worker))});
    most = std::max(most, bytes_of(worker));
  }
  json["metrics"]["cube.bytes_most"] = Json(most);
  add_table(json, "Bytes of the cube, loaded with its rows", {"rows", "bytes"}, table);
}

}  // namespace

Json run_dashboard(const Options& options) {
  Json json = begin_json(options);
  json["title"] = "W2 dashboard";
  const auto arms = standard_arms(options, {"cube"});
  Progress progress(SideBySide::steps(arms.size(), kSlices.size()) + 3);
  SideBySide run(options, make_dashboard, arms, json, progress);
  run.load();
  run.compare_rows();
  run.placebo({"cube"});
  run.time_questions();
  run.after_questions();
  progress.step("building the cube over rows");
  json["metrics"]["build.cube_s"] = Json(std::stod(run.worker("engine").call("create cube")));
  run.verify(run.worker("engine"), "cube", "built over rows");
  cube_bytes(run, options, json, progress);
  keep_bandwidth(options, json);
  return json;
}

}  // namespace hdb::bench
