// store/column.h: one column of one block: an encoded, reference-counted array.
//
// Terms:      a Datum is one value outside of a block: 64 raw bits and a NULL flag. Raw is the int64 value (BOOLEAN, BIGINT, DECIMAL, DATE,
//             TIMESTAMP), the bits of the double, or the address of a TextEntry.
// What:       ColumnBuffer holds kBlockRows slots in one encoding: kOffset (base + unsigned offset of width 0, 1, 2, 4; width 8: the value
//             itself, base 0), kDouble (8 bytes), kCode (dictionary code of width 1, 2, 4), kHeap (8-byte TextEntry addresses).
// Invariants: S1 encoding, width, base and the data's address of a buffer never change; another layout is another buffer (C2).
//             S2 bytes change only under the block's exclusive latch while the block holds the only reference.
//             S3 re-encoding keeps every value that the old layout could represent representable (unless the block has no undo entries), so a
//                before-image always fits the buffer that a reader or an undo puts it into.
//             S4 the slot of a NULL holds some representable value; its bit in `nulls` is set.
// Callers:    store/, txn/ write; plane/ and exec/ read pinned buffers. Counting is thread-safe.
// Held by:    src/store/store_test.cc, src/store/layout_test.cc, spec/store.md
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/bitmap.h"
#include "base/budget.h"
#include "base/limits.h"
#include "store/dictionary.h"
#include "store/offset.h"
#include "store/type.h"

namespace hdb {

struct Datum {
  uint64_t raw = 0;
  bool null = true;

  static Datum of(int64_t v) { return {static_cast<uint64_t>(v), false}; }
  static Datum of(double v) { return {std::bit_cast<uint64_t>(v), false}; }
  static Datum of(const TextEntry* t) { return {reinterpret_cast<uint64_t>(t), false}; }
  int64_t i64() const { return static_cast<int64_t>(raw); }
  double f64() const { return std::bit_cast<double>(raw); }
  const TextEntry* text() const { return reinterpret_cast<const TextEntry*>(raw); }
};

// Room for N data on the stack that is not filled before it is used: a statement about one row has several of them.
template <uint32_t N>
struct DatumArray {
  DatumArray() {}  // leaves the values as they are
  operator Datum*() { return values; }
  operator const Datum*() const { return values; }
  union {
    Datum values[N];
  };
};

enum class Encoding : uint8_t { kOffset, kDouble, kCode, kHeap };

// Memory for the first placement of kSegmentBlocks buffers of one column side by side.
struct Segment {
  std::atomic<uint32_t> references{1};
  MemoryBudget* budget = nullptr;
  uint64_t bytes = 0, used = 0;  // used: by the writer only
  uint8_t* memory = nullptr;
  static Segment* make(uint64_t bytes, MemoryBudget* budget);
  void release() noexcept;
};

struct ColumnBuffer {
  std::atomic<uint32_t> references{1};
  Encoding encoding = Encoding::kOffset;
  uint8_t width = 0;                 // bytes a slot
  std::atomic<uint8_t> touched{0};   // pinned since the cache's clock came by (store/column_cache.h)
  int64_t base = 0;                  // kOffset with width < 8
  uint8_t* data = nullptr;           // kBlockRows * width bytes; null for width 0
  uint64_t* nulls = nullptr;         // kBlockWords words, or null: no NULLs
  const Dictionary* dictionary = nullptr;  // of the column, for kCode and kHeap
  MemoryBudget* budget = nullptr;
  Segment* segment = nullptr;        // owner of data; null: data is this buffer's own

