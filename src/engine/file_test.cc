// A database that is a file: what comes back, what is refused and left as it was, what a damaged log says (cases 20, 22 to 26).
#include <catch2/catch.hpp>

#include <holodb/holodb.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "engine/database_file.h"
#include "engine/released_files.h"
#include "engine/test_sql.h"
#include "io/memory_files.h"
#include "io/simulated_files.h"
#include "log/file_log.h"

using namespace hdb;
using hdb::testing::Session;

namespace {

constexpr const char* kPath = "x.holodb";
const std::string kLog = "x.holodb-log";

std::shared_ptr<Database> opened(FileSystem& files, bool read_only = false, const char* path = kPath) {
  DatabaseOptions options;
  options.read_only = read_only;
  options.single_thread = true;
  return open_database(files, path, options);
}
// One session in a database that is open for it alone.
std::string once(FileSystem& files, std::string_view sql, bool read_only = false, const char* path = kPath) {
  return Session(opened(files, read_only, path)).run(sql);
}
std::string refusal(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    REQUIRE((std::string(e.sqlstate()) == "58030" || std::string(e.sqlstate()) == "XX001"));
    return e.message();
  }
  return "opened";
}
std::string refusal(FileSystem& files, bool read_only = false) {
  return refusal([&] { opened(files, read_only); });
}
// total, summary, index and scan agree (case 26)
void check_paths(Session& s) {
  REQUIRE(s.run("SELECT differences FROM summary_verify('s')") == "0");
  std::string answers[3];
  const char* modes[] = {"SET summary_mode = auto; SET zone_sums = on; SET block_cells = on", "SET summary_mode = off; SET zone_sums = on",
                         "SET summary_mode = off; SET zone_sums = off; SET block_cells = off; SET indexes = off"};
  for (int i = 0; i < 3; ++i) {
    s.run(modes[i]);
    answers[i] = s.run("SELECT COUNT(*), SUM(v), COUNT(v) FROM t") + ";" + s.run("SELECT g, COUNT(*), SUM(v) FROM t GROUP BY g ORDER BY g") + ";" +
                 s.run("SELECT v FROM t WHERE id = 2");
  }
  REQUIRE(answers[0] == answers[1]);
  REQUIRE(answers[0] == answers[2]);
}
constexpr const char* kTable = "CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT, v BIGINT); CREATE INDEX s ON t USING SUMMARY (g) INCLUDE (v);";

}  // namespace

TEST_CASE("what was committed is there when the file is opened again, and goes on") {
  MemoryFiles files;
  REQUIRE(once(files, std::string(kTable) + "INSERT INTO t VALUES (1,'a',10),(2,'b',NULL),(3,NULL,-5); BEGIN; INSERT INTO t VALUES (4,'a',1); ROLLBACK;"
                      "BEGIN; UPDATE t SET v = 7 WHERE id = 2; DELETE FROM t WHERE id = 1; INSERT INTO t VALUES (1,'c',1); COMMIT; BEGIN; DELETE FROM t") == "");
  for (int round = 0; round < 3; ++round) {
    Session s(opened(files));
    REQUIRE(s.run("SELECT * FROM t ORDER BY id") == "1|c|1\n2|b|7\n3|NULL|-5");
    REQUIRE(s.database().recovery().notice == "");
    check_paths(s);
    REQUIRE(s.run("INSERT INTO t VALUES (1,'d',1)") == "error 23505");
    REQUIRE(s.run("INSERT INTO t VALUES (9,'n',9); DELETE FROM t WHERE id = 9") == "");
  }
  REQUIRE(once(files, "DROP TABLE t; SHOW TABLES") == "");
  REQUIRE(once(files, "SHOW TABLES") == "");
  REQUIRE(once(files, std::string(kTable) + "SELECT COUNT(*) FROM t") == "0");
}

