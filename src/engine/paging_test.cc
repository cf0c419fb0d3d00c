// Invariants checked: B1 to B6: block columns of a database file come in when they are asked for and leave when memory is wanted, beside readers with
// older snapshots, a writer, checkpoints that move them, and a restore; what cannot be read is an error of the statement.
#include <catch2/catch.hpp>

#include <atomic>
#include <thread>

#include "engine/checkpoint.h"
#include "engine/database_file.h"
#include "engine/test_sql.h"
#include "io/memory_files.h"

using namespace hdb;
using hdb::testing::Session;

namespace {

constexpr const char* kPath = "x.holodb";
const std::string kLog = "x.holodb-log";
constexpr const char* kTable = "CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT, v BIGINT, w BIGINT, r DOUBLE); ";

std::shared_ptr<Database> opened(FileSystem& files, uint64_t cache = UINT64_MAX, bool read_only = false) {
  DatabaseOptions options;
  options.single_thread = true;
  options.read_only = read_only;
  options.column_cache = cache;
  return open_database(files, kPath, options);
}
void fill(Session& s, int rows) {
  REQUIRE(s.run("INSERT INTO t VALUES (1,'g1',1,NULL,0.5)") == "");
  for (int n = 1; n < rows; n *= 2) {
    const std::string by = std::to_string(n), last = std::to_string(rows - n);
    REQUIRE(s.run("INSERT INTO t SELECT id + " + by + ", 'g' || (id % 7), id, CASE WHEN id % 5 <> 0 THEN id * 1000003 END, id / 4.0 FROM t WHERE id <= " + last) == "");
  }
}
ColumnCache::Figures figures(Session& s) { return s.database().columns()->figures(); }

// Every row, by scans.
const std::vector<std::string> kScans = {"SELECT COUNT(*), SUM(v), SUM(w), COUNT(w) FROM t WHERE id % 3 = 1",
                                         "SELECT g, COUNT(*), SUM(w), MIN(v), MAX(v) FROM t GROUP BY g ORDER BY g",
                                         "SELECT SUM(r) FROM t WHERE v % 2 = 0", "SELECT id, g, v, w, r FROM t WHERE id % 9973 = 5 ORDER BY id"};
std::string scans(Session& s) {
  std::string all;
  for (const std::string& q : kScans) all += s.run(q) + "\n--\n";
  return all;
}
void require_sound(Session& s) {
  const std::string rows = s.run("CHECK DATABASE");
  INFO(rows << s.error());
  REQUIRE(rows.substr(0, 5) != "error");
  for (size_t at = 0; at < rows.size();) {
    const size_t end = std::min(rows.find('\n', at), rows.size());
    REQUIRE(rows.substr(end - 7, 7) == "|0|NULL");
    at = end + 1;
  }
}

}  // namespace

