// Invariants checked: C16 (a limb kept from first use follows both tables), LM1, LM3, LM4, LA1, LA2, KM1, and that EXPLAIN and SHOW INDEXES tell.
#include <catch2/catch.hpp>

#include <random>

#include "catalog/catalog.h"
#include "engine/database.h"
#include "engine/test_sql.h"
#include "plane/limb.h"

using hdb::testing::Session;

namespace {

const char* const kQuestions[] = {
    "SELECT c.region, COUNT(*), SUM(i.amount), COUNT(i.amount), AVG(i.amount) FROM invoice i JOIN customer c ON c.id = i.customer GROUP BY c.region ORDER BY c.region",
    "SELECT c.region, i.status, COUNT(*), SUM(i.amount) FROM invoice i JOIN customer c ON c.id = i.customer GROUP BY c.region, i.status ORDER BY c.region, i.status",
    "SELECT SUM(i.tax), COUNT(*) FROM invoice i JOIN customer c ON c.id = i.customer WHERE c.region = 'north' OR c.name LIKE '%1'",
    "SELECT c.name, SUM(i.tax) AS s FROM invoice i JOIN customer c ON c.id = i.customer GROUP BY c.name ORDER BY s DESC, c.name LIMIT 4",
    "SELECT c.id, i.customer, c.name, COUNT(*) FROM invoice i JOIN customer c ON c.id = i.customer WHERE i.status <> 'void' GROUP BY c.id, i.customer, c.name ORDER BY c.id",
    "SELECT c.name, SUM(i.tax) AS s FROM invoice i JOIN customer c ON c.id = i.customer GROUP BY c.name ORDER BY s, c.name LIMIT 3 OFFSET 1",
    "SELECT upper(c.region) AS u, i.status IS NULL AS n, SUM(i.tax) FROM invoice i JOIN customer c ON c.id = i.customer WHERE i.paid GROUP BY u, n ORDER BY u, n",
    "SELECT c.region, COUNT(*), SUM(i.tax) FROM invoice i LEFT JOIN customer c ON c.id = i.customer GROUP BY c.region ORDER BY c.region",
    "SELECT c.id, c.name, i.status, COUNT(*), SUM(i.amount) FROM invoice i LEFT JOIN customer c ON c.id = i.customer AND c.region = 'north' WHERE i.paid"
    " GROUP BY c.id, c.name, i.status ORDER BY c.id, c.name, i.status",
    "SELECT c.region, SUM(i.tax) AS s FROM invoice i LEFT JOIN customer c ON c.id = i.customer AND c.name <> 'c3' GROUP BY c.region ORDER BY s DESC, c.region LIMIT 2",
    "SELECT c.region, SUM(i.tax) FROM invoice i JOIN customer c ON c.id = i.customer WHERE i.customer BETWEEN 0 AND 9 GROUP BY c.region ORDER BY c.region",
    "SELECT COUNT(*), SUM(i.tax) FROM invoice i LEFT JOIN customer c ON c.id = i.customer WHERE i.customer IS NULL OR i.customer > 7",
};

void fill(Session& s) {
  REQUIRE(s.run("CREATE TABLE customer(id BIGINT PRIMARY KEY, name TEXT NOT NULL, region TEXT);"
                "CREATE TABLE invoice(id BIGINT PRIMARY KEY, customer BIGINT REFERENCES customer(id), status TEXT, paid BOOLEAN NOT NULL, amount BIGINT,"
                " tax BIGINT NOT NULL)") == "");
  for (int i = 0; i < 20; ++i) {
    const std::string id = std::to_string(i - 5);
    REQUIRE(s.run("INSERT INTO customer VALUES (" + id + ",'c" + std::to_string(i % 13) + "'," + (i % 5 == 0 ? "NULL" : i % 2 == 0 ? "'north'" : "'south'") + ")") == "");
  }
  for (int i = 0; i < 120; ++i) {
    const std::string customer = i % 17 == 0 ? "NULL" : std::to_string(i * 7 % 20 - 5), status = i % 11 == 0 ? "NULL" : i % 3 == 0 ? "'void'" : "'open'";
    REQUIRE(s.run("INSERT INTO invoice VALUES (" + std::to_string(i) + "," + customer + "," + status + "," + (i % 4 == 0 ? "false" : "true") + "," +
                  (i % 13 == 0 ? "NULL" : std::to_string(i * 31 - 900)) + "," + std::to_string(i % 7 * 100) + ")") == "");
  }
}

void same(Session& s) {
  for (const char* q : kQuestions) {
    INFO(q);
    REQUIRE(s.run("SET summary_mode = off") == "");
    const std::string wanted = s.run(q);
    REQUIRE(s.run("SET summary_mode = auto") == "");
    REQUIRE(s.run(q) == wanted);
    REQUIRE(s.run(q) == wanted);
  }
}

std::vector<std::shared_ptr<hdb::Limb>> limbs(Session& s, const char* table) {
  const hdb::Snapshot newest{s.database().manager().registry().newest(), nullptr, 0};
  return kept_limbs(*s.database().catalog().require_table(table, newest, 0)->table);
}

}  // namespace

