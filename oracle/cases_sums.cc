// Sums: overflow at the right place and nowhere else, signs, averages, doubles (cases 1 to 8).
//
// Invariants checked: X1 (exact sums), V2 (correct rounding), H2 (every path gives one answer).
#include <limits>

#include "cases.h"

namespace judge {

namespace {

constexpr const char* kTable = "CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT, a BIGINT)";
constexpr const char* kSummary = "CREATE INDEX s ON t USING SUMMARY (g) INCLUDE (a)";

void load(Scene& s, const std::string& table, int64_t first, int64_t rows, int64_t value) {
  model::TableDef def;
  def.name = table;
  std::vector<model::Row> all;
  for (int64_t i = 0; i < rows; ++i) all.push_back({model::make_int(first + i), model::make_text("x"), model::make_int(value)});
  const Reply r = s.connection().append(def, all);
  require(r.ok, r.message);
}

// Case 1: each block's sum fits, their sum does not.
void merged_overflow(Context&) {
  for (const char* threads : {"1", "2"}) {
    for (bool summary : {false, true}) {
      Scene s;
      s.run(std::string("SET threads = ") + threads);
      s.run(kTable);
      if (summary) s.run(kSummary);
      constexpr int64_t kValue = std::numeric_limits<int64_t>::max() / 16384;  // 562949953421311
      load(s, "t", 1, 16384, kValue);
      s.expect("SELECT SUM(a), COUNT(*) FROM t", "9223372036854759424|16384");
      load(s, "t", 100000, 16384, kValue);
      for (const char* mode : {"off", "auto", "force"}) {
        s.mode(mode);
        s.expect_error("SELECT SUM(a) FROM t", "22003", "sum_exact");
        s.expect_error("SELECT g, SUM(a) FROM t GROUP BY g", "22003", "sum_exact");
        s.expect_error("SELECT SUM(a) FROM t WHERE g = 'x'", "22003", "sum_exact");
        s.expect("SELECT sum_exact(a), AVG(a) FROM t", "18446744073709518848|562949953421311.0");
        s.expect("SELECT g, sum_exact(a) FROM t GROUP BY g", "x|18446744073709518848");
      }
      s.mode("auto");
      s.run("DELETE FROM t WHERE id >= 100000");
      s.expect("SELECT SUM(a) FROM t", "9223372036854759424");
    }
  }
}

// Case 2.
void stuck_in_error(Context&) {
  tell({kTable, kSummary, "INSERT INTO t VALUES (1,'x',2),(2,'x',9223372036854775807)",
        [](Scene& s) {
          s.expect_error("SELECT SUM(a) FROM t", "22003", "sum_exact");
          s.expect_error("SELECT g, SUM(a) FROM t GROUP BY g", "22003", "sum_exact");
          s.expect("SELECT sum_exact(a) FROM t", "9223372036854775809");
          s.expect("SELECT g, sum_exact(a), COUNT(*) FROM t GROUP BY g", "x|9223372036854775809|2");
          s.run("DELETE FROM t WHERE id = 1");
        },
        [](Scene& s) {
          s.expect("SELECT SUM(a) FROM t", "9223372036854775807");
          s.expect("SELECT g, SUM(a) FROM t GROUP BY g", "x|9223372036854775807");
        }});
  const char* orders[] = {"(1,'x',9223372036854775807),(2,'x',1),(3,'x',-5)", "(1,'x',1),(2,'x',9223372036854775807),(3,'x',-5)",
                          "(1,'x',-5),(2,'x',9223372036854775807),(3,'x',1)", "(1,'x',9223372036854775807),(2,'x',-5),(3,'x',1)"};
  for (const char* order : orders) {
    tell({kTable, kSummary, std::string("INSERT INTO t VALUES ") + order, nullptr, [](Scene& s) {
            s.expect("SELECT SUM(a) FROM t", "9223372036854775803");
            s.expect("SELECT g, SUM(a) FROM t GROUP BY g", "x|9223372036854775803");
            s.expect("SELECT SUM(a) FROM t WHERE g = 'x'", "9223372036854775803");
          }});
  }
  tell({kTable, kSummary, "INSERT INTO t VALUES (1,'x',-9223372036854775807 - 1),(2,'x',-1)",
        [](Scene& s) {
          s.expect_error("SELECT SUM(a) FROM t", "22003", "sum_exact");
          s.expect("SELECT sum_exact(a) FROM t", "-9223372036854775809");
          s.run("UPDATE t SET a = 1 WHERE id = 2");
        },
        [](Scene& s) { s.expect("SELECT SUM(a) FROM t", "-9223372036854775807"); }});
}

// Case 3.
void average_of_decimals(Context&) {
  for (const char* order : {"(1,'x',M),(2,'x',M),(3,'x',-M)", "(1,'x',M),(2,'x',-M),(3,'x',M)", "(1,'x',-M),(2,'x',M),(3,'x',M)"}) {
    std::string rows = order;
    for (size_t at = 0; (at = rows.find('M', at)) != std::string::npos;) rows.replace(at, 1, "9999999999999999.99");
    tell({"CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT, a DECIMAL(18,2))", kSummary, "INSERT INTO t VALUES " + rows, nullptr, [](Scene& s) {
            s.expect("SELECT AVG(a), SUM(a) FROM t", "3333333333333333.33000000|9999999999999999.99");
            s.expect("SELECT g, AVG(a) FROM t GROUP BY g", "x|3333333333333333.33000000");
          }});
  }
}

// Case 4.
void lost_sign(Context&) {
  tell({kTable, kSummary, "INSERT INTO t VALUES (1,'x',10),(2,'y',NULL),(3,'x',-4),(4,'y',7)", nullptr, [](Scene& s) {
          s.expect("SELECT SUM(-1), SUM(3), SUM(-a), -SUM(a), SUM(a) * -1 FROM t", "-4|12|-13|-13|-13");
          s.expect("SELECT g, SUM(-1), SUM(-a), -SUM(a), SUM(a) * -1 FROM t GROUP BY g ORDER BY g", "x|-2|-6|-6|-6;y|-2|-7|-7|-7");
          s.expect("SELECT SUM(CASE WHEN g = 'x' THEN -1 ELSE 1 END), SUM(CASE WHEN a > 0 THEN a ELSE -a END) FROM t", "0|21");
          s.expect("SELECT SUM(-1), SUM(-a) FROM t WHERE g = 'x'", "-2|-6");
        }});
}

// Case 5: the average of two integers that doubles cannot hold.
void average_through_double(Context&) {
  tell({kTable, kSummary, "INSERT INTO t VALUES (1,'x',9007199254740994),(2,'x',-9007199254740993)", nullptr, [](Scene& s) {
          s.expect("SELECT AVG(a) FROM t", "0.5");
          s.expect("SELECT g, AVG(a) FROM t GROUP BY g", "x|0.5");
        }});
}

constexpr const char* kReals = "CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT, a DOUBLE)";

// Case 6.
void infinity_that_stays(Context&) {
  tell({kReals, "", "INSERT INTO t VALUES (1,'x',1e308),(2,'x',1e308),(3,'x',0e0)",
        [](Scene& s) {
          s.expect("SELECT SUM(a), AVG(a) > 6.6e307 FROM t", "Infinity|true");
          s.run("DELETE FROM t WHERE id = 1");
        },
        [](Scene& s) { s.expect("SELECT SUM(a), COUNT(a) FROM t", "1e+308|2"); }});
}

// Case 7.
void absorbed_one(Context&) {
  tell({kReals, "", "INSERT INTO t VALUES (1,'x',1e100),(2,'x',1e0)",
        [](Scene& s) {
          s.expect("SELECT SUM(a) FROM t", "1e+100");
          s.run("DELETE FROM t WHERE id = 1");
        },
        [](Scene& s) {
          s.expect("SELECT SUM(a), AVG(a) FROM t", "1.0|1.0");
          s.expect("SELECT g, SUM(a) FROM t GROUP BY g", "x|1.0");
        }});
}

void insert_real(Scene& s, int64_t id, double x) {
  holodb_stmt* stmt = nullptr;
  require(holodb_prepare(s.connection().handle(), "INSERT INTO t VALUES (?, 'x', ?)", -1, &stmt, nullptr) == HOLODB_OK, "prepare");
  holodb_bind_int64(stmt, 1, id);
  holodb_bind_double(stmt, 2, x);
  const bool done = holodb_step(stmt) == HOLODB_DONE;
  holodb_finalize(stmt);
  require(done, "insert of a bound double");
}

// Case 8.
void infinity_inserted_and_deleted(Context&) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  tell({kReals, "", "INSERT INTO t VALUES (1,'x',1.5e0),(2,'x',2e0)",
        [](Scene& s) {
          insert_real(s, 3, kInfinity);
          s.expect("SELECT SUM(a) FROM t", "Infinity");
          insert_real(s, 4, -kInfinity);
          s.expect("SELECT SUM(a) FROM t", "NaN");
          s.run("DELETE FROM t WHERE id = 3");
          s.expect("SELECT SUM(a) FROM t", "-Infinity");
          s.run("DELETE FROM t WHERE id = 4");
        },
        [](Scene& s) { s.expect("SELECT SUM(a), COUNT(a) FROM t", "3.5|2"); }});
  tell({kReals, "", "INSERT INTO t VALUES (1,'x',1e-39)", nullptr, [](Scene& s) {
          s.expect("SELECT SUM(a), MIN(a), a FROM t GROUP BY a", "1e-39|1e-39|1e-39");
          s.expect("SELECT COUNT(*) FROM t WHERE a > 0e0", "1");
        }});
}

}  // namespace

std::vector<Case> sum_cases() {
  return {{"case 1: two sums that fit wrap when they are merged", "X1", merged_overflow},
          {"case 2: SUM stays in error after the row that overflowed it is gone", "X1", stuck_in_error},
          {"case 3: AVG of decimals depends on the order of rows", "X1", average_of_decimals},
          {"case 4: a negative constant loses its sign in SUM", "H2", lost_sign},
          {"case 5: AVG goes through doubles and gives 1.0", "V2", average_through_double},
          {"case 6: an infinite sum of doubles stays infinite", "V2", infinity_that_stays},
          {"case 7: 1 is absorbed by 1e100 and does not come back", "V2", absorbed_one},
          {"case 8: infinity poisons a sum for good", "V2", infinity_inserted_and_deleted}};
}

}  // namespace judge
