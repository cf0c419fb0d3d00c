// duckdb_json LIBDUCKDB: a driver for oracle/compare and fuzz/campaign --engine: SQL on standard input, a JSON array for each query, {"error": ...} for each
// statement that fails. The library is loaded by its path, so that nothing of DuckDB is needed to build this.
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <iterator>
#include <string>

namespace {

// Of duckdb.h, version 1: what is used here.
struct Result {
  uint64_t columns, rows, changed;
  void* column_data;
  char* message;
  void* inside;
};
enum Type { kBoolean = 1, kTiny = 2, kDouble = 11, kHuge = 16, kVarchar = 17, kDecimal = 19, kUnsignedHuge = 32 };

struct Library {
  int (*open)(const char*, void**);
  int (*connect)(void*, void**);
  int (*query)(void*, const char*, Result*);
  void (*destroy)(Result*);
  const char* (*error)(Result*);
  uint64_t (*row_count)(Result*);
  uint64_t (*column_count)(Result*);
  const char* (*column_name)(Result*, uint64_t);
  int (*column_type)(Result*, uint64_t);
  char* (*text)(Result*, uint64_t, uint64_t);
  bool (*is_null)(Result*, uint64_t, uint64_t);
  double (*number)(Result*, uint64_t, uint64_t);
  void (*release)(void*);
} duckdb;

template <typename F>
bool take(void* library, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(library, name));
  if (function == nullptr) std::fprintf(stderr, "duckdb_json: the library has no %s\n", name);
  return function != nullptr;
}

std::string quoted(const char* text) {
  std::string out = "\"";
  for (; *text != 0; ++text) {
    char escaped[8];
    if (*text == '"' || *text == '\\') out += '\\', out += *text;
    else if (static_cast<unsigned char>(*text) < 0x20) std::snprintf(escaped, sizeof escaped, "\\u%04x", *text), out += escaped;
    else out += *text;
  }
  return out + "\"";
}

std::string value(Result& r, uint64_t column, uint64_t row, int type) {
  if (duckdb.is_null(&r, column, row)) return "null";
  if (type == 10 || type == kDouble) {
    char text[40];
    const double x = duckdb.number(&r, column, row);
    std::snprintf(text, sizeof text, "%.17g", x);
    return x - x == 0 ? text : std::string("\"") + text + "\"";
  }
  char* text = duckdb.text(&r, column, row);
  const bool plain = (type >= kBoolean && type <= 9) || type == kHuge || type == kDecimal || type == kUnsignedHuge;
  const std::string out = text == nullptr ? "null" : plain ? text : quoted(text);
  duckdb.release(text);
  return out;
}

void run(void* connection, const std::string& sql) {
  if (sql.find_first_not_of(" \t\r\n;") == std::string::npos) return;
  Result r{};
  if (duckdb.query(connection, sql.c_str(), &r) != 0) {
    std::printf("{\"error\":%s}\n", quoted(duckdb.error(&r) == nullptr ? "unknown" : duckdb.error(&r)).c_str());
  } else if (sql.find_first_of("sSvVwW(", sql.find_first_not_of(" \t\r\n")) == sql.find_first_not_of(" \t\r\n")) {  // SELECT, SHOW, VALUES, WITH
    std::string out = "[";
    for (uint64_t row = 0; row < duckdb.row_count(&r); ++row) {
      out += row > 0 ? ",{" : "{";
      for (uint64_t c = 0; c < duckdb.column_count(&r); ++c)
        out += (c > 0 ? "," : "") + quoted(duckdb.column_name(&r, c)) + ":" + value(r, c, row, duckdb.column_type(&r, c));
      out += "}";
    }
    std::printf("%s]\n", out.c_str());
  }
  duckdb.destroy(&r);
}

}  // namespace

int main(int argc, char** argv) {
  void* library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (library == nullptr) return std::fprintf(stderr, "duckdb_json LIBDUCKDB: %s\n", argc == 2 ? dlerror() : "one argument"), 127;
  const bool whole = take(library, "duckdb_open", duckdb.open) && take(library, "duckdb_connect", duckdb.connect) && take(library, "duckdb_query", duckdb.query) &&
                     take(library, "duckdb_destroy_result", duckdb.destroy) && take(library, "duckdb_result_error", duckdb.error) &&
                     take(library, "duckdb_row_count", duckdb.row_count) && take(library, "duckdb_column_count", duckdb.column_count) &&
                     take(library, "duckdb_column_name", duckdb.column_name) && take(library, "duckdb_column_type", duckdb.column_type) &&
                     take(library, "duckdb_value_varchar", duckdb.text) && take(library, "duckdb_value_is_null", duckdb.is_null) &&
                     take(library, "duckdb_value_double", duckdb.number) && take(library, "duckdb_free", duckdb.release);
  void *database = nullptr, *connection = nullptr;
  if (!whole || duckdb.open(nullptr, &database) != 0 || duckdb.connect(database, &connection) != 0) return 127;
  const std::string script((std::istreambuf_iterator<char>(std::cin)), std::istreambuf_iterator<char>());
  std::string sql;
  char quote = 0;
  for (const char c : script) {
    if (quote != 0 ? c == quote : c == '\'' || c == '"') quote = quote != 0 ? 0 : c;
    if (c == ';' && quote == 0) run(connection, sql), sql.clear();
    else sql += c;
  }
  run(connection, sql);
  std::fflush(stdout);
  _Exit(0);
}
