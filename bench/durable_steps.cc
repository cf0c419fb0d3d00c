#include "bench/durable_steps.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <mutex>
#include <sstream>
#include <thread>

#include "bench/ledger_tables.h"
#include "bench/timing.h"
#include "include/holodb/holodb.hpp"
#include "pages/page_format.h"

namespace hdb::bench {
namespace {

constexpr uint64_t kDiskBytes = 256u << 20;
constexpr uint64_t kDiskPiece = 1u << 20;
constexpr int kDiskSyncs = 100;
constexpr int kWindows = 4;  // of a commit loop
constexpr const char* kInsert = "INSERT INTO invoices VALUES (?,?,?,?,?,?,?,?,?)";

std::string numbers(const std::vector<double>& values) {
  std::string text;
  char digits[32];
  for (const double value : values) {
    std::snprintf(digits, sizeof digits, "%.9g", value);
    text += (text.empty() ? "" : " ") + std::string(digits);
  }
  return text;
}

class Fd {
 public:
  Fd(const std::string& path, int flags) : fd_(open(path.c_str(), flags | O_CLOEXEC, 0600)) {
    if (fd_ < 0) throw PeerError(path + ": " + std::strerror(errno));
  }
  ~Fd() { close(fd_); }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  void write(uint64_t at, const std::string& bytes) const {
    if (pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(at)) != static_cast<ssize_t>(bytes.size())) throw PeerError("a write to the disk failed");
  }
  void read(uint64_t at, std::string& bytes) const {
    if (pread(fd_, bytes.data(), bytes.size(), static_cast<off_t>(at)) != static_cast<ssize_t>(bytes.size())) throw PeerError("a read from the disk failed");
  }
  void sync() const {
    if (fdatasync(fd_) != 0) throw PeerError("a sync failed");
  }
  void forget() const { posix_fadvise(fd_, 0, 0, POSIX_FADV_DONTNEED); }

 private:
  int fd_;
};

// An own loop of the same kind as a checkpoint's: pieces of 1 MiB one behind the other, one sync.
std::string disk(const std::string& directory) {
  const std::string path = directory + "/disk.rate";
  double write = 0, read = 0, sync = 0;
  {
    const Fd file(path, O_RDWR | O_CREAT | O_TRUNC);
    std::string piece(kDiskPiece, '\0');
    for (size_t i = 0; i < piece.size(); ++i) piece[i] = static_cast<char>(draw(i, 3));
    write = kDiskBytes / seconds_of([&] {
              for (uint64_t at = 0; at < kDiskBytes; at += kDiskPiece) file.write(at, piece);
              file.sync();
            });
    file.forget();
    read = kDiskBytes / seconds_of([&] {
             for (uint64_t at = 0; at < kDiskBytes; at += kDiskPiece) file.read(at, piece);
           });
    const std::string sector(4096, 'x');
    uint64_t at = kDiskBytes;
    sync = seconds_of([&] { file.write(at, sector), file.sync(), at += sector.size(); }, kDiskSyncs);
  }
  std::filesystem::remove(path);
  return numbers({write, read, sync});
}

std::string open_and_look(const std::string& path, int64_t key, bool cold) {
  if (cold) {
    for (const char* suffix : {"", "-log"}) Fd(path + suffix, O_RDONLY).forget();
  }
  std::unique_ptr<holodb::Database> database;
  std::unique_ptr<holodb::Connection> connection;
  int64_t found = 0;
  const double lookup = seconds_of([&] {
    database = std::make_unique<holodb::Database>(path);
    connection = std::make_unique<holodb::Connection>(*database);
    for (const holodb::Row row : connection->query("SELECT * FROM invoices WHERE invoice_id = ?", key)) found = row.get<int64_t>(0);
  });
  if (found != key) throw PeerError("the row of key " + std::to_string(key) + " was not found");
  const double scan = seconds_of([&] {
    for (const holodb::Row row : connection->query(kLedgerControl)) found = row.get<int64_t>(0);
  });
  const double resident = static_cast<double>(Memory::now().resident);
  database.release();  // this process ends as one that is killed does: without a checkpoint
  connection.release();
  return numbers({lookup, scan, resident});
}

template <class Statement>
void bind_invoice(Statement& statement, const shell::Ledger& ledger, uint64_t id) {
  int index = 0;
  for (const Value& value : invoice_values(ledger, id)) {
    ++index;
    if (const int64_t* integer = std::get_if<int64_t>(&value)) {
      statement.bind(index, *integer);
    } else {
      statement.bind(index, std::get<std::string_view>(value));
    }
  }
}

// A connection of either engine that inserts one row a commit.
class Committer {
 public:
  virtual ~Committer() = default;
  virtual void insert(const shell::Ledger& ledger, uint64_t id) = 0;
  virtual uint64_t count() = 0;
};

class HoloCommitter final : public Committer {
 public:
  explicit HoloCommitter(holodb::Database& database) : connection_(database), insert_(connection_.prepare(kInsert)) {}
  void insert(const shell::Ledger& ledger, uint64_t id) override {
    insert_.reset();
    bind_invoice(insert_, ledger, id);
    while (insert_.step()) {
    }
  }
  uint64_t count() override {
    uint64_t rows = 0;
    for (const holodb::Row row : connection_.query("SELECT COUNT(*) FROM invoices")) rows = static_cast<uint64_t>(row.get<int64_t>(0));
    return rows;
  }