  bool is_null(uint32_t slot) const { return nulls != nullptr && bit_test(nulls, slot); }
  uint64_t unsigned_at(uint32_t slot) const {
    switch (width) {
      case 0: return 0;
      case 1: return data[slot];
      case 2: { uint16_t v; std::memcpy(&v, data + size_t{slot} * 2, 2); return v; }
      case 4: { uint32_t v; std::memcpy(&v, data + size_t{slot} * 4, 4); return v; }
      default: { uint64_t v; std::memcpy(&v, data + size_t{slot} * 8, 8); return v; }
    }
  }
  int64_t int_at(uint32_t slot) const { return static_cast<int64_t>(decode_offset(unsigned_at(slot), static_cast<uint64_t>(base))); }
  Datum at(uint32_t slot) const {
    if (is_null(slot)) return {};
    if (encoding == Encoding::kOffset) return Datum::of(int_at(slot));
    if (encoding == Encoding::kCode) return Datum::of(dictionary->entry(static_cast<uint32_t>(unsigned_at(slot))));
    return {unsigned_at(slot), false};
  }
  // Could this layout hold the value (S3)?
  bool represents(const Datum& d) const {
    if (d.null) return nulls != nullptr;
    if (encoding == Encoding::kOffset) return offset_fits(d.raw, static_cast<uint64_t>(base), width);
    if (encoding == Encoding::kCode) return d.text()->code != TextEntry::kNoCode && d.text()->code <= offsets_max<uint64_t>(width);
    return true;
  }
  // Raw write without any check. Only under S2.
  void put(uint32_t slot, const Datum& d) {
    if (nulls != nullptr) bit_assign(nulls, slot, d.null);
    if (d.null || width == 0) return;
    uint64_t v = d.raw;
    if (encoding == Encoding::kCode) v = d.text()->code;
    if (encoding == Encoding::kOffset) v = encode_offset(v, static_cast<uint64_t>(base));
    switch (width) {
      case 1: data[slot] = static_cast<uint8_t>(v); break;
      case 2: { const auto x = static_cast<uint16_t>(v); std::memcpy(data + size_t{slot} * 2, &x, 2); break; }
      case 4: { const auto x = static_cast<uint32_t>(v); std::memcpy(data + size_t{slot} * 4, &x, 4); break; }
      default: std::memcpy(data + size_t{slot} * 8, &v, 8);
    }
  }

  static ColumnBuffer* make(Encoding encoding, uint8_t width, int64_t base, bool with_nulls, const Dictionary* dictionary,
                            MemoryBudget* budget, Segment* segment = nullptr);
  void retain() noexcept { references.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept;
  bool shared() const { return references.load(std::memory_order_acquire) > 1; }
  void touch() noexcept { if (touched.load(std::memory_order_relaxed) == 0) touched.store(1, std::memory_order_relaxed); }
  uint64_t bytes() const { return uint64_t{width} * kBlockRows + (nulls != nullptr ? kBlockWords * 8 : 0); }
};

// An owning reference to a buffer.
template <class T>
class Ref {
 public:
  Ref() = default;
  explicit Ref(T* owned) : p_(owned) {}
  Ref(const Ref& o) : p_(o.p_) { if (p_ != nullptr) p_->retain(); }
  Ref(Ref&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  Ref& operator=(Ref o) noexcept { std::swap(p_, o.p_); return *this; }
  ~Ref() { if (p_ != nullptr) p_->release(); }
  T* get() const { return p_; }
  T* operator->() const { return p_; }
  T& operator*() const { return *p_; }
  explicit operator bool() const { return p_ != nullptr; }

 private:
  T* p_ = nullptr;
};
using BufferRef = Ref<ColumnBuffer>;

// The visibility bitmap of a block: bit set = the row is live.
struct VisibleBitmap {
  std::atomic<uint32_t> references{1};
  uint64_t words[kBlockWords] = {};
  void retain() noexcept { references.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept { if (references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this; }
  bool shared() const { return references.load(std::memory_order_acquire) > 1; }
};
using VisibleRef = Ref<VisibleBitmap>;

// What is fixed about a column of a table, and what its blocks share. Writer-side fields are for the holder of the turn.
struct ColumnStore {
  Type type;
  std::shared_ptr<Dictionary> dictionary;  // TEXT only
  Segment* segment = nullptr;              // where the next first placement goes
  ColumnStore() = default;
  ColumnStore(ColumnStore&& o) noexcept
      : type(o.type), dictionary(std::move(o.dictionary)), segment(std::exchange(o.segment, nullptr)) {}
  ~ColumnStore() { if (segment != nullptr) segment->release(); }
};

// A layout for `count` values (stride between them in `values`), exact for them.
struct Layout {
  Encoding encoding = Encoding::kOffset;
  uint8_t width = 0;
  int64_t base = 0;
  bool nulls = false;
  bool values = true;  // false: it is for NULLs only, and asks nothing of width and base
};
Layout layout_for(const Type& type, const Datum* values, uint32_t count);
// The same for whoever knows already: the largest code (or that some text has none), the bounds (low > high: no value).
Layout text_layout(bool heap, uint32_t code_max, bool nulls, bool values);
Layout integer_layout(int64_t low, int64_t high, bool nulls, bool values);
// The smallest layout that represents all that `old` does (if keep_all) or its first `rows` slots, and also the values of `add`.
Layout widen(const ColumnBuffer& old, uint32_t rows, const Layout& add, bool keep_all);
bool covers(const ColumnBuffer& buffer, const Layout& add);
// A copy of the first `rows` slots in another layout (which represents them). unchecked: the budget may be passed (undo, rewind).
BufferRef re_encode(const ColumnBuffer& old, uint32_t rows, const Layout& layout, Segment* segment = nullptr);
BufferRef copy_of(const ColumnBuffer& old, uint32_t rows);

}  // namespace hdb
