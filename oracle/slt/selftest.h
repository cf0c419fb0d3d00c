// oracle/slt/selftest.h: the runner judged: the format's rules one by one, and answers that are planted wrong.
//
// What:       cases of the suite slt that need no engine; a runner that is always content fails them.
// Callers:    oracle/slt/main.cc
// Held by:    itself
#pragma once

#include <vector>

#include "support/suite.h"

namespace slt {

std::vector<judge::Case> selftest();

}  // namespace slt
