// Invariants checked: K1 to K4, C13, C14: checkpoints of a database that is a file, beside readers and a writer; the log that they cut; restore points;
// backups; CHECK DATABASE; files of format 1.
#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <thread>

#include "engine/appender.h"
#include "engine/checkpoint.h"
#include "engine/database_file.h"
#include "engine/test_sql.h"
#include "io/memory_files.h"
#include "io/simulated_files.h"
#include "log/file_log.h"

using namespace hdb;
using hdb::testing::Session;

namespace {

constexpr const char* kPath = "x.holodb";
const std::string kLog = "x.holodb-log";
constexpr const char* kTable = "CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT, v BIGINT); CREATE INDEX s ON t USING SUMMARY (g) INCLUDE (v);";

std::shared_ptr<Database> opened(FileSystem& files, bool read_only = false, const char* path = kPath) {
  DatabaseOptions options;
  options.read_only = read_only;
  options.single_thread = true;
  return open_database(files, path, options);
}
std::string once(FileSystem& files, std::string_view sql, bool read_only = false) { return Session(opened(files, read_only)).run(sql); }

void fill(Session& s, int rows) {
  REQUIRE(s.run("INSERT INTO t VALUES (1,'g1',1)") == "");
  for (int n = 1; n < rows; n *= 2) {
    const std::string by = std::to_string(n), last = std::to_string(rows - n);
    REQUIRE(s.run("INSERT INTO t SELECT id + " + by + ", 'g' || (id % 7), id FROM t WHERE id <= " + last) == "");
  }
}
// Nothing that CHECK DATABASE looks at has a finding.
void require_sound(Session& s) {
  for (const char* path : {"SET summary_mode = auto", "SET summary_mode = off"}) s.run(path);
  const std::string rows = s.run("CHECK DATABASE");
  INFO(rows << s.error());
  REQUIRE(rows.substr(0, 5) != "error");
  for (size_t at = 0; at < rows.size();) {
    const size_t end = std::min(rows.find('\n', at), rows.size());
    const std::string line = rows.substr(at, end - at);
    INFO(line);
    REQUIRE(line.substr(line.size() - 7) == "|0|NULL");
    at = end + 1;
  }
}

}  // namespace

TEST_CASE("a checkpoint cuts the log, opening replays only what came after it, many times over") {
  MemoryFiles files;
  Session model;
  REQUIRE(model.run(kTable) == "");
  REQUIRE(once(files, kTable) == "");
  REQUIRE(files.contents(kPath).size() == kSectorBytes);  // format 1 until there is something to keep
  for (int round = 0; round < 12; ++round) {
    Session s(opened(files));
    INFO("round " << round);
    REQUIRE(s.database().recovery().groups == (round == 0 ? 2u : 2u));
    REQUIRE(s.database().recovery().notice == "");
    const auto both = [&](const std::string& sql) {
      INFO(sql);
      REQUIRE(s.run(sql) == model.run(sql));
    };
    const std::string n = std::to_string(round);
    both("INSERT INTO t VALUES (" + n + ",'a" + n + "',10),(100" + n + ",NULL,NULL)");
    both("UPDATE t SET v = v + 1 WHERE id < 5; DELETE FROM t WHERE id = 1000");
    const uint64_t before = files.contents(kLog).size();
    REQUIRE(s.run("CHECKPOINT") == "");
    REQUIRE(files.contents(kLog).size() == kLogHeaderBytes);
    REQUIRE(before > kLogHeaderBytes);
    REQUIRE(s.run("CHECKPOINT") == "");
    both("INSERT INTO t VALUES (5000" + n + ",'b',3)");
    both("UPDATE t SET g = 'b' WHERE id = " + n);
    both("SELECT * FROM t ORDER BY id");
    both("SELECT g, COUNT(*), SUM(v) FROM t GROUP BY g ORDER BY g");
    both("INSERT INTO t VALUES (" + n + ",'twice',10)");
    require_sound(s);
  }
  REQUIRE(once(files, "SELECT COUNT(*) FROM t", true) == model.run("SELECT COUNT(*) FROM t"));
  REQUIRE(once(files, "CHECKPOINT", true) == "error 25006");
  REQUIRE(model.run("CHECKPOINT") == "error 0A000");
  REQUIRE(once(files, "BEGIN; CHECKPOINT") == "error 25001");
}

