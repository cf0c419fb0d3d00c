// bench/routing.cc: is the path that the router takes the fastest of those it could have taken?
//
// What:       fills a table (the ledger's invoices, or the events of a dashboard), asks each question by the router's choice and by each path alone (SET
//             zone_sums, block_cells, summary_mode), and prints microseconds of the first call and of warm calls, and the choice over the best.
// Use:        bench_routing [ledger|cube] [--rows N] [--threads N] [--touch]   --touch: a row is inserted before every warm call.
// Held by:    nothing: it measures. Exit status 1 if some choice is slower than 1.05 x the best path and by more than half a microsecond.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "holodb/holodb.h"
#include "shell/ledger.h"

namespace {

double now_us() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Session {
  holodb_db* db = nullptr;
  holodb_conn* conn = nullptr;
  void must(int status) const {
    if (status == HOLODB_OK) return;
    std::fprintf(stderr, "%s\n", holodb_errmsg(conn));
    std::exit(2);
  }
  void run(const std::string& sql) const { must(holodb_exec(conn, sql.c_str())); }
};

// One prepared statement, all rows read.
class Question {
 public:
  Question(const Session& session, const std::string& sql) : session_(session) {
    if (holodb_prepare(session.conn, sql.c_str(), -1, &statement_, nullptr) != HOLODB_OK) statement_ = nullptr;
  }
  ~Question() {
    if (statement_ != nullptr) holodb_finalize(statement_);
  }
  bool ok() const { return statement_ != nullptr; }
  double once() {
    const double begin = now_us();
    int status;
    while ((status = holodb_step(statement_)) == HOLODB_ROW) {
      for (int c = holodb_column_count(statement_); c-- > 0;) sum_ += holodb_column_is_null(statement_, c);
    }
    const double spent = now_us() - begin;
    holodb_reset(statement_);
    if (status != HOLODB_DONE) session_.must(status);
    return spent;
  }
  // The least of some batches, of at most about 20 ms together.
  double warm(const std::function<void()>& before) {
    double least = before ? 1e18 : once();
    const double end = now_us() + 20'000;
    for (int i = 0; i < 7 || (i < 2000 && now_us() < end); ++i) {
      if (before) before();
      least = std::min(least, once());
    }
    return least;
  }

