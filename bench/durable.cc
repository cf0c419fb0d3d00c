// W8 opening and memory, and W6 in a file: what a database file costs to open, to check and to keep, beside SQLite's file (WAL, synchronous = FULL)
// and beside what the disk itself does in the same run.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "bench/durable_steps.h"
#include "bench/ledger_tables.h"
#include "bench/timing.h"
#include "bench/workloads.h"

namespace hdb::bench {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kTailCommits = 100'000;
constexpr int kOpens = 5;
constexpr double kCommitSeconds = 1.6;     // a loop of commits
constexpr uint64_t kDamagedOneIn = 16;     // stripes
constexpr int kManyConnections = 16;

class Directory {
 public:
  explicit Directory(const std::string& scratch) : path_(scratch + "/durable") {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Directory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

uint64_t bytes_of(const std::string& file) {
  uint64_t bytes = 0;
  for (const char* suffix : {"", "-log", "-wal"}) {
    std::error_code none;
    const uint64_t one = fs::file_size(file + suffix, none);
    if (!none) bytes += one;
  }
  return bytes;
}

// As they are on the disk; nobody writes them meanwhile.
void copy_database(const std::string& from, const std::string& to) {
  for (const char* suffix : {"", "-log"}) {
    fs::copy_file(from + suffix, to + suffix, fs::copy_options::overwrite_existing);
  }
}

std::vector<double> numbers_of(const std::string& answer) {
  std::vector<double> numbers;
  for (const std::string& field : fields_of(answer, ' ')) numbers.push_back(std::stod(field));
  return numbers;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.at(values.size() / 2);
}

// Bytes that this process has asked the system to write so far.
double written() {
  std::ifstream in("/proc/self/io");
  std::string name;
  double value = 0;
  while (in >> name >> value) {
    if (name == "wchar:") return value;
  }
  return 0;
}

// "SECONDS BYTES" of a checkpoint
std::string checkpoint(EngineWorker& worker, const std::string&) {
  const double before = written();
  const double seconds = seconds_of([&] { worker.peer().execute("CHECKPOINT"); });
  return std::to_string(seconds) + " " + std::to_string(written() - before);
}

// "SECONDS COMMITS LONGEST": a checkpoint while another connection commits a row at a time.
std::string checkpoint_beside_writer(EngineWorker& worker, const std::string&) {
  worker.peer().execute("UPDATE invoices SET due_day = due_day + 1 WHERE amount_cents % 10 = 3");
  const auto other = worker.peer().connect();
  const auto update = other->prepare("UPDATE invoices SET due_day = due_day + 1 WHERE invoice_id = ?");
  std::atomic<bool> over{false};
  uint64_t commits = 0;
  double longest = 0;
  std::thread writer([&] {
    Rows none;
    for (uint64_t i = 0; !over.load(std::memory_order_relaxed); ++i, ++commits) {
      const Value key = static_cast<int64_t>(1 + draw_below(i, 9, worker.options().rows));
      longest = std::max(longest, seconds_of([&] { update->run({&key, 1}, none); }));
    }
  });
  const std::string answer = checkpoint(worker, "");
  over = true;
  writer.join();
  return std::to_string(numbers_of(answer)[0]) + " " + std::to_string(commits) + " " + std::to_string(longest);
}

// "SECONDS BYTES": the invoices once more, into a table without keys, in one commit: what loading costs beyond what the log does with it is least.
std::string invoices_again(EngineWorker& worker, const std::string&) {
  Table table = worker.workload().tables[1];
  table.name = "invoices_again";
  for (Column& column : table.columns) column.primary = false, column.references.clear();
  worker.peer().create_table(table);
  const double before = written();
  const double seconds = worker.load_rows(table, 1, table.rows / kSmallPart);
  const double bytes = written() - before;
  worker.peer().execute("DROP TABLE invoices_again");
  return std::to_string(seconds) + " " + std::to_string(bytes);
}

Workload make_durable(const Options& options, bool shuffled) {
  Workload w;
  w.tables = {ledger_customers(options.rows), ledger_invoices(options.rows, shuffled, true)};
  w.questions = {
      {"all columns",
       "SELECT COUNT(*), SUM(invoice_id), SUM(customer_id), SUM(amount_cents), SUM(tax_cents), SUM(balance_cents), SUM(due_day), MIN(region), MAX(month), "
       "COUNT(status) FROM invoices"},
      {"by status", "SELECT status, COUNT(*), SUM(amount_cents) FROM invoices GROUP BY status ORDER BY status"},
      {"customers", "SELECT COUNT(*), SUM(customer_id), MIN(name), MAX(name), MIN(country), MAX(signup_cohort) FROM customers"},
      {.id = "by key", .sql = "SELECT * FROM invoices WHERE invoice_id = ?", .keys = std::min<uint64_t>(options.lookups, 2'000), .keys_max = options.rows},
  };
  w.control = kLedgerControl;
  w.commands["checkpoint"] = checkpoint;
  w.commands["invoices_again"] = invoices_again;
  w.commands["checkpoint_beside"] = checkpoint_beside_writer;
  return w;
}

// One run: its files, its disk, its figures.
class Durable {
 public:
  Durable(const Options& options, Json& json, Progress& progress) : options_(options), json_(json), progress_(progress), dir_(options.scratch) {}

  void run() {
    begin_phase("disk");
    progress_.step("the disk's own rates");
    const auto rates = numbers_of(step("disk " + dir_.path()));
    metric("disk.write_b_s", disk_write_ = rates[0]);
    metric("disk.read_b_s", disk_read_ = rates[1]);
    metric("disk.sync_s", rates[2]);
    side_by_side();
    small_databases();
    opening();
    commits();
    damage();
    rates_table();
  }

 private:
  void metric(const std::string& name, double value) { json_["metrics"][name] = Json(value); }
  // Runs in a process of its own, which is killed afterwards.
  std::string step(const std::string& command) const {
    Worker worker("steps", [options = options_] { return durable_steps(options); });
    return worker.call(command);
  }
  void rate(const std::string& what, double bytes, double seconds, double disk) {
    rates_.push_back({Json(what), Json(bytes / 1e6), seconds_json(seconds), Json(bytes / seconds / 1e6), Json(bytes / seconds / disk)});
  }

  std::vector<Arm> arms() const {
    std::vector<Arm> arms = {
        {.name = "durable", .label = "HoloDb in a file", .settings = {"SET checkpoint_log = off"}, .file = dir_.file("d.holodb")},
        {.name = "memory", .label = "HoloDb in memory"},
    };
    if (has_peer(options_, "sqlite")) arms.push_back({.name = "sqlite", .label = "SQLite in a file", .engine = Arm::Engine::kSqlite, .file = dir_.file("d.sqlite")});
    return arms;
  }

  void side_by_side() {
    SideBySide run(options_, make_durable, arms(), json_, progress_);
    run.load();
    begin_phase("checkpoints");
    log_bytes_ = static_cast<double>(fs::file_size(dir_.file("d.holodb-log")));
    metric("log.bytes", log_bytes_);
    copy_database(dir_.file("d.holodb"), dir_.file("log.holodb"));
    progress_.step("checkpoint of all rows");
    const auto full = numbers_of(run.worker("durable").call("checkpoint"));
    metric("checkpoint.full_s", full[0]);
    metric("checkpoint.b_s", full[1] / full[0]);
    rate("checkpoint of all rows", full[1], full[0], disk_write_);
    metric("file_bytes.durable", file_bytes_ = static_cast<double>(bytes_of(dir_.file("d.holodb"))));
    metric("file_bytes_row.durable", file_bytes_ / static_cast<double>(options_.rows));
    if (run.has("sqlite")) {
      run.worker("sqlite").call("exec PRAGMA wal_checkpoint(TRUNCATE)");
      metric("file_bytes.sqlite", static_cast<double>(bytes_of(dir_.file("d.sqlite"))));
    }
    run.compare_rows();
    run.placebo({});
    run.time_questions();
    run.time_lookups();
    change(run);
    run.after_questions();
  }

  // A change of 1,000 rows side by side, the same everywhere, and the checkpoint after it.
  void change(SideBySide& run) {
    begin_phase("checkpoints");
    const std::string from = std::to_string(options_.rows / 2);
    std::vector<std::string> names;
    for (const Arm& arm : arms()) {
      names.push_back(arm.name);
      run.worker(arm.name).call("exec UPDATE invoices SET amount_cents = amount_cents + 1 WHERE invoice_id BETWEEN " + from + " AND " + from + " + 999");
    }
    progress_.step("checkpoint of 1,000 changed rows");
    const auto part = numbers_of(run.worker("durable").call("checkpoint"));
    metric("checkpoint.incremental_s", part[0]);
    metric("checkpoint.incremental_bytes", part[1]);
    rate("checkpoint after 1,000 changed rows", part[1], part[0], disk_write_);
    run.compare_again("after the changes", {"all columns", "by status"}, names);
    copy_database(dir_.file("d.holodb"), dir_.file("open.holodb"));
    progress_.step("log");
    const auto log = numbers_of(run.worker("durable").call("invoices_again"));
    rate("log of a load of a tenth of the rows, without keys, durable at its end", log[1], log[0], disk_write_);
    metric("log.b_s", log[1] / log[0]);
    progress_.step("checkpoint beside a writer");
    const auto beside = numbers_of(run.worker("durable").call("checkpoint_beside"));
    metric("checkpoint.beside_writer_s", beside[0]);
    metric("checkpoint.beside_writer.commits_per_s", beside[1] / beside[0]);
    metric("checkpoint.beside_writer.longest_commit_s", beside[2]);
  }

  Options small() const {
    Options options = options_;
    options.rows = std::max<uint64_t>(options_.rows / kSmallPart, 100);
    return options;
  }
  // A tenth of the rows: checkpointed; the same with a tail of commits behind the checkpoint; and SQLite's.
  void small_databases() {
    begin_phase("a tenth of the rows");
    progress_.step("a tenth of the rows");
    for (const Arm& arm : arms()) {
      if (arm.name == "memory") continue;
      Arm one = arm;
      one.file = dir_.file(arm.name == "sqlite" ? "small.sqlite" : "small.holodb");
      Worker worker(arm.label + ", a tenth", [one, options = small()] { return engine_worker(one, make_durable, options); });
      worker.call("open");
      worker.call("load");
      worker.call(arm.name == "sqlite" ? "exec PRAGMA wal_checkpoint(TRUNCATE)" : "exec CHECKPOINT");
    }
    progress_.step("a tail of commits");
    copy_database(dir_.file("small.holodb"), dir_.file("tail.holodb"));
    tail_commits_ = std::min(kTailCommits, options_.rows / 10);
    const double seconds = numbers_of(step("tail " + dir_.file("tail.holodb") + " " + std::to_string(tail_commits_)))[0];
    metric("log.commits_per_s_unsynced", static_cast<double>(tail_commits_) / seconds);
  }

  struct Opened {
    double lookup_s = 0, scan_s = 0, bytes = 0;
  };
  Opened open(const std::string& name, bool cold, int times = kOpens) {
    std::vector<double> lookup, scan, bytes;
    for (int i = 0; i < times; ++i) {
      const auto one = numbers_of(step("open " + dir_.file(name) + " " + std::to_string(options_.rows / kSmallPart / 3 + 1) + (cold ? " 1" : " 0")));
      lookup.push_back(one[0]), scan.push_back(one[1]), bytes.push_back(one[2]);
    }
    return {median(lookup), median(scan), median(bytes)};
  }

  void opening() {
    begin_phase("opening");
    const double rows = static_cast<double>(options_.rows);
    std::vector<std::vector<Json>> table;
    const auto line = [&](const std::string& what, const Opened& o) { table.push_back({Json(what), seconds_json(o.lookup_s), seconds_json(o.scan_s), Json(o.bytes / 1e6)}); };
    const std::string all = std::to_string(options_.rows) + " rows, ", part = std::to_string(small().rows) + " rows, ";
    progress_.step("opening from a checkpoint");
    const Opened small_open = open("small.holodb", false), full = open("open.holodb", false), cold = open("open.holodb", true);
    line(part + "from a checkpoint", small_open);
    line(all + "from a checkpoint", full);
    line(all + "from a checkpoint, nothing of it in the system's memory", cold);
    metric("open.checkpoint_small_s", small_open.lookup_s);
    metric("open.checkpoint_s", full.lookup_s);
    metric("open.checkpoint_cold_s", cold.lookup_s);
    progress_.step("opening from the log alone");
    const Opened log = open("log.holodb", false, 1);
    line(all + "from the log alone", log);
    metric("open.log_s", log.lookup_s);
    metric("open.log.rows_per_s", rows / log.lookup_s);
    rate("replay of the log of all rows", log_bytes_, log.lookup_s, disk_read_);
    progress_.step("opening with a tail");
    const double tail_bytes = static_cast<double>(fs::file_size(dir_.file("tail.holodb-log")));
    const Opened tail = open("tail.holodb", false, 1);
    line(part + "from a checkpoint and a tail of " + std::to_string(tail_commits_) + " commits", tail);
    metric("open.tail_s", tail.lookup_s);
    rate("replay of a tail of commits of one row", tail_bytes, tail.lookup_s, disk_read_);
    add_table(json_, "Opening, in a process of its own: until the first lookup's row, and a scan after it (medians)", {"what", "first lookup", "scan", "MB resident"}, table);
  }

  void commits() {
    begin_phase("commits");
    for (const char* loop : {"loop1", "loop2"}) {
      for (const int connections : {1, kManyConnections}) {
        for (const std::string engine : {"holodb", "sqlite"}) {
          if (engine == "sqlite" && !has_peer(options_, "sqlite")) continue;
          progress_.step(engine + ", commits of " + std::to_string(connections) + " connections");
          const std::string timed = step("commits " + engine + " " + dir_.file("small." + engine) + " " + std::to_string(connections) + " " +
                                                                   std::to_string(kCommitSeconds));
          const std::string name = "durable commit, " + std::to_string(connections) + (connections == 1 ? " connection" : " connections");
          json_["cells"][name][engine == "sqlite" ? "sqlite" : "durable"][loop] = loop_json(timed);
        }
      }
    }
  }

  void damage() {
    begin_phase("damage");
    progress_.step("checking the file");
    const std::string path = dir_.file("open.holodb");
    const auto clean = numbers_of(step("check " + path));
    if (clean[1] != 0) throw WorkerError("CHECK DATABASE found something in a whole file");
    metric("check.clean_s", clean[0]);
    rate("CHECK DATABASE: pages, rows, keys", file_bytes_, clean[0], disk_read_);
    const double pages = numbers_of(step("damage " + path + " " + std::to_string(kDamagedOneIn)))[0];
    progress_.step("repairing the file");
    const auto repaired = numbers_of(step("check " + path));
    if (repaired[1] == 0) throw WorkerError("CHECK DATABASE did not find the damage");
    metric("check.damaged_s", repaired[0]);
    metric("check.pages_damaged", pages);
    rate("CHECK DATABASE with a damaged page in every 16th stripe, written anew", file_bytes_, repaired[0], disk_read_);
    if (numbers_of(step("check " + path))[1] != 0) throw WorkerError("the damage is still there after CHECK DATABASE");
  }

  void rates_table() {
    add_table(json_, "Rates beside the disk's own (" + mb(disk_write_) + " written, " + mb(disk_read_) + " read back, in pieces of 1 MiB)",
              {"what", "MB", "time", "MB/s", "of the disk's"}, rates_);
  }
  static std::string mb(double bytes_a_second) { return std::to_string(static_cast<uint64_t>(bytes_a_second / 1e6)) + " MB/s"; }

  Options options_;
  Json& json_;
  Progress& progress_;
  Directory dir_;
  double disk_write_ = 1, disk_read_ = 1, log_bytes_ = 0, file_bytes_ = 0;
  uint64_t tail_commits_ = 0;
  std::vector<std::vector<Json>> rates_;
};

}  // namespace

Json run_durable(const Options& options) {
  Json json = begin_json(options);
  json["title"] = "W8 opening and memory, W6 in a file";
  Progress progress(SideBySide::steps(3, 4) + 24);
  Durable(options, json, progress).run();
  return json;
}

}  // namespace hdb::bench
