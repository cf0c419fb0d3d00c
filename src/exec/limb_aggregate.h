// exec/limb_aggregate.h: aggregates answered from a limb (plan/limb_shape.h), kept or counted now and then kept.
//
// What:       cells of the limb go through the dimension's key map into groups: dense arrays, no hashing by row or cell. What comes out is one
//             weighted row a group, for the aggregate in merge form.
// Invariants: LA1 groups come out in the order of (first row of the group in the dimension, or key; local code), whichever limb served: the same bytes
//             on any number of threads (C17). LA2 with a top-n above, groups that cannot be among the first n are not sent; ties are.
//             LA3 whatever does not fit declines, and the plan runs as it stands, by rows.
// Callers:    exec/build.
// Held by:    src/engine/kept_limb_test.cc, oracle/ and properties/ (against summary_mode off)
#pragma once

#include "exec/executor.h"

namespace hdb {

// The groups of an aggregate node that has a limb's shape; null: it is to be computed from rows.
std::unique_ptr<Source> limb_aggregate(const Node& node, Executor& executor);

}  // namespace hdb
