#include "exec/direct_block.h"

#include <algorithm>

namespace hdb {

namespace {

constexpr uint32_t kCopiesMax = 256;         // up to so many cells four copies of the table keep additions apart
constexpr int kCountShift = 48;              // sum of 16,384 offsets below 2^32 stays below 2^46

template <class T>
void add_key(const T* data, const BlockKey& k, uint32_t rows, uint16_t* at) {
  const auto shift = static_cast<uint32_t>(k.shift) + 1;
  for (uint32_t i = 0; i < rows; ++i) at[i] = static_cast<uint16_t>(at[i] * k.capacity + static_cast<uint32_t>(data[i]) + shift);
}

// table[at * copies + copy] += offset + one count, over all rows or the given slots.
template <class T>
void add_rows(const T* data, const uint16_t* at, const uint32_t* slots, uint32_t count, uint32_t copies, uint64_t* table) {
  constexpr uint64_t kOne = uint64_t{1} << kCountShift;
  const uint32_t mask = copies - 1;
  if (slots == nullptr) {
    if (copies == 4) {
      uint32_t i = 0;
      for (; i + 4 <= count; i += 4) {
        table[at[i] * 4u] += kOne + data[i];
        table[at[i + 1] * 4u + 1] += kOne + data[i + 1];
        table[at[i + 2] * 4u + 2] += kOne + data[i + 2];
        table[at[i + 3] * 4u + 3] += kOne + data[i + 3];
      }
      for (; i < count; ++i) table[at[i] * 4u] += kOne + data[i];
      return;
    }
    for (uint32_t i = 0; i < count; ++i) table[at[i]] += kOne + data[i];
    return;
  }
  for (uint32_t i = 0; i < count; ++i) table[at[slots[i]] * copies + (i & mask)] += kOne + data[slots[i]];
}

void count_rows(const uint16_t* at, const uint32_t* slots, uint32_t count, uint32_t copies, uint64_t* table) {
  const uint32_t mask = copies - 1;
  constexpr uint64_t kOne = uint64_t{1} << kCountShift;
  for (uint32_t i = 0; i < count; ++i) table[at[slots != nullptr ? slots[i] : i] * copies + (i & mask)] += kOne;
}

}  // namespace

bool block_keys(const ScanPlan& plan, const std::vector<uint32_t>& places, const BlockView& view, std::vector<BlockKey>* keys, uint32_t* cells) {
  uint64_t size = 1;
  keys->clear();
  for (const uint32_t place : places) {
    const ColumnBuffer& c = view.column(place);
    BlockKey k;
    uint64_t range = 0;
    if (plan.columns().type(place).lane() == Lane::kText) {
      if (c.encoding != Encoding::kCode) return false;
      range = c.dictionary->size();
    } else {
      const Zone& z = view.zone(place);
      if (z.low <= z.high) {
        range = static_cast<uint64_t>(z.high) - static_cast<uint64_t>(z.low) + 1;
        if (range == 0 || range > kCellsMax) return false;
        k.low = z.low;
        k.shift = static_cast<uint64_t>(c.base) - static_cast<uint64_t>(z.low);
      }
    }
    k.capacity = static_cast<uint32_t>(range + 1);
    size *= k.capacity;
    if (size > kCellsMax) return false;
    keys->push_back(k);
  }
  *cells = static_cast<uint32_t>(size);
  return true;
}

void address_rows(const std::vector<uint32_t>& places, const BlockView& view, const std::vector<BlockKey>& keys, uint16_t* at) {
  const uint32_t rows = view.rows();
  std::fill(at, at + rows, uint16_t{0});
  bool nulls = false;
  for (size_t k = 0; k < keys.size(); ++k) {
    const ColumnBuffer& c = view.column(places[k]);
    nulls = nulls || c.nulls != nullptr;
    const auto factor = static_cast<uint16_t>(keys[k].capacity), shift = static_cast<uint16_t>(keys[k].shift + 1);  // mod 2^16, as the cell numbers
    switch (c.width) {
      case 0: for (uint32_t i = 0; i < rows; ++i) at[i] = static_cast<uint16_t>(at[i] * keys[k].capacity + 1 + static_cast<uint32_t>(keys[k].shift)); break;
      case 1: kernels().address_8(c.data, factor, shift, rows, at); break;
      case 2: kernels().address_16(reinterpret_cast<const uint16_t*>(c.data), factor, shift, rows, at); break;
      case 4: add_key(reinterpret_cast<const uint32_t*>(c.data), keys[k], rows, at); break;
      default: add_key(reinterpret_cast<const uint64_t*>(c.data), keys[k], rows, at); break;
    }
  }
  if (!nulls) return;
  // Rows with a NULL key came to any number above: they are worked out again.
  for (uint32_t i = 0; i < rows; ++i) {
    bool any = false;
    for (size_t k = 0; k < keys.size(); ++k) any = any || view.column(places[k]).is_null(i);
    if (!any) continue;
    uint32_t a = 0;
    for (size_t k = 0; k < keys.size(); ++k) {
      const ColumnBuffer& c = view.column(places[k]);
      a = a * keys[k].capacity + (c.is_null(i) ? 0 : static_cast<uint32_t>(c.unsigned_at(i) + keys[k].shift) + 1);
    }
    at[i] = static_cast<uint16_t>(a);
  }
}

namespace {

constexpr uint32_t kMaskRows = 4096;  // a piece whose cell numbers, masks and values stay in the first cache

// For each piece and cell: f(cell, first slot, rows, mask of the slots that are in the cell and in `bits`, how many).
template <class F>
void each_mask(const uint16_t* at, const uint64_t* bits, const uint64_t* nulls, uint32_t rows, uint32_t cells, F f) {
  uint64_t some[kMaskRows / 64], mask[kMaskRows / 64];
  for (uint32_t first = 0; first < rows; first += kMaskRows) {
    const uint32_t n = std::min(kMaskRows, rows - first), words = bitmap_words(n);
    for (uint32_t w = 0; w < words; ++w) some[w] = bits[first / 64 + w] & (nulls != nullptr ? ~nulls[first / 64 + w] : ~uint64_t{0});
    for (uint32_t cell = 0; cell < cells; ++cell) {
      std::copy(some, some + words, mask);
      kernels().range_16(at + first, static_cast<uint16_t>(cell), 0, 0, n, mask);
      const uint32_t count = kernels().count(mask, n);
      if (count > 0) f(cell, first, n, static_cast<const uint64_t*>(mask), count);
    }
  }
}

}  // namespace

void sum_by_masks(const ColumnBuffer& c, const uint16_t* at, const uint64_t* bits, uint32_t rows, uint32_t cells, int128* sums, int64_t* counts) {
  each_mask(at, bits, c.nulls, rows, cells, [&](uint32_t cell, uint32_t first, uint32_t n, const uint64_t* mask, uint32_t count) {
    const OffsetSum s = sum_offsets(c, first, mask, n);
    counts[cell] += count;
    sums[cell] += (static_cast<int128>(s.high) << 32) + static_cast<int128>(s.low) + static_cast<int128>(c.width == 8 ? 0 : c.base) * count;
  });
}

void count_by_masks(const uint16_t* at, const uint64_t* bits, uint32_t rows, uint32_t cells, int64_t* counts) {
  each_mask(at, bits, nullptr, rows, cells, [&](uint32_t cell, uint32_t, uint32_t, const uint64_t*, uint32_t count) { counts[cell] += count; });
}

void sum_cells(const ColumnBuffer& c, const uint16_t* at, const uint32_t* slots, uint32_t count, uint32_t cells, Scratch& scratch, int128* sums,
               int64_t* counts) {
  if (c.nulls != nullptr) {
    auto* some = scratch.array<uint32_t>(count);
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t slot = slots != nullptr ? slots[i] : i;
      some[n] = slot;
      n += static_cast<uint32_t>(!bit_test(c.nulls, slot));
    }
    slots = some;
    count = n;
  }
  if (c.width == 8) {
    const auto* data = reinterpret_cast<const int64_t*>(c.data);
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t slot = slots != nullptr ? slots[i] : i;
      sums[at[slot]] += data[slot];
      ++counts[at[slot]];
    }
    return;
  }
  const uint32_t copies = cells <= kCopiesMax ? 4 : 1;
  auto* table = scratch.zeroed<uint64_t>(size_t{cells} * copies);
  switch (c.width) {
    case 0: count_rows(at, slots, count, copies, table); break;
    case 1: add_rows(c.data, at, slots, count, copies, table); break;
    case 2: add_rows(reinterpret_cast<const uint16_t*>(c.data), at, slots, count, copies, table); break;
    default: add_rows(reinterpret_cast<const uint32_t*>(c.data), at, slots, count, copies, table); break;
  }
  for (uint32_t cell = 0; cell < cells; ++cell) {
    for (uint32_t k = 0; k < copies; ++k) {
      const uint64_t v = table[size_t{cell} * copies + k];
      const auto n = static_cast<int64_t>(v >> kCountShift);
      counts[cell] += n;
      sums[cell] += static_cast<int128>(v & ((uint64_t{1} << kCountShift) - 1)) + static_cast<int128>(c.base) * n;
    }
  }
}

void count_cells(const uint16_t* at, const uint32_t* slots, uint32_t count, uint32_t cells, Scratch& scratch, int64_t* counts) {
  const uint32_t copies = cells <= kCopiesMax ? 4 : 1;
  auto* table = scratch.zeroed<uint64_t>(size_t{cells} * copies);
  count_rows(at, slots, count, copies, table);
  for (uint32_t i = 0; i < cells * copies; ++i) counts[i / copies] += static_cast<int64_t>(table[i] >> kCountShift);
}

}  // namespace hdb
