// holodb.hpp: the C++ layer over holodb.h: RAII handles, typed columns, one exception class. Header-only, C++20.
//
// What:       Database, Connection, Statement (prepared), Result (a query's rows), Row (typed columns), Appender (bulk load),
//             Transaction (rolls back unless committed), Error.
// Ownership:  every class is move-only and closes its handle when it is destroyed. Objects may be destroyed in any order: a
//             Statement or Appender whose Connection is gone throws Error 08003 when it is used. A Row, and a string_view read
//             from it, is valid until its statement steps, is reset or is destroyed.
// Threads:    a Database may be shared. A Connection, with its statements and appenders, belongs to one thread at a time; open
//             one for each thread. Connection::interrupt() may be called from any thread while the Connection lives.
// Errors:     every failure throws holodb::Error; destructors never throw. A failed statement has undone itself and leaves an
//             open transaction open.
// Exactness:  DECIMAL is read and bound as text (holodb::Decimal), so that no digit is lost; a typed read that could lose
//             something (an int64_t of a TEXT or of a fractional DECIMAL) throws 42804, and one that overflows throws 22003.
// Held by:    src/shell/holodb_hpp_test.cc, ci/consumer
//
// Example:
//   holodb::Database db;                                     // in memory
//   holodb::Connection conn(db);
//   conn.execute("CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT, d DECIMAL(10,2))");
//   holodb::Appender rows = conn.appender("t");
//   rows.row(1, "x", holodb::Decimal{"1.50"});
//   rows.row(2, nullptr, holodb::Decimal{"2.25"});
//   rows.close();                                            // commits; without it nothing is kept
//   holodb::Transaction tx(conn);
//   conn.execute("UPDATE t SET g = ? WHERE id = ?", "y", 2);
//   tx.commit();
//   for (holodb::Row row : conn.query("SELECT g, COUNT(*), SUM(d) FROM t WHERE id < ? GROUP BY g", 100)) {
//     auto group = row.get<std::optional<std::string_view>>(0);
//     auto count = row.get<int64_t>(1);
//     auto total = row.get<std::string_view>(2);             // "1.50": exact
//   }
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "holodb.h"

namespace holodb {

enum class Type : int {
  kNull = HOLODB_TYPE_NULL,
  kBoolean = HOLODB_TYPE_BOOLEAN,
  kBigint = HOLODB_TYPE_BIGINT,
  kDecimal = HOLODB_TYPE_DECIMAL,
  kDouble = HOLODB_TYPE_DOUBLE,
  kText = HOLODB_TYPE_TEXT,
  kDate = HOLODB_TYPE_DATE,
  kTimestamp = HOLODB_TYPE_TIMESTAMP,
  kBlob = HOLODB_TYPE_BLOB,
};

// The one exception. what() is a sentence in plain words.
class Error : public std::runtime_error {
 public:
  Error(int code, std::string sqlstate, const std::string& message, int64_t position = -1)
      : std::runtime_error(message), sqlstate_(std::move(sqlstate)), position_(position), code_(code) {}

  const std::string& sqlstate() const noexcept { return sqlstate_; }  // five characters, for example "23505"
  int64_t position() const noexcept { return position_; }  // byte offset into the statement's text, or -1
  int code() const noexcept { return code_; }              // HOLODB_ERROR, HOLODB_INTERRUPTED, ...

 private:
  std::string sqlstate_;
  int64_t position_;
  int code_;
};

// Values to bind or append that C++ has no type for. Both only view what they are given, until the call returns.
struct Decimal {
  std::string_view text;
};
struct Blob {
  std::span<const std::byte> bytes;
};
// Appender only: the number that the column keeps (holodb_append_units).
struct Units {
  int64_t value;
};

namespace detail {

inline std::string text_or(const char* text, const char* fallback) { return text != nullptr ? text : fallback; }

// What a Connection shares with its statements: they must see that it is gone.
struct Link {
  holodb_conn* handle = nullptr;
  std::shared_ptr<holodb_db> database;  // closed when its last object and connection are gone

  Link() = default;
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  ~Link() { close(); }

