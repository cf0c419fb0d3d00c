// exact/average.h: AVG, from the exact sum, rounded once.
//
// What:       integer sum / count as a double; decimal sum / count as a decimal. (DoubleSum::average is AVG over DOUBLE.)
// Invariants: X10 the result is the true quotient, rounded once: to the nearest double (half to even), or to the decimal's scale
//                 (half away from zero).
// Callers:    exec/, plane/. Pure.
// Held by:    spec/exact.md, src/exact/average_test.cc
#pragma once

#include <cstdint>

#include "base/int128.h"
#include "exact/sum192.h"

namespace hdb {

double average_of_integers(int128 sum, uint64_t count);  // count > 0

// The average of decimals of `scale`, as a value of scale decimal_average_scale(scale); 22003 if it has over 38 digits.
constexpr int decimal_average_scale(int scale) { return scale + 6 < 38 ? scale + 6 : 38; }
int128 average_of_decimals(const Sum192& sum, uint64_t count, int scale);  // count > 0

}  // namespace hdb
