// exec/key_table.h: distinct keys, numbered in the order in which they first come: what grouping, DISTINCT and hash joins stand on.
//
// What:       every key value becomes one or two 64-bit words (a number itself, a double's bits, a text's id), so all types share two forms:
//             direct (an array indexed by the values' offsets, while the joint range is small) and hashed.
// Invariants: H1 equal keys (NULL equals NULL here; -0.0 equals 0.0; any NaN equals any NaN) get one id; ids are dense from 0, in order of rows.
//             H2 the form does not show: it changes by itself when the range outgrows the limit.
//             H3 texts of a dictionary are known by their code only while that dictionary is the first one seen; others go by content.
// Callers:    exec/. Growing: one owner. find(): any number of threads, each with its own Finder, once it does not grow any more.
// Held by:    src/exec/key_table_test.cc
#pragma once

#include <memory>
#include <vector>

#include "base/budget.h"
#include "exec/scratch.h"
#include "exec/text_ids.h"
#include "exec/vector_ops.h"

namespace hdb {

class KeyTable {
 public:
  static constexpr uint32_t kNone = 0xFFFFFFFFu;
  static constexpr uint64_t kDirectSlotsMax = 1u << 22;

  // rows_hint: how many rows may come; bounds the size of the direct form.
  KeyTable(std::vector<Type> types, uint64_t rows_hint, MemoryBudget* budget);
  ~KeyTable();
  KeyTable(const KeyTable&) = delete;
  KeyTable& operator=(const KeyTable&) = delete;

  uint32_t size() const { return size_; }
  // ids[i]: of row i. Keys that are not there yet are added.
  void insert(const Vector* keys, uint32_t rows, Scratch& scratch, uint32_t* ids);
  struct Finder {
    std::vector<TextIds::Foreigns> foreigns;
  };
  // ids[i]: kNone if the key is not there or a part of it is NULL.
  void find(const Vector* keys, uint32_t rows, Scratch& scratch, Finder& finder, uint32_t* ids) const;
  // Column `column` of the keys with these ids.
  Vector key(uint32_t column, const uint32_t* ids, uint32_t count, Scratch& scratch) const;
  uint32_t column_count() const { return static_cast<uint32_t>(columns_.size()); }
  bool direct() const { return direct_; }

 private:
  struct Column {
    Type type;
    uint32_t word = 0;         // its first word in a key
    bool wide = false;         // two words
    int64_t low = 0;           // direct form: value range [low, low + span), then one slot for NULL
    uint64_t span = 0;
    TextIds texts;
  };
  // The words of a run of rows: words[w][i], nulls[i] a bit per key column.
  struct Words {
    std::vector<uint64_t*> words;
    uint32_t* nulls = nullptr;  // null pointer: none is NULL
  };

  bool can_direct(const Column& c) const { return !c.wide && c.type.lane() != Lane::kDouble; }
  void number_words(const Vector& v, const Column& c, uint32_t rows, uint64_t** out) const;
  void null_bits(const Vector* keys, uint32_t rows, Scratch& scratch, Words* out) const;
  bool fit_ranges(const Words& w, uint32_t rows);
  void leave_direct();
  void rebuild_direct();
  uint64_t slot_of(const Words& w, uint32_t row) const;
  void insert_direct(const Words& w, uint32_t rows, Scratch& scratch, uint32_t* ids);
  void insert_hashed(const Words& w, uint32_t rows, uint32_t* ids);
  uint32_t add(const Words& w, uint32_t row);
  uint64_t hash(const Words& w, uint32_t row) const;
  bool has_null(const Words& w, uint32_t row) const;
  bool same(uint32_t id, const Words& w, uint32_t row) const;
  void grow_hash();
  void settle_budget();

  std::vector<Column> columns_;
  static constexpr uint32_t kMaskColumns = 32;  // with more key columns, NULLs are words of the key
  uint32_t word_count_ = 0;
  uint32_t null_word_ = kNone;
  uint64_t slots_max_;
  MemoryBudget* budget_;
  uint64_t charged_ = 0;
  bool direct_ = true;
  uint32_t size_ = 0;
  std::vector<uint64_t> keys_;    // word_count_ words a key
  std::vector<uint32_t> nulls_;   // by id; empty while no key has a NULL
  std::vector<uint32_t> slots_;   // direct: id by slot
  std::vector<uint64_t> table_;   // hashed: (hash's upper half << 32) | id, kEmpty
};

}  // namespace hdb
