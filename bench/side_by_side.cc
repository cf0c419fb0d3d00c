#include "bench/side_by_side.h"

#include <algorithm>
#include <sstream>

#include "bench/scan_limits.h"
#include "bench/timing.h"
#include "holodb/holodb.h"

namespace hdb::bench {
namespace {

constexpr int kControlSamples = 15;
constexpr const char* kControlId = "C1";

}  // namespace

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

void keep_halves(Json& cell, const std::string& loop) {
  const auto fields = fields_of(loop, ' ');
  const size_t samples = fields.size() - 1;
  for (const char* name : {"loop1", "loop2"}) {
    Json& half = cell[name];
    half["batch"] = Json(std::stod(fields[0]));
    half["samples"] = Json::array();
    const bool second = name[4] == '2';
    for (size_t i = second ? samples / 2 : 0; i < (second ? samples : std::max<size_t>(samples / 2, 1)); ++i) {
      half["samples"].add(Json(std::stod(fields[i + 1])));
    }
  }
}

double median_of(const std::string& loop) {
  const auto fields = fields_of(loop, ' ');
  std::vector<double> samples;
  for (size_t i = 1; i < fields.size(); ++i) samples.push_back(std::stod(fields[i]));
  std::sort(samples.begin(), samples.end());
  return samples.at(samples.size() / 2);
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

Json seconds_json(double seconds) {
  Json json;
  json["s"] = Json(seconds);
  return json;
}

void add_table(Json& json, const std::string& title, const std::vector<std::string>& header, const std::vector<std::vector<Json>>& rows) {
  Json table;
  table["title"] = title;
  table["header"] = Json::array_of(header);
  table["rows"] = Json::array();
  for (const auto& row : rows) table["rows"].add(Json::array_of(row));
  if (json["tables"].is_null()) json["tables"] = Json::array();
  json["tables"].add(std::move(table));
}

bool has_peer(const Options& options, const std::string& peer) {
  return std::find(options.peers.begin(), options.peers.end(), peer) != options.peers.end();
}

std::vector<Arm> standard_arms(const Options& options, const std::vector<std::string>& summaries) {
  std::vector<Arm> arms = {{.name = "engine", .label = "HoloDb engine"}, {.name = "summary", .label = "HoloDb summary", .indexes = summaries}};
  if (has_peer(options, "sqlite")) arms.push_back({.name = "sqlite", .label = "SQLite", .engine = Arm::Engine::kSqlite});
  if (has_peer(options, "duckdb")) {
    arms.push_back({.name = "duckdb_text", .label = "DuckDB TEXT", .engine = Arm::Engine::kDuckdb});
    arms.push_back({.name = "duckdb_enum", .label = "DuckDB ENUM", .engine = Arm::Engine::kDuckdb, .enums = true});
  }
  return arms;
}

Json begin_json(const Options& options) {
  Json json;
  json["workload"] = options.name;
  json["rows"] = Json(options.rows);
  json["lookups"] = Json(options.lookups);
  json["threads"] = Json(uint64_t{options.threads});
  json["source_id"] = holodb_source_id();
  json["planted"] = options.plant;
  json["queries"] = Json::object();
  json["arms"] = Json::object();
  return json;
}

std::vector<double> keep_bandwidth(const Options& options, Json& json) {
  begin_phase("bandwidth");
  Worker worker("the bandwidth", [options]() -> Worker::Handler {
    return [options](const std::string&) {
      std::string text;
      char digits[32];
      for (const double rate : measure_bandwidth(options.threads)) {
        std::snprintf(digits, sizeof digits, "%.9g ", rate);
        text += digits;
      }
      return text;
    };
  });
  std::vector<double> rates;
  for (const std::string& rate : fields_of(worker.call("measure"), ' ')) rates.push_back(std::stod(rate));
  if (rates.empty()) throw WorkerError("the bandwidth loop added wrongly");
  json["metrics"]["bandwidth.one_thread"] = Json(rates.front());
  json["metrics"]["bandwidth.all_threads"] = Json(rates.back());
  return rates;
}

SideBySide::SideBySide(const Options& options, MakeWorkload make, std::vector<Arm> arms, Json& json, Progress& progress, std::string prefix)
    : options_(options), make_(std::move(make)), workload_(make_(options, false)), arms_(std::move(arms)), json_(json), progress_(progress), prefix_(std::move(prefix)) {
  for (Arm& arm : arms_) {
    if (options_.plant.starts_with(arm.name + ":")) arm.planted = options_.plant.substr(arm.name.size() + 1);
  }
}

std::unique_ptr<Worker> SideBySide::start(const Arm& arm) const {
  return std::make_unique<Worker>(arm.label, [arm, make = make_, options = options_] { return engine_worker(arm, make, options); });
}

Worker& SideBySide::worker(const std::string& arm) {
  for (Running& running : running_) {
    if (running.arm.name == arm) return *running.worker;
  }
  throw WorkerError("there is no arm " + arm);
}

bool SideBySide::has(const std::string& arm) const {
  return std::any_of(running_.begin(), running_.end(), [&](const Running& r) { return r.arm.name == arm; });
}

void SideBySide::memory(Running& running, const std::string& when) {
  const auto fields = fields_of(running.worker->call("memory"), ' ');
  Json& json = json_["arms"][running.arm.name]["memory"][when];
  json["resident"] = Json(std::stod(fields[0]));
  json["peak"] = Json(std::stod(fields[1]));
  json_["metrics"]["memory." + running.arm.name + "." + when] = Json(std::stod(fields[0]));
}

void SideBySide::load_into(Worker& worker, const std::string& name) {
  double most = 0;
  for (const std::string& line : lines_of(worker.call("load"))) {
    const auto fields = fields_of(line, ' ');
    const double rows = std::stod(fields[1]);
    const double seconds = std::stod(fields[2]);
    json_["metrics"]["load." + prefix_ + name + "." + fields[0] + "_s"] = Json(seconds);
    if (fields.size() > 3) json_["metrics"]["load." + prefix_ + name + "." + fields[0] + ".rows_per_cpu_s"] = Json(rows / std::stod(fields[3]));
    if (rows < most) continue;
    most = rows;
    json_["metrics"]["load." + prefix_ + name + ".rows_per_s"] = Json(rows / seconds);
  }
}

void SideBySide::load() {
  begin_phase("loads");
  for (const Arm& arm : arms_) {
    progress_.step("loading " + arm.label);
    Running running{arm, start(arm)};
    Json& json = json_["arms"][arm.name];
    json["label"] = arm.label;
    for (const std::string& line : lines_of(running.worker->call("open"))) {
      const auto fields = fields_of(line, '\t');
      json["settings"][fields[0]] = fields.size() > 1 ? fields[1] : "";
    }
    memory(running, "empty");
    load_into(*running.worker, arm.name);
    memory(running, "loaded");
    running_.push_back(std::move(running));
  }
}

void SideBySide::compare(const std::string& id, const std::string& rows, const Running& running, const std::string& when, std::map<std::string, std::string>& answers) {
  const auto [reference, is_first] = answers.try_emplace(id, rows);
  if (is_first || rows == reference->second) return;
  const auto question = std::find_if(workload_.questions.begin(), workload_.questions.end(), [&](const Question& q) { return q.id == id; });
  throw Differs(prefix_ + id + " differs" + when + ": " + running_.front().arm.label + " and " + running.arm.label + ": " +
                first_difference(reference->second, rows) + "\n  " + question->sql);
}

// First calls happen here; their time is kept only because no answer differed (a difference ends the run).
void SideBySide::compare_rows() {
  begin_phase("first calls, rows compared");
  for (const Question& question : workload_.questions) {
    Json& json = json_["queries"][prefix_ + question.id];
    json["sql"] = question.sql;
    json["group"] = question.group;
    if (question.bytes > 0) json_["bytes_touched"][prefix_ + question.id] = Json(question.bytes);
    for (Running& running : running_) {
      progress_.step(prefix_ + question.id + " rows, " + running.arm.label);
      const std::string answer = running.worker->call("rows " + question.id);
      const size_t line = answer.find('\n');
      const double first = std::stod(answer.substr(0, line));
      json["cells"][running.arm.name]["first_s"] = Json(first);
      first_s_[question.id + " " + running.arm.name] = first;
      const std::string rows = answer.substr(line + 1);
      if (&running == &running_.front()) json["result_rows"] = Json(uint64_t{lines_of(rows).size()});
      compare(question.id, rows, running, "", answers_);
    }
  }
  json_["rows_equal"] = true;
}

void SideBySide::compare_again(const std::string& when, const std::vector<std::string>& ids, const std::vector<std::string>& arms) {
  std::map<std::string, std::string> answers;
  for (const std::string& id : ids) {
    for (Running& running : running_) {
      if (std::find(arms.begin(), arms.end(), running.arm.name) == arms.end()) continue;
      const std::string answer = running.worker->call("rows " + id);
      compare(id, answer.substr(answer.find('\n') + 1), running, " " + when, answers);
    }
  }
  if (!ids.empty() && answers.size() == ids.size()) {
    const bool same = std::all_of(ids.begin(), ids.end(), [&](const std::string& id) { return answers[id] == answers_[id]; });
    if (same) throw Differs("no answer changed " + when + ", so that the comparison says nothing");
  }
}

// The measure shuffled: which answers change?
void SideBySide::placebo(const std::vector<std::string>& summaries) {
  begin_phase("placebo");
  for (const Arm& arm : {Arm{.name = "engine", .label = "placebo without summaries", .shuffled = true},
                         Arm{.name = "summary", .label = "placebo with summaries", .indexes = summaries, .shuffled = true}}) {
    progress_.step("loading the " + arm.label);
    const auto worker = start(arm);
    worker->call("load");
    Json changed = Json::array();
    for (const Question& question : workload_.questions) {
      progress_.step(prefix_ + question.id + ", " + arm.label);
      const std::string answer = worker->call("rows " + question.id);
      if (answer.substr(answer.find('\n') + 1) != answers_.at(question.id)) changed.add(Json(question.id));
    }
    json_["placebo"][arm.name] = std::move(changed);
  }
}

// Arms of one engine take turns, sample by sample, so that a machine that changes its pace changes it for both.
void SideBySide::time_controls(const std::string& loop) {
  if (workload_.control.empty()) return;
  begin_phase("controls");
  Json& control = json_["controls"][prefix_ + kControlId];
  control["sql"] = workload_.control;
  std::map<std::string, std::vector<double>> samples;
  for (int sample = -1; sample < kControlSamples; ++sample) {
    progress_.step("control, " + loop);
    for (Running& running : running_) {
      if (running.arm.engine == Arm::Engine::kSqlite) continue;  // it has one arm
      const double seconds = std::stod(running.worker->call("once"));
      if (sample >= 0) samples[running.arm.name].push_back(seconds);
    }
  }
  for (Running& running : running_) {
    if (!samples.contains(running.arm.name)) continue;
    Json& json = control["cells"][running.arm.name][loop];
    json["batch"] = Json(uint64_t{1});
    json["samples"] = Json::array_of(samples[running.arm.name]);
    if (!is_holodb(running.arm)) continue;
    control["plans"][running.arm.name] = Json::array_of(lines_of(running.worker->call("paths")));
  }
}

void SideBySide::time_loop(const std::string& loop) {
  begin_phase(loop);
  for (const Question& question : workload_.questions) {
    if (question.keys > 0) continue;
    for (Running& running : running_) {
      progress_.step(prefix_ + question.id + " " + loop + ", " + running.arm.label);
      const double first = first_s_.at(question.id + " " + running.arm.name);
      Json& json = json_["queries"][prefix_ + question.id]["cells"][running.arm.name][loop];
      const bool is_first_loop = loop == "loop1";
      if (first > kLongCall && is_first_loop) {
        json["batch"] = Json(uint64_t{1});
        json["samples"] = Json::array_of(std::vector<double>{first});
        continue;
      }
      const int calls = first > kLongCall ? 1 : calls_of_loop(first, !is_first_loop);
      const std::string timed = running.worker->call("time " + question.id + " " + std::to_string(calls));
      json = loop_json(timed);
      warm_s_[question.id + " " + running.arm.name] = median_of(timed);
    }
  }
}

void SideBySide::time_questions() {
  time_controls("loop1");
  time_loop("loop1");
  time_loop("loop2");
  time_controls("loop2");
}

void SideBySide::time_lookups() {
  begin_phase("lookups");
  for (const char* loop : {"loop1", "loop2"}) {
    for (const Question& question : workload_.questions) {
      if (question.keys == 0) continue;
      for (const std::string how : {"prepared", "text"}) {
        for (Running& running : running_) {
          progress_.step(question.id + " " + how + " " + loop + ", " + running.arm.label);
          Json& cell = json_["cells"][prefix_ + question.id + " " + how][running.arm.name];
          const std::string timed = running.worker->call("lookup " + question.id + " " + how);
          cell[loop] = loop_json(timed);
          if (how == "prepared") warm_s_[question.id + " " + running.arm.name] = median_of(timed);
        }
      }
    }
  }
}

void SideBySide::after_questions() {
  begin_phase("plans and rebuilds");
  for (Running& running : running_) {
    memory(running, "queried");
    if (!is_holodb(running.arm)) continue;
    for (const Question& question : workload_.questions) {
      json_["queries"][prefix_ + question.id]["plans"][running.arm.name] = Json::array_of(lines_of(running.worker->call("paths " + question.id)));
    }
    json_["arms"][running.arm.name]["indexes"] = indexes(*running.worker, running.arm.name);
    for (const std::string& name : running.arm.indexes) verify(*running.worker, name, running.arm.name + " arm after the queries");
  }
}

Json SideBySide::indexes(Worker& worker, const std::string& arm) {
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
    if (f[6] != "NULL") json_["metrics"]["index." + arm + "." + f[1] + ".bytes"] = Json(std::stod(f[6]));
    json.add(std::move(row));
  }
  return json;
}

void SideBySide::verify(Worker& worker, const std::string& summary, const std::string& when) {
  const std::string answer = worker.call("sql SELECT * FROM summary_verify('" + summary + "')");
  const auto fields = fields_of(lines_of(answer).at(0), '|');
  if (fields.at(1) != "0") throw Differs("summary " + summary + " is not its rebuild: " + fields[1] + " differences, " + when);
  Json json;
  json["summary"] = summary;
  json["when"] = when;
  json["cells_checked"] = Json(std::stod(fields.at(0)));
  json["differences"] = Json(0.0);
  if (json_["verified"].is_null()) json_["verified"] = Json::array();
  json_["verified"].add(std::move(json));
}

}  // namespace hdb::bench