TEST_CASE("TRUNCATE in a transaction: rolled back all is there, committed and reopened all is gone (case 20)") {
  MemoryFiles files;
  once(files, std::string(kTable) + "INSERT INTO t VALUES (1,'a',10),(2,'b',20)");
  REQUIRE(once(files, "BEGIN; TRUNCATE TABLE t; ROLLBACK; SELECT COUNT(*) FROM t") == "2");
  REQUIRE(once(files, "SELECT COUNT(*) FROM t") == "2");
  REQUIRE(once(files, "TRUNCATE TABLE t; SELECT COUNT(*) FROM t") == "0");
  REQUIRE(once(files, "SELECT COUNT(*) FROM t") == "0");
  Session s(opened(files));
  check_paths(s);
}

TEST_CASE("a key that is deleted and inserted again in one transaction is no duplicate after a crash (case 22)") {
  MemoryFiles files;
  once(files, std::string(kTable) + "INSERT INTO t VALUES (1,'a',10),(2,'b',20)");
  REQUIRE(once(files, "BEGIN; DELETE FROM t WHERE id = 1; INSERT INTO t VALUES (1,'c',3); UPDATE t SET id = 4 WHERE id = 2; INSERT INTO t VALUES (2,'e',5); COMMIT") == "");
  std::string log = files.contents(kLog);
  files.set_contents(kLog, log.substr(0, log.size() - kGroupHeaderBytes));  // without the mark, as after a kill
  REQUIRE(once(files, "SELECT id, g FROM t ORDER BY id") == "1|c\n2|e\n4|b");
}

TEST_CASE("the log cut at every byte of its last two groups: the complete prefix, and what was cut is told (case 23)") {
  MemoryFiles files;
  once(files, std::string(kTable) + "INSERT INTO t VALUES (1,'a',10)");
  std::string log = files.contents(kLog);
  size_t ends[3] = {log.size() - kGroupHeaderBytes};  // before the mark
  files.set_contents(kLog, log.substr(0, ends[0]));
  for (int i = 1; i < 3; ++i) {
    once(files, "INSERT INTO t VALUES (" + std::to_string(i + 1) + ",'b',20)");
    log = files.contents(kLog);
    ends[i] = log.size() - kGroupHeaderBytes;
    files.set_contents(kLog, log.substr(0, ends[i]));
  }
  const std::string whole = files.contents(kLog), file = files.contents(kPath);
  for (size_t cut = ends[0]; cut <= ends[2]; ++cut) {
    for (const bool read_only : {true, false}) {
      MemoryFiles copy;
      copy.set_contents(kPath, file);
      copy.set_contents(kLog, whole.substr(0, cut));
      const size_t rows = cut < ends[1] ? 1 : cut < ends[2] ? 2 : 3, end = ends[rows - 1];
      {
        Session s(opened(copy, read_only));
        REQUIRE(s.run("SELECT COUNT(*) FROM t") == std::to_string(rows));
        REQUIRE(s.database().recovery().bytes_cut == cut - end);
        REQUIRE((s.database().recovery().notice.find(kLog + ": the last " + std::to_string(cut - end) + " bytes, from offset " + std::to_string(end)) !=
                 std::string::npos) == (cut > end));
        if (!read_only) check_paths(s);
        REQUIRE(s.run("INSERT INTO t VALUES (50,'z',1)") == (read_only ? "error 25006" : ""));
      }
      if (read_only) {
        REQUIRE(copy.contents(kLog) == whole.substr(0, cut));
      } else {
        REQUIRE(once(copy, "SELECT COUNT(*), MAX(id) FROM t") == std::to_string(rows + 1) + "|50");
      }
    }
  }
}

