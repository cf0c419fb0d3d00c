// Invariants checked: S1 (a state that is written and read back is the same for every query, check and later change), S2 (twice the same bytes),
// C13 (only what has changed is written; what is newer than C, or uncommitted, is not in it), B2 (bytes that were changed are refused or harmless).
#include <catch2/catch.hpp>

#include <map>
#include <random>

#include "base/checksum.h"

#include "engine/checkpoint_state.h"
#include "engine/test_sql.h"

using namespace hdb;
using hdb::testing::Session;

namespace {

class MapObjects final : public ObjectSink {
 public:
  std::string read(const ObjectRef& ref) override {
    const auto at = objects.find(ref.where);
    if (at == objects.end() || at->second.size() != ref.bytes) throw Error("58030", "no such object");
    return at->second;
  }
  ObjectRef add(std::string_view bytes) override {
    ObjectRef ref{objects.size() + 1, static_cast<uint32_t>(bytes.size()), crc32c(bytes.data(), bytes.size())};
    objects[ref.where] = std::string(bytes);
    added += bytes.size();
    ++count;
    return ref;
  }
  std::map<uint64_t, std::string> objects;
  uint64_t added = 0, count = 0;
};

std::shared_ptr<Database> fresh() {
  DatabaseOptions options;
  options.single_thread = true;
  return std::make_shared<Database>(options);
}

// As a checkpoint does it; `between` runs after the turn was given up and before anything is written.
StateImage checkpoint(Database& db, MapObjects& objects, const StateImage& last = {}, const std::function<void()>& between = [] {}) {
  TransactionManager& manager = db.manager();
  CapturedState state;
  {
    Transaction turn(manager);
    turn.begin_write();
    state = capture_state(db.catalog(), manager.registry().newest());
    manager.registry().open_at(state.commit);
  }
  between();
  StateImage image = write_state(state, last, objects, manager.epochs());
  manager.registry().close(state.commit);
  return image;
}

std::shared_ptr<Database> reopened(MapObjects& objects, const StateImage& image, StateImage* loaded = nullptr) {
  DatabaseOptions options;
  options.single_thread = true;
  auto db = std::make_shared<Database>(options, Database::Recovering{});
  LoadedState state = load_state({image.directory, image.commit, image.next_id}, objects, &db->budget(), nullptr, 1);
  adopt_state(*db, state);
  if (loaded != nullptr) *loaded = state.image;
  db->start(nullptr, false);
  return db;
}

constexpr const char* kTables =
    "CREATE TABLE p(code TEXT PRIMARY KEY, label VARCHAR(20) UNIQUE);"
    "CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT REFERENCES p, v BIGINT NOT NULL DEFAULT 7, x DOUBLE, d DATE, m DECIMAL(12,2) DEFAULT 1.50, b BOOLEAN,"
    " UNIQUE (g, id));"
    "CREATE INDEX s ON t USING SUMMARY (g, d) INCLUDE (v, m); CREATE INDEX w ON t USING SUMMARY (b) INCLUDE (v);"
    "CREATE TABLE e(a BIGINT);"
    "INSERT INTO p VALUES ('a','A'),('b','B'),('c',NULL),('','empty');";
constexpr const char* kQueries[] = {
    "SHOW TABLES", "SHOW CREATE TABLE t", "SHOW CREATE TABLE p", "SELECT * FROM t ORDER BY id", "SELECT * FROM p ORDER BY code", "SELECT * FROM e",
    "SELECT COUNT(*), SUM(v), SUM(m), MIN(v), MAX(v), MIN(x), MAX(d) FROM t", "SELECT g, COUNT(*), SUM(v), SUM(m) FROM t GROUP BY g ORDER BY g",
    "SELECT g, d, COUNT(*), SUM(v), COUNT(m) FROM t GROUP BY g, d ORDER BY g, d", "SELECT b, SUM(v) FROM t GROUP BY b ORDER BY b",
    "SELECT v FROM t WHERE id = 17", "SELECT id FROM t WHERE g = 'b' AND id = 18", "SELECT label FROM p WHERE code = 'b'",
    "SELECT differences FROM summary_verify('s')", "SELECT differences FROM summary_verify('w')",
    "SELECT p.label, SUM(t.v) FROM t JOIN p ON t.g = p.code GROUP BY p.label ORDER BY p.label", "SELECT id FROM t WHERE v BETWEEN 100 AND 130 ORDER BY id"};

void require_same(Session& a, Session& b) {
  for (const char* mode : {"SET summary_mode = auto; SET zone_sums = on; SET indexes = on", "SET summary_mode = off; SET zone_sums = off; SET indexes = off"}) {
    a.run(mode);
    b.run(mode);
    for (const char* sql : kQueries) {
      INFO(mode << ": " << sql);
      REQUIRE(a.run(sql) == b.run(sql));
    }
  }
}

// One random statement; both databases must say the same of it.
std::string change(std::mt19937_64& random) {
  const auto n = [&](uint64_t below) { return std::to_string(random() % below); };
  const char* groups[] = {"'a'", "'b'", "'c'", "''", "NULL", "'no parent'"};
  switch (random() % 8) {
    case 0: case 1: case 2:
      return "INSERT INTO t VALUES (" + n(400) + "," + groups[random() % 6] + "," + (random() % 9 == 0 ? "9223372036854775807" : n(1000)) + "," +
             (random() % 5 == 0 ? "NULL" : n(100) + ".5e0") + ",DATE '2026-01-0" + std::to_string(1 + random() % 9) + "'," + n(99) + ".25," +
             (random() % 2 == 0 ? "TRUE" : "NULL") + ")";
    case 3: return "INSERT INTO t(id, g) VALUES (" + n(400) + "," + groups[random() % 5] + ")";
    case 4: return "DELETE FROM t WHERE id = " + n(400);
    case 5: return "UPDATE t SET v = v - " + n(5000) + ", x = NULL WHERE id < " + n(40);
    case 6: return "UPDATE t SET id = id + 400 WHERE id = " + n(400);
    default: return "UPDATE t SET g = " + std::string(groups[random() % 6]) + ", m = m + 0.01 WHERE id % 50 = " + n(50);
  }
}

}  // namespace

