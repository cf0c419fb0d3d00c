#include "store/column.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

#include "base/check.h"

namespace hdb {

namespace {

constexpr uint64_t kSlack = 64;  // bytes after an array: kernels may load a whole vector at its end

uint8_t* allocate(uint64_t bytes, MemoryBudget* budget) {
  if (budget != nullptr) budget->charge(bytes);
  void* p = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (p == nullptr) {
    if (budget != nullptr) budget->release(bytes);
    fail(sqlstate::kMemory, "out of memory: the system refused " + std::to_string(bytes) + " bytes");
  }
  return static_cast<uint8_t*>(p);
}

constexpr uint64_t value_bytes(uint8_t width) { return width == 0 ? 0 : uint64_t{width} * kBlockRows + kSlack; }
constexpr uint64_t kNullBytes = uint64_t{kBlockWords} * 8 + kSlack;

uint8_t code_width(uint32_t code_max) { return code_max <= 0xFF ? 1 : code_max <= 0xFFFF ? 2 : 4; }

// Offsets that hold [low, high], with room on both sides.
Layout offsets(int64_t low, int64_t high, bool nulls) {
  const OffsetLayout<uint64_t> l = offsets_with_room(static_cast<uint64_t>(low), static_cast<uint64_t>(high));
  return {Encoding::kOffset, l.width, static_cast<int64_t>(l.base), nulls};
}

}  // namespace

Segment* Segment::make(uint64_t bytes, MemoryBudget* budget) {
  auto s = std::make_unique<Segment>();
  s->memory = allocate(bytes, budget);
  s->budget = budget;
  s->bytes = bytes;
  return s.release();
}

void Segment::release() noexcept {
  if (references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (budget != nullptr) budget->release(bytes);
  std::free(memory);
  delete this;
}

ColumnBuffer* ColumnBuffer::make(Encoding encoding, uint8_t width, int64_t base, bool with_nulls, const Dictionary* dictionary,
                                 MemoryBudget* budget, Segment* segment) {
  auto b = std::make_unique<ColumnBuffer>();
  b->encoding = encoding;
  b->width = width;
  b->base = base;
  b->dictionary = dictionary;
  b->budget = budget;
  const uint64_t bytes = value_bytes(width);
  if (bytes > 0) {
    if (segment != nullptr && segment->bytes - segment->used >= bytes) {
      b->data = segment->memory + segment->used;
      segment->used += (bytes + 63) / 64 * 64;
      segment->used = std::min(segment->used, segment->bytes);
      segment->references.fetch_add(1, std::memory_order_relaxed);
      b->segment = segment;
    } else {
      b->data = allocate(bytes, budget);
    }
    std::memset(b->data, 0, bytes);
  }
  if (with_nulls) {
    try {
      b->nulls = reinterpret_cast<uint64_t*>(allocate(kNullBytes, budget));
    } catch (...) {
      b.release()->release();
      throw;
    }
    std::memset(b->nulls, 0, kNullBytes);
  }
  return b.release();
}

void ColumnBuffer::release() noexcept {
  if (references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (segment != nullptr) {
    segment->release();
  } else if (data != nullptr) {
    if (budget != nullptr) budget->release(value_bytes(width));
    std::free(data);
  }
  if (nulls != nullptr) {
    if (budget != nullptr) budget->release(kNullBytes);
    std::free(nulls);
  }
  delete this;
}

Layout layout_for(const Type& type, const Datum* values, uint32_t count) {
  Layout l;
  if (type.lane() == Lane::kDouble) l = {Encoding::kDouble, 8, 0, false};
  if (type.lane() == Lane::kText) l = {Encoding::kCode, 1, 0, false};
  int64_t low = INT64_MAX, high = INT64_MIN;
  uint32_t code_max = 0;
  bool heap = false;
  l.values = false;
  for (uint32_t i = 0; i < count; ++i) {
    if (values[i].null) {
      l.nulls = true;
      continue;
    }
    l.values = true;
    if (l.encoding == Encoding::kCode) {
      const uint32_t code = values[i].text()->code;
      if (code == TextEntry::kNoCode) heap = true;
      else code_max = std::max(code_max, code);
    } else if (l.encoding == Encoding::kOffset) {
      low = std::min(low, values[i].i64());
      high = std::max(high, values[i].i64());
    }
  }
  if (l.encoding == Encoding::kCode) return text_layout(heap, code_max, l.nulls, l.values);
  if (l.encoding == Encoding::kOffset) return integer_layout(low, high, l.nulls, l.values);
  return l;
}

Layout text_layout(bool heap, uint32_t code_max, bool nulls, bool values) {
  if (heap) return {Encoding::kHeap, 8, 0, nulls};
  return {Encoding::kCode, code_width(code_max), 0, nulls, values};
}

Layout integer_layout(int64_t low, int64_t high, bool nulls, bool values) {
  Layout l{Encoding::kOffset, 0, 0, nulls, values};
  if (low > high) return l;
  // Exact here: the caller asks what these values need. offsets() adds room when a buffer is made.
  l.width = offset_width(static_cast<uint64_t>(high) - static_cast<uint64_t>(low));
  l.base = l.width == 8 ? 0 : low;
  return l;
}

bool covers(const ColumnBuffer& b, const Layout& add) {
  if (add.nulls && b.nulls == nullptr) return false;
  if (!add.values) return true;
  if (b.encoding != add.encoding) return b.encoding == Encoding::kHeap;
  if (b.encoding == Encoding::kCode) return b.width >= add.width;
  if (b.encoding != Encoding::kOffset) return true;
  return offsets_cover(static_cast<uint64_t>(b.base), b.width, static_cast<uint64_t>(add.base), add.width);
}

Layout widen(const ColumnBuffer& old, uint32_t rows, const Layout& add, bool keep_all) {
  Layout l{old.encoding, old.width, old.base, old.nulls != nullptr || add.nulls};
  if (!add.values || old.encoding == Encoding::kDouble || old.encoding == Encoding::kHeap) return l;
  if (old.encoding == Encoding::kCode) {
    if (add.encoding == Encoding::kHeap) return {Encoding::kHeap, 8, 0, l.nulls};
    l.width = std::max(old.width, add.width);
    return l;
  }
  if (old.width == 8 || add.width == 8) return {Encoding::kOffset, 8, 0, l.nulls};
  if (keep_all) {
    const auto both = offsets_span(static_cast<uint64_t>(old.base), old.width, static_cast<uint64_t>(add.base), add.width);
    return offsets(static_cast<int64_t>(both.low), static_cast<int64_t>(both.high), l.nulls);
  }
  int64_t low = add.base;
  auto high = static_cast<int64_t>(offsets_last(static_cast<uint64_t>(add.base), add.width));
  for (uint32_t i = 0; i < rows; ++i) {
    if (old.is_null(i)) continue;
    low = std::min(low, old.int_at(i));
    high = std::max(high, old.int_at(i));
  }
  return offsets(low, high, l.nulls);
}

BufferRef re_encode(const ColumnBuffer& old, uint32_t rows, const Layout& layout, Segment* segment) {
  BufferRef fresh(ColumnBuffer::make(layout.encoding, layout.width, layout.base, layout.nulls, old.dictionary, old.budget, segment));
  if (layout.encoding == old.encoding && layout.width == old.width && layout.base == old.base) {
    if (old.width > 0) std::memcpy(fresh->data, old.data, uint64_t{old.width} * rows);
    if (old.nulls != nullptr) std::memcpy(fresh->nulls, old.nulls, uint64_t{bitmap_words(rows)} * 8);
    return fresh;
  }
  for (uint32_t i = 0; i < rows; ++i) {
    const Datum d = old.at(i);
    if (d.null || layout.width == 0) {
      if (d.null) bit_set(fresh->nulls, i);
    } else {
      fresh->put(i, d);
    }
  }
  return fresh;
}

BufferRef copy_of(const ColumnBuffer& old, uint32_t rows) {
  return re_encode(old, rows, {old.encoding, old.width, old.base, old.nulls != nullptr});
}

}  // namespace hdb
