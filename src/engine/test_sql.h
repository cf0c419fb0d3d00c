// engine/test_sql.h: SQL in, text out: what tests of engine/ are written in.
//
// What:       Session runs statements and gives rows as lines ("1|x|NULL"), or the SQLSTATE of the error.
// Callers:    *_test.cc, fuzz/target_files.
// Held by:    the tests that use it
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/connection.h"

namespace hdb::testing {

class Session {
 public:
  explicit Session(std::shared_ptr<Database> database = std::make_shared<Database>())
      : database_(std::move(database)), connection_(std::make_shared<Connection>(database_)) {}

  Connection& connection() { return *connection_; }
  const std::shared_ptr<Connection>& shared() { return connection_; }
  Database& database() { return *database_; }
  const std::shared_ptr<Database>& database_ptr() { return database_; }

  // Rows of the last statement of the text, each a line; an error is "error SQLSTATE". Several statements run up to the first error.
  std::string run(std::string_view text) {
    std::string out;
    try {
      for (size_t at = 0; at < text.size();) {
        size_t end = 0;
        const auto s = connection_->prepare(text.substr(at), at, &end);
        if (s == nullptr) break;
        connection_->execute(*s);
        out = rows_of(*s);
        at += end;
      }
    } catch (const Error& e) {
      error_ = e.message();
      position_ = e.position();
      return std::string("error ") + e.sqlstate();
    }
    return out;
  }
  static std::string rows_of(const Statement& s) {
    std::string out;
    const MaterializedResult& r = s.result.rows;
    for (uint32_t row = 0; row < r.row_count(); ++row) {
      for (uint32_t c = 0; c < r.column_count(); ++c)
        out += (c > 0 ? "|" : row > 0 ? "\n" : "") + (r.is_null(c, row) ? std::string("NULL") : to_text(r.value(c, row)));
    }
    return out;
  }
  const std::string& error() const { return error_; }
  int64_t position() const { return position_; }

 private:
  std::shared_ptr<Database> database_;
  std::shared_ptr<Connection> connection_;
  std::string error_;
  int64_t position_ = -1;
};

}  // namespace hdb::testing
