#include "txn/bulk.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "base/check.h"
#include "store/key_index.h"
#include "txn/change.h"
#include "txn/sinks.h"
#include "txn/undo.h"

namespace hdb {

namespace {

void fill_row(std::span<const ColumnRun> runs, uint32_t i, Datum* row) {
  for (size_t c = 0; c < runs.size(); ++c) row[c] = runs[c].at(i);
}

// Rows [from, from + count) of the runs, on their way into slots of one block that nobody sees yet.
class RangeInsert {
 public:
  RangeInsert(Transaction& transaction, Table& table, Block& block, uint32_t slot, std::span<const ColumnRun> runs, uint32_t from, uint32_t count)
      : transaction_(transaction), table_(table), block_(block), slot_(slot), runs_(runs), from_(from), count_(count),
        first_row_(block.first_row() + slot), parts_(runs.size()) {}
  ~RangeInsert() {
    if (!linked_) take_back();
  }
  RangeInsert(const RangeInsert&) = delete;
  RangeInsert& operator=(const RangeInsert&) = delete;

  void run() {
    for (uint32_t c = 0; c < runs_.size(); ++c) {
      parts_[c] = describe(table_.type(c), runs_[c], from_, count_);
      if (parts_[c].zone.nulls > 0 && table_.shape(c).not_null)
        fail_not_null(table_, c);
    }
    transaction_.hold(table_, block_);
    transaction_.reserve_visible();
    UndoEntry* entry = transaction_.new_entry(UndoKind::kInsert, table_, block_, slot_, count_, 0, 0, 0);
    {
      const ExclusiveLatch hold(block_.latch);
      for (uint32_t c = 0; c < runs_.size(); ++c) {
        prepare_column(table_, block_, c, parts_[c].layout);
        // S5: nobody looks at these slots before they are visible.
        put_run(*block_.columns[c], slot_, runs_[c], from_, count_);
      }
    }
    for (const auto& index : table_.keys) insert_keys(*index);
    for (size_t f = 0; f < table_.references.size(); ++f) check_parents(f);
    for (; sinks_applied_ < table_.sinks.size(); ++sinks_applied_)
      table_.sinks[sinks_applied_]->apply_runs(runs_.data(), static_cast<uint32_t>(runs_.size()), from_, count_);
    show(entry);
  }

 private:
  struct Key {
    KeyIndex* index;
    uint64_t hash, row;
  };

  // The last step, which cannot fail: the rows become visible.
  void show(UndoEntry* entry) {
    const ExclusiveLatch hold(block_.latch);
    // A reader may have pinned a buffer since; it does not look at these slots, so its bytes are as good as before.
    own_visible(block_, transaction_.spare_visible());
    for (uint32_t s = slot_; s < slot_ + count_;) {
      if (s % 64 == 0 && s + 64 <= slot_ + count_) {
        block_.visible->words[s / 64] = ~uint64_t{0};
        s += 64;
      } else {
        bit_set(block_.visible->words, s++);
      }
    }
    for (size_t c = 0; c < runs_.size(); ++c) merge_zone(block_.zones[c], parts_[c].zone);
    block_.rows = std::max(block_.rows, slot_ + count_);  // what is kept beside the block finds the rows behind those that it has seen
    block_.live += count_;
    transaction_.link(entry);
    linked_ = true;
  }

  void take_back() {
    for (const Key& k : keys_) k.index->erase(k.hash, k.row);
    std::vector<Datum> row(runs_.size());
    for (size_t s = 0; s < sinks_applied_; ++s) {
      for (uint32_t r = from_; r < from_ + count_; ++r) {
        fill_row(runs_, r, row.data());
        table_.sinks[s]->apply(row.data(), -1);
      }
    }
  }

  // The key's values are integers that ascend by 1.
  bool dense(uint32_t column) const {
    if (parts_[column].zone.nulls > 0) return false;
    const uint64_t* raw = runs_[column].raw + from_;
    if (static_cast<int64_t>(raw[count_ - 1]) < static_cast<int64_t>(raw[0])) return false;
    uint64_t wrong = 0;
    for (uint32_t i = 0; i < count_; ++i) wrong |= raw[i] ^ (raw[0] + i);
    return wrong == 0;
  }

  void insert_keys(KeyIndex& index) {
    const auto columns = index.columns();
    if (index.integer_key() && dense(columns[0]) &&
        index.insert_run(static_cast<int64_t>(runs_[columns[0]].raw[from_]), first_row_, count_))
      return;
    DatumArray<kKeyColumnsMax> key, there;
    for (uint32_t r = 0; r < count_; ++r) {
      for (size_t i = 0; i < columns.size(); ++i) key[i] = runs_[columns[i]].at(from_ + r);
      uint64_t hash = 0;
      if (!hash_key(table_, columns, key, &hash)) continue;
      const uint64_t row_id = first_row_ + r;
      const bool duplicate = index.find(key, hash, [&](uint64_t row) {
        if (row == row_id) return false;
        // A row of this very call counts before it is visible.
        if (row >= first_row_ && row < row_id) {
          for (size_t i = 0; i < columns.size(); ++i) there[i] = runs_[columns[i]].at(from_ + static_cast<uint32_t>(row - first_row_));
        } else {
          if (!row_live(table_, row)) return false;
          for (size_t i = 0; i < columns.size(); ++i) there[i] = row_value(table_, row, columns[i]);
        }
        return keys_equal(table_, columns, key, there);
      });
      if (duplicate) fail_duplicate(table_, index, key);
      keys_.reserve(keys_.size() + 1 < keys_.capacity() ? keys_.capacity() : keys_.size() * 2 + 64);
      if (index.insert(key, hash, row_id)) keys_.push_back({&index, hash, row_id});
    }
  }

