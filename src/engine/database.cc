#include "engine/database.h"

#include "log/memory_log.h"

namespace hdb {

Database::Database(const DatabaseOptions& options)
    : read_only_(options.read_only), threads_default_(options.single_thread ? 1 : std::max(1u, std::min(Pool::hardware_threads(), kThreadsMax))),
      pool_(options.single_thread ? 1 : kThreadsMax) {
  log_ = options.log ? options.log(manager_) : std::make_unique<NullLog>();
  manager_.set_log(log_.get(), options.holds_durable);
}

Database::~Database() = default;

}  // namespace hdb
