// bench_billing: W1, measured side by side. Rows of every question are compared over all engines before any figure is kept; the result is
// JSON, which bench/run completes (machine, stamp) and judges (bench/registered/billing.toml). Use bench/run.
//
// Exit status: 0 measured, 1 an engine failed, 2 wrong usage, 3 two engines differ (nothing is written).
#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <thread>

#include "bench/billing_worker.h"
#include "bench/json.h"
#include "bench/process.h"
#include "bench/timing.h"
#include "holodb/holodb.h"
#include "shell/ledger.h"

namespace hdb::bench {
namespace {

class Differs : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Runs the same path in the arms that bench/registered/ names: columns that are BIGINT in all arms, and arithmetic enough that a call lasts
// some milliseconds. (Q8 compares one column in under a millisecond: there DuckDB's waking of its threads is what is timed.)
constexpr const char* kControlId = "C1";
constexpr const char* kControlSql =
    "SELECT COUNT(*), SUM(amount_cents * due_day + tax_cents) FROM invoices WHERE amount_cents + tax_cents * 3 > due_day * 70";
constexpr int kControlSamples = 15;

struct Options {
  BillingOptions billing;
  std::vector<std::string> peers = {"sqlite", "duckdb"};
  std::string json;
  std::string plant;  // "ARM:Qn"
};

// "BATCH SAMPLE SAMPLE ..." as {"batch", "samples"}
Json loop_json(const std::string& text) {
  std::istringstream in(text);
  double batch = 0;
  in >> batch;
  Json json;
  json["batch"] = Json(batch);
  json["samples"] = Json::array();
  for (double sample; in >> sample;) json["samples"].add(Json(sample));
  return json;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> fields_of(const std::string& line, char separator) {
  std::vector<std::string> fields;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, separator);) fields.push_back(field);
  return fields;
}

std::string first_difference(const std::string& a, const std::string& b) {
  const auto x = lines_of(a);
  const auto y = lines_of(b);
  for (size_t i = 0; i < std::max(x.size(), y.size()); ++i) {
    const std::string left = i < x.size() ? x[i] : "(no row)";
    const std::string right = i < y.size() ? y[i] : "(no row)";
    if (left != right) return "row " + std::to_string(i + 1) + ": " + left + "  against  " + right;
  }
  return "";
}

struct Running {
  Arm arm;
  std::unique_ptr<Worker> worker;
};

class Billing {
 public:
  explicit Billing(const Options& options) : options_(options), ledger_(options.billing.rows), progress_(steps()) {}

  Json run() {
    describe();
    for (const Arm& arm : arms()) load(arm);
    compare_rows();
    placebo();
    time_controls("loop1");
    time_queries();
    time_controls("loop2");
    time_lookups();
    after_queries();
    bulk_load_cost();
    changes();
    return std::move(json_);
  }

 private:
  bool has(const std::string& peer) const { return std::find(options_.peers.begin(), options_.peers.end(), peer) != options_.peers.end(); }
  std::vector<Arm> arms() const {
    std::vector<Arm> arms = {{.name = "engine", .label = "HoloDb engine"}, {.name = "summary", .label = "HoloDb summary", .summaries = {"s1", "s2"}}};
    if (has("sqlite")) arms.push_back({.name = "sqlite", .label = "SQLite", .engine = Arm::Engine::kSqlite});
    if (has("duckdb")) {
      arms.push_back({.name = "duckdb_text", .label = "DuckDB TEXT", .engine = Arm::Engine::kDuckdb});
      arms.push_back({.name = "duckdb_enum", .label = "DuckDB ENUM", .engine = Arm::Engine::kDuckdb, .enums = true});
    }
    for (Arm& arm : arms) {
      if (options_.plant.starts_with(arm.name + ":")) arm.planted = options_.plant.substr(arm.name.size() + 1);
    }
    return arms;
  }
  uint64_t steps() const {
    const uint64_t arms = 2 + (has("sqlite") ? 1 : 0) + (has("duckdb") ? 2 : 0);
    return arms * (1 + 16 + 2 * 15 + 4) + 2 * 17 + 2 + 2 * 4 + 2 * (kControlSamples + 1);
  }
  static bool is_holodb(const Arm& arm) { return arm.engine == Arm::Engine::kHolodb; }

