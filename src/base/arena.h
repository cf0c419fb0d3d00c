// base/arena.h: a bump allocator for trees that die all at once.
//
// What:       memory in growing chunks; allocate() moves a pointer, the destructor frees the chunks, nothing else does.
// Invariants: A1 only trivially destructible types are made here, since no destructor is ever run.
//             A2 what was made stays where it is until reset() or the arena's end.
//             A3 bytes_reserved() <= bytes_max(); a request past it is Error 53200.
// Cost:       a few instructions a node; chunks double from 2 KiB to 256 KiB. The first chunk survives reset().
// Callers:    sql/ (syntax trees), plan/ (bound trees). One owner, not thread-safe.
// Held by:    src/base/arena_test.cc
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"

namespace hdb {

// A view of an array in an arena. It copies as two words and owns nothing.
template <class T>
struct List {
  const T* items = nullptr;
  uint32_t count = 0;

  const T* begin() const { return items; }
  const T* end() const { return items + count; }
  uint32_t size() const { return count; }
  bool empty() const { return count == 0; }
  const T& operator[](size_t i) const { return items[i]; }
  const T& front() const { return items[0]; }
  const T& back() const { return items[count - 1]; }
};

class Arena {
 public:
  static constexpr size_t kFirstChunkBytes = 2u << 10;
  static constexpr size_t kChunkBytesMax = 256u << 10;

  explicit Arena(size_t bytes_max = SIZE_MAX) : bytes_max_(bytes_max) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  Arena(Arena&&) = default;
  Arena& operator=(Arena&&) = default;

  void* allocate(size_t bytes, size_t align) {
    const uintptr_t at = (reinterpret_cast<uintptr_t>(next_) + align - 1) & ~(uintptr_t{align} - 1);
    if (next_ != nullptr && at <= reinterpret_cast<uintptr_t>(end_) && bytes <= reinterpret_cast<uintptr_t>(end_) - at) {
      char* place = next_ + (at - reinterpret_cast<uintptr_t>(next_));
      next_ = place + bytes;
      return place;
    }
    return allocate_in_new_chunk(bytes, align);
  }

  template <class T, class... Args>
  T* make(Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T>, "A1");
    return new (allocate(sizeof(T), alignof(T))) T(std::forward<Args>(args)...);
  }

  template <class T>
  List<T> copy(const T* items, size_t count) {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>, "A1");
    if (count == 0) return {};
    void* place = allocate(sizeof(T) * count, alignof(T));
    std::memcpy(place, items, sizeof(T) * count);
    return {static_cast<const T*>(place), static_cast<uint32_t>(count)};
  }
  template <class T>
  List<T> copy(const std::vector<T>& items) {
    return copy(items.data(), items.size());
  }

  std::string_view copy_text(std::string_view text) {
    if (text.empty()) return {};
    char* place = static_cast<char*>(allocate(text.size(), 1));
    std::memcpy(place, text.data(), text.size());
    return {place, text.size()};
  }

  // Uninitialised text of `bytes` bytes for the caller to fill.
  char* text_buffer(size_t bytes) { return static_cast<char*>(allocate(bytes, 1)); }

  size_t bytes_reserved() const { return bytes_reserved_; }  // what a memory budget should count
  size_t bytes_max() const { return bytes_max_; }

  // Everything made here is gone; the first chunk stays for the next tree.
  void reset() {
    if (chunks_.empty()) return;
    chunks_.resize(1);
    bytes_reserved_ = chunks_[0].bytes;
    next_ = chunks_[0].memory.get();
    end_ = next_ + chunks_[0].bytes;
  }

 private:
  struct Chunk {
    std::unique_ptr<char[]> memory;
    size_t bytes;
  };

  void* allocate_in_new_chunk(size_t bytes, size_t align) {
    size_t chunk_bytes = chunks_.empty() ? kFirstChunkBytes : chunks_.back().bytes * 2;
    if (chunk_bytes > kChunkBytesMax) chunk_bytes = kChunkBytesMax;
    if (bytes > SIZE_MAX - align) fail(sqlstate::kMemory, "out of memory: the statement needs more than can be addressed");
    if (chunk_bytes > bytes_max_ - bytes_reserved_) chunk_bytes = bytes_max_ - bytes_reserved_;  // the last, smaller one
    if (chunk_bytes < bytes + align) chunk_bytes = bytes + align;
    if (chunk_bytes > bytes_max_ - bytes_reserved_) fail(sqlstate::kMemory, "out of memory: the statement's tree does not fit the memory limit");
    chunks_.push_back({std::unique_ptr<char[]>(new char[chunk_bytes]), chunk_bytes});
    bytes_reserved_ += chunk_bytes;
    next_ = chunks_.back().memory.get();
    end_ = next_ + chunk_bytes;
    return allocate(bytes, align);
  }

  std::vector<Chunk> chunks_;
  char* next_ = nullptr;
  char* end_ = nullptr;
  size_t bytes_reserved_ = 0;
  size_t bytes_max_;
};

}  // namespace hdb
