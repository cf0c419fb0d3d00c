// The kernels with Highway: compiled once for each instruction set that is worth it, and picked by what the processor has. We pick ourselves,
// because Highway's own dispatch would make its shared library a dependency of everyone who links this one.
#include "base/kernel_table.h"

#ifdef HOLODB_HIGHWAY
// Below AVX2 plain C++ does as well.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "base/kernels_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128 && !HWY_HAVE_SCALABLE

HWY_BEFORE_NAMESPACE();
namespace hdb {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr uint32_t kFewBits = 2;  // with fewer set bits a word on average, single additions beat masked ones

inline uint64_t tail_mask(uint32_t rows) { return (uint64_t{1} << (rows % 64)) - 1; }

template <size_t kBytes> struct MaskWord;
template <> struct MaskWord<1> { using Type = uint8_t; };
template <> struct MaskWord<2> { using Type = uint16_t; };
template <> struct MaskWord<4> { using Type = uint32_t; };
template <> struct MaskWord<8> { using Type = uint64_t; };

// A mask as bits. The word that is stored has the mask's exact size, so that it stays in a register.
template <class D, class M>
HWY_INLINE uint64_t bits_of(D d, M mask) {
  typename MaskWord<(hn::MaxLanes(D()) + 7) / 8>::Type word = 0;
  hn::StoreMaskBits(d, mask, reinterpret_cast<uint8_t*>(&word));
  return word;
}

// f(0), f(kLanes), .. up to 64, without a loop.
template <size_t kLanes, class F>
HWY_INLINE void each_part(F f) {
  if constexpr (kLanes * 4 < 64) {
    for (size_t i = 0; i < 64; i += kLanes) f(i);
  } else {
    f(size_t{0});
    if constexpr (kLanes * 2 <= 64) f(kLanes);
    if constexpr (kLanes * 4 <= 64) {
      f(kLanes * 2);
      f(kLanes * 3);
    }
  }
}

// 64 outcomes of test(vector).
template <class D, class F>
HWY_INLINE uint64_t word_of(D d, const hn::TFromD<D>* data, F test) {
  constexpr size_t kLanes = hn::MaxLanes(D());
  uint64_t word = 0;
  each_part<kLanes>([&](size_t i) HWY_ATTR { word |= bits_of(d, test(hn::LoadU(d, data + i))) << i; });
  return word;
}

template <class T>
void range(const T* data, T low, T span, uint64_t flip, uint32_t rows, uint64_t* bits) {
  const hn::ScalableTag<T> d;
  const auto from = hn::Set(d, low);
  const auto most = hn::Set(d, span);
  uint32_t w = 0;
  for (; w < rows / 64; ++w) {
    if (bits[w] == 0) continue;
    // Unsigned: what is below `low` wraps round to above the span.
    bits[w] &= ~word_of(d, data + size_t{w} * 64, [&](auto v) HWY_ATTR { return hn::Gt(hn::Sub(v, from), most); }) ^ flip;
  }
  if (rows % 64 == 0) return;
  uint64_t word = 0;
  for (uint32_t i = w * 64; i < rows; ++i) word |= static_cast<uint64_t>(static_cast<T>(data[i] - low) <= span) << (i & 63);
  bits[w] &= (word ^ flip) | ~tail_mask(rows);
}

// A byte is split into nibbles: the low one looks up which of eight high nibbles belong to the set, the high one picks its bit.
void set_8(const uint8_t* data, const uint64_t* set, uint32_t rows, uint64_t* bits) {
  const hn::ScalableTag<uint8_t> d;
  alignas(16) uint8_t below[16], above[16];
  for (uint32_t low = 0; low < 16; ++low) {
    below[low] = above[low] = 0;
    for (uint32_t high = 0; high < 8; ++high) {
      const uint32_t a = high * 16 + low, b = a + 128;
      below[low] = static_cast<uint8_t>(below[low] | ((set[a >> 6] >> (a & 63)) & 1) << high);
      above[low] = static_cast<uint8_t>(above[low] | ((set[b >> 6] >> (b & 63)) & 1) << high);
    }
  }
  alignas(16) static constexpr uint8_t kPowers[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  const auto lower = hn::LoadDup128(d, below), upper = hn::LoadDup128(d, above), powers = hn::LoadDup128(d, kPowers);
  const auto nibble = hn::Set(d, uint8_t{15}), half = hn::Set(d, uint8_t{127});
  const hn::Repartition<uint16_t, decltype(d)> d16;
  uint32_t w = 0;
  for (; w < rows / 64; ++w) {
    if (bits[w] == 0) continue;
    bits[w] &= word_of(d, data + size_t{w} * 64, [&](auto v) HWY_ATTR {
      const auto low = hn::And(v, nibble);
      const auto high = hn::And(hn::BitCast(d, hn::ShiftRight<4>(hn::BitCast(d16, v))), nibble);
      const auto row = hn::IfThenElse(hn::Gt(v, half), hn::TableLookupBytes(upper, low), hn::TableLookupBytes(lower, low));
      return hn::Ne(hn::And(row, hn::TableLookupBytes(powers, high)), hn::Zero(d));
    });
  }
  if (rows % 64 == 0) return;
  uint64_t word = ~tail_mask(rows);
  for (uint32_t i = w * 64; i < rows; ++i) word |= ((set[data[i] >> 6] >> (data[i] & 63)) & 1) << (i & 63);
  bits[w] &= word;
}

// Sums by halves of a lane: even elements in one accumulator, odd ones in the other, each twice as wide.
template <class T, class Wide>
struct HalvesSum {
  const hn::ScalableTag<T> d;
  const hn::Repartition<Wide, hn::ScalableTag<T>> wide;
  hn::Vec<hn::Repartition<Wide, hn::ScalableTag<T>>> even, odd;
  HWY_INLINE HalvesSum() : even(hn::Zero(wide)), odd(hn::Zero(wide)) {}  // written out: an implied constructor is not for this instruction set
  HWY_INLINE void add(hn::Vec<hn::ScalableTag<T>> v) {
    const auto pair = hn::BitCast(wide, v);
    even = hn::Add(even, hn::And(pair, hn::Set(wide, static_cast<Wide>(static_cast<T>(~T{0})))));
    odd = hn::Add(odd, hn::ShiftRight<sizeof(T) * 8>(pair));
  }
  HWY_INLINE void totals(uint64_t* even_total, uint64_t* odd_total) const {
    constexpr size_t kLanes = hn::MaxLanes(hn::Repartition<Wide, hn::ScalableTag<T>>());
    Wide e[kLanes], o[kLanes];
    hn::StoreU(even, wide, e);
    hn::StoreU(odd, wide, o);
    *even_total = *odd_total = 0;
    for (size_t i = 0; i < kLanes; ++i) {
      *even_total += e[i];
      *odd_total += o[i];
    }
  }
  HWY_INLINE uint64_t total() const {
    uint64_t e, o;
    totals(&e, &o);
    return e + o;
  }
};

struct ByteSum {
  const hn::ScalableTag<uint8_t> d;
  const hn::Repartition<uint64_t, hn::ScalableTag<uint8_t>> wide;
  hn::Vec<hn::Repartition<uint64_t, hn::ScalableTag<uint8_t>>> sum;
  HWY_INLINE ByteSum() : sum(hn::Zero(wide)) {}
  HWY_INLINE void add(hn::Vec<hn::ScalableTag<uint8_t>> v) { sum = hn::Add(sum, hn::SumsOf8(v)); }
  HWY_INLINE uint64_t total() const {
    constexpr size_t kLanes = hn::MaxLanes(hn::Repartition<uint64_t, hn::ScalableTag<uint8_t>>());
    uint64_t each[kLanes], out = 0;
    hn::StoreU(sum, wide, each);
    for (size_t i = 0; i < kLanes; ++i) out += each[i];
    return out;
  }
};

uint32_t count(const uint64_t* bits, uint32_t rows) {
  uint64_t n = 0;
  for (uint32_t w = 0; w < rows / 64; ++w) n += static_cast<uint64_t>(__builtin_popcountll(bits[w]));
  if (rows % 64 != 0) n += static_cast<uint64_t>(__builtin_popcountll(bits[rows / 64] & tail_mask(rows)));
  return static_cast<uint32_t>(n);
}

inline bool few(const uint64_t* bits, uint32_t rows) { return bits != nullptr && count(bits, rows) < rows / 64 * kFewBits; }

// Feeds the vectors of whole words to `sum`, slots whose bit is not set as 0, without a branch on the bits; single(value) takes them one by one where
// they are few, and the last part of a word.
template <class T, class Sum, class F>
HWY_INLINE void sum_words(const T* data, const uint64_t* bits, uint32_t rows, Sum& sum, F single) {
  constexpr size_t kLanes = hn::MaxLanes(hn::ScalableTag<T>());
  const hn::ScalableTag<T> d;
  uint32_t w = 0;
  if (bits == nullptr) {
    for (; w < rows / 64; ++w) each_part<kLanes>([&](size_t i) HWY_ATTR { sum.add(hn::LoadU(d, data + size_t{w} * 64 + i)); });
  } else if (few(bits, rows)) {
    for (; w < rows / 64; ++w) {
      for (uint64_t rest = bits[w]; rest != 0; rest &= rest - 1) single(data[size_t{w} * 64 + static_cast<uint32_t>(__builtin_ctzll(rest))]);
    }
  } else {
    for (; w < rows / 64; ++w) {
      const uint64_t word = bits[w];
      each_part<kLanes>([&](size_t i) HWY_ATTR {
        const uint64_t part = word >> i;
        sum.add(hn::IfThenElseZero(hn::LoadMaskBits(d, reinterpret_cast<const uint8_t*>(&part)), hn::LoadU(d, data + size_t{w} * 64 + i)));
      });
    }
  }
  if (rows % 64 == 0) return;
  const uint64_t last = (bits == nullptr ? ~uint64_t{0} : bits[w]) & tail_mask(rows);
  for (uint64_t rest = last; rest != 0; rest &= rest - 1) single(data[size_t{w} * 64 + static_cast<uint32_t>(__builtin_ctzll(rest))]);
}

template <class T, class Sum>
uint64_t sum(const T* data, const uint64_t* bits, uint32_t rows) {
  Sum vectors;
  uint64_t singles = 0;
  sum_words(data, bits, rows, vectors, [&](T v) HWY_ATTR { singles += v; });
  return vectors.total() + singles;
}

// An 8-byte lane is its own pair of halves. The high halves are added with their sign bit flipped, and 2^31 each taken off in the end.
struct LongSum {
  const hn::ScalableTag<uint64_t> d;
  hn::Vec<hn::ScalableTag<uint64_t>> low, high;
  HWY_INLINE LongSum() : low(hn::Zero(d)), high(hn::Zero(d)) {}
  HWY_INLINE void add(hn::Vec<hn::ScalableTag<uint64_t>> v) {
    low = hn::Add(low, hn::And(v, hn::Set(d, uint64_t{0xFFFFFFFF})));
    high = hn::Add(high, hn::ShiftRight<32>(hn::Xor(v, hn::Set(d, uint64_t{1} << 63))));
  }
};

OffsetSum sum_64(const uint64_t* data, const uint64_t* bits, uint32_t rows) {
  LongSum vectors;
  OffsetSum out;
  sum_words(data, bits, rows, vectors, [&](uint64_t v) HWY_ATTR {
    out.low += v & 0xFFFFFFFF;
    out.high += static_cast<int64_t>(v) >> 32;
  });
  constexpr size_t kLanes = hn::MaxLanes(hn::ScalableTag<uint64_t>());
  uint64_t l[kLanes], h[kLanes], lows = 0, highs = 0;
  hn::StoreU(vectors.low, vectors.d, l);
  hn::StoreU(vectors.high, vectors.d, h);
  for (size_t i = 0; i < kLanes; ++i) {
    lows += l[i];
    highs += h[i];
  }
  // Every lane that was added, also a masked one (a zero), brought 2^31.
  const uint64_t lanes = few(bits, rows) ? 0 : rows / 64 * 64;
  out.low += lows;
  out.high += static_cast<int64_t>(highs - (lanes << 31));
  return out;
}

template <class T>
HWY_INLINE auto to_16(hn::ScalableTag<uint16_t> d, const T* data) {
  if constexpr (sizeof(T) == 2) {
    return hn::LoadU(d, data);
  } else {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<uint8_t, hn::ScalableTag<uint16_t>>(), data));
  }
}

