// base/source_id.h: which source this library was built from.
//
// What:       32 hexadecimal digits over every source file, made by ci/source_id when the library is built. The gate's stamp
//             holds the same id, and a bench refuses to time a library that is not the one that passed the gate.
// Callers:    engine/ (holodb_source_id). Thread-safe.
// Held by:    ci/gate, bench/run
#pragma once

namespace hdb {
const char* source_id() noexcept;
}  // namespace hdb
