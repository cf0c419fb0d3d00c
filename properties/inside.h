// properties/inside.h: what the laws ask of the engine that its C ABI does not tell.
//
// What:       the engine's own numbers of snapshots and commits, and the size of its runs of blocks. inside.cc answers for the engine that is
//             linked; oracle/conformance/outside.cc answers that it does not know, so that the same laws judge a library that is only loaded.
// Callers:    properties/rebuild_laws, isolation_record. As the connection: one thread at a time.
// Held by:    properties/isolation_laws.cc (a history whose numbers do not fit is refused), ci/conformance_test
#pragma once

#include <holodb/holodb.h>

#include <cstdint>
#include <functional>

namespace judge::inside {

// Of every table from now on; 0: as the engine has it.
void set_run_blocks(uint32_t run_blocks);
bool has_numbers();
// Of the connection's open transaction; 0: none is open, or the number is not told.
uint64_t snapshot_of(holodb_conn* connection);
// Asked for before COMMIT, called after it. Empty where nothing is written, or the number is not told.
std::function<uint64_t()> commit_of(holodb_conn* connection);

}  // namespace judge::inside
