// plane/dimension.h: the values that one dimension of a plane has taken, and their codes.
//
// What:       a code for each distinct value, in order of appearance; 0 is NULL. Codes are never taken back.
// Invariants: A1 code_of is injective: two rows have the same code iff their values are equal (or both NULL).
// Callers:    plane/summary. The writer adds (under the plane's exclusive latch where readers may look); reading needs the shared latch.
// Held by:    src/plane/plane_test.cc
#pragma once

#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/hash.h"
#include "store/column_run.h"

namespace hdb {

class DimensionValues {
 public:
  static constexpr uint32_t kUnknown = 0xFFFFFFFFu;
  explicit DimensionValues(Type type) : type_(type), values_(1) {}

  const Type& type() const { return type_; }
  uint32_t size() const { return static_cast<uint32_t>(values_.size()); }  // codes in use, NULL's included
  const Datum& value(uint32_t code) const { return values_[code]; }
  bool any_heap_text() const { return any_heap_text_; }
  uint64_t bytes() const { return values_.capacity() * sizeof(Datum) + direct_.capacity() * 4 + map_.size() * 24 + texts_.size() * 32; }

  // The code of a value, or kUnknown.
  uint32_t find(const Datum& d) const {
    if (d.null) return 0;
    if (type_.lane() == Lane::kText) {
      const TextEntry* t = d.text();
      if (t->code != TextEntry::kNoCode) return t->code < direct_.size() ? direct_[t->code] : kUnknown;
      const auto it = texts_.find(t->view());
      return it == texts_.end() ? kUnknown : it->second;
    }
    // Small non-negative integers (keys, days, flags) find their code without hashing.
    if (d.raw < kDirectMax) return d.raw < direct_.size() ? direct_[d.raw] : kUnknown;
    const auto it = map_.find(d.raw);
    return it == map_.end() ? kUnknown : it->second;
  }
  // The codes of values [from, from + count) of a run. False: some are kUnknown.
  bool find_all(const ColumnRun& run, uint32_t from, uint32_t count, uint32_t* codes) const {
    bool known = true;
    const bool text = type_.lane() == Lane::kText;
    for (uint32_t i = 0; i < count; ++i) {
      const uint64_t raw = run.raw[from + i];
      if (run.is_null(from + i)) {
        codes[i] = 0;
        continue;
      }
      // Codes of a dictionary and small integers without hashing (kNoCode is above every size).
      const uint64_t at = text ? reinterpret_cast<const TextEntry*>(raw)->code : raw;
      codes[i] = at < direct_.size() ? direct_[at] : find({raw, false});
      known &= codes[i] != kUnknown;
    }
    return known;
  }
  uint32_t add(const Datum& d) {
    const auto code = static_cast<uint32_t>(values_.size());
    values_.push_back(d);
    if (type_.lane() == Lane::kText) {
      const TextEntry* t = d.text();
      if (t->code != TextEntry::kNoCode) {
        place(t->code, code);
      } else {
        texts_.emplace(t->view(), code);
        any_heap_text_ = true;
      }
    } else if (d.raw < kDirectMax) {
      place(d.raw, code);
    } else {
      map_.emplace(d.raw, code);
    }
    return code;
  }

 private:
  static constexpr uint64_t kDirectMax = uint64_t{1} << 20;
  void place(uint64_t at, uint32_t code) {
    if (at >= direct_.size()) direct_.resize(at < 8 ? 16 : at * 2, kUnknown);
    direct_[at] = code;
  }
  struct Hash {
    using is_avalanching = void;
    size_t operator()(uint64_t x) const { return static_cast<size_t>(hash64(x)); }
    size_t operator()(std::string_view t) const { return static_cast<size_t>(hash_bytes(t.data(), t.size())); }
  };
  Type type_;
  std::vector<Datum> values_;
  std::vector<uint32_t> direct_;
  boost::unordered_flat_map<uint64_t, uint32_t, Hash> map_;
  boost::unordered_flat_map<std::string_view, uint32_t, Hash> texts_;
  bool any_heap_text_ = false;
};

}  // namespace hdb