  void describe() {
    json_["workload"] = "billing";
    json_["rows"] = Json(options_.billing.rows);
    json_["customers"] = Json(ledger_.customers());
    json_["seed"] = Json(shell::Ledger::kSeed);
    json_["lookups"] = Json(options_.billing.lookups);
    json_["threads"] = Json(uint64_t{options_.billing.threads});
    json_["source_id"] = holodb_source_id();
    json_["planted"] = options_.plant;
  }
  std::unique_ptr<Worker> start(const Arm& arm) {
    progress_.step("loading " + arm.label);
    return std::make_unique<Worker>(arm.label, [arm, billing = options_.billing] { return billing_worker(arm, billing); });
  }
  static Json memory_json(Worker& worker) {
    const auto fields = fields_of(worker.call("memory"), ' ');
    Json json;
    json["resident"] = Json(std::stod(fields[0]));
    json["peak"] = Json(std::stod(fields[1]));
    return json;
  }
  Json load_json(Worker& worker) const {
    const auto fields = fields_of(worker.call("load"), ' ');
    Json json;
    json["customers_s"] = Json(std::stod(fields[0]));
    json["invoices_s"] = Json(std::stod(fields[1]));
    json["rows_per_s"] = Json(static_cast<double>(options_.billing.rows) / std::stod(fields[1]));
    return json;
  }

  void load(const Arm& arm) {
    Running running{arm, start(arm)};
    Json& json = json_["arms"][arm.name];
    json["label"] = arm.label;
    for (const std::string& line : lines_of(running.worker->call("open"))) {
      const auto fields = fields_of(line, '\t');
      json["settings"][fields[0]] = fields.size() > 1 ? fields[1] : "";
    }
    json["memory"]["empty"] = memory_json(*running.worker);
    json["load"] = load_json(*running.worker);
    json["memory"]["loaded"] = memory_json(*running.worker);
    running_.push_back(std::move(running));
  }

  // First calls happen here; their time is kept only because no answer differed (a difference ends the run).
  void compare_rows() {
    for (const auto& question : shell::kLedgerQuestions) {
      const std::string id = question.id;
      Json& json = json_["queries"][id];
      json["sql"] = question.sql;
      for (Running& running : running_) {
        progress_.step(id + " rows, " + running.arm.label);
        const std::string answer = running.worker->call("rows " + id);
        const size_t line = answer.find('\n');
        json["cells"][running.arm.name]["first_s"] = Json(std::stod(answer.substr(0, line)));
        const std::string rows = answer.substr(line + 1);
        const auto [reference, is_first] = answers_.try_emplace(id, rows);
        if (is_first) {
          json["result_rows"] = Json(uint64_t{lines_of(rows).size()});
        } else if (rows != reference->second) {
          throw Differs(id + " differs: " + running_.front().arm.label + " and " + running.arm.label + ": " + first_difference(reference->second, rows) +
                        "\n  " + question.sql);
        }
      }
    }
    json_["rows_equal"] = true;
  }

  // The measure column shuffled: which answers change?
  void placebo() {
    for (const Arm& arm : {Arm{.name = "engine", .label = "placebo without summaries", .shuffled = true},
                           Arm{.name = "summary", .label = "placebo with summaries", .summaries = {"s1", "s2"}, .shuffled = true}}) {
      const auto worker = start(arm);
      worker->call("load");
      Json changed = Json::array();
      for (const auto& question : shell::kLedgerQuestions) {
        progress_.step(std::string(question.id) + ", " + arm.label);
        const std::string answer = worker->call("rows " + std::string(question.id));
        if (answer.substr(answer.find('\n') + 1) != answers_.at(question.id)) changed.add(Json(question.id));
      }
      json_["placebo"][arm.name] = std::move(changed);
    }
  }

