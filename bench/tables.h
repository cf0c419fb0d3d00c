// bench/tables.h: what a workload is made of, told once for all engines: tables, rows, questions, indexes.
//
// What:       Column, Table and Batch (rows made by number, columns side by side); Question; Workload.
// Invariants: T1 a row depends on its number only, so that every arm makes the same rows; a placebo's rows differ in its measure alone.
//             T2 texts of a column with a domain are views of that domain: an engine with ENUM columns may tell them apart by pointer.
// Callers:    bench/. Not thread-safe.
// Held by:    bench/selftest (rows are compared over all engines)
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace hdb::bench {

struct Column {
  std::string name;
  bool text = false;                           // else BIGINT
  bool primary = false;
  std::string references = {};                 // table; HoloDb only, the peers get no REFERENCES
  std::vector<std::string_view> domain = {};   // small: ENUM in DuckDB's second arm
  std::string domain_name = {};                // columns that are compared with each other share it; default: the column's name
};

struct Batch {
  explicit Batch(const std::vector<Column>& columns) : integers(columns.size()), texts(columns.size()) {}
  void clear() {
    rows = 0;
    for (auto& c : integers) c.clear();
    for (auto& c : texts) c.clear();
    owned.clear();
  }
  std::string_view own(std::string text) { return owned.emplace_back(std::move(text)); }

  size_t rows = 0;
  std::vector<std::vector<int64_t>> integers;       // by column; empty for a text
  std::vector<std::vector<std::string_view>> texts;
  std::deque<std::string> owned;                    // texts that belong to no domain
};

struct Table {
  std::string name;
  std::vector<Column> columns;
  uint64_t rows = 0;
  bool not_null = false;
  std::function<void(uint64_t id, Batch& batch)> append;  // appends row id (from 1) to every column
};

struct Question {
  std::string id;
  std::string sql;          // one parameter, a key, if keys > 0
  std::string group = {};   // "W": of a class of questions
  uint64_t keys = 0;        // look-ups of that many random keys of 1..keys_max
  uint64_t keys_max = 0;
  std::string sqlite_sql = {};  // where SQLite has no such function
  double bytes = 0;             // that a scan reads at least, columns being as narrow as their values (0: not said)
};

class EngineWorker;

struct Workload {
  std::vector<Table> tables;
  std::vector<Question> questions;
  std::map<std::string, std::string> indexes;  // name -> CREATE INDEX
  std::string control;                         // the same path in all arms that bench/registered/ compares
  // What this workload's processes do besides: "VERB REST" -> answer.
  std::map<std::string, std::function<std::string(EngineWorker& worker, const std::string& rest)>> commands;
};

// splitmix64 of a row's number and a draw's: independent draws without any state.
inline uint64_t draw(uint64_t id, uint64_t which) {
  uint64_t x = (id * 64 + which + 1) * 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}
inline uint64_t draw_below(uint64_t id, uint64_t which, uint64_t bound) { return (draw(id, which) >> 32) * bound >> 32; }

// A permutation of 1..n: i -> 1 + (a * i + b) mod n, a coprime to n and far from 1.
class Permutation {
 public:
  explicit Permutation(uint64_t n) : n_(n), a_(n * 61 / 100 + 1) {
    while (std::gcd(a_, n_) != 1) ++a_;
  }
  uint64_t operator()(uint64_t i) const { return 1 + (a_ * (i % n_) + 17) % n_; }

 private:
  uint64_t n_;
  uint64_t a_;
};

}  // namespace hdb::bench
