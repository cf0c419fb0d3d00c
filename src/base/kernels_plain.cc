// The kernels in plain C++: the reference, and what runs where there is no SIMD.
#include "base/kernel_table.h"

namespace hdb {

namespace {

uint64_t tail_mask(uint32_t rows) { return (uint64_t{1} << (rows % 64)) - 1; }

template <class T>
void range(const T* data, T low, T span, uint64_t flip, uint32_t rows, uint64_t* bits) {
  for (uint32_t w = 0; w * 64 < rows; ++w) {
    if (bits[w] == 0) continue;
    const uint32_t n = rows - w * 64 < 64 ? rows - w * 64 : 64;
    uint64_t word = 0;
    for (uint32_t i = 0; i < n; ++i) word |= static_cast<uint64_t>(static_cast<T>(data[w * 64 + i] - low) <= span) << i;
    bits[w] &= (word ^ flip) | (n < 64 ? ~tail_mask(n) : 0);
  }
}

void set_8(const uint8_t* data, const uint64_t* set, uint32_t rows, uint64_t* bits) {
  for (uint32_t w = 0; w * 64 < rows; ++w) {
    if (bits[w] == 0) continue;
    const uint32_t n = rows - w * 64 < 64 ? rows - w * 64 : 64;
    uint64_t word = n < 64 ? ~tail_mask(n) : 0;
    for (uint32_t i = 0; i < n; ++i) {
      const uint8_t v = data[w * 64 + i];
      word |= ((set[v >> 6] >> (v & 63)) & 1) << i;
    }
    bits[w] &= word;
  }
}

// Calls add(slot) for the set bits below `rows`, or for all slots.
template <class F>
void each(const uint64_t* bits, uint32_t rows, F add) {
  if (bits == nullptr) {
    for (uint32_t i = 0; i < rows; ++i) add(i);
    return;
  }
  for (uint32_t w = 0; w * 64 < rows; ++w) {
    uint64_t rest = bits[w];
    if (rows - w * 64 < 64) rest &= tail_mask(rows);
    for (; rest != 0; rest &= rest - 1) add(w * 64 + static_cast<uint32_t>(__builtin_ctzll(rest)));
  }
}

template <class T>
uint64_t sum(const T* data, const uint64_t* bits, uint32_t rows) {
  uint64_t total = 0;
  each(bits, rows, [&](uint32_t i) { total += data[i]; });
  return total;
}

OffsetSum sum_64(const uint64_t* data, const uint64_t* bits, uint32_t rows) {
  OffsetSum total;
  each(bits, rows, [&](uint32_t i) {
    total.low += static_cast<uint32_t>(data[i]);
    total.high += static_cast<int64_t>(data[i]) >> 32;
  });
  return total;
}

uint32_t count(const uint64_t* bits, uint32_t rows) {
  uint32_t n = 0;
  for (uint32_t w = 0; w < rows / 64; ++w) n += static_cast<uint32_t>(__builtin_popcountll(bits[w]));
  if (rows % 64 != 0) n += static_cast<uint32_t>(__builtin_popcountll(bits[rows / 64] & tail_mask(rows)));
  return n;
}

template <class T>
void address(const T* data, uint16_t capacity, uint16_t shift, uint32_t rows, uint16_t* at) {
  for (uint32_t i = 0; i < rows; ++i) at[i] = static_cast<uint16_t>(uint32_t{at[i]} * capacity + data[i] + shift);
}

void add_runs(const uint32_t* group, uint64_t slots, uint32_t run, const int64_t* cells, uint32_t copies, uint64_t copy_fields, int64_t* sums) {
  for (uint64_t s = 0; s < slots; ++s, cells += run) {
    if (group[s] == kNoGroup) continue;
    int64_t* to = sums + s % copies * copy_fields + uint64_t{group[s]} * run;
    for (uint32_t f = 0; f < run; ++f) to[f] = static_cast<int64_t>(static_cast<uint64_t>(to[f]) + static_cast<uint64_t>(cells[f]));
  }
}

}  // namespace

const KernelTable& plain_kernels() {
  static const KernelTable table{"plain",        range<uint8_t>, range<uint16_t>, range<uint32_t>, range<uint64_t>,  set_8,            sum<uint8_t>,
                                 sum<uint16_t>, sum<uint32_t>,  sum_64,          count,           address<uint8_t>, address<uint16_t>,
                                 add_runs};
  return table;
}

const KernelTable& kernels() {
  static const KernelTable& best = [&]() -> const KernelTable& {
    const std::vector<const KernelTable*> simd = simd_kernels();
    return simd.empty() ? plain_kernels() : *simd[0];
  }();
  return best;
}

}  // namespace hdb
