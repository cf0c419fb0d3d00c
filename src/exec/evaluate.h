// exec/evaluate.h: the values of a bound expression over the rows of a chunk.
//
// What:       evaluate() gives a vector of the expression's type, a row for each row of the chunk (or a constant one).
// Invariants: V2 an error is raised only for a row that reaches the failing node (B2): branches of CASE, COALESCE, AND, OR and IN run on
//                just the rows that reach them, unless they cannot fail. Errors carry the position of the node that failed.
//             V3 an expression over one dictionary-coded column and constants runs once per distinct value that occurs; the result is
//                mapped by code (and is itself in code form when it is TEXT).
//             V5 an IN list of many constants is a hash set, made once: a row costs the same however long the list.
//             V4 the result does not depend on how rows are cut into chunks.
// Meaning:    INTERFACE.md. NaN equals itself and is above every number; -0.0 equals 0.0. Text compares by bytes. GREATEST and LEAST
//             skip NULLs. LENGTH, SUBSTR, INSTR count UTF-8 characters; LOWER, UPPER, ILIKE fold ASCII letters only.
// Callers:    exec/. One owner (a worker), not thread-safe; the result lives in its scratch memory.
// Held by:    src/exec/evaluate_test.cc
#pragma once

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "exec/column_map.h"
#include "exec/scratch.h"
#include "exec/vector_ops.h"
#include "plan/expression.h"

namespace hdb {

class Evaluator {
 public:
  Evaluator(std::span<const Value> parameters, Scratch& scratch, MemoryBudget* budget);
  ~Evaluator();
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  Vector evaluate(const Expr& e, const ColumnMap& map, const Chunk& in);
  // Rows for which all conjuncts are true, ascending, evaluated one after the other on what is left. `rows` has room for in.rows.
  uint32_t filter(std::span<const ExprPtr> conjuncts, const ColumnMap& map, const Chunk& in, uint32_t* rows);

  Scratch& scratch() { return scratch_; }
  std::span<const Value> parameters() const { return parameters_; }

 private:
  struct Memo;
  struct Items;

  Vector node(const Expr& e, const ColumnMap& map, const Chunk& in);
  Vector call(const Expr& e, const ColumnMap& map, const Chunk& in);
  Vector parameter(const Expr& e);
  Vector logic(const Expr& e, const ColumnMap& map, const Chunk& in);     // AND, OR
  Vector choose(const Expr& e, const ColumnMap& map, const Chunk& in);    // CASE
  Vector coalesce(const Expr& e, const ColumnMap& map, const Chunk& in);
  Vector in_list(const Expr& e, const ColumnMap& map, const Chunk& in);
  const Items* items_for(const Expr& e);   // of an IN list of many constants; null: it has another form
  Vector on_rows(const Expr& e, const ColumnMap& map, const Chunk& in, const uint32_t* rows, uint32_t count);
  Memo* memo_for(const Expr& e, const ColumnMap& map, const Chunk& in);
  Vector memoised(const Expr& e, Memo& memo, const ColumnMap& map, const Chunk& in);

  std::span<const Value> parameters_;
  Scratch& scratch_;
  MemoryBudget* budget_;
  std::unordered_map<const Expr*, std::unique_ptr<Memo>> memos_;
  std::unordered_map<const Expr*, std::unique_ptr<Items>> items_;
};

// The value of an expression without columns, as a value of its type.
Value evaluate_constant(const Expr& e, std::span<const Value> parameters);

// ---- Kernels: one family a file --------------------------------------------------------------------------------------

// Arguments of a kernel: `rows` is 1 when all of them are constant. Strict kernels are not called with a constant NULL argument.
struct Call {
  const Expr& e;
  std::span<const Vector> args;
  uint32_t rows;
  Scratch& scratch;
  const uint64_t* nulls;  // merged_nulls of a strict kernel
};
using Kernel = Vector (*)(const Call&);

struct FunctionEntry {
  Kernel kernel = nullptr;
  bool strict = true;     // NULL if any argument is
  bool can_fail = true;
};
const FunctionEntry& function_entry(Function f);
// May some row make it raise an error?
bool can_fail(const Expr& e);

// arithmetic.cc
Vector kernel_add(const Call&);
Vector kernel_subtract(const Call&);
Vector kernel_multiply(const Call&);
Vector kernel_divide(const Call&);
Vector kernel_modulo(const Call&);
Vector kernel_negate(const Call&);
// compare.cc
Vector kernel_compare(const Call&);        // =, <>, <, <=, >, >= by e.function
Vector kernel_distinct(const Call&);
Vector kernel_truth(const Call&);          // NOT, IS [NOT] NULL, IS [NOT] TRUE/FALSE
Vector kernel_null_if(const Call&);
Vector kernel_extreme(const Call&);        // GREATEST, LEAST
Vector compare_vectors(Function op, const Vector& a, const Vector& b, uint32_t rows, Scratch& scratch);  // nulls not set
// number_functions.cc
Vector kernel_abs(const Call&);
Vector kernel_sign(const Call&);
Vector kernel_round(const Call&);          // ROUND, FLOOR, CEIL, TRUNC by e.function
Vector kernel_real(const Call&);           // SQRT, POWER
// text_functions.cc
Vector kernel_concat(const Call&);
Vector kernel_length(const Call&);
Vector kernel_fold(const Call&);           // LOWER, UPPER
Vector kernel_trim(const Call&);
Vector kernel_substr(const Call&);
Vector kernel_replace(const Call&);
Vector kernel_find(const Call&);           // INSTR, STARTS_WITH
// like.cc
Vector kernel_like(const Call&);
// date_functions.cc
Vector kernel_date_trunc(const Call&);
Vector kernel_extract(const Call&);
// cast.cc
Vector cast_vector(const Vector& v, const Type& to, int64_t position, uint32_t rows, Scratch& scratch);
bool cast_can_fail(const Type& from, const Type& to);

}  // namespace hdb
