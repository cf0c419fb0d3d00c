// oracle/support/transcript.h: a history written down as changes of rows and the engine's totals, for the checker of spec/algebra.
//
// What:       what the executable model says has changed (rows by id, with a group, a foreign key and a measure), what the transaction did, and
//             what the engine then answered. The checker's step function must come to the same totals from the changes alone: it undoes, commits
//             and takes deltas away by itself. Groups, keys and attributes are numbered as they appear.
// Format:     a line each: history NAME; insert|update ID GROUP KEY COUNT SUM; delete ID; begin; savepoint; rollback_to N, release N (N savepoints
//             are newer); rollback; commit; snapshot, close (the reader's). Answers: cells|keys WHO N, then N lines GROUP|KEY ROWS COUNT SUM;
//             join WHO P N, then P lines KEY ATTRIBUTE and N lines ATTRIBUTE ROWS COUNT SUM. COUNT and SUM are of the measure; key 0 is NULL.
// Callers:    oracle/support/history.cc. One thread.
// Held by:    spec/algebra/run
#pragma once

#include <array>
#include <cstdio>
#include <map>
#include <string>

#include "model/database.h"
#include "model/generate.h"
#include "peer.h"

namespace judge {

class Transcript {
 public:
  Transcript(FILE* out, uint64_t name, const model::Schema& schema);
  // Around a statement of the writer that was not refused. `before` is called while the session is as it was.
  void before(const model::Session& session, const model::Statement& statement);
  void after(const model::Session& session, const model::Statement& statement);
  void reader(model::Act act);  // BEGIN, COMMIT or ROLLBACK of the reader
  // Asks the engine and writes its answers down.
  void answers(const char* who, Peer& peer, const model::Session& session);

 private:
  using Contribution = std::array<std::string, 4>;  // group, key, count, sum
  std::map<std::string, Contribution> contributions(const model::Session& session) const;
  std::string number(char kind, const std::string& text) const;
  void cells(const char* kind, char numbered, Peer& peer, const std::string& head, const std::string& sql);

  FILE* out_;
  const model::Schema& schema_;
  int id_ = 0, group_ = -1, key_ = -1, measure_ = -1, parent_id_ = 0, attribute_ = -1;
  std::map<std::string, Contribution> rows_;
  mutable std::map<std::string, uint64_t> numbers_;
  bool inside_ = false;
  size_t newer_ = 0;
};

}  // namespace judge
