#include "txn/journal.h"

#include <algorithm>
#include <cstring>

namespace hdb {

void* JournalArena::allocate(size_t bytes) {
  bytes = (bytes + 7) / 8 * 8;
  if (bytes > room_) {
    const size_t doubled = chunks_.empty() ? kChunkBytesMin : std::min<size_t>(kChunkBytesMax, kChunkBytesMin << std::min<size_t>(chunks_.size(), 12));
    const size_t size = std::max(doubled, bytes);
    if (budget_ != nullptr) budget_->charge(size);
    bytes_ += size;
    chunks_.push_back(std::unique_ptr<char[]>(new char[size]));
    if (chunks_.size() == 1) first_bytes_ = size;
    next_ = chunks_.back().get();
    room_ = size;
  }
  void* p = next_;
  next_ += bytes;
  room_ -= bytes;
  return p;
}

void JournalArena::reset() noexcept {
  if (chunks_.empty()) return;
  chunks_.resize(1);
  if (budget_ != nullptr) budget_->release(bytes_ - first_bytes_);
  bytes_ = first_bytes_;
  next_ = chunks_[0].get();
  room_ = first_bytes_;
}

}  // namespace hdb
