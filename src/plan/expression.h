// plan/expression.h: bound expressions: typed, with column ids instead of names.
//
// What:       an immutable tree that plan/ builds and exec/ evaluates. All implicit conversions are explicit kCast nodes, so the arguments
//             of an operator have the lane and type that its function expects.
// Invariants: B1 every node has its result type; kColumn names a ColumnId that some node below in the plan puts out.
//             B2 evaluation of a node may raise only for rows that reach it: CASE, COALESCE, AND, OR evaluate lazily by row.
//             B3 kConstant folding never raises (INTERFACE: constant folding never raises in a branch that is not reached).
// Callers:    plan/, exec/, engine/. Immutable after binding, so shared between threads.
// Held by:    src/plan/binder_test.cc, src/exec/evaluate_test.cc
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "store/type.h"
#include "store/value.h"

namespace hdb {

using ColumnId = uint32_t;  // unique within one statement
inline constexpr ColumnId kNoColumn = 0xFFFFFFFFu;

enum class Function : uint16_t {
  // Arithmetic. Both arguments have the result's type family: BIGINT, DECIMAL (own scales), DOUBLE; DATE +- BIGINT and DATE - DATE.
  kNegate, kAdd, kSubtract, kMultiply, kDivide, kModulo,
  // Comparison: arguments of the same type (DECIMALs may differ in precision, scale and lane). Result BOOLEAN.
  kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual, kDistinctFrom, kNotDistinctFrom,
  kNot, kIsNull, kIsNotNull, kIsTrue, kIsFalse, kIsNotTrue, kIsNotFalse,
  kConcat,                                   // TEXT || TEXT
  kLike, kILike,                             // (text, pattern [, escape])
  // Scalar functions.
  kAbs, kLength, kLower, kUpper, kTrim, kLtrim, kRtrim, kSubstr, kReplace, kRound, kFloor, kCeil, kTrunc, kSign, kMod, kSqrt, kPower,
  kNullIf, kGreatest, kLeast, kDateTrunc, kExtract, kInstr, kStartsWith,
};

enum class ExprKind : uint8_t {
  kConstant,   // constant
  kParameter,  // parameter (index from 0)
  kColumn,     // column
  kCall,       // function(args)
  kCast,       // args[0] to type
  kAnd, kOr,   // n-ary, args all BOOLEAN
  kCase,       // args: when1, then1, when2, then2, ..., else (always present); conditions BOOLEAN
  kCoalesce,   // args, all of the result's type
  kIn,         // args[0] IN (args[1..]), same type; negated by kNot above it
};

struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;

struct Expr {
  ExprKind kind = ExprKind::kConstant;
  Type type;
  int64_t position = -1;  // byte offset of the operator or operand in the text: errors point there
  Function function = Function::kAdd;
  ColumnId column = kNoColumn;
  uint32_t parameter = 0;
  uint64_t hash = 0;      // of the tree up to positions; set by the makers of plan/make.h, 0 = not computed
  Value constant;
  std::vector<ExprPtr> args;
};

enum class AggregateKind : uint8_t {
  kCountStar, kCount, kSum, kSumExact, kAvg, kMin, kMax,
  // Over cells (a route puts them in the place of the above; see plan/logical.h, CellColumns):
  kMergeCount,     // sum of BIGINT counts (argument: a count column); BIGINT, 0 for no row
  kMergeSum,       // arguments: (exact sum column in the int128 lane, non-NULL count column): NULL when no value
  kMergeSumExact,
  kMergeAvg,
};

struct Aggregate {
  AggregateKind kind = AggregateKind::kCountStar;
  bool distinct = false;
  ExprPtr argument;        // null for kCountStar
  ExprPtr value_count;     // kMergeSum, kMergeSumExact, kMergeAvg: the count of non-NULL values
  Type measure_type;       // type of the measure that was added up: decides result type and scale
  Type type;               // of the result
  ColumnId id = kNoColumn; // of the result
  int64_t position = -1;
};

// Types of literals in parameter position, fixed when a plan is bound.
struct ParameterTypes {
  std::vector<Type> types;  // TypeId::kNull: not known yet, infer from the context
};

bool equal(const Expr& a, const Expr& b);            // same tree up to positions
void collect_columns(const Expr& e, std::vector<ColumnId>* out);
bool has_columns(const Expr& e);                      // false: a constant of the execution (literals, parameters)
std::string to_string(const Expr& e);                // for EXPLAIN; columns as #id
// The same with columns by name: names[id], where it is not empty.
std::string to_string(const Expr& e, const std::vector<std::string>& names);
std::string to_string(const Aggregate& a, const std::vector<std::string>& names);
std::string_view name_of(Function function);

// The comparison that says the same with its operands exchanged: a < b is b > a; any other function is itself.
Function mirrored(Function f);

}  // namespace hdb
