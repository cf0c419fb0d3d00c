// Crashes and faults of the disk, every one of them in small workloads: what was acknowledged is there, what failed is not, and the state is always
// that of a prefix of the history (C4, C7, D1, F1 to F3; cases 22, 23, 25, 26).
#include <catch2/catch.hpp>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <set>
#include <thread>

#include "engine/database_file.h"
#include "engine/test_sql.h"
#include "io/posix_files.h"
#include "io/simulated_files.h"
#include "log/file_log.h"

using namespace hdb;
using hdb::testing::Session;

namespace {

constexpr const char* kPath = "c.holodb";

std::shared_ptr<Database> opened(FileSystem& files, const char* path = kPath) {
  DatabaseOptions options;
  options.single_thread = true;
  options.pages = {512, 3};  // small ones: more of them
  return open_database(files, path, options);
}
std::shared_ptr<Database> in_memory() {
  DatabaseOptions options;
  options.single_thread = true;
  return std::make_shared<Database>(options);
}

// Everything that can be seen, by different paths; a summary that differs from its rebuild shows as such.
std::string digest(Session& s) {
  std::string out = s.run("SHOW TABLES") + "\n" + s.run("SELECT * FROM t ORDER BY id") + "\n" + s.run("SELECT g, COUNT(*), SUM(v) FROM t GROUP BY g ORDER BY g") +
                    "\n" + s.run("SELECT COUNT(*), SUM(v) FROM t") + "\n" + s.run("SELECT v FROM t WHERE id = 3");
  const std::string differences = s.run("SELECT differences FROM summary_verify('s')");
  if (differences != "0" && differences.substr(0, 5) != "error") out += "\nthe summary differs";
  return out;
}

using Workload = std::vector<std::string>;  // each statement list is one commit
const Workload kSmall = {
    "CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT, v BIGINT)",
    "CREATE INDEX s ON t USING SUMMARY (g) INCLUDE (v)",
    "INSERT INTO t VALUES (1,'a',10),(2,'b',20),(3,NULL,30)",
    "UPDATE t SET v = v + 1 WHERE id = 3",
    "BEGIN; DELETE FROM t WHERE id = 1; INSERT INTO t VALUES (1,'c',11); UPDATE t SET id = 4 WHERE id = 2; INSERT INTO t VALUES (2,'b',21); COMMIT",
    "UPDATE t SET v = v + 2 WHERE id = 3",
    "DELETE FROM t WHERE id = 2",
};
// As many bytes in each group: what is left of one fits exactly where another goes.
const Workload kEqual = {
    "CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT, v BIGINT); SET synchronous = normal",
    "INSERT INTO t VALUES (1,'a',10)", "INSERT INTO t VALUES (2,'b',20)", "INSERT INTO t VALUES (3,'c',30)", "UPDATE t SET v = 99 WHERE id = 2",
};

// Checkpoints between commits, two of them with nothing between, one of a state that lost rows; restore points come and go.
const Workload kCheckpoints = {
    kSmall[0], kSmall[1], kSmall[2], "CHECKPOINT", kSmall[3], kSmall[4], "CHECKPOINT", "CHECKPOINT", kSmall[5], "CREATE RESTORE POINT r", kSmall[6], "CHECKPOINT",
};

// digest after 0, 1, 2, ... of the workload
std::vector<std::string> prefixes(const Workload& workload) {
  Session model(in_memory());
  std::vector<std::string> out = {digest(model)};
  for (const std::string& sql : workload) {
    const std::string answer = model.run(sql);
    REQUIRE((answer == "" || answer == "error 0A000"));  // synchronous, which a memory database does not have
    out.push_back(digest(model));
  }
  return out;
}

// Runs until the machine stops. How many commits were acknowledged.
size_t run_until_crash(SimulatedFiles& files, const Workload& workload) {
  size_t acknowledged = 0;
  try {
    Session s(opened(files));
    for (const std::string& sql : workload) {
      if (s.run(sql) != "") break;
      ++acknowledged;
    }
  } catch (const Error&) {
    REQUIRE(acknowledged == 0);
  }
  return acknowledged;
}

struct Seen {
  uint64_t images = 0, cut = 0, in_flight = 0;
};

// The image opens, shows a prefix of at least `acknowledged` and at most one more than was asked for, and goes on from there.
size_t check_image(SimulatedFiles& image, const std::vector<std::string>& expected, size_t at_least, size_t at_most, Seen* seen) {
  ++seen->images;
  size_t found = 0;
  {
    Session s(opened(image));
    const std::string now = digest(s);
    for (found = at_least; found <= at_most && expected[found] != now; ++found) {}
    INFO("acknowledged " << at_least << ", at most " << at_most << ", found\n" << now);
    REQUIRE(found <= at_most);
    seen->cut += s.database().recovery().bytes_cut > 0;
    seen->in_flight += found > at_least;
  }
  return found;
}

// After a crash, writing goes on; what was cut does not come back, neither after another crash nor after closing.
void goes_on(SimulatedFiles& image) {
  std::string before;
  std::unique_ptr<SimulatedFiles> killed;
  {
    Session s(opened(image));
    before = s.run("SELECT * FROM t WHERE id <> 7 ORDER BY id");
    if (before.substr(0, 5) == "error") return;
    REQUIRE(s.run("INSERT INTO t VALUES (7,'z',70)") == "");
    killed = image.copy();
  }
  for (SimulatedFiles* files : {killed.get(), &image}) {
    Session s(opened(*files));
    REQUIRE(s.database().recovery().bytes_cut == 0);
    REQUIRE(s.run("SELECT * FROM t WHERE id <> 7 ORDER BY id") == before);
    REQUIRE(s.run("SELECT v FROM t WHERE id = 7") == "70");
  }
}

// How many calls the whole workload makes, closing included.
uint64_t calls_of(const Workload& workload) {
  SimulatedFiles files;
  REQUIRE(run_until_crash(files, workload) == workload.size());
  return files.calls();
}

}  // namespace

