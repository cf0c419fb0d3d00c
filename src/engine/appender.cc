#include "engine/appender.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "base/check.h"
#include "base/utf8.h"
#include "engine/parameters.h"
#include "plan/make.h"
#include "store/table.h"
#include "txn/change.h"

namespace hdb {

namespace {
constexpr int64_t kMicrosecondsOfDay = 86'400'000'000;
}

// A thread that puts one buffer after the other into the table.
class Appender::Helper {
 public:
  explicit Helper(Appender& appender) : appender_(appender), thread_([this] { run(); }) {}
  ~Helper() {
    {
      const std::lock_guard<std::mutex> hold(mutex_);
      ended_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  void start(AppendBuffer* buffer) {
    {
      const std::lock_guard<std::mutex> hold(mutex_);
      buffer_ = buffer;
    }
    changed_.notify_all();
  }
  // Until it has nothing to do. Throws what went wrong in it.
  void wait() {
    std::unique_lock<std::mutex> hold(mutex_);
    changed_.wait(hold, [this] { return buffer_ == nullptr; });
    if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

 private:
  void run() {
    std::unique_lock<std::mutex> hold(mutex_);
    for (;;) {
      changed_.wait(hold, [this] { return buffer_ != nullptr || ended_; });
      if (buffer_ == nullptr) return;
      hold.unlock();
      std::exception_ptr failure;
      try {
        appender_.insert(*buffer_);
      } catch (...) {
        failure = std::current_exception();
      }
      hold.lock();
      failure_ = std::move(failure);
      buffer_ = nullptr;
      changed_.notify_all();
    }
  }

  Appender& appender_;
  std::mutex mutex_;
  std::condition_variable changed_;
  AppendBuffer* buffer_ = nullptr;
  std::exception_ptr failure_;
  bool ended_ = false;
  std::thread thread_;  // last: it runs at once
};

void Appender::set_limits(Column& column) {
  const Type& type = column.type;
  switch (type.id) {
    case TypeId::kBigint:
      column.bigint = true;
      column.units_min = INT64_MIN;
      column.units_max = INT64_MAX;
      break;
    case TypeId::kBoolean:
      column.units_min = 0;
      column.units_max = 1;
      break;
    case TypeId::kDecimal: {
      int64_t whole = 1;
      for (int i = 0; i < type.scale; ++i) column.whole_factor *= 10;
      for (int i = type.scale; i < type.precision; ++i) whole *= 10;
      column.whole_max = whole - 1;
      column.units_max = whole * column.whole_factor - 1;
      column.whole_min = -column.whole_max;
      column.units_min = -column.units_max;
      break;
    }
    case TypeId::kDate:
    case TypeId::kTimestamp: {
      const int64_t unit = type.id == TypeId::kDate ? 1 : kMicrosecondsOfDay;
      column.units_min = days_from_civil(1, 1, 1) * unit;
      column.units_max = days_from_civil(10'000, 1, 1) * unit - 1;
      break;
    }
    default: break;  // none
  }
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
    set_limits(column);
  }
  buffer_ = std::make_unique<AppendBuffer>(columns_.size());
  usable_ = static_cast<uint32_t>(columns_.size());
  begin_row();
}

Appender::~Appender() { this->abort(); }

void Appender::fail_at(const char* code, const std::string& why) const {
  const std::string name = column_ < columns_.size() ? ", column " + table_->columns[column_].name : "";
  fail(code, "row " + std::to_string(rows() + 1) + name + ": " + why);
}

// A1: whatever goes wrong, nothing is kept, and the error stays.
template <class F>
void Appender::guarded(F&& f) {
  check_usable();
  try {
    f();
    return;
  } catch (const Error& e) {
    error_ = e;
  } catch (...) {
    error_ = Error(sqlstate::kMemory, "out of memory");
  }
  // What went wrong in an earlier row comes first, as it would on one thread.
  try {
    if (helper_ != nullptr) helper_->wait();
  } catch (const Error& e) {
    error_ = e;
  } catch (...) {
    error_ = Error(sqlstate::kMemory, "out of memory");
  }
  if (std::string_view(error_->sqlstate()) == sqlstate::kInternal && (own_ || joined_)) connection_->database().manager().poison(error_->message());
  undo();
  throw Error(*error_);
}

void Appender::check_usable() const {
  if (error_) throw Error(*error_);
  if (closed_) fail(sqlstate::kConnectionClosed, "the appender is closed");
}

const Appender::Column& Appender::next_column() const {
  if (column_ == columns_.size()) fail_at(sqlstate::kSyntax, "the table has " + std::to_string(columns_.size()) + " columns, this is a value more");
  return columns_[column_];
}

void Appender::append_null() {
  guarded([&] {
    if (next_column().not_null) fail_at(sqlstate::kNotNull, "it must not be NULL");
    buffer_->set_null(column_);
    put(0);
  });
}

void Appender::append_boolean(bool v) {
  guarded([&] {
    const Column& c = next_column();
    if (c.type.id != TypeId::kBoolean) fail_at(sqlstate::kTypeMismatch, "a BOOLEAN for a column of type " + to_string(c.type));
    put(v ? 1 : 0);
  });
}

void Appender::append_int64(int64_t v) {
  if (!try_int64(v)) append_value(Value::bigint(v));
}

void Appender::append_units(int64_t v) {
  if (try_units(v)) return;
  guarded([&] {
    const Column& c = next_column();
    if (c.units_min > c.units_max) fail_at(sqlstate::kTypeMismatch, "a column of type " + to_string(c.type) + " has no units");
    fail_at(sqlstate::kOutOfRange, std::to_string(v) + " units are no value of type " + to_string(c.type));
  });
}

void Appender::append_double(double v) {
  if (!try_double(v)) append_value(Value::make_real(v));
}

void Appender::append_text(std::string_view v) {
  if (try_text(v)) return;
  guarded([&] {
    const Column& c = next_column();
    if (c.type.id != TypeId::kText) return append_value(Value::make_text(std::string(v)));
    if (const size_t bad = utf8_invalid_at(v); bad != std::string_view::npos)
      fail_at(sqlstate::kInvalidEncoding, "the text is not UTF-8 at byte " + std::to_string(bad));
    if (v.find('\0') != std::string_view::npos) fail_at(sqlstate::kInvalidEncoding, "the text holds a NUL byte");
    if (c.type.length > 0 && utf8_count(v) > c.type.length) fail_at(sqlstate::kDataTooLong, "the text is longer than " + to_string(c.type) + " takes");
    if (v.size() > kTextBytesMax) fail_at(sqlstate::kProgramLimit, "a text has at most " + std::to_string(kTextBytesMax) + " bytes");
    put_text(v);
  });
}

void Appender::put_text(std::string_view v) {
  WaitingTexts& waiting = buffer_->columns[column_].texts;
  const TextCache::Probe probe = TextCache::probe(v);
  const uint64_t raw = waiting.lengths.size() << 1 | 1;
  waiting.bytes.append(v);
  waiting.lengths.push_back(probe.bytes);
  waiting.cache_slots.push_back(probe.slot);
  columns_[column_].cache.put(probe, raw, buffer_->generation);
  put(raw);
}

void Appender::append_value(const Value& v) {
  if (v.null) return append_null();
  guarded([&] {
    const Column& c = next_column();
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
    put(c.type.lane() == Lane::kDouble ? std::bit_cast<uint64_t>(made.real) : static_cast<uint64_t>(made.int64()));
  });
}

void Appender::end_row() {
  guarded([&] {
    if (column_ != columns_.size())
      fail_at(sqlstate::kSyntax, "the table has " + std::to_string(columns_.size()) + " columns, but the row ends after " + std::to_string(column_));
    if (++buffer_->rows == kBufferRows) flush();
    begin_row();
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

// On the caller's thread or the helper's.
void Appender::insert(AppendBuffer& buffer) {
  buffer.resolve(*table_->table);
  Transaction& t = own_ ? *own_ : *connection_->transaction();
  try {
    insert_runs(t, *table_->table, buffer.runs, buffer.rows);
  } catch (const Error& e) {
    fail(e.sqlstate(), "rows " + std::to_string(buffer.first_row + 1) + " to " + std::to_string(buffer.first_row + buffer.rows) + ": " + e.message());
  }
}

void Appender::wait_for_helper() {
  if (helper_ == nullptr) return;
  helper_->wait();
  for (size_t c = 0; c < columns_.size(); ++c) columns_[c].cache.learn(other_->columns[c].texts, other_->generation);
  other_->clear();
}

void Appender::flush() {
  if (buffer_->rows == 0) return;
  begin();
  connection_->cancel_token().check();
  const uint64_t next_row = rows();
  const uint32_t next_generation = buffer_->generation + 1;
  // In an open transaction the connection may read between two calls: no helper there.
  if (own_ && buffer_->rows == kBufferRows && connection_->settings().threads() > 1) {
    if (helper_ == nullptr) {
      other_ = std::make_unique<AppendBuffer>(columns_.size());
      helper_ = std::make_unique<Helper>(*this);
    } else {
      wait_for_helper();
    }
    std::swap(buffer_, other_);
    helper_->start(other_.get());
  } else {
    wait_for_helper();
    insert(*buffer_);
    for (size_t c = 0; c < columns_.size(); ++c) columns_[c].cache.learn(buffer_->columns[c].texts, buffer_->generation);
    buffer_->clear();
  }
  buffer_->first_row = next_row;
  buffer_->generation = next_generation;
}

void Appender::undo() noexcept {
  helper_.reset();  // it ends its buffer first
  if (own_) {
    own_->rollback();
    own_.reset();
  } else if (joined_ && connection_->transaction() != nullptr) {
    connection_->transaction()->undo_to(mark_);
  }
  joined_ = false;
  connection_->drop_appender(this);
  release();
}

void Appender::release() noexcept {
  usable_ = 0;
  column_ = 0;
  helper_.reset();
  buffer_.reset();
  other_.reset();
}

void Appender::close() {
  if (closed_) return;
  guarded([&] {
    if (column_ != 0) fail_at(sqlstate::kSyntax, "the last row has no end");
    flush();
    wait_for_helper();
    if (joined_) {
      connection_->transaction()->end_statement();
      connection_->transaction()->wait_durable();
    } else if (own_) {
      own_->end_statement();
      own_->commit();
      own_.reset();
      connection_->database().after_commit();
    }
    joined_ = false;
    connection_->set_changes(rows());
  });
  connection_->drop_appender(this);
  closed_ = true;
  release();
}

void Appender::abort() noexcept {
  if (closed_) return;
  closed_ = true;
  if (!error_) undo();
}

}  // namespace hdb
