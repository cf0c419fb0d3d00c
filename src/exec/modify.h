// exec/modify.h: what INSERT, UPDATE and DELETE do with the rows that their source gave.
//
// What:       the source has been materialised, so the statement read everything before it changes anything (C1: INSERT INTO t SELECT ... FROM t
//             doubles t exactly). Rows are changed in order; a row that is named twice is changed once.
// Invariants: C8 deferred checks run at the statement's end (Transaction::end_statement), by whoever brackets it: engine/.
// Errors:     those of txn/change.h. What was changed before an error is undone by the caller (undo_to the statement's mark).
// Callers:    exec/build.
// Held by:    src/engine/ tests, oracle/, properties/
#pragma once

#include "exec/context.h"

namespace hdb {

// node: kInsert, kUpdate or kDelete. source: as plan/logical.h says for the node. Returns the number of changed rows.
uint64_t modify_rows(const Node& node, const Rows& source, ExecContext& context);

}  // namespace hdb