TEST_CASE("a crash at every call of the disk, and every image that it can leave, gives the committed prefix") {
  const auto expected = prefixes(kSmall);
  Seen seen;
  const uint64_t calls = calls_of(kSmall);
  for (uint64_t n = 1; n <= calls + 1; ++n) {
    SimulatedFiles files(n);
    files.crash_at(n);
    const size_t acknowledged = run_until_crash(files, kSmall);
    INFO("crash at call " << n << " of " << calls);
    files.for_each_image(60, [&](auto image) {
      check_image(*image, expected, acknowledged, std::min(acknowledged + 1, kSmall.size()), &seen);
      goes_on(*image);
    });
  }
  CAPTURE(seen.images, seen.cut, seen.in_flight);
  REQUIRE((seen.images > 300 && seen.cut > 30 && seen.in_flight > 10));
}

TEST_CASE("a crash at every call while checkpoints are made, and every image that it can leave, gives the committed prefix, which goes on") {
  const auto expected = prefixes(kCheckpoints);
  Seen seen;
  const uint64_t calls = calls_of(kCheckpoints);
  for (uint64_t n = 20; n <= calls + 1; ++n) {
    SimulatedFiles files(n);
    files.crash_at(n);
    const size_t acknowledged = run_until_crash(files, kCheckpoints);
    INFO("crash at call " << n << " of " << calls);
    files.for_each_image(10, [&](auto image) {
      check_image(*image, expected, acknowledged, std::min(acknowledged + 1, kCheckpoints.size()), &seen);
      const auto again = image->copy();
      goes_on(*image);
      // A checkpoint of what was found, and what comes behind it.
      std::string now;
      {
        Session s(opened(*again));
        REQUIRE(s.run("CHECKPOINT") == "");
        now = digest(s);
      }
      Session s(opened(*again));
      REQUIRE(s.database().recovery().groups == 0);
      REQUIRE(digest(s) == now);
    });
  }
  CAPTURE(calls, seen.images, seen.cut, seen.in_flight);
  REQUIRE((seen.images > 300 && seen.in_flight > 10));
}

