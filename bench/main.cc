// bench_workloads: a workload, measured side by side. Rows of every question are compared over all engines before any figure is kept; the
// result is JSON, which bench/run completes (machine, stamp) and judges (bench/registered/NAME.toml). Use bench/run.
//
// Exit status: 0 measured, 1 an engine failed, 2 wrong usage, 3 two engines differ (nothing is written).
#include <CLI/CLI.hpp>
#include <sys/prctl.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <thread>

#include "bench/process.h"
#include "bench/timing.h"
#include "bench/workloads.h"
#include "holodb/holodb.h"

namespace hdb::bench {
namespace {

const std::map<std::string, Json (*)(const Options&)> kWorkloads = {
    {"billing", run_billing},
    {"classes", run_classes},
    {"dashboard", run_dashboard},
    {"durable", run_durable},
    {"import", run_import},
    {"ingest", run_ingest},
    {"scaling", run_scaling},
    {"tenants", run_tenants},
    {"writes", run_writes},
};

// How many calls a cell gets, for the report.
Json timing_rules() {
  Json rules;
  rules["cell_s"] = Json(kCellSeconds);
  rules["calls_min"] = Json(uint64_t{kSamplesMin});
  rules["calls_max"] = Json(uint64_t{2 * kSamples});
  rules["long_call_s"] = Json(kLongCall);
  rules["batch_s"] = Json(kBatch);
  rules["batches"] = Json(uint64_t{2 * kBatches});
  return rules;
}

int run(int argc, char** argv) {
  Options options;
  std::string json;
  options.threads = std::max(std::thread::hardware_concurrency(), 1u);
  bool source_id = false;
  CLI::App app("a workload, measured side by side; use bench/run");
  app.add_option("name", options.name, "of a workload");
  app.add_option("--rows", options.rows, "of its largest table")->check(CLI::Range(uint64_t{100}, uint64_t{100'000'000}));
  app.add_option("--lookups", options.lookups, "of each question about a key")->check(CLI::Range(uint64_t{20}, uint64_t{1'000'000}));
  app.add_option("--peers", options.peers, "sqlite, duckdb")->delimiter(',')->check(CLI::IsMember({"sqlite", "duckdb", "none"}));
  app.add_option("--duckdb-library", options.duckdb_library, "libduckdb.so, see bench/fetch_peers");
  app.add_option("--data", options.data, "directory of the real data");
  app.add_option("--scratch", options.scratch, "directory for unpacked data");
  app.add_option("--json", json, "where the result goes");
  app.add_option("--plant", options.plant, "ARM:ID, falsifies one answer (bench/selftest)");
  app.add_flag("--source-id", source_id, "print the id of the source that this was built from");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // a run that was stopped leaves nothing behind that would take the next one's cores
  if (source_id) return std::puts(holodb_source_id()) < 0 ? 1 : 0;
  const auto workload = kWorkloads.find(options.name);
  if (workload == kWorkloads.end()) return std::fprintf(stderr, "bench: there is no workload %s\n", options.name.c_str()), 2;
  try {
    Json result = workload->second(options);
    result["timing"] = timing_rules();
    result["spent"] = Json::array();
    for (const Spent& spent : time_spent()) {
      Json line;
      line["phase"] = spent.phase;
      line["process"] = spent.worker;
      line["s"] = Json(spent.seconds);
      result["spent"].add(std::move(line));
    }
    const std::string text = result.to_text() + "\n";
    if (json.empty()) return std::fputs(text.c_str(), stdout) < 0 ? 1 : 0;
    std::ofstream out(json, std::ios::binary);
    out << text;
    out.close();
    if (!out) throw std::runtime_error("cannot write " + json);
    return 0;
  } catch (const Differs& e) {
    std::fprintf(stderr, "bench: %s\nbench: stopped; nothing is reported\n", e.what());
    return 3;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench: %s\n", e.what());
    return 1;
  }
}

}  // namespace
}  // namespace hdb::bench

int main(int argc, char** argv) { return hdb::bench::run(argc, argv); }
