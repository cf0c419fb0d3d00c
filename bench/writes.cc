// W6 single-row writes and W7 transactions, in memory: HoloDb with 0, 1 and 2 summaries against SQLite; and where the time of an INSERT goes.
#include <algorithm>
#include <cinttypes>

#include "bench/ledger_tables.h"
#include "bench/timing.h"
#include "bench/workloads.h"

namespace hdb::bench {
namespace {

constexpr uint64_t kCountMax = 20'000;   // of each kind of single-row statement
constexpr int kBatches = 20;
constexpr int kTransactions = 40;        // of each size
constexpr int kTransactionRows = 1'000;  // of the largest
constexpr int kBudgetRounds = 15;
constexpr int kBudgetRows = 1'000;

// Which ids were used; the same in all arms, since all get the same commands.
struct Ids {
  uint64_t inserted = 0;
  uint64_t updated = 0;
  uint64_t removed = 0;
};

uint64_t statements(uint64_t rows) { return std::max<uint64_t>(std::min(kCountMax, rows / 20), kBatches); }

class Writer {
 public:
  Writer(EngineWorker& worker, Ids& ids) : worker_(worker), ids_(ids), rows_(worker.options().rows), ledger_(rows_), permutation_(rows_) {}

  std::array<Value, 9> insert_values() { return invoice_values(ledger_, rows_ + ++ids_.inserted); }
  std::array<Value, 4> update_values() {  // of rows that are never deleted
    const auto row = ledger_.invoice(2 * rows_ + ++ids_.updated);
    return {row.status, row.amount_cents, row.balance_cents, static_cast<int64_t>(permutation_(rows_ / 2 + ids_.updated % (rows_ / 2)))};
  }
  std::array<Value, 1> delete_values() { return {static_cast<int64_t>(permutation_(ids_.removed++))}; }

  static constexpr const char* kInsert = "INSERT INTO invoices VALUES (?,?,?,?,?,?,?,?,?)";
  static constexpr const char* kUpdate = "UPDATE invoices SET status = ?, amount_cents = ?, balance_cents = ? WHERE invoice_id = ?";
  static constexpr const char* kDelete = "DELETE FROM invoices WHERE invoice_id = ?";

  std::string single(const std::string& kind, bool text) {
    if (kind == "INSERT") return loop(kInsert, text, [&] { return insert_values(); });
    if (kind == "UPDATE") return loop(kUpdate, text, [&] { return update_values(); });
    return loop(kDelete, text, [&] { return delete_values(); });
  }

  // BEGIN, so many INSERTs, COMMIT or ROLLBACK; or a savepoint around them.
  std::string transaction(int changes, const std::string& end) {
    const int times = changes > 100 ? kTransactions / 2 : kTransactions;
    Loop timed;
    Rows none;
    for (int i = -1; i < times; ++i) {
      const uint64_t before = ids_.inserted;
      std::vector<std::array<Value, 9>> values;
      for (int c = 0; c < changes; ++c) values.push_back(insert_values());
      const bool savepoint = end == "SAVEPOINT";
      const double seconds = seconds_of([&] {
        run("BEGIN");
        if (savepoint) run("SAVEPOINT s");
        Query& insert = worker_.prepared(kInsert);
        for (const auto& row : values) insert.run(row, none);
        if (savepoint) run("ROLLBACK TO s");
        run(savepoint ? "COMMIT" : end);
      });
      if (i >= 0) timed.samples.push_back(seconds);
      if (end != "COMMIT") ids_.inserted = before;
    }
    return timed.to_text();
  }

