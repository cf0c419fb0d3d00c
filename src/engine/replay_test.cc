// The log's groups, replayed into a second database, give the same database.
#include <catch2/catch.hpp>

#include "engine/replay.h"
#include "engine/test_sql.h"
#include "log/memory_log.h"
#include "log/record.h"

using namespace hdb;
using hdb::testing::Session;

namespace {

std::shared_ptr<Database> recorded() {
  DatabaseOptions options;
  options.log = [](TransactionManager&) { return std::make_unique<RecordingLog>(); };
  return std::make_shared<Database>(options);
}
std::vector<std::string> groups_of(Database& db) { return static_cast<RecordingLog&>(db.log()).groups(); }

std::string whole(Session& s) {
  std::string out;
  std::string tables = s.run("SHOW TABLES");
  for (size_t at = 0; at < tables.size();) {
    const size_t end = std::min(tables.find('\n', at), tables.size());
    const std::string t = tables.substr(at, end - at);
    out += t + "\n" + s.run("SHOW CREATE TABLE " + t) + "\n" + s.run("SELECT * FROM " + t + " ORDER BY 1, 2, 3") + "\n";
    for (const char* q : {"SELECT COUNT(*) FROM ", "SELECT g, COUNT(*), SUM(v) FROM "}) {
      const bool grouped = q[7] == 'g';
      out += s.run(q + t + (grouped ? " GROUP BY g ORDER BY g" : "")) + "\n";
    }
    at = end + 1;
  }
  return out;
}

void check_summaries(Session& s) {
  const std::string indexes = s.run("SHOW INDEXES");
  for (size_t at = 0; at < indexes.size();) {
    const size_t end = std::min(indexes.find('\n', at), indexes.size());
    const std::string line = indexes.substr(at, end - at);
    if (line.find("|summary|") != std::string::npos) {
      const size_t a = line.find('|') + 1, b = line.find('|', a);
      REQUIRE(s.run("SELECT differences FROM summary_verify('" + line.substr(a, b - a) + "')") == "0");
    }
    at = end + 1;
  }
}

void replay_equals(Session& s) {
  Session again;
  replay(again.connection(), groups_of(s.database()));
  REQUIRE(whole(again) == whole(s));
  check_summaries(again);
  check_summaries(s);
  // And the copy goes on as the original would: slots that are free are free, keys are known.
  for (Session* one : {&s, &again}) {
    one->run("DELETE FROM t0 WHERE id < 8; INSERT INTO t0 VALUES (1001,'p',1,0.5),(1002,'q',2,NULL); UPDATE t0 SET v = 5 WHERE id > 20");
    one->run("INSERT INTO t0 VALUES (1001,'twice',1,NULL)");
  }
  REQUIRE(whole(again) == whole(s));
  check_summaries(again);
}

}  // namespace

TEST_CASE("deletes come first: a key that is deleted and inserted again is no duplicate (case 22)") {
  Session s(recorded());
  s.run("CREATE TABLE t0(id BIGINT PRIMARY KEY, g TEXT, v BIGINT, r DOUBLE); INSERT INTO t0 VALUES (1,'a',1,0.5),(2,'b',2,NULL)");
  REQUIRE(s.run("BEGIN; DELETE FROM t0 WHERE id = 1; INSERT INTO t0 VALUES (1,'c',3,1.5); UPDATE t0 SET id = 9 WHERE id = 2;"
                "INSERT INTO t0 VALUES (2,'d',4,NULL); DELETE FROM t0 WHERE id = 9; COMMIT") == "");
  replay_equals(s);
}

TEST_CASE("definitions among changes, in one transaction") {
  Session s(recorded());
  REQUIRE(s.run("CREATE TABLE t0(id BIGINT PRIMARY KEY, g TEXT, v BIGINT, r DOUBLE); INSERT INTO t0 VALUES (1,'a',1,0.5),(2,'a',2,NULL),(3,NULL,NULL,1e300)") == "");
  REQUIRE(s.run("BEGIN; CREATE TABLE gone(id BIGINT); ROLLBACK") == "");  // its id is not used again, here or there
  REQUIRE(s.run("BEGIN; DELETE FROM t0 WHERE id = 2; CREATE UNIQUE INDEX u ON t0(g); UPDATE t0 SET v = 7 WHERE id = 1; CREATE TABLE t1(id BIGINT PRIMARY KEY,"
                "g TEXT, v BIGINT REFERENCES t0); INSERT INTO t1 VALUES (5,'x',1); CREATE INDEX s ON t0 USING SUMMARY (g) INCLUDE (v); DROP INDEX u;"
                "INSERT INTO t0 VALUES (4,'a',4,-0.0e0); SAVEPOINT p; DROP TABLE t1; ROLLBACK TO p; COMMIT") == "");
  replay_equals(s);
}

