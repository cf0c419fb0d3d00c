// exec/block_columns.h: one stored value as a vector of one row.
//
// What:       TEXT comes out as a view of its entry, which lives as long as the table.
// Invariants: W1, W2 of store/vector.h.
// Callers:    exec/ (look-ups). The result lives in the scratch memory.
// Held by:    src/exec/build_test.cc
#pragma once

#include "exec/vector_ops.h"
#include "store/column.h"

namespace hdb {

Vector vector_of(const Datum& datum, const Type& type, Scratch& scratch);

}  // namespace hdb