template <class T>
void address(const T* data, uint16_t capacity, uint16_t shift, uint32_t rows, uint16_t* at) {
  const hn::ScalableTag<uint16_t> d;
  constexpr size_t kLanes = hn::MaxLanes(hn::ScalableTag<uint16_t>());
  const auto factor = hn::Set(d, capacity), more = hn::Set(d, shift);
  uint32_t i = 0;
  for (; i + kLanes <= rows; i += static_cast<uint32_t>(kLanes)) {
    hn::StoreU(hn::Add(hn::Add(hn::Mul(hn::LoadU(d, at + i), factor), to_16(d, data + i)), more), d, at + i);
  }
  for (; i < rows; ++i) at[i] = static_cast<uint16_t>(uint32_t{at[i]} * capacity + data[i] + shift);
}

void add_runs(const uint32_t* group, uint64_t slots, uint32_t run, const int64_t* cells, uint32_t copies, uint64_t copy_fields, int64_t* sums) {
  const hn::ScalableTag<uint64_t> d;
  const hn::CappedTag<uint64_t, 2> pair;
  constexpr uint32_t kLanes = static_cast<uint32_t>(hn::MaxLanes(hn::ScalableTag<uint64_t>()));
  const auto* from = reinterpret_cast<const uint64_t*>(cells);
  for (uint64_t s = 0; s < slots; ++s, from += run) {
    if (group[s] == kNoGroup) continue;
    auto* to = reinterpret_cast<uint64_t*>(sums) + s % copies * copy_fields + uint64_t{group[s]} * run;
    uint32_t f = 0;
    for (; f + kLanes <= run; f += kLanes) hn::StoreU(hn::Add(hn::LoadU(d, to + f), hn::LoadU(d, from + f)), d, to + f);
    for (; f + 2 <= run; f += 2) hn::StoreU(hn::Add(hn::LoadU(pair, to + f), hn::LoadU(pair, from + f)), pair, to + f);
    if (f < run) to[f] += from[f];
  }
}

