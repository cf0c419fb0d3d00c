// W10 real data: flights and bird strikes imported from CSV, and sliced by origin, destination, day and hour.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "bench/timing.h"
#include "bench/workloads.h"

namespace hdb::bench {
namespace {

constexpr int kImports = 3;  // of a file, each into a table of its own; the median counts

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::string flights_file(const Options& options) { return options.scratch + "/flights-" + std::to_string(options.rows) + ".csv"; }

// The first rows of the packed flights, unpacked; a placebo's file has its delays in reverse order.
void unpack(const Options& options) {
  std::filesystem::create_directories(options.scratch);
  const std::string packed = options.data + "/flights-500k.csv.zst";
  if (!std::ifstream(packed)) throw std::runtime_error(packed + " is missing (--data names the directory of the real data)");
  const std::string command = "zstd -dcq '" + packed + "' | head -n " + std::to_string(options.rows + 1) + " >'" + flights_file(options) + "'";
  if (std::system(command.c_str()) != 0) throw std::runtime_error("cannot unpack " + packed);
  std::ifstream in(flights_file(options));
  std::string line;
  std::vector<std::string> lines;
  while (std::getline(in, line)) lines.push_back(line);
  if (lines.size() < 3) throw std::runtime_error(packed + " has no rows");
  const auto delay = [](const std::string& row) {
    const size_t begin = row.find(',') + 1;
    return std::pair(begin, row.find(',', begin) - begin);
  };
  std::ofstream out(flights_file(options) + ".shuffled");
  out << lines[0] << "\n";
  for (size_t i = 1; i < lines.size(); ++i) {
    const std::string& other = lines[lines.size() - i];
    const auto [begin, size] = delay(lines[i]);
    const auto [other_begin, other_size] = delay(other);
    out << lines[i].substr(0, begin) << other.substr(other_begin, other_size) << lines[i].substr(begin + size) << "\n";
  }
}

// "TABLE ROWS SECONDS CPU_SECONDS" a line; then the summaries.
std::string load_files(EngineWorker& worker, const std::string&) {
  const Options& options = worker.options();
  const std::string flights = flights_file(options) + (worker.arm().shuffled ? ".shuffled" : "");
  std::string text;
  for (const auto& [table, file] : {std::pair<std::string, std::string>("flights", flights), {"strikes", options.data + "/birdstrikes.csv"}}) {
    uint64_t rows = 0;
    std::vector<std::pair<double, double>> times;  // wall clock, CPU
    for (int i = 0; i < kImports; ++i) {
      const std::string name = i == 0 ? table : table + "_again";
      const double cpu = cpu_seconds();
      const double seconds = seconds_of([&] { rows = worker.peer().import_csv(file, name); });
      times.emplace_back(seconds, cpu_seconds() - cpu);
      if (i > 0) worker.peer().execute("DROP TABLE " + name);
    }
    std::sort(times.begin(), times.end());
    const auto& [wall, cpu] = times[kImports / 2];
    text += table + " " + std::to_string(rows) + " " + std::to_string(wall) + " " + std::to_string(cpu) + "\n";
  }
  for (const auto& index : worker.arm().indexes) worker.peer().execute(worker.workload().indexes.at(index));
  return text;
}

Workload make_import(const Options&, bool) {
  Workload w;
  w.questions = {
      {"by origin", "SELECT origin, COUNT(*), SUM(delay) FROM flights GROUP BY origin ORDER BY origin", "flights"},
      {"by destination", "SELECT destination, COUNT(*), SUM(delay), SUM(distance) FROM flights GROUP BY destination ORDER BY destination", "flights"},
      {"one origin", "SELECT COUNT(*), SUM(delay) FROM flights WHERE origin = 'ATL'", "flights"},
      {"one route", "SELECT COUNT(*), SUM(delay), AVG(distance) FROM flights WHERE origin = 'LAS' AND destination = 'PHL'", "flights"},
      {"destinations of one", "SELECT destination, COUNT(*), AVG(delay) FROM flights WHERE origin = 'ORD' GROUP BY destination ORDER BY destination", "flights"},
      {.id = "by day",
       .sql = "SELECT EXTRACT(day FROM \"date\") AS d, COUNT(*), SUM(delay) FROM flights GROUP BY EXTRACT(day FROM \"date\") ORDER BY 1",
       .group = "flights",
       .sqlite_sql = "SELECT CAST(strftime('%d', date) AS INTEGER) AS d, COUNT(*), SUM(delay) FROM flights GROUP BY 1 ORDER BY 1"},
      {.id = "by hour",
       .sql = "SELECT EXTRACT(hour FROM \"date\") AS h, COUNT(*), SUM(delay) FROM flights GROUP BY EXTRACT(hour FROM \"date\") ORDER BY 1",
       .group = "flights",
       .sqlite_sql = "SELECT CAST(strftime('%H', date) AS INTEGER) AS h, COUNT(*), SUM(delay) FROM flights GROUP BY 1 ORDER BY 1"},
      {.id = "origin by hour",
       .sql = "SELECT EXTRACT(hour FROM \"date\") AS h, COUNT(*), SUM(delay) FROM flights WHERE origin = 'DFW' GROUP BY EXTRACT(hour FROM \"date\") ORDER BY 1",
       .group = "flights",
       .sqlite_sql = "SELECT CAST(strftime('%H', date) AS INTEGER) AS h, COUNT(*), SUM(delay) FROM flights WHERE origin = 'DFW' GROUP BY 1 ORDER BY 1"},
      {"long delays", "SELECT origin, COUNT(*) FROM flights WHERE delay > 120 GROUP BY origin ORDER BY 2 DESC, origin LIMIT 10", "flights"},
      {"strikes by state", "SELECT \"Origin State\", COUNT(*), SUM(\"Cost Total $\") FROM strikes GROUP BY \"Origin State\" ORDER BY 1", "strikes"},
      {"strikes by phase", "SELECT \"Phase of flight\", \"Time of day\", COUNT(*) FROM strikes GROUP BY \"Phase of flight\", \"Time of day\" ORDER BY 1, 2", "strikes"},
      {"large birds", "SELECT COUNT(*), SUM(\"Cost Total $\") FROM strikes WHERE \"Wildlife Size\" = 'Large' AND \"Time of day\" = 'Night'", "strikes"},
  };
  w.indexes = {{"f1", "CREATE INDEX f1 ON flights USING SUMMARY (origin, destination) INCLUDE (delay, distance)"},
               {"f2", "CREATE INDEX f2 ON flights USING SUMMARY (origin) INCLUDE (delay, distance)"},
               {"f3", "CREATE INDEX f3 ON flights USING SUMMARY (destination) INCLUDE (delay, distance)"},
               {"f4", "CREATE INDEX f4 ON flights USING SUMMARY (\"date\") INCLUDE (delay)"},
               {"f5", "CREATE INDEX f5 ON flights USING SUMMARY (origin, \"date\") INCLUDE (delay)"},
               {"k1", "CREATE INDEX k1 ON strikes USING SUMMARY (\"Origin State\") INCLUDE (\"Cost Total $\")"},
               {"k2", "CREATE INDEX k2 ON strikes USING SUMMARY (\"Phase of flight\", \"Time of day\", \"Wildlife Size\") INCLUDE (\"Cost Total $\")"}};
  w.control = "SELECT COUNT(*), SUM(delay * 3 + distance) FROM flights WHERE delay * 5 + distance > 700";
  w.commands["load"] = load_files;
  return w;
}

}  // namespace

Json run_import(const Options& options) {
  Json json = begin_json(options);
  json["title"] = "W10 real data";
  unpack(options);
  const std::vector<std::string> summaries = {"f1", "f2", "f3", "f4", "f5", "k1", "k2"};
  auto arms = standard_arms(options, summaries);
  for (Arm& arm : arms) {  // both read what read_csv makes of the file: twice the same, for the control
    if (arm.name == "duckdb_enum") arm.label = "DuckDB, again";
  }
  Progress progress(SideBySide::steps(arms.size(), 12));
  SideBySide run(options, make_import, arms, json, progress);
  run.load();
  run.compare_rows();
  run.placebo(summaries);
  run.time_questions();
  run.after_questions();
  return json;
}

}  // namespace hdb::bench
