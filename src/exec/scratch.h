// exec/scratch.h: the memory of one worker for vectors that live no longer than a chunk.
//
// What:       a bump allocator whose chunks stay: mark() and rewind() give back what was made since, in O(1).
// Invariants: S1 arrays are aligned to 16 bytes and stay where they are until rewind() or reset() passes them.
//             S2 what it reserves is charged to the budget and released at its end.
// Callers:    exec/. One owner (a worker), not thread-safe.
// Held by:    src/exec/evaluate_test.cc
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "base/budget.h"

namespace hdb {

class Scratch {
 public:
  static constexpr size_t kFirstBytes = 4u << 10;
  static constexpr size_t kChunkBytesMax = 1u << 20;
  struct Mark {
    size_t chunk = 0;
    size_t used = 0;
  };

  explicit Scratch(MemoryBudget* budget = nullptr) : budget_(budget) {}
  ~Scratch() {
    if (budget_ != nullptr) budget_->release(reserved_);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  // Uninitialised. Room for one element even when n is 0, so that data pointers are never null.
  template <class T>
  T* array(size_t n) {
    return static_cast<T*>(allocate((n == 0 ? 1 : n) * sizeof(T)));
  }
  template <class T>
  T* zeroed(size_t n) {
    T* place = array<T>(n);
    std::memset(static_cast<void*>(place), 0, (n == 0 ? 1 : n) * sizeof(T));
    return place;
  }
  std::string_view copy(std::string_view text) {
    if (text.empty()) return std::string_view("", 0);
    char* place = array<char>(text.size());
    std::memcpy(place, text.data(), text.size());
    return {place, text.size()};
  }

  Mark mark() const { return {current_, used_}; }
  void rewind(Mark m) {
    current_ = m.chunk;
    used_ = m.used;
  }
  void reset() { rewind({}); }
  uint64_t reserved() const { return reserved_; }

 private:
  struct Piece {
    std::unique_ptr<char[]> memory;
    size_t bytes;
  };

  void* allocate(size_t bytes) {
    bytes = (bytes + 15) & ~size_t{15};
    if (current_ < pieces_.size() && bytes <= pieces_[current_].bytes - used_) {
      char* place = pieces_[current_].memory.get() + used_;
      used_ += bytes;
      return place;
    }
    return allocate_elsewhere(bytes);
  }

  void* allocate_elsewhere(size_t bytes) {
    size_t next = pieces_.empty() ? 0 : current_ + 1;
    while (next < pieces_.size() && pieces_[next].bytes < bytes) ++next;
    if (next >= pieces_.size()) {
      size_t size = pieces_.empty() ? kFirstBytes : pieces_.back().bytes * 4;
      if (size > kChunkBytesMax) size = kChunkBytesMax;
      if (size < bytes) size = bytes;
      if (budget_ != nullptr) budget_->charge(size);
      reserved_ += size;
      pieces_.push_back({std::unique_ptr<char[]>(new char[size]), size});
      next = pieces_.size() - 1;
    }
    current_ = next;
    used_ = bytes;
    return pieces_[current_].memory.get();
  }

  MemoryBudget* budget_;
  std::vector<Piece> pieces_;
  size_t current_ = 0;
  size_t used_ = 0;
  uint64_t reserved_ = 0;
};

}  // namespace hdb