  // One column that refers to an integer key: most parents are found where a run of keys says they are.
  void check_integer_parents(size_t f, const Table& parent) {
    const ReferenceCheck& reference = table_.references[f];
    const ColumnRun& run = runs_[reference.columns[0]];
    const uint32_t key_column = reference.parent_columns[0];
    const KeyIndex::RunView view = reference.parent_key->run_view();
    std::vector<BufferRef> pins(parent.block_count());
    for (uint32_t r = from_; r < from_ + count_; ++r) {
      if (run.is_null(r)) continue;
      const auto key = static_cast<int64_t>(run.raw[r]);
      uint64_t row = 0;
      if (view.find(key, &row) && row_live(parent, row)) {
        BufferRef& pinned = pins[row / kBlockRows];
        if (!pinned) pinned = parent.pin(row / kBlockRows, key_column);
        const ColumnBuffer& keys = *pinned;
        const auto slot = static_cast<uint32_t>(row % kBlockRows);
        if (!keys.is_null(slot) && keys.int_at(slot) == key) continue;
      }
      const Datum wanted = Datum::of(key);
      check_parent(f, &parent, &wanted, r);
    }
  }

  void check_parent(size_t f, const Table* parent, const Datum* key, uint32_t r) {
    const ReferenceCheck& reference = table_.references[f];
    uint64_t hash = 0;
    if (!hash_key(table_, reference.columns, key, &hash)) return;
    if (parent == nullptr) fail_no_parent(table_, reference, key);
    // A row may refer to one that comes later in the same statement: what is not there yet is looked at again at its end.
    if (find_live(*parent, *reference.parent_key, key, hash, kNoRow) == kNoRow)
      transaction_.checks().parents.push_back({&table_, f, first_row_ + (r - from_)});
  }

  void check_parents(size_t f) {
    const ReferenceCheck& reference = table_.references[f];
    const auto parent = reference.parent.lock();
    if (parent != nullptr && reference.parent_key->integer_key()) return check_integer_parents(f, *parent);
    DatumArray<kKeyColumnsMax> key;
    for (uint32_t r = from_; r < from_ + count_; ++r) {
      for (size_t i = 0; i < reference.columns.size(); ++i) key[i] = runs_[reference.columns[i]].at(r);
      check_parent(f, parent.get(), key, r);
    }
  }

  Transaction& transaction_;
  Table& table_;
  Block& block_;
  const uint32_t slot_;
  const std::span<const ColumnRun> runs_;
  const uint32_t from_, count_;
  const uint64_t first_row_;
  std::vector<RunDescription> parts_;
  std::vector<Key> keys_;
  size_t sinks_applied_ = 0;
  bool linked_ = false;
};

}  // namespace

void RowSink::apply_runs(const ColumnRun* columns, uint32_t column_count, uint32_t from, uint32_t count) {
  const std::span<const ColumnRun> runs(columns, column_count);
  std::vector<Datum> row(column_count);
  uint32_t done = 0;
  try {
    for (; done < count; ++done) {
      fill_row(runs, from + done, row.data());
      apply(row.data(), +1);
    }
  } catch (...) {
    while (done-- > 0) {
      fill_row(runs, from + done, row.data());
      apply(row.data(), -1);
    }
    throw;
  }
}

Block& block_to_append(Table& table) {
  while (table.append_block < table.block_count() && table.block(table.append_block).rows == kBlockRows) ++table.append_block;
  return table.append_block < table.block_count() ? table.block(table.append_block) : table.add_block();
}

uint64_t insert_runs(Transaction& transaction, Table& table, std::span<const ColumnRun> columns, uint32_t count) {
  CHECK(transaction.writing() && columns.size() == table.column_count());
  transaction.touch(table);
  uint64_t first = kNoRow;
  for (uint32_t done = 0; done < count;) {
    Block& b = block_to_append(table);
    const uint32_t n = std::min(count - done, kBlockRows - b.rows);
    if (first == kNoRow) first = b.first_row() + b.rows;
    RangeInsert(transaction, table, b, b.rows, columns, done, n).run();
    table.live_rows.fetch_add(n, std::memory_order_relaxed);
    done += n;
  }
  return first;
}

uint64_t insert_as_runs(Transaction& transaction, Table& table, std::span<const Datum* const> columns, uint32_t count) {
  // Column by column into arrays of raw values; a bitmap only where there is a NULL.
  const size_t words = bitmap_words(count);
  std::unique_ptr<uint64_t[]> raw(new uint64_t[columns.size() * count]);
  std::vector<uint64_t> nulls(columns.size() * words, 0);
  std::vector<ColumnRun> runs(columns.size());
  for (size_t c = 0; c < columns.size(); ++c) {
    uint64_t* values = raw.get() + c * count;
    uint64_t* bits = nulls.data() + c * words;
    bool any = false;
    for (uint32_t i = 0; i < count; ++i) {
      values[i] = columns[c][i].raw;
      if (!columns[c][i].null) continue;
      bit_set(bits, i);
      any = true;
    }
    runs[c] = {values, any ? bits : nullptr};
  }
  return insert_runs(transaction, table, runs, count);
}

}  // namespace hdb