  void close() noexcept {
    if (handle != nullptr) holodb_disconnect(handle);
    handle = nullptr;
    database.reset();
  }
  holodb_conn* live() const {
    if (handle == nullptr) throw Error(HOLODB_MISUSE, "08003", "the connection is closed");
    return handle;
  }
  void check(int code) const {
    if (code == HOLODB_OK || code == HOLODB_ROW || code == HOLODB_DONE) return;
    holodb_conn* conn = live();
    throw Error(code, text_or(holodb_sqlstate(conn), "XX000"), text_or(holodb_errmsg(conn), "unknown error"), holodb_errpos(conn));
  }
};

template <class T>
struct is_optional : std::false_type {};
template <class T>
struct is_optional<std::optional<T>> : std::true_type {};
template <class T>
inline constexpr bool always_false = false;

// Sends a C++ value to the one of the sink's members that takes its kind. Integers that do not fit BIGINT throw.
template <class Sink, class T>
int send(Sink& sink, const T& value) {
  if constexpr (is_optional<T>::value) {
    return value ? send(sink, *value) : sink.null();
  } else if constexpr (std::is_same_v<T, std::nullptr_t> || std::is_same_v<T, std::nullopt_t>) {
    return sink.null();
  } else if constexpr (std::is_same_v<T, bool>) {
    return sink.boolean(value);
  } else if constexpr (std::is_integral_v<T>) {
    if (!std::in_range<int64_t>(value)) throw Error(HOLODB_MISUSE, "22003", "the value does not fit BIGINT");
    return sink.int64(static_cast<int64_t>(value));
  } else if constexpr (std::is_floating_point_v<T>) {
    return sink.real(static_cast<double>(value));
  } else if constexpr (std::is_same_v<T, Decimal>) {
    return sink.decimal(value.text);
  } else if constexpr (std::is_same_v<T, Blob>) {
    return sink.blob(value.bytes);
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    if constexpr (std::is_pointer_v<T>) {
      if (value == nullptr) return sink.null();
    }
    return sink.text(std::string_view(value));
  } else {
    static_assert(always_false<T>, "this type has no SQL counterpart: use bool, an integer, double, text, Decimal, Blob or optional");
  }
}

struct BindSink {
  holodb_stmt* stmt;
  int index;
  int null() { return holodb_bind_null(stmt, index); }
  int boolean(bool value) { return holodb_bind_bool(stmt, index, value ? 1 : 0); }
  int int64(int64_t value) { return holodb_bind_int64(stmt, index, value); }
  int real(double value) { return holodb_bind_double(stmt, index, value); }
  int text(std::string_view value) {
    return holodb_bind_text(stmt, index, value.data() != nullptr ? value.data() : "", static_cast<int64_t>(value.size()));
  }
  int decimal(std::string_view value) {
    return holodb_bind_decimal_text(stmt, index, value.data() != nullptr ? value.data() : "", static_cast<int64_t>(value.size()));
  }
  int blob(std::span<const std::byte> value) {
    return holodb_bind_blob(stmt, index, value.data(), static_cast<int64_t>(value.size()));
  }
};

struct AppendSink {
  holodb_appender* appender;
  int null() { return holodb_append_null(appender); }
  int boolean(bool value) { return holodb_append_bool(appender, value ? 1 : 0); }
  int int64(int64_t value) { return holodb_append_int64(appender, value); }
  int real(double value) { return holodb_append_double(appender, value); }
  int text(std::string_view value) {
    return holodb_append_text(appender, value.data() != nullptr ? value.data() : "", static_cast<int64_t>(value.size()));
  }
  int decimal(std::string_view value) {
    return holodb_append_decimal_text(appender, value.data() != nullptr ? value.data() : "", static_cast<int64_t>(value.size()));
  }
  int blob(std::span<const std::byte>) { throw Error(HOLODB_MISUSE, "0A000", "the appender takes no BLOB"); }
};

}  // namespace detail

class Connection;
class Statement;

// One row: a view of what its statement's last step() found. Columns are numbered from 0.
class Row {
 public:
  explicit Row(const Statement& statement) : statement_(&statement) {}

