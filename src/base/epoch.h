// base/epoch.h: memory that readers may still be walking is freed only when they have left.
//
// What:       epoch-based reclamation (Fraser 2004). Readers hold a guard while they follow pointers; the writer retires what it has
//             unlinked; collect() frees what no guard that is still held can have seen.
// Invariants: C3 what was retired while a guard was held is not freed before that guard is gone.
// Cost:       one compare-exchange and one store a guard. At most kSlots guards at a time; a further reader waits for a free slot.
// Callers:    txn/. enter and leave are thread-safe; retire and collect belong to the holder of the writer's turn.
// Held by:    src/base/base_test.cc
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace hdb {

// Whatever is retired carries its own place in the list, so that retiring allocates nothing and cannot fail.
class Retirable {
 public:
  virtual ~Retirable() = default;
  // No guard can have seen it any more: called by collect(), which owns it no longer. An object that is used again keeps itself here.
  virtual void release() noexcept { delete this; }

 private:
  friend class EpochManager;
  std::unique_ptr<Retirable> next_retired_;
  uint64_t retired_epoch_ = 0;
};

class EpochManager {
 public:
  static constexpr uint32_t kSlots = 256;

  class Guard {
   public:
    explicit Guard(EpochManager& manager) : manager_(&manager), slot_(manager.enter()) {}
    ~Guard() { manager_->leave(slot_); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    EpochManager* manager_;
    uint32_t slot_;
  };

  ~EpochManager();
  // Destroyed once no guard that is held now is held any more.
  void retire(std::unique_ptr<Retirable> object) noexcept;
  void collect() noexcept;
  uint64_t waiting() const { return waiting_; }

 private:
  friend class Guard;
  uint32_t enter();
  void leave(uint32_t slot) noexcept;

  struct alignas(64) Slot {
    std::atomic<uint64_t> epoch{0};  // 0: free
  };
  std::atomic<uint64_t> epoch_{1};
  Slot slots_[kSlots];
  std::atomic<uint32_t> used_{0};  // slots [0, used_) have been taken at some time
  std::unique_ptr<Retirable> oldest_;
  Retirable* newest_ = nullptr;
  uint64_t waiting_ = 0;
};

}  // namespace hdb