TEST_CASE("a flipped bit: file and offset in an error, and nothing is dropped silently; a salvaged copy has what is whole (case 24)") {
  MemoryFiles files;
  once(files, std::string(kTable) + "INSERT INTO t VALUES (1,'a',10); INSERT INTO t VALUES (2,'b',20); INSERT INTO t VALUES (3,'c',30)");
  const std::string log = files.contents(kLog), file = files.contents(kPath);
  const size_t mark = log.size() - kGroupHeaderBytes;
  for (size_t bit = 0; bit < log.size() * 8; ++bit) {
    if (bit / 8 >= 64 && bit / 8 < kLogHeaderBytes - 4 && bit % 129 != 0) continue;  // zeros of the header: some of them
    std::string bad = log;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    MemoryFiles copy;
    copy.set_contents(kPath, file);
    copy.set_contents(kLog, bad);
    INFO("bit " << bit);
    if (bit / 8 >= mark) {  // all groups are whole
      REQUIRE(once(copy, "SELECT SUM(v) FROM t") == "60");
      continue;
    }
    const std::string why = refusal(copy);
    REQUIRE(why.find(kLog) != std::string::npos);
    REQUIRE((bit / 8 < kLogHeaderBytes || why.find("is damaged at offset ") != std::string::npos));
    REQUIRE((copy.contents(kLog) == bad && copy.contents(kPath) == file));
  }
  for (size_t bit = 0; bit < file.size() * 8; bit += bit < 512 ? 1 : 97) {
    std::string bad = file;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    files.set_contents(kPath, bad);
    REQUIRE(refusal(files).find(kPath) != std::string::npos);
    REQUIRE((files.contents(kPath) == bad && files.contents(kLog) == log));
  }
  files.set_contents(kPath, file);
  std::string bad = log;
  bad[mark - 60] = static_cast<char>(bad[mark - 60] ^ 4);  // in the last insert
  files.set_contents(kLog, bad);
  const std::string report = salvage_database(files, kPath, "copy.holodb");
  REQUIRE(report.find("copy.holodb: 4 commits, up to number 4, are whole and were copied; ") == 0);
  REQUIRE((files.contents(kLog) == bad && files.contents(kPath) == file));
  Session s(open_database(files, "copy.holodb", {}));
  REQUIRE(s.run("SELECT COUNT(*), SUM(v) FROM t") == "2|30");
  REQUIRE(s.run("INSERT INTO t VALUES (3,'n',1)") == "");
  REQUIRE(refusal([&] { salvage_database(files, kPath, "copy.holodb"); }).find("exists already") != std::string::npos);
}

TEST_CASE("a group that comes twice, or is missing between others, is damage") {
  MemoryFiles files;
  once(files, std::string(kTable) + "INSERT INTO t VALUES (1,'a',10)");
  std::string log = files.contents(kLog);
  const size_t first = log.size() - kGroupHeaderBytes;
  files.set_contents(kLog, log.substr(0, first));
  once(files, "UPDATE t SET v = 11");
  const size_t second = files.contents(kLog).size() - kGroupHeaderBytes;
  files.set_contents(kLog, files.contents(kLog).substr(0, second));
  once(files, "UPDATE t SET v = 12");
  const std::string whole = files.contents(kLog), again = whole.substr(first, second - first);
  files.set_contents(kLog, whole + again);
  REQUIRE(refusal(files).find("is damaged at offset " + std::to_string(whole.size()) + ": group 4 follows group 5") != std::string::npos);
  files.set_contents(kLog, whole.substr(0, first) + whole.substr(second));
  REQUIRE(refusal(files).find("is damaged at offset " + std::to_string(first) + ": group 5 follows group 3") != std::string::npos);
  files.set_contents(kLog, whole);
  REQUIRE(once(files, "SELECT v FROM t") == "12");
}

