#include "support/crash.h"
#include "targets.h"

namespace judge {

void fuzz_crash(const uint8_t* data, size_t size, Tally& tally) {
  model::Random random(data, size);
  run_crash_history(random, tally);
}

}  // namespace judge
