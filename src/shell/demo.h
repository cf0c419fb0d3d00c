// shell/demo.h: `holodb --demo`: a ledger, its sixteen headline questions, and proof that every answer is exact.
//
// What:       makes the W1 ledger (shell/ledger.h), times the questions before and after two summary indexes and after a burst of
//             changes, and verifies: the totals against those that the generator kept by itself, the answers with summaries against
//             those without, a rolled-back burst against the state before it, and every summary against a rebuild.
// Invariants: D1 true is returned only if every check held; a query that fails is a check that failed.
// Callers:    shell/main.cc, ci/quickstart
// Held by:    src/shell/transcript_test.sh (exit status and the checks' lines)
#pragma once

#include <cstdint>

namespace hdb::shell {

bool run_demo(uint64_t invoices);

}  // namespace hdb::shell
