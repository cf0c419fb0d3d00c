// plane/address.h: from one code a dimension to the ordinal of a cell.
//
// What:       dense form: a table indexed by the mixed-radix number of the codes, while that is small, or not too large for the cells that there are;
//             else hashed form: open addressing over ordinals, whose codes the caller supplies. A dimension has room for at most a quarter more codes
//             than it has taken.
// Invariants: A2 find(codes) is the ordinal that add gave these codes, or kNone. Growing a dimension or the hashed table lays all cells anew, in the form
//             that then fits.
// Callers:    plane/summary, the writer only.
// Held by:    src/plane/plane_test.cc
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/check.h"
#include "base/hash.h"
#include "plane/radix.h"

namespace hdb {

class AddressMap {
 public:
  static constexpr uint32_t kNone = 0xFFFFFFFFu;
  static constexpr uint64_t kDenseMax = uint64_t{1} << 20;     // slots of the dense form
  static constexpr uint64_t kDenseAlways = uint64_t{1} << 15;  // so many are never too many
  static constexpr uint64_t kSlotsPerCell = 16;                // above that: hashed, which takes 2 to 8

  explicit AddressMap(size_t dimensions) : capacity_(dimensions, 2), dense_(true) { table_.assign(uint64_t{1} << dimensions, kNone); }

  bool dense() const { return dense_; }
  uint64_t bytes() const { return table_.capacity() * 4; }

  // codes_of(ordinal, dimension) gives the codes of a cell that is in the map.
  template <class CodesOf>
  uint32_t find(const uint32_t* codes, CodesOf&& codes_of) const {
    if (dense_) {
      uint64_t at = 0;
      for (size_t d = 0; d < capacity_.size(); ++d) {
        if (codes[d] >= capacity_[d]) return kNone;
        at = pack_digit(at, capacity_[d], uint64_t{codes[d]});
      }
      return table_[at];
    }
    for (uint64_t i = hash(codes) & (table_.size() - 1);; i = (i + 1) & (table_.size() - 1)) {
      const uint32_t ordinal = table_[i];
      if (ordinal == kNone || same(ordinal, codes, codes_of)) return ordinal;
    }
  }

  // The ordinals of many cells; code d of cell i is codes[d * stride + i].
  template <class CodesOf>
  void find_all(const uint32_t* codes, size_t stride, uint32_t count, CodesOf&& codes_of, uint32_t* ordinals) const {
    static constexpr uint32_t kAhead = 16;
    std::vector<uint64_t> at(count, 0);
    for (size_t d = 0; d < capacity_.size(); ++d) {
      const uint32_t* digit = codes + d * stride;
      if (dense_) {
        const uint64_t capacity = capacity_[d];
        // A code past the capacity leads past the table, and stays there.
        for (uint32_t i = 0; i < count; ++i) at[i] = digit[i] < capacity && at[i] != kOutside ? pack_digit(at[i], capacity, uint64_t{digit[i]}) : kOutside;
      } else {
        for (uint32_t i = 0; i < count; ++i) at[i] = hash_combine(at[i], digit[i]);
      }
    }
    const uint64_t mask = table_.size() - 1;
    std::vector<uint32_t> one(capacity_.size());
    for (uint32_t i = 0; i < count; ++i) {
      if (i + kAhead < count) __builtin_prefetch(&table_[at[i + kAhead] & mask]);
      if (dense_) {
        ordinals[i] = at[i] == kOutside ? kNone : table_[at[i]];
        continue;
      }
      for (size_t d = 0; d < one.size(); ++d) one[d] = codes[d * stride + i];
      uint64_t slot = at[i] & mask;
      while (table_[slot] != kNone && !same(table_[slot], one.data(), codes_of)) slot = (slot + 1) & mask;
      ordinals[i] = table_[slot];
    }
  }

