// base/kernel_table.h: the innermost loops over encoded columns, once in plain C++ and once for each SIMD instruction set.
//
// Terms:      bitmap: bit i stands for slot i (base/bitmap.h). flip: 0 or all ones, XORed into each word of a test's outcome.
// What:       tables of functions with one meaning; kernels() is the best one that this processor runs, chosen once. The SIMD ones exist where
//             Highway was there at build time (HOLODB_HIGHWAY); the plain one is always there and is the reference.
// Invariants: L1 a kernel reads slots [0, rows) only; bits at and above `rows` are neither read as set nor changed.
//             L2 all tables give the same answers for the same arguments.
// Limits:     rows <= kBlockRows (slots of add_runs: any), so that sums of offsets of at most 32 bits fit 64 bits.
// Callers:    exec/kernels.cc, plane/. Pure, thread-safe.
// Held by:    src/base/kernels_test.cc (exhaustive at 8 bits, by properties above)
#pragma once

#include <cstdint>
#include <vector>

namespace hdb {

// Sum of offsets; of 8-byte values as low halves (unsigned) and high halves (signed).
struct OffsetSum {
  uint64_t low = 0;
  int64_t high = 0;
};

inline constexpr uint32_t kNoGroup = 0xFFFFFFFFu;

struct KernelTable {
  const char* name;
  // bits &= (data[i] - low <= span, in T) ^ flip
  void (*range_8)(const uint8_t* data, uint8_t low, uint8_t span, uint64_t flip, uint32_t rows, uint64_t* bits);
  void (*range_16)(const uint16_t* data, uint16_t low, uint16_t span, uint64_t flip, uint32_t rows, uint64_t* bits);
  void (*range_32)(const uint32_t* data, uint32_t low, uint32_t span, uint64_t flip, uint32_t rows, uint64_t* bits);
  void (*range_64)(const uint64_t* data, uint64_t low, uint64_t span, uint64_t flip, uint32_t rows, uint64_t* bits);
  // bits &= set has data[i]; set: 256 bits
  void (*set_8)(const uint8_t* data, const uint64_t* set, uint32_t rows, uint64_t* bits);
  // Sums over the slots whose bit is set; over all if bits is null.
  uint64_t (*sum_8)(const uint8_t* data, const uint64_t* bits, uint32_t rows);
  uint64_t (*sum_16)(const uint16_t* data, const uint64_t* bits, uint32_t rows);
  uint64_t (*sum_32)(const uint32_t* data, const uint64_t* bits, uint32_t rows);
  OffsetSum (*sum_64)(const uint64_t* data, const uint64_t* bits, uint32_t rows);
  // Set bits among the first `rows`.
  uint32_t (*count)(const uint64_t* bits, uint32_t rows);
  // at[i] = at[i] * capacity + data[i] + shift, in 16 bits
  void (*address_8)(const uint8_t* data, uint16_t capacity, uint16_t shift, uint32_t rows, uint16_t* at);
  void (*address_16)(const uint16_t* data, uint16_t capacity, uint16_t shift, uint32_t rows, uint16_t* at);
  // sums[s % copies * copy_fields + group[s] * run + f] += cells[s * run + f] for each slot s whose group is not kNoGroup and each f below run. Wraps.
  void (*add_runs)(const uint32_t* group, uint64_t slots, uint32_t run, const int64_t* cells, uint32_t copies, uint64_t copy_fields, int64_t* sums);
};

const KernelTable& plain_kernels();
// Those that were built and that this processor runs, best first; may be empty.
std::vector<const KernelTable*> simd_kernels();
const KernelTable& kernels();

}  // namespace hdb
