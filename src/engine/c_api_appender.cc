// The C ABI's appenders.
#include "engine/c_handles.h"
#include "engine/parameters.h"

using namespace hdb;

namespace {

template <class F>
int appended(holodb_appender* appender, F&& f) noexcept {
  if (appender == nullptr) return HOLODB_MISUSE;
  return guarded(*appender->core, [&] {
    f(*appender->appender);
    return HOLODB_OK;
  });
}

// A value that needs no conversion touches the appender's buffer only: no mutex. A closed connection is noticed where a row begins.
template <class F>
bool put_fast(holodb_appender* appender, F&& f) noexcept {
  if (appender == nullptr) return false;
  Appender& a = *appender->appender;
  if (a.begins_row() && appender->core->connection->closed_or_gone()) return false;
  return f(a);
}

// Frees the handle under the connection's mutex, which the core keeps alive.
void free_appender(holodb_appender* appender) {
  const std::shared_ptr<ConnectionCore> core = appender->core;
  const std::lock_guard<std::mutex> hold(core->connection->mutex);
  delete appender;
}

}  // namespace

extern "C" {

int holodb_appender_open(holodb_conn* conn, const char* table, holodb_appender** appender) {
  if (appender != nullptr) *appender = nullptr;
  if (conn == nullptr) return HOLODB_MISUSE;
  ConnectionCore& core = *conn->core;
  return guarded(core, [&] {
    if (table == nullptr || appender == nullptr) return core.error.misuse("the name of the table, or where to put the appender, is NULL");
    auto handle = std::make_unique<holodb_appender>();
    handle->core = conn->core;
    handle->appender = std::make_unique<Appender>(core.connection, table);
    *appender = handle.release();
    return HOLODB_OK;
  });
}

int holodb_append_null(holodb_appender* appender) {
  return appended(appender, [](Appender& a) { a.append_null(); });
}
int holodb_append_bool(holodb_appender* appender, int value) {
  return appended(appender, [&](Appender& a) { a.append_boolean(value != 0); });
}
int holodb_append_int64(holodb_appender* appender, int64_t value) {
  if (put_fast(appender, [&](Appender& a) { return a.try_int64(value); })) return HOLODB_OK;
  return appended(appender, [&](Appender& a) { a.append_int64(value); });
}
int holodb_append_double(holodb_appender* appender, double value) {
  if (put_fast(appender, [&](Appender& a) { return a.try_double(value); })) return HOLODB_OK;
  return appended(appender, [&](Appender& a) { a.append_double(value); });
}
int holodb_append_text(holodb_appender* appender, const char* text, int64_t bytes) {
  if (text != nullptr && bytes >= 0 && put_fast(appender, [&](Appender& a) { return a.try_text({text, static_cast<size_t>(bytes)}); }))
    return HOLODB_OK;
  return appended(appender, [&](Appender& a) {
    if (text == nullptr) return a.append_null();
    a.append_text(bytes < 0 ? std::string_view(text) : std::string_view(text, static_cast<size_t>(bytes)));
  });
}
int holodb_append_decimal_text(holodb_appender* appender, const char* text, int64_t bytes) {
  return appended(appender, [&](Appender& a) {
    if (text == nullptr) return a.append_null();
    a.append_value(decimal_value(bytes < 0 ? std::string_view(text) : std::string_view(text, static_cast<size_t>(bytes))));
  });
}
int holodb_append_units(holodb_appender* appender, int64_t value) {
  if (put_fast(appender, [&](Appender& a) { return a.try_units(value); })) return HOLODB_OK;
  return appended(appender, [&](Appender& a) { a.append_units(value); });
}
int holodb_appender_end_row(holodb_appender* appender) {
  if (put_fast(appender, [](Appender& a) { return a.try_end_row(); })) return HOLODB_OK;
  return appended(appender, [](Appender& a) { a.end_row(); });
}

int holodb_appender_close(holodb_appender* appender) {
  if (appender == nullptr) return HOLODB_MISUSE;
  const int code = appended(appender, [](Appender& a) { a.close(); });
  free_appender(appender);
  return code;
}

int holodb_appender_abort(holodb_appender* appender) {
  if (appender == nullptr) return HOLODB_MISUSE;
  free_appender(appender);
  return HOLODB_OK;
}

}  // extern "C"
