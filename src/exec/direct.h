// exec/direct.h: aggregates straight from encoded blocks, without vectors in between.
//
// What:       SUM, AVG, COUNT of plain columns over one scan whose conjuncts all run on encoded data, with no keys or up to three keys of few
//             values. A block gives one weighted row a group (as plane/cells.h), and the merge forms of the aggregates add those up.
// Invariants: G5 a block's cells are what its selected rows add up to; a block that does not fit the form sends its rows one by one.
// Cost:       one 64-bit add a row and measure: offsets of at most 32 bits carry their count in the same word.
// Callers:    exec/build.
// Held by:    src/exec/scan_test.cc
#pragma once

#include "exec/executor.h"

namespace hdb {

// The groups of an aggregate node as a source, or null if the node does not have the form.
std::unique_ptr<Source> direct_aggregate(const Node& aggregate, Executor& executor);

}  // namespace hdb
