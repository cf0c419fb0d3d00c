// HoloDb through its C ABI: prepared statements, the appender; CSV as the shell's .import does it.
#include "bench/peers/peer.h"
#include "include/holodb/holodb.hpp"
#include "shell/csv_import.h"

namespace hdb::bench {
namespace {

[[noreturn]] void fail(holodb_conn* conn, const std::string& doing) {
  throw PeerError("HoloDb: " + doing + ": " + holodb_sqlstate(conn) + " " + holodb_errmsg(conn));
}

class HoloQuery final : public Query {
 public:
  HoloQuery(holodb_conn* conn, const std::string& sql) : conn_(conn) {
    if (holodb_prepare(conn, sql.c_str(), static_cast<int64_t>(sql.size()), &stmt_, nullptr) != HOLODB_OK) fail(conn, sql);
    const int columns = holodb_column_count(stmt_);
    for (int i = 0; i < columns; ++i) types_.push_back(holodb_column_type(stmt_, i));
  }
  ~HoloQuery() override { holodb_finalize(stmt_); }

  int64_t run(std::span<const Value> values, Rows& rows) override {
    holodb_reset(stmt_);
    for (size_t i = 0; i < values.size(); ++i) bind(static_cast<int>(i + 1), values[i]);
    int code;
    while ((code = holodb_step(stmt_)) == HOLODB_ROW) read(rows);
    if (code != HOLODB_DONE) fail(conn_, "step");
    return types_.empty() ? holodb_changes(conn_) : 0;
  }

 private:
  void bind(int index, const Value& value) {
    const int64_t* integer = std::get_if<int64_t>(&value);
    int code;
    if (integer != nullptr) {
      code = holodb_bind_int64(stmt_, index, *integer);
    } else {
      const std::string_view text = std::get<std::string_view>(value);
      code = holodb_bind_text(stmt_, index, text.data(), static_cast<int64_t>(text.size()));
    }
    if (code != HOLODB_OK) fail(conn_, "bind");
  }
  void read(Rows& rows) {
    for (int i = 0; i < static_cast<int>(types_.size()); ++i) {
      if (holodb_column_is_null(stmt_, i) != 0) {
        rows.null();
      } else if (types_[static_cast<size_t>(i)] == HOLODB_TYPE_BIGINT) {
        rows.integer(holodb_column_int64(stmt_, i));
      } else if (types_[static_cast<size_t>(i)] == HOLODB_TYPE_DOUBLE) {
        rows.real(holodb_column_double(stmt_, i));
      } else {
        const char* text = holodb_column_text(stmt_, i);
        rows.text({text, static_cast<size_t>(holodb_column_bytes(stmt_, i))});
      }
    }
    rows.end_row();
  }

  holodb_conn* conn_;
  holodb_stmt* stmt_ = nullptr;
  std::vector<int> types_;
};

class HoloPeer final : public Peer {
 public:
  HoloPeer(std::shared_ptr<holodb::Database> database, std::string file) : database_(std::move(database)), file_(std::move(file)) {
    if (holodb_connect(database_->handle(), &conn_) != HOLODB_OK) throw PeerError(std::string("HoloDb: connect: ") + holodb_open_errmsg());
  }
  ~HoloPeer() override {
    if (appender_ != nullptr) holodb_appender_abort(appender_);
    holodb_disconnect(conn_);
  }
  Settings settings() override {
    return {{"version", holodb_version()},
            {"source_id", holodb_source_id()},
            {"storage", file_.empty() ? "in memory" : "a file, synchronous = full"}, {"keys", "PRIMARY KEY, REFERENCES"}};
  }
  void create_table(const Table& table) override {
    std::string sql;
    for (const Column& column : table.columns) {
      sql += (sql.empty() ? "CREATE TABLE " + table.name + "(" : ", ") + column.name + (column.text ? " TEXT" : " BIGINT");
      sql += column.primary ? " PRIMARY KEY" : table.not_null ? " NOT NULL" : "";
      if (!column.references.empty()) sql += " REFERENCES " + column.references;
    }
    execute(sql + ")");
  }
  void load(const Table& table, const Batch& batch) override {
    if (appender_ == nullptr && holodb_appender_open(conn_, table.name.c_str(), &appender_) != HOLODB_OK) fail(conn_, table.name);
    for (size_t row = 0; row < batch.rows; ++row) {
      for (size_t c = 0; c < table.columns.size(); ++c) {
        if (table.columns[c].text) {
          append(batch.texts[c][row]);
        } else {
          integer(batch.integers[c][row]);
        }
      }
      end_row();
    }
  }
  void finish_load() override {
    holodb_appender* appender = std::exchange(appender_, nullptr);
    if (holodb_appender_close(appender) != HOLODB_OK) fail(conn_, "load");
  }
  void execute(const std::string& sql) override {
    if (holodb_exec(conn_, sql.c_str()) != HOLODB_OK) fail(conn_, sql);
  }
  std::unique_ptr<Query> prepare(const std::string& sql) override { return std::make_unique<HoloQuery>(conn_, sql); }
  std::unique_ptr<Peer> connect() override { return std::make_unique<HoloPeer>(database_, file_); }
  uint64_t import_csv(const std::string& file, const std::string& table) override {
    holodb::Connection connection(*database_);
    const auto report = shell::import_csv(connection, {.file = file, .table = table});
    if (!report.kept) throw PeerError("HoloDb: import of " + file + ": " + std::to_string(report.rejected) + " lines were rejected");
    return report.rows;
  }

 private:
  void integer(int64_t value) {
    if (holodb_append_int64(appender_, value) != HOLODB_OK) fail(conn_, "append");
  }
  void append(std::string_view text) {
    if (holodb_append_text(appender_, text.data(), static_cast<int64_t>(text.size())) != HOLODB_OK) fail(conn_, "append");
  }
  void end_row() {
    if (holodb_appender_end_row(appender_) != HOLODB_OK) fail(conn_, "append");
  }

  std::shared_ptr<holodb::Database> database_;
  std::string file_;
  holodb_conn* conn_ = nullptr;
  holodb_appender* appender_ = nullptr;
};

}  // namespace

std::unique_ptr<Peer> make_holodb(const std::string& file) {
  return std::make_unique<HoloPeer>(std::make_shared<holodb::Database>(file.empty() ? ":memory:" : file), file);
}

}  // namespace hdb::bench