  // T: int64_t and smaller integers, double, bool, std::string_view, std::string, or std::optional of these. NULL read into
  // anything but an optional throws 22002. Text is there for every type, in the form of CSV output.
  template <class T>
  T get(int column) const;
  bool is_null(int column) const;
  int size() const;

 private:
  const Statement* statement_;
};

// A prepared statement. Parameters are numbered from 1 and keep their values over reset(). An empty text gives an empty statement
// (false as a bool), which steps to no row.
class Statement {
 public:
  Statement() = default;
  Statement(Statement&& other) noexcept
      : link_(std::move(other.link_)), handle_(std::exchange(other.handle_, nullptr)), state_(other.state_) {}
  Statement& operator=(Statement&& other) noexcept {
    if (this != &other) {
      finalize();
      link_ = std::move(other.link_);
      handle_ = std::exchange(other.handle_, nullptr);
      state_ = other.state_;
    }
    return *this;
  }
  ~Statement() { finalize(); }

  explicit operator bool() const noexcept { return handle_ != nullptr; }
  holodb_stmt* handle() const noexcept { return handle_; }

  int parameter_count() const { return handle_ != nullptr ? holodb_parameter_count(handle_) : 0; }
  int column_count() const { return handle_ != nullptr ? holodb_column_count(handle_) : 0; }
  std::string_view column_name(int column) const {
    check_column(column);
    return holodb_column_name(handle_, column);
  }
  Type column_type(int column) const {
    check_column(column);
    return static_cast<Type>(holodb_column_type(handle_, column));
  }
  int column_precision(int column) const { return check_column(column), holodb_column_precision(handle_, column); }
  int column_scale(int column) const { return check_column(column), holodb_column_scale(handle_, column); }

  template <class T>
  Statement& bind(int index, const T& value) {
    detail::BindSink sink{live(), index};
    link_->check(detail::send(sink, static_cast<const std::decay_t<const T>&>(value)));
    return *this;
  }
  // Binds 1..n; there must be exactly as many values as parameters (42P02).
  template <class... T>
  Statement& bind_all(const T&... values) {
    if (static_cast<int>(sizeof...(values)) != parameter_count()) {
      throw Error(HOLODB_MISUSE, "42P02",
                  "the statement has " + std::to_string(parameter_count()) + " parameters but " + std::to_string(sizeof...(values)) +
                      " values were given");
    }
    int index = 0;
    (bind(++index, values), ...);
    return *this;
  }

  // True: there is a row to read. False: done; the next step() needs reset() first.
  bool step() {
    if (handle_ == nullptr) return false;
    const int code = holodb_step(handle_);
    state_ = code == HOLODB_ROW ? State::kRow : State::kDone;
    link_->check(code);
    return code == HOLODB_ROW;
  }
  // Ready to run again. Does not throw for the error of the run that it ends: step() has thrown that.
  void reset() noexcept {
    if (handle_ != nullptr) holodb_reset(handle_);
    state_ = State::kReady;
  }
  // Runs to the end with these parameters, dropping rows. Returns the rows that it changed.
  template <class... T>
  int64_t execute(const T&... values) {
    reset();
    bind_all(values...);
    while (step()) {
    }
    return handle_ != nullptr ? holodb_changes(link_->live()) : 0;
  }
  Row row() const { return Row(*this); }

  // For (Row row : statement.rows(a, b)): resets, binds, and steps as the loop goes on.
  class Iterator {
   public:
    using difference_type = std::ptrdiff_t;
    using value_type = Row;
    using iterator_concept = std::input_iterator_tag;
    Iterator() = default;
    explicit Iterator(Statement* statement) : statement_(statement->step() ? statement : nullptr) {}
    Row operator*() const { return statement_->row(); }
    Iterator& operator++() {
      if (!statement_->step()) statement_ = nullptr;
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const Iterator& it, std::default_sentinel_t) { return it.statement_ == nullptr; }

   private:
    Statement* statement_ = nullptr;
  };
  struct Range {
    Statement* statement;
    Iterator begin() const { return Iterator(statement); }
    std::default_sentinel_t end() const { return {}; }
  };
  template <class... T>
  Range rows(const T&... values) {
    reset();
    bind_all(values...);
    return Range{this};
  }

 private:
  friend class Connection;
  friend class Row;
  enum class State { kReady, kRow, kDone };

