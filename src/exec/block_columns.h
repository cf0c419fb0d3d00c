// exec/block_columns.h: values of a pinned block column as vectors.
//
// What:       read_slots() decodes the given slots; runs of neighbouring slots are read without a look-up each. TEXT comes out in code form from a coded
//             buffer, else as views of heap entries (which live as long as the table).
// Invariants: W1, W2 of store/vector.h.
// Callers:    exec/ (sources). The result lives in the scratch memory.
// Held by:    src/exec/scan_test.cc
#pragma once

#include "exec/vector_ops.h"
#include "store/column.h"

namespace hdb {

// slots: ascending.
Vector read_slots(const ColumnBuffer& buffer, const Type& type, const uint32_t* slots, uint32_t count, Scratch& scratch);
// One value as a vector of one row.
Vector vector_of(const Datum& datum, const Type& type, Scratch& scratch);

}  // namespace hdb
