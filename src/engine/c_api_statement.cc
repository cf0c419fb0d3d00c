// The C ABI's statements: prepare, bind, step, columns.
#include <charconv>
#include <cmath>

#include "engine/c_handles.h"
#include "engine/parameters.h"
#include "plan/make.h"

using namespace hdb;

namespace {

template <class F>
int bound(holodb_stmt* stmt, int index, F&& set) noexcept {
  if (stmt == nullptr) return HOLODB_MISUSE;
  return guarded_by_owner(*stmt->core, [&] {
    Statement& s = *stmt->statement;
    if (index < 1 || static_cast<uint32_t>(index) > s.user_parameters) {
      stmt->core->error.set(sqlstate::kParameter, "the statement has no parameter " + std::to_string(index) + " (it has " +
                            std::to_string(s.user_parameters) + ")", -1);
      return HOLODB_MISUSE;
    }
    return set(s.parameters[static_cast<size_t>(index - 1)]);
  });
}

std::string_view view_of(const char* text, int64_t bytes) {
  return bytes < 0 ? std::string_view(text) : std::string_view(text, static_cast<size_t>(bytes));
}

// Result columns: of the plan, or of SHOW and EXPLAIN.
size_t column_count(const Statement& s) { return s.columns.empty() ? s.compiled->plan.result.size() : s.columns.size(); }
const Type& column_type(const Statement& s, size_t c) { return s.columns.empty() ? s.compiled->plan.result[c].type : s.columns[c].type; }
const std::string& column_name(const Statement& s, size_t c) { return s.columns.empty() ? s.compiled->plan.result[c].name : s.columns[c].name; }

bool has_row(const Statement& s) { return s.executed && s.next_row > 0 && s.next_row <= s.result.rows.row_count(); }

// The cell of the current row, or false.
bool cell(holodb_stmt* stmt, int column, uint32_t* row) {
  if (stmt == nullptr || column < 0) return false;
  const Statement& s = *stmt->statement;
  if (!has_row(s) || static_cast<uint32_t>(column) >= s.result.rows.column_count()) return false;
  *row = s.next_row - 1;
  return !s.result.rows.is_null(static_cast<uint32_t>(column), *row);
}

// Truncated towards zero.
int64_t whole(const Type& type, int128 v) {
  for (int i = 0; type.id == TypeId::kDecimal && i < type.scale; ++i) v /= 10;
  if (v > INT64_MAX) return INT64_MAX;
  return v < INT64_MIN ? INT64_MIN : static_cast<int64_t>(v);
}

}  // namespace

