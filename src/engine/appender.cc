#include "engine/appender.h"

#include <algorithm>

#include "base/check.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "engine/parameters.h"
#include "plan/make.h"
#include "store/table.h"
#include "txn/change.h"

namespace hdb {

namespace {
constexpr size_t kRecentTexts = 256;
}

Appender::Appender(std::shared_ptr<Connection> connection, std::string_view table) : connection_(std::move(connection)) {
  connection_->check_open();
  if (connection_->database().read_only()) fail(sqlstate::kReadOnly, "the database was opened read-only");
  connection_->in_own_or_open_transaction(false, [&](Transaction& t) {
    table_ = connection_->database().catalog().require_table(table, t.snapshot(), Error::kNoPosition);
  });
  for (const ColumnDef& c : table_->columns) {
    Column& column = columns_.emplace_back();
    column.type = c.type;
    column.not_null = c.not_null;
  }
}

Appender::~Appender() { this->abort(); }

void Appender::fail_at(const char* code, const std::string& why) const {
  const std::string name = column_ < columns_.size() ? ", column " + table_->columns[column_].name : "";
  fail(code, "row " + std::to_string(rows_ + 1) + name + ": " + why);
}

// A1: whatever goes wrong, nothing is kept, and the error stays.
template <class F>
void Appender::guarded(F&& f) {
  check_usable();
  try {
    f();
  } catch (const Error& e) {
    error_ = e;
    if (std::string_view(e.sqlstate()) == sqlstate::kInternal && (own_ || joined_)) connection_->database().manager().poison(e.message());
    undo();
    throw;
  } catch (...) {
    error_ = Error(sqlstate::kMemory, "out of memory");
    undo();
    throw;
  }
}

void Appender::check_usable() const {
  if (error_) throw Error(*error_);
  if (closed_) fail(sqlstate::kConnectionClosed, "the appender is closed");
}

Appender::Column& Appender::next_column() {
  if (column_ == columns_.size()) fail_at(sqlstate::kSyntax, "the table has " + std::to_string(columns_.size()) + " columns, this is a value more");
  Column& c = columns_[column_];
  if (c.values.empty()) c.values.resize(kBufferRows);
  return c;
}

void Appender::put(Column& c, Datum d) {
  c.values[buffered_] = d;
  ++column_;
}

void Appender::append_null() {
  guarded([&] {
    Column& c = next_column();
    if (c.not_null) fail_at(sqlstate::kNotNull, "it must not be NULL");
    if (c.type.id == TypeId::kText) c.lengths.push_back(0);
    put(c, {});
  });
}

void Appender::append_boolean(bool v) {
  guarded([&] {
    Column& c = next_column();
    if (c.type.id != TypeId::kBoolean) fail_at(sqlstate::kTypeMismatch, "a BOOLEAN for a column of type " + to_string(c.type));
    put(c, Datum::of(int64_t{v}));
  });
}

void Appender::append_int64(int64_t v) {
  check_usable();
  if (column_ < columns_.size() && columns_[column_].type.id == TypeId::kBigint) {
    Column& c = next_column();
    return put(c, Datum::of(v));
  }
  append_value(Value::bigint(v));
}

void Appender::append_double(double v) {
  check_usable();
  if (column_ < columns_.size() && columns_[column_].type.id == TypeId::kDouble) {
    Column& c = next_column();
    return put(c, Datum::of(v));
  }
  append_value(Value::make_real(v));
}

void Appender::append_text(std::string_view v) {
  guarded([&] {
    Column& c = next_column();
    if (c.type.id != TypeId::kText) return append_value(Value::make_text(std::string(v)));
    if (const size_t bad = utf8_invalid_at(v); bad != std::string_view::npos)
      fail_at(sqlstate::kInvalidEncoding, "the text is not UTF-8 at byte " + std::to_string(bad));
    if (v.find('\0') != std::string_view::npos) fail_at(sqlstate::kInvalidEncoding, "the text holds a NUL byte");
    if (c.type.length > 0 && utf8_count(v) > c.type.length) fail_at(sqlstate::kDataTooLong, "the text is longer than " + to_string(c.type) + " takes");
    if (v.size() > kTextBytesMax) fail_at(sqlstate::kProgramLimit, "a text has at most " + std::to_string(kTextBytesMax) + " bytes");
    c.bytes.append(v);
    c.lengths.push_back(static_cast<uint32_t>(v.size()));
    put(c, {0, false});
  });
}

void Appender::append_value(const Value& v) {
  if (v.null) return append_null();
  guarded([&] {
    Column& c = next_column();
    const TypeId from = v.type.id, to = c.type.id;
    const bool numbers = v.type.number() && c.type.number();
    const bool times = (from == TypeId::kDate || from == TypeId::kTimestamp) && (to == TypeId::kDate || to == TypeId::kTimestamp);
    if (!numbers && !times && from != to && from != TypeId::kText)
      fail_at(sqlstate::kTypeMismatch, "a " + to_string(v.type) + " for a column of type " + to_string(c.type));
    if (to == TypeId::kText) return append_text(v.text);
    Value made;
    try {
      made = cast_value(v, c.type);
    } catch (const Error& e) {
      fail_at(e.sqlstate(), e.message());
    }
    put(c, c.type.lane() == Lane::kDouble ? Datum::of(made.real) : Datum::of(made.int64()));
  });
}

void Appender::end_row() {
  guarded([&] {
    if (column_ != columns_.size())
      fail_at(sqlstate::kSyntax, "the table has " + std::to_string(columns_.size()) + " columns, but the row ends after " + std::to_string(column_));
    column_ = 0;
    ++rows_;
    if (++buffered_ == kBufferRows) flush();
  });
}

// The transaction that the rows go into; from now on it is this appender's (A3).
Transaction& Appender::begin() {
  if (joined_) return *connection_->transaction();
  if (own_) return *own_;
  connection_->check_no_appender();
  Database& db = connection_->database();
  Transaction* t = connection_->transaction();
  if (t == nullptr) {
    own_.emplace(db.manager());
    t = &*own_;
  }
  t->begin_write();
  const Snapshot now = t->snapshot();
  mark_ = t->position();
  base_ = now.commit;
  joined_ = !own_.has_value();
  connection_->set_appender(this);
  const auto def = db.catalog().find_table(table_->id, now);
  if (def == nullptr) fail(sqlstate::kUndefinedTable, "table \"" + table_->name + "\" was dropped meanwhile");
  t->keep(table_->table);
  return *t;
}

void Appender::intern(Column& c, uint32_t column) {
  if (c.recent.empty()) c.recent.resize(kRecentTexts);
  const char* at = c.bytes.data();
  for (uint32_t r = 0; r < buffered_; ++r) {
    if (c.values[r].null) continue;
    const std::string_view text(at, c.lengths[r]);
    at += text.size();
    const TextEntry*& recent = c.recent[hash_bytes(text.data(), text.size()) % kRecentTexts];
    if (recent == nullptr || recent->view() != text) recent = table_->table->intern(column, text).text();
    c.values[r] = Datum::of(recent);
  }
  c.bytes.clear();
  c.lengths.clear();
}

void Appender::flush() {
  if (buffered_ == 0) return;
  Transaction& t = begin();
  connection_->cancel_token().check();
  pointers_.clear();
  for (uint32_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].type.id == TypeId::kText) intern(columns_[i], i);
    pointers_.push_back(columns_[i].values.data());
  }
  try {
    insert_rows(t, *table_->table, pointers_, buffered_);
  } catch (const Error& e) {
    fail(e.sqlstate(), "rows " + std::to_string(rows_ - buffered_ + 1) + " to " + std::to_string(rows_) + ": " + e.message());
  }
  buffered_ = 0;
}

void Appender::undo() noexcept {
  if (own_) {
    own_->rollback();
    own_.reset();
  } else if (joined_ && connection_->transaction() != nullptr) {
    connection_->transaction()->undo_to(mark_);
  }
  joined_ = false;
  connection_->drop_appender(this);
  columns_.clear();
}

void Appender::close() {
  if (closed_) return;
  guarded([&] {
    if (column_ != 0) fail_at(sqlstate::kSyntax, "the last row has no end");
    flush();
    if (joined_) {
      connection_->transaction()->end_statement();
      connection_->transaction()->wait_durable();
    } else if (own_) {
      own_->end_statement();
      own_->commit();
      own_.reset();
    }
    joined_ = false;
    connection_->set_changes(rows_);
  });
  connection_->drop_appender(this);
  closed_ = true;
}

void Appender::abort() noexcept {
  if (closed_) return;
  closed_ = true;
  if (!error_) undo();
}

}  // namespace hdb
