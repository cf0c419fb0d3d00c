#include "log/record.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include <boost/container/small_vector.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "base/check.h"
#include "base/checksum.h"
#include "base/error.h"
#include "base/hash.h"
#include "txn/block_view.h"
#include "txn/undo.h"

namespace hdb {

namespace {

enum class ColumnForm : uint8_t { kNumbers = 1, kTexts = 2, kDictionary = 3 };
using RowData = boost::container::small_vector<Datum, 24>;

template <class T>
void put(std::string& out, T v) {
  char bytes[sizeof v];
  std::memcpy(bytes, &v, sizeof v);  // little-endian, as every machine that this is built for
  out.append(bytes, sizeof v);
}

// The rows of one stretch of the journal, [from, to), as of its end.
class Stretch {
 public:
  Stretch(const Transaction& transaction, std::string* out, uint32_t* records, const std::function<void(std::string*)>& drain)
      : items_(transaction.items()), out_(*out), records_(*records), drain_(drain) {}

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
    for (const Range& range : ranges_) {
      write_range(*range.table, range.first, range.count);
      if (drain_ && out_.size() >= kGroupPieceBytes) {
        drain_(&out_);
        drained_ = true;
      }
    }
  }
  bool drained() const { return drained_; }

 private:
  static constexpr uint32_t kRangeRowsMin = 8;        // shorter inserts are written row by row
  static constexpr uint32_t kDictionaryRowsMin = 256; // shorter ranges do not pay for a table of codes
  struct Row {
    const Table* table;
    uint64_t id;
    bool live;
  };
  // Rows that were inserted side by side in one block.
  struct Range {
    const Table* table;
    uint64_t first;
    uint32_t count;
  };
  using Touched = std::pair<const Table*, uint64_t>;
  struct Hash {
    size_t operator()(const Touched& t) const { return hash_combine(reinterpret_cast<uint64_t>(t.first), t.second); }
  };

  // The inserts of a stretch, as few ranges as they make: a transaction of single inserts is logged as a load is.
  std::vector<Range> inserted(size_t from, size_t to) const {
    std::vector<Range> all;
    for (size_t i = from; i < to; ++i) {
      const UndoEntry* e = items_[i].entry;
      if (e == nullptr || e->kind != UndoKind::kInsert) continue;
      const uint64_t first = e->block->first_row() + e->slot;
      if (!all.empty()) {
        Range& last = all.back();
        if (last.table == e->table && last.first + last.count == first && last.first / kBlockRows == first / kBlockRows) {
          last.count += e->count;
          continue;
        }
      }
      all.push_back({e->table, first, e->count});
    }
    return all;
  }