  // Arms of one engine take turns, sample by sample, so that a machine that changes its pace changes it for both: once before the queries
  // and once after them.
  void time_controls(const std::string& loop) {
    Json& control = json_["controls"][kControlId];
    control["sql"] = kControlSql;
    std::map<std::string, std::vector<double>> samples;
    for (int sample = -1; sample < kControlSamples; ++sample) {
      progress_.step("control, " + loop);
      for (Running& running : running_) {
        if (running.arm.engine == Arm::Engine::kSqlite) continue;  // it has one arm
        const double seconds = std::stod(running.worker->call(std::string("once ") + kControlSql));
        if (sample >= 0) samples[running.arm.name].push_back(seconds);
      }
    }
    for (const auto& [arm, values] : samples) {
      Json& json = control["cells"][arm][loop];
      json["batch"] = Json(uint64_t{1});
      json["samples"] = Json::array_of(values);
    }
  }
  void time_queries() {
    for (const char* loop : {"loop1", "loop2"}) {
      for (const auto& question : shell::kLedgerQuestions) {
        const std::string id = question.id;
        if (id == "Q6") continue;
        for (Running& running : running_) {
          progress_.step(id + " " + loop + ", " + running.arm.label);
          json_["queries"][id]["cells"][running.arm.name][loop] = loop_json(running.worker->call("time " + id));
        }
      }
    }
  }
  void time_lookups() {
    for (const char* loop : {"loop1", "loop2"}) {
      for (const std::string how : {"prepared", "text"}) {
        for (Running& running : running_) {
          progress_.step("Q6 " + how + " " + loop + ", " + running.arm.label);
          json_["lookup"][how][running.arm.name][loop] = loop_json(running.worker->call("lookup " + how));
        }
      }
    }
  }

  void after_queries() {
    for (Running& running : running_) {
      Json& json = json_["arms"][running.arm.name];
      json["memory"]["queried"] = memory_json(*running.worker);
      if (!is_holodb(running.arm)) continue;
      for (const auto& question : shell::kLedgerQuestions) {
        Json& plan = json_["queries"][question.id]["plans"][running.arm.name];
        plan = Json::array();
        for (const std::string& line : lines_of(running.worker->call("paths " + std::string(question.id)))) plan.add(line);
      }
      Json& plan = json_["controls"][kControlId]["plans"][running.arm.name];
      plan = Json::array();
      for (const std::string& line : lines_of(running.worker->call(std::string("sql EXPLAIN ") + kControlSql))) plan.add(line);
      json["indexes"] = indexes(*running.worker);
      for (const std::string& name : running.arm.summaries) verify(*running.worker, name, "summary arm after the queries");
    }
  }
  static Json indexes(Worker& worker) {
    Json json = Json::array();
    for (const std::string& line : lines_of(worker.call("sql SHOW INDEXES"))) {
      const auto f = fields_of(line, '|');
      if (f.size() != 7) throw WorkerError("SHOW INDEXES: a row of " + std::to_string(f.size()) + " columns: " + line);
      Json row;
      row["table"] = f[0];
      row["index"] = f[1];
      row["kind"] = f[2];
      row["cells"] = f[5] == "NULL" ? Json() : Json(std::stod(f[5]));
      row["bytes"] = f[6] == "NULL" ? Json() : Json(std::stod(f[6]));
      json.add(std::move(row));
    }
    return json;
  }
  void verify(Worker& worker, const std::string& summary, const std::string& when) {
    const std::string answer = worker.call("sql SELECT * FROM summary_verify('" + summary + "')");
    const auto fields = fields_of(lines_of(answer).at(0), '|');
    Json json;
    json["summary"] = summary;
    json["when"] = when;
    json["cells_checked"] = Json(std::stod(fields.at(0)));
    json["differences"] = Json(std::stod(fields.at(1)));
    if (fields[1] != "0") throw Differs("summary " + summary + " is not its rebuild: " + fields[1] + " differences, " + when);
    if (json_["verified"].to_text() == "null") json_["verified"] = Json::array();
    json_["verified"].add(std::move(json));
  }

  // What each summary alone costs a bulk load.
  void bulk_load_cost() {
    for (const std::string name : {"s1", "s2"}) {
      const Arm arm{.name = "load_" + name, .label = "HoloDb with " + name, .summaries = {name}};
      const auto worker = start(arm);
      json_["bulk_load"][name] = load_json(*worker);
    }
  }

