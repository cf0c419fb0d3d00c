// engine/check_table.h: a table against itself: its zones and its keys against its rows.
//
// What:       for each block as of a snapshot: bounds hold, and sums and NULL counts that are current are those of the rows; each visible row is found by
//             each of its keys, and no other visible row has the key.
// Invariants: T1 a table whose zones and keys belong to its rows has no findings, whatever is written meanwhile.
// Callers:    engine/show (CHECK DATABASE). Any thread; takes block latches in turn.
// Held by:    src/engine/checkpoint_test.cc
#pragma once

#include <cstdint>
#include <string>

#include "base/budget.h"
#include "catalog/schema.h"
#include "txn/snapshot.h"

namespace hdb {

class EpochManager;

struct TableCheck {
  uint64_t rows = 0, findings = 0;
  std::string first;  // the first finding, as a sentence
};
TableCheck check_table(const TableDef& def, const Snapshot& snapshot, EpochManager& epochs, const CancelToken* cancel);

}  // namespace hdb
