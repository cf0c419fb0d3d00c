// abi.cc: the functions of holodb.h, each handed to the library that was loaded. What is written against the C ABI is compiled as it is and
// judges that library; nothing of the engine is linked.
#include "library.h"

namespace {

// In the order of holodb.h.
struct Functions {
  decltype(&::holodb_open) open;
  decltype(&::holodb_open_restore_point) open_restore_point;
  decltype(&::holodb_open_notice) open_notice;
  decltype(&::holodb_salvage) salvage;
  decltype(&::holodb_open_errmsg) open_errmsg;
  decltype(&::holodb_open_sqlstate) open_sqlstate;
  decltype(&::holodb_close) close;
  decltype(&::holodb_connect) connect;
  decltype(&::holodb_disconnect) disconnect;
  decltype(&::holodb_exec) exec;
  decltype(&::holodb_prepare) prepare;
  decltype(&::holodb_parameter_count) parameter_count;
  decltype(&::holodb_bind_null) bind_null;
  decltype(&::holodb_bind_bool) bind_bool;
  decltype(&::holodb_bind_int64) bind_int64;
  decltype(&::holodb_bind_double) bind_double;
  decltype(&::holodb_bind_text) bind_text;
  decltype(&::holodb_bind_blob) bind_blob;
  decltype(&::holodb_bind_decimal_text) bind_decimal_text;
  decltype(&::holodb_step) step;
  decltype(&::holodb_reset) reset;
  decltype(&::holodb_finalize) finalize;
  decltype(&::holodb_column_count) column_count;
  decltype(&::holodb_column_name) column_name;
  decltype(&::holodb_column_type) column_type;
  decltype(&::holodb_column_precision) column_precision;
  decltype(&::holodb_column_scale) column_scale;
  decltype(&::holodb_column_is_null) column_is_null;
  decltype(&::holodb_column_int64) column_int64;
  decltype(&::holodb_column_double) column_double;
  decltype(&::holodb_column_text) column_text;
  decltype(&::holodb_column_bytes) column_bytes;
  decltype(&::holodb_changes) changes;
  decltype(&::holodb_errmsg) errmsg;
  decltype(&::holodb_sqlstate) sqlstate;
  decltype(&::holodb_errpos) errpos;
  decltype(&::holodb_in_transaction) in_transaction;
  decltype(&::holodb_appender_open) appender_open;
  decltype(&::holodb_append_null) append_null;
  decltype(&::holodb_append_bool) append_bool;
  decltype(&::holodb_append_int64) append_int64;
  decltype(&::holodb_append_double) append_double;
  decltype(&::holodb_append_text) append_text;
  decltype(&::holodb_append_decimal_text) append_decimal_text;
  decltype(&::holodb_append_units) append_units;
  decltype(&::holodb_appender_end_row) appender_end_row;
  decltype(&::holodb_appender_close) appender_close;
  decltype(&::holodb_appender_abort) appender_abort;
  decltype(&::holodb_interrupt) interrupt;
  decltype(&::holodb_version) version;
  decltype(&::holodb_source_id) source_id;
} loaded;

}  // namespace

