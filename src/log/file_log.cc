#include "log/file_log.h"

#include <algorithm>

#include "base/check.h"
#include "base/error.h"
#include "base/protocol.h"

namespace hdb {

FileLog::FileLog(TransactionManager& manager, std::unique_ptr<File> file, const LogHeader& header, const LogTail& tail)
    : manager_(manager), file_(std::move(file)), header_(header), end_(tail.end), appended_(tail.last), synced_(tail.last), synced_end_(tail.end),
      marked_(tail.marked) {
  protocol::tell({protocol::Event::kFileLog, &manager.registry(), tail.last});
}

FileLog::~FileLog() { close(); }

void FileLog::append(const Transaction& transaction, uint64_t commit) {
  const std::lock_guard<std::mutex> hold_append(append_mutex_);
  GroupStamp stamp{header_.salt, 0};
  {
    const std::lock_guard<std::mutex> hold(mutex_);
    if (!frozen_.empty()) fail(sqlstate::kIo, frozen_);
    protocol::tell({protocol::Event::kGroup, &manager_.registry(), commit});
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
  protocol::tell({protocol::Event::kLogged, &manager_.registry(), commit});
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
    protocol::tell({protocol::Event::kFrozen, &manager_.registry()});
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
    CHECK(commit <= appended_);  // nothing else would ever end the wait
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
    protocol::tell({protocol::Event::kSyncFailed, &manager_.registry()});
    failure = std::string("the log could not be synced: ") + e.what();
  }
  if (!failure.empty()) freeze(failure);
  hold.lock();
  syncing_ = false;
  ++syncs_;
  if (failure.empty() && frozen_.empty()) {
    synced_ = std::max(synced_, target);
    protocol::tell({protocol::Event::kSync, &manager_.registry(), synced_});
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
  protocol::tell({protocol::Event::kLag, &manager_.registry(), mode == Synchronous::kFull});
  manager_.registry().hold_durable(mode == Synchronous::kFull);
  manager_.registry().set_durable(mode == Synchronous::kFull ? std::min(synced_, manager_.registry().newest()) : manager_.registry().newest());
}

void FileLog::close() noexcept {
  try {
    std::unique_lock<std::mutex> hold(mutex_);
    if (!frozen_.empty() || marked_) return;
    if (synced_ < appended_) sync_for_all(hold);
    if (!frozen_.empty()) return;
    encode_mark(appended_, &buffer_, {header_.salt, synced_});
    file_->write(end_, buffer_.data(), buffer_.size());
    marked_ = true;
    end_ += buffer_.size();
    file_->sync();
  } catch (const std::exception&) {
    // Half a mark is a tail like any other.
  }
}

uint64_t FileLog::base() const {
  const std::lock_guard<std::mutex> hold(mutex_);
  return header_.base;
}

void FileLog::sync_up_to(uint64_t commit) {
  std::unique_lock<std::mutex> hold(mutex_);
  while (synced_ < commit && frozen_.empty()) {
    CHECK(commit <= appended_);
    if (syncing_) changed_.wait(hold);
    else sync_for_all(hold);
  }
  if (!frozen_.empty()) fail(sqlstate::kIo, frozen_);
}

void FileLog::copy(File& to, uint64_t from, uint64_t end, uint64_t at) {
  std::string bytes;
  while (from < end) {
    bytes.resize(static_cast<size_t>(std::min<uint64_t>(end - from, kKeepBytes)));
    if (file_->read(from, bytes.data(), bytes.size()) != bytes.size()) fail_io("read", file_->path(), "it is shorter than what was written to it");
    to.write(at, bytes.data(), bytes.size());
    from += bytes.size();
    at += bytes.size();
  }
}

// Where the group of a commit ends; the log's beginning for its base.
uint64_t FileLog::end_of(uint64_t commit, uint64_t end) {
  uint64_t at = kLogHeaderBytes, last = base();
  std::string bytes;
  uint64_t bytes_at = 0;
  GroupHeader header;
  while (last < commit) {
    if (at + kGroupHeaderBytes > end) fail_io("cut", file_->path(), "commit " + std::to_string(commit) + " is not in it");
    if (at < bytes_at || at + kGroupHeaderBytes > bytes_at + bytes.size()) {
      bytes.resize(static_cast<size_t>(std::min<uint64_t>(end - at, kKeepBytes)));
      bytes_at = at;
      bytes.resize(file_->read(at, bytes.data(), bytes.size()));
    }
    if (bytes.size() < at - bytes_at + kGroupHeaderBytes || !read_group_header(bytes.data() + (at - bytes_at), &header) || header.salt != header_.salt)
      fail_io("cut", file_->path(), "at offset " + std::to_string(at) + " it is not what was written to it");
    at += header.bytes;
    last = header.sequence;
  }
  return at;
}

void FileLog::cut(FileSystem& files, uint64_t base) {
  LogHeader header;
  uint64_t end = 0;
  {
    const std::lock_guard<std::mutex> hold(mutex_);
    if (!frozen_.empty()) fail(sqlstate::kIo, frozen_);
    header = header_;
    end = end_;
  }
  const uint64_t from = end_of(base, end);
  ++header.epoch;
  header.base = base;
  const std::string fresh_path = file_->path() + "-new";
  try {
    auto fresh = files.open(fresh_path, OpenMode::kCreate);
    fresh->truncate(0);
    const std::string bytes = encode_log_header(header);
    fresh->write(0, bytes.data(), bytes.size());
    // Most of it while others write on; the rest when they cannot.
    copy(*fresh, from, end, bytes.size());
    const std::lock_guard<std::mutex> hold_append(append_mutex_);
    take_place(files, std::move(fresh), header, from, end);
  } catch (...) {
    bool frozen = false;
    {
      const std::lock_guard<std::mutex> hold(mutex_);
      frozen = !frozen_.empty();
    }
    try {
      if (!frozen) files.remove(fresh_path);
    } catch (const std::exception&) {
      // The next one writes it anew.
    }
    throw;
  }
}

// Under append_mutex_.
void FileLog::take_place(FileSystem& files, std::unique_ptr<File> fresh, const LogHeader& header, uint64_t from, uint64_t copied) {
  std::unique_lock<std::mutex> hold(mutex_);
  while (syncing_) changed_.wait(hold);
  if (!frozen_.empty()) fail(sqlstate::kIo, frozen_);
  syncing_ = true;  // nobody else syncs, or waits for more than this
  hold.unlock();
  const std::string path = file_->path();
  bool renamed = false;
  std::string failure;
  try {
    copy(*fresh, copied, end_, kLogHeaderBytes + copied - from);
    fresh->sync();
    renamed = true;
    files.rename(fresh->path(), path);
    files.sync_directory(path);
    fresh = files.open(path, OpenMode::kReadWrite);  // under its name: the next one goes there, too
  } catch (const std::exception& e) {
    failure = e.what();
  }
  // Which of the two logs is there after a crash cannot be known: nothing more may be written to either.
  if (!failure.empty() && renamed) freeze("the log could not be cut: " + failure);
  hold.lock();
  syncing_ = false;
  if (failure.empty()) {
    file_ = std::move(fresh);
    header_ = header;
    end_ = end_ - from + kLogHeaderBytes;
    synced_ = appended_;
    synced_end_ = end_;
    protocol::tell({protocol::Event::kSync, &manager_.registry(), synced_});
    protocol::tell({protocol::Event::kCut, &manager_.registry(), header.base});
    marked_ = false;
    advance();
  }
  changed_.notify_all();
  if (!failure.empty()) fail(sqlstate::kIo, "the log could not be cut: " + failure);
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
