#include "log/record.h"

#include <algorithm>
#include <cstring>

#include <boost/unordered/unordered_flat_set.hpp>

#include "base/check.h"
#include "base/checksum.h"
#include "base/error.h"
#include "base/hash.h"
#include "txn/block_view.h"
#include "txn/undo.h"

namespace hdb {

namespace {

template <class T>
void put(std::string& out, T v) {
  char bytes[sizeof v];
  std::memcpy(bytes, &v, sizeof v);  // little-endian, as every machine that this is built for
  out.append(bytes, sizeof v);
}

void put_value(std::string& out, Lane lane, const Datum& d) {
  if (d.null) {
    put<uint8_t>(out, 0);
  } else if (lane == Lane::kText) {
    put<uint8_t>(out, 2);
    put<uint32_t>(out, d.text()->bytes);
    out.append(d.text()->view());
  } else {
    put<uint8_t>(out, 1);
    put<uint64_t>(out, d.raw);
  }
}

// The rows of one stretch of the journal, [from, to), as of its end.
class Stretch {
 public:
  Stretch(const Transaction& transaction, std::string* out, uint32_t* records) : items_(transaction.items()), out_(*out), records_(*records) {}

  void write(size_t from, size_t to, uint64_t base) {
    at_end_ = to == items_.size();
    position_ = to;
    base_ = base;
    // A single change is by far the most frequent group: no sets.
    if (to - from == 1) {
      if (items_[from].entry != nullptr) write_one(*items_[from].entry);
      return;
    }
    collect(from, to);
    for (const Row& row : rows_) {
      if (!row.live) write_delete(*row.table, row.id);
    }
    for (const Row& row : rows_) {
      if (row.live) write_row(*row.table, row.id);
    }
    for (const UndoEntry* e : ranges_) write_range(*e->table, e->block->first_row() + e->slot, e->count);
  }

 private:
  static constexpr uint32_t kRangeRowsMin = 8;  // shorter inserts are written row by row
  struct Row {
    const Table* table;
    uint64_t id;
    bool live;
  };
  using Touched = std::pair<const Table*, uint64_t>;
  struct Hash {
    size_t operator()(const Touched& t) const { return hash_combine(reinterpret_cast<uint64_t>(t.first), t.second); }
  };

  // Ranges that nothing else in the stretch has touched stay ranges; every other row is looked at by itself, once.
  void collect(size_t from, size_t to) {
    boost::unordered_flat_set<Touched, Hash> seen;
    std::vector<const UndoEntry*> loads;
    for (size_t i = from; i < to; ++i) {
      const UndoEntry* e = items_[i].entry;
      if (e == nullptr) continue;
      if (e->kind == UndoKind::kInsert && e->count >= kRangeRowsMin) {
        loads.push_back(e);
        continue;
      }
      for (uint32_t s = e->slot; s < e->slot + e->count; ++s) {
        const Touched t{e->table, e->block->first_row() + s};
        if (seen.insert(t).second) rows_.push_back({t.first, t.second, exists(*t.first, t.second)});
      }
    }
    for (const UndoEntry* e : loads) {
      const uint64_t first = e->block->first_row() + e->slot;
      bool pure = true;
      if (!seen.empty()) {
        for (uint32_t r = 0; r < e->count && pure; ++r) pure = !seen.contains(Touched{e->table, first + r});
      }
      if (pure) {
        ranges_.push_back(e);
        continue;
      }
      for (uint32_t r = 0; r < e->count; ++r) {
        if (seen.insert(Touched{e->table, first + r}).second) rows_.push_back({e->table, first + r, true});
      }
    }
    // A row that this stretch inserted and deleted again was never there for anybody, but replay may be told all the same.
  }

  Snapshot snapshot(const UndoEntry& e) const { return {base_, e.transaction, position_}; }

  bool exists(const Table& table, uint64_t row_id) const {
    if (at_end_) return row_live(table, row_id);
    return read_row(table, row_id, {}, mid_snapshot(), nullptr);
  }
  Snapshot mid_snapshot() const {
    for (const JournalItem& item : items_) {
      if (item.entry != nullptr) return snapshot(*item.entry);
    }
    return {base_, nullptr, 0};
  }
  void read(const Table& table, uint64_t row_id, std::vector<Datum>& row) const {
    row.resize(table.column_count());
    if (at_end_) {
      for (uint32_t c = 0; c < table.column_count(); ++c) row[c] = row_value(table, row_id, c);
      return;
    }
    std::vector<uint32_t> columns(table.column_count());
    for (uint32_t c = 0; c < table.column_count(); ++c) columns[c] = c;
    CHECK(read_row(table, row_id, columns, mid_snapshot(), row.data()));
  }

