// The C ABI of include/holodb/holodb.h: handles, databases, connections. Statements: c_api_statement.cc. Appenders: c_api_appender.cc.
#include "engine/c_handles.h"

#include <new>

#include "base/source_id.h"
#include "engine/database_file.h"
#include "io/posix_files.h"

namespace hdb {

namespace {
struct OpenFailure {
  std::string message;
  std::string sqlstate;
};
thread_local OpenFailure open_failure;

int keep_open_failure(const char* sqlstate, std::string message, int code) {
  try {
    open_failure = {std::move(message), sqlstate};
  } catch (...) {
    open_failure = {};
  }
  return code;
}
}  // namespace

int code_of(std::string_view sqlstate) {
  if (sqlstate == sqlstate::kMemory) return HOLODB_NOMEM;
  if (sqlstate == sqlstate::kCanceled) return HOLODB_INTERRUPTED;
  if (sqlstate == sqlstate::kInternal) return HOLODB_INTERNAL;
  if (sqlstate == sqlstate::kConnectionClosed) return HOLODB_MISUSE;
  return HOLODB_ERROR;
}

void LastError::set(const char* code, std::string_view text, int64_t at) noexcept {
  for (size_t i = 0; i < 6; ++i) sqlstate[i] = code[i];
  position = at;
  try {
    message.assign(text);
  } catch (...) {
    message.clear();  // short enough for no allocation, or gone
  }
}

int LastError::keep() noexcept {
  try {
    throw;
  } catch (const Error& e) {
    set(e.sqlstate(), e.message(), e.position());
    return code_of(e.sqlstate());
  } catch (const std::bad_alloc&) {
    set(sqlstate::kMemory, "out of memory", -1);
    return HOLODB_NOMEM;
  } catch (const std::exception& e) {
    set(sqlstate::kInternal, e.what(), -1);
    return HOLODB_INTERNAL;
  } catch (...) {
    set(sqlstate::kInternal, "an unknown failure", -1);
    return HOLODB_INTERNAL;
  }
}

int LastError::misuse(std::string_view text) noexcept {
  set("08003", text, -1);
  return HOLODB_MISUSE;
}

namespace {

std::string version_text(int version) {
  return std::to_string(version / 1'000'000) + "." + std::to_string(version / 1'000 % 1'000) + "." + std::to_string(version % 1'000);
}

}  // namespace

}  // namespace hdb

using namespace hdb;

extern "C" {

int holodb_open(const char* path, uint32_t flags, int version, holodb_db** db) { return holodb_open_restore_point(path, nullptr, flags, version, db); }

int holodb_open_restore_point(const char* path, const char* restore_point, uint32_t flags, int version, holodb_db** db) {
  if (db == nullptr) return HOLODB_MISUSE;
  *db = nullptr;
  try {
    if (version / 1'000 != HOLODB_VERSION / 1'000)
      return keep_open_failure(sqlstate::kFeature, "the program was built against HoloDb " + version_text(version) + ", this library is " +
                               version_text(HOLODB_VERSION), HOLODB_VERSION_MISMATCH);
    if ((flags & ~(HOLODB_OPEN_READONLY | HOLODB_OPEN_SINGLE_THREAD)) != 0)
      return keep_open_failure(sqlstate::kInvalidParameter, "a flag of holodb_open is unknown", HOLODB_MISUSE);
    const std::string_view name = path == nullptr ? std::string_view() : std::string_view(path);
    DatabaseOptions options;
    options.read_only = (flags & HOLODB_OPEN_READONLY) != 0;
    options.single_thread = (flags & HOLODB_OPEN_SINGLE_THREAD) != 0;
    if (restore_point != nullptr) {
      options.restore_point = restore_point;
      if (options.restore_point.empty() || name.empty() || name == ":memory:")
        return keep_open_failure(sqlstate::kInvalidParameter, "a restore point has a name, and belongs to a database file", HOLODB_MISUSE);
    }
    auto handle = std::make_unique<holodb_db>();
    if (name.empty() || name == ":memory:") handle->database = std::make_shared<Database>(options);
    else handle->database = open_database(PosixFiles::instance(), path, options);
    *db = handle.release();
    return HOLODB_OK;
  } catch (...) {
    LastError error;
    const int code = error.keep();
    return keep_open_failure(error.sqlstate, std::move(error.message), code);
  }
}

const char* holodb_open_notice(holodb_db* db) { return db == nullptr ? "" : db->database->recovery().notice.c_str(); }

int holodb_salvage(const char* from, const char* to, const char** report) {
  thread_local std::string text;
  if (report != nullptr) *report = "";
  if (from == nullptr || to == nullptr) return HOLODB_MISUSE;
  try {
    text = salvage_database(PosixFiles::instance(), from, to);
    if (report != nullptr) *report = text.c_str();
    return HOLODB_OK;
  } catch (...) {
    LastError error;
    const int code = error.keep();
    return keep_open_failure(error.sqlstate, std::move(error.message), code);
  }
}

const char* holodb_open_errmsg(void) { return open_failure.message.c_str(); }
const char* holodb_open_sqlstate(void) { return open_failure.sqlstate.c_str(); }

int holodb_close(holodb_db* db) {
  if (db != nullptr) db->database->close();
  delete db;
  return HOLODB_OK;
}

int holodb_connect(holodb_db* db, holodb_conn** conn) {
  if (conn == nullptr) return HOLODB_MISUSE;
  *conn = nullptr;
  if (db == nullptr) return keep_open_failure(sqlstate::kConnectionClosed, "the database handle is NULL", HOLODB_MISUSE);
  try {
    auto handle = std::make_unique<holodb_conn>();
    handle->core = std::make_shared<ConnectionCore>(db->database);
    *conn = handle.release();
    return HOLODB_OK;
  } catch (...) {
    LastError error;
    const int code = error.keep();
    return keep_open_failure(error.sqlstate, std::move(error.message), code);
  }
}

int holodb_disconnect(holodb_conn* conn) {
  if (conn == nullptr) return HOLODB_OK;
  const std::shared_ptr<ConnectionCore> core = conn->core;
  delete conn;
  const std::lock_guard<std::mutex> hold(core->connection->mutex);
  core->connection->close();
  return HOLODB_OK;
}

int holodb_exec(holodb_conn* conn, const char* sql) {
  if (conn == nullptr) return HOLODB_MISUSE;
  ConnectionCore& core = *conn->core;
  return guarded(core, [&] {
    if (sql == nullptr) return core.error.misuse("the text of a statement is NULL");
    core.connection->run_script(sql);
    return HOLODB_OK;
  });
}

int64_t holodb_changes(holodb_conn* conn) {
  if (conn == nullptr) return 0;
  const std::lock_guard<std::mutex> hold(conn->core->connection->mutex);
  return static_cast<int64_t>(conn->core->connection->changes());
}

// These describe the last call, so they leave it described; the caller is the connection's thread.
const char* holodb_errmsg(holodb_conn* conn) { return conn == nullptr ? "the connection handle is NULL" : conn->core->error.message.c_str(); }
const char* holodb_sqlstate(holodb_conn* conn) { return conn == nullptr ? sqlstate::kConnectionClosed : conn->core->error.sqlstate; }
int64_t holodb_errpos(holodb_conn* conn) { return conn == nullptr ? -1 : conn->core->error.position; }

int holodb_in_transaction(holodb_conn* conn) {
  if (conn == nullptr) return 0;
  const std::lock_guard<std::mutex> hold(conn->core->connection->mutex);
  return conn->core->connection->in_transaction() ? 1 : 0;
}

int holodb_interrupt(holodb_conn* conn) {
  if (conn == nullptr) return HOLODB_MISUSE;
  conn->core->connection->interrupt();
  return HOLODB_OK;
}

const char* holodb_version(void) { return "0.1.0"; }
const char* holodb_source_id(void) { return source_id(); }

}  // extern "C"
