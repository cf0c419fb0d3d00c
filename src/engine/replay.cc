#include "engine/replay.h"

#include "engine/ddl.h"
#include "log/record.h"
#include "txn/change.h"
#include "txn/undo.h"

namespace hdb {

namespace {

class Replayer {
 public:
  Replayer(Connection& connection, Transaction& transaction) : connection_(connection), transaction_(transaction) {}

  void apply(const LoggedRecord& r) {
    if (r.kind == RecordKind::kCatalog) return define(r);
    const auto def = connection_.database().catalog().find_table(r.table_id, transaction_.snapshot());
    if (def == nullptr) fail(sqlstate::kIo, "the log changes a table that does not exist: " + std::to_string(r.table_id));
    Table& table = *def->table;
    transaction_.keep(def->table);
    if (r.kind == RecordKind::kDelete) {
      delete_row(transaction_, table, r.row_id);
      transaction_.checks().clear();
      return;
    }
    if (r.columns != table.column_count()) fail(sqlstate::kIo, "the log has a row of another shape for table " + table.name());
    row_.resize(r.columns);
    all_.resize(r.columns);
    for (uint32_t i = 0; i < r.rows; ++i) {
      for (uint32_t c = 0; c < r.columns; ++c) {
        row_[c] = datum(table, c, r.values[size_t{c} * r.rows + i]);
        all_[c] = c;
      }
      if (row_live(table, r.row_id + i)) update_row(transaction_, table, r.row_id + i, all_, row_.data());
      else place_row(transaction_, table, r.row_id + i, row_.data());
    }
    transaction_.checks().clear();
  }

 private:
  Datum datum(Table& table, uint32_t column, const LoggedValue& v) {
    if (v.null) return {};
    if (v.is_text != (table.type(column).lane() == Lane::kText)) fail(sqlstate::kIo, "the log has a value of another type for table " + table.name());
    return v.is_text ? table.intern(column, v.text) : Datum{v.raw, false};
  }

  void define(const LoggedRecord& r) {
    Arena arena;
    const auto parsed = sql::parse_one(r.sql, arena);
    if (parsed.root == nullptr || !is_ddl(parsed.root->kind)) fail(sqlstate::kIo, "the log has a definition that is none: " + std::string(r.sql));
    Database& db = connection_.database();
    db.catalog().set_next_id(r.next_id);
    run_ddl({db.catalog(), transaction_, &db.budget(), nullptr, r.sql}, *parsed.root);
  }

  Connection& connection_;
  Transaction& transaction_;
  std::vector<Datum> row_;
  std::vector<uint32_t> all_;
};

}  // namespace

void replay_group(Connection& connection, std::string_view group) {
  GroupReader reader(group);
  connection.in_own_or_open_transaction(true, [&](Transaction& t) {
    Replayer replayer(connection, t);
    LoggedRecord record;
    while (reader.next(&record)) replayer.apply(record);
  });
}

void replay(Connection& connection, const std::vector<std::string>& groups) {
  for (const std::string& group : groups) replay_group(connection, group);
}

}  // namespace hdb
