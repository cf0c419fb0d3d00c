#include "txn/journal.h"

#include <algorithm>
#include <cstring>

namespace hdb {

void* JournalArena::allocate(size_t bytes) {
  bytes = (bytes + 7) / 8 * 8;
  if (bytes > room_) {
    const size_t size = std::max(std::clamp<size_t>(last_bytes_ * 2, kChunkBytesMin, kChunkBytesMax), bytes);
    if (budget_ != nullptr) budget_->charge(size);
    bytes_ += size;
    chunks_.push_back(std::unique_ptr<char[]>(new char[size]));
    last_bytes_ = size;
    if (chunks_.size() == 1 || size <= kKeptBytesMax) {
      kept_bytes_ = size;
      kept_at_ = chunks_.size() - 1;
    }
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
  if (chunks_.size() == 1) {
    next_ = chunks_[0].get();
    room_ = kept_bytes_;
    return;
  }
  std::swap(chunks_[0], chunks_[kept_at_]);
  kept_at_ = 0;
  chunks_.resize(1);
  if (budget_ != nullptr) budget_->release(bytes_ - kept_bytes_);
  bytes_ = last_bytes_ = room_ = kept_bytes_;
  next_ = chunks_[0].get();
}

}  // namespace hdb