TEST_CASE("what is no database is refused, naming path and reason, and stays as it was") {
  MemoryFiles files;
  once(files, kTable);
  const std::string file = files.contents(kPath), log = files.contents(kLog);
  const auto with = [&](std::string f, std::string l) {
    files.set_contents(kPath, f);
    files.set_contents(kLog, l);
    const std::string why = refusal(files);
    REQUIRE((files.contents(kPath) == f && files.contents(kLog) == l));
    REQUIRE(refusal(files, true) == why);
    return why;
  };
  REQUIRE(with("", log) == "cannot open x.holodb: it is empty, not a HoloDb database (remove it to have one made)");
  REQUIRE(with("SQLite format 3", log) == "cannot open x.holodb: it is not a HoloDb database");
  REQUIRE(with(std::string(10000, 'x'), log) == "cannot open x.holodb: it is not a HoloDb database");
  REQUIRE(with(file.substr(0, 100), log) == "cannot open x.holodb: it was cut short: it has 100 bytes, which is less than its header");
  std::string newer = file;
  newer[8] = 7;
  REQUIRE(with(newer, log) == "cannot open x.holodb: it has file format 7, and this library reads up to format 2");
  std::string other = file;
  std::swap(other[12], other[15]), std::swap(other[13], other[14]);
  REQUIRE(with(other, log) == "cannot open x.holodb: it was written on a machine of the other byte order");
  REQUIRE(with(file, "H") == "cannot read x.holodb-log: it has 1 bytes, which is less than the header of a log");
  REQUIRE(with(file, std::string(5000, 'y')) == "cannot read x.holodb-log: it is not the log of a HoloDb database");
  newer = log;
  newer[8] = 9;
  REQUIRE(with(file, newer) == "cannot read x.holodb-log: it has log format 9, and this library reads up to format 1");
  files.set_contents("y.holodb", "");
  files.remove("y.holodb");
  open_database(files, "y.holodb", {});
  REQUIRE(with(file, files.contents("y.holodb-log")) == "cannot open x.holodb: x.holodb-log is the log of another database");
  files.set_contents(kPath, file);
  files.remove(kLog);
  REQUIRE(refusal(files).find("its log x.holodb-log is missing") != std::string::npos);
  files.remove(kPath);
  REQUIRE(refusal(files, true) == "cannot open x.holodb: No such file or directory");
  REQUIRE(!files.exists(kPath));
  files.set_contents(kLog, log);
  REQUIRE(refusal(files) == "cannot create a database beside x.holodb-log: there is such a log already, but not the database file that it belongs to");
  REQUIRE((files.contents(kLog) == log && !files.exists(kPath)));
}

TEST_CASE("a database whose name ends in -new is not what a creation left: neither it nor another file is written over") {
  MemoryFiles files;
  once(files, "CREATE TABLE t(id BIGINT); INSERT INTO t VALUES (42)", false, "b-new");
  REQUIRE(refusal([&] { opened(files, false, "b"); }).find("cannot use the name b-new: there is a database of that name") == 0);
  Session s(opened(files, false, "a"));
  REQUIRE(s.run("BACKUP TO 'b'") == "error 58030");
  REQUIRE(once(files, "SELECT id FROM t", false, "b-new") == "42");
  for (const char* name : {"c-new", "c-log-new"}) {
    for (const std::string& bytes : {std::string("a letter"), "HoloDb" + std::string(5000, 'x')}) {
      files.set_contents(name, bytes);
      REQUIRE(refusal([&] { opened(files, false, "c"); }).find(std::string("cannot use the name ") + name) == 0);
      REQUIRE(s.run("BACKUP TO 'c'") == "error 58030");
      REQUIRE(files.contents(name) == bytes);
      files.remove(name);
    }
  }
  // What a creation leaves that broke off is taken over.
  files.set_contents("c-new", std::string(100, '\0'));
  files.set_contents("c-log-new", "HoloLog");
  REQUIRE(once(files, "CREATE TABLE t(id BIGINT); INSERT INTO t VALUES (1); SELECT id FROM t", false, "c") == "1");
}

TEST_CASE("one writes, or several read") {
  MemoryFiles files;
  auto first = opened(files);
  const std::string busy = "cannot open x.holodb: another process, or another handle of this one, has it open";
  REQUIRE(refusal(files) == busy);
  REQUIRE(refusal(files, true) == busy);
  first.reset();
  auto second = opened(files, true);
  auto third = opened(files, true);
  REQUIRE(refusal(files) == busy);
  second.reset();
  third.reset();
  REQUIRE(refusal(files) == "opened");
}

