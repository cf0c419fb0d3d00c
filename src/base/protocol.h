// base/protocol.h: the steps of the protocol of transactions, told by the engine to whoever checks them.
//
// What:       a step is told under one hold of the observer's mutex with what it tells of, so the observer sees steps in the order in which they took
//             place. Compiled in where everything is checked (HOLODB_PROTOCOL: debug and sanitizer builds); elsewhere nothing of it is left.
// Terms:      each step is a rule of spec/models/events.m, which says when it is enabled.
// Callers:    txn/, log/, plane/, engine/ tell; properties/ observes. The mutex is the last that is taken: an observer calls nothing of the engine.
// Held by:    properties/protocol_laws.cc, spec/models/run_events
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

namespace hdb::protocol {

enum class Event : uint8_t {
  kCreated, kDestroyed,                                    // a transaction manager
  kReplay, kFileLog, kStart, kPages,                       // opening: n; newest; lag; root, base
  kOpen, kClose, kTurn, kGive, kBegin,                     // S; S; -; -; H
  kWrite, kSavepoint, kRollbackTo, kUndo, kUndone, kUndoEnd,  // positions
  kPrepare, kPlanePrepared, kAppend, kGroup, kLogged,      // -; plane; C; C; C
  kPart, kPlane, kNumber, kStoreH, kEnd,                   // C, cells added, attached, plane; C, plane; C; C; -
  kSync, kSyncFailed, kFrozen, kDurable, kAck, kLag,       // n; -; -; D; C; on
  kReclaim, kDrop, kMerge, kPlaneGone,                     // C; C, plane; older, newer, plane; plane
  kRoot, kCut, kRestoreRoot,                               // C; base; C
};

struct Step {
  Event event;
  const void* of;      // the database's SnapshotRegistry; null: of whoever has the plane
  uint64_t a = 0, b = 0, c = 0;
  const void* plane = nullptr;
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void take(const Step& step) noexcept = 0;        // mutex is held
  std::mutex mutex;
};

#ifdef HOLODB_PROTOCOL
inline constexpr bool kTold = true;
inline std::atomic<Observer*> observer{nullptr};           // changed while no database is open

// While this lives nobody else takes a step.
class Hold {
 public:
  Hold() : observer_(observer.load(std::memory_order_acquire)) { if (observer_ != nullptr) observer_->mutex.lock(); }
  ~Hold() { if (observer_ != nullptr) observer_->mutex.unlock(); }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  void tell(const Step& step) const noexcept { if (observer_ != nullptr) observer_->take(step); }

 private:
  Observer* const observer_;
};
#else
inline constexpr bool kTold = false;
class Hold {
 public:
  void tell(const Step&) const noexcept {}
};
#endif

inline void tell(const Step& step) noexcept {
  const Hold hold;
  hold.tell(step);
}

}  // namespace hdb::protocol
