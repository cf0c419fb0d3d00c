// Symptom: a join served from a limb kept the total of the customer that an invoice had left; a reader with an older snapshot missed a row
// that another reader's look at the block's bounds had cut off.
#include <catch2/catch.hpp>

#include <random>

#include "engine/test_sql.h"

using hdb::testing::Session;

TEST_CASE("P1 a limb follows its foreign key through changes, savepoints and rollbacks") {
  Session s;
  REQUIRE(s.run("CREATE TABLE customer(id BIGINT PRIMARY KEY, region TEXT);"
                "CREATE TABLE invoice(id BIGINT PRIMARY KEY, customer BIGINT REFERENCES customer(id), amount BIGINT);"
                "INSERT INTO customer VALUES (1,'north'),(2,'south'),(3,'north'),(4,NULL),(5,'east')") == "");
  for (int i = 0; i < 40; ++i) {
    REQUIRE(s.run("INSERT INTO invoice VALUES (" + std::to_string(i) + ", " + std::to_string(1 + i % 5) + ", " + std::to_string(i * 7 - 100) + ")") == "");
  }
  REQUIRE(s.run("CREATE INDEX by_customer ON invoice USING SUMMARY (customer) INCLUDE (amount)") == "");
  const char* question =
      "SELECT c.region, COUNT(*), SUM(i.amount), COUNT(i.amount) FROM invoice i JOIN customer c ON c.id = i.customer GROUP BY c.region ORDER BY c.region";
  REQUIRE(s.run(std::string("EXPLAIN ") + question).find("limb by_customer") != std::string::npos);
  const auto same = [&] {
    REQUIRE(s.run("SET summary_mode = off") == "");
    const std::string wanted = s.run(question);
    REQUIRE(s.run("SET summary_mode = force") == "");
    REQUIRE(s.run(question) == wanted);
    REQUIRE(s.run("SET summary_mode = auto") == "");
  };
  same();
  std::mt19937_64 random(1);
  for (int round = 0; round < 60; ++round) {
    const std::string id = std::to_string(random() % 40), customer = random() % 8 == 0 ? "NULL" : std::to_string(1 + random() % 5);
    const bool open = s.run(round % 6 == 0 ? "BEGIN" : "SELECT 1") != "1";
    if (open) REQUIRE(s.run("DELETE FROM invoice WHERE id = " + id + "; SAVEPOINT p") == "");
    REQUIRE(s.run("UPDATE invoice SET customer = " + customer + " WHERE id = " + id) == "");
    if (round % 2 == 0) REQUIRE(s.run("UPDATE invoice SET amount = amount + 3, customer = 2 WHERE customer = 1 AND id % 3 = 0") == "");
    same();
    if (open) {
      REQUIRE(s.run("ROLLBACK TO p") == "");
      same();
      REQUIRE(s.run(round % 12 == 0 ? "COMMIT" : "ROLLBACK") == "");
      same();
    }
  }
}

TEST_CASE("Z1 a block's bounds are not narrowed while an older snapshot needs a value outside of them") {
  Session writer;
  Session old(writer.database_ptr()), young(writer.database_ptr());
  REQUIRE(writer.run("CREATE TABLE t(id BIGINT PRIMARY KEY, v BIGINT); INSERT INTO t VALUES (1,5),(2,100),(3,7),(4,-100)") == "");
  REQUIRE(old.run("BEGIN; SELECT COUNT(*) FROM t WHERE v > 50") == "1");
  REQUIRE(writer.run("DELETE FROM t WHERE id = 2; UPDATE t SET v = 6 WHERE id = 4") == "");
  REQUIRE(young.run("SELECT MIN(v), MAX(v) FROM t") == "5|7");
  REQUIRE(young.run("SELECT COUNT(*) FROM t WHERE v > 50 OR v < 0") == "0");
  REQUIRE(old.run("SELECT COUNT(*) FROM t WHERE v > 50") == "1");
  REQUIRE(old.run("SELECT COUNT(*) FROM t WHERE v < 0") == "1");
  REQUIRE(old.run("SELECT MIN(v), MAX(v) FROM t") == "-100|100");
  REQUIRE(old.run("COMMIT") == "");
  REQUIRE(old.run("SELECT MIN(v), MAX(v) FROM t WHERE v > 50") == "NULL|NULL");
}
