// properties/isolation_record.h: random transactions over lists in the engine, written down as a history (isolation.h).
//
// What:       two tables of lists; a Recorder runs the transactions of one connection, statement by statement, so that one thread can
//             interleave several, or each thread has its own. Lists are read by key and by scan, totals by summary, block cells and
//             scan; lists are appended to by UPDATE, or by DELETE and INSERT of the same key; savepoints take appends back.
// Invariants: IR1 a stamp is taken before the first statement is sent and after the end was acknowledged.
//             IR2 what a ROLLBACK TO undid is written down as undone, whatever had been read of it before.
// Callers:    properties/isolation_laws, stress. A Recorder belongs to one thread; the clock and the numbers are shared.
// Held by:    properties/isolation_laws.cc
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "isolation.h"
#include "support/suite.h"

namespace judge {

struct RecordPlan {
  int keys = 6;  // even ones in r0, odd ones in r1
  bool summary = true;
  int filler = 0;  // further rows of each table, so that the lists lie in several blocks
};
struct RecordClock {
  std::atomic<uint64_t> stamp{1};
  std::atomic<int64_t> number{1};
};
void set_up_lists(Connection& c, const RecordPlan& plan);

class Recorder {
 public:
  Recorder(Connection& connection, RecordClock& clock, const RecordPlan& plan, model::Random random);
  // One statement of the present transaction, or of a new one.
  void step();
  void finish();  // ends the present transaction
  bool open() const { return open_; }
  std::vector<Transaction> take() { return std::move(done_); }
  uint64_t refused() const { return refused_; }  // 40001 and 55P03

  // Reads every list at once, by scan, as a transaction of its own.
  void read_all();

 private:
  void begin();
  void end(bool commit);
  bool run(const std::string& sql, Reply& reply);  // false: refused, and the transaction was rolled back
  void append();
  void read();
  void read_table();
  void total();
  void savepoint();
  void note(Act act);
  uint64_t snapshot();
  std::string table_of(int key) const { return key % 2 == 0 ? "r0" : "r1"; }
  const Act* last_read(int key) const;

  Connection& connection_;
  RecordClock& clock_;
  const RecordPlan plan_;
  model::Random random_;
  bool open_ = false;
  int wanted_ = 0;          // statements until the end
  size_t mark_ = SIZE_MAX;  // of the savepoint: acts before it
  Transaction now_;
  std::vector<Transaction> done_;
  uint64_t refused_ = 0;
};

// What is wrong with the history, both ways of checking; empty if nothing.
std::string judged(const ConcurrentHistory& history);

}  // namespace judge
