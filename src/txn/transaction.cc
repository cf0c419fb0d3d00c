#include "txn/transaction.h"

#include <algorithm>
#include <chrono>

#include "base/check.h"
#include "base/protocol.h"
#include "store/key_index.h"
#include "txn/undo.h"

namespace hdb {

namespace {

// The sinks of the tables that a commit touched, told once more when older deltas may go.
void reclaim_sinks(const std::vector<std::shared_ptr<Table>>& tables, const SnapshotRegistry& registry) noexcept {
  for (const auto& table : tables) {
    for (const auto& sink : table->sinks) sink->reclaim(registry);
  }
}

}  // namespace

// ---- the manager: the turn, poison, reclaiming

TransactionManager::TransactionManager(MemoryBudget* budget) : budget_(budget) { protocol::tell({protocol::Event::kCreated, &registry_}); }

TransactionManager::~TransactionManager() {
  protocol::tell({protocol::Event::kDestroyed, &registry_});
  while (oldest_ != nullptr) oldest_ = std::move(oldest_->newer);  // not by recursion
}

// ---- records that are used again

// The lists and the arena of a spare are empty already (keep_spare).
void TransactionManager::Record::reset() {
  // The catalog keeps the state of a transaction that changed it.
  if (state.use_count() > 1) {
    state = std::make_shared<TransactionState>();
  } else {
    state->commit.store(kUncommitted, std::memory_order_relaxed);
    state->journal_end.store(0, std::memory_order_relaxed);
  }
}

std::unique_ptr<TransactionManager::Record> TransactionManager::take_record() {
  if (spares_ == nullptr) return std::make_unique<Record>(*this);
  std::unique_ptr<Record> record = std::move(spares_);
  spares_ = std::move(record->newer);
  --spare_count_;
  record->reset();
  return record;
}

void TransactionManager::keep_spare(std::unique_ptr<Record> record) noexcept {
  if (spare_count_ >= kSparesMax || record->items.capacity() > kSpareItemsMax) return;
  // What they point to goes now, not when the record is used again.
  record->items.clear();
  record->touched.clear();
  record->held.clear();
  record->tables.clear();
  record->arena.reset();
  record->newer = std::move(spares_);
  spares_ = std::move(record);
  ++spare_count_;
}

void TransactionManager::set_log(CommitLog* log, bool holds_durable) {
  log_ = log;
  registry_.hold_durable(log != nullptr && holds_durable);
  protocol::tell({protocol::Event::kStart, &registry_, log != nullptr && holds_durable});
}

void TransactionManager::poison(std::string reason, const char* code) {
  const std::lock_guard<std::mutex> hold(poison_mutex_);
  if (poisoned_.load(std::memory_order_relaxed)) return;
  poison_reason_ = std::move(reason);
  poison_code_ = code;
  poisoned_.store(true, std::memory_order_release);
}

void TransactionManager::check_writable() const {
  if (!poisoned()) return;
  const std::lock_guard<std::mutex> hold(poison_mutex_);
  fail(poison_code_, "the database is read-only since an earlier failure: " + poison_reason_);
}

void TransactionManager::take_turn() {
  std::unique_lock<std::mutex> hold(turn_mutex_);
  if (!turn_held_ && turn_waiters_.empty()) {
    turn_held_ = true;
    protocol::tell({protocol::Event::kTurn, &registry_});
    return;
  }
  Waiter me;
  turn_waiters_.push_back(&me);
  const auto timeout = std::chrono::milliseconds(turn_timeout_ms_.load(std::memory_order_relaxed));
  if (turn_free_.wait_for(hold, timeout, [&] { return me.granted; })) {
    protocol::tell({protocol::Event::kTurn, &registry_});
    return;
  }
  turn_waiters_.erase(std::find(turn_waiters_.begin(), turn_waiters_.end(), &me));
  fail(sqlstate::kLockTimeout, "another transaction kept the right to write for longer than " + std::to_string(timeout.count()) + " ms");
}

void TransactionManager::give_turn() noexcept {
  const std::lock_guard<std::mutex> hold(turn_mutex_);
  protocol::tell({protocol::Event::kGive, &registry_});
  if (turn_waiters_.empty()) {
    turn_held_ = false;
    return;
  }
  turn_waiters_.front()->granted = true;
  turn_waiters_.pop_front();
  turn_free_.notify_all();
}

bool TransactionManager::try_take_turn() {
  const std::lock_guard<std::mutex> hold(turn_mutex_);
  if (turn_held_ || !turn_waiters_.empty()) return false;
  turn_held_ = true;
  protocol::tell({protocol::Event::kTurn, &registry_});
  return true;
}

bool TransactionManager::try_reclaim() {
  if (!try_take_turn()) return false;
  reclaim(registry_.bound());
  give_turn();
  return true;
}

void TransactionManager::reclaim(uint64_t bound) noexcept {
  while (oldest_ != nullptr && oldest_->state->commit.load(std::memory_order_relaxed) <= bound) {
    std::unique_ptr<Record> record = std::move(oldest_);
    oldest_ = std::move(record->newer);
    if (oldest_ == nullptr) newest_ = nullptr;
    const uint64_t commit = record->state->commit.load(std::memory_order_relaxed);
    protocol::tell({protocol::Event::kReclaim, &registry_, commit});
    try {
      for (const JournalItem& item : record->items) {
        if (item.entry != nullptr) reclaim_entry(*item.entry, commit);
        else if (item.action->reclaim) item.action->reclaim();
      }
    } catch (const std::exception& e) {
      // Some entries are still in their chains: their memory stays for good, and nothing may be written after this.
      poison(std::string("old versions could not be reclaimed: ") + e.what());
      static_cast<void>(record.release());
      break;
    }
    reclaim_sinks(record->tables, registry_);
    // A reader that pinned a chain's head before it was cut may still walk these entries.
    epochs_.retire(std::move(record));
  }
  epochs_.collect();
}

// ---- a transaction

Transaction::~Transaction() {
  if (!finished_) rollback();
}

void Transaction::open_snapshot() {
  snapshot_.commit = manager_.registry().open();
  registered_ = true;
}

void Transaction::note_read(const std::shared_ptr<Table>& table) {
  if (writing_) return;
  if (std::find(read_set_.begin(), read_set_.end(), table) == read_set_.end()) read_set_.push_back(table);
}

void Transaction::begin_write() {
  if (writing_) return;
  if (read_only_) fail(sqlstate::kReadOnly, "the transaction is read-only");
  manager_.check_writable();
  manager_.take_turn();
  const uint64_t newest = manager_.registry().newest();
  // C7: overtaken reads. What was read at S must still be what H says.
  bool overtaken = registered_ && catalog_change_ != nullptr && catalog_change_->load(std::memory_order_acquire) > snapshot_.commit;
  for (const auto& table : read_set_) overtaken |= table->last_commit.load(std::memory_order_acquire) > snapshot_.commit;
  if (overtaken) {
    manager_.give_turn();
    // Nobody may learn of a commit that is not durable yet, not even by this error.
    if (manager_.log() != nullptr) manager_.log()->wait_durable(newest);
    fail(sqlstate::kSerialization, "another transaction changed what this one had read; try it again");
  }
  try {
    record_ = manager_.take_record();
    manager_.registry().open_at(newest);
  } catch (...) {
    record_.reset();
    manager_.give_turn();
    throw;
  }
  items_ = std::move(record_->items);
  touched_ = std::move(record_->touched);
  held_ = std::move(record_->held);
  if (registered_) manager_.registry().close(snapshot_.commit);
  registered_ = true;
  snapshot_.commit = newest;
  writing_ = true;
}

void Transaction::wait_durable() {
  if (writing_ && manager_.log() != nullptr) manager_.log()->wait_durable(snapshot_.commit);
  if (writing_) protocol::tell({protocol::Event::kAck, &manager_.registry_, snapshot_.commit});
}

UndoEntry* Transaction::new_entry(UndoKind kind, Table& table, Block& block, uint32_t slot, uint32_t count, uint32_t images, uint32_t keys,
                                 uint32_t gone) {
  CHECK(writing_);
  const size_t bytes = sizeof(UndoEntry) + images * sizeof(ColumnImage) + (size_t{keys} + gone) * sizeof(KeyChange);
  char* memory = static_cast<char*>(record_->arena.allocate(bytes));
  // link() must not allocate.
  if (items_.size() == items_.capacity()) items_.reserve(items_.empty() ? 8 : items_.size() * 2);
  auto* e = new (memory) UndoEntry;
  e->transaction = record_->state.get();
  e->table = &table;
  e->block = &block;
  e->kind = kind;
  e->slot = slot;
  e->count = count;
  e->image_count = images;
  e->images = images == 0 ? nullptr : new (memory + sizeof(UndoEntry)) ColumnImage[images]();
  e->key_count = keys;
  e->gone_count = gone;
  if (keys + gone > 0) {
    e->keys_added = new (memory + sizeof(UndoEntry) + images * sizeof(ColumnImage)) KeyChange[size_t{keys} + gone]();
    e->keys_gone = e->keys_added + keys;
  }
  return e;
}

void Transaction::link(UndoEntry* e) noexcept {
  Block& b = *e->block;
  e->position = items_.size();
  e->before = b.last;
  e->next.store(b.undo_head, std::memory_order_relaxed);
  if (b.undo_head != nullptr) b.undo_head->newer = e;
  b.undo_head = e;
  b.last = {record_->state.get(), 0};
  b.keys_returned += e->key_returned ? 1 : 0;
  b.changed();
  protocol::tell({protocol::Event::kWrite, &manager_.registry_, items_.size()});
  items_.push_back({e, nullptr});
  record_->state->journal_end.store(items_.size(), std::memory_order_relaxed);
}

void Transaction::hold_block(Table& table, Block& b) {
  if (held_.size() == held_.capacity()) held_.reserve(held_.empty() ? 8 : held_.size() * 2);
  {
    const ExclusiveLatch hold(b.latch);
    b.held.store(true, std::memory_order_relaxed);
  }
  try {
    for (uint32_t c = 0; c < table.column_count(); ++c) table.pin(b.index(), c);
  } catch (...) {
    b.held.store(false, std::memory_order_release);
    throw;
  }
  held_.push_back(&b);
}

void Transaction::push_action(std::shared_ptr<JournalAction> action) {
  CHECK(writing_);
  items_.push_back({nullptr, std::move(action)});
  protocol::tell({protocol::Event::kWrite, &manager_.registry_, items_.size() - 1});
  record_->state->journal_end.store(items_.size(), std::memory_order_relaxed);
}

void Transaction::touch(Table& table) {
  if (!touched_.empty() && touched_.back() == &table) return;
  if (std::find(touched_.begin(), touched_.end(), &table) == touched_.end()) touched_.push_back(&table);
}

void Transaction::keep(const std::shared_ptr<Table>& table) {
  auto& kept = record_->tables;
  if (!kept.empty() && kept.back() == table) return;
  if (std::find(kept.begin(), kept.end(), table) == kept.end()) kept.push_back(table);
}

void Transaction::reserve_visible() {
  if (!manager_.spare_visible_) manager_.spare_visible_ = VisibleRef(new VisibleBitmap);
}
VisibleRef& Transaction::spare_visible() { return manager_.spare_visible_; }

void Transaction::end_statement() {
  if (!checks_.empty()) check_statement(checks_);
  checks_.clear();
}

void Transaction::undo_to(uint64_t position) noexcept {
  checks_.clear();
  if (writing_) protocol::tell({protocol::Event::kUndo, &manager_.registry_, position});
  try {
    while (items_.size() > position) {
      const JournalItem item = std::move(items_.back());
      items_.pop_back();
      protocol::tell({protocol::Event::kUndone, &manager_.registry_, items_.size()});
      record_->state->journal_end.store(items_.size(), std::memory_order_relaxed);
      if (item.entry != nullptr) undo_entry(*item.entry);
      else item.action->undo();
    }
    if (writing_) protocol::tell({protocol::Event::kUndoEnd, &manager_.registry_});
  } catch (const std::exception& e) {
    // Half undone: nothing may build on this state.
    manager_.poison(std::string("a change could not be undone: ") + e.what());
  }
}

void Transaction::savepoint(std::string name) {
  savepoints_.push_back({std::move(name), items_.size()});
  if (writing_) protocol::tell({protocol::Event::kSavepoint, &manager_.registry_, savepoints_.back().position});
}

void Transaction::release_savepoint(std::string_view name, int64_t text_position) {
  for (size_t i = savepoints_.size(); i-- > 0;) {
    if (savepoints_[i].name != name) continue;
    savepoints_.resize(i);  // those set after it go with it
    return;
  }
  fail(sqlstate::kSavepoint, "there is no savepoint " + std::string(name), text_position);
}

void Transaction::rollback_to_savepoint(std::string_view name, int64_t text_position) {
  for (size_t i = savepoints_.size(); i-- > 0;) {
    if (savepoints_[i].name != name) continue;
    savepoints_.resize(i + 1);
    if (writing_) protocol::tell({protocol::Event::kRollbackTo, &manager_.registry_, savepoints_[i].position});
    undo_to(savepoints_[i].position);
    return;
  }
  fail(sqlstate::kSavepoint, "there is no savepoint " + std::string(name), text_position);
}

void Transaction::commit() {
  CHECK(!finished_);
  if (!writing_ || items_.empty()) {
    finish(false);
    return;
  }
  SnapshotRegistry& registry = manager_.registry();
  const uint64_t commit = registry.newest() + 1;
  try {
    manager_.check_writable();
    protocol::tell({protocol::Event::kPrepare, &registry});
    for (Table* table : touched_) {
      for (const auto& sink : table->sinks) {
        sink->prepare();
        protocol::tell({protocol::Event::kPlanePrepared, &registry, 0, 0, 0, sink.get()});
      }
    }
    protocol::tell({protocol::Event::kAppend, &registry, commit});
    if (manager_.log_ != nullptr) manager_.log_->append(*this, commit);
  } catch (...) {
    rollback();
    throw;
  }
  // From here on nothing may fail. P1: planes, then the commit number, then H.
  for (Table* table : touched_) {
    for (const auto& sink : table->sinks) {
      sink->publish(commit);
      protocol::tell({protocol::Event::kPlane, &registry, commit, 0, 0, sink.get()});
      if (manager_.publish_hook_) manager_.publish_hook_();
    }
  }
  for (const JournalItem& item : items_) {
    if (item.entry == nullptr && item.action->publish) item.action->publish(commit);
  }
  record_->state->commit.store(commit, std::memory_order_release);
  protocol::tell({protocol::Event::kNumber, &registry, commit});
  for (Table* table : touched_) table->last_commit.store(commit, std::memory_order_release);
  registry.publish(commit);
  finish(true);
  if (manager_.log_ != nullptr) manager_.log_->wait_durable(commit);
  protocol::tell({protocol::Event::kAck, &registry, commit});
}

void Transaction::rollback() noexcept {
  if (finished_) return;
  if (writing_) {
    undo_to(0);
    for (Table* table : touched_) {
      for (const auto& sink : table->sinks) sink->discard();
    }
  }
  finish(false);
}

void Transaction::finish(bool committed) noexcept {
  savepoints_.clear();
  checks_.clear();
  read_set_.clear();
  const uint64_t bound = registered_ ? manager_.registry().close(snapshot_.commit) : 0;
  registered_ = false;
  if (writing_) {
    protocol::tell({protocol::Event::kEnd, &manager_.registry_});
    for (Block* block : held_) block->held.store(false, std::memory_order_release);
    held_.clear();
    record_->held = std::move(held_);
    touched_.clear();
    record_->items = std::move(items_);
    record_->touched = std::move(touched_);
    if (committed) {
      TransactionManager::Record* raw = record_.get();
      (manager_.newest_ == nullptr ? manager_.oldest_ : manager_.newest_->newer) = std::move(record_);
      manager_.newest_ = raw;
      manager_.reclaim(bound);
      // Still needed by a snapshot: its deltas may merge with older ones all the same (C5).
      if (manager_.newest_ == raw) reclaim_sinks(raw->tables, manager_.registry());
    } else {
      // Undone entries: a reader may still be walking them (C3).
      manager_.epochs_.retire(std::move(record_));
      manager_.reclaim(bound);
    }
    writing_ = false;
    manager_.give_turn();
  }
  finished_ = true;
}

}  // namespace hdb
