// store/key_index.h: a unique key: from key values to row ids.
//
// What:       a superset of (key, row) pairs over all live snapshots (C8); whoever looks up re-checks key and visibility on the row. Two forms at
//             once: runs of ascending integer keys at ascending row ids, which cost no memory a key (dense form), and a sharded hash table.
// Invariants: C8 entries are a superset; a candidate is re-checked on the row as of the snapshot. D1 in a run, key k can only be at
//                row_first + (k - key_first); a key outside of every run, or a row that left its run's key, is in the hash.
//             D2 an entry is taken out only when no snapshot needs it (reclaim) or no snapshot can have seen it (undo).
// Cost:       dense: no bytes a key, one comparison a run; hash: 8 bytes an entry at a load of at most 3/4.
// Callers:    txn/ (insert, erase: the writer), exec/ (candidates). Thread-safe by a latch a shard; shards grow one at a time.
// Held by:    src/store/store_test.cc
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/latch.h"
#include "store/table.h"

namespace hdb {

// Hash of key columns; texts by content. False if one of them is NULL: such a key equals nothing and is not indexed.
bool hash_key(const Table& table, std::span<const uint32_t> columns, const Datum* key, uint64_t* hash);
bool keys_equal(const Table& table, std::span<const uint32_t> columns, const Datum* a, const Datum* b);

class KeyIndex {
 public:
  KeyIndex(std::string name, std::vector<uint32_t> columns, bool primary, bool integer_key, MemoryBudget* budget);
  ~KeyIndex();
  KeyIndex(const KeyIndex&) = delete;
  KeyIndex& operator=(const KeyIndex&) = delete;

  const std::string& name() const { return name_; }
  std::span<const uint32_t> columns() const { return columns_; }
  bool primary() const { return primary_; }

  // Candidate rows for a key (its values in the order of columns()), newest knowledge; at most a few. Calls f(row_id) until it returns true.
  // hash: of hash_key. Returns whether some call did.
  template <class F>
  bool find(const Datum* key, uint64_t hash, F&& f) const {
    std::array<uint64_t, 8> rows;
    std::vector<uint64_t> more;
    const size_t n = candidates(key, hash, rows, &more);
    for (size_t i = 0; i < n && i < rows.size(); ++i) {
      if (f(rows[i])) return true;
    }
    for (const uint64_t row : more) {
      if (f(row)) return true;
    }
    return false;
  }

  // Writer. True: the pair was not there before. *in_hash is set if it was, and where erase would take it out. Throws 53200.
  bool insert(const Datum* key, uint64_t hash, uint64_t row_id, bool* in_hash = nullptr);
  // Writer: keys key_first, key_first + 1, ... at rows row_first, row_first + 1, ... go into a run, if no other row can have one of them: the hash is
  // empty, and they lie behind every run, or in one just so. False: nothing was done, insert() them one by one.
  bool insert_run(int64_t key_first, uint64_t row_first, uint64_t count);
  // The runs as they are now, for many lookups at once. Which row a run gives to a key; none has it: the hash may have it still.
  class RunView;
  RunView run_view() const;
  bool integer_key() const { return integer_key_; }
  // Writer: takes a pair out of the hash; pairs of a run stay (they cost nothing and are re-checked).
  void erase(uint64_t hash, uint64_t row_id) noexcept;

  // What a checkpoint keeps: the runs, and each shard's entries with the number of its changes so far (a shard is dirty iff that has moved). Entries
  // are a superset for every registered snapshot, as always.
  static constexpr uint32_t kShards = 64;
  struct Run {
    int64_t key_first;
    uint64_t row_first, length;
  };
  std::vector<Run> all_runs() const;
  uint64_t shard_changes(uint32_t shard) const;
  std::vector<uint64_t> shard_entries(uint32_t shard, uint64_t* changes) const;
  // Of a new index, before anybody else sees it. False: they cannot be those of an index. Throws 53200.
  bool load_runs(std::vector<Run> runs);
  bool load_shard(uint32_t shard, std::span<const uint64_t> entries);

  uint64_t entries() const;  // in the hash
  uint64_t bytes() const;
  uint32_t runs() const;

 private:
  static constexpr uint32_t kRunsMax = 64;
  static constexpr uint64_t kEmpty = UINT64_MAX, kGone = UINT64_MAX - 1;
  struct Shard {
    mutable Latch latch;
    std::vector<uint64_t> slots;  // (28 bits of hash) << 36 | row id
    uint64_t used = 0, gone = 0, changes = 0;
  };

  size_t candidates(const Datum* key, uint64_t hash, std::array<uint64_t, 8>& rows, std::vector<uint64_t>* more) const;
  bool in_run(int64_t key, uint64_t* row) const;  // under run_latch_
  void grow(Shard& shard);

  static bool find_in(std::span<const Run> runs, int64_t key, uint64_t* row);

  const std::string name_;
  const std::vector<uint32_t> columns_;
  const bool primary_, integer_key_;
  MemoryBudget* const budget_;
  mutable Latch run_latch_;
  std::vector<Run> runs_;                         // by key_first
  std::array<Shard, kShards> shards_;
  uint64_t hashed_ = 0;                           // entries of all shards, the writer's own number
};

class KeyIndex::RunView {
 public:
  bool find(int64_t key, uint64_t* row) const {
    if (runs_.size() == 1) {
      const uint64_t at = static_cast<uint64_t>(key) - static_cast<uint64_t>(runs_[0].key_first);
      *row = runs_[0].row_first + at;
      return at < runs_[0].length && key >= runs_[0].key_first;
    }
    return find_in(runs_, key, row);
  }

 private:
  friend class KeyIndex;
  std::vector<Run> runs_;
};

}  // namespace hdb
