// kills: a real process under load is killed, again and again; a record of what it was told, kept outside of it, says what must be there afterwards.
//
// What:       each kill starts this program anew as a worker over the same file. Its connections commit side by side, and tell each commit that was
//             acknowledged through a pipe; one of them makes checkpoints, restore points and backups meanwhile. After SIGKILL at a moment drawn from
//             the seed (sometimes while the file is still being opened), the file is opened here: every acknowledged commit is there in full, at most the
//             one in flight of each connection besides, nothing else; summaries and pages check; acknowledged backups and restore points hold.
// Invariants checked: C4, C12, C13, C14, K1 of src/engine/checkpoint.h, D1 of src/engine/database_file.h.
// Usage:      kills [--count N] [--seed N] [--directory DIR]. The last line is "N passed, N failed"; a failure names its seed and keeps its files.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "holodb/holodb.hpp"

namespace {

namespace fs = std::filesystem;

constexpr int kWriters = 3;
constexpr int64_t kStride = 1'000'000'000;   // ids of writer w: w * kStride + n, and their negatives
constexpr int kAcknowledge = 3;              // the pipe's number in the worker
constexpr int kKillsAFile = 25;
constexpr int64_t kBackup = 100, kRestorePoint = 101;  // who tells, beside the writers

struct Told {
  int64_t who = 0, number = 0;
};

// What commit n of a writer does besides inserting its pair: every fifth removes the pair before the last, every seventh changes its own.
bool removes(int64_t n) { return n % 5 == 0 && n > 2; }
bool is_removed(int64_t n, int64_t last) { return (n + 2) % 5 == 0 && n > 0 && n + 2 <= last; }
int64_t value_of(int64_t n) { return n % 7 == 0 ? 2 * n : n; }

void tell(int64_t who, int64_t number) {
  const Told told{who, number};
  if (write(kAcknowledge, &told, sizeof told) != static_cast<ssize_t>(sizeof told)) _exit(4);
}

// Of the only row's only column; NULL reads as 0.
int64_t number(holodb::Connection& c, const std::string& sql) {
  int64_t value = 0;
  for (const holodb::Row row : c.query(sql)) value = row.is_null(0) ? 0 : row.get<int64_t>(0);
  return value;
}

void write_on(holodb::Database& database, int64_t writer) {
  holodb::Connection c(database);
  holodb::Statement insert = c.prepare("INSERT INTO t VALUES (?, ?, ?), (?, ?, ?)"), change = c.prepare("UPDATE t SET v = v * 2 WHERE id = ? OR id = ?"),
                    remove = c.prepare("DELETE FROM t WHERE id = ? OR id = ?"), count = c.prepare("UPDATE counters SET n = ? WHERE w = ?");
  for (int64_t n = number(c, "SELECT n FROM counters WHERE w = " + std::to_string(writer)) + 1;; ++n) {
    const int64_t id = writer * kStride + n;
    for (;;) {
      try {
        holodb::Transaction t(c);
        count.execute(n, writer);
        insert.execute(id, "a" + std::to_string(writer), n, -id, "b", -n);
        if (n % 7 == 0) change.execute(id, -id);
        if (removes(n)) remove.execute(id - 2, -(id - 2));
        t.commit();
        break;
      } catch (const holodb::Error& e) {
        if (e.sqlstate() != "40001" && e.sqlstate() != "55P03") throw;  // the turn went to another one
      }
    }
    tell(writer, n);
  }
}

// Checkpoints all the time; now and then a restore point, which takes the place of the one before, or a backup.
void maintain(holodb::Database& database, const std::string& directory, uint64_t seed) {
  holodb::Connection c(database);
  std::mt19937_64 random(seed);
  int64_t points = number(c, "SELECT n FROM counters WHERE w = 0");
  for (int64_t n = 0;; ++n) {
    c.execute("CHECKPOINT");
    if (random() % 4 == 0) {
      c.execute("UPDATE counters SET n = ? WHERE w = 0", ++points);
      c.execute("CREATE RESTORE POINT p" + std::to_string(points));
      tell(kRestorePoint, points);
      std::vector<std::string> old;
      for (const holodb::Row row : c.query("SHOW RESTORE POINTS")) old.push_back(row.get<std::string>(0));
      for (const std::string& name : old) {
        if (name != "p" + std::to_string(points)) c.execute("DROP RESTORE POINT " + name);
      }
    }
    if (random() % 6 == 0) {
      const auto id = static_cast<int64_t>(random() % 1'000'000'000);
      c.execute("BACKUP TO '" + directory + "/backup" + std::to_string(id) + "'");
      tell(kBackup, id);
    }
  }
}

[[noreturn]] void work(const std::string& directory, uint64_t seed) {
  try {
    static holodb::Database database(directory + "/k.holodb");
    {
      holodb::Connection c(database);
      if (seed % 2 == 0) c.execute("SET checkpoint_log = '32kB'");
      if (seed % 5 == 1) c.execute("SET synchronous = normal");  // a process that is killed loses nothing that it has written
    }
    std::vector<std::thread> threads;
    const auto start = [&](auto body) {
      threads.emplace_back([body] {
        try {
          body();
        } catch (const std::exception& e) {
          std::fprintf(stderr, "worker: %s\n", e.what());
          _exit(5);
        }
      });
    };
    for (int64_t w = 1; w <= kWriters; ++w) start([w] { write_on(database, w); });
    if (seed % 3 != 0) start([&] { maintain(database, directory, seed); });
    for (auto& thread : threads) thread.join();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "worker: %s\n", e.what());
  }
  _exit(6);
}

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what); }