  // Ranges that nothing else in the stretch has touched stay ranges; every other row is looked at by itself, once.
  void collect(size_t from, size_t to) {
    boost::unordered_flat_set<Touched, Hash> seen;
    const auto touch = [&](const Table* table, uint64_t first, uint32_t count) {
      for (uint64_t row = first; row < first + count; ++row) {
        if (seen.insert(Touched{table, row}).second) rows_.push_back({table, row, exists(*table, row)});
      }
    };
    for (size_t i = from; i < to; ++i) {
      const UndoEntry* e = items_[i].entry;
      if (e != nullptr && e->kind != UndoKind::kInsert) touch(e->table, e->block->first_row() + e->slot, e->count);
    }
    for (const Range& range : inserted(from, to)) {
      bool pure = range.count >= kRangeRowsMin;
      for (uint32_t r = 0; r < range.count && pure && !seen.empty(); ++r) pure = !seen.contains(Touched{range.table, range.first + r});
      if (pure) ranges_.push_back(range);
      else touch(range.table, range.first, range.count);
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
  void read(const Table& table, uint64_t row_id, RowData& row) const {
    row.resize(table.column_count(), boost::container::default_init);
    if (at_end_) {
      const Block& b = table.block(row_id / kBlockRows);
      const auto slot = static_cast<uint32_t>(row_id % kBlockRows);
      for (uint32_t c = 0; c < table.column_count(); ++c) row[c] = b.columns[c]->at(slot);
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
    read(table, row_id, row_);
    put_values(table);
    ++records_;
  }
  // row_, with room for all of it made at once.
  void put_values(const Table& table) {
    size_t bytes = 0;
    for (uint32_t c = 0; c < table.column_count(); ++c) {
      const Datum& d = row_[c];
      bytes += d.null ? 1 : table.type(c).lane() == Lane::kText ? 5 + size_t{d.text()->bytes} : 9;
    }
    const size_t from = out_.size();
    out_.resize(from + bytes);
    char* p = out_.data() + from;
    for (uint32_t c = 0; c < table.column_count(); ++c) {
      const Datum& d = row_[c];
      if (d.null) {
        *p++ = 0;
      } else if (table.type(c).lane() == Lane::kText) {
        const std::string_view text = d.text()->view();
        const auto length = static_cast<uint32_t>(text.size());
        *p++ = 2;
        std::memcpy(p, &length, 4);
        std::memcpy(p + 4, text.data(), text.size());
        p += 4 + text.size();
      } else {
        *p++ = 1;
        std::memcpy(p, &d.raw, 8);
        p += 8;
      }
    }
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
      // A range is as it was inserted: nothing of the stretch has touched it, and what came later is rewound.
      if (at_end_) write_column(*b.columns[c], slot, count);
      else write_column_then(table, first, c, count);
    }
    ++records_;
  }

  template <class F>
  void put_nulls(uint32_t count, const F& null) {
    const size_t at = out_.size();
    out_.append(1 + (count + 7) / 8, '\0');
    bool any = false;
    for (uint32_t r = 0; r < count; ++r) {
      if (!null(r)) continue;
      any = true;
      out_[at + 1 + r / 8] = static_cast<char>(out_[at + 1 + r / 8] | (1 << (r % 8)));
    }
    out_[at] = any ? 1 : 0;
    if (!any) out_.resize(at + 1);
  }
  // The block's own layout, so that a load is logged at the speed of copying.
  void write_column(const ColumnBuffer& b, uint32_t slot, uint32_t count) {
    const bool text = b.encoding == Encoding::kCode || b.encoding == Encoding::kHeap;
    if (!text) {
      put<uint8_t>(out_, static_cast<uint8_t>(ColumnForm::kNumbers));
      put_nulls_of(b, slot, count);
      put<uint8_t>(out_, b.width);
      put<uint64_t>(out_, static_cast<uint64_t>(b.base));
      out_.append(reinterpret_cast<const char*>(b.data) + size_t{slot} * b.width, size_t{count} * b.width);
      return;
    }
    if (b.encoding == Encoding::kCode && count >= kDictionaryRowsMin) return write_codes(b, slot, count);
    put<uint8_t>(out_, static_cast<uint8_t>(ColumnForm::kTexts));
    put_nulls_of(b, slot, count);
    for (uint32_t r = 0; r < count; ++r) {
      if (!b.is_null(slot + r)) put_text(b.at(slot + r).text()->view());
    }
  }
  void put_nulls_of(const ColumnBuffer& b, uint32_t slot, uint32_t count) {
    if (b.nulls == nullptr) put<uint8_t>(out_, 0);
    else put_nulls(count, [&](uint32_t r) { return b.is_null(slot + r); });
  }
  void put_text(std::string_view text) {
    put<uint32_t>(out_, static_cast<uint32_t>(text.size()));
    out_.append(text);
  }
  // Values and not codes (C12): the range brings the texts that its numbers stand for.
  void write_codes(const ColumnBuffer& b, uint32_t slot, uint32_t count) {
    codes_.assign(b.dictionary->size(), 0);
    put<uint8_t>(out_, static_cast<uint8_t>(ColumnForm::kDictionary));
    put_nulls_of(b, slot, count);
    const size_t size_at = out_.size();
    put<uint32_t>(out_, 0);
    uint32_t distinct = 0;
    numbers_.resize(count);
    const auto number = [&](const auto* codes) {
      for (uint32_t r = 0; r < count; ++r) {
        if (b.is_null(slot + r)) {
          numbers_[r] = 0;
          continue;
        }
        uint32_t& known = codes_[codes[slot + r]];
        if (known == 0) {
          put_text(b.dictionary->text(codes[slot + r]));
          known = ++distinct;
        }
        numbers_[r] = known - 1;
      }
    };
    if (b.width == 1) number(b.data);
    else if (b.width == 2) number(reinterpret_cast<const uint16_t*>(b.data));
    else number(reinterpret_cast<const uint32_t*>(b.data));
    std::memcpy(out_.data() + size_at, &distinct, 4);
    const uint8_t width = distinct <= 0x100 ? 1 : distinct <= 0x10000 ? 2 : 4;
    put<uint8_t>(out_, width);
    const size_t at = out_.size();
    out_.resize(at + size_t{count} * width);
    char* to = out_.data() + at;
    if (width == 1) {
      for (uint32_t r = 0; r < count; ++r) to[r] = static_cast<char>(numbers_[r]);
    } else {
      for (uint32_t r = 0; r < count; ++r) std::memcpy(to + size_t{r} * width, &numbers_[r], width);
    }
  }
  void write_column_then(const Table& table, uint64_t first, uint32_t column, uint32_t count) {
    std::vector<Datum> values(count);
    for (uint32_t r = 0; r < count; ++r) values[r] = value_then(table, first + r, column);
    const bool text = table.type(column).lane() == Lane::kText;
    put<uint8_t>(out_, static_cast<uint8_t>(text ? ColumnForm::kTexts : ColumnForm::kNumbers));
    put_nulls(count, [&](uint32_t r) { return values[r].null; });
    if (!text) put<uint8_t>(out_, 8), put<uint64_t>(out_, 0);
    for (const Datum& d : values) {
      if (!text) put<uint64_t>(out_, d.null ? 0 : d.raw);
      else if (!d.null) put_text(d.text()->view());
    }
  }
  Datum value_then(const Table& table, uint64_t row_id, uint32_t column) const {
    Datum d;
    CHECK(read_row(table, row_id, std::span<const uint32_t>(&column, 1), mid_snapshot(), &d));
    return d;
  }

  const std::vector<JournalItem>& items_;
  std::string& out_;
  uint32_t& records_;
  const std::function<void(std::string*)>& drain_;
  bool drained_ = false;
  std::vector<Row> rows_;
  std::vector<Range> ranges_;
  RowData row_;
  std::vector<uint32_t> codes_, numbers_;  // write_codes: number + 1 of each code of the column; one a row
  size_t position_ = 0;
  uint64_t base_ = 0;
  bool at_end_ = true;
};

void finish_group(uint64_t commit, uint32_t records, const GroupStamp& stamp, std::string* out) {
  const uint64_t bytes = out->size();
  char* header = out->data();
  std::memcpy(header, &kGroupMagic, 4);
  std::memcpy(header + 8, &bytes, 8);
  std::memcpy(header + 16, &commit, 8);
  std::memcpy(header + 24, &records, 4);
  std::memcpy(header + 28, &stamp.salt, 4);
  std::memcpy(header + 32, &stamp.synced, 8);
  const uint32_t sum = crc32c(header + 8, out->size() - 8);
  std::memcpy(header + 4, &sum, 4);
}

}  // namespace

void encode_group(const Transaction& transaction, uint64_t commit, std::string* out, const GroupStamp& stamp,
                  const std::function<void(std::string*)>& drain) {
  out->assign(kGroupHeaderBytes, '\0');
  uint32_t records = 0;
  const auto& items = transaction.items();
  size_t from = 0;
  bool drained = false;
  const auto write = [&](size_t to) {
    Stretch stretch(transaction, out, &records, drain);
    stretch.write(from, to, commit - 1);
    drained |= stretch.drained();
  };
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i].entry != nullptr || items[i].action->redo.empty()) continue;
    write(i);
    put<uint8_t>(*out, static_cast<uint8_t>(RecordKind::kCatalog));
    put<uint64_t>(*out, items[i].action->redo_id);
    put<uint32_t>(*out, static_cast<uint32_t>(items[i].action->redo.size()));
    out->append(items[i].action->redo);
    ++records;
    from = i + 1;
  }
  write(items.size());
  if (drained) drain(out);
  else finish_group(commit, records, stamp, out);
}