TEST_CASE("a full disk: the commit fails and is undone, the database goes on, and so it does after reopening") {
  uint64_t made = 0, refused = 0;
  for (uint64_t space = 0; space < 9000; space += space < 5500 ? 61 : 311) {
    INFO("space " << space);
    SimulatedFiles files;
    files.set_space(space);
    try {
      opened(files);
    } catch (const Error& e) {
      REQUIRE(e.message().find("No space left on device") != std::string::npos);
      REQUIRE((!files.exists(kPath) && !files.exists(kLog)));
      files.set_space(UINT64_MAX);
      REQUIRE(once(files, "SHOW TABLES") == "");
      ++refused;
      continue;
    }
    ++made;
    uint64_t rows = 0;
    {
      Session s(opened(files));
      const bool table = s.run("CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT, v BIGINT)") == "" &&
                         s.run("CREATE INDEX s ON t USING SUMMARY (g) INCLUDE (v)") == "";
      if (!table) continue;
      for (uint64_t i = 0; i < 40; ++i) {
        const std::string answer = s.run("INSERT INTO t VALUES (" + std::to_string(i) + ",'g" + std::string(i * 7 % 50, 'x') + "',1)");
        if (answer == "") ++rows;
        else REQUIRE((answer == "error 58030" && s.error().find("x.holodb-log: No space left on device") != std::string::npos));
        REQUIRE(s.run("SELECT COUNT(*) FROM t") == std::to_string(rows));
      }
      files.set_space(UINT64_MAX);
      REQUIRE(s.run("INSERT INTO t VALUES (100,'late',1)") == "");
      ++rows;
      check_paths(s);
    }
    Session s(opened(files));
    REQUIRE(s.run("SELECT COUNT(*) FROM t") == std::to_string(rows));
    check_paths(s);
  }
  REQUIRE((made > 8 && refused > 30));
}

TEST_CASE("synchronous is a setting of a database file, and never of an open transaction") {
  MemoryFiles files;
  {
    Session s(opened(files));
    s.run(kTable);
    REQUIRE(s.run("SHOW synchronous") == "full");
    const uint64_t syncs = s.database().file_log()->syncs();
    REQUIRE(s.run("INSERT INTO t VALUES (1,'a',1)") == "");
    REQUIRE(s.database().file_log()->syncs() == syncs + 1);
    REQUIRE(s.run("SET synchronous = normal; INSERT INTO t VALUES (2,'a',1); SHOW synchronous") == "normal");
    REQUIRE(s.run("SELECT COUNT(*) FROM t") == "2");
    REQUIRE(s.database().file_log()->syncs() == syncs + 1);
    REQUIRE(s.run("SET synchronous = off; INSERT INTO t VALUES (3,'a',1); SELECT COUNT(*) FROM t") == "3");
    REQUIRE(s.run("BEGIN; SET synchronous = full") == "error 25001");
    REQUIRE(s.run("ROLLBACK; SET synchronous = full; SELECT COUNT(*) FROM t") == "3");
    REQUIRE(s.database().file_log()->syncs() == syncs + 2);
    REQUIRE(s.run("INSERT INTO t VALUES (4,'a',1); SELECT COUNT(*) FROM t") == "4");
    REQUIRE(s.run("SET synchronous = sometimes") == "error 22023");
    REQUIRE(s.run("SET synchronous = off; INSERT INTO t VALUES (5,'a',1)") == "");
  }
  REQUIRE(once(files, "SELECT COUNT(*) FROM t") == "5");
  REQUIRE(once(files, "SET synchronous = off", true) == "error 0A000");
  Session memory;
  REQUIRE(memory.run("SET synchronous = off") == "error 0A000");
  REQUIRE(memory.run("SHOW synchronous") == "off");
}

