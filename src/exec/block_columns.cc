#include "exec/block_columns.h"

#include "base/check.h"

namespace hdb {

namespace {

template <class Out, class Word, class F>
void decode(const Word* data, const uint32_t* slots, uint32_t n, bool dense, Out* out, const F& f) {
  if (dense) {
    const Word* from = data + slots[0];
    for (uint32_t i = 0; i < n; ++i) out[i] = f(from[i]);
  } else {
    for (uint32_t i = 0; i < n; ++i) out[i] = f(data[slots[i]]);
  }
}

template <class Out, class F>
void decode_widths(const ColumnBuffer& b, const uint32_t* slots, uint32_t n, bool dense, Out* out, const F& f) {
  switch (b.width) {
    case 0: for (uint32_t i = 0; i < n; ++i) out[i] = f(uint64_t{0}); break;
    case 1: decode(b.data, slots, n, dense, out, f); break;
    case 2: decode(reinterpret_cast<const uint16_t*>(b.data), slots, n, dense, out, f); break;
    case 4: decode(reinterpret_cast<const uint32_t*>(b.data), slots, n, dense, out, f); break;
    default: decode(reinterpret_cast<const uint64_t*>(b.data), slots, n, dense, out, f);
  }
}

const uint64_t* nulls_of(const ColumnBuffer& b, const uint32_t* slots, uint32_t n, Scratch& scratch) {
  if (b.nulls == nullptr) return nullptr;
  auto* words = scratch.zeroed<uint64_t>(bitmap_words(n));
  uint64_t any = 0;
  for (uint32_t i = 0; i < n; ++i) {
    const uint64_t null = bit_test(b.nulls, slots[i]) ? 1 : 0;
    words[i >> 6] |= null << (i & 63);
    any |= null;
  }
  return any != 0 ? words : nullptr;
}

}  // namespace

Vector read_slots(const ColumnBuffer& b, const Type& type, const uint32_t* slots, uint32_t n, Scratch& scratch) {
  const bool dense = n > 0 && slots[n - 1] - slots[0] == n - 1;
  const uint64_t* nulls = nulls_of(b, slots, n, scratch);
  switch (b.encoding) {
    case Encoding::kOffset: {
      CHECK(type.lane() == Lane::kInt64);
      auto* out = scratch.array<int64_t>(n);
      const auto base = static_cast<uint64_t>(b.base);
      decode_widths(b, slots, n, dense, out, [base](uint64_t v) { return static_cast<int64_t>(base + v); });
      return make_vector<int64_t>(type, out, nulls);
    }
    case Encoding::kDouble: {
      auto* out = scratch.array<double>(n);
      decode_widths(b, slots, n, dense, out, [](uint64_t v) { return std::bit_cast<double>(v); });
      return make_vector<double>(type, out, nulls);
    }
    case Encoding::kCode: {
      auto* out = scratch.array<uint32_t>(n);
      decode_widths(b, slots, n, dense, out, [](uint64_t v) { return static_cast<uint32_t>(v); });
      if (b.dictionary->size() == 0) break;  // nothing but NULLs was ever here: there is no code to show
      Vector v;
      v.type = type;
      v.lane = Lane::kText;
      v.codes = out;
      v.dictionary = b.dictionary;
      v.nulls = nulls;
      return v;
    }
    case Encoding::kHeap: break;
  }
  auto* out = scratch.array<std::string_view>(n);
  for (uint32_t i = 0; i < n; ++i) {
    const Datum d = b.at(slots[i]);
    out[i] = d.null ? std::string_view("", 0) : d.text()->view();
  }
  return make_vector<std::string_view>(type, out, nulls);
}

Vector vector_of(const Datum& d, const Type& type, Scratch& scratch) {
  if (d.null) return null_vector(type);
  switch (type.lane()) {
    case Lane::kDouble: {
      auto* out = scratch.array<double>(1);
      *out = d.f64();
      return make_vector<double>(type, out, nullptr);
    }
    case Lane::kText: {
      auto* out = scratch.array<std::string_view>(1);
      *out = d.text()->view();
      return make_vector<std::string_view>(type, out, nullptr);
    }
    default: {
      auto* out = scratch.array<int64_t>(1);
      *out = d.i64();
      return make_vector<int64_t>(type, out, nullptr);
    }
  }
}

}  // namespace hdb
