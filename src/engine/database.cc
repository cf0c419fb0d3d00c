#include "engine/database.h"

#include "engine/checkpoint.h"
#include "log/file_log.h"
#include "log/memory_log.h"

namespace hdb {

Database::Database(const DatabaseOptions& options) : Database(options, Recovering{}) {
  start(options.log ? options.log(manager_) : nullptr, options.holds_durable);
}

Database::Database(const DatabaseOptions& options, Recovering)
    : read_only_wanted_(options.read_only), read_only_(false), threads_default_(options.single_thread ? 1 : std::max(1u, std::min(Pool::hardware_threads(), kThreadsMax))),
      pool_(options.single_thread ? 1 : kThreadsMax) {
  log_ = std::make_unique<NullLog>();  // of a recovery: it is not told to the transactions
}

Database::~Database() {
  if (checkpointer_ != nullptr && file_log_ != nullptr) checkpointer_->close();
}

void Database::start(std::unique_ptr<CommitLog> log, bool holds_durable) {
  // A group that nobody reads is not made (decision 5), except where everything is checked.
#ifdef HOLODB_VERIFY
  const bool told = true;
#else
  const bool told = log != nullptr;
#endif
  if (log != nullptr) log_ = std::move(log);
  file_log_ = dynamic_cast<FileLog*>(log_.get());
  manager_.set_log(told ? log_.get() : nullptr, holds_durable);
  read_only_ = read_only_wanted_;
}

void Database::keep_file(std::unique_ptr<File> file, Recovery recovery, std::unique_ptr<Checkpointer> checkpointer) {
  file_ = std::move(file);
  recovery_ = std::move(recovery);
  checkpointer_ = std::move(checkpointer);
}

void Database::keep_columns(uint64_t limit) {
  columns_ = std::make_shared<ColumnCache>(&budget_);
  columns_->set_limit(limit);
}

void Database::after_commit() noexcept {
  if (checkpointer_ != nullptr && file_log_ != nullptr) checkpointer_->run_if_due();
}

}  // namespace hdb