extern "C" {

int holodb_prepare(holodb_conn* conn, const char* sql, int64_t bytes, holodb_stmt** stmt, const char** tail) {
  if (stmt != nullptr) *stmt = nullptr;
  if (conn == nullptr) return HOLODB_MISUSE;
  ConnectionCore& core = *conn->core;
  return guarded(core, [&] {
    if (sql == nullptr || stmt == nullptr) return core.error.misuse("the text of a statement, or where to put it, is NULL");
    const std::string_view text = view_of(sql, bytes);
    if (tail != nullptr) *tail = text.data() + text.size();
    size_t end = 0;
    auto statement = core.connection->prepare(text, 0, &end);
    if (tail != nullptr) *tail = text.data() + end;
    if (statement == nullptr) return HOLODB_OK;
    auto handle = std::make_unique<holodb_stmt>();
    handle->core = conn->core;
    handle->statement = std::move(statement);
    *stmt = handle.release();
    return HOLODB_OK;
  });
}

int holodb_parameter_count(holodb_stmt* stmt) { return stmt == nullptr ? 0 : static_cast<int>(stmt->statement->user_parameters); }

int holodb_bind_null(holodb_stmt* stmt, int index) {
  return bound(stmt, index, [](Value& v) {
    v.null = true;
    return HOLODB_OK;
  });
}

int holodb_bind_bool(holodb_stmt* stmt, int index, int value) {
  return bound(stmt, index, [&](Value& v) {
    v.type = Type::boolean();
    v.null = false;
    v.number = value != 0 ? 1 : 0;
    return HOLODB_OK;
  });
}

int holodb_bind_int64(holodb_stmt* stmt, int index, int64_t value) {
  return bound(stmt, index, [&](Value& v) {
    v.type = Type::bigint();
    v.null = false;
    v.number = value;
    return HOLODB_OK;
  });
}

int holodb_bind_double(holodb_stmt* stmt, int index, double value) {
  return bound(stmt, index, [&](Value& v) {
    v.type = Type::real();
    v.null = false;
    v.real = value;
    return HOLODB_OK;
  });
}

int holodb_bind_text(holodb_stmt* stmt, int index, const char* text, int64_t bytes) {
  return bound(stmt, index, [&](Value& v) {
    if (text == nullptr) {
      v.null = true;
      return HOLODB_OK;
    }
    check_text(view_of(text, bytes));
    v.text.assign(view_of(text, bytes));
    v.type = Type::text();
    v.null = false;
    return HOLODB_OK;
  });
}

int holodb_bind_blob(holodb_stmt* stmt, int index, const void*, int64_t) {
  return bound(stmt, index, [&](Value&) -> int { fail(sqlstate::kFeature, "BLOB is not supported yet"); });
}

int holodb_bind_decimal_text(holodb_stmt* stmt, int index, const char* text, int64_t bytes) {
  return bound(stmt, index, [&](Value& v) {
    if (text == nullptr) {
      v.null = true;
      return HOLODB_OK;
    }
    v = decimal_value(view_of(text, bytes));
    return HOLODB_OK;
  });
}

int holodb_step(holodb_stmt* stmt) {
  if (stmt == nullptr) return HOLODB_MISUSE;
  ConnectionCore& core = *stmt->core;
  return guarded(core, [&] {
    Statement& s = *stmt->statement;
    if (!s.executed) core.connection->execute(s);
    if (s.next_row >= s.result.rows.row_count()) {
      s.next_row = s.result.rows.row_count() + 1;
      return HOLODB_DONE;
    }
    ++s.next_row;
    return HOLODB_ROW;
  });
}

int holodb_reset(holodb_stmt* stmt) {
  if (stmt == nullptr) return HOLODB_MISUSE;
  return guarded(*stmt->core, [&] {
    Statement& s = *stmt->statement;
    s.executed = false;
    s.next_row = 0;
    s.result.clear();
    return HOLODB_OK;
  });
}

int holodb_finalize(holodb_stmt* stmt) {
  if (stmt == nullptr) return HOLODB_OK;
  const std::shared_ptr<ConnectionCore> core = stmt->core;  // its mutex outlives the guard
  const std::lock_guard<std::mutex> hold(core->connection->mutex);
  delete stmt;
  return HOLODB_OK;
}

int holodb_column_count(holodb_stmt* stmt) { return stmt == nullptr ? 0 : static_cast<int>(column_count(*stmt->statement)); }

const char* holodb_column_name(holodb_stmt* stmt, int column) {
  if (stmt == nullptr || column < 0 || static_cast<size_t>(column) >= column_count(*stmt->statement)) return nullptr;
  return column_name(*stmt->statement, static_cast<size_t>(column)).c_str();
}

int holodb_column_type(holodb_stmt* stmt, int column) {
  if (stmt == nullptr || column < 0 || static_cast<size_t>(column) >= column_count(*stmt->statement)) return HOLODB_TYPE_NULL;
  return static_cast<int>(column_type(*stmt->statement, static_cast<size_t>(column)).id);
}

int holodb_column_precision(holodb_stmt* stmt, int column) {
  if (holodb_column_type(stmt, column) != HOLODB_TYPE_DECIMAL) return 0;
  return column_type(*stmt->statement, static_cast<size_t>(column)).precision;
}

int holodb_column_scale(holodb_stmt* stmt, int column) {
  if (holodb_column_type(stmt, column) != HOLODB_TYPE_DECIMAL) return 0;
  return column_type(*stmt->statement, static_cast<size_t>(column)).scale;
}

int holodb_column_is_null(holodb_stmt* stmt, int column) {
  uint32_t row = 0;
  return cell(stmt, column, &row) ? 0 : 1;
}

int64_t holodb_column_int64(holodb_stmt* stmt, int column) {
  uint32_t row = 0;
  if (!cell(stmt, column, &row)) return 0;
  const auto c = static_cast<uint32_t>(column);
  const MaterializedResult& rows = stmt->statement->result.rows;
  switch (rows.column(c).lane) {
    case Lane::kInt64: return rows.type(c).id == TypeId::kDecimal ? whole(rows.type(c), rows.int64(c, row)) : rows.int64(c, row);
    case Lane::kInt128: return whole(rows.type(c), rows.column(c).i128[row]);
    case Lane::kDouble: {
      const double v = rows.real(c, row);
      if (std::isnan(v)) return 0;
      if (v >= 9223372036854775808.0) return INT64_MAX;
      return v < -9223372036854775808.0 ? INT64_MIN : static_cast<int64_t>(v);
    }
    case Lane::kText: break;
  }
  int64_t v = 0;
  const std::string_view text = rows.text(c, row);
  std::from_chars(text.data(), text.data() + text.size(), v);
  return v;
}

double holodb_column_double(holodb_stmt* stmt, int column) {
  uint32_t row = 0;
  if (!cell(stmt, column, &row)) return 0;
  const auto c = static_cast<uint32_t>(column);
  const MaterializedResult& rows = stmt->statement->result.rows;
  if (rows.column(c).lane == Lane::kDouble) return rows.real(c, row);
  if (rows.type(c).id == TypeId::kBigint || rows.type(c).id == TypeId::kBoolean) return static_cast<double>(rows.int64(c, row));
  try {
    return cast_value(rows.value(c, row), Type::real()).real;
  } catch (...) {
    return 0;
  }
}

const char* holodb_column_text(holodb_stmt* stmt, int column) {
  uint32_t row = 0;
  if (!cell(stmt, column, &row)) return nullptr;
  const auto c = static_cast<uint32_t>(column);
  const MaterializedResult& rows = stmt->statement->result.rows;
  try {
    if (stmt->texts.size() <= c) stmt->texts.resize(rows.column_count());
    if (rows.column(c).lane == Lane::kText) stmt->texts[c].assign(rows.text(c, row));
    else stmt->texts[c].assign(std::string_view(to_text(rows.value(c, row))));  // in place: an earlier pointer to this row's text stays good
    return stmt->texts[c].c_str();
  } catch (...) {
    return nullptr;
  }
}

int64_t holodb_column_bytes(holodb_stmt* stmt, int column) {
  uint32_t row = 0;
  if (!cell(stmt, column, &row)) return 0;
  const auto c = static_cast<uint32_t>(column);
  const MaterializedResult& rows = stmt->statement->result.rows;
  if (rows.column(c).lane == Lane::kText) return static_cast<int64_t>(rows.text(c, row).size());
  return holodb_column_text(stmt, column) == nullptr ? 0 : static_cast<int64_t>(stmt->texts[c].size());
}

}  // extern "C"
