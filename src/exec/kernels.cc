#include "exec/kernels.h"

#include <algorithm>
#include <cstring>

#include "base/bitmap.h"
#include "base/check.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__gnu_linux__)
#define HDB_KERNEL __attribute__((optimize("O3"), target_clones("avx2", "default")))
#elif defined(__GNUC__) && !defined(__clang__)
#define HDB_KERNEL __attribute__((optimize("O3")))
#else
#define HDB_KERNEL
#endif

namespace hdb {

namespace {

inline uint64_t pack64(const uint8_t* bytes) {
  uint64_t word = 0;
  for (int i = 0; i < 8; ++i) {
    uint64_t v;
    std::memcpy(&v, bytes + i * 8, 8);
    word |= ((v * 0x0102040810204080u) >> 56) << (i * 8);  // eight bytes of 0 or 1 to eight bits
  }
  return word;
}

void and_constant(bool keep, uint32_t rows, uint64_t* bits) {
  if (!keep) std::memset(bits, 0, bitmap_words(rows) * 8);
}

template <class T>
const T* data_of(const ColumnBuffer& c) { return reinterpret_cast<const T*>(c.data); }

template <class T>
inline void widen_ints(const T* data, int64_t base, uint32_t count, int64_t* out) {
  for (uint32_t i = 0; i < count; ++i) out[i] = static_cast<int64_t>(static_cast<uint64_t>(base) + data[i]);
}
HDB_KERNEL void widen_8(const uint8_t* d, int64_t base, uint32_t n, int64_t* out) { widen_ints(d, base, n, out); }
HDB_KERNEL void widen_16(const uint16_t* d, int64_t base, uint32_t n, int64_t* out) { widen_ints(d, base, n, out); }
HDB_KERNEL void widen_32(const uint32_t* d, int64_t base, uint32_t n, int64_t* out) { widen_ints(d, base, n, out); }

template <class T, class U>
void pick(const T* data, U base, const uint32_t* slots, uint32_t count, auto* out) {
  using O = std::remove_reference_t<decltype(out[0])>;
  for (uint32_t i = 0; i < count; ++i) out[i] = static_cast<O>(static_cast<uint64_t>(base) + static_cast<uint64_t>(data[slots[i]]));
}

template <class T>
void and_pass(const T* codes, const uint8_t* pass, uint32_t size, uint32_t rows, uint64_t* bits) {
  for (uint32_t w = 0; w < bitmap_words(rows); ++w) {
    if (bits[w] == 0) continue;
    const uint32_t n = std::min(64u, rows - w * 64);
    uint8_t flags[64] = {};
    for (uint32_t i = 0; i < n; ++i) {
      const uint32_t code = codes[size_t{w} * 64 + i];
      flags[i] = code < size ? pass[code] : 0;
    }
    bits[w] &= pack64(flags);
  }
}

HDB_KERNEL void bounds_of(const int64_t* d, uint32_t n, int64_t* low, int64_t* high) {
  int64_t l = *low, h = *high;
  for (uint32_t i = 0; i < n; ++i) {
    l = d[i] < l ? d[i] : l;
    h = d[i] > h ? d[i] : h;
  }
  *low = l;
  *high = h;
}

}  // namespace

void int_range(const int64_t* values, uint32_t count, int64_t* low, int64_t* high) { bounds_of(values, count, low, high); }

namespace {

uint64_t top_of(const ColumnBuffer& c) { return c.width == 0 ? 0 : c.width == 1 ? UINT8_MAX : c.width == 2 ? UINT16_MAX : UINT32_MAX; }

// low <= offset <= high <= top, in at most 4 bytes.
void and_offsets(const ColumnBuffer& c, uint64_t low, uint64_t high, uint64_t flip, uint32_t rows, uint64_t* bits) {
  if (low == 0 && high == top_of(c)) return and_constant(flip == 0, rows, bits);
  switch (c.width) {
    case 1: return kernels().range_8(c.data, static_cast<uint8_t>(low), static_cast<uint8_t>(high - low), flip, rows, bits);
    case 2: return kernels().range_16(data_of<uint16_t>(c), static_cast<uint16_t>(low), static_cast<uint16_t>(high - low), flip, rows, bits);
    default: return kernels().range_32(data_of<uint32_t>(c), static_cast<uint32_t>(low), static_cast<uint32_t>(high - low), flip, rows, bits);
  }
}

}  // namespace

void and_range(const ColumnBuffer& c, const RangeTest& test, uint32_t rows, uint64_t* bits) {
  CHECK(c.encoding == Encoding::kOffset);
  const uint64_t flip = test.negate ? ~uint64_t{0} : 0;
  if (test.low > test.high) return and_constant(test.negate, rows, bits);
  if (c.width == 8) {
    const auto low = static_cast<uint64_t>(test.low);
    return kernels().range_64(data_of<uint64_t>(c), low, static_cast<uint64_t>(test.high) - low, flip, rows, bits);
  }
  // In the domain of offsets: [0, top].
  const uint64_t top = top_of(c);
  if (test.high < c.base) return and_constant(test.negate, rows, bits);
  const uint64_t low = test.low <= c.base ? 0 : static_cast<uint64_t>(test.low) - static_cast<uint64_t>(c.base);
  const uint64_t high = std::min(top, static_cast<uint64_t>(test.high) - static_cast<uint64_t>(c.base));
  if (low > top) return and_constant(test.negate, rows, bits);
  and_offsets(c, low, high, flip, rows, bits);
}

void and_code_range(const ColumnBuffer& c, uint32_t low, uint32_t high, bool negate, uint32_t rows, uint64_t* bits) {
  CHECK(c.encoding == Encoding::kCode);
  const uint64_t top = top_of(c);
  if (low > high || low > top) return and_constant(negate, rows, bits);
  and_offsets(c, low, std::min<uint64_t>(high, top), negate ? ~uint64_t{0} : 0, rows, bits);
}

void and_codes(const ColumnBuffer& c, const uint8_t* pass, uint32_t size, uint32_t rows, uint64_t* bits) {
  CHECK(c.encoding == Encoding::kCode);
  switch (c.width) {
    case 0: return and_constant(size > 0 && pass[0] != 0, rows, bits);
    case 1: return and_pass(c.data, pass, size, rows, bits);
    case 2: return and_pass(data_of<uint16_t>(c), pass, size, rows, bits);
    default: return and_pass(data_of<uint32_t>(c), pass, size, rows, bits);
  }
}

void decode_ints(const ColumnBuffer& c, uint32_t first, uint32_t count, int64_t* out) {
  switch (c.width) {
    case 0: std::fill(out, out + count, c.base); return;
    case 1: return widen_8(c.data + first, c.base, count, out);
    case 2: return widen_16(data_of<uint16_t>(c) + first, c.base, count, out);
    case 4: return widen_32(data_of<uint32_t>(c) + first, c.base, count, out);
    default: std::memcpy(out, data_of<int64_t>(c) + first, size_t{count} * 8);
  }
}

void decode_codes(const ColumnBuffer& c, uint32_t first, uint32_t count, uint32_t* out) {
  switch (c.width) {
    case 0: std::fill(out, out + count, 0u); return;
    case 1: std::copy(c.data + first, c.data + first + count, out); return;
    case 2: std::copy(data_of<uint16_t>(c) + first, data_of<uint16_t>(c) + first + count, out); return;
    default: std::memcpy(out, data_of<uint32_t>(c) + first, size_t{count} * 4);
  }
}

void gather_ints(const ColumnBuffer& c, const uint32_t* slots, uint32_t count, int64_t* out) {
  switch (c.width) {
    case 0: std::fill(out, out + count, c.base); return;
    case 1: return pick(c.data, c.base, slots, count, out);
    case 2: return pick(data_of<uint16_t>(c), c.base, slots, count, out);
    case 4: return pick(data_of<uint32_t>(c), c.base, slots, count, out);
    default: return pick(data_of<int64_t>(c), int64_t{0}, slots, count, out);
  }
}

void gather_codes(const ColumnBuffer& c, const uint32_t* slots, uint32_t count, uint32_t* out) {
  switch (c.width) {
    case 0: std::fill(out, out + count, 0u); return;
    case 1: return pick(c.data, uint32_t{0}, slots, count, out);
    case 2: return pick(data_of<uint16_t>(c), uint32_t{0}, slots, count, out);
    default: return pick(data_of<uint32_t>(c), uint32_t{0}, slots, count, out);
  }
}

uint32_t list_bits(const uint64_t* bits, uint32_t rows, uint32_t* out) {
  uint32_t n = 0;
  for (uint32_t w = 0; w < bitmap_words(rows); ++w) {
    const uint64_t word = bits[w];
    if (word == ~uint64_t{0}) {
      for (uint32_t i = 0; i < 64; ++i) out[n + i] = w * 64 + i;
      n += 64;
      continue;
    }
    for (uint64_t rest = word; rest != 0; rest &= rest - 1) out[n++] = w * 64 + static_cast<uint32_t>(__builtin_ctzll(rest));
  }
  return n;
}

uint32_t take_bits(uint64_t* bits, uint32_t rows, uint32_t most, uint32_t* out) {
  uint32_t n = 0;
  for (uint32_t w = 0; w < bitmap_words(rows) && n < most; ++w) {
    for (; bits[w] != 0 && n < most; bits[w] &= bits[w] - 1) out[n++] = w * 64 + static_cast<uint32_t>(__builtin_ctzll(bits[w]));
  }
  return n;
}

OffsetSum sum_offsets(const ColumnBuffer& c, const uint64_t* bits, uint32_t rows) { return sum_offsets(c, 0, bits, rows); }

OffsetSum sum_offsets(const ColumnBuffer& c, uint32_t first, const uint64_t* bits, uint32_t rows) {
  CHECK(c.encoding == Encoding::kOffset);
  const KernelTable& k = kernels();
  switch (c.width) {
    case 0: return {};
    case 1: return {k.sum_8(c.data + first, bits, rows), 0};
    case 2: return {k.sum_16(data_of<uint16_t>(c) + first, bits, rows), 0};
    case 4: return {k.sum_32(data_of<uint32_t>(c) + first, bits, rows), 0};
    default: return k.sum_64(data_of<uint64_t>(c) + first, bits, rows);
  }
}

}  // namespace hdb
