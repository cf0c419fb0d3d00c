// Isolation checked on recorded histories: several connections of one thread, interleaved by the seed (threads of their own: stress.cc), and
// the checker itself on histories that were made by hand, each with the anomaly that it must be refused for.
//
// Invariants checked: C1, C4, C7 (what writes is serializable, in the order of real time; what reads sees one snapshot), C5 and C6 by totals;
// IS1, IS2 of the checker.
#include <set>

#include "isolation_record.h"
#include "laws.h"

namespace judge {

namespace {

// ---- By hand: "w3.17" appends 17 to list 3, "r3.1.17" reads it as [1 17], "t0+1.5" sees the total 5 of lists 0 and 1 ------------
Transaction told(const std::string& text, uint64_t began, uint64_t ended, bool committed = true) {
  Transaction out;
  out.began = began, out.ended = ended;
  out.end = committed ? Transaction::End::kCommitted : Transaction::End::kAborted;
  size_t at = 0;
  while (at < text.size()) {
    const size_t end = std::min(text.find(' ', at), text.size());
    std::vector<std::string> parts = {""};
    for (const char c : text.substr(at + 1, end - at - 1)) {
      if (c == '.')
        parts.emplace_back();
      else
        parts.back() += c;
    }
    Act act;
    if (text[at] == 'w') act.kind = Act::Kind::kAppend, act.number = std::stoll(parts[1]);
    if (text[at] == 'u') out.undone.push_back(std::stoll(parts[1]));
    if (text[at] == 'r') {
      for (size_t i = 1; i < parts.size(); ++i) act.list.push_back(std::stoll(parts[i]));
    }
    if (text[at] == 't') {
      act.kind = Act::Kind::kTotal, act.number = std::stoll(parts[1]);
      for (const char c : parts[0]) {
        if (c != '+') act.keys.push_back(c - '0');
      }
    } else {
      act.key = std::stoi(parts[0]);
    }
    if (text[at] != 'u') out.acts.push_back(std::move(act));
    at = end + 1;
  }
  return out;
}

struct Told {
  const char* name;
  std::vector<const char*> transactions;  // a ! in front: rolled back
  const char* at_snapshot;                // the anomaly that each level must find, "" for none
  const char* at_serializable;
};

void by_hand(Context&) {
  const std::vector<Told> histories = {{"one after the other", {"w0.1", "r0.1 w0.2", "r0.1.2 t0.2"}, "", ""},
                                       {"a rolled back transaction that nobody sees", {"!w0.1 r0.1", "r0 w0.2", "r0.2"}, "", ""},
                                       {"a reader of an older snapshot", {"w0.1 w1.2", "r0 r1", "r0.1 r1.2"}, "", ""},
                                       {"G0", {"w0.1 w1.2", "w0.3 w1.4", "r0.1.3 r1.4.2"}, "G0", "G0"},
                                       {"G1a", {"!w0.1", "r0.1"}, "G1a", "G1a"},
                                       {"G1a by a savepoint", {"u0.1 w0.2", "r0.1.2"}, "G1a", "G1a"},
                                       {"G1b", {"w0.1 w0.2", "r0.1", "r0.1.2"}, "G1b", "G1b"},
                                       {"G1c", {"w0.1 r1.2", "w1.2 r0.1"}, "G1c", "G1c"},
                                       {"lost update", {"r0 w0.1", "r0 w0.2", "r0.1.2"}, "lost update", "lost update"},
                                       {"lost update, a list that forgets", {"w0.1", "w0.2", "r0.1", "r0.2"}, "order", "order"},
                                       {"read skew", {"w0.1 w1.2", "r0.1 r1", "r1.2"}, "read skew", "read skew"},
                                       {"read skew of one list", {"w0.1", "r0 r0.1"}, "read skew", "read skew"},
                                       {"write skew", {"r0 r1 w0.1", "r0 r1 w1.2", "r0.1 r1.2"}, "", "write skew"},
                                       {"a reader between two writers (Fekete)", {"r0 r1 w0.1", "r1 w1.2", "r0 r1.2", "r0.1 r1.2"}, "", "write skew"},
                                       {"own writes", {"w0.1 r0"}, "own write", "own write"},
                                       {"a number from nowhere", {"r0.7"}, "order", "order"},
                                       {"stale total", {"w0.1", "r0.1 t0.0"}, "stale total", "stale total"},
                                       {"a total ahead of its lists", {"w0.1", "r0 r1 t0+1.1"}, "stale total", "stale total"},
                                       {"a total that forgets own writes", {"w0.1 t0.0"}, "stale total", "stale total"},
                                       {"two totals of one snapshot", {"w0.1", "t0.0 t0.1"}, "stale total", "stale total"},
                                       {"a total of more than was ever written", {"w0.1", "t0.2"}, "stale total", "stale total"}};
  for (const Told& h : histories) {
    ConcurrentHistory history;
    history.keys = 2;
    for (const char* text : h.transactions) history.transactions.push_back(told(*text == '!' ? text + 1 : text, 1, 100, *text != '!'));
    for (const Level level : {Level::kSnapshot, Level::kSerializable, Level::kStrict}) {
      const std::string want = level == Level::kSnapshot ? h.at_snapshot : h.at_serializable;
      const std::vector<Anomaly> found = check(history, level);
      const std::string got = found.empty() ? "" : found[0].name;
      require(got == want, std::string(h.name) + ": \"" + want + "\" expected, \"" + got + "\" found\n" + to_text(history));
    }
  }
}

void by_time(Context&) {
  ConcurrentHistory history;
  history.keys = 2;
  history.transactions = {told("w0.1", 1, 2), told("r0", 3, 4), told("r0.1", 5, 6)};
  require(check(history, Level::kSerializable).empty(), "a read of an old state is serializable");
  std::vector<Anomaly> found = check(history, Level::kStrict);
  require(found.size() == 1 && found[0].name == "stale read", "a read that does not see what had ended is stale");
  history.transactions = {told("w0.1", 1, 2), told("w0.2", 3, 4), told("r0.2", 5, 6)};
  found = check(history, Level::kStrict);
  require(!found.empty() && found[0].name == "lost update", "an append that later readers do not see is lost");
  history.transactions = {told("w0.1", 1, 2), told("t0.0", 3, 4)};
  found = check(history, Level::kStrict);
  require(found.size() == 1 && found[0].name == "stale total", "a total that does not know what had ended is stale");
  history.transactions[1].began = 2;
  require(check(history, Level::kStrict).empty(), "a total that overlaps may be either");
}

void by_numbers(Context&) {
  const auto make = [] {
    ConcurrentHistory history;
    history.keys = 2;
    history.transactions = {told("w0.1", 1, 2), told("r0.1 w0.2 t0.2", 3, 6), told("r0.1 t0.1", 3, 9), told("r0.1.2", 8, 9)};
    history.transactions[0].commit = 1, history.transactions[1].commit = 2;
    const uint64_t snapshots[] = {0, 1, 1, 2};
    for (size_t t = 0; t < 4; ++t) {
      for (Act& a : history.transactions[t].acts) a.snapshot = snapshots[t];
    }
    return history;
  };
  const auto expect = [](const ConcurrentHistory& history, const std::string& name) {
    const std::vector<Anomaly> found = check_numbers(history);
    const std::string got = found.empty() ? "" : found[0].name;
    require(got == name, "\"" + name + "\" expected, \"" + got + "\" found\n" + to_text(history));
  };
  ConcurrentHistory history = make();
  expect(history, "");
  history.transactions[2].acts[0].snapshot = 2;
  expect(history, "stale read");
  history = make(), history.transactions[2].acts[1].number = 2;
  expect(history, "stale total");
  history = make(), history.transactions[1].commit = 1;
  expect(history, "order");
  history = make(), history.transactions[3].acts[0].snapshot = 1, history.transactions[3].acts[0].list = {1};
  expect(history, "stale read");  // it began after 2 was acknowledged
  history = make();
  for (Act& a : history.transactions[1].acts) a.snapshot = 0;
  history.transactions[1].acts[0].list = {}, history.transactions[1].acts[2].number = 1, history.transactions[1].began = 1;
  expect(history, "lost update");
}

// ---- Recorded --------------------------------------------------------------------------------------------------------------------
void interleaved(Context& context, const RecordPlan& plan, int steps) {
  model::Random& r = context.random;
  Engine engine;
  RecordClock clock;
  std::vector<std::unique_ptr<Connection>> connections;
  std::vector<Recorder> recorders;
  const size_t sessions = static_cast<size_t>(r.range(2, 5));
  for (size_t i = 0; i < sessions; ++i) {
    connections.push_back(engine.connection());
    if (i == 0) set_up_lists(*connections[0], plan), must(*connections[0], "SET turn_timeout = 0");
    recorders.emplace_back(*connections.back(), clock, plan, model::Random(r.next()));
  }
  for (int step = 0; step < steps; ++step) recorders[r.below(sessions)].step();
  ConcurrentHistory history;
  history.keys = plan.keys;
  for (Recorder& recorder : recorders) recorder.finish();
  recorders[0].read_all();
  uint64_t committed = 0;
  for (Recorder& recorder : recorders) {
    for (Transaction& t : recorder.take()) {
      committed += t.writes() && t.end == Transaction::End::kCommitted ? 1 : 0;
      history.transactions.push_back(std::move(t));
    }
  }
  require(committed > 0 || steps < 100, "no transaction wrote");
  const std::string wrong = judged(history);
  require(wrong.empty(), wrong + "\n" + to_text(history).substr(0, 1200));
  report::checked(history.transactions.size());
  if (plan.summary) verify_summary(*connections[0], "s_r0"), verify_summary(*connections[0], "s_r1");
}

}  // namespace

void interleaved(Context& context, int steps) {
  RecordPlan plan;
  plan.keys = context.random.chance(30) ? 2 : 6;
  plan.summary = context.random.chance(75);
  interleaved(context, plan, steps);
}

std::vector<Case> isolation_laws() {
  std::vector<Case> cases = {{"isolation-by-hand", "IS1", by_hand}, {"isolation-by-time", "IS1", by_time}, {"isolation-by-numbers", "IS1", by_numbers}};
  for (int i = 0; i < 12; ++i) {
    RecordPlan plan;
    plan.keys = i % 3 == 0 ? 2 : 6;
    plan.summary = i % 4 != 3;
    plan.filler = i == 5 ? 16384 : 0;
    cases.push_back({"isolation-" + std::to_string(i), "C7", [plan, i](Context& c) { interleaved(c, plan, i == 5 ? 150 : 400); }});
  }
  return cases;
}

}  // namespace judge