  void write_one(const UndoEntry& e) {
    const uint64_t first = e.block->first_row() + e.slot;
    if (e.kind == UndoKind::kInsert && e.count >= kRangeRowsMin) return write_range(*e.table, first, e.count);
    for (uint64_t r = first; r < first + e.count; ++r) {
      if (exists(*e.table, r)) write_row(*e.table, r);
      else write_delete(*e.table, r);
    }
  }
  void write_delete(const Table& table, uint64_t row_id) {
    put<uint8_t>(out_, static_cast<uint8_t>(RecordKind::kDelete));
    put<uint64_t>(out_, table.id());
    put<uint64_t>(out_, row_id);
    ++records_;
  }
  void write_row(const Table& table, uint64_t row_id) {
    put<uint8_t>(out_, static_cast<uint8_t>(RecordKind::kRow));
    put<uint64_t>(out_, table.id());
    put<uint64_t>(out_, row_id);
    put<uint16_t>(out_, static_cast<uint16_t>(table.column_count()));
    if (at_end_) {
      for (uint32_t c = 0; c < table.column_count(); ++c) put_value(out_, table.type(c).lane(), row_value(table, row_id, c));
    } else {
      read(table, row_id, row_);
      for (uint32_t c = 0; c < table.column_count(); ++c) put_value(out_, table.type(c).lane(), row_[c]);
    }
    ++records_;
  }
  void write_range(const Table& table, uint64_t first, uint32_t count) {
    put<uint8_t>(out_, static_cast<uint8_t>(RecordKind::kRange));
    put<uint64_t>(out_, table.id());
    put<uint64_t>(out_, first);
    put<uint16_t>(out_, static_cast<uint16_t>(table.column_count()));
    put<uint32_t>(out_, count);
    const Block& b = table.block(first / kBlockRows);
    const auto slot = static_cast<uint32_t>(first % kBlockRows);
    for (uint32_t c = 0; c < table.column_count(); ++c) {
      const bool text = table.type(c).lane() == Lane::kText;
      put<uint8_t>(out_, text ? 2 : 1);
      const size_t nulls = out_.size();
      out_.append((count + 7) / 8, '\0');
      for (uint32_t r = 0; r < count; ++r) {
        // A range is as it was inserted: nothing of the stretch has touched it, and what came later is rewound.
        const Datum d = at_end_ ? b.columns[c]->at(slot + r) : value_then(table, first + r, c);
        if (d.null) out_[nulls + r / 8] = static_cast<char>(out_[nulls + r / 8] | (1 << (r % 8)));
        else if (text) put<uint32_t>(out_, d.text()->bytes), out_.append(d.text()->view());
        else put<uint64_t>(out_, d.raw);
      }
    }
    ++records_;
  }
  Datum value_then(const Table& table, uint64_t row_id, uint32_t column) const {
    Datum d;
    CHECK(read_row(table, row_id, std::span<const uint32_t>(&column, 1), mid_snapshot(), &d));
    return d;
  }

  const std::vector<JournalItem>& items_;
  std::string& out_;
  uint32_t& records_;
  std::vector<Row> rows_;
  std::vector<const UndoEntry*> ranges_;
  std::vector<Datum> row_;
  size_t position_ = 0;
  uint64_t base_ = 0;
  bool at_end_ = true;
};

}  // namespace

void encode_group(const Transaction& transaction, uint64_t commit, std::string* out) {
  out->assign(kGroupHeaderBytes, '\0');
  uint32_t records = 0;
  const auto& items = transaction.items();
  size_t from = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i].entry != nullptr || items[i].action->redo.empty()) continue;
    Stretch(transaction, out, &records).write(from, i, commit - 1);
    put<uint8_t>(*out, static_cast<uint8_t>(RecordKind::kCatalog));
    put<uint64_t>(*out, items[i].action->redo_id);
    put<uint32_t>(*out, static_cast<uint32_t>(items[i].action->redo.size()));
    out->append(items[i].action->redo);
    ++records;
    from = i + 1;
  }
  Stretch(transaction, out, &records).write(from, items.size(), commit - 1);
  const uint64_t bytes = out->size();
  char* header = out->data();
  std::memcpy(header, &kGroupMagic, 4);
  std::memcpy(header + 8, &bytes, 8);
  std::memcpy(header + 16, &commit, 8);
  std::memcpy(header + 24, &records, 4);
  const uint32_t sum = crc32c(header + 8, out->size() - 8);
  std::memcpy(header + 4, &sum, 4);
}