namespace {

// Through the C ABI, on the machine's files, in a directory of its own.
class Disk {
 public:
  Disk() {
    std::filesystem::remove_all("file_test.d");
    std::filesystem::create_directory("file_test.d");
  }
  ~Disk() {
    std::error_code ignored;
    std::filesystem::permissions("file_test.d", std::filesystem::perms::all, ignored);
    std::filesystem::remove_all("file_test.d", ignored);
  }
  static std::string open(const std::string& name, uint32_t flags, const char* sql) {
    holodb_db* db = nullptr;
    holodb_conn* conn = nullptr;
    if (holodb_open(("file_test.d/" + name).c_str(), flags, HOLODB_VERSION, &db) != HOLODB_OK) {
      REQUIRE(db == nullptr);
      return holodb_open_errmsg();
    }
    REQUIRE(std::string(holodb_open_notice(db)) == "");
    REQUIRE(holodb_connect(db, &conn) == HOLODB_OK);
    const std::string out = holodb_exec(conn, sql) == HOLODB_OK ? "" : holodb_errmsg(conn);
    // Closed, but a connection is left: the lock stays until that is gone too.
    REQUIRE(holodb_close(db) == HOLODB_OK);
    REQUIRE(holodb_open(("file_test.d/" + name).c_str(), 0, HOLODB_VERSION, &db) == HOLODB_ERROR);
    REQUIRE(holodb_disconnect(conn) == HOLODB_OK);
    return out;
  }
};

}  // namespace

