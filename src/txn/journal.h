// txn/journal.h: the undo journal of a transaction: the only history there is.
//
// Terms:      entry: the before-image of one change of one block. Position: its index in the transaction's journal, from 0; positions recur after
//             ROLLBACK TO. Action: an entry for something that is not a row (catalog changes): two functions.
// States:     active -> committed -> reclaimed (cut from its block's chain, memory retired by epoch), or active -> undone.
// Invariants: J1 a block's chain is newest first, and commits in chain order (one writer at a time). J2 an entry's before-image is written before
//             the entry is linked and never changes. C4 entries point to their TransactionState and are never stamped one by one.
// Callers:    txn/ only, but log/ may iterate items(). The writer appends and undoes; readers walk chains under an epoch guard.
// Held by:    src/txn/change_test.cc, src/txn/transaction_test.cc
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/budget.h"
#include "store/table.h"
#include "txn/snapshot.h"

namespace hdb {

enum class UndoKind : uint8_t { kInsert, kDelete, kUpdate };

// The old value of one column of the row.
struct ColumnImage {
  uint32_t column;
  Datum old;
};

// A key that an entry brought into an index, or that the row had in it before.
struct KeyChange {
  KeyIndex* index;
  uint64_t hash;
};

struct UndoEntry {
  std::atomic<UndoEntry*> next{nullptr};  // older; null at the end of the chain
  UndoEntry* newer = nullptr;             // writer only
  TransactionState* transaction = nullptr;
  uint64_t position = 0;
  Table* table = nullptr;
  Block* block = nullptr;
  LastChange before;                      // the block's last change before this one
  UndoKind kind = UndoKind::kInsert;
  uint32_t slot = 0, count = 1;           // kInsert: slots [slot, slot + count)
  uint32_t image_count = 0, key_count = 0, gone_count = 0;
  bool key_returned = false;              // kUpdate: a new key was in the hash for this row already: an older entry lists it as gone
  ColumnImage* images = nullptr;          // kUpdate
  KeyChange* keys_added = nullptr;        // kUpdate: keys that were not in the index for this row before; undo takes them out
  KeyChange* keys_gone = nullptr;         // kUpdate: keys that the row had; reclaiming takes them out unless they returned
};

struct JournalItem {
  UndoEntry* entry = nullptr;                      // or, if null:
  std::shared_ptr<struct JournalAction> action;
};
struct JournalAction {
  std::function<void()> undo;                      // must not throw
  std::function<void()> reclaim;                   // no snapshot needs the old state any more; must not throw; may be empty
  std::function<void(uint64_t)> publish;           // at commit, before H is stored; must not throw; may be empty
  std::string redo;                                // what replay runs: the text of a statement; empty: nothing (its neighbour says it)
  uint64_t redo_id = 0;                            // the catalog's next id before it, so that ids recur in replay
};

// The memory of a transaction's entries: given back as a whole.
class JournalArena {
 public:
  explicit JournalArena(MemoryBudget* budget) : budget_(budget) {}
  ~JournalArena() { if (budget_ != nullptr) budget_->release(bytes_); }
  JournalArena(const JournalArena&) = delete;
  JournalArena& operator=(const JournalArena&) = delete;
  // Memory as it is, aligned to 8. Throws 53200.
  void* allocate(size_t bytes);
  // Everything made here is gone; the last chunk that is not too large stays for what comes next.
  void reset() noexcept;
  uint64_t bytes() const { return bytes_; }

 private:
  static constexpr size_t kChunkBytesMin = 512, kChunkBytesMax = 1u << 20;
  MemoryBudget* budget_;
  uint64_t bytes_ = 0;
  std::vector<std::unique_ptr<char[]>> chunks_;
  static constexpr size_t kKeptBytesMax = 1u << 16;
  size_t last_bytes_ = 0;               // of the last chunk
  size_t kept_bytes_ = 0, kept_at_ = 0; // of the last one that reset() may keep, and its place
  char* next_ = nullptr;
  size_t room_ = 0;
};

}  // namespace hdb
