// exec/column_map.h: which column of a chunk carries which ColumnId.
//
// Invariants: Y1 an id occurs at most once.
// Callers:    exec/. Immutable once a pipeline runs.
// Held by:    src/exec/evaluate_test.cc
#pragma once

#include <vector>

#include "base/check.h"
#include "plan/expression.h"

namespace hdb {

class ColumnMap {
 public:
  static constexpr uint32_t kNone = 0xFFFFFFFFu;

  uint32_t add(ColumnId id, const Type& type) {
    ids_.push_back(id);
    types_.push_back(type);
    return size() - 1;
  }
  uint32_t size() const { return static_cast<uint32_t>(ids_.size()); }
  uint32_t find(ColumnId id) const {
    for (uint32_t i = 0; i < ids_.size(); ++i) {
      if (ids_[i] == id) return i;
    }
    return kNone;
  }
  uint32_t index(ColumnId id) const {
    const uint32_t i = find(id);
    CHECK(i != kNone);  // N1: an expression refers to its inputs' outputs only
    return i;
  }
  ColumnId id(uint32_t i) const { return ids_[i]; }
  const Type& type(uint32_t i) const { return types_[i]; }
  const std::vector<Type>& types() const { return types_; }

 private:
  std::vector<ColumnId> ids_;
  std::vector<Type> types_;
};

}  // namespace hdb