  // Adds a cell that is not there. `count` cells (ordinals below count, all with codes) are in the map or about to be.
  template <class CodesOf>
  void add(const uint32_t* codes, uint32_t ordinal, uint32_t count, CodesOf&& codes_of) {
    bool fits = true;
    for (size_t d = 0; d < capacity_.size(); ++d) fits &= codes[d] < capacity_[d];
    if (!fits) {
      std::vector<uint64_t> wider = capacity_;
      for (size_t d = 0; d < wider.size(); ++d) {
        while (codes[d] >= wider[d]) wider[d] += wider[d] / 4 + (wider[d] < 4 ? 1 : 0);
      }
      if (dense_) rebuild(std::move(wider), ordinal, count, codes_of);
      else capacity_ = std::move(wider);  // for the next time that all is laid anew
    }
    if (!dense_ && (used_ + 1) * 2 > table_.size()) rebuild(capacity_, ordinal, count, codes_of);
    place(codes, ordinal);
  }

  // Takes a cell out. Its codes are still what codes_of says.
  template <class CodesOf>
  void remove(const uint32_t* codes, CodesOf&& codes_of) {
    if (dense_) {
      table_[address(codes)] = kNone;
      return;
    }
    const uint64_t mask = table_.size() - 1;
    uint64_t i = hash(codes) & mask;
    while (!same(table_[i], codes, codes_of)) i = (i + 1) & mask;
    // Backward shift (Knuth 6.4, algorithm R): no tombstones.
    for (uint64_t j = (i + 1) & mask; table_[j] != kNone; j = (j + 1) & mask) {
      std::vector<uint32_t> other(capacity_.size());
      for (size_t d = 0; d < other.size(); ++d) other[d] = codes_of(table_[j], d);
      const uint64_t home = hash(other.data()) & mask;
      if (((j - home) & mask) < ((j - i) & mask)) continue;
      table_[i] = table_[j];
      i = j;
    }
    table_[i] = kNone;
    --used_;
  }

 private:
  uint64_t address(const uint32_t* codes) const {
    uint64_t at = 0;
    for (size_t d = 0; d < capacity_.size(); ++d) at = pack_digit(at, capacity_[d], uint64_t{codes[d]});
    return at;
  }
  uint64_t hash(const uint32_t* codes) const {
    uint64_t h = 0;
    for (size_t d = 0; d < capacity_.size(); ++d) h = hash_combine(h, codes[d]);
    return h;
  }
  template <class CodesOf>
  bool same(uint32_t ordinal, const uint32_t* codes, CodesOf&& codes_of) const {
    for (size_t d = 0; d < capacity_.size(); ++d) {
      if (codes_of(ordinal, d) != codes[d]) return false;
    }
    return true;
  }
  void place(const uint32_t* codes, uint32_t ordinal) {
    if (dense_) {
      table_[address(codes)] = ordinal;
      return;
    }
    uint64_t i = hash(codes) & (table_.size() - 1);
    while (table_[i] != kNone) i = (i + 1) & (table_.size() - 1);
    table_[i] = ordinal;
    ++used_;
  }
  static constexpr uint64_t kOutside = UINT64_MAX;
  // Slots of the dense form, or 0 if there would be too many for so many cells.
  static uint64_t dense_size(const std::vector<uint64_t>& capacity, uint64_t cells) {
    uint64_t size = 1;
    for (const uint64_t c : capacity) size = size > kDenseMax ? size : size * c;
    return size <= std::min(kDenseMax, std::max(kDenseAlways, cells * kSlotsPerCell)) ? size : 0;
  }
  // Lays out all cells but `except` again. Allocates before it changes anything.
  template <class CodesOf>
  void rebuild(std::vector<uint64_t> capacity, uint32_t except, uint32_t count, CodesOf&& codes_of) {
    uint64_t size = dense_size(capacity, count);
    const bool dense = size != 0;
    if (!dense) {
      size = 64;
      while (size < uint64_t{count} * 4) size *= 2;
    }
    std::vector<uint32_t> table(size, kNone);
    std::vector<uint32_t> codes(capacity.size());
    table_.swap(table);
    capacity_.swap(capacity);
    dense_ = dense;
    used_ = 0;
    for (uint32_t o = 0; o < count; ++o) {
      if (o == except) continue;
      for (size_t d = 0; d < codes.size(); ++d) codes[d] = codes_of(o, d);
      place(codes.data(), o);
    }
  }

  std::vector<uint64_t> capacity_;
  std::vector<uint32_t> table_;
  uint64_t used_ = 0;               // hashed form
  bool dense_;
};

}  // namespace hdb
