// properties: laws of the engine that need no judge, and histories judged by the executable model.
#include "laws.h"
#include "protocol.h"

namespace {

using judge::protocol::Event;

std::function<void(judge::Context&)> watched(std::function<void(judge::Context&)> body, std::map<Event, uint64_t>& steps) {
  return [body = std::move(body), &steps](judge::Context& context) {
    // A fault of order breaks many cases: two say enough, and the others go on to what it does to rows.
    constexpr int kToldMax = 2;
    static int told = 0;
    if (told == kToldMax) return body(context);
    judge::protocol::Watch watch;
    body(context);
    try {
      watch.check();
    } catch (const judge::Failure&) {
      ++told;
      throw;
    }
    for (const auto& [event, count] : watch.taken()) steps[event] += count;
  };
}

void all_were_seen(const std::map<Event, uint64_t>& steps) {
  if (!hdb::protocol::kTold) {
    std::printf("  this build tells no steps of the protocol (HOLODB_PROTOCOL)\n");
    return;
  }
  uint64_t sum = 0;
  for (size_t kind = 0; kind <= static_cast<size_t>(Event::kRestoreRoot); ++kind) {
    const auto event = static_cast<Event>(kind);
    const auto at = steps.find(event);
    judge::require(at != steps.end(), std::string("no database took the step ") + judge::protocol::name_of(event));
    sum += at->second;
  }
  std::printf("  %llu steps of the protocol, each enabled\n", static_cast<unsigned long long>(sum));
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<judge::Case> cases = judge::history_laws();
  for (const auto& list : {judge::group_laws(), judge::order_laws(), judge::rebuild_laws(), judge::contract_laws(), judge::thread_laws(), judge::crash_laws(),
                           judge::identity_laws(), judge::pivot_laws(), judge::isolation_laws()}) {
    cases.insert(cases.end(), list.begin(), list.end());
  }
  // Every case is watched: each step that the engine takes must be one of spec/models/events.m.
  std::map<Event, uint64_t> steps;
  if (hdb::protocol::kTold) {
    for (judge::Case& one : cases) one.body = watched(one.body, steps);
  }
  for (const judge::Case& one : judge::protocol_laws()) cases.push_back(one);
  return judge::run_suite("properties", argc, argv, cases, [&](const judge::Tally& t) {
    judge::require(t.distinct.size() >= 1000, "1,000 distinct checks of histories expected, " + std::to_string(t.distinct.size()) + " made");
    all_were_seen(steps);
    judge::require(t.verified >= 20, "too few summaries verified");
  });
}
