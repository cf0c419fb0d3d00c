#include "bench/billing_worker.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "bench/peers/peer.h"
#include "bench/timing.h"
#include "shell/ledger.h"

namespace hdb::bench {
namespace {

constexpr uint64_t kLoadBatch = 8'192;  // rows made outside of the clock, then loaded inside of it
constexpr int kStages = 3;
constexpr uint64_t kChangesMax = 20'000;
constexpr uint64_t kSeed = 7;

uint64_t mix(uint64_t x) {
  x = (x + 0x9E3779B97F4A7C15u) * 0xBF58476D1CE4E5B9u;
  x ^= x >> 31;
  return x * 0x94D049BB133111EBu ^ (x >> 29);
}

// A permutation of 1..n: i -> 1 + (a * i + b) mod n, a coprime to n and far from 1.
class Permutation {
 public:
  explicit Permutation(uint64_t n) : n_(n), a_(n * 61 / 100 + 1) {
    while (std::gcd(a_, n_) != 1) ++a_;
  }
  uint64_t operator()(uint64_t i) const { return 1 + (a_ * (i % n_) + 17) % n_; }

 private:
  uint64_t n_;
  uint64_t a_;
};

const shell::LedgerQuestion& question(const std::string& id) {
  for (const auto& q : shell::kLedgerQuestions) {
    if (id == q.id) return q;
  }
  throw PeerError("there is no question " + id);
}

class BillingWorker {
 public:
  BillingWorker(const Arm& arm, const BillingOptions& options)
      : arm_(arm), options_(options), ledger_(options.rows), permutation_(options.rows), peer_(make()) {}

  std::string answer(const std::string& command) {
    const size_t space = std::min(command.find(' '), command.size());
    const std::string verb = command.substr(0, space);
    const std::string rest = space < command.size() ? command.substr(space + 1) : "";
    if (verb == "open") return open();
    if (verb == "load") return load();
    if (verb == "rows") return rest == "Q6" ? lookup_rows() : query_rows(rest);
    if (verb == "time") return time_query(rest);
    if (verb == "once") return once(rest);
    if (verb == "lookup") return time_lookups(rest == "text");
    if (verb == "paths") return paths(rest);
    if (verb == "stage") return stage(std::stoul(rest));
    if (verb == "create") return create(rest);
    if (verb == "sql") return sql(rest);
    if (verb == "memory") return memory();
    throw PeerError("there is no command " + verb);
  }

 private:
  std::unique_ptr<Peer> make() const {
    switch (arm_.engine) {
      case Arm::Engine::kSqlite: return make_sqlite();
      case Arm::Engine::kDuckdb: return make_duckdb(options_.duckdb_library, arm_.enums, options_.threads);
      default: return make_holodb();
    }
  }

  std::string open() {
    std::string text;
    for (const auto& [name, value] : peer_->settings()) text.append(name).append("\t").append(value).append("\n");
    return text;
  }
  static std::string memory() {
    const Memory memory = Memory::now();
    return std::to_string(memory.resident) + " " + std::to_string(memory.peak);
  }

  shell::LedgerInvoice invoice(uint64_t id) const {
    auto row = ledger_.invoice(id);
    if (arm_.shuffled && id <= options_.rows) row.amount_cents = ledger_.invoice(permutation_(id)).amount_cents;
    return row;
  }
  template <class Row, class Make>
  double load_table(uint64_t count, Make&& row) {
    std::vector<Row> batch;
    double seconds = 0;
    for (uint64_t id = 1; id <= count;) {
      batch.clear();
      for (; id <= count && batch.size() < kLoadBatch; ++id) batch.push_back(row(id));
      seconds += seconds_of([&] { peer_->load(std::span<const Row>(batch)); });
    }
    return seconds + seconds_of([&] { peer_->finish_load(); });
  }
  // "seconds(customers) seconds(invoices)"
  std::string load() {
    peer_->create_tables();
    for (const auto& name : arm_.summaries) create(name);
    const double customers = load_table<shell::LedgerCustomer>(ledger_.customers(), [&](uint64_t id) { return ledger_.customer(id); });
    const double invoices = load_table<shell::LedgerInvoice>(options_.rows, [&](uint64_t id) { return invoice(id); });
    return std::to_string(customers) + " " + std::to_string(invoices);
  }
  std::string create(const std::string& name) {
    const char* text = name == "s1" ? shell::kLedgerSummary1 : shell::kLedgerSummary2;
    return std::to_string(seconds_of([&] { peer_->execute(text); }));
  }