// Rows of writer w after its commits 1..last, as "id|v" in the order of ids.
std::string rows_after(int64_t writer, int64_t last) {
  std::string text;
  const auto row = [&](int64_t id, int64_t v) { text += std::to_string(id) + "|" + std::to_string(v) + "\n"; };
  for (int64_t n = last; n > 0; --n) {
    if (!is_removed(n, last)) row(-(writer * kStride + n), -value_of(n));
  }
  for (int64_t n = 1; n <= last; ++n) {
    if (!is_removed(n, last)) row(writer * kStride + n, value_of(n));
  }
  return text;
}

// A state is one in which each writer has made a whole number of commits. Returns how many.
std::array<int64_t, kWriters + 1> check_state(holodb::Connection& c, const std::string& where) {
  std::array<int64_t, kWriters + 1> made{};
  int64_t rows = 0;
  for (int64_t w = 1; w <= kWriters; ++w) {
    made[static_cast<size_t>(w)] = number(c, "SELECT n FROM counters WHERE w = " + std::to_string(w));
    const std::string low = std::to_string(w * kStride), high = std::to_string((w + 1) * kStride);
    std::string found;
    for (const holodb::Row row : c.query("SELECT id, v FROM t WHERE id >= " + low + " AND id < " + high + " OR id <= -" + low + " AND id > -" + high + " ORDER BY id")) {
      found += std::to_string(row.get<int64_t>(0)) + "|" + std::to_string(row.get<int64_t>(1)) + "\n";
      ++rows;
    }
    if (found != rows_after(w, made[static_cast<size_t>(w)])) fail(where + ": the rows of writer " + std::to_string(w) + " are not those of its first " +
                                                                    std::to_string(made[static_cast<size_t>(w)]) + " commits");
  }
  if (number(c, "SELECT COUNT(*) FROM t") != rows || number(c, "SELECT SUM(v) FROM t") != 0) fail(where + ": the totals are not those of the rows");
  if (number(c, "SELECT differences FROM summary_verify('s')") != 0) fail(where + ": the summary differs from its rebuild");
  return made;
}

class Killed {
 public:
  Killed(std::string program, std::string directory) : program_(std::move(program)), directory_(std::move(directory)) { anew(); }

