// properties/isolation.h: is a recorded concurrent history one that the promised isolation allows?
//
// What:       transactions append unique numbers to lists, and read lists and totals of their lengths; a list shows the order of its writers, so that
//             dependencies follow from what was read, and from nothing that the engine says of itself. check() looks for reads of what
//             was never committed, and for cycles of dependencies; check_numbers() takes the engine's commit numbers for true and
//             compares every read with the one state that they name.
// Terms:      Adya's: G0 (writes in a cycle), G1a (read of an aborted write), G1b (read of an intermediate write), G1c (writes and reads in a
//             cycle), one anti-dependency in a cycle (lost update, read skew), two or more (write skew).
// Invariants: IS1 every anomaly that is reported follows from the history alone, real-time order included where it is asked for.
//             IS2 a history without an anomaly is serializable as far as its reads show the order of writes.
// Source:     the method of recoverable histories over lists: Kingsbury and Alvaro, Elle, VLDB 2020.
// Callers:    properties/isolation_laws, isolation_record, stress. One thread.
// Held by:    properties/isolation_laws.cc (histories made by hand, each with the anomaly that it must be refused for)
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace judge {

struct Act {
  enum class Kind : uint8_t { kAppend, kRead, kTotal } kind = Kind::kRead;
  int key = 0;                // kAppend, kRead
  int64_t number = 0;         // kAppend: what; kTotal: the sum of the lengths
  std::vector<int64_t> list;  // kRead
  std::vector<int> keys;      // kTotal: of which lists
  uint64_t snapshot = 0;      // the engine's number for what the statement saw, for check_numbers
};
struct Transaction {
  enum class End : uint8_t { kCommitted, kAborted } end = End::kCommitted;
  std::vector<Act> acts;  // in their order; appends that a ROLLBACK TO undid are in `undone`
  std::vector<int64_t> undone;
  uint64_t began = 0, ended = 0;  // stamps of one clock: before the first statement was sent, after the end was acknowledged
  uint64_t commit = 0;            // the engine's number, for check_numbers; 0: it wrote nothing
  bool writes() const;
};
struct ConcurrentHistory {
  int keys = 0;
  std::vector<Transaction> transactions;
};

enum class Level : uint8_t {
  kSnapshot,      // write skew is allowed
  kSerializable,  // no cycle at all
  kStrict         // serializable, and what had ended is seen by what begins
};

struct Anomaly {
  std::string name;  // "G0", "G1a", "G1b", "G1c", "lost update", "read skew", "write skew", "stale read", "stale total", "own write", "order"
  std::string text;
};
std::vector<Anomaly> check(const ConcurrentHistory& history, Level level);  // a few of each kind
std::vector<Anomaly> check_numbers(const ConcurrentHistory& history);
std::string to_text(const ConcurrentHistory& history);

}  // namespace judge