TEST_CASE("files of the machine, through the C ABI") {
  Disk disk;
  REQUIRE(disk.open("a.holodb", 0, "CREATE TABLE t(id BIGINT PRIMARY KEY); INSERT INTO t VALUES (1),(2)") == "");
  REQUIRE(std::filesystem::file_size("file_test.d/a.holodb") == kSectorBytes);
  REQUIRE(!std::filesystem::exists("file_test.d/a.holodb-new"));
  REQUIRE(disk.open("a.holodb", 0, "INSERT INTO t VALUES (2)") != "");
  REQUIRE(disk.open("a.holodb", HOLODB_OPEN_READONLY, "INSERT INTO t VALUES (3)") != "");
  REQUIRE(disk.open("none.holodb", HOLODB_OPEN_READONLY, "") == "cannot open file_test.d/none.holodb: No such file or directory");
  REQUIRE(disk.open("", 0, "").find("cannot open file_test.d/") == 0);
  std::filesystem::create_directory("file_test.d/directory");
  REQUIRE(disk.open("directory", 0, "").find("irectory") != std::string::npos);
  std::filesystem::create_directory("file_test.d/links");
  std::filesystem::create_symlink("../a.holodb", "file_test.d/links/a");
  REQUIRE(disk.open("links/a", 0, "INSERT INTO t VALUES (3)") == "");
  REQUIRE(!std::filesystem::exists("file_test.d/links/a-log"));
  REQUIRE(disk.open("a.holodb", 0, "INSERT INTO t VALUES (3)") != "");
  std::filesystem::create_symlink("nowhere", "file_test.d/dangling");
  REQUIRE(disk.open("dangling", 0, "") == "cannot follow the symbolic link file_test.d/dangling: No such file or directory");
  // A copy, made while it is closed, opens under another name.
  std::filesystem::copy("file_test.d/a.holodb", "file_test.d/b.holodb");
  std::filesystem::copy("file_test.d/a.holodb-log", "file_test.d/b.holodb-log");
  REQUIRE(disk.open("b.holodb", 0, "INSERT INTO t VALUES (3)") != "");
  REQUIRE(disk.open("b.holodb", 0, "INSERT INTO t VALUES (4)") == "");
  const char* report = nullptr;
  REQUIRE(holodb_salvage("file_test.d/b.holodb", "file_test.d/c.holodb", &report) == HOLODB_OK);
  REQUIRE(std::string(report).find("; there was nothing else") != std::string::npos);
  REQUIRE(holodb_salvage("file_test.d/b.holodb", "file_test.d/c.holodb", &report) == HOLODB_ERROR);
  REQUIRE(disk.open("c.holodb", 0, "INSERT INTO t VALUES (4)") != "");
  if (geteuid() == 0) return;  // whom permissions do not stop
  std::filesystem::permissions("file_test.d/a.holodb", std::filesystem::perms::owner_read);
  REQUIRE(disk.open("a.holodb", 0, "") == "cannot open file_test.d/a.holodb: Permission denied");
  std::filesystem::permissions("file_test.d", std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  REQUIRE(disk.open("new.holodb", 0, "").find("Permission denied") != std::string::npos);
}

TEST_CASE("files of every released format open, read only and to write, and go on") {
  const std::string rows = "-9223372036854775808|NULL|dd|NULL|NULL|NULL|NULL|NULL\n1|1|a|1.50|0.5|true|2026-11-30|2026-11-30 12:00:00.25\n"
                           "2|2|b|99.99|-0.0|false|0001-01-01|NULL\n3|NULL|NULL|NULL|NULL|NULL|NULL|NULL";
  for (int format = 1; format <= static_cast<int>(kFileFormatNewest); ++format) {
    MemoryFiles files;
    for (const auto& piece : hdb::testing::kReleasedFiles) {
      if (piece.format != format) continue;
      std::string bytes = files.exists(piece.file) ? files.contents(piece.file) : std::string(piece.file_bytes, '\0');
      const std::string_view hex = piece.hex;
      for (size_t i = 0; i < hex.size() / 2; ++i) bytes[piece.offset + i] = static_cast<char>(std::stoi(std::string(hex.substr(2 * i, 2)), nullptr, 16));
      files.set_contents(piece.file, bytes);
    }
    INFO("format " << format);
    REQUIRE(files.exists(kLog));  // there is a file of each format
    std::string now = rows;
    if (format == 2) now.replace(now.find("|a|"), 3, "|log|"), now += "\n7|2|late|7.00|1e+100|true|NULL|NULL";
    const std::string query = "SELECT * FROM t ORDER BY id";
    for (const bool read_only : {true, false}) {
      Session s(opened(files, read_only));
      REQUIRE(s.database().recovery().notice == "");
      REQUIRE(s.run(query) == now);
      REQUIRE(s.run("SELECT id, name FROM p ORDER BY id") == "1|one\n2|two");
      REQUIRE(s.run("SELECT differences FROM summary_verify('s')") == "0");
      REQUIRE(s.run("SHOW RESTORE POINTS") == (format == 2 ? "before|6" : ""));
      const std::string checked = s.run("CHECK DATABASE");
      for (size_t at = checked.find('\n'); at != std::string::npos; at = checked.find('\n', at + 1)) REQUIRE(checked.substr(at - 7, 7) == "|0|NULL");
      if (read_only) continue;
      REQUIRE(s.run("INSERT INTO t VALUES (8,3,NULL,NULL,NULL,NULL,NULL,NULL)") == "error 23503");
      REQUIRE(s.run("INSERT INTO t(id, g) VALUES (8, 'new'); CHECKPOINT") == "");
    }
    Session s(opened(files));
    REQUIRE(s.run(query) == now + "\n8|NULL|new|NULL|NULL|NULL|NULL|NULL");
    if (format == 2) REQUIRE(s.run("RESTORE TO before; " + query) == rows);
  }
}

namespace {

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}
// Everything in the directory: names, kinds, contents.
std::string listing() {
  std::map<std::string, std::string> all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("file_test.d")) {
    const auto status = entry.symlink_status();
    all[entry.path().string()] = std::filesystem::is_regular_file(status) ? bytes_of(entry.path()) : std::to_string(static_cast<int>(status.type()));
  }
  std::string text;
  for (const auto& [name, bytes] : all) text += name + "\n" + bytes + "\n";
  return text;
}
void write_file(const std::string& name, const std::string& bytes) { std::ofstream("file_test.d/" + name, std::ios::binary) << bytes; }

struct BadInput {
  const char* what;
  std::function<std::string()> make;  // what to open
  const char* reason;                 // in the message, which names the path, too
};

}  // namespace

