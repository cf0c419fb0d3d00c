// DuckDB through its C API, loaded at run time from what bench/fetch_peers fetched: data chunks to the appender (columns are written
// in place, ENUM as codes), prepared statements, results read from their vectors.
#include "bench/peers/peer.h"
#include "duckdb_or_nothing.h"

#ifndef DUCKDB_C_API

namespace hdb::bench {
std::unique_ptr<Peer> make_duckdb(const std::string&, bool, unsigned) {
  throw PeerError("DuckDB: this program was built without it: run bench/fetch_peers and build again");
}
}  // namespace hdb::bench

#else

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>

namespace hdb::bench {
namespace {

#define DUCKDB_CALLS(X)                                                                                                                  \
  X(create_config) X(set_config) X(destroy_config) X(open_ext) X(close) X(connect) X(disconnect) X(library_version) X(free) X(query)     \
  X(result_error) X(destroy_result) X(rows_changed) X(column_count) X(column_type) X(column_logical_type) X(prepare) X(prepare_error)    \
  X(destroy_prepare) X(bind_int64) X(bind_varchar_length) X(execute_prepared) X(fetch_chunk) X(destroy_data_chunk)                       \
  X(data_chunk_get_size) X(data_chunk_set_size) X(data_chunk_get_vector) X(data_chunk_reset) X(create_data_chunk) X(vector_get_data)     \
  X(vector_get_validity) X(validity_row_is_valid) X(vector_assign_string_element_len) X(string_t_length) X(string_t_data)                \
  X(enum_dictionary_size) X(enum_dictionary_value) X(destroy_logical_type) X(appender_create) X(appender_column_type) X(appender_error)  \
  X(appender_close) X(appender_destroy) X(append_data_chunk) X(vector_size) X(get_type_id)

struct Api {
  void* library = nullptr;
#define DECLARE(name) decltype(&duckdb_##name) name = nullptr;
  DUCKDB_CALLS(DECLARE)
#undef DECLARE
};
Api api;

void load_api(const std::string& path) {
  if (api.library != nullptr) return;
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw PeerError(std::string("DuckDB: ") + dlerror() + " (bench/fetch_peers fetches it)");
#define RESOLVE(name)                                                                           \
  api.name = reinterpret_cast<decltype(&duckdb_##name)>(dlsym(library, "duckdb_" #name));       \
  if (api.name == nullptr) throw PeerError("DuckDB: the library has no duckdb_" #name);
  DUCKDB_CALLS(RESOLVE)
#undef RESOLVE
  api.library = library;
}

struct Result {
  duckdb_result handle{};
  Result() = default;
  Result(const Result&) = delete;
  Result& operator=(const Result&) = delete;
  ~Result() { api.destroy_result(&handle); }
};

std::vector<std::string> enum_names(duckdb_logical_type type) {
  std::vector<std::string> names(api.enum_dictionary_size(type));
  for (size_t i = 0; i < names.size(); ++i) {
    char* name = api.enum_dictionary_value(type, i);
    names[i] = name;
    api.free(name);
  }
  return names;
}

class DuckQuery final : public Query {
 public:
  DuckQuery(duckdb_connection conn, const std::string& sql) {
    if (api.prepare(conn, sql.c_str(), &stmt_) != DuckDBSuccess) {
      const std::string message = "DuckDB: " + sql + ": " + api.prepare_error(stmt_);
      api.destroy_prepare(&stmt_);
      throw PeerError(message);
    }
  }
  ~DuckQuery() override { api.destroy_prepare(&stmt_); }

  int64_t run(std::span<const Value> values, Rows& rows) override {
    for (size_t i = 0; i < values.size(); ++i) {
      const int64_t* integer = std::get_if<int64_t>(&values[i]);
      const std::string_view text = integer != nullptr ? std::string_view() : std::get<std::string_view>(values[i]);
      const duckdb_state state =
          integer != nullptr ? api.bind_int64(stmt_, i + 1, *integer) : api.bind_varchar_length(stmt_, i + 1, text.data(), text.size());
      if (state != DuckDBSuccess) throw PeerError("DuckDB: bind failed");
    }
    Result result;
    if (api.execute_prepared(stmt_, &result.handle) != DuckDBSuccess) throw PeerError(std::string("DuckDB: ") + api.result_error(&result.handle));
    if (types_.empty()) learn(result.handle);
    while (duckdb_data_chunk chunk = api.fetch_chunk(result.handle)) {
      read(chunk, rows);
      api.destroy_data_chunk(&chunk);
    }
    return static_cast<int64_t>(api.rows_changed(&result.handle));
  }

 private:
  void learn(duckdb_result& result) {
    const idx_t columns = api.column_count(&result);
    for (idx_t i = 0; i < columns; ++i) {
      types_.push_back(api.column_type(&result, i));
      names_.emplace_back();
      if (types_.back() != DUCKDB_TYPE_ENUM) continue;
      duckdb_logical_type type = api.column_logical_type(&result, i);
      names_.back() = enum_names(type);
      api.destroy_logical_type(&type);
    }
  }
  void read(duckdb_data_chunk chunk, Rows& rows) {
    const idx_t count = api.data_chunk_get_size(chunk);
    std::array<duckdb_vector, 16> vectors{};
    const size_t columns = types_.size();
    if (columns > vectors.size()) throw PeerError("DuckDB: more columns than this harness reads");
    for (size_t c = 0; c < columns; ++c) vectors[c] = api.data_chunk_get_vector(chunk, c);
    for (idx_t r = 0; r < count; ++r) {
      for (size_t c = 0; c < columns; ++c) read_value(vectors[c], c, r, rows);
      rows.end_row();
    }
  }
  void read_value(duckdb_vector vector, size_t column, idx_t row, Rows& rows) {
    uint64_t* validity = api.vector_get_validity(vector);
    if (validity != nullptr && !api.validity_row_is_valid(validity, row)) return rows.null();
    void* data = api.vector_get_data(vector);
    switch (types_[column]) {
      case DUCKDB_TYPE_BIGINT: return rows.integer(static_cast<int64_t*>(data)[row]);
      case DUCKDB_TYPE_INTEGER: return rows.integer(static_cast<int32_t*>(data)[row]);
      case DUCKDB_TYPE_DOUBLE: return rows.real(static_cast<double*>(data)[row]);
      case DUCKDB_TYPE_HUGEINT: {
        const duckdb_hugeint value = static_cast<duckdb_hugeint*>(data)[row];
        const bool fits = value.upper == (static_cast<int64_t>(value.lower) < 0 ? -1 : 0);
        if (!fits) throw PeerError("DuckDB: a sum does not fit 64 bits");
        return rows.integer(static_cast<int64_t>(value.lower));
      }
      case DUCKDB_TYPE_VARCHAR: {
        duckdb_string_t& text = static_cast<duckdb_string_t*>(data)[row];
        return rows.text({api.string_t_data(&text), api.string_t_length(text)});
      }
      case DUCKDB_TYPE_ENUM: return rows.text(names_[column][static_cast<uint8_t*>(data)[row]]);  // all have fewer than 256 values
      default: throw PeerError("DuckDB: a result of a type that this harness does not read");
    }
  }

  duckdb_prepared_statement stmt_ = nullptr;
  std::vector<duckdb_type> types_;
  std::vector<std::vector<std::string>> names_;
};

// Fills data chunks in place and hands them to the appender.
class DuckLoader {
 public:
  DuckLoader(duckdb_connection conn, const char* table, idx_t columns) : capacity_(api.vector_size()) {
    if (api.appender_create(conn, nullptr, table, &appender_) != DuckDBSuccess) check(DuckDBError);
    for (idx_t i = 0; i < columns; ++i) {
      types_.push_back(api.appender_column_type(appender_, i));
      const bool is_enum = api.get_type_id(types_.back()) == DUCKDB_TYPE_ENUM;
      names_.push_back(is_enum ? enum_names(types_.back()) : std::vector<std::string>());
    }
    codes_.resize(columns);
    chunk_ = api.create_data_chunk(types_.data(), types_.size());
    renew();
  }
  DuckLoader(const DuckLoader&) = delete;
  DuckLoader& operator=(const DuckLoader&) = delete;
  ~DuckLoader() {
    api.destroy_data_chunk(&chunk_);
    for (auto& type : types_) api.destroy_logical_type(&type);
    api.appender_destroy(&appender_);
  }
  void integer(size_t column, int64_t value) { static_cast<int64_t*>(data_[column])[size_] = value; }
  void text(size_t column, std::string_view value) {
    const auto& names = names_[column];
    if (names.empty()) return api.vector_assign_string_element_len(vectors_[column], size_, value.data(), value.size());
    // Texts of a domain are views of it (T2), so that a pointer stands for its text: DuckDB should not pay for our search.
    const auto [known, is_new] = codes_[column].try_emplace(value.data(), uint8_t{0});
    if (is_new) {
      const auto found = std::find(names.begin(), names.end(), value);
      if (found == names.end()) throw PeerError("DuckDB: a value is not in its ENUM: " + std::string(value));
      known->second = static_cast<uint8_t>(found - names.begin());
    }
    static_cast<uint8_t*>(data_[column])[size_] = known->second;
  }
  void end_row() {
    if (++size_ == capacity_) flush();
  }
  void close() {
    flush();
    check(api.appender_close(appender_));
  }

 private:
  void check(duckdb_state state) {
    if (state != DuckDBSuccess) throw PeerError(std::string("DuckDB: append: ") + api.appender_error(appender_));
  }
  void flush() {
    if (size_ == 0) return;
    api.data_chunk_set_size(chunk_, size_);
    check(api.append_data_chunk(appender_, chunk_));
    api.data_chunk_reset(chunk_);
    size_ = 0;
    renew();
  }
  void renew() {
    vectors_.clear();
    data_.clear();
    for (idx_t i = 0; i < types_.size(); ++i) {
      vectors_.push_back(api.data_chunk_get_vector(chunk_, i));
      data_.push_back(api.vector_get_data(vectors_.back()));
    }
  }

  duckdb_appender appender_ = nullptr;
  duckdb_data_chunk chunk_ = nullptr;
  std::vector<duckdb_logical_type> types_;
  std::vector<std::vector<std::string>> names_;
  std::vector<std::unordered_map<const char*, uint8_t>> codes_;
  std::vector<duckdb_vector> vectors_;
  std::vector<void*> data_;
  idx_t size_ = 0;
  idx_t capacity_;
};

class DuckPeer final : public Peer {
 public:
  DuckPeer(const std::string& library, bool enums, unsigned threads) : enums_(enums), threads_(std::to_string(threads)) {
    load_api(library);
    duckdb_config config = nullptr;
    api.create_config(&config);
    api.set_config(config, "threads", threads_.c_str());
    char* error = nullptr;
    const duckdb_state state = api.open_ext(nullptr, &db_, config, &error);
    api.destroy_config(&config);
    if (state != DuckDBSuccess) throw PeerError(std::string("DuckDB: open: ") + (error != nullptr ? error : "failed"));
    if (api.connect(db_, &conn_) != DuckDBSuccess) throw PeerError("DuckDB: connect failed");
  }
  ~DuckPeer() override {
    loader_.reset();
    api.disconnect(&conn_);
    api.close(&db_);
  }
  Settings settings() override {
    return {{"version", api.library_version()}, {"storage", ":memory:"}, {"threads", threads_}, {"small domains", enums_ ? "ENUM" : "TEXT"},
            {"keys", "PRIMARY KEY, no REFERENCES"}, {"load", "appender, data chunks filled in place"}};
  }
  void create_table(const Table& table) override {
    std::string sql;
    for (const Column& column : table.columns) {
      std::string type = column.text ? "TEXT" : "BIGINT";
      if (enums_ && !column.domain.empty()) type = enum_type(column);
      sql += (sql.empty() ? "CREATE TABLE " + table.name + "(" : ", ") + column.name + " " + type;
      sql += column.primary ? " PRIMARY KEY" : table.not_null ? " NOT NULL" : "";
    }
    execute(sql + ")");
  }
  void load(const Table& table, const Batch& batch) override {
    if (loader_ == nullptr) loader_ = std::make_unique<DuckLoader>(conn_, table.name.c_str(), table.columns.size());
    for (size_t row = 0; row < batch.rows; ++row) {
      for (size_t c = 0; c < table.columns.size(); ++c) {
        if (table.columns[c].text) {
          loader_->text(c, batch.texts[c][row]);
        } else {
          loader_->integer(c, batch.integers[c][row]);
        }
      }
      loader_->end_row();
    }
  }
  void finish_load() override {
    loader_->close();
    loader_.reset();
  }
  void execute(const std::string& sql) override {
    Result result;
    if (api.query(conn_, sql.c_str(), &result.handle) != DuckDBSuccess) throw PeerError("DuckDB: " + sql + ": " + api.result_error(&result.handle));
  }
  std::unique_ptr<Query> prepare(const std::string& sql) override { return std::make_unique<DuckQuery>(conn_, sql); }
  uint64_t import_csv(const std::string& file, const std::string& table) override {
    execute("CREATE TABLE " + table + " AS SELECT * FROM read_csv('" + file + "')");
    Rows rows;
    run_text("SELECT COUNT(*) FROM " + table, rows);
    return std::stoull(rows.to_text());
  }

 private:
  std::string enum_type(const Column& column) {
    const std::string type = "e_" + (column.domain_name.empty() ? column.name : column.domain_name);
    if (!enum_types_.insert(type).second) return type;
    auto names = column.domain;
    std::sort(names.begin(), names.end());  // an ENUM sorts as it was declared, and ORDER BY should mean the same everywhere
    std::string list;
    for (const std::string_view name : names) list += (list.empty() ? "'" : ", '") + std::string(name) + "'";
    execute("CREATE TYPE " + type + " AS ENUM (" + list + ")");
    return type;
  }

  bool enums_;
  std::string threads_;
  std::set<std::string> enum_types_;
  duckdb_database db_ = nullptr;
  duckdb_connection conn_ = nullptr;
  std::unique_ptr<DuckLoader> loader_;
};

}  // namespace

std::unique_ptr<Peer> make_duckdb(const std::string& library, bool enums, unsigned threads) {
  return std::make_unique<DuckPeer>(library, enums, threads);
}

}  // namespace hdb::bench

#endif
