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
    chunks_.push_back(std::make_unique<char[]>(size));  // zeroed
    next_ = chunks_.back().get();
    room_ = size;
  }
  void* p = next_;
  next_ += bytes;
  room_ -= bytes;
  return p;
}

}  // namespace hdb
