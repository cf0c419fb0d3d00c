// exec/join.h: inner, left and cross joins: the right side is built, the left side streams past it.
//
// What:       JoinBuild collects the right rows in order and numbers their keys; the probe stage looks left keys up and puts matches out.
// Invariants: C17 left rows keep their order; the matches of one left row come in the order of the right rows.
//             J1 a NULL in a key matches nothing. J2 a left row of a LEFT JOIN comes out at least once, with NULLs if no match passes the residual.
// Cost:       a unique integer key in a small range is one array look-up a row; when every left row matches once, its columns pass unchanged.
// Callers:    exec/build.
// Held by:    src/exec/join_test.cc
#pragma once

#include <memory>
#include <vector>

#include "exec/key_table.h"
#include "exec/pipeline.h"

namespace hdb {

// The finished right side. Immutable while it is probed.
struct JoinTable {
  std::shared_ptr<Rows> rows;               // the columns that come out, then the keys
  std::unique_ptr<KeyTable> keys;           // null: no keys, every row matches
  bool unique = false;                      // the key with id i belongs to row i alone
  std::vector<uint32_t> starts, matches;    // else: rows of key i are matches[starts[i], starts[i + 1])
};

// Numbers the keys (the last key_count columns of `rows`); rows with a NULL key match nothing.
std::shared_ptr<JoinTable> build_join(std::shared_ptr<Rows> rows, uint32_t key_count, Worker& worker);

struct JoinShape {
  JoinKind kind = JoinKind::kInner;
  std::vector<ExprPtr> left_keys;
  std::vector<ExprPtr> residual;
  ColumnMap left;                           // what comes in
  ColumnMap both;                           // left, then all columns of the right rows that can come out: what `residual` sees
  std::vector<uint32_t> out;                // places in `both`, in the order of the output
};
std::unique_ptr<Stage> probe_stage(JoinShape shape, std::shared_ptr<const JoinTable> table);

}  // namespace hdb
