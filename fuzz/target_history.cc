#include "targets.h"

namespace judge {

void fuzz_history(const uint8_t* data, size_t size, Tally& tally) {
  model::Random random(data, size);
  HistoryPlan plan;
  plan.parents = random.range(1, 8);
  plan.facts = random.range(0, 40);
  plan.steps = static_cast<int>(4 + size / 24 % 40);
  plan.panel = 3;
  Engine engine;
  History history(model::seed_for(size, std::string(reinterpret_cast<const char*>(data), size)), random, plan, &engine, nullptr, tally);
  history.run();
#ifdef HOLODB_FUZZ_CANARY
  if (plan.steps > 10) throw Failure{"wrong-result", "F4: the canary: a history of more than ten steps"};
#endif
}

}  // namespace judge
