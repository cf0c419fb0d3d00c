// properties/protocol.h: says of each step that the engine takes (base/protocol.h) whether spec/models/events.m allows it.
//
// What:       State is the state of that model, without bounds; advance() its rules, in its order and with its names. Watch observes an engine: every
//             database that is made while it lives is followed from its first step on.
// Invariants: EV1 a step that is not enabled is reported, with the rule and the numbers; what comes after it of the same database is not looked at.
//             EV2 advance() has the states of events.m: within bounds as many are reached (explore).
// Callers:    properties/main.cc, protocol_laws.cc, stress.cc. Watch: any thread may take steps; it is made and ended while no database is open.
// Held by:    properties/protocol_laws.cc (steps out of order, and the search), spec/models/run_events
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/protocol.h"

namespace judge::protocol {

using hdb::protocol::Event;
using hdb::protocol::Step;

enum class Phase : uint8_t { kIdle, kActive, kUndo, kPrepare, kAppend, kLogging, kLogged, kPublish, kDone };

struct Delta {
  uint64_t from, tag;   // of the commits [from, tag]
  auto operator<=>(const Delta&) const = default;
};
struct Plane {
  bool prepared = false, published = false;
  uint64_t gone = 0;
  std::vector<Delta> deltas;  // oldest first
  auto operator<=>(const Plane&) const = default;
};

struct State {
  bool up = false, log = false, lag = false, failed = false, frozen = false, turn = false;
  uint64_t newest = 0, durable = 0, stored = 0, appended = 0, synced = 0;   // H, D, ...
  uint64_t reclaimed = 0, root = 0, base = 0, restored = 0;
  Phase phase = Phase::kIdle;
  uint64_t entries = 0, target = 0;
  std::set<uint64_t> saved;
  std::map<uint64_t, uint32_t> registered;
  std::map<const void*, Plane> planes;
  auto operator<=>(const State&) const = default;

  uint64_t oldest() const;   // min(registered, D)
  bool ready() const;        // may publish
};

// Takes the step; or says why it is not enabled, and leaves the state as it was.
std::string advance(State* state, const Step& step);
const char* name_of(Event event);

// Bounds and features of a search: the constants of events.m.
struct Bounds {
  std::map<std::string, int64_t> constants;
  bool on(const std::string& name) const { return constants.at(name) != 0; }
  uint64_t size(const std::string& name) const { return static_cast<uint64_t>(constants.at(name)); }
};
// How many states can be reached.
uint64_t explore(const Bounds& bounds);

class Watch final : public hdb::protocol::Observer {
 public:
  Watch();
  ~Watch() override;
  void take(const Step& step) noexcept override;
  // Throws Failure for the first step that was not enabled. How many steps there were.
  uint64_t check();
  const std::map<Event, uint64_t>& taken() const { return taken_; }

 private:
  std::map<const void*, State> databases_;
  std::map<const void*, const void*> owner_;   // of a plane
  std::map<Event, uint64_t> taken_;
  std::string wrong_;
};

}  // namespace judge::protocol