TEST_CASE("a root without its log's beginning, or a log without its root, is refused") {
  MemoryFiles files;
  once(files, std::string(kTable) + "INSERT INTO t VALUES (1,'a',1)");
  const std::string old_file = files.contents(kPath), old_log = files.contents(kLog);
  once(files, "CHECKPOINT; INSERT INTO t VALUES (2,'b',2)");
  const std::string file = files.contents(kPath), log = files.contents(kLog);
  // The old log with the new file: what it has is in the root, and it goes on from there.
  files.set_contents(kLog, old_log);
  {
    Session s(opened(files));
    REQUIRE(s.run("SELECT id FROM t ORDER BY id") == "1");
    REQUIRE(s.database().recovery().groups == 0);
    REQUIRE(s.run("INSERT INTO t VALUES (3,'c',3)") == "");
  }
  REQUIRE(once(files, "SELECT id FROM t ORDER BY id") == "1\n3");
  // The old file with the new log: commits are missing.
  files.set_contents(kPath, old_file);
  files.set_contents(kLog, log);
  try {
    opened(files);
    FAIL("opened");
  } catch (const Error& e) {
    REQUIRE(std::string(e.sqlstate()) == "XX001");
    REQUIRE(e.message().find("the commits between are missing") != std::string::npos);
  }
  REQUIRE(files.contents(kPath) == old_file);
  REQUIRE(files.contents(kLog) == log);
}

