// The checker of the protocol's steps, checked: it has as many states as the model, and refuses what is out of order.
//
// Invariants checked: EV1, EV2 (protocol.h). That the engine's own steps are enabled is looked at in every other case (main.cc) and in stress.cc.
#include <fstream>
#include <sstream>

#include "laws.h"
#include "protocol.h"

namespace judge {

namespace {

using protocol::Event;
using protocol::State;
using protocol::Step;

// Each line `hold NAME TIER =STATES [Constant=value ...]` of cases_events; rumur's count is held to the same number by spec/models/run_events.
void explored(Context&) {
  std::ifstream in(HOLODB_EVENT_CASES);
  std::string line;
  int cases = 0;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    std::string kind, name, tier, states, set;
    words >> kind >> name >> tier >> states;
    if (kind != "hold" || tier != "quick" || states.substr(0, 1) != "=") continue;
    protocol::Bounds bounds{{{"NC", 2}, {"J", 1}, {"NR", 1}, {"PLANE", 1}, {"LOG", 1}, {"RECOVER", 0}, {"SAVE", 0}, {"MODES", 0}, {"RESTORE", 0}}};
    while (words >> set) {
      const std::string value = set.substr(set.find('=') + 1);
      bounds.constants.at(set.substr(0, set.find('='))) = value == "true" ? 1 : value == "false" ? 0 : std::stoll(value);
    }
    // The largest are for rumur alone: here every case of the suite has 15 s together.
    const uint64_t want = std::stoull(states.substr(1));
    if (want > 60000) continue;
    const uint64_t got = protocol::explore(bounds);
    require(got == want, name + ": the model has " + std::to_string(want) + " states, the checker " + std::to_string(got));
    ++cases;
  }
  require(cases >= 4, "too few cases of the model were searched: " + std::to_string(cases));
}

struct Order {
  const char* steps;   // "kTurn kBegin.0 kWrite.0 ...": a step with its numbers
  const char* refused; // the step after them that must be refused
  const char* taken;   // and the one that must be taken instead
};

Step told(const std::string& text, const void* plane) {
  Step out{Event::kCreated, nullptr, 0, 0, 0, plane};
  std::istringstream parts(text);
  std::string name, number;
  std::getline(parts, name, '.');
  uint64_t* const to[] = {&out.a, &out.b, &out.c};
  for (size_t i = 0; std::getline(parts, number, '.'); ++i) *to[i] = std::stoull(number);
  for (size_t kind = 0; kind <= static_cast<size_t>(Event::kRestoreRoot); ++kind) {
    if (name == protocol::name_of(static_cast<Event>(kind))) {
      out.event = static_cast<Event>(kind);
      return out;
    }
  }
  throw Failure{"wrong-result", "no step " + name};
}

const std::string kOpened = "kFileLog.0 kStart.1 ";
const std::string kWritten = kOpened + "kTurn kBegin.0 kWrite.0 kPrepare ";
const std::string kInLog = kWritten + "kPlanePrepared kAppend.1 kGroup.1 kLogged.1 ";
const std::string kPublished = kInLog + "kPart.1.3.3 kPlane.1 kNumber.1 kStoreH.1 ";
const std::string kEnded = kPublished + "kClose.0 kEnd ";
const std::string kTwo = kEnded + "kGive kTurn kBegin.1 kWrite.0 kPrepare kPlanePrepared kAppend.2 kGroup.2 kLogged.2 kPart.2.1.1 kPlane.2 kNumber.2 kStoreH.2 kClose.1 kEnd ";

void refused(Context&) {
  const std::vector<std::pair<std::string, std::pair<const char*, const char*>>> orders = {
      {kOpened + "kTurn ", {"kTurn", "kGive"}},
      {kOpened + "kTurn kBegin.0 ", {"kWrite.1", "kWrite.0"}},
      {kOpened + "kTurn kBegin.0 kWrite.0 kSavepoint.1 kWrite.1 ", {"kRollbackTo.2", "kRollbackTo.1"}},
      {kOpened + "kTurn kBegin.0 kWrite.0 kSavepoint.1 kWrite.1 ", {"kSavepoint.3", "kSavepoint.2"}},
      {kOpened + "kTurn kBegin.0 kWrite.0 kWrite.1 kUndo.0 kUndone.1 ", {"kUndoEnd", "kUndone.0"}},
      {kOpened + "kTurn kBegin.0 kWrite.0 kWrite.1 kUndo.0 kUndone.1 kUndone.0 ", {"kUndone.0", "kUndoEnd"}},
      {kOpened + "kTurn kBegin.0 kWrite.0 ", {"kEnd", "kUndo.0"}},
      {kWritten, {"kPart.1.1.1", "kPlanePrepared"}},
      {kWritten + "kPlanePrepared ", {"kGroup.1", "kAppend.1"}},
      {kWritten + "kPlanePrepared ", {"kAppend.2", "kAppend.1"}},
      {kWritten + "kPlanePrepared kAppend.1 ", {"kNumber.1", "kGroup.1"}},
      {kWritten + "kPlanePrepared kAppend.1 kFrozen ", {"kGroup.1", "kUndo.0"}},
      {kInLog, {"kStoreH.1", "kNumber.1"}},
      {kInLog + "kNumber.1 ", {"kStoreH.1", "kPlane.1"}},
      {kInLog, {"kPart.1.3.2", "kPart.1.3.3"}},
      {kInLog + "kPlane.1 ", {"kStoreH.1", "kNumber.1"}},
      {kPublished, {"kDurable.1", "kSync.1"}},
      {kPublished, {"kAck.1", "kAck.0"}},
      {kPublished, {"kGive", "kEnd"}},
      {kPublished + "kSyncFailed ", {"kSync.1", "kClose.0"}},
      {kInLog + "kSync.1 ", {"kDurable.1", "kDurable.0"}},
      {kEnded, {"kOpen.1", "kOpen.0"}},
      {kEnded, {"kReclaim.1", "kOpen.0"}},
      {kEnded + "kOpen.0 kSync.1 kDurable.1 ", {"kReclaim.1", "kOpen.1"}},
      {kEnded + "kOpen.0 kSync.1 kDurable.1 kClose.0 ", {"kClose.0", "kReclaim.1"}},
      {kEnded + "kOpen.0 kSync.1 kDurable.1 ", {"kDrop.1", "kOpen.1"}},
      {kTwo, {"kMerge.1.2", "kSync.2"}},
      {kTwo + "kSync.1 kDurable.1 kOpen.1 kSync.2 kDurable.2 ", {"kMerge.1.2", "kClose.1"}},
      {kTwo + "kOpen.0 kSync.2 kDurable.2 ", {"kDrop.1", "kMerge.1.2"}},
      {kTwo + "kSync.2 kDurable.2 ", {"kDrop.2", "kDrop.1"}},
      {kEnded + "kSync.1 kDurable.1 ", {"kRoot.1", "kOpen.1"}},
      {kEnded + "kSync.1 kDurable.1 kOpen.1 ", {"kCut.1", "kRoot.1"}},
      {kEnded + "kSync.1 kDurable.1 kOpen.1 kRoot.1 ", {"kCut.2", "kCut.1"}},
      {kEnded, {"kLag.1", "kLag.0"}},
      {kEnded + "kLag.0 kDurable.1 ", {"kLag.1", "kSync.1"}},
      {"", {"kReplay.2", "kReplay.1"}},
      {"kStoreH.5 ", {"kReplay.5", "kReplay.6"}},
      {"kStoreH.5 ", {"kFileLog.6", "kFileLog.5"}},
      {"kStoreH.5 kFileLog.5 kStart.1 ", {"kPages.4.5", "kPages.4.3"}},
      {"kStoreH.5 kFileLog.5 ", {"kStart.0", "kStart.1"}},
      {kOpened + "kTurn ", {"kRestoreRoot.1", "kBegin.0"}},
      {kOpened + "kTurn kBegin.0 kWrite.0 ", {"kRestoreRoot.2", "kRestoreRoot.1"}},
  };
  const char plane = 0;
  for (const auto& [before, last] : orders) {
    State state;
    std::istringstream words(before);
    for (std::string word; words >> word;) {
      const std::string wrong = protocol::advance(&state, told(word, &plane));
      require(wrong.empty(), before + ": " + wrong);
    }
    State copy = state;
    require(!protocol::advance(&copy, told(last.first, &plane)).empty(), before + "must not go on with " + last.first);
    const std::string wrong = protocol::advance(&state, told(last.second, &plane));
    require(wrong.empty(), before + last.second + ": " + wrong);
  }
}

}  // namespace

std::vector<Case> protocol_laws() {
  return {{"the checker has the states of the model", "EV2", explored}, {"steps out of order are refused", "EV1", refused}};
}

}  // namespace judge