TEST_CASE("loads are logged as ranges and come back as they were") {
  Session s(recorded());
  s.run("CREATE TABLE t0(id BIGINT PRIMARY KEY, g TEXT, v BIGINT, r DOUBLE); CREATE INDEX s ON t0 USING SUMMARY (g) INCLUDE (v)");
  s.run("CREATE TABLE t1(id BIGINT, g TEXT, v BIGINT); INSERT INTO t1 VALUES (0,'x',1)");
  for (int i = 0; i < 11; ++i) s.run("INSERT INTO t1 SELECT id + " + std::to_string(1 << i) + ", g || '" + std::to_string(i) + "', v * -3 FROM t1");
  REQUIRE(s.run("INSERT INTO t0 SELECT id, g, v, NULL FROM t1; SELECT COUNT(*) FROM t0") == "2048");
  REQUIRE(s.run("BEGIN; INSERT INTO t0 SELECT id + 5000, NULL, v, 0.25 FROM t1; UPDATE t0 SET g = 'changed' WHERE id = 5003; DELETE FROM t0 WHERE id = 5005; COMMIT;"
                "SELECT COUNT(*) FROM t0") == "4095");
  uint32_t ranges = 0;
  for (const std::string& g : groups_of(s.database())) {
    GroupReader reader(g);
    LoggedRecord r;
    while (reader.next(&r)) ranges += r.kind == RecordKind::kRange ? 1 : 0;
  }
  REQUIRE(ranges >= 8);
  replay_equals(s);
}

TEST_CASE("random histories: statements, savepoints, rollbacks, definitions, summaries") {
  uint64_t seed = Catch::rngSeed() * 0x9E3779B97F4A7C15u + 1;
  const auto random = [&](uint64_t n) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (seed >> 11) % n;
  };
  for (int history = 0; history < 12; ++history) {
    INFO("history " << history);
    Session s(recorded());
    s.run("CREATE TABLE t0(id BIGINT PRIMARY KEY, g TEXT, v BIGINT, r DOUBLE)");
    bool open = false;
    for (int step = 0; step < 120; ++step) {
      const std::string t = "t" + std::to_string(random(3));
      const std::string id = std::to_string(random(40)), v = random(8) == 0 ? "NULL" : std::to_string(static_cast<int64_t>(random(2'000'000)) - 1'000'000);
      const std::string g = random(6) == 0 ? "NULL" : "'g" + std::to_string(random(7)) + "'";
      std::string sql;
      switch (random(16)) {
        case 0: sql = open ? (random(2) == 0 ? "COMMIT" : "ROLLBACK") : "BEGIN"; break;
        case 1: sql = "SAVEPOINT p" + std::to_string(random(2)); break;
        case 2: sql = "ROLLBACK TO p" + std::to_string(random(2)); break;
        case 3: sql = "CREATE TABLE " + t + "(id BIGINT PRIMARY KEY, g TEXT, v BIGINT, r DOUBLE)"; break;
        case 4: sql = t == "t0" ? "SELECT 1" : "DROP TABLE " + t; break;
        case 5: sql = "CREATE INDEX s" + t + " ON " + t + " USING SUMMARY (g) INCLUDE (v)"; break;
        case 6: sql = random(2) == 0 ? "DROP INDEX s" + t : "CREATE UNIQUE INDEX u" + t + " ON " + t + "(v)"; break;
        case 7: sql = "DROP INDEX u" + t; break;
        case 8: sql = "UPDATE " + t + " SET g = " + g + ", v = " + v + " WHERE id = " + id; break;
        case 9: sql = "UPDATE " + t + " SET id = id + 100 WHERE id < " + id; break;
        case 10: sql = "DELETE FROM " + t + " WHERE id = " + id; break;
        case 11: sql = "DELETE FROM " + t + " WHERE g = " + g; break;
        case 12: sql = "INSERT INTO " + t + " SELECT id + 200, g, v + 1, r FROM t0"; break;
        default: sql = "INSERT INTO " + t + " VALUES (" + id + "," + g + "," + v + ",0.5),(" + std::to_string(random(300)) + "," + g + "," + v + ",NULL)";
      }
      s.run(sql);  // many fail, which is part of it
      open = s.connection().in_transaction();
    }
    if (open) s.run(random(2) == 0 ? "COMMIT" : "ROLLBACK");
    replay_equals(s);
  }
}

TEST_CASE("a group that was damaged is refused") {
  Session s(recorded());
  s.run("CREATE TABLE t0(id BIGINT PRIMARY KEY, g TEXT); INSERT INTO t0 VALUES (1,'a')");
  const std::string good = groups_of(s.database()).back();
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x10);
    REQUIRE_THROWS_AS(GroupReader(bad), Error);
    REQUIRE_THROWS_AS(GroupReader(std::string_view(good).substr(0, i)), Error);
  }
  REQUIRE(GroupReader(good).sequence() == 2);
}
