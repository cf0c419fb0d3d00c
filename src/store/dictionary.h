// store/dictionary.h: the distinct texts of a column, and the heap for texts past the dictionary's limit.
//
// What:       every stored text is a TextEntry with a stable address for the life of its column. Up to kDictionaryValuesMax distinct
//             values have a code; further ones are heap entries (code kNoCode), which are not shared.
// Invariants: C9 entries never move and codes are never reused; a reader loads size() after pinning a block and may use any
//                code below it without a latch.
// Callers:    store/, txn/ (writer: intern), plane/, exec/ (readers: text, find, size). One writer at a time; readers at any time.
// Held by:    src/store/store_test.cc
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/latch.h"
#include "base/limits.h"

namespace hdb {

class MemoryBudget;

struct TextEntry {
  static constexpr uint32_t kNoCode = 0xFFFFFFFFu;
  uint32_t code;    // kNoCode: in the heap
  uint32_t bytes;
  char data[1];     // `bytes` of them
  std::string_view view() const { return {data, bytes}; }
};

class Dictionary {
 public:
  explicit Dictionary(MemoryBudget* budget);
  ~Dictionary();
  Dictionary(const Dictionary&) = delete;
  Dictionary& operator=(const Dictionary&) = delete;

  uint32_t size() const { return size_.load(std::memory_order_acquire); }  // codes in use: 0 .. size()-1
  const TextEntry* entry(uint32_t code) const {
    return chunks_[code >> kChunkShift].load(std::memory_order_acquire)[code & (kChunkEntries - 1)];
  }
  std::string_view text(uint32_t code) const { return entry(code)->view(); }
  // The code of a text, or TextEntry::kNoCode. Takes the dictionary's latch shared.
  uint32_t find(std::string_view text) const;
  // True once some text did not get a code: blocks may then hold heap entries.
  bool overflowed() const { return overflowed_.load(std::memory_order_acquire); }

  // Writer only: the entry of this text; a new code while there is room, else a heap entry (never shared). Throws 53200.
  const TextEntry* intern(std::string_view text);
  // Writer only: of a dictionary that is read back, whose blocks may hold heap entries.
  void set_overflowed() { overflowed_.store(true, std::memory_order_release); }
  uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  static constexpr uint32_t kChunkShift = 10;
  static constexpr uint32_t kChunkEntries = 1u << kChunkShift;
  struct Impl;

  const TextEntry* allocate(std::string_view text, uint32_t code);

  std::atomic<uint32_t> size_{0};
  std::atomic<bool> overflowed_{false};
  std::atomic<uint64_t> bytes_{0};
  std::atomic<const TextEntry**> chunks_[kDictionaryValuesMax / kChunkEntries] = {};
  mutable Latch latch_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hdb