TEST_CASE("a crash while recovering from a crash of a checkpoint, and while that is checkpointed, three deep") {
  const auto expected = prefixes(kCheckpoints);
  Seen seen;
  const uint64_t calls = calls_of(kCheckpoints);
  const Workload again = {"CHECKPOINT"};
  uint64_t deep = 0;
  for (uint64_t n = 30; n <= calls; n += 7) {
    SimulatedFiles files(n);
    files.crash_at(n);
    const size_t low = run_until_crash(files, kCheckpoints), high = std::min(low + 1, kCheckpoints.size());
    INFO("crash at call " << n << " of " << calls);
    files.for_each_image(2, [&](auto image) {
      for (uint64_t m = 2; m <= 60; m += 5) {
        const auto second = image->copy();
        second->crash_at(m);
        run_until_crash(*second, again);
        if (second->calls() < m) break;
        second->for_each_image(2, [&](auto third) {
          check_image(*third->copy(), expected, low, high, &seen);
          third->crash_at(3 + m / 2);
          run_until_crash(*third, again);
          third->for_each_image(1, [&](auto last) {
            ++deep;
            const size_t found = check_image(*last, expected, low, high, &seen);
            check_image(*last, expected, found, found, &seen);
          });
        });
      }
    });
  }
  CAPTURE(calls, seen.images, deep);
  REQUIRE((seen.images > 300 && deep > 100));
}

TEST_CASE("each call of a checkpoint fails in turn: the old state stands, the process goes on or says why not, and reopening agrees (case 25)") {
  uint64_t failed = 0, frozen = 0, met = 0;
  for (const auto& [fault, in_a_row] : {std::pair{Fault::kError, 1}, {Fault::kError, 3}, {Fault::kNoSpace, 1}, {Fault::kNoSpace, 4}, {Fault::kShort, 1}}) {
    for (uint64_t at = 1; at < 200; ++at) {
      SimulatedFiles files(at);
      INFO("fault " << static_cast<int>(fault) << " at call " << at << " of the checkpoint, " << in_a_row << " in a row");
      Session model(in_memory());
      std::string expected, perhaps;
      bool over = false;
      {
        Session s(opened(files));
        for (size_t i = 0; i < 5; ++i) REQUIRE(s.run(kSmall[i]) + model.run(kSmall[i]) == "");
        if (at % 2 == 0) REQUIRE(s.run("CHECKPOINT; " + kSmall[5]) + model.run(kSmall[5]) == "");
        expected = perhaps = digest(model);
        const uint64_t before = files.calls();
        for (int i = 0; i < in_a_row; ++i) files.fail_call(before + at + i, fault);
        const std::string answer = s.run("CHECKPOINT");
        REQUIRE((answer == "" || answer == "error 58030" || (answer == "error XX001" && in_a_row > 1)));  // two pages of a stripe cannot be read
        failed += answer != "";
        over = files.calls() < before + at;
        REQUIRE(digest(s) == expected);
        const std::string next = s.run("INSERT INTO t VALUES (7,'z',70)");
        model.run("INSERT INTO t VALUES (7,'z',70)");
        perhaps = digest(model);
        if (next == "") {
          expected = perhaps;
        } else {
          // Not written, or of unknown outcome, and said why.
          REQUIRE(next == "error 58030");
          ++frozen;
        }
        REQUIRE(digest(s) == expected);
      }
      met += files.faults_met();
      files.for_each_image(6, [&](auto image) {
        Session s(opened(*image));
        const std::string now = digest(s);
        REQUIRE((now == expected || now == perhaps));
        REQUIRE(s.run("INSERT INTO t VALUES (8,'z',70); CHECKPOINT") == "");
      });
      if (over) break;
    }
  }
  CAPTURE(failed, frozen, met);
  REQUIRE((failed > 40 && frozen > 3 && met > 60));
}

namespace {

// A directory with a database in it that processes are killed over.
class KilledProcess {
 public:
  explicit KilledProcess(const std::string& directory) : directory_(directory), path_(directory + "/k.holodb") {
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directory(directory_);
    Session(opened(PosixFiles::instance(), path_.c_str()))
        .run("CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT, v BIGINT); CREATE INDEX s ON t USING SUMMARY (g) INCLUDE (v)");
  }
  ~KilledProcess() { std::filesystem::remove_all(directory_); }