TEST_CASE("opening reads heads alone: columns come in when they are asked for, and all rows are those that were written") {
  MemoryFiles files;
  std::string want;
  {
    Session s(opened(files));
    REQUIRE(s.run(kTable) == "");
    fill(s, 60'000);
    want = scans(s);
    REQUIRE(s.run("CHECKPOINT") == "");
    REQUIRE(scans(s) == want);
    REQUIRE(figures(s).clean_bytes > 500'000);  // the checkpoint gave them homes
    REQUIRE(figures(s).read == 0);
  }
  Session s(opened(files));
  REQUIRE(figures(s).read == 0);
  REQUIRE(s.run("SELECT COUNT(*), SUM(v) FROM t").substr(0, 6) == "60000|");  // from the heads
  REQUIRE(figures(s).read == 0);
  REQUIRE(s.run("SELECT v, g FROM t WHERE id = 59999") == "27231|g1");
  const uint64_t by_key = figures(s).read;
  REQUIRE(by_key > 0);
  REQUIRE(by_key <= 5);
  REQUIRE(s.run("UPDATE t SET v = v + 1 WHERE id = 5; UPDATE t SET v = v - 1 WHERE id = 5") == "");
  REQUIRE(scans(s) == want);
  REQUIRE(figures(s).left == 0);
  require_sound(s);
  // What is not changed any more is read again after the next checkpoint, too.
  REQUIRE(s.run("SET column_cache = 1; CHECKPOINT") == "");
  REQUIRE(figures(s).clean_bytes < 500'000);  // of the block whose last entries are still there
  REQUIRE(scans(s) == want);
  REQUIRE(figures(s).left > 20);
  REQUIRE(s.run("SHOW column_cache") == "1");
  REQUIRE(s.run("SET column_cache = 'much'") == "error 22023");
  REQUIRE(s.run("SET column_cache = DEFAULT; SHOW column_cache") == "unlimited");
}

TEST_CASE("data larger than memory_limit: scans answer as if all were there, and what does not fit is an error that harms nothing") {
  MemoryFiles files;
  std::string want;
  uint64_t all = 0;
  {
    Session s(opened(files));
    REQUIRE(s.run(kTable) == "");
    fill(s, 150'000);
    want = scans(s);
    all = s.database().budget().used();
  }
  Session s(opened(files));
  REQUIRE(s.run("CHECKPOINT") == "");
  REQUIRE(s.run("SET memory_limit = " + std::to_string(all / 3)) == "");
  REQUIRE(s.database().budget().used() <= all / 3);
  for (int i = 0; i < 3; ++i) REQUIRE(scans(s) == want);
  REQUIRE(s.database().budget().used() <= all / 3);
  REQUIRE(figures(s).left > 50);
  // A block that a transaction changes is here as a whole until it ends, and what it has changed until a checkpoint has it.
  REQUIRE(s.run("UPDATE t SET v = v + 1 WHERE id < 5; UPDATE t SET v = v - 1 WHERE id < 5") == "");
  REQUIRE(s.run("UPDATE t SET v = v + 1, w = w + 1, r = r + 1") == "error 53200");
  REQUIRE(scans(s) == want);
  REQUIRE(s.run("SET memory_limit = 100000; SELECT SUM(w) FROM t WHERE v > 10") == "error 53200");
  REQUIRE(s.run("SET memory_limit = " + std::to_string(all / 3)) == "");
  REQUIRE(scans(s) == want);
  require_sound(s);
}

TEST_CASE("columns that leave at once: uncommitted changes, rollbacks, older snapshots, and checkpoints that move what nobody has changed") {
  MemoryFiles files;
  Session s(opened(files, 0)), old(s.database_ptr()), other(s.database_ptr());
  REQUIRE(s.run(kTable) == "");
  fill(s, 40'000);
  REQUIRE(s.run("CHECKPOINT") == "");
  const std::string before = scans(s);
  REQUIRE(old.run("BEGIN") == "");
  REQUIRE(scans(old) == before);
  // The writer's rows stay, in columns that it changed and in those that it did not.
  REQUIRE(s.run("BEGIN; UPDATE t SET w = -id WHERE id % 3 = 0; DELETE FROM t WHERE id % 7 = 0; INSERT INTO t VALUES (-1, 'new', 1, 2, 3)") == "");
  const std::string mine = scans(s);
  REQUIRE(mine != before);
  REQUIRE(scans(other) == before);
  REQUIRE(other.run("CHECKPOINT") == "");
  REQUIRE(scans(other) == before);
  REQUIRE(scans(s) == mine);
  REQUIRE(s.run("ROLLBACK") == "");
  REQUIRE(scans(s) == before);
  require_sound(s);
  REQUIRE(s.run("UPDATE t SET w = -id WHERE id % 3 = 0; DELETE FROM t WHERE id % 7 = 0; INSERT INTO t VALUES (-1, 'new', 1, 2, 3)") == "");
  // Many roots later the old snapshot is what it was: rows that have gone are in no object any more, and places have been written over.
  for (int i = 0; i < 12; ++i) {
    REQUIRE(s.run("UPDATE t SET v = v + 1 WHERE id = " + std::to_string(1 + i * 3001) + "; CHECKPOINT; UPDATE t SET v = v - 1 WHERE id = " + std::to_string(1 + i * 3001)) == "");
    REQUIRE(scans(old) == before);
    REQUIRE(scans(s) == mine);
  }
  REQUIRE(s.run("CREATE TABLE filler(a BIGINT, b TEXT); INSERT INTO filler SELECT id * 12345677, 'x' || id FROM t; CHECKPOINT; DROP TABLE filler; CHECKPOINT; CHECKPOINT") == "");
  REQUIRE(scans(old) == before);
  REQUIRE(old.run("COMMIT") == "");
  REQUIRE(scans(s) == mine);
  // A table that is dropped is still there for who sees it, from pages that no root names.
  REQUIRE(s.run("CHECKPOINT") == "");
  REQUIRE(old.run("BEGIN; SELECT COUNT(*) FROM t").size() == 5);
  REQUIRE(s.run("DROP TABLE t; CHECKPOINT; CREATE TABLE u(a BIGINT, b TEXT)") == "");
  for (int i = 0; i < 8; ++i) REQUIRE(s.run("DELETE FROM u; INSERT INTO u VALUES (" + std::to_string(i) + ", '" + std::string(200'000, 'x') + "'); CHECKPOINT") == "");
  REQUIRE(scans(old) == mine);
  REQUIRE(old.run("COMMIT; SELECT 1 FROM t") == "error 42P01");
}

TEST_CASE("columns that leave at once, beside readers, a writer, checkpoints and restores") {
  MemoryFiles files;
  const auto database = opened(files, 1);
  Session s(database);
  REQUIRE(s.run(kTable) == "");
  fill(s, 40'000);
  REQUIRE(s.run("CREATE RESTORE POINT start; CREATE INDEX s ON t USING SUMMARY (g) INCLUDE (v)") == "");
  const std::string sum = s.run("SELECT SUM(v), COUNT(*) FROM t WHERE r >= 0");
  std::atomic<bool> stop{false};
  std::atomic<int> bad{0}, reads{0};
  // Transfers within one transaction, and rows that stay: the sum is the same at every commit, before and after a restore.
  std::thread writer([&] {
    Session w(database);
    for (int i = 0; !stop; ++i) {
      const std::string a = std::to_string(1 + i * 7919 % 39'000), b = std::to_string(1 + i * 104'729 % 39'000), n = std::to_string(i * 1003LL);
      const std::string end = i % 5 == 4 ? "ROLLBACK" : "COMMIT", from = "UPDATE t SET v = v - " + n + ", g = 'h" + std::to_string(i % 50) + "' WHERE id = " + a;
      const std::string r = w.run("BEGIN; " + from + "; UPDATE t SET v = v + " + n + " WHERE id = " + b + "; " + end);
      if (r != "") {
        if (r != "error 40001") ++bad;
        w.run("ROLLBACK");
      }
    }
  });
  std::vector<std::thread> readers;
  for (int k = 0; k < 2; ++k) {
    readers.emplace_back([&, k] {
      Session r(database);
      while (!stop) {
        r.run("BEGIN; SET summary_mode = off");
        const std::string groups = r.run("SELECT g, SUM(v), COUNT(*) FROM t GROUP BY g ORDER BY g");
        if (r.run("SELECT SUM(v), COUNT(*) FROM t WHERE r >= 0") != sum) ++bad;
        if (k == 0) r.run("SET summary_mode = auto");
        if (r.run("SELECT g, SUM(v), COUNT(*) FROM t GROUP BY g ORDER BY g") != groups) ++bad;
        r.run("COMMIT");
        ++reads;
      }
    });
  }
  for (int i = 0; i < 20 || reads < 20; ++i) {
    REQUIRE(s.run("CHECKPOINT") == "");
    if (i % 7 == 6) REQUIRE(s.run("RESTORE TO start") == "");
    if (i % 7 == 3) REQUIRE(s.run("CREATE RESTORE POINT p" + std::to_string(i) + "; DROP RESTORE POINT p" + std::to_string(i)) == "");
  }
  stop = true;
  writer.join();
  for (std::thread& r : readers) r.join();
  REQUIRE(bad == 0);
  REQUIRE(figures(s).left > 0);
  require_sound(s);
}

TEST_CASE("a page that rots under a column is rebuilt when it is first asked for; one that is lost is an error of the statement") {
  MemoryFiles files;
  std::string want;
  {
    Session s(opened(files));
    REQUIRE(s.run(kTable) == "");
    fill(s, 20'000);
    want = scans(s);
    REQUIRE(s.run("CHECKPOINT") == "");
  }
  Session s(opened(files, 0));
  const std::string good = files.contents(kPath);
  std::string bytes = good;
  const size_t stripe = 9 * 16384;
  for (size_t at = kStripesAt + 3 * 16384 + 77; at < bytes.size(); at += stripe) bytes[at] = static_cast<char>(bytes[at] ^ 4);
  files.set_contents(kPath, bytes);
  REQUIRE(scans(s) == want);
  // The stripe's next page as well: nothing of it can be made good.
  for (size_t at = kStripesAt + 4 * 16384 + 77; at < bytes.size(); at += stripe) bytes[at] = static_cast<char>(bytes[at] ^ 4);
  files.set_contents(kPath, bytes);
  REQUIRE(s.run(kScans[1]) == "error XX001");
  REQUIRE(s.error().find(kPath) != std::string::npos);
  REQUIRE(s.run("SELECT COUNT(*), SUM(v) FROM t").substr(0, 6) == "20000|");
  // A change that needs the column fails whole, and so does its transaction's statement alone.
  REQUIRE(s.run("BEGIN; INSERT INTO t VALUES (-5, 'a', 1, 1, 1)") == "error XX001");
  REQUIRE(s.run("UPDATE t SET v = 7") == "error XX001");
  REQUIRE(s.run("CREATE TABLE u(a BIGINT); INSERT INTO u VALUES (3); COMMIT; SELECT a FROM u") == "3");
  files.set_contents(kPath, good);
  REQUIRE(scans(s) == want);
  REQUIRE(s.run("INSERT INTO t VALUES (-5, 'a', 1, 1, 1); DELETE FROM t WHERE id = -5") == "");
  REQUIRE(scans(s) == want);
}

TEST_CASE("keys, references, unique checks and new indexes look at columns that are not here") {
  MemoryFiles files;
  {
    Session s(opened(files));
    REQUIRE(s.run("CREATE TABLE p(k BIGINT PRIMARY KEY, n TEXT UNIQUE, x BIGINT); CREATE TABLE c(id BIGINT PRIMARY KEY, k BIGINT REFERENCES p, m TEXT);"
                  "INSERT INTO p VALUES (1,'a',1),(2,'b',2),(5,'c',3),(9,NULL,4); INSERT INTO c VALUES (1,2,'x'),(2,NULL,'y'),(3,5,'x')") == "");
  }
  for (const uint64_t cache : {UINT64_MAX, uint64_t{0}}) {
    {
      Session s(opened(files, cache));
      REQUIRE(s.run("CHECKPOINT") == "");
      REQUIRE(s.run("INSERT INTO p VALUES (2,'z',1)") == "error 23505");
    }
    Session s(opened(files, cache));
    REQUIRE(s.run("INSERT INTO p VALUES (20,'b',1)") == "error 23505");
    REQUIRE(s.run("INSERT INTO c VALUES (9,7,'q')") == "error 23503");
    REQUIRE(s.run("DELETE FROM p WHERE k = 5") == "error 23503");
    REQUIRE(s.run("UPDATE p SET k = 6 WHERE k = 2") == "error 23503");
    REQUIRE(s.run("CREATE UNIQUE INDEX u ON c(m)") == "error 23505");
    REQUIRE(s.run("BEGIN; CREATE UNIQUE INDEX v ON p(x); INSERT INTO p VALUES (30,'w',4)") == "error 23505");
    REQUIRE(s.run("ROLLBACK; BEGIN; DELETE FROM c WHERE k = 5; DELETE FROM p WHERE k = 5; INSERT INTO p VALUES (5,'d',3); ROLLBACK") == "");
    REQUIRE(s.run("SELECT p.n, c.m FROM c JOIN p ON c.k = p.k ORDER BY c.id") == "b|x\nc|x");
    require_sound(s);
  }
}

TEST_CASE("texts past the dictionary's limit stay, and the rest of their table leaves") {
  MemoryFiles files;
  std::string want;
  const std::string q = "SELECT COUNT(*), MAX(g), MIN(g), SUM(v) FROM t WHERE w = w", one = "SELECT g, v FROM t WHERE id = 69990";
  {
    Session s(opened(files));
    REQUIRE(s.run(kTable) == "");
    fill(s, 70'000);
    REQUIRE(s.run("UPDATE t SET g = 'text ' || id") == "");
    want = s.run(q) + s.run(one);
  }
  Session s(opened(files, 0));
  REQUIRE(s.run("CHECKPOINT") == "");
  REQUIRE(s.run(q) + s.run(one) == want);
  REQUIRE(figures(s).left > 5);
  Session again(s.database_ptr());
  REQUIRE(again.run(q) + again.run(one) == want);
}