 private:
  void run(const std::string& sql) {
    Rows none;
    worker_.prepared(sql).run({}, none);
  }
  static std::string with_values(std::string sql, std::span<const Value> values) {
    for (const Value& value : values) {
      const int64_t* integer = std::get_if<int64_t>(&value);
      const std::string text = integer != nullptr ? std::to_string(*integer) : "'" + std::string(std::get<std::string_view>(value)) + "'";
      sql.replace(sql.find('?'), 1, text);
    }
    return sql;
  }
  template <class Make>
  std::string loop(const char* sql, bool text, Make&& make) {
    Loop loop;
    loop.batch = statements(rows_) / kBatches;
    Rows none;
    Query& query = worker_.prepared(sql);
    for (int batch = 0; batch < kBatches; ++batch) {
      std::vector<decltype(make())> values;
      std::vector<std::string> texts;
      for (uint64_t i = 0; i < loop.batch; ++i) {
        values.push_back(make());
        if (text) texts.push_back(with_values(sql, values.back()));
      }
      size_t next = 0;
      int64_t changed = 0;
      loop.samples.push_back(seconds_of(
          [&] { changed += text ? worker_.peer().prepare(texts[next])->run({}, none) : query.run(values[next], none), ++next; }, loop.batch));
      if (changed != static_cast<int64_t>(loop.batch)) throw PeerError("a change of one row changed " + std::to_string(changed) + " of " + std::to_string(loop.batch));
    }
    return loop.to_text();
  }

  EngineWorker& worker_;
  Ids& ids_;
  uint64_t rows_;
  shell::Ledger ledger_;
  Permutation permutation_;
};

// Where an INSERT's time goes, by differences between tables and ways of writing that differ in one thing. "NAME\tSECONDS" a line.
class Budget {
 public:
  explicit Budget(EngineWorker& worker) : worker_(worker), peer_(worker.peer()), ledger_(kBudgetRows) {}

  std::string run() {
    const std::string columns = "customer_id BIGINT NOT NULL, region TEXT NOT NULL, status TEXT NOT NULL, month TEXT NOT NULL, amount_cents BIGINT NOT NULL, "
                                "tax_cents BIGINT NOT NULL, balance_cents BIGINT NOT NULL, due_day BIGINT NOT NULL)";
    peer_.execute("CREATE TABLE b_one(invoice_id BIGINT NOT NULL)");
    peer_.execute("CREATE TABLE b_plain(invoice_id BIGINT NOT NULL, " + columns);
    for (const char* name : {"b_key", "b_cells", "b_summary"}) peer_.execute(std::string("CREATE TABLE ") + name + "(invoice_id BIGINT PRIMARY KEY, " + columns);
    peer_.execute("CREATE INDEX b_s ON b_summary USING SUMMARY (region, status, month) INCLUDE (amount_cents, balance_cents)");
    std::map<std::string, std::vector<double>> t;
    for (int round = 0; round < kBudgetRounds; ++round) {
      for (const std::string table : {"b_one", "b_plain", "b_key", "b_cells", "b_summary"}) {
        if (table == "b_cells") {  // questions whose block cells the rows then enter
          Rows rows;
          peer_.run_text("SELECT status, COUNT(*), SUM(amount_cents) FROM b_cells GROUP BY status", rows);
          peer_.run_text("SELECT month, COUNT(*), SUM(amount_cents) FROM b_cells GROUP BY month", rows);
        }
        t[table].push_back(insert(table, true, "COMMIT"));
        if (table == "b_key") {
          t["commit each"].push_back(insert(table, false, ""));
          t["rollback"].push_back(insert(table, true, "ROLLBACK"));
        }
      }
      t["known shape"].push_back(prepare(false));
      t["new shape"].push_back(prepare(true));
    }
    return lines(t);
  }

