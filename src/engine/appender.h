// engine/appender.h: bulk load: rows value by value, committed together.
//
// What:       values are converted to their column's type as they come and kept column by column; a full buffer of kBufferRows rows goes into the
//             table through txn/change. close() commits everything (inside an open transaction: leaves it to that).
// States:     open -> failed (everything is undone, every further call gives the same error) | closed.
// Invariants: A1 all or nothing: a failed append, flush or close leaves no row. A2 the turn is taken at the first flush, not before. A3 from then to
//             the end the connection runs no other statement that changes anything (24000): what is undone is the appender's alone.
// Cost:       about 10 ns a number, 30 ns a text, plus insert_rows. Texts are interned at the flush, by the holder of the turn.
// Errors:     name row (from 1) and column. 22P02, 22003, 22001, 22007, 23502, 42804, 42601 (too few or too many values), those of an INSERT.
// Callers:    engine/c_api. Guarded by the connection's mutex.
// Held by:    src/engine/appender_test.cc
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/schema.h"
#include "engine/connection.h"

namespace hdb {

class Appender {
 public:
  static constexpr uint32_t kBufferRows = kBlockRows;

  Appender(std::shared_ptr<Connection> connection, std::string_view table);
  ~Appender();
  Appender(const Appender&) = delete;
  Appender& operator=(const Appender&) = delete;

  void append_null();
  void append_boolean(bool v);
  void append_int64(int64_t v);
  void append_double(double v);
  void append_text(std::string_view v);  // for any type: as CAST from text
  void append_value(const Value& v);     // DECIMAL, and whatever has no form of its own
  void end_row();
  void close();   // throws the error that kept the rows out
  void abort() noexcept;

  uint64_t rows() const { return rows_; }

 private:
  struct Column {
    Type type;
    bool not_null = false;
    std::vector<Datum> values;                                   // kBufferRows
    std::string bytes;                                           // TEXT: behind each other
    std::vector<uint32_t> lengths;
    std::vector<const TextEntry*> recent;                        // by hash: texts come again
  };

  Column& next_column();
  void put(Column& c, Datum d);
  void flush();
  void intern(Column& c, uint32_t column);
  Transaction& begin();
  void check_usable() const;
  template <class F>
  void guarded(F&& f);
  [[noreturn]] void fail_at(const char* code, const std::string& why) const;
  void undo() noexcept;

  std::shared_ptr<Connection> connection_;
  std::shared_ptr<const TableDef> table_;
  std::vector<Column> columns_;
  std::vector<const Datum*> pointers_;
  std::optional<Transaction> own_;
  bool joined_ = false;          // writes in the connection's transaction
  uint64_t mark_ = 0, base_ = 0;
  uint32_t buffered_ = 0, column_ = 0;
  uint64_t rows_ = 0;
  bool closed_ = false;
  std::optional<Error> error_;
};

}  // namespace hdb