  // A child makes commits of two rows, half a transfer each, and tells each that it was told of; it is killed some time after `commits` of them, at no
  // particular place. All that were acknowledged must be there, and perhaps the one in flight. Returns the groups that were replayed.
  uint64_t kill(int commits, useconds_t later, bool checkpoints) {
    int pipe_ends[2];
    REQUIRE(pipe(pipe_ends) == 0);
    const pid_t child = fork();
    if (child == 0) run(pipe_ends[1], checkpoints);
    REQUIRE(child > 0);
    close(pipe_ends[1]);
    int64_t acknowledged = next - 1, id = 0;
    for (int i = 0; i < commits && read(pipe_ends[0], &id, sizeof id) == static_cast<ssize_t>(sizeof id); ++i) acknowledged = id;
    usleep(later);
    ::kill(child, SIGKILL);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status));
    while (read(pipe_ends[0], &id, sizeof id) == static_cast<ssize_t>(sizeof id)) acknowledged = id;
    close(pipe_ends[0]);
    Session s(opened(PosixFiles::instance(), path_.c_str()));
    const int64_t found = std::stoll(s.run("SELECT MAX(id) FROM t"));
    REQUIRE((found == acknowledged || found == acknowledged + 1));
    REQUIRE(found >= next);
    REQUIRE(s.run("SELECT COUNT(*), SUM(v), SUM(id) FROM t") == std::to_string(2 * found) + "|0|0");
    REQUIRE(s.run("SELECT differences FROM summary_verify('s')") == "0");
    next = found + 1;
    return s.database().recovery().groups;
  }

  int64_t next = 1;

 private:
  [[noreturn]] void run(int acknowledge, bool checkpoints) const {
    try {
      const auto database = opened(PosixFiles::instance(), path_.c_str());
      std::thread beside;
      if (checkpoints) {
        beside = std::thread([&] {
          Session c(database);
          for (;;) {
            if (c.run("CHECKPOINT") != "") _exit(3);
          }
        });
      }
      Session s(database);
      for (int64_t id = next;; ++id) {
        const std::string n = std::to_string(id);
        if (s.run("BEGIN; INSERT INTO t VALUES (" + n + ",'a'," + n + "),(-" + n + ",'b',-" + n + "); COMMIT") != "") _exit(1);
        if (write(acknowledge, &id, sizeof id) != static_cast<ssize_t>(sizeof id)) _exit(1);
      }
    } catch (...) {
      _exit(2);
    }
  }

  const std::string directory_, path_;
};

}  // namespace

TEST_CASE("a process that is killed while it makes checkpoints under load, and every commit that it was told of is there") {
  KilledProcess process("crash_test.k");
  uint64_t replayed = 0;
  for (int n = 0; n < 6; ++n) replayed += process.kill(5 + n * 4, static_cast<useconds_t>(100 + n * 977), true);
  REQUIRE(replayed < static_cast<uint64_t>(process.next));
}

TEST_CASE("a crash while recovering from a crash, twice") {
  const auto expected = prefixes(kSmall);
  Seen seen;
  const uint64_t calls = calls_of(kSmall);
  uint64_t depth_three = 0;
  for (uint64_t n = 20; n <= calls; n += 3) {
    SimulatedFiles files(n);
    files.crash_at(n);
    const size_t low = run_until_crash(files, kSmall), high = std::min(low + 1, kSmall.size());
    files.for_each_image(4, [&](auto image) {
      for (uint64_t m = 1; m <= 16; ++m) {
        const auto again = image->copy();
        again->crash_at(m);
        run_until_crash(*again, {});
        if (again->calls() < m) break;
        again->for_each_image(3, [&](auto second) {
          for (uint64_t k = 4; k <= 12; k += 4) {
            const auto third = second->copy();
            third->crash_at(k);
            run_until_crash(*third, {});
            third->for_each_image(1, [&](auto last) {
              ++depth_three;
              check_image(*last, expected, low, high, &seen);
            });
          }
          const size_t found = check_image(*second, expected, low, high, &seen);
          // Recovery makes up its mind once.
          check_image(*second, expected, found, found, &seen);
        });
      }
    });
  }
  REQUIRE((seen.images > 1000 && depth_three > 300));
}

TEST_CASE("without a sync for each commit a crash leaves a prefix, whatever the order in which the disk wrote, and nothing cut comes back") {
  const auto expected = prefixes(kEqual);
  Seen seen;
  uint64_t lost = 0;
  const uint64_t calls = calls_of(kEqual);
  for (uint64_t n = 20; n <= calls; ++n) {
    SimulatedFiles files(n);
    files.crash_at(n);
    const size_t acknowledged = run_until_crash(files, kEqual);
    if (acknowledged == 0) continue;
    INFO("crash at call " << n << " of " << calls);
    files.for_each_image(80, [&](auto image) {
      lost += check_image(*image, expected, 1, std::min(acknowledged + 1, kEqual.size()), &seen) < acknowledged;
      goes_on(*image);
    });
  }
  REQUIRE((seen.images > 200 && lost > 50));
}

