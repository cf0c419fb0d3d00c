// exec/limb_build.h: the cells of a limb, counted from a table's blocks at a snapshot, or read off a summary.
//
// What:       limb_form() chooses the layout from bounds and dictionaries; count_limb() adds the rows up, each worker into cells of its own;
//             limb_from_summary() adds the cells of a summary up instead, if there is one; count_groups() adds rows to the groups of their keys.
// Invariants: LM2 (plane/limb.h): the bound is taken from zone maps, which hold for every snapshot (Z1). LB1 integer addition commutes, so the cells are
//             the same on any number of threads (C17). LB2 cells by group are those of the limb, added up.
// Limits:     kLimbLocalMax local cells a key; cells at most half of the rows (or kLimbCellsSmall).
// Callers:    exec/limb_aggregate.
// Held by:    src/engine/kept_limb_test.cc
#pragma once

#include <memory>
#include <optional>

#include "exec/executor.h"
#include "plan/limb_shape.h"
#include "plane/limb.h"

namespace hdb {

inline constexpr uint32_t kLimbLocalMax = 4096;
inline constexpr uint64_t kLimbCellsSmall = 65'536;
inline constexpr uint64_t kLimbCellsMany = uint64_t{1} << 18;  // more do not fit the caches: counting them costs several times as much a row
inline constexpr uint64_t kLimbFieldsMax = uint64_t{1} << 26;

struct LimbPlan {
  LimbForm form;
  uint64_t bound = 0, rows = 0;
  bool keep = true;                    // false: the cells would be too many for the rows
  int64_t low = 0, high = -1;          // bounds of the measure, if there is one
};

// Nothing: a column has no codes, its values are too far apart, or sums might not fit 64 bits.
std::optional<LimbPlan> limb_form(const LimbShape& shape);
// Null: a block holds a column in another form than expected.
std::shared_ptr<Limb> count_limb(const Table& table, const LimbPlan& plan, Executor& executor);
// Cells by group instead of key, counted from the rows: of form.local_cells() * form.stride fields each, for groups [0, groups] (the last one is what
// `group_of` has for keys without one). group_of: by key slot. Nothing: a block holds a column in another form than expected.
std::optional<LimbCells> count_groups(const Table& table, const LimbPlan& plan, const std::vector<uint32_t>& group_of, uint32_t groups, Executor& executor);
// Null: no summary of the fact serves.
std::shared_ptr<Limb> limb_from_summary(const LimbShape& shape, const LimbPlan& plan, Executor& executor);

}  // namespace hdb