TEST_CASE("C16 a limb kept from first use follows both tables through changes, savepoints and rollbacks") {
  Session s;
  fill(s);
  same(s);
  REQUIRE(!limbs(s, "invoice").empty());
  std::mt19937_64 random(3);
  for (int round = 0; round < 80; ++round) {
    const std::string id = std::to_string(random() % 120), customer = random() % 8 == 0 ? "NULL" : std::to_string(static_cast<int>(random() % 20) - 5);
    const bool open = round % 5 == 0;
    if (open) REQUIRE(s.run("BEGIN; DELETE FROM invoice WHERE id = " + id + "; SAVEPOINT p") == "");
    REQUIRE(s.run("UPDATE invoice SET customer = " + customer + ", tax = tax + 1 WHERE id = " + id) == "");
    if (round % 3 == 0) REQUIRE(s.run("UPDATE customer SET region = 'r" + std::to_string(round % 4) + "' WHERE id = " + std::to_string(round % 20 - 5)) == "");
    if (round % 7 == 0) REQUIRE(s.run("UPDATE invoice SET amount = NULL, status = 'void' WHERE customer = 3 AND id % 2 = 0") == "");
    same(s);
    if (open) {
      REQUIRE(s.run("ROLLBACK TO p") == "");
      same(s);
      REQUIRE(s.run(round % 10 == 0 ? "COMMIT" : "ROLLBACK") == "");
      same(s);
    }
  }
}

TEST_CASE("LM1 an older reader's limb is without what was committed since") {
  Session writer;
  fill(writer);
  same(writer);
  Session old(writer.database_ptr());
  REQUIRE(old.run("BEGIN; SELECT COUNT(*) FROM customer") == "20");
  REQUIRE(old.run("SET summary_mode = off") == "");
  std::vector<std::string> wanted;
  for (const char* q : kQuestions) wanted.push_back(old.run(q));
  REQUIRE(old.run("SET summary_mode = auto") == "");
  for (int i = 0; i < 150; ++i) {
    REQUIRE(writer.run("UPDATE invoice SET tax = tax + 5, customer = " + std::to_string(i % 20 - 5) + " WHERE id = " + std::to_string(i % 120)) == "");
    if (i == 40) REQUIRE(writer.run("UPDATE customer SET region = 'west', name = 'x' WHERE id > 8") == "");
    if (i % 25 != 0) continue;
    for (size_t q = 0; q < wanted.size(); ++q) REQUIRE(old.run(kQuestions[q]) == wanted[q]);
    same(writer);
  }
  REQUIRE(old.run("COMMIT") == "");
  same(old);
}