 private:
  static double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
  }
  static std::string lines(std::map<std::string, std::vector<double>>& t) {
    std::map<std::string, double> m;
    for (const auto& [name, values] : t) m[name] = median(values);
    std::string text;
    const auto line = [&](const std::string& name, double seconds) {
      char digits[32];
      std::snprintf(digits, sizeof digits, "%.9g", seconds);
      text += name + "\t" + digits + "\n";
    };
    line("parse: prepare a text whose shape is known (lexer, fingerprint, cache)", m["known shape"]);
    line("plan: prepare a new shape, less that (parser, binder, router)", m["new shape"] - m["known shape"]);
    line("store, journal and zone map of one BIGINT column, without a key (in a transaction of 1,000)", m["b_one"]);
    line("store, journal and zone map: each further column (8 more, of them 3 TEXT)", (m["b_plain"] - m["b_one"]) / 8);
    line("key: primary key's index, and its check", m["b_key"] - m["b_plain"]);
    line("block cells: two questions' cells are kept of the block that grows", m["b_cells"] - m["b_key"]);
    line("summary: one over three dimensions and two measures", m["b_summary"] - m["b_key"]);
    line("publish: a transaction of its own instead of a share of one of 1,000", m["commit each"] - m["b_key"]);
    line("undo: INSERT and ROLLBACK instead of COMMIT, a row", m["rollback"] - m["b_key"]);
    line("whole INSERT: prepared, autocommit, nine columns and a key", m["commit each"]);
    return text;
  }
  double insert(const std::string& table, bool together, const std::string& end) {
    Query& query = worker_.prepared("INSERT INTO " + table + (table == "b_one" ? " VALUES (?)" : " VALUES (?,?,?,?,?,?,?,?,?)"));
    std::vector<std::array<Value, 9>> values;
    for (int i = 0; i < kBudgetRows; ++i) values.push_back(invoice_values(ledger_, ++next_));
    Rows none;
    return seconds_of([&] {
             if (together) worker_.prepared("BEGIN").run({}, none);
             for (const auto& row : values) query.run({row.data(), table == "b_one" ? 1u : 9u}, none);
             if (together) worker_.prepared(end).run({}, none);
           }) / kBudgetRows;
  }
  // An INSERT's text; a new shape has a column list in another order.
  double prepare(bool new_shape) {
    constexpr int kTexts = 24;
    std::vector<std::string> texts;
    std::vector<std::string> names = {"customer_id", "region", "status", "month", "amount_cents", "tax_cents", "balance_cents", "due_day"};
    for (int i = 0; i < kTexts; ++i) {
      if (new_shape) {
        for (uint64_t swap = 0, order = shapes_++; swap < 8; ++swap) std::swap(names[swap], names[draw_below(order, swap, 8)]);
      }
      std::string list = "invoice_id";
      std::string marks = std::to_string(++next_);
      for (const auto& name : names) {
        list += ", " + name;
        marks += name == "region" || name == "status" || name == "month" ? ", 'x'" : ", 7";
      }
      texts.push_back("INSERT INTO b_key (" + list + ") VALUES (" + marks + ")");
    }
    size_t next = 0;
    return seconds_of([&] { peer_.prepare(texts[next++]); }, kTexts);
  }

  EngineWorker& worker_;
  Peer& peer_;
  shell::Ledger ledger_;
  uint64_t next_ = 0;
  uint64_t shapes_ = 0;
};

Workload make_writes(const Options& options, bool shuffled) {
  Workload w;
  w.tables = {ledger_invoices(options.rows, shuffled, false)};
  w.questions = {{"by status", "SELECT status, COUNT(*), SUM(amount_cents), SUM(balance_cents) FROM invoices GROUP BY status ORDER BY status"},
                 {"by customer", "SELECT customer_id, COUNT(*), SUM(amount_cents) AS s FROM invoices GROUP BY customer_id ORDER BY s DESC, customer_id LIMIT 50"},
                 {"keys", "SELECT MIN(invoice_id), MAX(invoice_id), SUM(invoice_id), COUNT(*) FROM invoices"},
                 {"by all three", "SELECT region, status, month, COUNT(*), SUM(amount_cents) FROM invoices GROUP BY region, status, month ORDER BY region, status, month"}};
  w.indexes = {{"s1", "CREATE INDEX s1 ON invoices USING SUMMARY (region, status, month) INCLUDE (amount_cents, balance_cents)"},
               {"s2", "CREATE INDEX s2 ON invoices USING SUMMARY (customer_id, status) INCLUDE (amount_cents)"}};
  w.control = kLedgerControl;
  auto ids = std::make_shared<Ids>();
  w.commands["single"] = [ids](EngineWorker& worker, const std::string& rest) {
    return Writer(worker, *ids).single(rest.substr(0, rest.find(' ')), rest.ends_with(" text"));
  };
  w.commands["transaction"] = [ids](EngineWorker& worker, const std::string& rest) {
    return Writer(worker, *ids).transaction(std::stoi(rest), rest.substr(rest.find(' ') + 1));
  };
  w.commands["budget"] = [](EngineWorker& worker, const std::string&) { return Budget(worker).run(); };
  return w;
}

// BEGIN, SAVEPOINT, ROLLBACK over nothing: seconds.
double empty_transaction(Worker& worker) {
  return median_of(worker.call("transaction 0 SAVEPOINT"));
}

}  // namespace

