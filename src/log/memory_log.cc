#include "log/memory_log.h"

#include <algorithm>

#include "base/error.h"
#include "log/record.h"

namespace hdb {

void NullLog::append(const Transaction& transaction, uint64_t commit) {
  bytes_ = 0;
  encode_group(transaction, commit, &buffer_, {}, [this](std::string* piece) {
    bytes_ += piece->size();
    piece->clear();
  });
  bytes_ += buffer_.size();
  if (buffer_.capacity() > kKeepBytes) std::string().swap(buffer_);
}

void RecordingLog::append(const Transaction& transaction, uint64_t commit) {
  std::string group;
  encode_group(transaction, commit, &group);
  const std::lock_guard<std::mutex> hold(mutex_);
  groups_.push_back(std::move(group));
}

std::vector<std::string> RecordingLog::groups() const {
  const std::lock_guard<std::mutex> hold(mutex_);
  return groups_;
}

void SimulatedLog::append(const Transaction& transaction, uint64_t commit) {
  encode_group(transaction, commit, &buffer_);
  const std::lock_guard<std::mutex> hold(mutex_);
  if (failed_ || fail_append_) {
    fail_append_ = false;
    fail(sqlstate::kIo, "the log could not be written");
  }
  appended_ = commit;
}

void SimulatedLog::wait_durable(uint64_t commit) {
  std::unique_lock<std::mutex> hold(mutex_);
  ++waiting_;
  changed_.wait(hold, [&] { return durable_ >= commit || failed_; });
  --waiting_;
  if (durable_ < commit) fail(sqlstate::kIo, "the log could not be synced: the outcome of this transaction is unknown");
}

void SimulatedLog::release(uint64_t commit) {
  const std::lock_guard<std::mutex> hold(mutex_);
  if (failed_) return;
  // C7: D = min(newest synced group, H).
  durable_ = std::max(durable_, std::min({commit, appended_, manager_.registry().newest()}));
  manager_.registry().set_durable(durable_);
  changed_.notify_all();
}

void SimulatedLog::fail_sync() {
  {
    const std::lock_guard<std::mutex> hold(mutex_);
    failed_ = true;
    changed_.notify_all();
  }
  manager_.poison("the log could not be synced");
}

uint64_t SimulatedLog::appended() const {
  const std::lock_guard<std::mutex> hold(mutex_);
  return appended_;
}

uint32_t SimulatedLog::waiting() const {
  const std::lock_guard<std::mutex> hold(mutex_);
  return waiting_;
}

}  // namespace hdb