TEST_CASE("LM4 a limb read off a summary is the one that would be counted, for every snapshot") {
  Session s;
  fill(s);
  Session old(s.database_ptr());
  REQUIRE(s.run("CREATE INDEX whole ON invoice USING SUMMARY (status, customer, paid) INCLUDE (tax, amount)") == "");
  REQUIRE(s.run(std::string("EXPLAIN ") + kQuestions[1]).find("limb (customer, status) of summary whole") != std::string::npos);
  std::mt19937_64 random(5);
  for (int round = 0; round < 40; ++round) {
    // Nothing is kept at the beginning of a round: what is asked first comes from the summary.
    REQUIRE(s.run("SET limbs = on; INSERT INTO customer VALUES (" + std::to_string(1'000'000 + round * 1000) + ", 'far', 'x'); INSERT INTO invoice VALUES (" +
                  std::to_string(1000 + round) + ", " + std::to_string(1'000'000 + round * 1000) + ", 'open', true, 1, 1)") == "");
    for (const auto& l : limbs(s, "invoice")) REQUIRE(l->dead());
    REQUIRE(s.run("DELETE FROM invoice WHERE id >= 1000; DELETE FROM customer WHERE id >= 1000000") == "");
    const std::string id = std::to_string(random() % 120), other = std::to_string(random() % 120);
    std::vector<std::string> wanted;
    REQUIRE(old.run("BEGIN; SET summary_mode = off") == "");
    for (const char* q : kQuestions) wanted.push_back(old.run(q));
    REQUIRE(old.run("SET summary_mode = auto") == "");
    REQUIRE(s.run("UPDATE invoice SET tax = tax + 7, customer = " + std::to_string(static_cast<int>(random() % 20) - 5) + " WHERE id IN (" + id + ", " + other + ")") == "");
    if (round % 2 == 0) REQUIRE(s.run("BEGIN; UPDATE invoice SET amount = NULL, status = 'void' WHERE id = " + other) == "");
    for (size_t q = 0; q < wanted.size(); ++q) REQUIRE(old.run(kQuestions[q]) == wanted[q]);  // older than the summary's latest state
    same(s);
    if (round % 2 == 0) REQUIRE(s.run(round % 4 == 0 ? "COMMIT" : "ROLLBACK") == "");
    same(s);
    REQUIRE(old.run("COMMIT") == "");
  }
}

TEST_CASE("LM3 a limb that cannot follow gives way to a new one") {
  Session s;
  fill(s);
  same(s);
  const auto before = limbs(s, "invoice");
  REQUIRE(s.run("INSERT INTO customer VALUES (5000, 'far', 'north'); INSERT INTO invoice VALUES (900, 5000, 'open', true, 1, 1)") == "");
  for (const auto& l : before) REQUIRE(l->dead());
  same(s);
  REQUIRE(s.run("INSERT INTO invoice VALUES (901, 5000, 'quite new', true, 9000000000000000000, 1)") == "");  // a code and a sum that did not fit
  same(s);
  REQUIRE(s.run("INSERT INTO invoice VALUES (902, 5000, 'open', true, 9000000000000000000, 1)") == "");
  REQUIRE(s.run(kQuestions[0]) == "error 22003");
  REQUIRE(s.run("DELETE FROM invoice WHERE id >= 901") == "");
  same(s);
  // Rolled back with the limb that it ended.
  REQUIRE(s.run("BEGIN; INSERT INTO invoice VALUES (903, 4, 'another', true, 1, 1)") == "");
  same(s);
  REQUIRE(s.run("ROLLBACK") == "");
  same(s);
  REQUIRE(s.run("DELETE FROM invoice") == "");
  same(s);
}

TEST_CASE("a limb may be switched off, and is shown") {
  Session s;
  fill(s);
  REQUIRE(s.run("SET limbs = off") == "");
  REQUIRE(s.run(kQuestions[0]) != "");
  REQUIRE(limbs(s, "invoice").empty());
  REQUIRE(s.run(std::string("EXPLAIN ") + kQuestions[0]).find("limb (customer) invoice i:") == std::string::npos);
  REQUIRE(s.run("SET limbs = on") == "");
  REQUIRE(s.run(std::string("EXPLAIN ") + kQuestions[0]).find("limb (customer) invoice i:") != std::string::npos);
  REQUIRE(s.run(kQuestions[0]) != "");
  REQUIRE(limbs(s, "invoice").size() == 1);
  REQUIRE(s.run("SHOW INDEXES FROM invoice").find("invoice|(customer)|limb|customer|amount|") != std::string::npos);
}

