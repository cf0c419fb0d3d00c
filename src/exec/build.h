// exec/build.h: runs a routed plan.
//
// What:       turns the plan's nodes into pipelines from the bottom up: a breaker (join build side, aggregate, sort, distinct, modification) ends
//             one pipeline and is the source of the next. The result is materialised (decision: a cursor never reads blocks after its statement).
// Invariants: C17 the same plan over the same snapshot gives the same bytes on any number of threads.
//             U2 budget and cancel token are honoured by every operator.
// Errors:     those of evaluation, 53200, 57014, and of txn/change.h for statements that write (the caller undoes to its mark).
// Callers:    engine/.
// Held by:    src/exec/build_test.cc, oracle/, properties/
#pragma once

#include "exec/context.h"

namespace hdb {

ExecResult execute(const Plan& plan, ExecContext& context);

}  // namespace hdb
