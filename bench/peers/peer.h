// bench/peers/peer.h: one database engine as a benchmark sees it: load, run, change, each through the engine's own typed client API.
//
// What:       Peer (a database in memory or in a file), Query (a prepared statement), Rows (a result as typed bytes; its text is made outside of
//             any clock), and the makers of the peers.
// Invariants: N1 every value of every row is consumed, in every engine by the same calls on Rows.
//             N2 equal results have equal text: integers in decimal whatever their width, NULL told apart from text, order kept; a
//                double with ten digits (HoloDb's AVG is correctly rounded, the peers' sums of doubles are not).
// Callers:    bench/worker.cc. One thread.
// Held by:    bench/selftest
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "bench/tables.h"

namespace hdb::bench {

using Value = std::variant<int64_t, std::string_view>;
using Settings = std::vector<std::pair<std::string, std::string>>;

class Rows {
 public:
  void clear() { bytes_.clear(); }
  void integer(int64_t value) {
    char* at = grow(1 + sizeof value);
    *at = 'i';
    std::memcpy(at + 1, &value, sizeof value);
  }
  void text(std::string_view value) {
    const uint64_t size = value.size();
    char* at = grow(1 + sizeof size + value.size());
    *at = 't';
    std::memcpy(at + 1, &size, sizeof size);
    std::memcpy(at + 1 + sizeof size, value.data(), value.size());
  }
  void real(double value) {
    char* at = grow(1 + sizeof value);
    *at = 'd';
    std::memcpy(at + 1, &value, sizeof value);
  }
  void null() { *grow(1) = 'n'; }
  void end_row() { *grow(1) = 'r'; }
  std::string to_text() const;  // a line a row, values joined by '|'

 private:
  char* grow(size_t bytes) {
    const size_t old = bytes_.size();
    bytes_.resize(old + bytes);
    return bytes_.data() + old;
  }
  std::string bytes_;
};

// What a failing peer throws. what() names the engine.
class PeerError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Query {
 public:
  virtual ~Query() = default;
  // Appends the result to rows; returns the number of changed rows (0 for a query).
  virtual int64_t run(std::span<const Value> values, Rows& rows) = 0;
};

class Peer {
 public:
  virtual ~Peer() = default;
  virtual Settings settings() = 0;
  virtual void create_table(const Table& table) = 0;
  // Bulk load: any number of batches of one table, then finish_load(), which commits.
  virtual void load(const Table& table, const Batch& batch) = 0;
  virtual void finish_load() = 0;
  virtual void execute(const std::string& sql) = 0;
  virtual std::unique_ptr<Query> prepare(const std::string& sql) = 0;
  void run_text(const std::string& sql, Rows& rows) { prepare(sql)->run({}, rows); }
  // Another connection to the same database, for another thread.
  virtual std::unique_ptr<Peer> connect() { throw PeerError("this engine's peer has one connection"); }
  // A CSV file with a header as a new table, types as the engine sniffs them; the number of rows.
  virtual uint64_t import_csv(const std::string& file, const std::string& table) = 0;
};

// file: the database's, durable (SQLite: WAL, synchronous = FULL); empty: in memory.
std::unique_ptr<Peer> make_holodb(const std::string& file = "");
std::unique_ptr<Peer> make_sqlite(const std::string& file = "");
// library: the path of libduckdb.so; enums: columns of a small domain are ENUM instead of TEXT.
std::unique_ptr<Peer> make_duckdb(const std::string& library, bool enums, unsigned threads);

}  // namespace hdb::bench