constexpr KernelTable kTable = {HWY_STR(HWY_NAMESPACE),  // constant: nothing of it runs before the processor was asked
                                range<uint8_t>,
                            range<uint16_t>,
                            range<uint32_t>,
                            range<uint64_t>,
                            set_8,
                            sum<uint8_t, ByteSum>,
                            sum<uint16_t, HalvesSum<uint16_t, uint32_t>>,
                            sum<uint32_t, HalvesSum<uint32_t, uint64_t>>,
                            sum_64,
                            count,
                            address<uint8_t>,
                            address<uint16_t>,
                            add_runs};

}  // namespace HWY_NAMESPACE
}  // namespace hdb
HWY_AFTER_NAMESPACE();

#endif

#if HWY_ONCE
namespace hdb {

std::vector<const KernelTable*> simd_kernels() {
  std::vector<const KernelTable*> out;
#if HWY_ARCH_X86 && (HWY_TARGETS & HWY_AVX3)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma")) {
    out.push_back(&N_AVX3::kTable);
  }
#endif
#if HWY_ARCH_X86 && (HWY_TARGETS & HWY_AVX2)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma")) out.push_back(&N_AVX2::kTable);
#endif
#if HWY_ARCH_ARM && (HWY_TARGETS & HWY_NEON)
  out.push_back(&N_NEON::kTable);
#endif
  return out;
}

}  // namespace hdb
#endif

#else

namespace hdb {
std::vector<const KernelTable*> simd_kernels() { return {}; }
}  // namespace hdb

#endif
