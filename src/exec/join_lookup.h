// exec/join_lookup.h: the right side of a join by its unique index, when the left side has few rows.
//
// What:       instead of reading the whole right table, each distinct left key is looked up; what is found is built as usual.
// Invariants: J3 the rows are those of the right scan (its filters included) that some left key equals: C8, re-checked as of the snapshot.
// Callers:    exec/build.
// Held by:    src/exec/build_test.cc
#pragma once

#include "exec/pipeline.h"

namespace hdb {

inline constexpr uint64_t kLookupRowsMax = 256;  // left rows up to which look-ups are tried

// The unique index whose columns are just the right keys of the join over a plain scan, or null. order: the key of each index column.
const IndexDef* lookup_index(const Node& join, std::vector<uint32_t>* order);
// Rows of the right scan: its columns (all of node.columns), then the keys. `map` tells the columns.
std::shared_ptr<Rows> lookup_rows(const Node& join, const IndexDef& index, const std::vector<uint32_t>& order, const Rows& left, const ColumnMap& left_map, Worker& worker,
                                  ColumnMap* map);

}  // namespace hdb
