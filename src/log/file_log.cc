#include "log/file_log.h"

#include <algorithm>

#include "base/error.h"

namespace hdb {

FileLog::FileLog(TransactionManager& manager, std::unique_ptr<File> file, const LogHeader& header, const LogTail& tail)
    : manager_(manager), file_(std::move(file)), salt_(header.salt), end_(tail.end), appended_(tail.last), synced_(tail.last), synced_end_(tail.end),
      marked_(tail.marked) {}

FileLog::~FileLog() { close(); }

void FileLog::append(const Transaction& transaction, uint64_t commit) {
  GroupStamp stamp{salt_, 0};
  {
    const std::lock_guard<std::mutex> hold(mutex_);
    if (!frozen_.empty()) fail(sqlstate::kIo, frozen_);
    stamp.synced = synced_;
  }
  encode_group(transaction, commit, &buffer_, stamp);
  try {
    file_->write(end_, buffer_.data(), buffer_.size());
  } catch (const std::exception& e) {
    take_back(e.what());
    throw;
  }
  const std::lock_guard<std::mutex> hold(mutex_);
  end_ += buffer_.size();
  appended_ = commit;
  marked_ = false;
  if (buffer_.capacity() > kKeepBytes) std::string().swap(buffer_);
}

// C4: nothing of a failed append may come back after a crash, for its transaction is told that it failed.
void FileLog::take_back(const std::string& why) {
  try {
    file_->truncate(end_);
    file_->sync();
  } catch (const std::exception& e) {
    freeze(std::string("a group could not be written (") + why + ") and not be taken back (" + e.what() + "): its outcome is unknown");
    fail(sqlstate::kIo, why + "; the log could not be put in order (" + e.what() + "): the outcome of this transaction is unknown");
  }
}

void FileLog::freeze(const std::string& why) {
  {
    const std::lock_guard<std::mutex> hold(mutex_);
    if (frozen_.empty()) frozen_ = why;
    changed_.notify_all();
  }
  manager_.poison(why, sqlstate::kIo);
}

// C7: D = min(newest synced group, H). Under the mutex, so that it never goes back.
void FileLog::advance() noexcept {
  const uint64_t durable = std::min(synced_, manager_.registry().newest());
  if (mode_ == Synchronous::kFull && durable > manager_.registry().durable()) manager_.registry().set_durable(durable);
}

void FileLog::wait_durable(uint64_t commit) {
  std::unique_lock<std::mutex> hold(mutex_);
  if (mode_ != Synchronous::kFull) {
    if (mode_ == Synchronous::kNormal && end_ - synced_end_ >= kSyncBytes && !syncing_ && frozen_.empty()) sync_for_all(hold);
    return;
  }
  for (;;) {
    if (synced_ >= commit) return advance();
    if (!frozen_.empty()) fail(sqlstate::kIo, frozen_ + ": the outcome of this transaction is unknown");
    if (syncing_) changed_.wait(hold);
    else sync_for_all(hold);
  }
}

void FileLog::sync_for_all(std::unique_lock<std::mutex>& hold) {
  const uint64_t target = appended_, target_end = end_;
  syncing_ = true;
  hold.unlock();
  std::string failure;
  try {
    file_->sync();
  } catch (const std::exception& e) {
    failure = std::string("the log could not be synced: ") + e.what();
  }
  if (!failure.empty()) freeze(failure);
  hold.lock();
  syncing_ = false;
  ++syncs_;
  if (failure.empty() && frozen_.empty()) {
    synced_ = std::max(synced_, target);
    synced_end_ = std::max(synced_end_, target_end);
    advance();
  }
  changed_.notify_all();
}

Synchronous FileLog::synchronous() const {
  const std::lock_guard<std::mutex> hold(mutex_);
  return mode_;
}

void FileLog::set_synchronous(Synchronous mode) {
  std::unique_lock<std::mutex> hold(mutex_);
  if (mode == mode_) return;
  if (mode == Synchronous::kFull) {
    // D is H now and must not be held back behind it.
    while (synced_ < appended_ && frozen_.empty()) {
      if (syncing_) changed_.wait(hold);
      else sync_for_all(hold);
    }
    if (!frozen_.empty()) fail(sqlstate::kIo, frozen_);
  }
  mode_ = mode;
  manager_.registry().hold_durable(mode == Synchronous::kFull);
  manager_.registry().set_durable(mode == Synchronous::kFull ? std::min(synced_, manager_.registry().newest()) : manager_.registry().newest());
}

void FileLog::close() noexcept {
  try {
    std::unique_lock<std::mutex> hold(mutex_);
    if (!frozen_.empty() || marked_) return;
    if (synced_ < appended_) sync_for_all(hold);
    if (!frozen_.empty()) return;
    encode_mark(appended_, &buffer_, {salt_, synced_});
    file_->write(end_, buffer_.data(), buffer_.size());
    marked_ = true;
    end_ += buffer_.size();
    file_->sync();
  } catch (const std::exception&) {
    // Half a mark is a tail like any other.
  }
}

uint64_t FileLog::bytes() const {
  const std::lock_guard<std::mutex> hold(mutex_);
  return end_;
}

uint64_t FileLog::syncs() const {
  const std::lock_guard<std::mutex> hold(mutex_);
  return syncs_;
}

}  // namespace hdb
