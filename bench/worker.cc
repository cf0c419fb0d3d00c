#include "bench/worker.h"

#include <algorithm>

#include "bench/timing.h"

namespace hdb::bench {
namespace {

constexpr uint64_t kLoadBatch = 8'192;  // rows made outside of the clock, then loaded inside of it
constexpr uint64_t kKeySeed = 7;
constexpr int kLookupBatches = 20;
constexpr double kLookupSeconds = 2.0;  // of a loop; slow engines make fewer batches

std::unique_ptr<Peer> make_peer(const Arm& arm, const Options& options) {
  switch (arm.engine) {
    case Arm::Engine::kSqlite: return make_sqlite(arm.file);
    case Arm::Engine::kDuckdb: return make_duckdb(options.duckdb_library, arm.enums, options.threads);
    default: return make_holodb(arm.file);
  }
}

int64_t lookup_key(const Question& question, uint64_t i) {
  return static_cast<int64_t>(1 + draw_below(kKeySeed * 1'000'003 + i, 0, question.keys_max));
}

}  // namespace

EngineWorker::EngineWorker(const Arm& arm, const MakeWorkload& make, const Options& options)
    : arm_(arm), options_(options), workload_(make(options, arm.shuffled)), peer_(make_peer(arm, options)) {
  for (Question& q : workload_.questions) {
    if (arm.engine == Arm::Engine::kSqlite && !q.sqlite_sql.empty()) q.sql = q.sqlite_sql;
  }
}

std::string EngineWorker::answer(const std::string& command) {
  const size_t space = std::min(command.find(' '), command.size());
  const std::string verb = command.substr(0, space);
  const std::string rest = space < command.size() ? command.substr(space + 1) : "";
  const size_t last = std::min(rest.rfind(' '), rest.size());  // ids may hold spaces
  const std::string id = rest.substr(0, last);
  if (const auto own = workload_.commands.find(verb); own != workload_.commands.end()) return own->second(*this, rest);
  if (verb == "open") return open();
  if (verb == "load") return load();
  if (verb == "create") return create(rest);
  if (verb == "rows") return first_rows(rest);
  if (verb == "time") return time(id, std::stoi(rest.substr(last)));
  if (verb == "once") return once(rest);
  if (verb == "lookup") return lookup(id, rest.ends_with(" text"));
  if (verb == "paths") return paths(rest);
  if (verb == "sql") return sql(rest);
  if (verb == "exec") return std::to_string(seconds_of([&] { peer_->execute(rest); }));
  if (verb == "memory") {
    const Memory memory = Memory::now();
    return std::to_string(memory.resident) + " " + std::to_string(memory.peak);
  }
  throw PeerError("there is no command " + verb);
}

const Question& EngineWorker::question(const std::string& id) const {
  for (const Question& q : workload_.questions) {
    if (id == q.id) return q;
  }
  throw PeerError("there is no question " + id);
}

Query& EngineWorker::prepared(const std::string& text) {
  auto& query = prepared_[text];
  if (query == nullptr) query = peer_->prepare(text);
  return *query;
}

// "NAME\tVALUE" a line
std::string EngineWorker::open() {
  for (const auto& statement : arm_.settings) peer_->execute(statement);
  std::string text;
  for (const auto& [name, value] : peer_->settings()) text.append(name).append("\t").append(value).append("\n");
  for (const auto& statement : arm_.settings) text.append("setting\t").append(statement).append("\n");
  return text;
}

double EngineWorker::load_rows(const Table& table, uint64_t first, uint64_t count) {
  Batch batch(table.columns);
  double seconds = 0;
  for (uint64_t id = first; id < first + count;) {
    batch.clear();
    for (; id < first + count && batch.rows < kLoadBatch; ++id, ++batch.rows) table.append(id, batch);
    seconds += seconds_of([&] { peer_->load(table, batch); });
  }
  return seconds + seconds_of([&] { peer_->finish_load(); });
}

// "TABLE ROWS SECONDS" a line
std::string EngineWorker::load() {
  for (const Table& table : workload_.tables) peer_->create_table(table);
  for (const auto& name : arm_.indexes) create(name);
  std::string text;
  for (const Table& table : workload_.tables) {
    const double seconds = load_rows(table, 1, table.rows);
    text += table.name + " " + std::to_string(table.rows) + " " + std::to_string(seconds) + "\n";
  }
  return text;
}
std::string EngineWorker::create(const std::string& index) {
  return std::to_string(seconds_of([&] { peer_->execute(workload_.indexes.at(index)); }));
}

std::string EngineWorker::planted(const std::string& id, std::string text) const {
  if (arm_.planted != id || text.size() < 2) return text;
  char& digit = text[text.size() - 2];  // the last character of the last row
  digit = digit == '7' ? '8' : '7';
  return text;
}

// "seconds of this call" and, from the second line on, the rows; with its preparation, as a first call has it.
std::string EngineWorker::first_rows(const std::string& id) {
  const Question& q = question(id);
  rows_.clear();
  prepared_.erase(q.sql);
  double first = 0;
  if (q.keys == 0) first = seconds_of([&] { prepared(q.sql).run({}, rows_); });
  for (uint64_t i = 0; i < q.keys; ++i) {
    const Value key = lookup_key(q, i);
    const double seconds = seconds_of([&] { prepared(q.sql).run({&key, 1}, rows_); });
    if (i == 0) first = seconds;
  }
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.9f", first);
  return digits + ("\n" + planted(id, rows_.to_text()));
}

std::string EngineWorker::time(const std::string& id, int calls) {
  Query& query = prepared(question(id).sql);
  return time_loop(
             [&] {
               rows_.clear();
               query.run({}, rows_);
             },
             calls)
      .to_text();
}

// One call, for arms that take turns. An empty id: the control.
std::string EngineWorker::once(const std::string& id) {
  Query& query = prepared(id.empty() ? workload_.control : question(id).sql);
  rows_.clear();
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.9f", seconds_of([&] { query.run({}, rows_); }));
  return digits;
}

// All look-ups once, by batches of a twentieth; fresh text is parsed, planned and run each time.
std::string EngineWorker::lookup(const std::string& id, bool text) {
  const Question& q = question(id);
  Loop loop;
  loop.batch = std::max<uint64_t>(q.keys / kLookupBatches, 1);
  Query& query = prepared(q.sql);
  const std::string head = q.sql.substr(0, q.sql.find('?'));
  uint64_t next = 0;
  const Clock whole;
  for (int batch = 0; batch < kLookupBatches && (batch == 0 || whole.seconds() < kLookupSeconds); ++batch) {
    loop.samples.push_back(seconds_of(
        [&] {
          rows_.clear();
          const int64_t key = lookup_key(q, next++);
          if (text) {
            peer_->run_text(head + std::to_string(key), rows_);
          } else {
            const Value value = key;
            query.run({&value, 1}, rows_);
          }
        },
        loop.batch));
  }
  return loop.to_text();
}

std::string EngineWorker::paths(const std::string& id) {
  std::string text = id.empty() ? workload_.control : question(id).sql;
  if (const size_t parameter = text.find('?'); parameter != std::string::npos) text.replace(parameter, 1, "1");
  return sql("EXPLAIN " + text);
}
std::string EngineWorker::sql(const std::string& text) {
  Rows rows;
  peer_->run_text(text, rows);
  return rows.to_text();
}

Worker::Handler engine_worker(const Arm& arm, const MakeWorkload& make, const Options& options) {
  auto worker = std::make_shared<EngineWorker>(arm, make, options);
  return [worker](const std::string& command) { return worker->answer(command); };
}

}  // namespace hdb::bench