  Statement(std::shared_ptr<detail::Link> link, holodb_stmt* handle) : link_(std::move(link)), handle_(handle) {}
  void finalize() noexcept {
    if (handle_ != nullptr) holodb_finalize(handle_);
    handle_ = nullptr;
  }
  holodb_stmt* live() const {
    if (handle_ == nullptr) throw Error(HOLODB_MISUSE, "08003", "the statement is empty or has been moved from");
    link_->live();
    return handle_;
  }
  void check_column(int column) const {
    live();
    if (column < 0 || column >= column_count()) {
      throw Error(HOLODB_MISUSE, "22023", "there is no result column " + std::to_string(column));
    }
  }
  void check_row(int column) const {
    check_column(column);
    if (state_ != State::kRow) throw Error(HOLODB_MISUSE, "24000", "there is no current row to read");
  }

  std::shared_ptr<detail::Link> link_;
  holodb_stmt* handle_ = nullptr;
  State state_ = State::kReady;
};

// The rows of Connection::query. Owns its statement; iterate once.
class Result {
 public:
  explicit Result(Statement statement) : statement_(std::move(statement)) {}
  Statement::Iterator begin() { return Statement::Iterator(&statement_); }
  std::default_sentinel_t end() const { return {}; }
  bool step() { return statement_.step(); }
  Row row() const { return statement_.row(); }
  Statement& statement() { return statement_; }
  int column_count() const { return statement_.column_count(); }
  std::string_view column_name(int column) const { return statement_.column_name(column); }
  Type column_type(int column) const { return statement_.column_type(column); }

 private:
  Statement statement_;
};

// A database, in memory or a file. Connections keep it alive: the object may go first.
class Database {
 public:
  enum Flags : uint32_t { kDefault = 0, kReadOnly = HOLODB_OPEN_READONLY, kSingleThread = HOLODB_OPEN_SINGLE_THREAD };

  explicit Database(const std::string& path = ":memory:", uint32_t flags = kDefault) {
    holodb_db* handle = nullptr;
    check(holodb_open(path.c_str(), flags, HOLODB_VERSION, &handle));
    keep(handle);
  }
  // A restore point of a file, to read only, also while somebody writes to the file.
  static Database at_restore_point(const std::string& path, const std::string& name, uint32_t flags = kReadOnly) {
    Database database{nullptr};
    holodb_db* handle = nullptr;
    check(holodb_open_restore_point(path.c_str(), name.c_str(), flags, HOLODB_VERSION, &handle));
    database.keep(handle);
    return database;
  }
  Database(Database&&) noexcept = default;
  Database& operator=(Database&&) noexcept = default;
  holodb_db* handle() const noexcept { return handle_.get(); }
  // What opening had to leave out of the log, as a sentence, or "".
  std::string notice() const { return detail::text_or(holodb_open_notice(handle_.get()), ""); }
  // Copies what is whole of a damaged database to a new one; returns what that was.
  static std::string salvage(const std::string& from, const std::string& to) {
    const char* report = nullptr;
    const int code = holodb_salvage(from.c_str(), to.c_str(), &report);
    if (code != HOLODB_OK) throw Error(code, detail::text_or(holodb_open_sqlstate(), "XX000"), detail::text_or(holodb_open_errmsg(), "cannot salvage"));
    return report;
  }

 private:
  friend class Connection;
  explicit Database(std::nullptr_t) {}
  static void check(int code) {
    if (code != HOLODB_OK) throw Error(code, detail::text_or(holodb_open_sqlstate(), "XX000"), detail::text_or(holodb_open_errmsg(), "cannot open"));
  }
  void keep(holodb_db* handle) {
    handle_ = std::shared_ptr<holodb_db>(handle, [](holodb_db* database) { holodb_close(database); });
  }
  std::shared_ptr<holodb_db> handle_;
};

// Appends rows to a table, column by column in table order. close() commits all of them or throws and keeps none (inside an open
// transaction they become part of that); without close() nothing is kept.
class Appender {
 public:
  Appender(Appender&& other) noexcept : link_(std::move(other.link_)), handle_(std::exchange(other.handle_, nullptr)) {}
  Appender& operator=(Appender&& other) noexcept {
    if (this != &other) {
      abort();
      link_ = std::move(other.link_);
      handle_ = std::exchange(other.handle_, nullptr);
    }
    return *this;
  }
  ~Appender() { abort(); }