TEST_CASE("each call fails in turn: the failed statement is undone, the rest goes on or says why not, and reopening agrees (case 25)") {
  uint64_t failed_statements = 0, unknown_outcomes = 0, met = 0;
  for (const auto& [fault, in_a_row] : {std::pair{Fault::kError, 1}, {Fault::kError, 2}, {Fault::kNoSpace, 1}, {Fault::kNoSpace, 3}, {Fault::kShort, 1}}) {
    const uint64_t calls = calls_of(kSmall) + 4;
    for (uint64_t n = 1; n <= calls; ++n) {
      SimulatedFiles files(n);
      for (int i = 0; i < in_a_row; ++i) files.fail_call(n + i, fault);
      INFO("fault " << static_cast<int>(fault) << " at call " << n << ", " << in_a_row << " in a row");
      Session model(in_memory()), other(in_memory());  // other: also what has an unknown outcome
      bool frozen = false;
      try {
        Session s(opened(files));
        for (const std::string& sql : kSmall) {
          const std::string answer = s.run(sql);
          const std::string error = s.error();
          if (answer != "") s.run("ROLLBACK");
          if (answer == "") {
            REQUIRE(!frozen);
            model.run(sql);
            other.run(sql);
          } else if (!frozen && error.find("outcome of this transaction is unknown") != std::string::npos) {
            frozen = true;
            ++unknown_outcomes;
            REQUIRE(answer == "error 58030");
            other.run(sql);
          } else {
            // Either the disk said no, or an earlier statement is missing.
            ++failed_statements;
            REQUIRE((answer == "error 58030" || answer == "error 42P01" || answer == "error 42704"));
            if (frozen && answer == "error 58030") REQUIRE(error.find("read-only since an earlier failure") != std::string::npos);
          }
          REQUIRE(digest(s) == digest(model));
        }
      } catch (const Error& e) {
        REQUIRE(std::string(e.sqlstate()) == "58030");
      }
      met += files.faults_met();
      const std::string sure = digest(model), perhaps = digest(other);
      files.for_each_image(12, [&](auto image) {
        Session s(opened(*image));
        const std::string now = digest(s);
        INFO("expected\n" << sure << "\nor\n" << perhaps << "\nfound\n" << now);
        REQUIRE((now == sure || now == perhaps));
        if (s.run("SELECT COUNT(*) FROM t").substr(0, 5) != "error") REQUIRE(s.run("INSERT INTO t VALUES (7,'z',70)") == "");
      });
    }
  }
  CAPTURE(failed_statements, unknown_outcomes, met);
  REQUIRE((failed_statements > 30 && unknown_outcomes >= 6 && met >= 150));
}

TEST_CASE("what a failed append has written is taken back at once") {
  for (const Fault fault : {Fault::kNoSpace, Fault::kError}) {
    SimulatedFiles files;
    {
      Session s(opened(files));
      REQUIRE(s.run("CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT, v BIGINT)") == "");
      const std::string log = files.contents(log_path(kPath));
      files.fail_call(files.calls() + 1, fault);
      REQUIRE(s.run("INSERT INTO t VALUES (1, '" + std::string(700, 'x') + "', 1)") == "error 58030");
      REQUIRE(files.contents(log_path(kPath)) == log);
      files.for_each_image(50, [&](auto image) { REQUIRE(image->contents(log_path(kPath)) == log); });
      REQUIRE(s.run("INSERT INTO t VALUES (2,'b',2)") == "");
    }
    Session s(opened(files));
    REQUIRE(s.database().recovery().bytes_cut == 0);
    REQUIRE(s.run("SELECT id FROM t") == "2");
  }
}

