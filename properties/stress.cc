// stress: writers and readers on several threads through the C ABI, meant to run under tsan.
//
// Invariants checked: C1, C2, C4, C6 (test 1 of the ten): transfers between rows of different blocks keep every total, seen by scan,
// block cells, summary and join, while columns widen, dictionaries grow, rows come and go, transactions roll back; each reader's
// transaction sees one snapshot; at the end every summary equals its rebuild. C7: what four threads read and append is recorded and checked
// for strict serializability (isolation.h), by the reads alone and by the engine's commit numbers.
#include <atomic>
#include <chrono>
#include <thread>

#include "isolation_record.h"
#include "laws.h"
#include "protocol.h"

#if defined(__SANITIZE_THREAD__)
extern "C" const char* __tsan_default_options();
extern "C" const char* __tsan_default_options() { return "halt_on_error=1:second_deadlock_stack=1"; }
#endif

namespace judge {

namespace {

constexpr int64_t kRows = 17000, kStart = 100;  // two blocks
constexpr auto kTime = std::chrono::milliseconds(1300);

struct Shared {
  Engine engine;
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> writes{0}, reads{0};
  std::mutex mutex;
  std::string kind, text;  // the first failure

  void failed(const std::string& new_kind, const std::string& new_text) {
    std::lock_guard guard(mutex);
    if (kind.empty()) kind = new_kind, text = new_text;
    stop = true;
  }
};

// Runs body until the time is over; a failure of any thread ends them all.
template <typename Body>
std::thread worker(Shared& shared, uint64_t seed, Body body) {
  return std::thread([&shared, seed, body] {
    try {
      const auto connection = shared.engine.connection();
      model::Random random(seed);
      while (!shared.stop) body(*connection, random);
    } catch (const Failure& f) {
      shared.failed(f.kind, f.text);
    } catch (const std::exception& e) {
      shared.failed(report::kind_of(e.what()), e.what());
    }
  });
}

void expect(Connection& c, const std::string& sql, const std::string& rows) {
  const Reply r = must(c, sql);
  const std::string got = Scene::text_of(r);
  require(got == rows, "expected " + rows + ", got " + got + "\n  " + sql);
}

void set_up(Shared& shared, bool summary) {
  const auto c = shared.engine.connection();
  must(*c, "CREATE TABLE p(pid BIGINT PRIMARY KEY, seg TEXT)");
  must(*c, "INSERT INTO p VALUES (0,'a'),(1,'b'),(2,'a'),(3,'b')");
  must(*c, "CREATE TABLE t(id BIGINT PRIMARY KEY, k BIGINT, g TEXT, v BIGINT)");
  model::TableDef def;
  def.name = "t";
  std::vector<model::Row> rows;
  for (int64_t i = 0; i < kRows; ++i) {
    rows.push_back({model::make_int(i), model::make_int(i % 4), model::make_text(i % 3 == 0 ? "x" : "y"), model::make_int(kStart)});
  }
  const Reply loaded = c->append(def, rows);
  require(loaded.ok, loaded.message);
  if (summary) must(*c, "CREATE INDEX s ON t USING SUMMARY (g, k) INCLUDE (v)");
}

// Two updates that cancel. Small amounts stay in the columns' width, large ones widen them.
void transfer(Shared& shared, Connection& c, model::Random& r) {
  const int64_t from = r.range(0, 40) * 400, to = r.range(16384, kRows - 1);
  const int64_t amount = r.chance(70) ? r.range(1, 50) : int64_t{1} << r.below(40);
  must(c, "BEGIN");
  must(c, "UPDATE t SET v = v - " + std::to_string(amount) + " WHERE id = " + std::to_string(from));
  if (r.chance(30)) {
    must(c, "SAVEPOINT a");
    must(c, "UPDATE t SET v = 7, g = 'gone' WHERE id = " + std::to_string(to));
    must(c, "ROLLBACK TO a");
  }
  if (r.chance(25)) must(c, "UPDATE t SET g = 'n" + std::to_string(r.below(500)) + "' WHERE id = " + std::to_string(to));
  must(c, "UPDATE t SET v = v + " + std::to_string(amount) + " WHERE id = " + std::to_string(to));
  must(c, r.chance(80) ? "COMMIT" : "ROLLBACK");
  ++shared.writes;
}

// Rows that come and go in one transaction, or are exchanged for others.
void exchange(Shared& shared, Connection& c, model::Random& r) {
  const std::string id = std::to_string(r.range(100, 16000) * 3 % kRows), more = std::to_string(r.range(50000, 60000));
  must(c, "BEGIN");
  if (r.chance(50)) {
    must(c, "INSERT INTO t VALUES (" + more + ",1,'z',5000000000)");
    must(c, "DELETE FROM t WHERE id = " + more);
  } else {
    must(c, "UPDATE t SET k = (k + 1) % 4 WHERE id = " + id);
  }
  must(c, "COMMIT");
  ++shared.writes;
}

void read(Shared& shared, Connection& c, model::Random& r) {
  static const std::string kTotal = std::to_string(kRows * kStart), kCount = std::to_string(kRows);
  static const std::vector<std::string> kModes = {"auto", "off"};
  must(c, "SET summary_mode = " + r.pick(kModes));
  const bool inside = r.chance(60);
  if (inside) must(c, "BEGIN");
  std::string groups;
  for (int i = 0; i < 4; ++i) {
    switch (r.below(5)) {
      case 0:
        expect(c, "SELECT sum_exact(v), COUNT(*) FROM t", kTotal + "|" + kCount);
        break;
      case 1:
        expect(c, "SELECT sum_exact(v), COUNT(v) FROM t WHERE id >= 0 AND v > -9000000000000000000", kTotal + "|" + kCount);
        break;
      case 2: {
        const Reply reply = must(c, "SELECT g, COUNT(*), sum_exact(v) FROM t GROUP BY g ORDER BY g");
        model::Big sum = 0, count = 0;
        for (const auto& row : reply.rows) count += model::Big(row[1].text), sum += model::Big(row[2].text);
        require(sum == kRows * kStart && count == kRows, "the groups of one statement do not add up\n  " + Scene::text_of(reply).substr(0, 500));
        const std::string text = Scene::text_of(reply);
        require(!inside || groups.empty() || groups == text, "one snapshot, two answers");
        groups = text;
        break;
      }
      case 3: {
        const Reply reply = must(c, "SELECT p.seg, COUNT(*), sum_exact(t.v) FROM t JOIN p ON t.k = p.pid GROUP BY p.seg");
        model::Big sum = 0;
        for (const auto& row : reply.rows) sum += model::Big(row[2].text);
        require(sum == kRows * kStart, "the join does not add up\n  " + Scene::text_of(reply));
        break;
      }
      default:
        expect(c, "SELECT COUNT(*) FROM t WHERE id = " + std::to_string(r.range(0, kRows - 1)), "1");
    }
  }
  if (inside) must(c, "COMMIT");
  ++shared.reads;
}

void run(Context& context, bool summary, bool two_writers) {
  Shared shared;
  set_up(shared, summary);
  std::vector<std::thread> threads;
  threads.push_back(worker(shared, context.random.next(), [&](Connection& c, model::Random& r) { transfer(shared, c, r); }));
  if (two_writers) threads.push_back(worker(shared, context.random.next(), [&](Connection& c, model::Random& r) { exchange(shared, c, r); }));
  threads.push_back(worker(shared, context.random.next(), [&](Connection& c, model::Random& r) { read(shared, c, r); }));
  threads.push_back(worker(shared, context.random.next(), [&](Connection& c, model::Random& r) { read(shared, c, r); }));
  const auto end = std::chrono::steady_clock::now() + kTime;
  while (!shared.stop && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  shared.stop = true;
  for (std::thread& t : threads) t.join();
  if (!shared.kind.empty()) throw Failure{shared.kind, shared.text};
  require(shared.writes > 0 && shared.reads > 0,
          "a side was starved: " + std::to_string(shared.writes) + " writes, " + std::to_string(shared.reads) + " reads");
  const auto c = shared.engine.connection();
  expect(*c, "SELECT sum_exact(v), COUNT(*) FROM t", std::to_string(kRows * kStart) + "|" + std::to_string(kRows));
  if (summary) verify_summary(*c, "s");
  std::printf("  %llu writes, %llu reads\n", static_cast<unsigned long long>(shared.writes), static_cast<unsigned long long>(shared.reads));
}

// Four threads run random transactions over lists and write down what they saw.
void recorded(Context& context, int filler) {
  constexpr size_t kThreads = 4, kStatements = 1500;
  Shared shared;
  RecordClock clock;
  RecordPlan plan;
  plan.filler = filler;
  {
    const auto c = shared.engine.connection();
    set_up_lists(*c, plan);
    must(*c, "SET turn_timeout = 200");
  }
  std::vector<std::vector<Transaction>> parts(kThreads);
  std::vector<std::thread> threads;
  const auto end = std::chrono::steady_clock::now() + kTime / 2;
  for (size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i, seed = context.random.next()] {
      try {
        const auto connection = shared.engine.connection();
        Recorder recorder(*connection, clock, plan, model::Random(seed));
        for (size_t n = 0; n < kStatements && !shared.stop && std::chrono::steady_clock::now() < end; ++n) recorder.step();
        recorder.finish();
        parts[i] = recorder.take();
      } catch (const Failure& f) {
        shared.failed(f.kind, f.text);
      } catch (const std::exception& e) {
        shared.failed(report::kind_of(e.what()), e.what());
      }
    });
  }
  for (std::thread& t : threads) t.join();
  if (!shared.kind.empty()) throw Failure{shared.kind, shared.text};
  const auto c = shared.engine.connection();
  Recorder last(*c, clock, plan, context.random);
  last.read_all();
  parts.push_back(last.take());
  ConcurrentHistory history;
  history.keys = plan.keys;
  for (std::vector<Transaction>& part : parts) {
    for (Transaction& t : part) history.transactions.push_back(std::move(t));
  }
  const std::string wrong = judged(history);
  require(wrong.empty(), wrong.substr(0, 1500));
  report::checked(history.transactions.size());
  verify_summary(*c, "s_r0");
  std::printf("  %llu transactions recorded\n", static_cast<unsigned long long>(history.transactions.size()));
}

}  // namespace

}  // namespace judge

int main(int argc, char** argv) {
  using judge::Context;
  const std::vector<judge::Case> cases = {{"one writer, no summary", "C2", [](Context& c) { judge::run(c, false, false); }},
                                          {"one writer, a summary", "C4", [](Context& c) { judge::run(c, true, false); }},
                                          {"two writers, a summary", "C6", [](Context& c) { judge::run(c, true, true); }},
                                          {"two writers, each step watched", "C4", [](Context& c) {
                                             judge::protocol::Watch watch;
                                             judge::run(c, true, true);
                                             std::printf("  %llu steps of the protocol\n", static_cast<unsigned long long>(watch.check()));
                                           }},
                                          {"a recorded history", "C7", [](Context& c) { judge::recorded(c, 0); }},
                                          {"a recorded history over blocks", "C7", [](Context& c) { judge::recorded(c, 16384); }}};
  return judge::run_suite("stress", argc, argv, cases, nullptr);
}