 private:
  const Session& session_;
  holodb_stmt* statement_ = nullptr;
  int sum_ = 0;
};

std::string explain(const Session& session, const std::string& sql) {
  holodb_stmt* s = nullptr;
  std::string path;
  session.must(holodb_prepare(session.conn, ("EXPLAIN " + sql).c_str(), -1, &s, nullptr));
  while (holodb_step(s) == HOLODB_ROW) {
    const std::string line = holodb_column_text(s, 0);
    for (const char* name : {"zone sums", "block cells", "summary ", "limb ", "index "}) {
      if (line.find("by " + std::string(name)) != std::string::npos || line.find("path: " + std::string(name)) != std::string::npos) path = name;
    }
  }
  holodb_finalize(s);
  return path;
}

uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

void text(holodb_appender* a, std::string_view t) { holodb_append_text(a, t.data(), static_cast<int64_t>(t.size())); }

std::vector<std::string> fill_ledger(const Session& s, uint64_t rows) {
  s.run("CREATE TABLE invoices(invoice_id BIGINT PRIMARY KEY, customer_id BIGINT NOT NULL, region TEXT NOT NULL, status TEXT NOT NULL, month TEXT NOT NULL, "
        "amount_cents BIGINT NOT NULL, tax_cents BIGINT NOT NULL, balance_cents BIGINT NOT NULL, due_day BIGINT NOT NULL)");
  s.run("CREATE TABLE regions(region TEXT PRIMARY KEY, zone TEXT)");
  for (const auto& r : hdb::shell::Ledger::kRegions) s.run("INSERT INTO regions VALUES ('" + std::string(r) + "', 'z')");
  const hdb::shell::Ledger ledger(rows);
  holodb_appender* a = nullptr;
  s.must(holodb_appender_open(s.conn, "invoices", &a));
  for (uint64_t i = 1; i <= rows; ++i) {
    const auto r = ledger.invoice(i);
    holodb_append_int64(a, r.invoice_id);
    holodb_append_int64(a, r.customer_id);
    text(a, r.region);
    text(a, r.status);
    text(a, r.month);
    for (const int64_t v : {r.amount_cents, r.tax_cents, r.balance_cents, r.due_day}) holodb_append_int64(a, v);
    holodb_appender_end_row(a);
  }
  s.must(holodb_appender_close(a));
  s.run("CREATE INDEX s1 ON invoices USING SUMMARY (region, status, month) INCLUDE (amount_cents, balance_cents)");
  return {
      "SELECT COUNT(*) FROM invoices",
      "SELECT SUM(amount_cents) FROM invoices",
      "SELECT status, SUM(amount_cents), COUNT(*) FROM invoices GROUP BY status ORDER BY status",
      "SELECT month, SUM(amount_cents), COUNT(*) FROM invoices GROUP BY month ORDER BY month",
      "SELECT region, SUM(amount_cents), COUNT(*) FROM invoices GROUP BY region ORDER BY region",
      "SELECT MIN(amount_cents), MAX(amount_cents) FROM invoices",
      "SELECT COUNT(DISTINCT status) FROM invoices",
      "SELECT region, status, SUM(amount_cents), COUNT(*) FROM invoices GROUP BY region, status ORDER BY region, status",
      "SELECT region, COUNT(*) FROM invoices WHERE status = 'open' GROUP BY region ORDER BY region",
      "SELECT COUNT(DISTINCT month) FROM invoices WHERE status = 'open'",
      "SELECT COUNT(*), SUM(amount_cents) FROM invoices WHERE region = 'north' AND status = 'open' AND month = '2025-01'",
      "SELECT COUNT(*) FROM invoices WHERE status LIKE 'o%' OR region = 'west'",
      "SELECT COUNT(*) FROM invoices WHERE due_day BETWEEN 100 AND 200",
      "SELECT COUNT(*) FROM invoices WHERE amount_cents > 200000",
      "SELECT COUNT(*) FROM invoices WHERE status = 'overdue'",
      "SELECT COUNT(*) FROM invoices i JOIN regions r ON i.region = r.region WHERE r.zone = 'z'",
      "SELECT r.zone, SUM(i.amount_cents) FROM invoices i JOIN regions r ON i.region = r.region GROUP BY r.zone",
      "SELECT SUM(tax_cents) FROM invoices WHERE amount_cents > 100000",
  };
}

std::vector<std::string> fill_cube(const Session& s, uint64_t rows) {
  s.run("CREATE TABLE events(event_id BIGINT PRIMARY KEY, user_id BIGINT NOT NULL, country TEXT NOT NULL, device TEXT NOT NULL, plan TEXT NOT NULL, channel TEXT NOT NULL, "
        "status TEXT NOT NULL, is_new BIGINT NOT NULL, amount_cents BIGINT NOT NULL, duration_ms BIGINT NOT NULL)");
  s.run("CREATE INDEX cube ON events USING SUMMARY (country, device, plan, channel, status, is_new) INCLUDE (amount_cents, duration_ms)");
  holodb_appender* a = nullptr;
  s.must(holodb_appender_open(s.conn, "events", &a));
  for (uint64_t i = 1; i <= rows; ++i) {
    const uint64_t x = mix(i), y = mix(x);
    holodb_append_int64(a, static_cast<int64_t>(i));
    holodb_append_int64(a, static_cast<int64_t>(y % 100'000));
    const auto value = [&](const char* name, uint64_t v) { text(a, std::string(name) + std::to_string(v)); };
    value("country", x & 15);
    value("device", (x >> 4) & 3);
    value("plan", (x >> 6) & 3);
    value("channel", (x >> 8) & 7);
    value("status", (x >> 11) & 3);
    holodb_append_int64(a, static_cast<int64_t>((x >> 13) & 1));
    holodb_append_int64(a, static_cast<int64_t>((y >> 20) % 100'000));
    holodb_append_int64(a, static_cast<int64_t>((y >> 40) % 60'000));
    holodb_appender_end_row(a);
  }
  s.must(holodb_appender_close(a));
  const std::string sums = "SELECT COUNT(*), SUM(amount_cents), SUM(duration_ms) FROM events";
  return {
      "SELECT COUNT(*) FROM events",
      "SELECT SUM(amount_cents) FROM events",
      sums + " WHERE country = 'country3'",
      sums + " WHERE country IN ('country1','country2','country7') AND device = 'device1'",
      sums + " WHERE country = 'country3' OR plan = 'plan2'",
      sums + " WHERE NOT (status = 'status1') AND channel <> 'channel4'",
      sums + " WHERE channel LIKE 'channel_' AND device LIKE '%2' AND plan <> 'plan0' AND is_new = 1",
      "SELECT country, SUM(amount_cents) FROM events GROUP BY country",
      "SELECT country, device, SUM(amount_cents), COUNT(*) FROM events GROUP BY country, device ORDER BY 1, 2",
      "SELECT country, device, plan, SUM(amount_cents) FROM events GROUP BY country, device, plan",
      "SELECT plan, AVG(duration_ms) FROM events WHERE country = 'country5' AND is_new = 1 GROUP BY plan",
      "SELECT channel, status, AVG(amount_cents), COUNT(*) FROM events WHERE device <> 'device0' GROUP BY channel, status ORDER BY channel, status",
      "SELECT country, SUM(amount_cents) AS s FROM events GROUP BY country HAVING SUM(amount_cents) > 1000 ORDER BY s DESC",
      "SELECT channel, COUNT(*) FROM events WHERE plan = 'plan1' GROUP BY channel HAVING COUNT(*) > 10",
      "SELECT COUNT(DISTINCT country) FROM events",
      "SELECT COUNT(DISTINCT channel) FROM events WHERE country = 'country1' AND device = 'device1'",
      "SELECT MIN(country), MAX(channel) FROM events WHERE status = 'status2'",
      "SELECT device, COUNT(DISTINCT country) FROM events WHERE plan = 'plan3' GROUP BY device ORDER BY device",
  };
}

struct Arm {
  const char* name;
  const char* zone_sums;
  const char* block_cells;
  const char* summary_mode;
};
constexpr Arm kArms[] = {{"choice", "on", "on", "auto"}, {"zones", "on", "off", "off"}, {"block", "off", "on", "off"}, {"summary", "off", "off", "force"},
                         {"scan", "off", "off", "off"}};

}  // namespace

int main(int argc, char** argv) {
  uint64_t rows = 1'000'000;
  std::string table = "ledger", threads = "2";
  bool touch = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--rows") == 0 && i + 1 < argc) rows = std::strtoull(argv[++i], nullptr, 10);
    else if (std::strcmp(argv[i], "--threads") == 0 && i + 1 < argc) threads = argv[++i];
    else if (std::strcmp(argv[i], "--touch") == 0) touch = true;
    else table = argv[i];
  }
  Session s;
  if (holodb_open(nullptr, 0, HOLODB_VERSION, &s.db) != HOLODB_OK || holodb_connect(s.db, &s.conn) != HOLODB_OK) return 2;
  s.run("SET threads = " + threads);
  const bool cube = table == "cube";
  const auto questions = cube ? fill_cube(s, rows) : fill_ledger(s, rows);
  int64_t next = static_cast<int64_t>(rows);
  const std::function<void()> insert = [&] {
    const std::string id = std::to_string(++next);
    s.run(cube ? "INSERT INTO events VALUES (" + id + ", 1, 'country1', 'device1', 'plan1', 'channel1', 'status1', 1, 5, 6)"
               : "INSERT INTO invoices VALUES (" + id + ", 1, 'north', 'open', '2025-01', 5, 1, 0, 7)");
  };
  std::printf("%s, %llu rows, %s threads%s; microseconds, first call / warm\n%-18s", table.c_str(), static_cast<unsigned long long>(rows), threads.c_str(),
              touch ? ", a row inserted before each call" : "", "");
  for (const Arm& a : kArms) std::printf("%18s", a.name);
  std::printf("   over best\n");
  bool slow = false;
  for (size_t q = 0; q < questions.size(); ++q) {
    double best = 1e18, choice = 0;
    std::printf("%2zu %-15s", q, explain(s, questions[q]).c_str());
    for (const Arm& a : kArms) {
      s.run(std::string("SET zone_sums = ") + a.zone_sums);
      s.run(std::string("SET block_cells = ") + a.block_cells);
      s.run(std::string("SET summary_mode = ") + a.summary_mode);
      Question question(s, questions[q]);
      if (!question.ok()) {
        std::printf("%18s", "-");
        continue;
      }
      const double first = question.once(), warm = question.warm(touch ? insert : nullptr);
      std::printf("%9.1f/%8.2f", first, warm);
      (&a == kArms ? choice : best) = &a == kArms ? warm : std::min(best, warm);
    }
    s.run("SET zone_sums = on");
    s.run("SET block_cells = on");
    s.run("SET summary_mode = auto");
    best = std::min(best, choice);
    const bool over = choice > best * 1.05 && choice > best + 0.5;
    slow = slow || over;
    std::printf("%8.2f%s  %s\n", choice / best, over ? " !" : "", questions[q].c_str());
  }
  holodb_disconnect(s.conn);
  holodb_close(s.db);
  return slow ? 1 : 0;
}
