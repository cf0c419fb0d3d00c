// SQLite at its strongest, in memory or (W8) in a file: no mutexes, INTEGER PRIMARY KEY, prepared statements, one transaction a load. Its temporary storage is the
// default: with temp_store = MEMORY its sorter allocates each row by itself, and GROUP BY takes 2 to 8 times as long, longer with each call;
// a larger cache_size and PRAGMA threads made nothing faster either (1,000,000 rows, three GROUP BYs).
#include <sqlite3.h>

#include <fstream>

#include "bench/peers/peer.h"
#include "shell/csv_reader.h"

namespace hdb::bench {
namespace {

[[noreturn]] void fail(sqlite3* db, const std::string& doing) {
  throw PeerError("SQLite: " + doing + ": " + (db != nullptr ? sqlite3_errmsg(db) : "out of memory"));
}

class SqliteQuery final : public Query {
 public:
  SqliteQuery(sqlite3* db, const std::string& sql) : db_(db) {
    if (sqlite3_prepare_v2(db, sql.c_str(), static_cast<int>(sql.size() + 1), &stmt_, nullptr) != SQLITE_OK) fail(db, sql);
    columns_ = sqlite3_column_count(stmt_);
  }
  ~SqliteQuery() override { sqlite3_finalize(stmt_); }

  int64_t run(std::span<const Value> values, Rows& rows) override {
    for (size_t i = 0; i < values.size(); ++i) bind(static_cast<int>(i + 1), values[i]);
    int code;
    while ((code = sqlite3_step(stmt_)) == SQLITE_ROW) read(rows);
    if (code != SQLITE_DONE) fail(db_, "step");
    sqlite3_reset(stmt_);
    return columns_ == 0 ? sqlite3_changes(db_) : 0;
  }
  void run_fields(const std::vector<shell::CsvField>& fields, Rows& rows) {
    for (size_t i = 0; i < fields.size(); ++i) {
      if (fields[i].is_null()) {
        sqlite3_bind_null(stmt_, static_cast<int>(i + 1));
      } else {
        bind(static_cast<int>(i + 1), fields[i].text);
      }
    }
    run({}, rows);
  }
  void bind(int index, const Value& value) {
    const int64_t* integer = std::get_if<int64_t>(&value);
    int code;
    if (integer != nullptr) {
      code = sqlite3_bind_int64(stmt_, index, *integer);
    } else {
      const std::string_view text = std::get<std::string_view>(value);
      code = sqlite3_bind_text(stmt_, index, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
    }
    if (code != SQLITE_OK) fail(db_, "bind");
  }

 private:
  void read(Rows& rows) {
    for (int i = 0; i < columns_; ++i) {
      switch (sqlite3_column_type(stmt_, i)) {
        case SQLITE_INTEGER: rows.integer(sqlite3_column_int64(stmt_, i)); break;
        case SQLITE_NULL: rows.null(); break;
        case SQLITE_FLOAT: rows.real(sqlite3_column_double(stmt_, i)); break;
        default: {
          const unsigned char* text = sqlite3_column_text(stmt_, i);
          rows.text({reinterpret_cast<const char*>(text), static_cast<size_t>(sqlite3_column_bytes(stmt_, i))});
        }
      }
    }
    rows.end_row();
  }

  sqlite3* db_;
  sqlite3_stmt* stmt_ = nullptr;
  int columns_ = 0;
};

class SqlitePeer final : public Peer {
 public:
  explicit SqlitePeer(const std::string& file) : in_file_(!file.empty()) {
    if (sqlite3_open_v2(in_file_ ? file.c_str() : ":memory:", &db_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr) != SQLITE_OK) {
      fail(db_, "open");
    }
    if (in_file_) execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -262144; PRAGMA busy_timeout = 60000");
  }
  ~SqlitePeer() override {
    insert_.reset();
    sqlite3_close(db_);
  }
  Settings settings() override {
    return {{"version", sqlite3_libversion()},  {"storage", in_file_ ? "a file, synchronous = FULL, cache of 256 MiB" : ":memory:"},  {"mutex", "SQLITE_OPEN_NOMUTEX"},
            {"journal_mode", in_file_ ? "WAL" : "memory"},
            {"temp_store", "default, which is the fastest"}, {"keys", "INTEGER PRIMARY KEY, no REFERENCES"}, {"load", "prepared INSERT in one transaction"}};
  }
  void create_table(const Table& table) override {
    std::string sql;
    for (const Column& column : table.columns) {
      sql += (sql.empty() ? "CREATE TABLE " + table.name + "(" : ", ") + column.name;
      sql += column.primary && !column.text ? " INTEGER PRIMARY KEY" : column.text ? " TEXT" : " BIGINT";
      if (column.primary && column.text) sql += " PRIMARY KEY";
      if (table.not_null && !column.primary) sql += " NOT NULL";
    }
    execute(sql + ")");
  }
  void load(const Table& table, const Batch& batch) override {
    const size_t columns = table.columns.size();
    if (insert_ == nullptr) {
      execute("BEGIN");
      std::string sql = "INSERT INTO " + table.name + " VALUES (?";
      for (size_t c = 1; c < columns; ++c) sql += ",?";
      insert_ = std::make_unique<SqliteQuery>(db_, sql + ")");
    }
    std::vector<Value> values(columns);
    for (size_t row = 0; row < batch.rows; ++row) {
      for (size_t c = 0; c < columns; ++c) {
        if (table.columns[c].text) {
          values[c] = batch.texts[c][row];
        } else {
          values[c] = batch.integers[c][row];
        }
      }
      insert_->run(values, none_);
    }
  }
  void finish_load() override {
    insert_.reset();
    execute("COMMIT");
  }
  void execute(const std::string& sql) override {
    if (sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail(db_, sql);
  }
  std::unique_ptr<Query> prepare(const std::string& sql) override { return std::make_unique<SqliteQuery>(db_, sql); }
  // SQLite's library reads no CSV: this is what its shell does, with NUMERIC columns (texts that look like a number become one).
  uint64_t import_csv(const std::string& file, const std::string& table) override {
    std::ifstream in(file, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    shell::CsvReader reader(text);
    shell::CsvRecord record;
    if (!reader.next(&record)) throw PeerError("SQLite: " + file + " cannot be read");
    std::string columns;
    std::string marks;
    for (const auto& field : record.fields) {
      columns += (columns.empty() ? "\"" : ", \"") + std::string(field.text) + "\" NUMERIC";
      marks += marks.empty() ? "?" : ",?";
    }
    const size_t count = record.fields.size();
    execute("BEGIN");
    execute("CREATE TABLE " + table + "(" + columns + ")");
    SqliteQuery insert(db_, "INSERT INTO " + table + " VALUES (" + marks + ")");
    uint64_t rows = 0;
    for (; reader.next(&record); ++rows) {
      if (!record.good() || record.fields.size() != count) throw PeerError("SQLite: " + file + ": a line cannot be read");
      insert.run_fields(record.fields, none_);
    }
    execute("COMMIT");
    return rows;
  }

 private:
  bool in_file_;
  sqlite3* db_ = nullptr;
  std::unique_ptr<SqliteQuery> insert_;
  Rows none_;
};

}  // namespace

std::unique_ptr<Peer> make_sqlite(const std::string& file) { return std::make_unique<SqlitePeer>(file); }

}  // namespace hdb::bench
