// oracle/support/engine.h: HoloDb through its C ABI, and nothing else of it.
//
// What:       Engine is one database, in memory if not told otherwise; Connection runs a statement and copies its whole result as text and types.
// Invariants: N1 an XX000 (the engine caught itself) is thrown as a self-check failure, whoever asked.
// Callers:    main programs of oracle/, properties/, fuzz/.
// Held by:    oracle/ (every check goes through it)
#pragma once

#include <holodb/holodb.h>

#include <string>
#include <utility>

#include "model/value.h"
#include "peer.h"

namespace judge {

inline model::Type type_from(int type, int precision, int scale) {
  using model::Kind;
  switch (type) {
    case HOLODB_TYPE_BOOLEAN:
      return model::simple_type(Kind::kBool);
    case HOLODB_TYPE_BIGINT:
      return model::int_type();
    case HOLODB_TYPE_DECIMAL:
      return model::dec_type(precision, scale);
    case HOLODB_TYPE_DOUBLE:
      return model::simple_type(Kind::kDbl);
    case HOLODB_TYPE_DATE:
      return model::simple_type(Kind::kDate);
    case HOLODB_TYPE_TEXT:
      return model::simple_type(Kind::kText);
    default:
      return model::simple_type(Kind::kNull);
  }
}

class Connection : public Peer {
 public:
  explicit Connection(holodb_db* db) {
    if (holodb_connect(db, &conn_) != HOLODB_OK) throw Failure{"wrong-result", std::string("connect: ") + holodb_open_errmsg()};
  }
  ~Connection() override { holodb_disconnect(conn_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  holodb_conn* handle() { return conn_; }

  Reply run(const std::string& sql) override {
    holodb_stmt* stmt = nullptr;
    Reply reply;
    if (holodb_prepare(conn_, sql.data(), static_cast<int64_t>(sql.size()), &stmt, nullptr) != HOLODB_OK) return error(sql);
    if (stmt == nullptr) return reply;
    const int code = fetch(stmt, reply);
    if (code != HOLODB_DONE) reply = error(sql);
    holodb_finalize(stmt);
    if (reply.ok) reply.changes = holodb_changes(conn_);
    return reply;
  }

  // Runs a prepared statement to its end.
  int fetch(holodb_stmt* stmt, Reply& reply) {
    const int columns = holodb_column_count(stmt);
    for (int c = 0; c < columns; ++c) {
      reply.types.push_back(type_from(holodb_column_type(stmt, c), holodb_column_precision(stmt, c), holodb_column_scale(stmt, c)));
    }
    int code = HOLODB_OK;
    while ((code = holodb_step(stmt)) == HOLODB_ROW) {
      std::vector<Cell> row(static_cast<size_t>(columns));
      for (int c = 0; c < columns; ++c) {
        Cell& cell = row[static_cast<size_t>(c)];
        cell.null = holodb_column_is_null(stmt, c) != 0;
        if (cell.null) continue;
        const char* text = holodb_column_text(stmt, c);
        cell.text.assign(text == nullptr ? "" : text, static_cast<size_t>(holodb_column_bytes(stmt, c)));
      }
      reply.rows.push_back(std::move(row));
    }
    return code;
  }

  Reply append(const model::TableDef& table, const std::vector<model::Row>& rows) override {
    holodb_appender* appender = nullptr;
    if (holodb_appender_open(conn_, table.name.c_str(), &appender) != HOLODB_OK) return error("append to " + table.name);
    for (const model::Row& row : rows) {
      for (const model::Value& v : row) append_value(appender, v);
      holodb_appender_end_row(appender);
    }
    if (holodb_appender_close(appender) != HOLODB_OK) return error("append to " + table.name);
    Reply reply;
    reply.changes = static_cast<int64_t>(rows.size());
    return reply;
  }

  Reply error(const std::string& sql) {
    Reply reply;
    reply.ok = false;
    reply.state = holodb_sqlstate(conn_);
    reply.message = holodb_errmsg(conn_);
    if (reply.state == "XX000") throw Failure{"self-check", "XX000 " + reply.message + "\n  " + sql};
    return reply;
  }

 private:
  static void append_value(holodb_appender* a, const model::Value& v) {
    using model::Kind;
    const std::string text = v.kind == Kind::kText || v.kind == Kind::kDate || v.kind == Kind::kDec ? model::to_text(v) : "";
    switch (v.kind) {
      case Kind::kNull:
        holodb_append_null(a);
        break;
      case Kind::kBool:
        holodb_append_bool(a, v.truth() ? 1 : 0);
        break;
      case Kind::kInt:
        holodb_append_int64(a, static_cast<int64_t>(v.n));
        break;
      case Kind::kDbl:
        holodb_append_double(a, v.d);
        break;
      case Kind::kDec:
        holodb_append_decimal_text(a, text.data(), static_cast<int64_t>(text.size()));
        break;
      case Kind::kText:
      case Kind::kDate:
        holodb_append_text(a, text.data(), static_cast<int64_t>(text.size()));
        break;
    }
  }
  holodb_conn* conn_ = nullptr;
};

class Engine : public PeerSource {
 public:
  explicit Engine(const std::string& path = ":memory:", uint32_t flags = 0) {
    if (holodb_open(path.c_str(), flags, HOLODB_VERSION, &db_) != HOLODB_OK) {
      throw Failure{"wrong-result", std::string("open: ") + holodb_open_errmsg()};
    }
  }
  ~Engine() override { holodb_close(db_); }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  std::unique_ptr<Peer> connect() override { return std::make_unique<Connection>(db_); }
  std::unique_ptr<Connection> connection() { return std::make_unique<Connection>(db_); }

 private:
  holodb_db* db_ = nullptr;
};

}  // namespace judge