TEST_CASE("LA1 groups of a wide key without a join, in the same order whichever limb serves") {
  Session s;
  REQUIRE(s.run("CREATE TABLE t(k BIGINT, g TEXT NOT NULL, v BIGINT NOT NULL)") == "");
  for (int i = 0; i < 60; ++i) {
    std::string rows;
    for (int j = 0; j < 50; ++j) {
      const int n = i * 50 + j;
      const std::string key = n % 40 == 0 ? "NULL" : std::to_string(n * 37 % 1500 - 700);
      rows += (j > 0 ? ",(" : "(") + key + ",'g" + std::to_string(n % 3) + "'," + std::to_string(n % 91) + ")";
    }
    REQUIRE(s.run("INSERT INTO t VALUES " + rows) == "");
  }
  const char* const questions[] = {"SELECT k, SUM(v) AS s FROM t GROUP BY k ORDER BY s DESC, k LIMIT 10",
                                   "SELECT k, COUNT(*) AS n FROM t WHERE g <> 'g1' GROUP BY k ORDER BY n, k LIMIT 7",
                                   "SELECT k, g, SUM(v) FROM t GROUP BY k, g ORDER BY k, g",
                                   "SELECT k, SUM(v) AS s FROM t GROUP BY k ORDER BY s, k DESC LIMIT 12 OFFSET 3"};
  const std::string unordered = s.run("SELECT k, SUM(v) FROM t GROUP BY k");
  REQUIRE(limbs(s, "t").size() == 1);
  for (const char* q : questions) {
    REQUIRE(s.run("SET summary_mode = off") == "");
    const std::string wanted = s.run(q);
    REQUIRE(s.run("SET summary_mode = auto") == "");
    REQUIRE(s.run(q) == wanted);
    REQUIRE(s.run("UPDATE t SET v = v WHERE k = 5") == "");
    REQUIRE(s.run(q) == wanted);
  }
  REQUIRE(s.run("SELECT k, SUM(v) FROM t GROUP BY k") == unordered);
}

TEST_CASE("LB2 rows whose keys are too many for a limb are counted by group, at every snapshot") {
  Session s;
  REQUIRE(s.run("CREATE TABLE d(id BIGINT PRIMARY KEY, g TEXT, n BIGINT NOT NULL); CREATE TABLE f(k BIGINT, b BOOLEAN NOT NULL, v BIGINT, w BIGINT NOT NULL)") == "");
  REQUIRE(s.run("INSERT INTO d VALUES (1,'x',1),(7,NULL,1),(300,'y',2),(4000,'x',2),(60000,'z',3)") == "");
  std::mt19937_64 random(11);
  static const char* const kKeys[] = {"1", "7", "300", "4000", "60000", "NULL", "2", "70000"};
  for (int i = 0; i < 10; ++i) {
    std::string rows;
    for (int j = 0; j < 50; ++j) {
      rows += std::string(j > 0 ? ",(" : "(") + kKeys[random() % 8] + (random() % 2 == 0 ? ",true," : ",false,") +
              (random() % 5 == 0 ? "NULL" : std::to_string(random() % 1000)) + "," + std::to_string(random() % 90) + ")";
    }
    REQUIRE(s.run("INSERT INTO f VALUES " + rows) == "");
  }
  const char* const questions[] = {
      "SELECT d.g, COUNT(*), SUM(f.v), COUNT(f.v), SUM(f.w) FROM f JOIN d ON f.k = d.id GROUP BY d.g ORDER BY d.g",
      "SELECT COUNT(*), SUM(f.v), SUM(f.w) FROM f JOIN d ON f.k = d.id WHERE d.g = 'x'",
      "SELECT d.g, f.b, AVG(f.v), COUNT(*) FROM f JOIN d ON f.k = d.id WHERE d.n > 1 AND f.k <> 300 GROUP BY d.g, f.b ORDER BY d.g, f.b",
      "SELECT d.id, d.g, SUM(f.w) FROM f LEFT JOIN d ON f.k = d.id AND d.n < 3 GROUP BY d.id, d.g ORDER BY d.id, d.g",
      "SELECT COUNT(*), SUM(f.w) FROM f LEFT JOIN d ON f.k = d.id AND d.n > 5 WHERE NOT f.b"};
  Session old(s.database_ptr());
  const auto answers = [&](Session& reader, const char* mode) {
    REQUIRE(reader.run(std::string("SET summary_mode = ") + mode) == "");
    std::string all;
    for (const char* q : questions) all += reader.run(q) + "\n";
    return all;
  };
  for (int round = 0; round < 12; ++round) {
    REQUIRE(old.run("BEGIN") == "");
    const std::string before = answers(old, "off");
    if (round % 3 == 1) REQUIRE(s.run("BEGIN") == "");
    REQUIRE(s.run("UPDATE f SET w = w + 3, k = " + std::string(kKeys[random() % 8]) + " WHERE v % 17 = " + std::to_string(round)) == "");
    if (round % 4 == 0) REQUIRE(s.run("INSERT INTO f VALUES (69999, true, 5, 5), (7, false, NULL, 1); UPDATE d SET g = 'w' WHERE id = " + std::string(kKeys[random() % 5])) == "");
    REQUIRE(answers(s, "auto") == answers(s, "off"));
    REQUIRE(answers(old, "auto") == before);
    if (round % 3 == 1) REQUIRE(s.run(round % 2 == 0 ? "COMMIT" : "ROLLBACK") == "");
    REQUIRE(answers(s, "auto") == answers(s, "off"));
    REQUIRE(old.run("COMMIT") == "");
  }
  REQUIRE(limbs(s, "f").empty());
}