TEST_CASE("checkpoints by the size of the log and at the end") {
  MemoryFiles files;
  {
    Session s(opened(files));
    REQUIRE(s.run("SHOW checkpoint_log") == "67108864");
    REQUIRE(s.run(std::string("SET checkpoint_log = '100kB';") + kTable) == "");
    fill(s, 3000);
    for (int i = 0; i < 40; ++i) REQUIRE(s.run("UPDATE t SET v = v + 1 WHERE id <= 400") == "");
    REQUIRE(s.database().file_log()->bytes() < 200'000);
    REQUIRE(s.database().file_log()->base() > 10);
    REQUIRE(s.run("SET checkpoint_log = off") == "");
    for (int i = 0; i < 40; ++i) REQUIRE(s.run("UPDATE t SET v = v + 1 WHERE id <= 1000") == "");
    REQUIRE(s.database().file_log()->bytes() > 1'000'000);
    require_sound(s);
  }
  Session s(opened(files));
  REQUIRE(s.database().recovery().groups == 0);
  REQUIRE(s.run("SELECT SUM(v - id), COUNT(*) FROM t WHERE id > 1000 AND id % 2 = 1 AND v < 0") == "NULL|0");
  REQUIRE(s.run("SELECT SUM(v) FROM t WHERE id = 7") != "NULL");
  require_sound(s);
}

TEST_CASE("a checkpoint is made when nothing was committed for a while, and not before, and not of a short log") {
  MemoryFiles files;
  DatabaseOptions options;  // with threads
  const auto database = open_database(files, kPath, options);
  Session s(database);
  REQUIRE(s.run("SHOW checkpoint_idle") == "10000");
  for (const char* bad : {"SET checkpoint_idle = 0", "SET checkpoint_idle = 'soon'"}) REQUIRE(s.run(bad) == "error 22023");
  REQUIRE(s.run("SET checkpoint_idle = off; SHOW checkpoint_idle") == "off");
  REQUIRE(Session().run("SET checkpoint_idle = 5") == "error 0A000");
  REQUIRE(s.run(std::string("SET checkpoint_log = off;") + kTable) == "");
  const std::string text(4000, 'x');
  const auto base = [&] { return database->file_log()->base(); };
  const auto cut_within = [&](int ms) {
    const uint64_t before = base();
    for (int i = 0; i < ms / 5 && base() == before; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return base() != before;
  };
  REQUIRE(s.run("SET checkpoint_idle = 20; INSERT INTO t VALUES (1,'a',1)") == "");
  REQUIRE(!cut_within(200));  // replayed as fast as it is cut
  REQUIRE(s.run("SET checkpoint_idle = off") == "");
  for (int i = 2; i < 400; ++i) REQUIRE(s.run("INSERT INTO t VALUES (" + std::to_string(i) + ",'" + text + "',1)") == "");
  REQUIRE(!cut_within(200));
  REQUIRE(s.run("SET checkpoint_idle = 20") == "");
  REQUIRE(cut_within(10'000));
  REQUIRE(database->file_log()->bytes() < 10'000);
  REQUIRE(s.run("INSERT INTO t VALUES (1000,'b',1); SELECT COUNT(*) FROM t") == "400");
  require_sound(s);
}

TEST_CASE("an appender's commit makes a checkpoint that is due; one that fails leaves the commit, and its reason is told until one succeeds") {
  MemoryFiles files;
  {
    Session s(opened(files));
    REQUIRE(s.run(std::string("SET checkpoint_log = '20kB';") + kTable) == "");
    Appender rows(s.shared(), "t");
    for (int64_t id = 0; id < 20'000; ++id) {
      rows.append_int64(id);
      rows.append_text("g" + std::to_string(id % 7));
      rows.append_int64(id * 1'000'003);
      rows.end_row();
    }
    rows.close();
    REQUIRE(s.database().file_log()->bytes() < 20'000);
    REQUIRE(s.run("CHECK DATABASE").find("checkpoint") == std::string::npos);
  }
  SimulatedFiles disk;
  Session s(opened(disk));
  REQUIRE(s.run(kTable) == "");
  fill(s, 3000);
  REQUIRE(s.run("SET checkpoint_log = 1000") == "");
  disk.set_space(disk.contents(kPath).size() + disk.contents(kLog).size() + 5000);
  REQUIRE(s.run("UPDATE t SET v = 5 WHERE id = 7") == "");
  REQUIRE(s.run("CHECK DATABASE").find("checkpoint|0|1|cannot write") != std::string::npos);
  disk.set_space(UINT64_MAX);
  for (int i = 0; i < 30; ++i) REQUIRE(s.run("UPDATE t SET v = v + 1 WHERE id = 7") == "");
  require_sound(s);
  REQUIRE(s.run("SELECT v FROM t WHERE id = 7") == "35");
}

TEST_CASE("readers with older snapshots and a writer go on beside checkpoints, and each reopening finds what was committed") {
  MemoryFiles files;
  {
    const auto database = opened(files);
    Session setup(database);
    REQUIRE(setup.run(kTable) == "");
    fill(setup, 40'000);
    std::atomic<bool> stop{false};
    std::atomic<int> bad{0};
    // Transfers: the sum stays.
    const std::string sum = setup.run("SELECT SUM(v), COUNT(*) FROM t");
    std::thread writer([&] {
      Session s(database);
      for (int i = 0; !stop; ++i) {
        const std::string a = std::to_string(1 + i * 7919 % 39'000), b = std::to_string(1 + i * 104'729 % 39'000), n = std::to_string(i * 1'000'003LL);
        const std::string from = "UPDATE t SET v = v - " + n + ", g = 'h" + std::to_string(i % 50) + "' WHERE id = " + a;
        if (s.run("BEGIN; " + from + "; UPDATE t SET v = v + " + n + " WHERE id = " + b + "; COMMIT") != "") ++bad;
      }
    });
    std::thread reader([&] {
      Session s(database);
      while (!stop) {
        s.run("BEGIN");
        const std::string one = s.run("SELECT SUM(v), COUNT(*) FROM t"), groups = s.run("SELECT g, SUM(v), COUNT(*) FROM t GROUP BY g ORDER BY g");
        std::this_thread::yield();
        s.run("SET summary_mode = off");
        if (one != sum || s.run("SELECT SUM(v), COUNT(*) FROM t") != sum || s.run("SELECT g, SUM(v), COUNT(*) FROM t GROUP BY g ORDER BY g") != groups) ++bad;
        s.run("SET summary_mode = auto; COMMIT");
      }
    });
    Session s(database);
    for (int i = 0; i < 25; ++i) {
      REQUIRE(s.run("CHECKPOINT") == "");
      // What is on the disk now, as a kill would leave it.
      MemoryFiles copy;
      if (i % 5 == 4) {
        const std::string path = "b" + std::to_string(i);
        REQUIRE(s.run("BACKUP TO '" + path + "'") == "");
        Session b(opened(files, true, path.c_str()));
        REQUIRE(b.run("SELECT SUM(v), COUNT(*) FROM t") == sum);
        require_sound(b);
      }
    }
    stop = true;
    writer.join();
    reader.join();
    REQUIRE(bad == 0);
    require_sound(s);
    REQUIRE(s.run("INSERT INTO t VALUES (-1, 'last', 0)") == "");
  }
  Session s(opened(files));
  REQUIRE(s.run("SELECT g FROM t WHERE id = -1") == "last");
  require_sound(s);
}

TEST_CASE("a checkpoint writes what has changed: bytes of the second and third") {
  MemoryFiles files;
  Session s(opened(files));
  REQUIRE(s.run(kTable) == "");
  fill(s, 200'000);
  REQUIRE(s.run("CHECKPOINT") == "");
  const uint64_t first = files.contents(kPath).size();
  REQUIRE(s.run("UPDATE t SET v = v + 1 WHERE id = 150000; CHECKPOINT") == "");
  const uint64_t second = files.contents(kPath).size() - first;
  CAPTURE(first, second);
  REQUIRE(second * 4 < first);
  // What no root names is used again: the file does not grow with the number of checkpoints.
  for (int i = 0; i < 60; ++i) REQUIRE(s.run("UPDATE t SET v = v + 1 WHERE id = " + std::to_string(1 + i * 3000) + "; CHECKPOINT") == "");
  const uint64_t many = files.contents(kPath).size();
  CAPTURE(many);
  REQUIRE(many < 4 * first);
}

TEST_CASE("restore points: kept through everything, rewound to, and the rewinding undone") {
  MemoryFiles files;
  {
    Session s(opened(files));
    REQUIRE(s.run(std::string(kTable) + "CREATE TABLE c(a BIGINT REFERENCES t); INSERT INTO t VALUES (1,'a',10),(2,'b',20); INSERT INTO c VALUES (1)") == "");
    REQUIRE(s.run("SHOW RESTORE POINTS") == "");
    REQUIRE(s.run("CREATE RESTORE POINT one") == "");
    REQUIRE(s.run("CREATE RESTORE POINT one") == "error 42710");
    REQUIRE(s.run("CREATE RESTORE POINT before_restore") == "error 22023");
    REQUIRE(s.run("UPDATE t SET v = 99; INSERT INTO t VALUES (3,'c',30); DROP TABLE c; CREATE TABLE later(a TEXT); INSERT INTO later VALUES ('x');"
                  "CHECKPOINT; DELETE FROM t WHERE id = 2") == "");
  }
  Session s(opened(files));
  Session old(s.database_ptr());
  REQUIRE(s.run("SHOW RESTORE POINTS") == "one|5");
  REQUIRE(s.run("RESTORE TO nobody") == "error 42704");
  REQUIRE(s.run("DROP RESTORE POINT nobody") == "error 42704");
  old.run("BEGIN");
  REQUIRE(old.run("SELECT id, v FROM t ORDER BY id") == "1|99\n3|30");
  const uint64_t newest = s.database().manager().registry().newest();
  REQUIRE(s.run("RESTORE TO one") == "");
  REQUIRE(s.database().manager().registry().newest() == newest + 1);
  REQUIRE(s.run("SELECT id, v FROM t ORDER BY id") == "1|10\n2|20");
  REQUIRE(s.run("SHOW TABLES") == "t\nc");
  REQUIRE(s.run("SELECT g, SUM(v) FROM t GROUP BY g ORDER BY g") == "a|10\nb|20");
  REQUIRE(s.run("DELETE FROM t WHERE id = 1") == "error 23503");
  // A reader that was there before goes on with what it sees; a writer that had read is told.
  REQUIRE(old.run("SELECT id, v FROM t ORDER BY id") == "1|99\n3|30");
  REQUIRE(old.run("SELECT g, SUM(v) FROM t GROUP BY g ORDER BY g") == "a|99\nc|30");
  REQUIRE(old.run("UPDATE t SET v = 1") == "error 40001");
  old.run("ROLLBACK");
  REQUIRE(old.run("SELECT SUM(v) FROM t") == "30");
  REQUIRE(s.run("INSERT INTO t VALUES (4,'d',40)") == "");
  require_sound(s);
  const std::string log = files.contents(kLog), file = files.contents(kPath);
  MemoryFiles killed;
  killed.set_contents(kLog, log);
  killed.set_contents(kPath, file);
  Session k(opened(killed));
  REQUIRE(k.run("SELECT id, v FROM t ORDER BY id") == "1|10\n2|20\n4|40");
  REQUIRE(k.database().recovery().groups == 1);
  require_sound(k);
  REQUIRE(k.run("RESTORE TO before_restore; SELECT id, v FROM t ORDER BY id") == "1|99\n3|30");
  REQUIRE(k.run("SELECT a FROM later") == "x");
  REQUIRE(k.run("SHOW RESTORE POINTS").substr(0, 5) == "one|5");
  REQUIRE(k.run("DROP RESTORE POINT one; CHECKPOINT") == "");
  require_sound(k);
  REQUIRE(s.run("RESTORE TO one; RESTORE TO one; SELECT COUNT(*) FROM t") == "2");
}

TEST_CASE("a restore point is read beside a writer, who cannot take it away meanwhile (C14)") {
  MemoryFiles files;
  const auto at_point = [&](const char* name) {
    DatabaseOptions options;
    options.single_thread = true;
    options.restore_point = name;
    return open_database(files, kPath, options);
  };
  const auto refused = [&](const char* name) {
    try {
      at_point(name);
      return std::string("opened");
    } catch (const Error& e) {
      return std::string(e.sqlstate());
    }
  };
  Session s(opened(files));
  s.run(kTable);
  REQUIRE(refused("p") == "42704");  // a file of format 1
  for (int i = 0; i < 300; ++i) REQUIRE(s.run("INSERT INTO t VALUES (" + std::to_string(i) + ",'g" + std::to_string(i % 7) + "'," + std::to_string(i) + ")") == "");
  REQUIRE(s.run("CREATE RESTORE POINT p; DELETE FROM t WHERE id % 3 = 0; CREATE RESTORE POINT q; CHECKPOINT") == "");
  REQUIRE(refused("r") == "42704");
  const std::string all = "SELECT id, g, v FROM t ORDER BY id";
  std::string then;
  {
    Session p(at_point("P")), q(at_point("q")), again(at_point("p"));
    then = p.run(all);
    REQUIRE(p.run("SELECT COUNT(*), SUM(v) FROM t") == "300|44850");
    REQUIRE(q.run("SELECT COUNT(*) FROM t") == "200");
    REQUIRE(p.run("SELECT differences FROM summary_verify('s')") == "0");
    for (const char* sql : {"DELETE FROM t", "CREATE RESTORE POINT x", "DROP RESTORE POINT q", "RESTORE TO q", "CHECKPOINT"}) REQUIRE(p.run(sql) == "error 25006");
    for (int round = 0; round < 8; ++round) {
      // Everything is written anew, time and again: what is free is used.
      REQUIRE(s.run("UPDATE t SET v = v + 1, g = 'h" + std::to_string(round) + "'; CHECKPOINT") == "");
      REQUIRE(p.run(all) == then);
      Session fresh(at_point("p"));
      REQUIRE(fresh.run(all) == then);
      REQUIRE(fresh.run("CHECK DATABASE").find("|0|NULL") != std::string::npos);
    }
    REQUIRE(s.run("DROP RESTORE POINT p") == "error 55006");
    REQUIRE(s.error() == "the restore point \"p\" is open somewhere and cannot go");
    REQUIRE(s.run("RESTORE TO p") == "");
    REQUIRE(s.run(all) == then);
    {
      Session before(at_point("before_restore"));
      REQUIRE(before.run("SELECT COUNT(*) FROM t") == "200");
      REQUIRE(s.run("RESTORE TO q") == "error 55006");
      REQUIRE(s.run("INSERT INTO t VALUES (1000,'x',0)") == "");
      REQUIRE(s.run(all).find("1000|x|0") != std::string::npos);
    }
    REQUIRE(s.run("RESTORE TO q; SELECT COUNT(*) FROM t") == "200");
    REQUIRE(p.run(all) == then);
    REQUIRE(p.run("SHOW RESTORE POINTS").find("p|") == 0);
  }
  REQUIRE(s.run("DROP RESTORE POINT p; DROP RESTORE POINT q") == "");
  REQUIRE(refused("p") == "42704");
}

TEST_CASE("restore points are opened while a writer makes checkpoints and others come and go") {
  SimulatedFiles files;
  Session s(opened(files));
  s.run(kTable);
  REQUIRE(s.run("INSERT INTO t VALUES (1,'a',1),(2,'b',2); CREATE RESTORE POINT p") == "");
  std::atomic<bool> over{false};
  std::thread writer([&] {
    Session w(s.database().shared_from_this());
    for (int i = 0; !over; ++i) {
      const std::string n = std::to_string(i);
      if (w.run("INSERT INTO t VALUES (" + std::to_string(10 + i) + ",'" + std::string(200, 'x') + n + "',1); CHECKPOINT; CREATE RESTORE POINT x" + n) != "") break;
      if (w.run("DROP RESTORE POINT x" + n) != "") break;
    }
    over = true;
  });
  int opened_times = 0;
  std::string wrong;
  for (; opened_times < 200 && !over && wrong.empty(); ++opened_times) {
    try {
      DatabaseOptions options;
      options.single_thread = true;
      options.restore_point = "p";
      Session p(open_database(files, kPath, options));
      const std::string rows = p.run("SELECT * FROM t ORDER BY id");
      if (rows != "1|a|1\n2|b|2") wrong = rows;
    } catch (const Error& e) {
      wrong = e.message();
    }
  }
  const bool stopped = over.exchange(true);
  writer.join();
  REQUIRE(wrong == "");
  REQUIRE((!stopped && opened_times == 200));
}

TEST_CASE("a backup opens anywhere, of a file or of a memory database, and nothing is left of one that fails") {
  MemoryFiles files;
  Session s(opened(files));
  REQUIRE(s.run(std::string(kTable) + "INSERT INTO t VALUES (1,'a',10),(2,'b',20); DELETE FROM t WHERE id = 1") == "");
  REQUIRE(s.run("BACKUP TO 'copy'") == "");
  REQUIRE(s.run("INSERT INTO t VALUES (3,'c',30)") == "");
  REQUIRE(s.run("BACKUP TO 'copy'") == "error 58030");
  REQUIRE(s.run("BEGIN; BACKUP TO 'other'") == "error 25001");
  s.run("ROLLBACK");
  {
    Session b(opened(files, false, "copy"));
    REQUIRE(b.run("SELECT id FROM t") == "2");
    REQUIRE(b.database().recovery().groups == 0);
    REQUIRE(b.run("INSERT INTO t VALUES (9,'z',1); CHECKPOINT; INSERT INTO t VALUES (8,'y',1)") == "");
    require_sound(b);
  }
  REQUIRE(Session(opened(files, true, "copy")).run("SELECT id FROM t ORDER BY id") == "2\n8\n9");
  // Whatever call fails, nothing is left, and the next one works.
  uint64_t failed = 0;
  for (uint64_t call = 1; call < 400; ++call) {
    SimulatedFiles disk;
    Session d(opened(disk));
    REQUIRE(d.run(std::string(kTable) + "INSERT INTO t VALUES (1,'a',10)") == "");
    disk.fail_call(disk.calls() + call, call % 2 == 0 ? Fault::kError : Fault::kNoSpace);
    if (d.run("BACKUP TO 'copy'") == "") continue;
    ++failed;
    INFO("call " << call << ": " << d.error());
    for (const char* name : {"copy", "copy-log", "copy-log-new"}) REQUIRE(!disk.exists(name));
    REQUIRE((!disk.exists("copy-new") || disk.contents("copy-new").empty()));  // empty: not even the lock could be had
    REQUIRE(d.run("BACKUP TO 'copy'") == "");
    REQUIRE(Session(opened(disk, true, "copy")).run("SELECT * FROM t") == "1|a|10");
  }
  REQUIRE(failed > 20);
  Session memory;
  memory.run(std::string(kTable) + "INSERT INTO t VALUES (5,'m',50)");
  backup_database(memory.database(), files, "from_memory");
  REQUIRE(Session(opened(files, true, "from_memory")).run("SELECT * FROM t") == "5|m|50");
}

TEST_CASE("CHECK DATABASE rebuilds a page that rots and says so; a second one in its stripe is told, and opening says what it cannot read") {
  MemoryFiles files;
  once(files, std::string(kTable) + "INSERT INTO t VALUES (1,'a',10); CHECKPOINT");
  std::string bytes = files.contents(kPath);
  const size_t page = kStripesAt + 16384 + 100;
  bytes[page] = static_cast<char>(bytes[page] ^ 1);
  files.set_contents(kPath, bytes);
  Session s(opened(files));
  REQUIRE(s.database().recovery().notice.find(kPath) != std::string::npos);
  REQUIRE(s.run("SELECT * FROM t") == "1|a|10");
  const std::string found = s.run("CHECK DATABASE");
  REQUIRE(found.find("pages|") == 0);
  REQUIRE(found.find("|1|") != std::string::npos);
  require_sound(s);
  // A second page of the stripe: what is lost is told, and the file is not opened as if nothing were.
  bytes = files.contents(kPath);
  MemoryFiles twice;
  twice.set_contents(kLog, files.contents(kLog));
  for (const size_t at : {page, kStripesAt + size_t{100}}) bytes[at] = static_cast<char>(bytes[at] ^ 1);
  twice.set_contents(kPath, bytes);
  try {
    opened(twice);
    FAIL("it was opened");
  } catch (const Error& e) {
    REQUIRE(std::string(e.sqlstate()) == "XX001");
    REQUIRE(e.message().find(kPath) != std::string::npos);
    REQUIRE(e.message().find("is damaged: no page of the stripe") != std::string::npos);
  }
}