TEST_CASE("bad input, row by row: an error with the path and the reason, to write, to read and of a restore point; the directory stays as it was") {
  Disk disk;
  REQUIRE(disk.open("good", 0, "CREATE TABLE t(id BIGINT PRIMARY KEY); INSERT INTO t VALUES (1)") == "");  // without pages, so without a copy of its header
  const std::string file = bytes_of("file_test.d/good"), log = bytes_of("file_test.d/good-log");
  const auto both = [&](const std::string& name, const std::string& f, const std::string& l) { return write_file(name, f), write_file(name + "-log", l), name; };
  const auto changed = [](std::string bytes, size_t at, char to) { return bytes[at] = to, bytes; };
  std::string turned = file;
  std::reverse(turned.begin() + 12, turned.begin() + 16);
  const BadInput table[] = {
      {"not a database file", [&] { return both("text", std::string(9000, 'x'), log); }, "it is not a HoloDb database"},
      {"an empty file", [&] { return both("empty", "", log); }, "it is empty"},
      {"cut short in its header", [&] { return both("short", file.substr(0, 1000), log); }, "it was cut short"},
      {"of another architecture", [&] { return both("endian", turned, log); }, "written on a machine of the other byte order"},
      {"of another version", [&] { return both("newer", changed(file, 8, 9), log); }, "it has file format 9, and this library reads up to format 2"},
      {"a log of another version", [&] { return both("newer-log", file, changed(log, 8, 9)); }, "it has log format 9, and this library reads up to format 1"},
      {"a log of 1 byte", [&] { return both("onebyte", file, "H"); }, "it has 1 bytes, which is less than the header of a log"},
      {"a log that has vanished", [&] { return write_file("nolog", file), std::string("nolog"); }, "is missing, and with it the changes that it holds"},
      {"a directory", [&] { return std::filesystem::create_directory("file_test.d/directory"), std::string("directory"); }, "a directory"},
      {"a path through a file", [&] { return std::string("good/x"); }, "Not a directory"},
      {"in a directory that is not there", [&] { return std::string("none/x"); }, "No such file or directory"},
      {"a link that leads nowhere", [&] { return std::filesystem::create_symlink("nowhere", "file_test.d/link"), std::string("link"); }, "No such file or directory"},
      {"a link to itself", [&] { return std::filesystem::create_symlink("loop", "file_test.d/loop"), std::string("loop"); }, "Too many levels of symbolic links"},
      {"a log that is a link", [&] {
         write_file("linked", file);
         std::filesystem::create_symlink("good-log", "file_test.d/linked-log");
         return std::string("linked");
       }, "it is a symbolic link"},
      {"a name that is too long", [&] { return std::string(300, 'n'); }, "File name too long"},
  };
  for (const BadInput& bad : table) {
    const std::string name = bad.make(), before = listing();
    INFO(bad.what);
    for (const uint32_t flags : {0u, uint32_t{HOLODB_OPEN_READONLY}}) {
      holodb_db* db = nullptr;
      REQUIRE(holodb_open(("file_test.d/" + name).c_str(), flags, HOLODB_VERSION, &db) != HOLODB_OK);
      const std::string why = holodb_open_errmsg();
      INFO(why);
      REQUIRE(db == nullptr);
      REQUIRE(why.find("file_test.d/" + name) != std::string::npos);
      REQUIRE(why.find(bad.reason) != std::string::npos);
      REQUIRE(std::string(holodb_open_sqlstate()) == "58030");
    }
    REQUIRE(listing() == before);
  }
  // Two at once, one of which is told why not.
  holodb_db *first = nullptr, *second = nullptr;
  REQUIRE(holodb_open("file_test.d/good", 0, HOLODB_VERSION, &first) == HOLODB_OK);
  const std::string before = listing();
  REQUIRE(holodb_open("file_test.d/good", 0, HOLODB_VERSION, &second) != HOLODB_OK);
  REQUIRE(std::string(holodb_open_errmsg()) == "cannot open file_test.d/good: another process, or another handle of this one, has it open");
  REQUIRE(listing() == before);
  REQUIRE(holodb_close(first) == HOLODB_OK);
}