namespace conformance {

std::vector<Function> functions() {
  return {
      {"holodb_open", reinterpret_cast<void**>(&loaded.open)},
      {"holodb_open_restore_point", reinterpret_cast<void**>(&loaded.open_restore_point)},
      {"holodb_open_notice", reinterpret_cast<void**>(&loaded.open_notice)},
      {"holodb_salvage", reinterpret_cast<void**>(&loaded.salvage)},
      {"holodb_open_errmsg", reinterpret_cast<void**>(&loaded.open_errmsg)},
      {"holodb_open_sqlstate", reinterpret_cast<void**>(&loaded.open_sqlstate)},
      {"holodb_close", reinterpret_cast<void**>(&loaded.close)},
      {"holodb_connect", reinterpret_cast<void**>(&loaded.connect)},
      {"holodb_disconnect", reinterpret_cast<void**>(&loaded.disconnect)},
      {"holodb_exec", reinterpret_cast<void**>(&loaded.exec)},
      {"holodb_prepare", reinterpret_cast<void**>(&loaded.prepare)},
      {"holodb_parameter_count", reinterpret_cast<void**>(&loaded.parameter_count)},
      {"holodb_bind_null", reinterpret_cast<void**>(&loaded.bind_null)},
      {"holodb_bind_bool", reinterpret_cast<void**>(&loaded.bind_bool)},
      {"holodb_bind_int64", reinterpret_cast<void**>(&loaded.bind_int64)},
      {"holodb_bind_double", reinterpret_cast<void**>(&loaded.bind_double)},
      {"holodb_bind_text", reinterpret_cast<void**>(&loaded.bind_text)},
      {"holodb_bind_blob", reinterpret_cast<void**>(&loaded.bind_blob)},
      {"holodb_bind_decimal_text", reinterpret_cast<void**>(&loaded.bind_decimal_text)},
      {"holodb_step", reinterpret_cast<void**>(&loaded.step)},
      {"holodb_reset", reinterpret_cast<void**>(&loaded.reset)},
      {"holodb_finalize", reinterpret_cast<void**>(&loaded.finalize)},
      {"holodb_column_count", reinterpret_cast<void**>(&loaded.column_count)},
      {"holodb_column_name", reinterpret_cast<void**>(&loaded.column_name)},
      {"holodb_column_type", reinterpret_cast<void**>(&loaded.column_type)},
      {"holodb_column_precision", reinterpret_cast<void**>(&loaded.column_precision)},
      {"holodb_column_scale", reinterpret_cast<void**>(&loaded.column_scale)},
      {"holodb_column_is_null", reinterpret_cast<void**>(&loaded.column_is_null)},
      {"holodb_column_int64", reinterpret_cast<void**>(&loaded.column_int64)},
      {"holodb_column_double", reinterpret_cast<void**>(&loaded.column_double)},
      {"holodb_column_text", reinterpret_cast<void**>(&loaded.column_text)},
      {"holodb_column_bytes", reinterpret_cast<void**>(&loaded.column_bytes)},
      {"holodb_changes", reinterpret_cast<void**>(&loaded.changes)},
      {"holodb_errmsg", reinterpret_cast<void**>(&loaded.errmsg)},
      {"holodb_sqlstate", reinterpret_cast<void**>(&loaded.sqlstate)},
      {"holodb_errpos", reinterpret_cast<void**>(&loaded.errpos)},
      {"holodb_in_transaction", reinterpret_cast<void**>(&loaded.in_transaction)},
      {"holodb_appender_open", reinterpret_cast<void**>(&loaded.appender_open)},
      {"holodb_append_null", reinterpret_cast<void**>(&loaded.append_null)},
      {"holodb_append_bool", reinterpret_cast<void**>(&loaded.append_bool)},
      {"holodb_append_int64", reinterpret_cast<void**>(&loaded.append_int64)},
      {"holodb_append_double", reinterpret_cast<void**>(&loaded.append_double)},
      {"holodb_append_text", reinterpret_cast<void**>(&loaded.append_text)},
      {"holodb_append_decimal_text", reinterpret_cast<void**>(&loaded.append_decimal_text)},
      {"holodb_append_units", reinterpret_cast<void**>(&loaded.append_units)},
      {"holodb_appender_end_row", reinterpret_cast<void**>(&loaded.appender_end_row)},
      {"holodb_appender_close", reinterpret_cast<void**>(&loaded.appender_close)},
      {"holodb_appender_abort", reinterpret_cast<void**>(&loaded.appender_abort)},
      {"holodb_interrupt", reinterpret_cast<void**>(&loaded.interrupt)},
      {"holodb_version", reinterpret_cast<void**>(&loaded.version)},
      {"holodb_source_id", reinterpret_cast<void**>(&loaded.source_id)}};
}

}  // namespace conformance

