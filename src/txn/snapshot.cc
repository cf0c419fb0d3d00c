#include "txn/snapshot.h"

#include <algorithm>

#include "base/check.h"
#include "base/protocol.h"

namespace hdb {

uint64_t SnapshotRegistry::open() {
  const ExclusiveLatch hold(latch_);
  // C3: D is read under the hold that registers it, so the reclaimer's bound cannot pass between.
  const protocol::Hold step;
  const uint64_t commit = durable_.load(std::memory_order_acquire);
  step.tell({protocol::Event::kOpen, this, commit});
  for (Slot& s : slots_) {
    if (s.commit == commit) {
      ++s.readers;
      return commit;
    }
  }
  slots_.push_back({commit, 1});
  return commit;
}

void SnapshotRegistry::open_at(uint64_t commit) {
  const ExclusiveLatch hold(latch_);
  protocol::tell({protocol::Event::kBegin, this, commit});
  for (Slot& s : slots_) {
    if (s.commit == commit) {
      ++s.readers;
      return;
    }
  }
  slots_.push_back({commit, 1});
}

uint64_t SnapshotRegistry::close(uint64_t commit) noexcept {
  const ExclusiveLatch hold(latch_);
  protocol::tell({protocol::Event::kClose, this, commit});
  for (Slot& s : slots_) {
    if (s.commit != commit) continue;
    if (--s.readers == 0) {
      s = slots_.back();
      slots_.pop_back();
    }
    break;
  }
  return least();
}

uint64_t SnapshotRegistry::bound() const {
  const SharedLatch hold(latch_);
  return least();
}

uint64_t SnapshotRegistry::least() const noexcept {
  uint64_t low = durable_.load(std::memory_order_acquire);
  for (const Slot& s : slots_) low = std::min(low, s.commit);
  return low;
}

uint32_t SnapshotRegistry::distinct() const {
  const SharedLatch hold(latch_);
  return static_cast<uint32_t>(slots_.size());
}

bool SnapshotRegistry::any_in(uint64_t low, uint64_t high) const {
  const SharedLatch hold(latch_);
  return std::any_of(slots_.begin(), slots_.end(), [&](const Slot& s) { return s.commit >= low && s.commit < high; });
}

void SnapshotRegistry::publish(uint64_t commit) noexcept {
  const protocol::Hold step;
  newest_.store(commit, std::memory_order_release);
  // D never passes H: it is moved after it.
  if (!holds_durable_.load(std::memory_order_relaxed)) durable_.store(commit, std::memory_order_release);
  step.tell({protocol::Event::kStoreH, this, commit});
}

void SnapshotRegistry::set_durable(uint64_t commit) noexcept {
  const protocol::Hold step;
  durable_.store(commit, std::memory_order_release);
  step.tell({protocol::Event::kDurable, this, commit});
}

}  // namespace hdb