void encode_mark(uint64_t commit, std::string* out, const GroupStamp& stamp) {
  out->assign(kGroupHeaderBytes, '\0');
  finish_group(commit, 0, stamp, out);
}

// ---- reading

bool read_group_header(const char* bytes, GroupHeader* header) {
  uint32_t magic = 0;
  std::memcpy(&magic, bytes, 4);
  std::memcpy(&header->sum, bytes + 4, 4);
  std::memcpy(&header->bytes, bytes + 8, 8);
  std::memcpy(&header->sequence, bytes + 16, 8);
  std::memcpy(&header->records, bytes + 24, 4);
  std::memcpy(&header->salt, bytes + 28, 4);
  std::memcpy(&header->synced, bytes + 32, 8);
  return magic == kGroupMagic && header->bytes >= kGroupHeaderBytes;
}

bool group_is_whole(std::string_view group, const GroupHeader& header) {
  return crc32c(group.data() + 8, group.size() - 8) == header.sum;
}

GroupReader::GroupReader(std::string_view group) : group_(group) {
  const auto bad = [](const char* why) { fail(sqlstate::kIo, std::string("the log holds a group that is not valid: ") + why); };
  GroupHeader header;
  if (group.size() < kGroupHeaderBytes) bad("it is shorter than its header");
  if (!read_group_header(group.data(), &header)) bad("its first bytes are others");
  if (header.bytes != group.size()) bad("its length is another");
  if (!group_is_whole(group, header)) bad("its checksum is another");
  sequence_ = header.sequence;
  records_ = header.records;
}

