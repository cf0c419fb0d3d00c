// oracle/engines/external.h: another engine, as a command that takes SQL on its standard input and returns JSON rows.
//
// What:       a Profile says how its dialect differs: what is said first, left out, written otherwise, and which differences are known.
//             External runs a list of statements in one process of the engine and gives an answer for each.
// Protocol:   the engine prints an array of objects for each query, in order; nothing, or [], for one without rows; for an error it prints
//             {"error": "..."}, or names the line on standard error ("near line 7"). A marker query behind each statement tells whose an answer is.
// Invariants: EN1 an answer belongs to the statement behind which the next marker stands; a statement whose marker never came is an error.
//             EN2 numbers are kept as the text that the engine wrote.
// Callers:    oracle/engines/. One thread.
// Held by:    ci/compare_test
#pragma once

#include <regex>
#include <string>
#include <vector>

#include "model/database.h"
#include "support/peer.h"

namespace engines {

struct Token {
  enum class Kind : uint8_t { kNull, kBool, kNumber, kText } kind = Kind::kNull;
  std::string text;
};
struct Answer {
  bool ok = true;
  std::string error;
  std::vector<std::vector<Token>> rows;
};

struct Known {
  std::string name;
  std::regex statement, difference;
};
struct Profile {
  std::string name;
  std::vector<std::string> prelude;
  std::vector<std::regex> skip;
  std::vector<std::pair<std::regex, std::string>> replace;
  std::vector<Known> known;
  bool decimals = false;  // DECIMAL is exact there

  std::string translated(const std::string& sql) const;  // empty: left out
  const Known* known_for(const std::string& sql, const std::string& difference) const;
};
// A name of profiles/, or a path. Throws std::runtime_error with the line.
Profile read_profile(const std::string& name);

class External {
 public:
  External(std::string command, const Profile& profile) : command_(std::move(command)), profile_(profile) {}
  // Of each statement, in the dialect of HoloDb. Throws std::runtime_error if the engine cannot be run at all.
  std::vector<Answer> run(const std::vector<std::string>& statements) const;

 private:
  std::string command_;
  const Profile& profile_;
};

// Answers told as what the engine printed: for External and its test. line_of[i]: the line of statement i in the script, 0 if it was left out.
std::vector<Answer> read_answers(const std::string& out, const std::string& err, const std::vector<int>& line_of);

// HoloDb's answer and the model's, in the same form.
Answer answer_from(const judge::Reply& reply);
Answer answer_from(const model::Outcome& outcome);
model::Outcome outcome_from(const judge::Reply& reply);
model::Result result_from(const judge::Reply& reply);

// kind: "" none, "error", "no error", "rows", "value", "rounding" (a double that is off by less than one part in 10^9).
struct Difference {
  std::string kind, text;
};
Difference difference(const model::Outcome& want, const Answer& got);

}  // namespace engines
