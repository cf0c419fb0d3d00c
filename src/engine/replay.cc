#include "engine/replay.h"

#include "base/protocol.h"
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
    if (r.row_id >= kTableRowsMax) fail(sqlstate::kIo, "the log has a row beyond the limit of table " + table.name());
    if (r.kind == RecordKind::kRange) return place_range(table, r);
    row_.resize(r.columns);
    all_.resize(r.columns);
    for (uint32_t c = 0; c < r.columns; ++c) {
      row_[c] = datum(table, c, r.values[c]);
      all_[c] = c;
    }
    if (row_live(table, r.row_id)) update_row(transaction_, table, r.row_id, all_, row_.data());
    else place_row(transaction_, table, r.row_id, row_.data());
    transaction_.checks().clear();
  }

 private:
  void place_range(Table& table, const LoggedRecord& r) {
    if (r.row_id % kBlockRows + r.rows > kBlockRows) fail(sqlstate::kIo, "the log has a range across blocks of table " + table.name());
    for (uint64_t row = r.row_id; row < r.row_id + r.rows; ++row) {
      if (row_live(table, row)) fail(sqlstate::kIo, "the log loads a row that is there already into table " + table.name());
    }
    range_.resize(std::max<size_t>(range_.size(), r.columns));
    columns_.resize(r.columns);
    for (uint32_t c = 0; c < r.columns; ++c) {
      fill(table, c, r.range[c], r.rows);
      columns_[c] = range_[c].data();
    }
    place_rows(transaction_, table, r.row_id, columns_, r.rows);
  }
  void fill(Table& table, uint32_t c, const LoggedColumn& column, uint32_t rows) {
    if (column.is_text != (table.type(c).lane() == Lane::kText)) fail(sqlstate::kIo, "the log has a value of another type for table " + table.name());
    std::vector<Datum>& out = range_[c];
    out.resize(rows);
    texts_.clear();
    if (column.has_dictionary) {
      for (const std::string_view text : column.texts) texts_.push_back(table.intern(c, text));
    }
    for (uint32_t i = 0; i < rows; ++i) {
      if (column.is_null(i)) out[i] = {};
      else if (column.has_dictionary) out[i] = texts_[column.packed_at(i)];
      else if (column.is_text) out[i] = table.intern(c, column.texts[i]);
      else out[i] = {static_cast<uint64_t>(column.base) + column.packed_at(i), false};
    }
  }

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
    run_ddl({db.catalog(), transaction_, &db.budget(), nullptr, r.sql, nullptr, 1, db.columns()}, *parsed.root);
  }

  Connection& connection_;
  Transaction& transaction_;
  std::vector<Datum> row_;
  std::vector<uint32_t> all_;
  std::vector<std::vector<Datum>> range_;
  std::vector<const Datum*> columns_;
  std::vector<Datum> texts_;
};

}  // namespace

bool replay_group(Connection& connection, std::string_view group) { return replay_group(connection, GroupReader(group)); }

bool replay_group(Connection& connection, GroupReader reader) {
  // D1: a group that the database has is not applied again.
  if (reader.sequence() <= connection.database().manager().registry().newest()) return false;
  protocol::tell({protocol::Event::kReplay, &connection.database().manager().registry(), reader.sequence()});
  connection.in_own_or_open_transaction(true, [&](Transaction& t) {
    Replayer replayer(connection, t);
    LoggedRecord record;
    while (reader.next(&record)) replayer.apply(record);
  });
  // A group that changes nothing here (rows that came and went) has its number all the same.
  SnapshotRegistry& registry = connection.database().manager().registry();
  if (registry.newest() < reader.sequence()) registry.publish(reader.sequence());
  return true;
}

void replay(Connection& connection, const std::vector<std::string>& groups) {
  for (const std::string& group : groups) replay_group(connection, group);
}

}  // namespace hdb