TEST_CASE("a state that is written and read back: every query, summary_verify, further changes, and written again") {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    std::mt19937_64 random(seed);
    Session model(fresh());
    REQUIRE(model.run(kTables) == "");
    MapObjects objects;
    StateImage image = checkpoint(model.database(), objects);
    std::shared_ptr<Database> db = reopened(objects, image, &image);
    for (int round = 0; round < 5; ++round) {
      INFO("seed " << seed << " round " << round);
      Session s(db);
      require_same(model, s);
      for (int i = 0; i < 60; ++i) {
        const std::string sql = change(random);
        INFO(sql);
        REQUIRE(model.run(sql) == s.run(sql));
      }
      if (round == 2) {
        for (Session* each : {&model, &s}) REQUIRE(each->run("DROP INDEX w; CREATE INDEX w ON t USING SUMMARY (b) INCLUDE (v); DROP TABLE e; CREATE TABLE e(a BIGINT)") == "");
      }
      require_same(model, s);
      const uint64_t newest = db->manager().registry().newest();
      image = checkpoint(*db, objects, image);
      REQUIRE(image.commit == newest);
      db = reopened(objects, image, &image);
      REQUIRE(db->manager().registry().newest() == newest);
      REQUIRE(db->catalog().peek_id() == model.database().catalog().peek_id());
    }
  }
}