  Query& prepared(const std::string& id) {
    auto& query = prepared_[id];
    if (query == nullptr) query = peer_->prepare(question(id).sql);
    return *query;
  }
  std::string planted(const std::string& id, std::string text) const {
    if (arm_.planted != id || text.size() < 2) return text;
    char& digit = text[text.size() - 2];  // the last character of the last row
    digit = digit == '7' ? '8' : '7';
    return text;
  }
  // "seconds of this call" and, from the second line on, the rows.
  std::string query_rows(const std::string& id) {
    rows_.clear();
    prepared_.erase(id);
    const double seconds = seconds_of([&] { prepared(id).run({}, rows_); });
    return std::to_string(seconds) + "\n" + planted(id, rows_.to_text());
  }
  std::string time_query(const std::string& id) {
    Query& query = prepared(id);
    return time_loop([&] {
             rows_.clear();
             query.run({}, rows_);
           }).to_text();
  }

  std::string once(const std::string& sql) {
    auto& query = prepared_[sql];
    if (query == nullptr) query = peer_->prepare(sql);
    rows_.clear();
    return std::to_string(seconds_of([&] { query->run({}, rows_); }));
  }

  int64_t lookup_id(uint64_t i) const { return static_cast<int64_t>(1 + mix(kSeed * 1'000'003 + i) % options_.rows); }
  std::string lookup_rows() {
    rows_.clear();
    double first = 0;
    for (uint64_t i = 0; i < options_.lookups; ++i) {
      const Value id = lookup_id(i);
      const auto call = [&] { prepared("Q6").run({&id, 1}, rows_); };
      if (i == 0) {
        first = seconds_of(call);
      } else {
        call();
      }
    }
    return std::to_string(first) + "\n" + planted("Q6", rows_.to_text());
  }
  // All lookups once, by batches of a twentieth.
  std::string time_lookups(bool text) {
    Loop loop;
    loop.batch = std::max<uint64_t>(options_.lookups / 20, 1);
    Query& query = prepared("Q6");
    uint64_t next = 0;
    const Clock whole;
    for (int batch = 0; batch < 20 && (batch == 0 || whole.seconds() < 2 * kLongCall); ++batch) {
      loop.samples.push_back(seconds_of(
          [&] {
            rows_.clear();
            const int64_t id = lookup_id(next++);
            if (text) {
              char sql[80];
              std::snprintf(sql, sizeof sql, "SELECT * FROM invoices WHERE invoice_id = %lld", static_cast<long long>(id));
              peer_->run_text(sql, rows_);
            } else {
              const Value value = id;
              query.run({&value, 1}, rows_);
            }
          },
          loop.batch));
    }
    return loop.to_text();
  }

  std::string paths(const std::string& id) {
    std::string text = question(id).sql;
    if (const size_t parameter = text.find('?'); parameter != std::string::npos) text.replace(parameter, 1, "1");
    return sql("EXPLAIN " + text);
  }
  std::string sql(const std::string& text) {
    Rows rows;
    peer_->run_text(text, rows);
    return rows.to_text();
  }

  // One stage of single-row changes, each its own transaction: inserts, updates, deletes. Ids of the stages, and of updates and deletes
  // among each other, are distinct, so that every statement changes one row. Returns three lines, each a Loop.
  std::string stage(uint64_t number) {
    const uint64_t count = changes_per_stage(options_.rows);
    const uint64_t batch = std::max<uint64_t>(count / 20, 1);
    const uint64_t base = number * count;
    auto insert = peer_->prepare("INSERT INTO invoices VALUES (?,?,?,?,?,?,?,?,?)");
    auto update = peer_->prepare("UPDATE invoices SET status = ?, amount_cents = ?, balance_cents = ? WHERE invoice_id = ?");
    auto remove = peer_->prepare("DELETE FROM invoices WHERE invoice_id = ?");
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
        [&](uint64_t i) {
          const auto row = ledger_.invoice(options_.rows + 1 + i);
          return std::array<Value, 9>{row.invoice_id, row.customer_id, row.region, row.status, row.month,
                                      row.amount_cents, row.tax_cents, row.balance_cents, row.due_day};
        },
        *insert);
    run(
        [&](uint64_t i) {
          const auto row = ledger_.invoice(2 * options_.rows + 1 + i);
          return std::array<Value, 4>{row.status, row.amount_cents, row.balance_cents, static_cast<int64_t>(permutation_(kStages * count + i))};
        },
        *update);
    run([&](uint64_t i) { return std::array<Value, 1>{static_cast<int64_t>(permutation_(i))}; }, *remove);
    return text;
  }

  Arm arm_;
  BillingOptions options_;
  shell::Ledger ledger_;
  Permutation permutation_;
  std::unique_ptr<Peer> peer_;
  std::unordered_map<std::string, std::unique_ptr<Query>> prepared_;  // after peer_: destroyed before it
  Rows rows_;
};

}  // namespace

uint64_t changes_per_stage(uint64_t rows) { return std::max<uint64_t>(std::min(kChangesMax, rows / 10), 1); }

Worker::Handler billing_worker(const Arm& arm, const BillingOptions& options) {
  auto worker = std::make_shared<BillingWorker>(arm, options);
  return [worker](const std::string& command) { return worker->answer(command); };
}

}  // namespace hdb::bench
