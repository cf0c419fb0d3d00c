// engine/append_buffer.h: a block of rows on its way into a table: what an appender fills and then hands over.
//
// What:       raw values column by column, NULL bitmaps where there are NULLs, and texts that wait to be interned. TextCache recognises a text that
//             came before, so that a text of a few values costs a comparison; it belongs to whoever fills.
// Invariants: F1 a raw value of a TEXT column is a TextEntry's address, or odd: twice the index of a waiting text, plus 1; resolve() leaves none.
//             F2 between hand-over and return the one who fills does not touch the buffer.
// Callers:    engine/appender. Not thread-safe.
// Held by:    src/engine/appender_test.cc
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "store/column_run.h"
#include "store/table.h"

namespace hdb {

// Texts of one column that wait for the holder of the turn.
struct WaitingTexts {
  std::string bytes;  // behind each other
  std::vector<uint32_t> lengths;
  std::vector<uint32_t> cache_slots;        // where the cache keeps each
  std::vector<const TextEntry*> entries;    // after resolve()
  void clear() {
    bytes.clear();
    lengths.clear();
    cache_slots.clear();
    entries.clear();
  }
};

class TextCache {
 public:
  static constexpr uint32_t kSlots = 1024;
  // The outer bytes of a text: with the length they are the whole of it up to 16 bytes.
  struct Probe {
    uint64_t head = 0, tail = 0;
    uint32_t bytes = 0, slot = 0;
  };
  struct Slot {
    uint64_t head = 0, tail = 0;
    uint64_t raw = 0;        // F1; 0: empty
    uint32_t bytes = 0;
    uint32_t generation = 0; // of the buffer in which it waits
  };

  static Probe probe(std::string_view t) {
    Probe p;
    p.bytes = static_cast<uint32_t>(t.size());
    const char* at = t.data();
    if (t.size() >= 8) {
      std::memcpy(&p.head, at, 8);
      std::memcpy(&p.tail, at + t.size() - 8, 8);
    } else if (t.size() >= 4) {
      uint32_t a, b;
      std::memcpy(&a, at, 4);
      std::memcpy(&b, at + t.size() - 4, 4);
      p.head = a;
      p.tail = b;
    } else {
      for (const char c : t) p.head = p.head << 8 | static_cast<uint8_t>(c);
    }
    const uint64_t h = (p.head ^ (p.tail << 17 | p.tail >> 47) ^ p.bytes) * 0x9E3779B97F4A7C15u;
    p.slot = static_cast<uint32_t>(h >> 54);
    return p;
  }
  // The raw value of a text that came before (in this generation, or resolved since), or 0.
  uint64_t find(const Probe& p, std::string_view t, uint32_t generation) const {
    if (slots_ == nullptr) return 0;
    const Slot& s = slots_[p.slot];
    if (s.head != p.head || s.tail != p.tail || s.bytes != p.bytes || s.raw == 0) return 0;
    if ((s.raw & 1) != 0) return s.generation == generation && t.size() <= 16 ? s.raw : 0;
    if (t.size() > 16 && reinterpret_cast<const TextEntry*>(s.raw)->view() != t) return 0;
    return s.raw;
  }
  void put(const Probe& p, uint64_t raw, uint32_t generation) {
    if (slots_ == nullptr) slots_.reset(new Slot[kSlots]);
    slots_[p.slot] = {p.head, p.tail, raw, p.bytes, generation};
  }
  // The buffer of a generation has been resolved: its texts are known by address from now on. Heap texts are not shared (store/dictionary.h).
  void learn(const WaitingTexts& texts, uint32_t generation) {
    for (size_t i = 0; i < texts.entries.size(); ++i) {
      Slot& s = slots_[texts.cache_slots[i]];
      if (s.generation != generation || s.raw != (i << 1 | 1)) continue;
      s.raw = texts.entries[i]->code == TextEntry::kNoCode ? 0 : reinterpret_cast<uint64_t>(texts.entries[i]);
    }
  }

 private:
  std::unique_ptr<Slot[]> slots_;
};
static_assert(TextCache::kSlots == 1u << 10);  // probe() takes the upper 10 bits

struct AppendBuffer {
  struct Column {
    uint64_t* raw = nullptr;
    std::unique_ptr<uint64_t[]> nulls;  // made at the first NULL
    bool any_null = false;
    WaitingTexts texts;
  };

  explicit AppendBuffer(size_t column_count)
      : memory(new uint64_t[column_count * kBlockRows]), columns(column_count), runs(column_count) {
    for (size_t c = 0; c < column_count; ++c) columns[c].raw = memory.get() + c * kBlockRows;
  }
  void set_null(size_t column) {
    Column& c = columns[column];
    if (c.nulls == nullptr) c.nulls.reset(new uint64_t[kBlockWords]());
    c.any_null = true;
    bit_set(c.nulls.get(), rows);
  }
  // Turn held: brings the waiting texts into the table and makes runs of the columns.
  void resolve(Table& table) {
    for (uint32_t c = 0; c < columns.size(); ++c) {
      Column& column = columns[c];
      WaitingTexts& waiting = column.texts;
      const char* at = waiting.bytes.data();
      waiting.entries.reserve(waiting.lengths.size());
      for (const uint32_t n : waiting.lengths) {
        waiting.entries.push_back(table.intern(c, std::string_view(at, n)).text());
        at += n;
      }
      if (!waiting.entries.empty()) {
        for (uint32_t r = 0; r < rows; ++r) {
          if ((column.raw[r] & 1) != 0) column.raw[r] = reinterpret_cast<uint64_t>(waiting.entries[column.raw[r] >> 1]);
        }
      }
      runs[c] = {column.raw, column.any_null ? column.nulls.get() : nullptr};
    }
  }
  void clear() {
    for (Column& c : columns) {
      if (c.any_null) std::memset(c.nulls.get(), 0, kBlockWords * 8);
      c.any_null = false;
      c.texts.clear();
    }
    rows = 0;
  }

  std::unique_ptr<uint64_t[]> memory;  // not filled before it is used
  std::vector<Column> columns;
  std::vector<ColumnRun> runs;         // after resolve()
  uint32_t rows = 0;
  uint32_t generation = 1;
  uint64_t first_row = 0;              // number of its first row in the load, from 0
};

}  // namespace hdb
