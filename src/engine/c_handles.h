// engine/c_handles.h: what the opaque handles of the C ABI hold, and the one place where exceptions become codes.
//
// What:       a statement and an appender share their connection with its handle, so that they may outlive it; guarded() runs the body of a call
//             under the connection's mutex and keeps its error for holodb_errmsg and its kin.
// Invariants: H1 no exception crosses the ABI. H2 calls on one connection that overlap wait for each other, except those that only set a
//             parameter or read a row of a statement, or give an appender a value: these belong to one thread. H3 a call on a statement or appender
//             whose connection was closed answers HOLODB_MISUSE with 08003.
// Callers:    engine/c_api*.cc.
// Held by:    src/engine/c_api_test.cc
#pragma once

#include <holodb/holodb.h>

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "engine/appender.h"
#include "engine/connection.h"

namespace hdb {

int code_of(std::string_view sqlstate);

struct LastError {
  char sqlstate[6] = "00000";
  std::string message;
  int64_t position = -1;

  void clear() noexcept {
    if (sqlstate[0] == '0' && position == -1 && message.empty()) return;
    set("00000", {}, -1);
  }
  void set(const char* code, std::string_view text, int64_t at) noexcept;
  int keep() noexcept;                              // of the exception that is being handled
  int misuse(std::string_view text) noexcept;       // 08003, HOLODB_MISUSE
};

struct ConnectionCore {
  explicit ConnectionCore(std::shared_ptr<Database> database) : connection(std::make_shared<Connection>(std::move(database))) {}
  std::shared_ptr<Connection> connection;
  LastError error;
};

// For calls that touch nothing but their own statement: without the mutex (H2).
template <class F>
int guarded_by_owner(ConnectionCore& core, F&& body) noexcept {
  core.error.clear();
  try {
    core.connection->check_open();
    return body();
  } catch (...) {
    return core.error.keep();
  }
}

template <class F>
int guarded(ConnectionCore& core, F&& body) noexcept {
  const std::lock_guard<std::mutex> hold(core.connection->mutex);
  return guarded_by_owner(core, std::forward<F>(body));
}

}  // namespace hdb

struct holodb_db {
  std::shared_ptr<hdb::Database> database;
};
struct holodb_conn {
  std::shared_ptr<hdb::ConnectionCore> core;
};
struct holodb_stmt {
  std::shared_ptr<hdb::ConnectionCore> core;
  std::unique_ptr<hdb::Statement> statement;
  std::vector<std::string> texts;  // of holodb_column_text, one a column: all of a row stay until the next step
};
struct holodb_appender {
  std::shared_ptr<hdb::ConnectionCore> core;
  std::unique_ptr<hdb::Appender> appender;
};
