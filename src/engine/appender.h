// engine/appender.h: bulk load: rows value by value, committed together.
//
// What:       values are converted to their column's type as they come and kept column by column; a full buffer of kBufferRows rows goes into the
//             table through txn/change, on a second thread if the connection's `threads` allow one. close() commits everything (inside an open
//             transaction: leaves it to that, and then everything happens on the caller's thread).
// States:     open -> failed (everything is undone, every further call gives the same error) | closed.
// Invariants: A1 all or nothing: a failed append, flush or close leaves no row. A2 the turn is taken at the first flush, not before. A3 from then to
//             the end the connection runs no other statement that changes anything (24000): what is undone is the appender's alone.
//             A4 the transaction belongs to the helper from hand-over until wait_for_helper() returns; nobody else touches it in between. One buffer
//             follows the other, so the table's bytes are those of a load on one thread.
// Cost:       try_*: 2 to 4 ns a number, 4 to 6 a text that came before; then what insert_runs costs, beside the caller where there is a helper.
// Errors:     name row (from 1) and column. 22P02, 22003, 22001, 22007, 23502, 42804, 42601 (too few or too many values), those of an INSERT: with the
//             rows of the buffer, and perhaps only at a later call.
// Callers:    engine/c_api. Guarded by the connection's mutex, but for try_*: they touch the buffer only.
// Held by:    src/engine/appender_test.cc
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/schema.h"
#include "engine/append_buffer.h"
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
  void append_units(int64_t v);          // the number that the column keeps (holodb_append_units)
  void append_double(double v);
  void append_text(std::string_view v);  // for any type: as CAST from text
  void append_value(const Value& v);     // DECIMAL, and whatever has no form of its own
  void end_row();
  void close();   // throws the error that kept the rows out
  void abort() noexcept;

  // The frequent cases. False: nothing was done; call the form above, which also says what is wrong.
  bool try_int64(int64_t v) noexcept {
    if (column_ >= usable_) return false;
    const Column& c = columns_[column_];
    if (!c.bigint) {
      if (v < c.whole_min || v > c.whole_max) return false;
      v *= c.whole_factor;
    }
    put(static_cast<uint64_t>(v));
    return true;
  }
  bool try_units(int64_t v) noexcept {
    if (column_ >= usable_) return false;
    const Column& c = columns_[column_];
    if (v < c.units_min || v > c.units_max) return false;
    put(static_cast<uint64_t>(v));
    return true;
  }
  bool try_double(double v) noexcept {
    if (column_ >= usable_ || columns_[column_].type.id != TypeId::kDouble) return false;
    put(std::bit_cast<uint64_t>(v));
    return true;
  }
  bool try_text(std::string_view v) noexcept {
    if (column_ >= usable_ || columns_[column_].type.id != TypeId::kText) return false;
    const uint64_t raw = columns_[column_].cache.find(TextCache::probe(v), v, generation_);
    if (raw == 0) return false;
    put(raw);
    return true;
  }
  bool try_end_row() noexcept {
    if (column_ != usable_ || buffer_ == nullptr || buffer_->rows + 1 >= kBufferRows) return false;
    column_ = 0;
    ++buffer_->rows;
    cell_ = buffer_->memory.get() + buffer_->rows;
    return true;
  }
  bool begins_row() const { return column_ == 0; }

  uint64_t rows() const { return buffer_ != nullptr ? buffer_->first_row + buffer_->rows : 0; }

 private:
  struct Column {
    Type type;
    bool not_null = false;
    // An int64 within these bounds is a value of the column once multiplied by the factor; none is if min > max.
    bool bigint = false;
    // A value of the column in its own units lies within these; none does if min > max.
    int64_t units_min = 1, units_max = 0;
    int64_t whole_min = 1, whole_max = 0, whole_factor = 1;
    TextCache cache;
  };
  class Helper;

  static void set_limits(Column& column);
  const Column& next_column() const;
  void put(uint64_t raw) noexcept {
    *cell_ = raw;
    cell_ += kBufferRows;
    ++column_;
  }
  void begin_row() noexcept {  // after the buffer, or the number of its rows, is another
    column_ = 0;
    cell_ = buffer_->memory.get() + buffer_->rows;
    generation_ = buffer_->generation;
  }
  void put_text(std::string_view v);
  void flush();
  void insert(AppendBuffer& buffer);
  void wait_for_helper();
  Transaction& begin();
  void check_usable() const;
  template <class F>
  void guarded(F&& f);
  [[noreturn]] void fail_at(const char* code, const std::string& why) const;
  void undo() noexcept;
  void release() noexcept;

  std::shared_ptr<Connection> connection_;
  std::shared_ptr<const TableDef> table_;
  std::vector<Column> columns_;
  std::unique_ptr<AppendBuffer> buffer_, other_;  // other_: with the helper, or free
  std::unique_ptr<Helper> helper_;
  std::optional<Transaction> own_;
  bool joined_ = false;          // writes in the connection's transaction
  uint64_t mark_ = 0, base_ = 0;
  uint32_t column_ = 0;
  uint32_t generation_ = 0;      // buffer_'s
  uint64_t* cell_ = nullptr;     // where the next value goes: column column_ of the row
  uint32_t usable_ = 0;          // columns, or 0 when nothing may be appended any more
  bool closed_ = false;
  std::optional<Error> error_;
};

}  // namespace hdb
