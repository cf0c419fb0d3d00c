#include "protocol.h"

#include <algorithm>
#include <functional>

#include "support/suite.h"

namespace judge::protocol {

uint64_t State::oldest() const { return registered.empty() ? durable : std::min(durable, registered.begin()->first); }

bool State::ready() const { return (phase == Phase::kAppend && !log) || phase == Phase::kLogged || phase == Phase::kPublish; }

const char* name_of(Event event) {
  static const char* const kNames[] = {"kCreated", "kDestroyed", "kReplay", "kFileLog", "kStart", "kPages", "kOpen", "kClose", "kTurn", "kGive", "kBegin",
                                       "kWrite", "kSavepoint", "kRollbackTo", "kUndo", "kUndone", "kUndoEnd", "kPrepare", "kPlanePrepared", "kAppend",
                                       "kGroup", "kLogged", "kPart", "kPlane", "kNumber", "kStoreH", "kEnd", "kSync", "kSyncFailed", "kFrozen", "kDurable", "kAck",
                                       "kLag", "kReclaim", "kDrop", "kMerge", "kPlaneGone", "kRoot", "kCut", "kRestoreRoot"};
  static_assert(std::size(kNames) == static_cast<size_t>(Event::kRestoreRoot) + 1);
  return kNames[static_cast<size_t>(event)];
}

namespace {

// The parts of advance(), in the order of events.m: null if the step is enabled (and taken), else the guard that does not hold.
using Verdict = const char*;
#define REQUIRE_GUARD(condition) \
  if (!(condition)) return #condition

Verdict opening(State& s, const Step& e) {
  switch (e.event) {
    case Event::kReplay:
      REQUIRE_GUARD(!s.up && s.phase == Phase::kIdle && !s.log);
      REQUIRE_GUARD(e.a == s.newest + 1);
      return nullptr;
    case Event::kFileLog:
      REQUIRE_GUARD(!s.up && s.phase == Phase::kIdle && !s.log);
      REQUIRE_GUARD(e.a == s.newest);
      s.log = true;
      s.appended = s.synced = s.newest;
      return nullptr;
    case Event::kStart:
      REQUIRE_GUARD(!s.up && s.phase == Phase::kIdle && !s.turn);
      REQUIRE_GUARD((e.a != 0) == s.log && (!s.log || s.synced == s.newest));
      s.up = true;
      s.lag = e.a != 0;
      return nullptr;
    default:
      REQUIRE_GUARD(s.up && s.log && s.root == 0 && s.phase == Phase::kIdle);
      REQUIRE_GUARD(e.b <= e.a && e.a <= s.synced);
      s.root = e.a;
      s.base = e.b;
      return nullptr;
  }
}

Verdict readers(State& s, const Step& e) {
  switch (e.event) {
    case Event::kOpen:
      REQUIRE_GUARD(e.a == s.durable);
      ++s.registered[e.a];
      return nullptr;
    case Event::kClose: {
      const auto at = s.registered.find(e.a);
      REQUIRE_GUARD(at != s.registered.end());
      if (--at->second == 0) s.registered.erase(at);
      return nullptr;
    }
    case Event::kTurn:
      REQUIRE_GUARD(!s.turn);
      s.turn = true;
      return nullptr;
    case Event::kGive:
      REQUIRE_GUARD(s.turn && s.phase == Phase::kIdle);
      s.turn = false;
      return nullptr;
    default:
      REQUIRE_GUARD(s.turn && s.phase == Phase::kIdle);
      REQUIRE_GUARD(e.a == s.newest);
      s.phase = Phase::kActive;
      s.entries = 0;
      ++s.registered[e.a];
      s.saved.insert(0);
      return nullptr;
  }
}

void trim(State& s, uint64_t position) { s.saved.erase(s.saved.upper_bound(position), s.saved.end()); }

Verdict journal(State& s, const Step& e) {
  switch (e.event) {
    case Event::kWrite:
      REQUIRE_GUARD(s.phase == Phase::kActive);
      REQUIRE_GUARD(e.a == s.entries);
      ++s.entries;
      return nullptr;
    case Event::kSavepoint:
      REQUIRE_GUARD(s.phase == Phase::kActive);
      REQUIRE_GUARD(e.a == s.entries);
      s.saved.insert(e.a);
      return nullptr;
    case Event::kRollbackTo:
      REQUIRE_GUARD(s.phase == Phase::kActive);
      REQUIRE_GUARD(s.saved.contains(e.a) && e.a <= s.entries);
      trim(s, e.a);
      return nullptr;
    case Event::kUndo:
      REQUIRE_GUARD(s.phase == Phase::kActive || s.phase == Phase::kPrepare || s.phase == Phase::kAppend || s.phase == Phase::kLogging);
      REQUIRE_GUARD(e.a <= s.entries);
      if (s.restored == s.newest + 1) s.frozen = true;
      s.phase = Phase::kUndo;
      s.target = e.a;
      return nullptr;
    case Event::kUndone:
      REQUIRE_GUARD(s.phase == Phase::kUndo && s.entries > s.target);
      REQUIRE_GUARD(e.a + 1 == s.entries);
      --s.entries;
      return nullptr;
    default:
      REQUIRE_GUARD(s.phase == Phase::kUndo);
      REQUIRE_GUARD(s.entries == s.target);
      trim(s, s.target);
      s.target = 0;
      s.phase = Phase::kActive;
      return nullptr;
  }
}

Verdict commit(State& s, const Step& e) {
  switch (e.event) {
    case Event::kPrepare:
      REQUIRE_GUARD(s.phase == Phase::kActive && s.entries > 0);
      s.phase = Phase::kPrepare;
      return nullptr;
    case Event::kPlanePrepared: {
      REQUIRE_GUARD(s.phase == Phase::kPrepare);
      REQUIRE_GUARD(!s.planes[e.plane].prepared);
      s.planes[e.plane].prepared = true;
      return nullptr;
    }
    case Event::kAppend:
      REQUIRE_GUARD(s.phase == Phase::kPrepare);
      REQUIRE_GUARD(e.a == s.newest + 1);
      s.phase = Phase::kAppend;
      return nullptr;
    case Event::kGroup:
      REQUIRE_GUARD(s.phase == Phase::kAppend && s.log);
      REQUIRE_GUARD(!s.frozen);
      REQUIRE_GUARD(e.a == s.newest + 1 && s.appended == s.newest);
      s.phase = Phase::kLogging;
      return nullptr;
    default:
      REQUIRE_GUARD(s.phase == Phase::kLogging);
      REQUIRE_GUARD(e.a == s.newest + 1);
      s.phase = Phase::kLogged;
      s.appended = e.a;
      return nullptr;
  }
}

Verdict publish(State& s, const Step& e) {
  switch (e.event) {
    case Event::kPart:
    case Event::kPlane: {
      REQUIRE_GUARD(s.ready());
      REQUIRE_GUARD(e.a == s.newest + 1);
      Plane& plane = s.planes[e.plane];
      REQUIRE_GUARD(plane.prepared && !plane.published);
      if (e.event == Event::kPart) {
        REQUIRE_GUARD(e.b == e.c);  // cells and delta together
        if (plane.deltas.empty() || plane.deltas.back().tag != e.a) plane.deltas.push_back({e.a, e.a});
      } else {
        plane.published = true;
      }
      s.phase = Phase::kPublish;
      return nullptr;
    }
    case Event::kNumber:
      REQUIRE_GUARD(s.ready());
      REQUIRE_GUARD(e.a == s.newest + 1 && s.stored == s.newest);
      s.phase = Phase::kPublish;
      s.stored = e.a;
      return nullptr;
    case Event::kStoreH: {
      if (!s.up && s.phase == Phase::kIdle) {
        REQUIRE_GUARD(!s.log && e.a >= s.newest);
        s.newest = s.durable = s.stored = e.a;
        return nullptr;
      }
      REQUIRE_GUARD(s.phase == Phase::kPublish);
      REQUIRE_GUARD(e.a == s.newest + 1);
      REQUIRE_GUARD(s.stored == e.a);
      const bool all_published = std::all_of(s.planes.begin(), s.planes.end(), [](const auto& p) { return !p.second.prepared || p.second.published; });
      REQUIRE_GUARD(all_published);
      s.newest = e.a;
      if (!s.lag) s.durable = e.a;
      s.phase = Phase::kDone;
      return nullptr;
    }
    default:
      REQUIRE_GUARD(s.phase == Phase::kDone || s.phase == Phase::kActive);
      REQUIRE_GUARD(s.phase == Phase::kDone || s.entries == 0);
      REQUIRE_GUARD(s.registered.empty() || s.registered.rbegin()->first <= s.durable);
      s.phase = Phase::kIdle;
      s.entries = 0;
      s.saved.clear();
      for (auto& [key, plane] : s.planes) plane.prepared = plane.published = false;
      return nullptr;
  }
}

Verdict durability(State& s, const Step& e) {
  switch (e.event) {
    case Event::kSync:
      REQUIRE_GUARD(s.log && !s.failed);
      REQUIRE_GUARD(s.synced <= e.a && e.a <= s.appended);
      s.synced = e.a;
      return nullptr;
    case Event::kSyncFailed:
      REQUIRE_GUARD(s.log);
      s.failed = true;
      return nullptr;
    case Event::kFrozen:
      REQUIRE_GUARD(s.log);
      s.frozen = true;
      return nullptr;
    case Event::kDurable:
      REQUIRE_GUARD(s.durable <= e.a);
      REQUIRE_GUARD(s.lag || e.a == s.newest);
      REQUIRE_GUARD(!s.lag || (e.a <= s.newest && e.a <= s.synced));
      s.durable = e.a;
      return nullptr;
    case Event::kAck:
      REQUIRE_GUARD(e.a <= s.newest);
      REQUIRE_GUARD(e.a <= s.durable);
      return nullptr;
    default:
      REQUIRE_GUARD(s.log && s.turn && !s.frozen);
      if (e.a != 0) REQUIRE_GUARD(s.durable == s.newest && s.synced >= s.newest);
      s.lag = e.a != 0;
      return nullptr;
  }
}

Verdict reclaiming(State& s, const Step& e) {
  REQUIRE_GUARD(s.turn);
  if (e.event == Event::kReclaim) {
    REQUIRE_GUARD(s.phase == Phase::kIdle);
    REQUIRE_GUARD(s.reclaimed < e.a && e.a <= s.stored);
    REQUIRE_GUARD(e.a <= s.oldest());
    s.reclaimed = e.a;
    return nullptr;
  }
  Plane& plane = s.planes[e.plane];
  const auto at = std::find_if(plane.deltas.begin(), plane.deltas.end(), [&](const Delta& d) { return d.tag == e.a; });
  REQUIRE_GUARD(at != plane.deltas.end());
  if (e.event == Event::kDrop) {
    REQUIRE_GUARD(at == plane.deltas.begin());
    REQUIRE_GUARD(e.a <= s.oldest());
    plane.deltas.erase(at);
    plane.gone = e.a;
    return nullptr;
  }
  const auto newer = at + 1;
  REQUIRE_GUARD(newer != plane.deltas.end() && newer->tag == e.b);
  REQUIRE_GUARD(e.b <= s.durable);
  const auto between = s.registered.lower_bound(e.a);
  REQUIRE_GUARD(between == s.registered.end() || between->first >= e.b);
  newer->from = at->from;
  plane.deltas.erase(at);
  return nullptr;
}

Verdict checkpoints(State& s, const Step& e) {
  switch (e.event) {
    case Event::kRoot:
      REQUIRE_GUARD(s.log && s.up);
      REQUIRE_GUARD(s.registered.contains(e.a) && e.a <= s.durable);
      REQUIRE_GUARD(e.a <= s.synced);
      REQUIRE_GUARD(s.root <= e.a);
      s.root = e.a;
      return nullptr;
    case Event::kCut:
      REQUIRE_GUARD(s.log && s.phase != Phase::kLogging);
      REQUIRE_GUARD(e.a <= s.root);
      REQUIRE_GUARD(s.base <= e.a && e.a <= s.appended);
      s.base = e.a;
      return nullptr;
    default:
      REQUIRE_GUARD(s.log && s.turn && s.phase == Phase::kActive);
      REQUIRE_GUARD(e.a == s.newest + 1 && s.root <= s.newest);
      s.root = s.restored = e.a;
      return nullptr;
  }
}
#undef REQUIRE_GUARD

Verdict step(State& s, const Step& e) {
  if (e.event <= Event::kPages) return opening(s, e);
  if (e.event <= Event::kBegin) return readers(s, e);
  if (e.event <= Event::kUndoEnd) return journal(s, e);
  if (e.event <= Event::kLogged) return commit(s, e);
  if (e.event <= Event::kEnd) return publish(s, e);
  if (e.event <= Event::kLag) return durability(s, e);
  if (e.event <= Event::kMerge) return reclaiming(s, e);
  return checkpoints(s, e);
}

std::string text_of(const State& s) {
  static const char* const kPhases[] = {"idle", "active", "undo", "prepare", "append", "logging", "logged", "publish", "done"};
  std::string out = kPhases[static_cast<size_t>(s.phase)];
  for (const auto& [name, value] : {std::pair<const char*, uint64_t>{"H", s.newest}, {"D", s.durable}, {"stored", s.stored}, {"appended", s.appended},
                                    {"synced", s.synced}, {"reclaimed", s.reclaimed}, {"root", s.root}, {"base", s.base}, {"entries", s.entries},
                                    {"target", s.target}}) {
    out += std::string(", ") + name + " " + std::to_string(value);
  }
  for (const auto& [name, on] : {std::pair<const char*, bool>{"up", s.up}, {"log", s.log}, {"lag", s.lag}, {"failed", s.failed}, {"frozen", s.frozen}, {"turn", s.turn}}) {
    out += on ? std::string(", ") + name : std::string();
  }
  out += ", registered";
  for (const auto& [snapshot, count] : s.registered) out += " " + std::to_string(snapshot) + "x" + std::to_string(count);
  return out;
}

}  // namespace

std::string advance(State* state, const Step& e) {
  // Every guard comes before the first change, but for a plane that is new.
  const Verdict wrong = step(*state, e);
  if (wrong == nullptr) return "";
  return std::string(name_of(e.event)) + " (" + std::to_string(e.a) + ", " + std::to_string(e.b) + ", " + std::to_string(e.c) +
         ") is not enabled: " + wrong + "; state: " + text_of(*state);
}

// ---- the search

namespace {

// The bounds that rules of events.m have beside their guards.
bool within(const State& s, const Step& e, const Bounds& b) {
  uint64_t count = 0;
  for (const auto& one : s.registered) count += one.second;
  switch (e.event) {
    case Event::kOpen: return count <= b.size("NR");
    case Event::kBegin: return s.newest < b.size("NC") && count <= b.size("NR") + 1;
    case Event::kWrite: return s.entries < b.size("J");
    case Event::kSavepoint:
    case Event::kRollbackTo: return b.on("SAVE");
    case Event::kPlanePrepared: return b.on("PLANE");
    case Event::kLag: return b.on("MODES");
    case Event::kRestoreRoot: return b.on("RESTORE");
    case Event::kFileLog: return b.on("RECOVER") && b.on("LOG");
    case Event::kPages: return b.on("RECOVER") && e.a > 0;
    case Event::kRoot:
    case Event::kCut: return e.a > 0;
    default: return true;
  }
}

std::vector<Step> steps_of(const Bounds& b) {
  std::vector<Step> out;
  static const char kPlane = 0;
  const uint64_t most = std::max(b.size("NC"), b.size("J")) + 1;
  for (size_t kind = static_cast<size_t>(Event::kReplay); kind <= static_cast<size_t>(Event::kRestoreRoot); ++kind) {
    const auto event = static_cast<Event>(kind);
    if (event == Event::kPlaneGone) continue;
    const bool two = event == Event::kPages || event == Event::kMerge;
    for (uint64_t a = 0; a <= most; ++a) {
      for (uint64_t x = 0; x <= (two ? most : 0); ++x) out.push_back({event, nullptr, a, x, 0, &kPlane});
    }
  }
  return out;
}

}  // namespace

uint64_t explore(const Bounds& bounds) {
  const std::vector<Step> steps = steps_of(bounds);
  State start;
  start.up = !bounds.on("RECOVER");
  start.log = start.lag = bounds.on("LOG") && start.up;
  start.planes[steps[0].plane];
  std::set<State> known = {start};
  std::vector<const State*> open = {&*known.begin()};
  while (!open.empty()) {
    const State from = *open.back();
    open.pop_back();
    for (const Step& e : steps) {
      if (!within(from, e, bounds)) continue;
      State to = from;
      if (step(to, e) != nullptr || to.newest > bounds.size("NC")) continue;
      const auto [at, fresh] = known.insert(std::move(to));
      if (fresh) open.push_back(&*at);
    }
  }
  return known.size();
}

// ---- watching an engine

Watch::Watch() {
#ifdef HOLODB_PROTOCOL
  hdb::protocol::observer.store(this, std::memory_order_release);
#endif
}

Watch::~Watch() {
#ifdef HOLODB_PROTOCOL
  hdb::protocol::observer.store(nullptr, std::memory_order_release);
#endif
}

void Watch::take(const Step& step) noexcept {
  ++taken_[step.event];
  if (step.event == Event::kCreated) {
    databases_[step.of] = State();
    return;
  }
  if (step.event == Event::kPlanePrepared) owner_[step.plane] = step.of;
  const auto owner = owner_.find(step.plane);
  const void* of = step.of != nullptr || owner == owner_.end() ? step.of : owner->second;
  const auto database = databases_.find(of);
  if (database == databases_.end()) return;  // it was there before, or is not looked at any more
  if (step.event == Event::kDestroyed) {
    databases_.erase(database);
  } else if (step.event == Event::kPlaneGone) {
    database->second.planes.erase(step.plane);
    owner_.erase(step.plane);
  } else if (std::string wrong = advance(&database->second, step); !wrong.empty()) {
    if (wrong_.empty()) wrong_ = std::move(wrong);
    databases_.erase(database);
  }
}

uint64_t Watch::check() {
  const std::lock_guard<std::mutex> hold(mutex);
  uint64_t count = 0;
  for (const auto& one : taken_) count += one.second;
  if (!wrong_.empty()) throw Failure{"self-check", "a step of the engine that the model does not have: " + wrong_};
  return count;
}

}  // namespace judge::protocol
