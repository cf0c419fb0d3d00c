// plan/logical.h: the logical plan, before and after routing. Columns have ids that are unique in the statement.
//
// What:       a tree of nodes. The binder builds it, rewrite/ moves filters down and picks join keys, route/ sets each scan's Access (and
//             swaps aggregates for their merge forms where cells serve), exec/build.cc turns it into pipelines.
// Invariants: N1 every node lists its output columns with ids; an expression in a node refers to its inputs' outputs only.
//             N2 a routed plan holds shared pointers to the catalog versions it was bound to (C11), so nothing it names can vanish.
//             N4 kFilter, kSort, kLimit and kUpdate's kin put out (or take) their input's columns; kJoin a part of left's, then right's columns. kDistinct
//                is not made: DISTINCT is a kAggregate without aggregates. A kSort with a limit has no kLimit above it. A kValues without columns has rows.
//             N3 after routing, a scan whose access is made of cells puts out only dimension columns and CellColumns; the aggregate above it
//                uses merge kinds. Weighted rows pass through filters and joins like any others: a join multiplies no cell's inside.
// Callers:    plan/, exec/, engine/. Immutable after routing.
// Held by:    src/plan/*_test.cc
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "catalog/schema.h"
#include "plan/expression.h"

namespace hdb {

enum class NodeKind : uint8_t {
  kScan, kValues, kTableFunction, kFilter, kProject, kJoin, kAggregate, kSort, kLimit, kDistinct,
  kInsert, kUpdate, kDelete,
};

struct OutputColumn {
  ColumnId id = kNoColumn;
  std::string name;  // for the user; empty inside
  Type type;
};

struct Node;
struct LimbShape;  // plan/limb_shape.h
using NodePtr = std::shared_ptr<Node>;

enum class AccessKind : uint8_t { kScan, kIndexLookup, kZoneSums, kBlockCells, kSummary, kLimb };

// What a cells source puts out for one measure: ids of hidden columns; kNoColumn where the plan does not use it.
struct MeasureColumns {
  uint32_t measure = 0;            // table column ordinal of the measure
  ColumnId sum = kNoColumn;        // int128 lane (type DECIMAL(38, s) of the measure): exact sum of the non-NULL values, 0 if none
  ColumnId count = kNoColumn;      // BIGINT: how many values were not NULL
  ColumnId min = kNoColumn;        // zone sums only: extremes of the block's live values, NULL if none; measure's own type
  ColumnId max = kNoColumn;
};

struct Access {
  AccessKind kind = AccessKind::kScan;
  // kIndexLookup: equality on all columns of a unique key (a NULL finds nothing); values are expressions without columns, of the columns'
  // types. The conjuncts that the key stands for are no longer among Node::filters: the lookup re-checks the key itself (C8).
  std::shared_ptr<const IndexDef> index;      // also the summary of kSummary and kLimb
  std::vector<ExprPtr> key;
  // Cells (kZoneSums, kBlockCells, kSummary, kLimb): Scan::columns then lists dimensions only.
  ColumnId weight = kNoColumn;                // BIGINT: rows in the cell; for COUNT(*)
  std::vector<MeasureColumns> measures;
  std::string kept_limb;                      // kScan below an aggregate with `limb`: the limb's columns, for EXPLAIN
  std::vector<std::string> declined;          // "PATH (reason)", cheapest first
  double cost = 0;                            // the estimate that won, in ns
};

struct ScanColumn {
  ColumnId id = kNoColumn;
  uint32_t ordinal = 0;  // in the table
  // Cells of a summary only: it puts out this date function of the column (named `source` in it) in the column's place (plan/route_cells.h, R6).
  ExprPtr derived = nullptr;
  ColumnId source = kNoColumn;
};

enum class JoinKind : uint8_t { kInner, kLeft, kCross };

struct SortKey {
  ExprPtr expr;
  bool descending = false;
  bool nulls_first = true;  // INTERFACE: first ascending, last descending, unless said otherwise
};

struct NamedExpr {
  ExprPtr expr;
  OutputColumn output;
};

struct Node {
  NodeKind kind = NodeKind::kScan;
  std::vector<OutputColumn> output;
  std::vector<NodePtr> inputs;

  // kScan
  std::shared_ptr<const TableDef> table;
  std::string alias;                       // the name in the query
  std::vector<ScanColumn> columns;         // what it puts out, in the order of `output` (without the cells' hidden columns, which follow)
  uint32_t filter_only = 0;                // so many of the last of `columns` are read by its own filters only: no node above uses them
  std::vector<ExprPtr> filters;            // conjuncts pushed down to this scan (over its output columns)
  Access access;
  ColumnId row_id = kNoColumn;             // UPDATE and DELETE: a hidden BIGINT column, the row id (block * kBlockRows + slot); last in output
  // kFilter: conjuncts; kJoin: residual conjuncts of ON
  std::vector<ExprPtr> conjuncts;
  // kProject, and group keys of kAggregate
  std::vector<NamedExpr> exprs;
  // kJoin: left_keys[i] = right_keys[i]; inputs[0] is the left (probe) side, inputs[1] the right (build) side
  JoinKind join = JoinKind::kInner;
  std::vector<ExprPtr> left_keys, right_keys;
  // kAggregate: output = group keys (exprs), then aggregates
  std::vector<Aggregate> aggregates;
  std::shared_ptr<const LimbShape> limb;   // how a limb kept from first use answers it; what is below it stays as it is, for when that declines
  // kSort (with limit: top-n), kLimit
  std::vector<SortKey> keys;
  ExprPtr limit, offset;                   // BIGINT constants or parameters; null = none
  // kValues: rows of expressions
  std::vector<std::vector<ExprPtr>> rows;
  // kTableFunction: summary_verify
  std::string function;
  std::vector<ExprPtr> arguments;
  // kInsert, kUpdate, kDelete: on `table`; input puts out, for kInsert, one column per table column in table order;
  // for kUpdate the row id, then one column per entry of set_columns; for kDelete the row id.
  std::vector<uint32_t> set_columns;
};

// A bound and routed statement that returns rows or changes them.
struct Plan {
  NodePtr root;
  std::vector<OutputColumn> result;         // names and types for the caller (empty for a statement without rows)
  ParameterTypes parameters;                // as inferred
  bool writes = false;
  std::vector<std::shared_ptr<const TableDef>> tables;  // every table it reads or writes: the read set (C7)
  uint64_t catalog_version = 0;             // bound again when the catalog's changed (C11)
  ColumnId next_column = 0;                 // ids below it are in use
  bool literal_names = false;               // a result column is named by text with a literal: do not cache under literals as parameters
  std::vector<uint32_t> insert_parameters;  // of an INSERT of one row whose every value is a parameter of its column's type: which, by column
  std::vector<uint32_t> point_columns;      // of a SELECT of plain columns of one scan: the scanned column's place, by column of the result
  std::vector<uint64_t> table_rows;         // of `tables`, when it was bound (plan/route.h, still_fits)
};

}  // namespace hdb
