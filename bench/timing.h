// bench/timing.h: how a cell is timed. The numbers are WORKLOADS' rule 4.
//
// What:       time_loop(call, calls) -> samples, seconds a call: that many single calls; one if a call takes over kLongCall; batches of at
//             least kBatch each, and more of them, if a call takes under kShortCall. The loop warms up by itself (calibration is not a sample).
//             calls_of_loop(first, second) -> how many calls of a cell whose first call took so long fit into kCellSeconds: over both loops
//             at least three and at most kSamples each.
// Units:      seconds.
// Callers:    bench/worker.cc and the workloads
// Held by:    bench/selftest
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace hdb::bench {

inline constexpr double kLongCall = 5.0;
inline constexpr double kShortCall = 1e-3;
inline constexpr double kBatch = 2e-3;
inline constexpr int kSamples = 5;
inline constexpr int kSamplesMin = 3;        // of a slow call, over both loops
inline constexpr double kCellSeconds = 3.0;  // for the warm calls of a cell, both loops together
inline constexpr int kBatches = 15;

class Clock {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

struct Loop {
  std::vector<double> samples;
  uint64_t batch = 1;

  std::string to_text() const {  // "BATCH SAMPLE SAMPLE ..."
    std::string text = std::to_string(batch);
    char digits[32];
    for (const double sample : samples) {
      std::snprintf(digits, sizeof digits, " %.9g", sample);
      text += digits;
    }
    return text;
  }
};

template <class Call>
double seconds_of(Call&& call, uint64_t times = 1) {
  const Clock clock;
  for (uint64_t i = 0; i < times; ++i) call();
  return clock.seconds() / static_cast<double>(times);
}

inline int calls_of_loop(double first_seconds, bool second_loop) {
  const double fit = kCellSeconds / (first_seconds > 1e-9 ? first_seconds : 1e-9);
  const int both = fit >= 2 * kSamples ? 2 * kSamples : fit <= kSamplesMin ? kSamplesMin : static_cast<int>(fit);
  return second_loop ? both / 2 : both - both / 2;
}

// calls: samples of a call that is not short.
template <class Call>
Loop time_loop(Call&& call, int calls = kSamples) {
  Loop loop;
  double each = seconds_of(call);
  if (each >= kShortCall) {
    // Slow calls are warm already (the comparison of rows ran them), so that this one counts.
    loop.samples.push_back(each);
    while (each <= kLongCall && loop.samples.size() < static_cast<size_t>(calls)) loop.samples.push_back(each = seconds_of(call));
    return loop;
  }
  while (each * static_cast<double>(loop.batch) < kBatch) {
    loop.batch *= 2;
    each = seconds_of(call, loop.batch);
  }
  for (int i = 0; i < kBatches; ++i) loop.samples.push_back(seconds_of(call, loop.batch));
  return loop;
}

}  // namespace hdb::bench
