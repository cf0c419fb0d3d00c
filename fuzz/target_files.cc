// A database's two files with bytes changed: log, pages, header and roots. Opening gives a state that was committed, or one error; never another state.
#include <algorithm>
#include <cstring>

#include "base/checksum.h"
#include "engine/database_file.h"
#include "engine/test_sql.h"
#include "io/memory_files.h"
#include "log/log_format.h"
#include "targets.h"

namespace judge {

namespace {

using hdb::testing::Session;

constexpr const char* kPath = "d.holodb";
constexpr const char* kAll = "SELECT id, g, v FROM t ORDER BY id";
constexpr const char* kTotals = "SELECT COUNT(*), sum_exact(v) FROM t";

struct Made {
  std::string file, log;
  std::vector<std::string> states;  // after each commit
};

Made make(model::Random& r) {
  hdb::MemoryFiles files;
  Made made;
  {
    Session s(hdb::open_database(files, kPath, {}));
    const auto run = [&s](const std::string& sql) {
      const std::string got = s.run(sql);
      require(got.rfind("error", 0) != 0, "set-up: " + got + " " + s.error() + "\n  " + sql);
    };
    run("CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT, v BIGINT)");
    made.states = {"error 42P01", ""};
    for (int64_t i = 1 + r.range(1, 9); i > 0; --i) {
      const std::string n = std::to_string(r.below(1000) * 100 + static_cast<uint64_t>(i));
      switch (r.below(7)) {
        case 0:
          run("CHECKPOINT");
          continue;
        case 1:
          run("DELETE FROM t WHERE id % 3 = 0");
          break;
        case 2:
          run("UPDATE t SET v = v * 2 - 1, g = g || 'x' WHERE id % 2 = 1");
          break;
        case 3:
          run("CREATE TABLE u" + n + "(a BIGINT)");
          break;
        default:
          run("INSERT INTO t VALUES (" + n + ", 'g" + n + "', " + n + "), (" + n + "00000, NULL, NULL)");
      }
      made.states.push_back(s.run(kAll));
    }
  }
  made.file = files.contents(kPath), made.log = files.contents(hdb::log_path(kPath));
  return made;
}

void change(model::Random& r, std::string& bytes, size_t from) {
  if (bytes.size() <= from) return;
  for (uint64_t n = 1 + r.below(4); n > 0; --n) {
    const size_t at = from + r.below(bytes.size() - from);
    bytes[at] = static_cast<char>(r.chance(50) ? bytes[at] ^ static_cast<char>(1 << r.below(8)) : static_cast<char>(r.below(256)));
  }
  if (r.chance(10)) bytes.resize(from + r.below(bytes.size() - from));
  if (r.chance(10)) bytes += bytes.substr(from + r.below(bytes.size() - from), 200);
}

// One group's records changed, and its checksum made right again: what is wrong can be seen from the records alone.
void change_sealed(model::Random& r, std::string& log) {
  std::vector<std::pair<size_t, size_t>> groups;
  for (size_t at = hdb::kLogHeaderBytes; at + hdb::kGroupHeaderBytes <= log.size();) {
    hdb::GroupHeader header;
    if (!hdb::read_group_header(log.data() + at, &header) || header.bytes < hdb::kGroupHeaderBytes || header.bytes > log.size() - at) break;
    if (header.bytes > hdb::kGroupHeaderBytes) groups.emplace_back(at, header.bytes);
    at += header.bytes;
  }
  if (groups.empty()) return;
  const auto [at, bytes] = groups[r.below(groups.size())];
  for (uint64_t n = 1 + r.below(3); n > 0; --n) log[at + hdb::kGroupHeaderBytes + r.below(bytes - hdb::kGroupHeaderBytes)] = static_cast<char>(r.below(256));
  const uint32_t sum = hdb::crc32c(log.data() + at + 8, bytes - 8);
  std::memcpy(log.data() + at + 4, &sum, 4);
  hdb::GroupHeader header;
  if (!hdb::read_group_header(log.data() + at, &header) || !hdb::group_is_whole({log.data() + at, bytes}, header))
    throw Failure{"wrong-result", "F12: the target cannot seal a group"};
}

// "error SQLSTATE", or the rows. Damage has its code, and is never our own fault.
std::string opened(hdb::MemoryFiles& files, bool sealed) {
  std::string out, totals;
  try {
    hdb::DatabaseOptions options;
    Session s(hdb::open_database(files, kPath, options));
    out = s.run(kAll), totals = s.run(kTotals);
    if (out.rfind("error", 0) == 0 || totals.rfind("error", 0) == 0) {
      const std::string state = (out.rfind("error", 0) == 0 ? out : totals).substr(6);
      if (state == "XX000") throw Failure{"self-check", "F12: XX000 " + s.error()};
      require(sealed || state == "XX001" || state == "58030" || state == "42P01", "F12: " + state + " " + s.error());
    } else {
      const std::string scanned = s.run("SELECT COUNT(*), sum_exact(v) FROM t WHERE COALESCE(id, 0) = id");
      require(totals == scanned, "F12: totals and their scan after opening: " + totals + " and " + scanned);
    }
  } catch (const hdb::Error& e) {
    const std::string state = e.sqlstate();
    if (state == "XX000") throw Failure{"self-check", std::string("F12: XX000 ") + e.what()};
    require(sealed || state == "XX001" || state == "58030", "F12: " + state + " " + e.what());
    return "error " + state;
  }
  return out;
}

}  // namespace

void fuzz_files(const uint8_t* data, size_t size, Tally& tally) {
  model::Random r(data, size);
  const Made made = make(r);
  for (int i = 0; i < 12; ++i) {
    ++tally.statements;
    hdb::MemoryFiles files;
    Made bad = made;
    const uint64_t what = r.below(5);
    if (what < 2) change(r, bad.log, r.chance(10) ? 0 : std::min(hdb::kLogHeaderBytes, bad.log.size()));
    else if (what < 4) change(r, bad.file, 0);
    else change_sealed(r, bad.log);
    files.set_contents(kPath, bad.file);
    files.set_contents(hdb::log_path(kPath), bad.log);
    const std::string got = opened(files, what == 4);
    const bool known = std::find(made.states.begin(), made.states.end(), got) != made.states.end() || got.rfind("error", 0) == 0;
    require(what == 4 || known, "F12: a state that was never committed: " + got.substr(0, 300));
    if (!r.chance(30)) continue;
    hdb::MemoryFiles damaged;
    damaged.set_contents(kPath, bad.file);
    damaged.set_contents(hdb::log_path(kPath), bad.log);
    try {
      hdb::salvage_database(damaged, kPath, "s.holodb");
    } catch (const hdb::Error& e) {
      if (std::string(e.sqlstate()) == "XX000") throw Failure{"self-check", std::string("F12: XX000 ") + e.what()};
    }
  }
}

}  // namespace judge