extern "C" {
int holodb_open(const char* path, uint32_t flags, int version, holodb_db** db) { return loaded.open(path, flags, version, db); }
int holodb_open_restore_point(const char* path, const char* restore_point, uint32_t flags, int version, holodb_db** db) {
  return loaded.open_restore_point(path, restore_point, flags, version, db);
}
const char* holodb_open_notice(holodb_db* db) { return loaded.open_notice(db); }
int holodb_salvage(const char* from, const char* to, const char** report) { return loaded.salvage(from, to, report); }
const char* holodb_open_errmsg() { return loaded.open_errmsg(); }
const char* holodb_open_sqlstate() { return loaded.open_sqlstate(); }
int holodb_close(holodb_db* db) { return loaded.close(db); }
int holodb_connect(holodb_db* db, holodb_conn** conn) { return loaded.connect(db, conn); }
int holodb_disconnect(holodb_conn* conn) { return loaded.disconnect(conn); }
int holodb_exec(holodb_conn* conn, const char* sql) { return loaded.exec(conn, sql); }
int holodb_prepare(holodb_conn* conn, const char* sql, int64_t bytes, holodb_stmt** stmt, const char** tail) { return loaded.prepare(conn, sql, bytes, stmt, tail); }
int holodb_parameter_count(holodb_stmt* stmt) { return loaded.parameter_count(stmt); }
int holodb_bind_null(holodb_stmt* stmt, int index) { return loaded.bind_null(stmt, index); }
int holodb_bind_bool(holodb_stmt* stmt, int index, int value) { return loaded.bind_bool(stmt, index, value); }
int holodb_bind_int64(holodb_stmt* stmt, int index, int64_t value) { return loaded.bind_int64(stmt, index, value); }
int holodb_bind_double(holodb_stmt* stmt, int index, double value) { return loaded.bind_double(stmt, index, value); }
int holodb_bind_text(holodb_stmt* stmt, int index, const char* text, int64_t bytes) { return loaded.bind_text(stmt, index, text, bytes); }
int holodb_bind_blob(holodb_stmt* stmt, int index, const void* data, int64_t bytes) { return loaded.bind_blob(stmt, index, data, bytes); }
int holodb_bind_decimal_text(holodb_stmt* stmt, int index, const char* text, int64_t bytes) { return loaded.bind_decimal_text(stmt, index, text, bytes); }
int holodb_step(holodb_stmt* stmt) { return loaded.step(stmt); }
int holodb_reset(holodb_stmt* stmt) { return loaded.reset(stmt); }
int holodb_finalize(holodb_stmt* stmt) { return loaded.finalize(stmt); }
int holodb_column_count(holodb_stmt* stmt) { return loaded.column_count(stmt); }
const char* holodb_column_name(holodb_stmt* stmt, int column) { return loaded.column_name(stmt, column); }
int holodb_column_type(holodb_stmt* stmt, int column) { return loaded.column_type(stmt, column); }
int holodb_column_precision(holodb_stmt* stmt, int column) { return loaded.column_precision(stmt, column); }
int holodb_column_scale(holodb_stmt* stmt, int column) { return loaded.column_scale(stmt, column); }
int holodb_column_is_null(holodb_stmt* stmt, int column) { return loaded.column_is_null(stmt, column); }
int64_t holodb_column_int64(holodb_stmt* stmt, int column) { return loaded.column_int64(stmt, column); }
double holodb_column_double(holodb_stmt* stmt, int column) { return loaded.column_double(stmt, column); }
const char* holodb_column_text(holodb_stmt* stmt, int column) { return loaded.column_text(stmt, column); }
int64_t holodb_column_bytes(holodb_stmt* stmt, int column) { return loaded.column_bytes(stmt, column); }
int64_t holodb_changes(holodb_conn* conn) { return loaded.changes(conn); }
const char* holodb_errmsg(holodb_conn* conn) { return loaded.errmsg(conn); }
const char* holodb_sqlstate(holodb_conn* conn) { return loaded.sqlstate(conn); }
int64_t holodb_errpos(holodb_conn* conn) { return loaded.errpos(conn); }
int holodb_in_transaction(holodb_conn* conn) { return loaded.in_transaction(conn); }
int holodb_appender_open(holodb_conn* conn, const char* table, holodb_appender** appender) { return loaded.appender_open(conn, table, appender); }
int holodb_append_null(holodb_appender* appender) { return loaded.append_null(appender); }
int holodb_append_bool(holodb_appender* appender, int value) { return loaded.append_bool(appender, value); }
int holodb_append_int64(holodb_appender* appender, int64_t value) { return loaded.append_int64(appender, value); }
int holodb_append_double(holodb_appender* appender, double value) { return loaded.append_double(appender, value); }
int holodb_append_text(holodb_appender* appender, const char* text, int64_t bytes) { return loaded.append_text(appender, text, bytes); }
int holodb_append_decimal_text(holodb_appender* appender, const char* text, int64_t bytes) { return loaded.append_decimal_text(appender, text, bytes); }
int holodb_append_units(holodb_appender* appender, int64_t value) { return loaded.append_units(appender, value); }
int holodb_appender_end_row(holodb_appender* appender) { return loaded.appender_end_row(appender); }
int holodb_appender_close(holodb_appender* appender) { return loaded.appender_close(appender); }
int holodb_appender_abort(holodb_appender* appender) { return loaded.appender_abort(appender); }
int holodb_interrupt(holodb_conn* conn) { return loaded.interrupt(conn); }
const char* holodb_version() { return loaded.version(); }
const char* holodb_source_id() { return loaded.source_id(); }
}