uint64_t LoggedColumn::packed_at(uint32_t row) const {
  uint64_t v = 0;
  if (width > 0) std::memcpy(&v, packed.data() + size_t{row} * width, width);
  return v;
}

LoggedValue LoggedColumn::value(uint32_t row) const {
  LoggedValue v;
  v.null = is_null(row);
  v.is_text = is_text;
  if (v.null) return v;
  if (!is_text) v.raw = static_cast<uint64_t>(base) + packed_at(row);
  else v.text = has_dictionary ? texts.at(packed_at(row)) : texts[row];
  return v;
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

void GroupReader::read_row(LoggedRecord* record) {
  record->values.clear();
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
}

void GroupReader::read_column(uint32_t rows, LoggedColumn* column) {
  *column = {};
  const auto form = static_cast<ColumnForm>(take<uint8_t>());
  if (form < ColumnForm::kNumbers || form > ColumnForm::kDictionary) fail(sqlstate::kIo, "a column of the log has an unknown form");
  if (take<uint8_t>() != 0) column->nulls = take_text((size_t{rows} + 7) / 8);
  column->is_text = form != ColumnForm::kNumbers;
  column->has_dictionary = form == ColumnForm::kDictionary;
  const uint32_t texts = form == ColumnForm::kNumbers ? 0 : form == ColumnForm::kTexts ? rows : take<uint32_t>();
  if (texts > rows) fail(sqlstate::kIo, "a column of the log has more texts than rows");
  for (uint32_t i = 0; i < texts; ++i) {
    column->texts.push_back(!column->has_dictionary && column->is_null(i) ? std::string_view() : take_text(take<uint32_t>()));
  }
  if (form == ColumnForm::kTexts) return;
  column->width = take<uint8_t>();
  if (column->width > 8) fail(sqlstate::kIo, "a column of the log is wider than any number");
  if (!column->is_text) column->base = static_cast<int64_t>(take<uint64_t>());
  column->packed = take_text(size_t{rows} * column->width);
  for (uint32_t r = 0; column->has_dictionary && r < rows; ++r) {
    if (!column->is_null(r) && column->packed_at(r) >= texts) fail(sqlstate::kIo, "a column of the log names a text that it does not have");
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
  if (record->kind == RecordKind::kRow) {
    read_row(record);
    return true;
  }
  record->range.resize(record->columns);
  for (LoggedColumn& column : record->range) read_column(record->rows, &column);
  return true;
}

}  // namespace hdb