TEST_CASE("LB2 blocks without NULLs and deleted rows are counted in packed words: by key, and by few groups") {
  Session s;
  REQUIRE(s.run("CREATE TABLE d(id BIGINT PRIMARY KEY, g TEXT NOT NULL); CREATE TABLE f(id BIGINT PRIMARY KEY, k BIGINT NOT NULL, wide BIGINT NOT NULL, b TEXT NOT NULL,"
                " few BIGINT NOT NULL, v BIGINT NOT NULL, tiny BIGINT NOT NULL)") == "");
  for (int i = -20; i <= 40; ++i) {
    const std::string near = "(" + std::to_string(i) + ",'g" + std::to_string((i + 20) % 4) + "')", far = "(" + std::to_string(i * 5003 + 1'000'000) + ",'h')";
    REQUIRE(s.run("INSERT INTO d VALUES " + near + ", " + far) == "");
  }
  const char* const questions[] = {
      "SELECT d.g, COUNT(*), SUM(f.v) FROM f JOIN d ON f.k = d.id GROUP BY d.g ORDER BY d.g",
      "SELECT d.g, COUNT(*), SUM(f.tiny) FROM f JOIN d ON f.wide = d.id GROUP BY d.g ORDER BY d.g",
      "SELECT d.g, f.b, COUNT(*), SUM(f.v) FROM f JOIN d ON f.wide = d.id GROUP BY d.g, f.b ORDER BY d.g, f.b",
      "SELECT d.g, f.few, COUNT(*), SUM(f.v) FROM f JOIN d ON f.wide = d.id GROUP BY d.g, f.few ORDER BY d.g, f.few",
      "SELECT k, SUM(v) AS s, COUNT(*) FROM f GROUP BY k ORDER BY s DESC, k LIMIT 9"};
  std::mt19937_64 random(23);
  int64_t id = 0;
  const auto answers = [&](const char* mode) {
    REQUIRE(s.run(std::string("SET summary_mode = ") + mode) == "");
    std::string all;
    for (const char* q : questions) all += s.run(q) + "\n";
    return all;
  };
  static const int64_t kSpans[] = {200, 60'000, 40'000'000};
  for (int round = 0; round < 9; ++round) {
    std::string rows;
    for (int j = 0; j < 700; ++j) {
      const auto key = static_cast<int64_t>(random() % 61) - 20;
      const auto value = static_cast<int64_t>(random() % static_cast<uint64_t>(kSpans[round / 3])) - (round % 2 == 0 ? 100 : 0);
      rows += std::string(j > 0 ? ",(" : "(") + std::to_string(id++) + "," + std::to_string(key) + "," + std::to_string(key * 5003 + 1'000'000) + ",'s" +
              std::to_string(random() % 5) +
              "'," + std::to_string(random() % 3 + 7) + "," + std::to_string(value) + "," + std::to_string(random() % 90) + ")";
    }
    REQUIRE(s.run("INSERT INTO f VALUES " + rows) == "");
    const std::string wanted = answers("off");
    REQUIRE(answers("auto") == wanted);
    REQUIRE(answers("auto") == wanted);
    if (round == 5) {
      REQUIRE(s.run("DELETE FROM f WHERE v % 7 = 3; UPDATE f SET v = v + 1, k = k - 1 WHERE tiny = 4 AND k > -20") == "");
      REQUIRE(answers("auto") == answers("off"));
    }
    REQUIRE(s.run("INSERT INTO d VALUES (" + std::to_string(5'000'000 + round) + ",'late')") == "");
  }
}
