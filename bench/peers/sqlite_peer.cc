// SQLite at its strongest for one thread in memory: no mutexes, INTEGER PRIMARY KEY, prepared statements, one transaction a load.
#include <sqlite3.h>

#include "bench/peers/peer.h"

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
  SqlitePeer() {
    if (sqlite3_open_v2(":memory:", &db_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr) != SQLITE_OK) {
      fail(db_, "open");
    }
    execute("PRAGMA temp_store = MEMORY");
  }
  ~SqlitePeer() override {
    insert_.reset();
    sqlite3_close(db_);
  }
  Settings settings() override {
    return {{"version", sqlite3_libversion()},  {"storage", ":memory:"},  {"mutex", "SQLITE_OPEN_NOMUTEX"}, {"journal_mode", "memory"},
            {"temp_store", "memory"}, {"keys", "INTEGER PRIMARY KEY, no REFERENCES"}, {"load", "prepared INSERT in one transaction"}};
  }
  void create_tables() override {
    execute("CREATE TABLE customers(customer_id INTEGER PRIMARY KEY, name TEXT NOT NULL, segment TEXT NOT NULL, signup_cohort TEXT NOT NULL, "
            "country TEXT NOT NULL)");
    execute("CREATE TABLE invoices(invoice_id INTEGER PRIMARY KEY, customer_id BIGINT NOT NULL, region TEXT NOT NULL, status TEXT NOT NULL, "
            "month TEXT NOT NULL, amount_cents BIGINT NOT NULL, tax_cents BIGINT NOT NULL, balance_cents BIGINT NOT NULL, due_day BIGINT NOT NULL)");
  }
  void load(std::span<const shell::LedgerCustomer> rows) override {
    begin("INSERT INTO customers VALUES (?,?,?,?,?)");
    for (const auto& row : rows) insert({row.customer_id, std::string_view(row.name), row.segment, row.signup_cohort, row.country});
  }
  void load(std::span<const shell::LedgerInvoice> rows) override {
    begin("INSERT INTO invoices VALUES (?,?,?,?,?,?,?,?,?)");
    for (const auto& row : rows) {
      insert({row.invoice_id, row.customer_id, row.region, row.status, row.month, row.amount_cents, row.tax_cents, row.balance_cents, row.due_day});
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

 private:
  void begin(const char* sql) {
    if (insert_ != nullptr) return;
    execute("BEGIN");
    insert_ = std::make_unique<SqliteQuery>(db_, sql);
  }
  void insert(std::initializer_list<Value> values) { insert_->run({values.begin(), values.size()}, none_); }

  sqlite3* db_ = nullptr;
  std::unique_ptr<SqliteQuery> insert_;
  Rows none_;
};

}  // namespace

std::unique_ptr<Peer> make_sqlite() { return std::make_unique<SqlitePeer>(); }

}  // namespace hdb::bench