TEST_CASE("writers on several threads share syncs; the machine stops in the middle, and each finds what it was told of") {
  constexpr int kWriters = 4;
  for (uint64_t n : {60u, 90u, 150u, 260u}) {
    SimulatedFiles files(n);
    Session(opened(files)).run("CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT, v BIGINT)");
    std::array<std::atomic<int64_t>, kWriters> told{};
    {
      const auto database = opened(files);
      files.crash_at(files.calls() + n);
      std::vector<std::thread> threads;
      for (int w = 0; w < kWriters; ++w) {
        threads.emplace_back([&, w] {
          Session s(database);
          for (int64_t i = 1; i <= 200; ++i) {
            if (s.run("INSERT INTO t VALUES (" + std::to_string(w * 1000 + i) + ",'" + std::to_string(w) + "',1)") != "") return;
            told[w] = i;
          }
        });
      }
      // Whoever reads, reads what lasts.
      Session reader(database);
      const int64_t seen = std::stoll(reader.run("SELECT COUNT(*) FROM t"));
      for (std::thread& t : threads) t.join();
      const int64_t at_end = std::stoll(reader.run("SELECT COUNT(*) FROM t"));
      int64_t sum = 0;
      for (const auto& t : told) sum += t;
      REQUIRE((seen <= at_end && at_end >= sum && at_end <= sum + kWriters));
    }
    REQUIRE(files.for_each_image(20, [&](auto image) {
      Session s(opened(*image));
      for (int w = 0; w < kWriters; ++w) {
        const std::string range = " FROM t WHERE g = '" + std::to_string(w) + "'";
        const int64_t rows = std::stoll(s.run("SELECT COUNT(*)" + range));
        REQUIRE((rows >= told[w] && rows <= told[w] + 1));
        if (rows > 0) REQUIRE(s.run("SELECT MAX(id)" + range) == std::to_string(w * 1000 + rows));
      }
    }) > 0);
  }
}

TEST_CASE("a disk that flips bits, writes elsewhere or lies about a sync gives an error or a prefix of the history, never anything else") {
  const auto expected = prefixes(kSmall);
  uint64_t refused = 0, shorter = 0, whole = 0;
  for (const Fault fault : {Fault::kFlip, Fault::kMisdirect, Fault::kLie}) {
    const uint64_t calls = calls_of(kSmall);
    for (uint64_t n = 1; n <= calls; ++n) {
      SimulatedFiles files(n);
      files.fail_call(n, fault);
      INFO("fault " << static_cast<int>(fault) << " at call " << n);
      run_until_crash(files, kSmall);
      if (files.faults_met() == 0) continue;
      files.for_each_image(12, [&](auto image) {
        try {
          Session s(opened(*image));
          const auto at = std::find(expected.begin(), expected.end(), digest(s));
          REQUIRE(at != expected.end());
          const bool all = at - expected.begin() == static_cast<ptrdiff_t>(kSmall.size());
          ++(all ? whole : shorter);
        } catch (const Error& e) {
          REQUIRE((std::string(e.sqlstate()) == "58030" || std::string(e.sqlstate()) == "XX001"));
          ++refused;
        }
      });
    }
  }
  CAPTURE(refused, shorter, whole);
  REQUIRE((refused > 15 && shorter > 0 && whole > 15));
}

TEST_CASE("a read that goes wrong while recovering cuts nothing") {
  SimulatedFiles disk;
  run_until_crash(disk, kSmall);
  // As after a kill: no mark says that the last group was durable.
  const std::string log = disk.contents(log_path(kPath));
  disk.set_contents(log_path(kPath), log.substr(0, log.size() - kGroupHeaderBytes));
  const std::string before = disk.contents(log_path(kPath));
  for (const Fault fault : {Fault::kFlip, Fault::kError, Fault::kShort}) {
    for (uint64_t n = 1; n <= 14; ++n) {
      const auto files = disk.copy();
      files->fail_call(n, fault);
      INFO("fault " << static_cast<int>(fault) << " at call " << n);
      try {
        Session s(opened(*files));
        REQUIRE(s.run("SELECT COUNT(*) FROM t") == "3");
      } catch (const Error& e) {
        REQUIRE((std::string(e.sqlstate()) == "58030" || std::string(e.sqlstate()) == "XX001"));
      }
      REQUIRE(files->contents(log_path(kPath)).substr(0, before.size()) == before);
      const auto healthy = files->copy();
      Session s(opened(*healthy));
      REQUIRE(s.run("SELECT COUNT(*) FROM t") == "3");
    }
  }
}

TEST_CASE("a process that is killed under load: every commit that it was told of is there") {
  KilledProcess process("crash_test.d");
  for (int n = 0; n < 5; ++n) process.kill(3 + n * 5, static_cast<useconds_t>(100 + n * 371), false);
}
