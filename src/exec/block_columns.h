// exec/block_columns.h: single values between storage and vectors.
//
// What:       a stored value as a vector of one row (TEXT as a view of its entry, which lives as long as the table), and a text as a key to look up.
// Invariants: W1, W2 of store/vector.h.
// Callers:    exec/ (look-ups). The result lives in the scratch memory.
// Held by:    src/exec/build_test.cc
#pragma once

#include "exec/vector_ops.h"
#include "store/column.h"

namespace hdb {

Vector vector_of(const Datum& datum, const Type& type, Scratch& scratch);
// Hashing and comparing keys go by content, so a text of the caller gets an entry of its own.
Datum text_datum(std::string_view text, Scratch& scratch);

}  // namespace hdb
