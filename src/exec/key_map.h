// exec/key_map.h: from the key of a dimension table to the group of its row.
//
// What:       for each value of the table's unique key the number of the distinct attribute values that its row has, dense by key; and those values.
//             Without attributes all rows are one group; rows that the scan's filters drop have none.
// Invariants: KM1 a kept map is of one version of its table (the newest commit that changed it): it serves a snapshot that sees exactly that
//                version and has no changes of its own there (C16); any other reader makes a map for itself.
// Callers:    exec/limb_aggregate. Immutable once made; shared by readers.
// Held by:    src/engine/kept_limb_test.cc, oracle/, mutants/
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "exec/executor.h"
#include "plan/limb_shape.h"

namespace hdb {

class KeyMap {
 public:
  static constexpr uint32_t kNone = 0xFFFFFFFFu;
  explicit KeyMap(MemoryBudget* b) : budget(b) {}
  ~KeyMap() { if (budget != nullptr) budget->release(charged); }
  KeyMap(const KeyMap&) = delete;
  KeyMap& operator=(const KeyMap&) = delete;

  // What it is of.
  uint64_t version = 0;
  std::string name;                    // key, attributes, filters and their parameters
  const Dictionary* codes = nullptr;   // TEXT keys: the fact's dictionary
  // What it says.
  int64_t low = 0;
  std::vector<uint32_t> group_of;      // by key - low (TEXT: by code of `codes`)
  uint32_t groups = 0;
  uint32_t null_group = kNone;         // LEFT JOIN: the group of keys without a row, the last one; its values are NULL
  std::shared_ptr<Rows> values;        // by group: the attributes, then (if each row is a group) the key
  MemoryBudget* budget;
  uint64_t charged = 0;
};

// The map for this shape's dimension at the execution's snapshot, kept or made now. Null: its keys are too far apart.
std::shared_ptr<const KeyMap> key_map(const LimbShape& shape, Executor& executor);

}  // namespace hdb
