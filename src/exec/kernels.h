// exec/kernels.h: tight loops over encoded columns: tests to bitmaps, decoding, sums.
//
// What:       loops by the column's encoding and width; the innermost ones come from base/kernel_table.h, decoding is left to the compiler.
// Invariants: L1 a kernel reads exactly rows slots of its column; bits at and above `rows` are not touched by and_bits.
// Callers:    exec/scan, exec/direct, exec/key_table. Pure.
// Held by:    src/exec/scan_test.cc
#pragma once

#include <cstdint>

#include "base/kernel_table.h"
#include "store/column.h"

namespace hdb {

// A test on an integer column in its own domain: low <= value <= high, or the opposite.
struct RangeTest {
  int64_t low = INT64_MIN;
  int64_t high = INT64_MAX;
  bool negate = false;
};

// bits &= the test, over the buffer's slots [0, rows). NULLs are not looked at: their bits mean nothing.
void and_range(const ColumnBuffer& column, const RangeTest& test, uint32_t rows, uint64_t* bits);
// bits &= pass[code]; `pass` has a byte (0 or 1) for each code below `size`; codes above do not pass.
void and_codes(const ColumnBuffer& column, const uint8_t* pass, uint32_t size, uint32_t rows, uint64_t* bits);
// bits &= low <= code <= high, or the opposite; low > high: no code.
void and_code_range(const ColumnBuffer& column, uint32_t low, uint32_t high, bool negate, uint32_t rows, uint64_t* bits);

// Slots [first, first + count) as values or codes.
void decode_ints(const ColumnBuffer& column, uint32_t first, uint32_t count, int64_t* out);
void decode_codes(const ColumnBuffer& column, uint32_t first, uint32_t count, uint32_t* out);
// The slots with these numbers.
void gather_ints(const ColumnBuffer& column, const uint32_t* slots, uint32_t count, int64_t* out);
void gather_codes(const ColumnBuffer& column, const uint32_t* slots, uint32_t count, uint32_t* out);
// Slot numbers of the set bits; returns how many.
uint32_t list_bits(const uint64_t* bits, uint32_t rows, uint32_t* out);
// The first `most` of them; their bits are cleared.
uint32_t take_bits(uint64_t* bits, uint32_t rows, uint32_t most, uint32_t* out);

// Lowers *low and raises *high to the values' bounds.
void int_range(const int64_t* values, uint32_t count, int64_t* low, int64_t* high);

// Sum of the offsets (of the values, for width 8, as halves) of slots whose bit is set; all slots if bits is null.
OffsetSum sum_offsets(const ColumnBuffer& column, const uint64_t* bits, uint32_t rows);
// The same of the slots [first, first + rows): bit 0 is `first`.
OffsetSum sum_offsets(const ColumnBuffer& column, uint32_t first, const uint64_t* bits, uint32_t rows);

}  // namespace hdb