  Appender& append(Units units) {
    holodb_appender* handle = live();
    link_->check(holodb_append_units(handle, units.value));
    return *this;
  }
  template <class T>
  Appender& append(const T& value) {
    detail::AppendSink sink{live()};
    link_->check(detail::send(sink, static_cast<const std::decay_t<const T>&>(value)));
    return *this;
  }
  void end_row() {
    holodb_appender* handle = live();  // before link_ is looked through: it is null after a move
    link_->check(holodb_appender_end_row(handle));
  }
  template <class... T>
  void row(const T&... values) {
    (append(values), ...);
    end_row();
  }
  void close() {
    holodb_appender* handle = live();
    handle_ = nullptr;  // freed by the call in every case
    link_->check(holodb_appender_close(handle));
  }
  void abort() noexcept {
    if (handle_ != nullptr) holodb_appender_abort(handle_);
    handle_ = nullptr;
  }

 private:
  friend class Connection;
  Appender(std::shared_ptr<detail::Link> link, holodb_appender* handle) : link_(std::move(link)), handle_(handle) {}
  holodb_appender* live() const {
    if (handle_ == nullptr) throw Error(HOLODB_MISUSE, "08003", "the appender is closed");
    link_->live();
    return handle_;
  }

  std::shared_ptr<detail::Link> link_;
  holodb_appender* handle_ = nullptr;
};

// A session. Destroying it rolls back an open transaction.
class Connection {
 public:
  explicit Connection(const Database& database) : link_(std::make_shared<detail::Link>()) {
    link_->database = database.handle_;
    const int code = holodb_connect(database.handle(), &link_->handle);
    if (code != HOLODB_OK) {
      throw Error(code, detail::text_or(holodb_open_sqlstate(), "XX000"), detail::text_or(holodb_open_errmsg(), "cannot connect"));
    }
  }
  Connection(Connection&&) noexcept = default;
  Connection& operator=(Connection&& other) noexcept {
    if (this != &other) {
      close();
      link_ = std::move(other.link_);
    }
    return *this;
  }
  ~Connection() { close(); }

  // Prepares the first statement of the text; *consumed, if asked for, is where the next one begins.
  Statement prepare(std::string_view sql, size_t* consumed = nullptr) {
    holodb_stmt* stmt = nullptr;
    const char* begin = sql.data() != nullptr ? sql.data() : "";
    const char* tail = begin + sql.size();
    holodb_conn* conn = live();
    link_->check(holodb_prepare(conn, begin, static_cast<int64_t>(sql.size()), &stmt, &tail));
    if (consumed != nullptr) *consumed = static_cast<size_t>(tail - begin);
    return Statement(link_, stmt);
  }
  // Runs every statement of the text, dropping rows; stops at the first error.
  void execute(const std::string& sql) {
    holodb_conn* conn = live();
    link_->check(holodb_exec(conn, sql.c_str()));
  }
  // Runs one statement with parameters. Returns the rows that it changed.
  template <class... T>
    requires(sizeof...(T) > 0)
  int64_t execute(std::string_view sql, const T&... values) {
    return prepare(sql).execute(values...);
  }
  template <class... T>
  Result query(std::string_view sql, const T&... values) {
    Statement statement = prepare(sql);
    statement.bind_all(values...);
    return Result(std::move(statement));
  }
  // The first column of the first row; 02000 if there is no row.
  template <class V, class... T>
  V query_value(std::string_view sql, const T&... values) {
    static_assert(!std::is_same_v<V, std::string_view>, "the view would dangle: ask for std::string");
    Result result = query(sql, values...);
    if (!result.step()) throw Error(HOLODB_ERROR, "02000", "the query returned no row");
    return result.row().template get<V>(0);
  }
  Appender appender(const std::string& table) {
    holodb_appender* handle = nullptr;
    holodb_conn* conn = live();
    link_->check(holodb_appender_open(conn, table.c_str(), &handle));
    return Appender(link_, handle);
  }

