// properties/experiment.h: a law tried on one database and one expression, and the smallest script that still breaks it.
//
// What:       an Experiment is a script that sets a database up, settings, and an expression; a law asks its own statements and says
//             what is wrong. shrink() takes statements, settings and parts of the expression away for as long as the law stays broken.
// Invariants: EX1 what shrink() returns breaks the law; it was run.
//             EX2 shrinking ends after shrink_ms_max of CPU, however slow a statement is (one more may run).
// Callers:    properties/identity_laws, pivot_laws. One thread.
// Held by:    identity_laws (the cases shrinker-*: engines with a planted fault)
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "scalar_text.h"
#include "support/suite.h"

namespace judge {

// What the law's statements ran as: a peer that remembers what it was asked. Throws Refused for an error of class 22 (values), Failure for any other.
struct Refused {
  std::string state;
};
class Script {
 public:
  explicit Script(Peer& peer) : peer_(peer) {}
  Reply run(const std::string& sql);
  std::vector<std::string> rows(const std::string& sql);    // one text a row, in the order of the reply
  std::vector<std::string> sorted(const std::string& sql);  // the same as a multiset
  std::string one(const std::string& sql) { return joined(rows(sql)); }
  const std::vector<std::string>& statements() const { return statements_; }
  static std::string joined(const std::vector<std::string>& rows);

 private:
  Peer& peer_;
  std::vector<std::string> statements_;
};

struct Experiment {
  std::vector<std::string> setup;     // one statement a row, so that rows can be taken away
  std::vector<std::string> settings;  // SET ..., run after the setup
  NodePtr expression;                 // a condition
};
// What is wrong, or empty.
using Law = std::function<std::string(Script&, const Experiment&)>;
using NewPeer = std::function<std::unique_ptr<Peer>()>;  // a connection to a new database

enum class Verdict { kHolds, kRefused, kBroken };
struct Trial {
  Verdict verdict = Verdict::kHolds;
  std::string kind, text;               // kBroken
  std::vector<std::string> statements;  // of the law, in the order in which they ran
};
Trial ask(Peer& peer, const Experiment& experiment, const Law& law);  // on a database that is set up
Trial attempt(const NewPeer& new_peer, const Experiment& experiment, const Law& law);

Experiment shrink(const NewPeer& new_peer, Experiment experiment, const Law& law, int shrink_ms_max);
std::string script_of(const Experiment& experiment, const Trial& trial);

// Shrinks, writes the script to NAME.sql in the current directory, and throws Failure with it.
[[noreturn]] void report_broken(const NewPeer& new_peer, const Experiment& experiment, const Law& law, const std::string& name, const Trial& seen);

}  // namespace judge
