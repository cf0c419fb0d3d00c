#include "store/column_run.h"

#include <algorithm>

namespace hdb {

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__gnu_linux__)
#define HDB_RUN_KERNEL __attribute__((optimize("O3"), target_clones("avx2", "default")))
#elif defined(__GNUC__) && !defined(__clang__)
#define HDB_RUN_KERNEL __attribute__((optimize("O3")))
#else
#define HDB_RUN_KERNEL
#endif

namespace {

struct Bounds {
  int64_t low = INT64_MAX, high = INT64_MIN;
  uint64_t sum = 0;  // modulo 2^64
};

HDB_RUN_KERNEL void bounds_of(const uint64_t* raw, uint32_t count, Bounds* out) {
  int64_t low = INT64_MAX, high = INT64_MIN;
  uint64_t sum = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const auto v = static_cast<int64_t>(raw[i]);
    low = v < low ? v : low;
    high = v > high ? v : high;
    sum += raw[i];
  }
  *out = {low, high, sum};
}

HDB_RUN_KERNEL void narrow1(const uint64_t* raw, uint64_t base, uint32_t count, uint8_t* out) {
  for (uint32_t i = 0; i < count; ++i) out[i] = static_cast<uint8_t>(raw[i] - base);
}
HDB_RUN_KERNEL void narrow2(const uint64_t* raw, uint64_t base, uint32_t count, uint16_t* out) {
  for (uint32_t i = 0; i < count; ++i) out[i] = static_cast<uint16_t>(raw[i] - base);
}
HDB_RUN_KERNEL void narrow4(const uint64_t* raw, uint64_t base, uint32_t count, uint32_t* out) {
  for (uint32_t i = 0; i < count; ++i) out[i] = static_cast<uint32_t>(raw[i] - base);
}

inline uint32_t code_at(const uint64_t* raw, uint32_t i) { return reinterpret_cast<const TextEntry*>(raw[i])->code; }

template <class T>
void put_codes(const uint64_t* raw, uint32_t count, T* out) {
  for (uint32_t i = 0; i < count; ++i) out[i] = static_cast<T>(code_at(raw, i));
}

bool any_null(const ColumnRun& run, uint32_t from, uint32_t count) {
  if (run.nulls == nullptr) return false;
  for (uint32_t i = from; i < from + count; ++i) {
    if (i % 64 == 0 && i + 64 <= from + count) {
      if (run.nulls[i / 64] != 0) return true;
      i += 63;
    } else if (bit_test(run.nulls, i)) {
      return true;
    }
  }
  return false;
}

// Integers without NULLs: bounds and sum in one pass. While the range is below 2^50, no sum of offsets of a block passes 64 bits, so the sum
// modulo 2^64 determines it.
void describe_integers(const uint64_t* raw, uint32_t count, Zone* zone) {
  Bounds b;
  bounds_of(raw, count, &b);
  zone->low = b.low;
  zone->high = b.high;
  const uint64_t range = static_cast<uint64_t>(b.high) - static_cast<uint64_t>(b.low);
  if (range < uint64_t{1} << 50) {
    zone->sum.add_product(b.low, count);
    zone->sum.add_unsigned(b.sum - static_cast<uint64_t>(b.low) * count);
    return;
  }
  for (uint32_t i = 0; i < count; ++i) zone->sum.add(raw[i]);
}

}  // namespace

RunDescription describe(const Type& type, const ColumnRun& run, uint32_t from, uint32_t count) {
  RunDescription d;
  const Lane lane = type.lane();
  const bool nulls = any_null(run, from, count);
  const uint64_t* raw = run.raw + from;
  uint32_t code_max = 0;
  bool heap = false, values = count > 0;
  if (lane == Lane::kInt64 && !nulls && count > 0) {
    describe_integers(raw, count, &d.zone);
  } else if (lane == Lane::kText && !nulls) {
    // kNoCode is the largest code of all.
    for (uint32_t i = 0; i < count; ++i) code_max = std::max(code_max, code_at(raw, i));
  } else {
    values = false;
    for (uint32_t i = 0; i < count; ++i) {
      const Datum v = run.at(from + i);
      d.zone.add(lane, v);
      values |= !v.null;
      if (!v.null && lane == Lane::kText) code_max = std::max(code_max, v.text()->code);
    }
  }
  if (lane == Lane::kText) heap = code_max == TextEntry::kNoCode;
  if (lane == Lane::kDouble) d.layout = {Encoding::kDouble, 8, 0, nulls, values};
  else if (lane == Lane::kText) d.layout = text_layout(heap, code_max, nulls, values);
  else d.layout = integer_layout(d.zone.low, d.zone.high, nulls, values);
  return d;
}

void put_run(ColumnBuffer& buffer, uint32_t slot, const ColumnRun& run, uint32_t from, uint32_t count) {
  if (buffer.nulls != nullptr || run.nulls != nullptr) {
    for (uint32_t i = 0; i < count; ++i) buffer.put(slot + i, run.at(from + i));
    return;
  }
  const uint64_t* raw = run.raw + from;
  uint8_t* out = buffer.data + size_t{slot} * buffer.width;
  auto* out2 = reinterpret_cast<uint16_t*>(out);
  auto* out4 = reinterpret_cast<uint32_t*>(out);
  if (buffer.encoding == Encoding::kCode) {
    if (buffer.width == 1) put_codes(raw, count, out);
    else if (buffer.width == 2) put_codes(raw, count, out2);
    else put_codes(raw, count, out4);
    return;
  }
  const uint64_t base = buffer.width < 8 ? static_cast<uint64_t>(buffer.base) : 0;
  switch (buffer.width) {
    case 0: return;
    case 1: return narrow1(raw, base, count, out);
    case 2: return narrow2(raw, base, count, out2);
    case 4: return narrow4(raw, base, count, out4);
    default: std::memcpy(out, raw, size_t{count} * 8);
  }
}

void merge_zone(Zone& zone, const Zone& other) {
  zone.low = std::min(zone.low, other.low);
  zone.high = std::max(zone.high, other.high);
  zone.low_real = std::min(zone.low_real, other.low_real);
  zone.high_real = std::max(zone.high_real, other.high_real);
  zone.nulls += other.nulls;
  zone.unbounded |= other.unbounded;
  zone.sum.merge(other.sum);
}

}  // namespace hdb
