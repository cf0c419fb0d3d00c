// base/checksum.h: CRC-32C (Castagnoli), what every record on its way out carries.
//
// What:       crc32c() of bytes, going on from an earlier value; the processor's instruction where there is one, tables otherwise.
// Invariants: Q1 crc32c(b, n, crc32c(a, m)) is the sum of a followed by b; both forms agree.
// Callers:    log/, later pages/. Thread-safe.
// Held by:    spec/proofs/crc.cc, src/base/checksum_test.cc
#pragma once

#include <cstddef>
#include <cstdint>

namespace hdb {

uint32_t crc32c(const void* data, size_t bytes, uint32_t before = 0);
uint32_t crc32c_portable(const void* data, size_t bytes, uint32_t before = 0);

}  // namespace hdb
