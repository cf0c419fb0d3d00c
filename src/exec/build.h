// exec/build.h: runs a routed plan.
//
// What:       turns the tree of nodes into pipelines, runs them one after the other, and returns the rows or the number of changed rows.
// Invariants: C17 the result is the same bytes on any number of threads. U4 an execution that is estimated below some 100 us stays on the
//             caller's thread. E3 the result owns what it shows.
// Errors:     what the statement's expressions raise; 57014, 53200, 54000; on writes what txn/change.h raises.
// Callers:    engine/. Thread-safe for different contexts; the plan is shared and immutable.
// Held by:    src/exec/build_test.cc, oracle/, properties/
#pragma once

#include "exec/context.h"

namespace hdb {

ExecResult execute(const Plan& plan, ExecContext& context);

}  // namespace hdb