Json run_writes(const Options& options) {
  Json json = begin_json(options);
  json["title"] = "W6 single-row writes, W7 transactions";
  std::vector<Arm> arms = {{.name = "holodb_0", .label = "HoloDb, no summary"},
                           {.name = "holodb_1", .label = "HoloDb, s1", .indexes = {"s1"}},
                           {.name = "holodb_2", .label = "HoloDb, s1 and s2", .indexes = {"s1", "s2"}}};
  if (has_peer(options, "sqlite")) arms.push_back({.name = "sqlite", .label = "SQLite", .engine = Arm::Engine::kSqlite});
  Progress progress(SideBySide::steps(arms.size(), 4) + 18 * arms.size() + 3);
  SideBySide run(options, make_writes, arms, json, progress);
  run.load();
  run.compare_rows();
  run.placebo({"s1", "s2"});
  run.time_questions();
  begin_phase("writes");
  std::map<std::string, double> single;
  std::map<std::string, double> thousand;
  std::vector<std::string> names;
  for (const Arm& arm : arms) names.push_back(arm.name);
  for (const std::string how : {"prepared", "text"}) {
    for (const std::string kind : {"INSERT", "UPDATE", "DELETE"}) {
      for (const std::string& arm : names) {
        progress.step(kind + " " + how + ", " + arm);
        const std::string loop = run.worker(arm).call("single " + kind + " " + how);
        keep_halves(json["cells"][kind + " " + how][arm], loop);
        if (kind == "INSERT" && how == "prepared") single[arm] = median_of(loop);
      }
    }
  }
  for (const std::string end : {"COMMIT", "ROLLBACK", "SAVEPOINT"}) {
    for (const int changes : {1, 10, 100, kTransactionRows}) {
      for (const std::string& arm : names) {
        const std::string what = end == "SAVEPOINT" ? "SAVEPOINT, " + std::to_string(changes) + ", ROLLBACK TO" : "BEGIN, " + std::to_string(changes) + ", " + end;
        progress.step(what + ", " + arm);
        const std::string loop = run.worker(arm).call("transaction " + std::to_string(changes) + " " + end);
        keep_halves(json["cells"][what][arm], loop);
        if (end == "COMMIT" && changes == kTransactionRows) thousand[arm] = median_of(loop) / kTransactionRows;
      }
    }
  }
  run.compare_again("after the writes", {"by status", "by customer", "keys", "by all three"}, names);
  json["metrics"]["summary_cost.autocommit_s"] = Json(std::max(single["holodb_1"] - single["holodb_0"], single["holodb_2"] - single["holodb_1"]));
  json["metrics"]["summary_cost.transaction_s"] = Json(std::max(thousand["holodb_1"] - thousand["holodb_0"], thousand["holodb_2"] - thousand["holodb_1"]));
  progress.step("empty transactions");
  Options small = options;
  small.rows = std::max<uint64_t>(options.rows / 100, 100);
  Worker little("HoloDb, small", [small] { return engine_worker({.name = "small", .label = "HoloDb, small"}, make_writes, small); });
  little.call("load");
  const double at_small = empty_transaction(little);
  const double at_full = empty_transaction(run.worker("holodb_0"));
  json["metrics"]["empty_transaction.small_s"] = Json(at_small);
  json["metrics"]["empty_transaction.full_s"] = Json(at_full);
  json["metrics"]["empty_transaction.full_over_small"] = Json(at_full / at_small);
  run.after_questions();
  progress.step("budget");
  Worker budget("HoloDb, budget", [small] { return engine_worker({.name = "budget", .label = "HoloDb, budget"}, make_writes, small); });
  std::vector<std::vector<Json>> table;
  for (const std::string& line : lines_of(budget.call("budget"))) {
    const auto fields = fields_of(line, '\t');
    table.push_back({Json(fields[0]), seconds_json(std::stod(fields[1]))});
  }
  add_table(json, "Where an INSERT's time goes: differences between tables and ways of writing that differ in one thing (medians of 15 rounds of 1,000 rows, in turns)",
            {"layer", "a row"}, table);
  return json;
}

}  // namespace hdb::bench
