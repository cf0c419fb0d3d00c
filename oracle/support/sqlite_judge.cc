#include "sqlite_judge.h"

#include <limits>

#include "model/print.h"
#include "peer.h"

namespace judge {

namespace {

enum class Total : uint8_t { kSum, kAverage, kDecimalAverage, kRealSum, kRealAverage };

struct Accumulator {
  model::Big integer = 0;
  model::RealSum real;
  int64_t count = 0;
};

Accumulator*& accumulator(sqlite3_context* context) { return *static_cast<Accumulator**>(sqlite3_aggregate_context(context, sizeof(Accumulator*))); }

void step(sqlite3_context* context, int, sqlite3_value** values) {
  Accumulator*& a = accumulator(context);
  if (a == nullptr) a = new Accumulator;
  if (sqlite3_value_type(values[0]) == SQLITE_NULL) return;
  ++a->count;
  const auto kind = static_cast<Total>(reinterpret_cast<intptr_t>(sqlite3_user_data(context)));
  if (kind >= Total::kRealSum) {
    a->real.add(sqlite3_value_double(values[0]));
  } else {
    if (sqlite3_value_type(values[0]) != SQLITE_INTEGER) sqlite3_result_error(context, "not an integer", -1);
    a->integer += sqlite3_value_int64(values[0]);
  }
}

void give_integer(sqlite3_context* context, const model::Big& n) {
  if (n >= std::numeric_limits<int64_t>::min() && n <= std::numeric_limits<int64_t>::max()) {
    sqlite3_result_int64(context, static_cast<int64_t>(n));
  } else {
    const std::string text = n.str();
    sqlite3_result_text(context, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
  }
}

void finish(sqlite3_context* context) {
  Accumulator* a = accumulator(context);
  if (a == nullptr || a->count == 0) {
    sqlite3_result_null(context);
  } else {
    switch (static_cast<Total>(reinterpret_cast<intptr_t>(sqlite3_user_data(context)))) {
      case Total::kSum:
        give_integer(context, a->integer);
        break;
      case Total::kAverage:
        sqlite3_result_double(context, model::round_ratio(a->integer, a->count));
        break;
      case Total::kDecimalAverage:
        give_integer(context, model::divide_half_away(a->integer * model::power_of_ten(6), a->count));
        break;
      case Total::kRealSum:
        sqlite3_result_double(context, a->real.total());
        break;
      case Total::kRealAverage:
        sqlite3_result_double(context, a->real.average(a->count));
        break;
    }
  }
  delete a;
}

// A BIGINT beyond 64 bits arrives as text: that is SUM's 22003.
model::Value value_at(sqlite3_stmt* stmt, int c, const model::Type& type) {
  using model::Kind;
  const int found = sqlite3_column_type(stmt, c);
  if (found == SQLITE_NULL) return {};
  const auto text = [&] {
    return std::string(reinterpret_cast<const char*>(sqlite3_column_text(stmt, c)), static_cast<size_t>(sqlite3_column_bytes(stmt, c)));
  };
  switch (type.kind) {
    case Kind::kBool:
      return model::make_bool(sqlite3_column_int64(stmt, c) != 0);
    case Kind::kInt:
      if (found == SQLITE_TEXT) throw model::Fault{"22003"};
      return model::make_int(sqlite3_column_int64(stmt, c));
    case Kind::kDec:
      return model::make_dec_checked(found == SQLITE_TEXT ? model::Big(text()) : model::Big(sqlite3_column_int64(stmt, c)), type.scale);
    case Kind::kDbl:
      return model::make_dbl(sqlite3_column_double(stmt, c));
    case Kind::kDate:
      return model::make_date(model::days_from_text(text()));
    default:
      return model::make_text(text());
  }
}

void bind(sqlite3_stmt* stmt, int i, const model::Value& v) {
  using model::Kind;
  switch (v.kind) {
    case Kind::kNull:
      sqlite3_bind_null(stmt, i);
      break;
    case Kind::kBool:
    case Kind::kInt:
    case Kind::kDec:
      sqlite3_bind_int64(stmt, i, static_cast<int64_t>(v.n));
      break;
    case Kind::kDbl:
      sqlite3_bind_double(stmt, i, v.d);
      break;
    case Kind::kText:
    case Kind::kDate: {
      const std::string text = model::to_text(v);
      sqlite3_bind_text(stmt, i, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
      break;
    }
  }
}

}  // namespace

SqliteJudge::SqliteJudge() {
  if (sqlite3_open(":memory:", &db_) != SQLITE_OK) throw Failure{"crash", "SQLite does not open"};
  const std::pair<const char*, Total> functions[] = {{"exact_sum", Total::kSum},
                                                     {"exact_avg", Total::kAverage},
                                                     {"exact_dec_avg", Total::kDecimalAverage},
                                                     {"exact_real_sum", Total::kRealSum},
                                                     {"exact_real_avg", Total::kRealAverage}};
  for (const auto& [name, total] : functions) {
    sqlite3_create_function(db_, name, 1, SQLITE_UTF8, reinterpret_cast<void*>(static_cast<intptr_t>(total)), nullptr, step, finish);
  }
  execute("PRAGMA case_sensitive_like = ON");
}

SqliteJudge::~SqliteJudge() { sqlite3_close(db_); }

void SqliteJudge::execute(const std::string& sql) {
  char* message = nullptr;
  if (sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, &message) == SQLITE_OK) return;
  const std::string text = message == nullptr ? "" : message;
  sqlite3_free(message);
  throw Failure{"wrong-result", "the SQLite judge objects: " + text + "\n  " + sql};
}

void SqliteJudge::load(const model::TableDef& table, const std::vector<model::Row>& rows) {
  std::string sql = "INSERT INTO " + table.name + " VALUES (?";
  for (size_t c = 1; c < table.columns.size(); ++c) sql += ",?";
  sqlite3_stmt* stmt = nullptr;
  sqlite3_prepare_v2(db_, (sql + ")").c_str(), -1, &stmt, nullptr);
  execute("SAVEPOINT loading");
  for (const model::Row& row : rows) {
    for (size_t c = 0; c < row.size(); ++c) bind(stmt, static_cast<int>(c) + 1, row[c]);
    if (sqlite3_step(stmt) != SQLITE_DONE) throw Failure{"wrong-result", std::string("the SQLite judge objects: ") + sqlite3_errmsg(db_)};
    sqlite3_reset(stmt);
  }
  sqlite3_finalize(stmt);
  execute("RELEASE loading");
}

// Ordered and cut here and not in SQLite, where a sum beyond 64 bits would sort as text.
model::Outcome SqliteJudge::query(const model::Query& full) {
  std::vector<model::Type> types;
  for (const model::ExprPtr& e : full.outputs) types.push_back(e->type);
  model::Query uncut = full;
  uncut.order.clear();
  uncut.limit = -1;
  uncut.offset = 0;
  model::Outcome outcome = query(model::print(uncut, model::Dialect::kSqlite), types, false);
  bool open = outcome.ending == model::Ending::kError && full.limit >= 0;
  if (outcome.ending == model::Ending::kRows && full.having) {  // did a group overflow that HAVING dropped?
    uncut.having = nullptr;
    open = query(model::print(uncut, model::Dialect::kSqlite), types, false).ending == model::Ending::kError;
  }
  if (open) outcome.ending = model::Ending::kOpen;
  if (outcome.ending == model::Ending::kRows) model::finish_query(full, outcome.result);
  return outcome;
}

model::Outcome SqliteJudge::query(const std::string& sql, const std::vector<model::Type>& types, bool ordered) {
  sqlite3_stmt* stmt = nullptr;
  if (sqlite3_prepare_v2(db_, sql.c_str(), -1, &stmt, nullptr) != SQLITE_OK) {
    throw Failure{"wrong-result", std::string("the SQLite judge objects: ") + sqlite3_errmsg(db_) + "\n  " + sql};
  }
  model::Outcome outcome;
  outcome.ending = model::Ending::kRows;
  outcome.result.types = types;
  outcome.result.ordered = ordered;
  int code = SQLITE_OK;
  while ((code = sqlite3_step(stmt)) == SQLITE_ROW) {
    model::Row row;
    try {
      for (size_t c = 0; c < types.size(); ++c) row.push_back(value_at(stmt, static_cast<int>(c), types[c]));
      outcome.result.rows.push_back(std::move(row));
    } catch (const model::Fault& f) {
      outcome.ending = model::Ending::kError;
      outcome.states.insert(f.state);
    }
  }
  const std::string message = sqlite3_errmsg(db_);
  sqlite3_finalize(stmt);
  if (code != SQLITE_DONE) throw Failure{"wrong-result", "the SQLite judge objects: " + message + "\n  " + sql};
  return outcome;
}

}  // namespace judge