  int64_t changes() const { return holodb_changes(live()); }
  bool in_transaction() const { return holodb_in_transaction(live()) != 0; }
  // Ends the running statement with 57014. From any thread.
  void interrupt() const noexcept {
    if (link_ != nullptr && link_->handle != nullptr) holodb_interrupt(link_->handle);
  }
  void close() noexcept {
    if (link_ != nullptr) link_->close();
  }
  holodb_conn* handle() const noexcept { return link_ != nullptr ? link_->handle : nullptr; }

 private:
  holodb_conn* live() const {
    if (link_ == nullptr) throw Error(HOLODB_MISUSE, "08003", "the connection has been moved from");
    return link_->live();
  }

  std::shared_ptr<detail::Link> link_;
};

// BEGIN ... COMMIT; rolls back when it is destroyed before commit(). The connection must outlive it.
class Transaction {
 public:
  explicit Transaction(Connection& connection) : connection_(&connection) { connection_->execute("BEGIN"); }
  Transaction(Transaction&& other) noexcept : connection_(std::exchange(other.connection_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction() {
    if (connection_ != nullptr && connection_->handle() != nullptr) holodb_exec(connection_->handle(), "ROLLBACK");
  }
  void commit() { finish("COMMIT"); }
  void rollback() { finish("ROLLBACK"); }

 private:
  void finish(const char* sql) {
    if (connection_ == nullptr) throw Error(HOLODB_MISUSE, "25P01", "the transaction has ended");
    Connection* connection = connection_;
    connection->execute(sql);
    connection_ = nullptr;  // after a failed COMMIT the destructor still rolls back
  }
  Connection* connection_;
};

inline const char* version() { return holodb_version(); }
inline const char* source_id() { return holodb_source_id(); }

inline bool Row::is_null(int column) const {
  statement_->check_row(column);
  return holodb_column_is_null(statement_->handle_, column) != 0;
}

inline int Row::size() const { return statement_->column_count(); }

template <class T>
T Row::get(int column) const {
  if constexpr (detail::is_optional<T>::value) {
    if (is_null(column)) return std::nullopt;
    return get<typename T::value_type>(column);
  } else {
    if (is_null(column)) throw Error(HOLODB_MISUSE, "22002", "column " + std::to_string(column) + " is NULL: read it as std::optional");
    holodb_stmt* stmt = statement_->handle_;
    const Type type = statement_->column_type(column);
    const auto refuse = [&](const char* want) {
      throw Error(HOLODB_MISUSE, "42804", "column " + std::to_string(column) + " cannot be read exactly as " + want + ": read its text");
    };
    if constexpr (std::is_same_v<T, bool>) {
      if (type != Type::kBoolean) refuse("bool");
      return holodb_column_int64(stmt, column) != 0;
    } else if constexpr (std::is_integral_v<T>) {
      const bool whole = type == Type::kDecimal && holodb_column_scale(stmt, column) == 0 && holodb_column_precision(stmt, column) <= 18;
      if (type != Type::kBigint && type != Type::kBoolean && type != Type::kDate && type != Type::kTimestamp && !whole) {
        refuse("an integer");
      }
      const int64_t value = holodb_column_int64(stmt, column);
      if (!std::in_range<T>(value)) {
        throw Error(HOLODB_MISUSE, "22003", "column " + std::to_string(column) + " does not fit the type asked for");
      }
      return static_cast<T>(value);
    } else if constexpr (std::is_floating_point_v<T>) {
      if (type != Type::kDouble && type != Type::kBigint && type != Type::kDecimal) refuse("double");
      return static_cast<T>(holodb_column_double(stmt, column));
    } else if constexpr (std::is_same_v<T, std::string_view> || std::is_same_v<T, std::string>) {
      const char* text = holodb_column_text(stmt, column);
      if (text == nullptr) statement_->link_->check(HOLODB_NOMEM);
      return T(text, static_cast<size_t>(holodb_column_bytes(stmt, column)));
    } else {
      static_assert(detail::always_false<T>, "read a column as bool, an integer, double, string_view, string, or optional of these");
    }
  }
}

}  // namespace holodb