TEST_CASE("what is newer than C or uncommitted is not in a checkpoint, and what readers see goes on") {
  MapObjects objects;
  Session s(fresh());
  Session writer(s.database_ptr()), reader(s.database_ptr());
  s.run("CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT, v BIGINT); CREATE INDEX s ON t USING SUMMARY (g) INCLUDE (v);"
        "INSERT INTO t SELECT a.value, 'g' || (a.value % 7), a.value FROM generate_series(1, 40000) AS a");
  if (s.run("SELECT COUNT(*) FROM t") != "40000") {
    s.run("INSERT INTO t VALUES (1,'g1',1)");
    for (int n = 1; n < 40000; n *= 2) s.run("INSERT INTO t SELECT id + " + std::to_string(n) + ", 'g' || (id % 7), id FROM t");
  }
  const char* sums = "SELECT COUNT(*), SUM(v), SUM(id) FROM t";
  const char* groups = "SELECT g, COUNT(*), SUM(v) FROM t GROUP BY g ORDER BY g";
  reader.run("BEGIN");
  const std::string before = reader.run(sums), before_groups = reader.run(groups);
  StateImage first = checkpoint(s.database(), objects, {}, [&] {
    REQUIRE(writer.run("UPDATE t SET v = v + 1, g = 'secret one' WHERE id % 3 = 0; DELETE FROM t WHERE id % 5 = 0; INSERT INTO t VALUES (1000001,'late',1)") == "");
    REQUIRE(writer.run("BEGIN; UPDATE t SET v = 123456789012 WHERE id % 2 = 1; INSERT INTO t SELECT id + 2000000, 'secret two', v FROM t WHERE id < 30000") == "");
  });
  for (const auto& [where, bytes] : objects.objects) {
    REQUIRE(bytes.find("secret") == std::string::npos);
    REQUIRE(bytes.find("late") == std::string::npos);
  }
  REQUIRE(reader.run(sums) == before);
  {
    Session copy(reopened(objects, first));
    REQUIRE(copy.run(sums) == before);
    REQUIRE(copy.run(groups) == before_groups);
    REQUIRE(copy.run("SELECT differences FROM summary_verify('s')") == "0");
    REQUIRE(copy.run("SELECT v FROM t WHERE id = 33") == reader.run("SELECT v FROM t WHERE id = 33"));
    REQUIRE(copy.run("INSERT INTO t VALUES (1000001,'late',1)") == "");
  }
  // What was newer then must be seen as changed now, whatever its version says.
  REQUIRE(writer.run("COMMIT") == "");
  reader.run("COMMIT");
  const StateImage second = checkpoint(s.database(), objects, first);
  Session copy(reopened(objects, second));
  REQUIRE(copy.run(sums) == s.run(sums));
  REQUIRE(copy.run(groups) == s.run(groups));
  REQUIRE(copy.run("SELECT differences FROM summary_verify('s')") == "0");
}