// ---- reading

GroupReader::GroupReader(std::string_view group) : group_(group) {
  const auto bad = [](const char* why) { fail(sqlstate::kIo, std::string("the log holds a group that is not valid: ") + why); };
  if (group.size() < kGroupHeaderBytes) bad("it is shorter than its header");
  uint32_t magic = 0, sum = 0;
  uint64_t bytes = 0;
  std::memcpy(&magic, group.data(), 4);
  std::memcpy(&sum, group.data() + 4, 4);
  std::memcpy(&bytes, group.data() + 8, 8);
  std::memcpy(&sequence_, group.data() + 16, 8);
  std::memcpy(&records_, group.data() + 24, 4);
  if (magic != kGroupMagic) bad("its first bytes are others");
  if (bytes != group.size()) bad("its length is another");
  if (crc32c(group.data() + 8, group.size() - 8) != sum) bad("its checksum is another");
}

template <class T>
T GroupReader::take() {
  if (group_.size() - at_ < sizeof(T)) fail(sqlstate::kIo, "a record of the log ends too early");
  T v;
  std::memcpy(&v, group_.data() + at_, sizeof v);
  at_ += sizeof v;
  return v;
}

std::string_view GroupReader::take_text(size_t bytes) {
  if (group_.size() - at_ < bytes) fail(sqlstate::kIo, "a record of the log ends too early");
  const std::string_view text = group_.substr(at_, bytes);
  at_ += bytes;
  return text;
}

void GroupReader::read_values(LoggedRecord* record) {
  record->values.clear();
  if (record->kind == RecordKind::kRow) {
    for (uint32_t c = 0; c < record->columns; ++c) {
      LoggedValue v;
      const auto tag = take<uint8_t>();
      if (tag > 2) fail(sqlstate::kIo, "a value of the log has an unknown form");
      v.null = tag == 0;
      v.is_text = tag == 2;
      if (tag == 1) v.raw = take<uint64_t>();
      if (tag == 2) v.text = take_text(take<uint32_t>());
      record->values.push_back(v);
    }
    return;
  }
  for (uint32_t c = 0; c < record->columns; ++c) {
    const bool text = take<uint8_t>() == 2;
    const std::string_view nulls = take_text((size_t{record->rows} + 7) / 8);
    for (uint32_t r = 0; r < record->rows; ++r) {
      LoggedValue v;
      v.is_text = text;
      v.null = ((static_cast<uint8_t>(nulls[r / 8]) >> (r % 8)) & 1) != 0;
      if (!v.null && text) v.text = take_text(take<uint32_t>());
      else if (!v.null) v.raw = take<uint64_t>();
      record->values.push_back(v);
    }
  }
}

bool GroupReader::next(LoggedRecord* record) {
  if (seen_ == records_) {
    if (at_ != group_.size()) fail(sqlstate::kIo, "a group of the log has bytes behind its records");
    return false;
  }
  ++seen_;
  const auto kind = take<uint8_t>();
  if (kind < 1 || kind > 4) fail(sqlstate::kIo, "a record of the log is of an unknown kind");
  record->kind = static_cast<RecordKind>(kind);
  if (record->kind == RecordKind::kCatalog) {
    record->next_id = take<uint64_t>();
    record->sql = take_text(take<uint32_t>());
    return true;
  }
  record->table_id = take<uint64_t>();
  record->row_id = take<uint64_t>();
  record->rows = 1;
  if (record->kind == RecordKind::kDelete) return true;
  record->columns = take<uint16_t>();
  if (record->kind == RecordKind::kRange) record->rows = take<uint32_t>();
  if (record->rows > kBlockRows || record->columns > kColumnsMax) fail(sqlstate::kIo, "a record of the log is larger than any block");
  read_values(record);
  return true;
}

}  // namespace hdb