 private:
  holodb::Connection connection_;
  holodb::Statement insert_;
};

// Writers wait for each other in a mutex of this process: SQLite's own way, to sleep and try again, is slower.
class SqliteCommitter final : public Committer {
 public:
  explicit SqliteCommitter(const std::string& path) {
    check(sqlite3_open_v2(path.c_str(), &db_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr));
    check(sqlite3_exec(db_, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 60000", nullptr, nullptr, nullptr));
    check(sqlite3_prepare_v2(db_, kInsert, -1, &insert_, nullptr));
  }
  ~SqliteCommitter() override {
    sqlite3_finalize(insert_);
    sqlite3_close(db_);
  }
  void bind(int index, int64_t value) { check(sqlite3_bind_int64(insert_, index, value)); }
  void bind(int index, std::string_view value) { check(sqlite3_bind_text(insert_, index, value.data(), static_cast<int>(value.size()), SQLITE_STATIC)); }
  void insert(const shell::Ledger& ledger, uint64_t id) override {
    bind_invoice(*this, ledger, id);
    {
      const std::lock_guard<std::mutex> turn(turn_);
      if (sqlite3_step(insert_) != SQLITE_DONE) check(SQLITE_ERROR);
    }
    check(sqlite3_reset(insert_));
  }
  uint64_t count() override {
    sqlite3_stmt* query = nullptr;
    check(sqlite3_prepare_v2(db_, "SELECT COUNT(*) FROM invoices", -1, &query, nullptr));
    if (sqlite3_step(query) != SQLITE_ROW) check(SQLITE_ERROR);
    const auto rows = static_cast<uint64_t>(sqlite3_column_int64(query, 0));
    sqlite3_finalize(query);
    return rows;
  }

 private:
  void check(int code) {
    if (code != SQLITE_OK) throw PeerError(std::string("SQLite: ") + (db_ == nullptr ? "out of memory" : sqlite3_errmsg(db_)));
  }
  static inline std::mutex turn_;
  sqlite3* db_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
};

// Runs `work(committer, thread)` of all at once; the first that throws is thrown.
template <class Work>
void at_once(std::vector<std::unique_ptr<Committer>>& committers, Work&& work) {
  std::vector<std::thread> threads;
  std::exception_ptr failed;
  std::mutex mutex;
  for (auto& one : committers) {
    threads.emplace_back([&] {
      try {
        work(*one);
      } catch (...) {
        const std::lock_guard<std::mutex> hold(mutex);
        failed = std::current_exception();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  if (failed) std::rethrow_exception(failed);
}

std::string commits(const shell::Ledger& ledger, const std::string& engine, const std::string& path, int connections, double seconds) {
  std::unique_ptr<holodb::Database> database;
  if (engine == "holodb") database = std::make_unique<holodb::Database>(path);
  std::vector<std::unique_ptr<Committer>> committers;
  for (int i = 0; i < connections; ++i) {
    if (database != nullptr) {
      committers.push_back(std::make_unique<HoloCommitter>(*database));
    } else {
      committers.push_back(std::make_unique<SqliteCommitter>(path));
    }
  }
  const uint64_t before = committers[0]->count();
  std::atomic<uint64_t> made{0};
  Loop loop;
  for (int window = -1; window < kWindows; ++window) {
    const uint64_t start = made;
    const Clock clock;
    at_once(committers, [&](Committer& one) {
      while (clock.seconds() < seconds / kWindows) one.insert(ledger, before + ++made);
    });
    if (window >= 0) loop.samples.push_back(clock.seconds() / static_cast<double>(made - start));
  }
  const uint64_t found = committers[0]->count();
  if (found != before + made) throw PeerError(engine + ": " + std::to_string(made) + " commits were acknowledged, and " + std::to_string(found - before) + " rows are there");
  return loop.to_text();
}

std::string tail(const shell::Ledger& ledger, const std::string& path, uint64_t count) {
  auto database = std::make_unique<holodb::Database>(path);
  auto connection = std::make_unique<holodb::Connection>(*database);
  connection->execute("SET synchronous = off");
  connection->execute("SET checkpoint_log = off");
  HoloCommitter committer(*database);
  const uint64_t before = committer.count();
  uint64_t next = before;
  const double seconds = seconds_of([&] { committer.insert(ledger, ++next); }, count) * static_cast<double>(count);
  connection->execute("SET synchronous = full");
  committer.insert(ledger, ++next);  // and with it everything before it is on the disk
  database.release();
  connection.release();
  return numbers({seconds});
}

std::string check_database(const std::string& path) {
  const holodb::Database database(path);
  holodb::Connection connection(database);
  int64_t findings = 0;
  const double seconds = seconds_of([&] {
    for (const holodb::Row row : connection.query("CHECK DATABASE")) findings += row.get<int64_t>(2);
  });
  return numbers({seconds, static_cast<double>(findings)});
}

std::string damage(const std::string& path, uint64_t every) {
  const PageOptions pages;
  const uint64_t stripe = uint64_t{pages.page_bytes} * (pages.data_pages + 1);
  const uint64_t size = std::filesystem::file_size(path);
  const Fd file(path, O_RDWR);
  uint64_t count = 0;
  std::string byte(1, '\0');
  for (uint64_t at = kStripesAt + pages.page_bytes + 1000; at < size; at += stripe * every, ++count) {
    file.read(at, byte);
    byte[0] = static_cast<char>(byte[0] ^ 4);
    file.write(at, byte);
  }
  return numbers({static_cast<double>(count)});
}

}  // namespace

Worker::Handler durable_steps(const Options& options) {
  const auto ledger = std::make_shared<shell::Ledger>(std::max<uint64_t>(options.rows / kSmallPart, 100));  // of the tables that grow
  return [ledger](const std::string& command) -> std::string {
    std::istringstream in(command);
    std::string verb, path;
    in >> verb >> path;
    if (verb == "disk") return disk(path);
    if (verb == "check") return check_database(path);
    if (verb == "commits") {
      std::string file;
      int connections = 0;
      double seconds = 0;
      in >> file >> connections >> seconds;
      return commits(*ledger, path, file, connections, seconds);
    }
    uint64_t number = 0;
    int cold = 0;
    in >> number;
    if (verb == "tail") return tail(*ledger, path, number);
    if (verb == "damage") return damage(path, number);
    in >> cold;
    if (verb == "open") return open_and_look(path, static_cast<int64_t>(number), cold != 0);
    throw PeerError("there is no step " + verb);
  };
}

}  // namespace hdb::bench
