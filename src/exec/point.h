// exec/point.h: statements about one row, without pipelines.
//
// What:       a look-up by a unique key whose columns go straight into the result; UPDATE and DELETE of such a row with values that need no other
//             column; INSERT of a few rows of constants and parameters. They are most of what an application runs, and the machinery of a
//             pipeline would cost more than the work.
// Invariants: P1 the result is that of the pipelines: whatever has another form is left to them. C8 key and visibility are re-checked on the row.
// Callers:    exec/build.
// Held by:    src/engine/point_test.cc
#pragma once

#include "exec/context.h"

namespace hdb {

// False: not of this form, and nothing was done.
bool point_statement(const Plan& plan, ExecContext& context, ExecResult* result);

}  // namespace hdb