TEST_CASE("a second checkpoint writes what has changed and nothing else; the same state twice is the same bytes") {
  MapObjects objects;
  Session s(fresh());
  s.run("CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT, v BIGINT, w BIGINT); CREATE TABLE u(a BIGINT, b TEXT); CREATE INDEX s ON u USING SUMMARY (b) INCLUDE (a);"
        "INSERT INTO t VALUES (1,'a',1,1); INSERT INTO u VALUES (1,'x'),(2,'y')");
  for (int n = 1; n < 100'000; n *= 2) s.run("INSERT INTO t SELECT id + " + std::to_string(n) + ", 'g' || (id % 7), id, id * 3 FROM t");
  const StateImage first = checkpoint(s.database(), objects);
  const uint64_t all_bytes = objects.added, all_count = objects.count;
  objects.added = objects.count = 0;
  const StateImage same = checkpoint(s.database(), objects, first);
  REQUIRE(objects.count == 1);  // the directory
  REQUIRE(objects.read(same.directory) == objects.read(first.directory));
  objects.added = objects.count = 0;
  s.run("UPDATE t SET v = -1 WHERE id = 70000");
  const StateImage third = checkpoint(s.database(), objects, same);
  CAPTURE(all_bytes, all_count, objects.added, objects.count);
  REQUIRE(objects.count == 3);  // one column of one block, the heads of its group, the directory
  REQUIRE(objects.added * 5 < all_bytes);
  // An undone change leaves nothing to write.
  objects.added = objects.count = 0;
  s.run("BEGIN; UPDATE t SET w = 5 WHERE id < 10; INSERT INTO u VALUES (3,'z'); ROLLBACK");
  const StateImage fourth = checkpoint(s.database(), objects, third);
  REQUIRE(objects.count <= 4);  // the new text of u's dictionary is there for good, and bounds that have widened
  // After reading it back the same holds.
  StateImage loaded;
  Session copy(reopened(objects, fourth, &loaded));
  objects.added = objects.count = 0;
  const StateImage fifth = checkpoint(copy.database(), objects, loaded);
  REQUIRE(objects.count == 1);
  REQUIRE(copy.run("INSERT INTO u VALUES (3,'z')") == "");
  objects.added = objects.count = 0;
  const StateImage sixth = checkpoint(copy.database(), objects, fifth);
  REQUIRE((objects.count >= 3 && objects.count <= 6));  // one of u's two columns or both, heads, a cell part, the directory
  REQUIRE(Session(reopened(objects, sixth)).run("SELECT SUM(a), COUNT(*) FROM u") == "6|3");
}

TEST_CASE("texts past the dictionary's limit come back, deleted ones too") {
  MapObjects objects;
  Session s(fresh());
  s.run("CREATE TABLE t(id BIGINT, g TEXT UNIQUE); INSERT INTO t VALUES (0,'t0')");
  for (int n = 1; n < 70'000; n *= 2) s.run("INSERT INTO t SELECT id + " + std::to_string(n) + ", 't' || (id + " + std::to_string(n) + ") FROM t");
  s.run("DELETE FROM t WHERE id % 7 = 0; INSERT INTO t VALUES (-1, NULL)");
  const std::string rows = s.run("SELECT COUNT(*), SUM(id), MAX(g), MIN(g), SUM(LENGTH(g)) FROM t");
  Session copy(reopened(objects, checkpoint(s.database(), objects)));
  REQUIRE(copy.run("SELECT COUNT(*), SUM(id), MAX(g), MIN(g), SUM(LENGTH(g)) FROM t") == rows);
  for (const char* key : {"t1", "t65999", "t69997", "t69998"}) {
    const std::string sql = std::string("SELECT id FROM t WHERE g = '") + key + "'";
    REQUIRE(copy.run(sql) == s.run(sql));
  }
  REQUIRE(copy.run("INSERT INTO t VALUES (5,'t69996')") == s.run("INSERT INTO t VALUES (5,'t69996')"));
  REQUIRE(copy.run("INSERT INTO t VALUES (5,'t69997')") == s.run("INSERT INTO t VALUES (5,'t69997')"));
}

TEST_CASE("objects with any byte changed, cut or lengthened: an error 58030, or a state that answers; never anything else") {
  MapObjects objects;
  Session s(fresh());
  REQUIRE(s.run(std::string(kTables) + "INSERT INTO t(id, g) VALUES (1,'a'),(2,'b'),(3,NULL); DELETE FROM t WHERE id = 2") == "");
  const StateImage image = checkpoint(s.database(), objects);
  std::mt19937_64 random(3);
  uint64_t refused = 0, opened = 0;
  for (auto& [where, bytes] : objects.objects) {
    const std::string healthy = bytes;
    for (size_t at = 0; at < healthy.size(); at += 1 + (healthy.size() > 300 ? random() % 3 : 0)) {
      bytes = healthy;
      if (random() % 20 == 0) bytes.resize(at);
      else if (!bytes.empty()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << (random() % 8)));
      try {
        Session copy(reopened(objects, image));
        copy.run("SELECT COUNT(*) FROM t");
        copy.run("SELECT g, SUM(v) FROM t GROUP BY g");
        ++opened;
      } catch (const Error& e) {
        INFO(e.message());
        REQUIRE((std::string(e.sqlstate()) == "58030" || std::string(e.sqlstate()) == "0A000" || std::string(e.sqlstate()) == "54000" || std::string(e.sqlstate()) == "53200"));
        ++refused;
      }
    }
    bytes = healthy;
  }
  CAPTURE(refused, opened);
  REQUIRE((refused > 300 && opened > 100));
}