  // A directory of its own, a database without rows.
  void anew() {
    fs::remove_all(directory_);
    fs::create_directories(directory_);
    told_ = {};
    const holodb::Database database(path());
    holodb::Connection c(database);
    c.execute("CREATE TABLE t(id BIGINT PRIMARY KEY, side TEXT, v BIGINT)");
    c.execute("CREATE TABLE counters(w BIGINT PRIMARY KEY, n BIGINT)");
    c.execute("INSERT INTO counters VALUES (0,0),(1,0),(2,0),(3,0)");
    c.execute("CREATE INDEX s ON t USING SUMMARY (side) INCLUDE (v)");
  }

  // Returns the commits that were acknowledged.
  int64_t kill(uint64_t seed) {
    std::mt19937_64 random(seed);
    const bool early = seed % 8 == 7;  // while it is being opened
    const auto micros = std::chrono::microseconds(early ? random() % 15'000 : 20'000 + random() % 120'000);
    std::map<int64_t, std::vector<int64_t>> told;
    run_and_kill(seed, micros, early, told);
    int64_t commits = 0;
    for (int64_t w = 1; w <= kWriters; ++w) {
      commits += static_cast<int64_t>(told[w].size());
      if (!told[w].empty()) told_[static_cast<size_t>(w)] = told[w].back();
    }
    check(told);
    return commits;
  }
  std::string path() const { return directory_ + "/k.holodb"; }

 private:
  void run_and_kill(uint64_t seed, std::chrono::microseconds later, bool early, std::map<int64_t, std::vector<int64_t>>& told) const {
    int ends[2];
    if (pipe(ends) != 0) fail("pipe");
    const std::string number = std::to_string(seed);
    const pid_t child = fork();
    if (child < 0) fail("fork");
    if (child == 0) {
      if (ends[1] != kAcknowledge) dup2(ends[1], kAcknowledge);
      if (ends[0] != kAcknowledge) close(ends[0]);
      execl(program_.c_str(), program_.c_str(), "--worker", directory_.c_str(), number.c_str(), static_cast<char*>(nullptr));
      _exit(7);
    }
    close(ends[1]);
    std::atomic<bool> begun{false};
    std::thread reader([&] {  // the record: what the worker was told, whatever happens to it
      Told one;
      while (read(ends[0], &one, sizeof one) == static_cast<ssize_t>(sizeof one)) {
        told[one.who].push_back(one.number);
        begun = true;
      }
    });
    const auto start = std::chrono::steady_clock::now();
    int status = 0;
    while (!early && !begun && std::chrono::steady_clock::now() - start < std::chrono::seconds(20) && waitpid(child, &status, WNOHANG) == 0) usleep(500);
    std::this_thread::sleep_for(later);
    ::kill(child, SIGKILL);
    const bool reaped = waitpid(child, &status, 0) == child;
    reader.join();
    close(ends[0]);
    if (!reaped || !WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL) fail("the worker ended by itself, status " + std::to_string(status));
  }

  void check(const std::map<int64_t, std::vector<int64_t>>& told) {
    const holodb::Database database(path());
    holodb::Connection c(database);
    const auto made = check_state(c, "the file");
    for (size_t w = 1; w <= kWriters; ++w) {
      if (made[w] < told_[w] || made[w] > told_[w] + 1)
        fail("writer " + std::to_string(w) + " was told of " + std::to_string(told_[w]) + " commits, and there are " + std::to_string(made[w]));
      told_[w] = made[w];
    }
    for (const holodb::Row row : c.query("CHECK DATABASE")) {
      if (row.get<int64_t>(2) != 0) fail("CHECK DATABASE: " + row.get<std::string>(3));
    }
    check_points(c, told);
    for (const auto& entry : fs::directory_iterator(directory_)) check_backup(entry.path().string(), told, made);
    // The next worker finds a file that somebody has gone on with.
    c.execute("UPDATE counters SET n = n WHERE w = 0");
  }

  // The newest restore point that was told of is there, and nothing but it and the one that was being made.
  static void check_points(holodb::Connection& c, const std::map<int64_t, std::vector<int64_t>>& told) {
    std::vector<std::string> names;
    for (const holodb::Row row : c.query("SHOW RESTORE POINTS")) names.push_back(row.get<std::string>(0));
    if (const auto points = told.find(kRestorePoint); points != told.end()) {
      const std::string last = "p" + std::to_string(points->second.back()), next = "p" + std::to_string(points->second.back() + 1);
      bool there = false;
      for (const std::string& name : names) there = there || name == last || name == next;
      if (!there) fail("the restore point " + last + " was made, and is not there");
    }
    if (names.size() > 3) fail("there are " + std::to_string(names.size()) + " restore points");
  }

  // One that was told of is a whole database of some moment; of one that broke off nothing bears its name.
  static void check_backup(const std::string& file, const std::map<int64_t, std::vector<int64_t>>& told, const std::array<int64_t, kWriters + 1>& made) {
    const std::string name = fs::path(file).filename().string();
    if (name.rfind("backup", 0) != 0) return;
    if (name.find("-new") == std::string::npos && name.find("-log") == std::string::npos) {
      const holodb::Database database(file, holodb::Database::kReadOnly);
      holodb::Connection c(database);
      const auto then = check_state(c, "the backup " + name);
      for (size_t w = 1; w <= kWriters; ++w) {
        if (then[w] > made[w]) fail("the backup " + name + " has commits that the database does not have");
      }
    } else if (const auto backups = told.find(kBackup); name.find("-new") != std::string::npos && backups != told.end()) {
      for (const int64_t id : backups->second) {
        if (name.rfind("backup" + std::to_string(id) + "-", 0) == 0) fail("the backup " + std::to_string(id) + " was made, and " + name + " is left");
      }
    }
  }

 public:
  void remove_backups() const {
    std::vector<fs::path> old;
    for (const auto& entry : fs::directory_iterator(directory_)) {
      if (entry.path().filename().string().rfind("backup", 0) == 0) old.push_back(entry.path());
    }
    for (const fs::path& path : old) fs::remove(path);
  }

 private:
  std::string program_, directory_;
  std::array<int64_t, kWriters + 1> told_{};
};

int run(const std::string& program, uint64_t count, uint64_t seed, const std::string& directory) {
  uint64_t passed = 0, failed = 0;
  int64_t commits = 0;
  std::unique_ptr<Killed> killed;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t one = seed + i;
    try {
      if (killed == nullptr) killed = std::make_unique<Killed>(program, directory);
      else if (i % kKillsAFile == 0) killed->anew();
      commits += killed->kill(one);
      killed->remove_backups();
      ++passed;
    } catch (const std::exception& e) {
      ++failed;
      const std::string kept = directory + ".failed" + std::to_string(one);
      std::error_code ignored;
      fs::rename(directory, kept, ignored);
      std::printf("FAIL suite=kills case=%llu invariant=C4 seed=%llu kind=wrong-result\n  %s; its files are in %s\n", static_cast<unsigned long long>(i),
                  static_cast<unsigned long long>(one), e.what(), kept.c_str());
      killed.reset();
    }
  }
  std::error_code ignored;
  killed.reset();
  fs::remove_all(directory, ignored);
  std::printf("%lld commits were acknowledged\n", static_cast<long long>(commits));
  if (commits == 0) ++failed;  // nothing was tried
  std::printf("%llu passed, %llu failed\n", static_cast<unsigned long long>(passed), static_cast<unsigned long long>(failed));
  return failed == 0 && passed > 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::strcmp(argv[1], "--worker") == 0) work(argv[2], std::strtoull(argv[3], nullptr, 10));
  uint64_t count = 20, seed = 1;
  std::string directory = "kills.d";
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (i + 1 == argc || (option != "--count" && option != "--seed" && option != "--directory")) {
      std::fprintf(stderr, "usage: kills [--count N] [--seed N] [--directory DIR]\n");
      return 2;
    }
    const char* value = argv[++i];
    if (option == "--directory") directory = value;
    else (option == "--count" ? count : seed) = std::strtoull(value, nullptr, 10);
  }
  try {
    return run(fs::read_symlink("/proc/self/exe").string(), count, seed, directory);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "kills: %s\n", e.what());
    return 1;
  }
}