  // Single-row changes with 0, 1 and 2 summaries, and in SQLite; the same statements in both, and afterwards the same answers.
  void changes() {
    const Arm arm{.name = "changes", .label = "HoloDb changed"};
    const auto holodb = start(arm);
    json_["changes"]["per_stage"] = Json(changes_per_stage(options_.billing.rows));
    json_["bulk_load"]["none"] = load_json(*holodb);
    Running* sqlite = nullptr;
    for (Running& running : running_) {
      if (running.arm.engine == Arm::Engine::kSqlite) sqlite = &running;
    }
    for (uint64_t stage = 0; stage < 3; ++stage) {
      if (stage > 0) {
        const std::string name = "s" + std::to_string(stage);
        json_["build_s"][name] = Json(std::stod(holodb->call("create " + name)));
      }
      progress_.step("changes with " + std::to_string(stage) + " summaries");
      keep_stage("holodb_" + std::to_string(stage), holodb->call("stage " + std::to_string(stage)));
      if (sqlite == nullptr) continue;
      progress_.step("changes, SQLite");
      keep_stage("sqlite_" + std::to_string(stage), sqlite->worker->call("stage " + std::to_string(stage)));
    }
    for (const std::string name : {"s1", "s2"}) verify(*holodb, name, "after the changes");
    json_["changes"]["indexes"] = indexes(*holodb);
    if (sqlite == nullptr) return;
    for (const auto& question : shell::kLedgerQuestions) {
      const std::string id = question.id;
      const auto rows = [&](Worker& worker) {
        const std::string answer = worker.call("rows " + id);
        return answer.substr(answer.find('\n') + 1);
      };
      const std::string a = rows(*holodb);
      const std::string b = rows(*sqlite->worker);
      if (a != b) throw Differs(id + " differs after the changes: HoloDb and SQLite: " + first_difference(a, b) + "\n  " + question.sql);
    }
    json_["changes"]["rows_equal"] = true;
  }
  void keep_stage(const std::string& name, const std::string& answer) {
    const auto lines = lines_of(answer);
    const char* kinds[] = {"insert", "update", "delete"};
    for (size_t i = 0; i < 3; ++i) {
      // The first half of the batches and the second one are its two loops.
      Json& cell = json_["changes"]["cells"][kinds[i]][name];
      std::istringstream in(lines.at(i));
      double batch = 0;
      in >> batch;
      std::vector<double> samples;
      for (double sample; in >> sample;) samples.push_back(sample);
      const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
      cell["loop1"]["batch"] = Json(batch);
      cell["loop1"]["samples"] = Json::array_of(std::vector<double>(samples.begin(), middle));
      cell["loop2"]["batch"] = Json(batch);
      cell["loop2"]["samples"] = Json::array_of(std::vector<double>(middle, samples.end()));
    }
  }

  Options options_;
  shell::Ledger ledger_;
  Progress progress_;
  Json json_;
  std::vector<Running> running_;
  std::map<std::string, std::string> answers_;
};

int run(int argc, char** argv) {
  Options options;
  options.billing.threads = std::max(std::thread::hardware_concurrency(), 1u);
  bool source_id = false;
  CLI::App app("W1 billing; use bench/run");
  app.add_option("--rows", options.billing.rows, "invoices")->check(CLI::Range(uint64_t{100}, uint64_t{100'000'000}));
  app.add_option("--lookups", options.billing.lookups, "of Q6")->check(CLI::Range(uint64_t{20}, uint64_t{1'000'000}));
  app.add_option("--peers", options.peers, "sqlite, duckdb")->delimiter(',')->check(CLI::IsMember({"sqlite", "duckdb", "none"}));
  app.add_option("--duckdb-library", options.billing.duckdb_library, "libduckdb.so, see bench/fetch_peers");
  app.add_option("--json", options.json, "where the result goes");
  app.add_option("--plant", options.plant, "ARM:Qn, falsifies one answer (bench/selftest)");
  app.add_flag("--source-id", source_id, "print the id of the source that this was built from");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  if (source_id) return std::puts(holodb_source_id()) < 0 ? 1 : 0;
  try {
    const std::string text = Billing(options).run().to_text() + "\n";
    if (options.json.empty()) return std::fputs(text.c_str(), stdout) < 0 ? 1 : 0;
    std::ofstream out(options.json, std::ios::binary);
    out << text;
    out.close();
    if (!out) throw std::runtime_error("cannot write " + options.json);
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
