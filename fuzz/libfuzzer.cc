// libFuzzer's entry: HOLODB_FUZZ_TARGET is a function of fuzz/targets.h. A failed property ends the process, as libFuzzer
// expects; the file that it writes repeats it.
//
// Invariants checked: F1, F2, F3, F4 (fuzz/targets.h).
#include <cstdio>
#include <cstdlib>

#include "targets.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static judge::Tally tally;
  try {
    judge::HOLODB_FUZZ_TARGET(data, size, tally);
  } catch (const judge::Failure& f) {
    std::fprintf(stderr, "%s: %s\n", f.kind.c_str(), f.text.c_str());
    std::abort();
  }
  tally.distinct.clear();
  return 0;
}
