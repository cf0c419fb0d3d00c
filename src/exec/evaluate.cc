#include "exec/evaluate.h"

#include <array>

#include "base/check.h"

namespace hdb {

namespace {

constexpr uint32_t kMemoRowsMin = 32;  // fewer rows than this are cheaper without a memo

constexpr size_t kFunctions = static_cast<size_t>(Function::kStartsWith) + 1;

std::array<FunctionEntry, kFunctions> make_table() {
  std::array<FunctionEntry, kFunctions> table{};
  const auto put = [&](Function f, Kernel kernel, bool strict, bool fails) { table[static_cast<size_t>(f)] = {kernel, strict, fails}; };
  using F = Function;
  put(F::kNegate, kernel_negate, true, true);
  put(F::kAdd, kernel_add, true, true);
  put(F::kSubtract, kernel_subtract, true, true);
  put(F::kMultiply, kernel_multiply, true, true);
  put(F::kDivide, kernel_divide, true, true);
  put(F::kModulo, kernel_modulo, true, true);
  put(F::kMod, kernel_modulo, true, true);
  for (F f : {F::kEqual, F::kNotEqual, F::kLess, F::kLessEqual, F::kGreater, F::kGreaterEqual}) put(f, kernel_compare, true, false);
  for (F f : {F::kDistinctFrom, F::kNotDistinctFrom}) put(f, kernel_distinct, false, false);
  put(F::kNot, kernel_truth, true, false);
  for (F f : {F::kIsNull, F::kIsNotNull, F::kIsTrue, F::kIsFalse, F::kIsNotTrue, F::kIsNotFalse}) put(f, kernel_truth, false, false);
  put(F::kConcat, kernel_concat, true, true);
  put(F::kLike, kernel_like, true, true);
  put(F::kILike, kernel_like, true, true);
  put(F::kAbs, kernel_abs, true, true);
  put(F::kLength, kernel_length, true, false);
  put(F::kLower, kernel_fold, true, false);
  put(F::kUpper, kernel_fold, true, false);
  for (F f : {F::kTrim, F::kLtrim, F::kRtrim}) put(f, kernel_trim, true, false);
  put(F::kSubstr, kernel_substr, true, true);
  put(F::kReplace, kernel_replace, true, true);
  for (F f : {F::kRound, F::kFloor, F::kCeil, F::kTrunc}) put(f, kernel_round, true, true);
  put(F::kSign, kernel_sign, true, false);
  put(F::kSqrt, kernel_real, true, true);
  put(F::kPower, kernel_real, true, true);
  put(F::kNullIf, kernel_null_if, false, false);
  put(F::kGreatest, kernel_extreme, false, false);
  put(F::kLeast, kernel_extreme, false, false);
  put(F::kDateTrunc, kernel_date_trunc, true, true);
  put(F::kExtract, kernel_extract, true, true);
  put(F::kInstr, kernel_find, true, false);
  put(F::kStartsWith, kernel_find, true, false);
  return table;
}

bool all_constant(std::span<const Vector> args) {
  for (const Vector& v : args) {
    if (!v.constant) return false;
  }
  return true;
}

}  // namespace

const FunctionEntry& function_entry(Function f) {
  static const std::array<FunctionEntry, kFunctions> table = make_table();
  const FunctionEntry& entry = table[static_cast<size_t>(f)];
  CHECK(entry.kernel != nullptr);
  return entry;
}

bool can_fail(const Expr& e) {
  if (e.kind == ExprKind::kCall && function_entry(e.function).can_fail) {
    // Doubles add, subtract and multiply into infinities; only exact types overflow.
    const bool real = e.type.id == TypeId::kDouble;
    const Function f = e.function;
    const bool like = (f == Function::kLike || f == Function::kILike) && e.args.size() == 2;  // only an ESCAPE can be wrong
    if (!like && (!real || !(f == Function::kAdd || f == Function::kSubtract || f == Function::kMultiply || f == Function::kNegate || f == Function::kAbs))) return true;
  }
  if (e.kind == ExprKind::kCast && cast_can_fail(e.args[0]->type, e.type)) return true;
  for (const ExprPtr& arg : e.args) {
    if (can_fail(*arg)) return true;
  }
  return false;
}

Vector Evaluator::evaluate(const Expr& e, const ColumnMap& map, const Chunk& in) {
  if (in.rows == 0) return null_vector(e.type);
  if (in.rows >= kMemoRowsMin && e.kind != ExprKind::kColumn && e.kind != ExprKind::kConstant && e.kind != ExprKind::kParameter) {
    Memo* memo = memo_for(e, map, in);
    if (memo != nullptr) return memoised(e, *memo, map, in);
  }
  return node(e, map, in);
}

Vector Evaluator::node(const Expr& e, const ColumnMap& map, const Chunk& in) {
  switch (e.kind) {
    case ExprKind::kConstant: return constant_vector(e.constant, e.type, scratch_);
    case ExprKind::kParameter: return parameter(e);
    case ExprKind::kColumn: return in.columns[map.index(e.column)];
    case ExprKind::kCall: return call(e, map, in);
    case ExprKind::kCast: {
      const Vector v = evaluate(*e.args[0], map, in);
      return cast_vector(v, e.type, e.position, v.constant ? 1 : in.rows, scratch_);
    }
    case ExprKind::kAnd:
    case ExprKind::kOr: return logic(e, map, in);
    case ExprKind::kCase: return choose(e, map, in);
    case ExprKind::kCoalesce: return coalesce(e, map, in);
    case ExprKind::kIn: return in_list(e, map, in);
  }
  CHECK(false);
  return {};
}

Vector Evaluator::parameter(const Expr& e) {
  if (e.parameter >= parameters_.size()) fail(sqlstate::kParameter, "no value is bound to parameter " + std::to_string(e.parameter + 1), e.position);
  const Value& value = parameters_[e.parameter];
  if (value.null) return null_vector(e.type);
  if (value.type == e.type) return constant_vector(value, e.type, scratch_);
  return cast_vector(constant_vector(value, value.type, scratch_), e.type, e.position, 1, scratch_);
}

Vector Evaluator::call(const Expr& e, const ColumnMap& map, const Chunk& in) {
  const FunctionEntry& entry = function_entry(e.function);
  constexpr size_t kInline = 4;
  Vector few[kInline];
  std::vector<Vector> many;
  Vector* args = few;
  if (e.args.size() > kInline) {
    many.resize(e.args.size());
    args = many.data();
  }
  for (size_t i = 0; i < e.args.size(); ++i) args[i] = evaluate(*e.args[i], map, in);
  const std::span<const Vector> all(args, e.args.size());
  if (entry.strict) {
    for (const Vector& v : all) {
      if (constant_null(v)) return null_vector(e.type);
    }
  }
  const bool constant = all_constant(all);
  const uint32_t rows = constant ? 1 : in.rows;
  const uint64_t* nulls = entry.strict ? merged_nulls(all, rows, scratch_) : nullptr;
  Vector out;
  try {
    out = entry.kernel(Call{e, all, rows, scratch_, nulls});
  } catch (Error& error) {
    if (!error.has_position()) error.set_position(e.position);
    throw;
  }
  out.constant = constant || out.constant;
  out.type = e.type;
  return out;
}

uint32_t Evaluator::filter(std::span<const ExprPtr> conjuncts, const ColumnMap& map, const Chunk& in, uint32_t* rows) {
  uint32_t count = in.rows;
  bool all = true;
  for (const ExprPtr& conjunct : conjuncts) {
    if (count == 0) return 0;
    if (all) {
      count = select_true(evaluate(*conjunct, map, in), in.rows, rows);
      all = count == in.rows;
      continue;
    }
    const Vector v = on_rows(*conjunct, map, in, rows, count);
    uint32_t* kept = scratch_.array<uint32_t>(count);
    const uint32_t n = select_true(v, count, kept);
    for (uint32_t i = 0; i < n; ++i) rows[i] = rows[kept[i]];
    count = n;
  }
  if (conjuncts.empty()) {
    for (uint32_t i = 0; i < count; ++i) rows[i] = i;
  }
  return count;
}

Value evaluate_constant(const Expr& e, std::span<const Value> parameters) {
  Scratch scratch;
  Evaluator evaluator(parameters, scratch, nullptr);
  Chunk one;
  one.rows = 1;
  Value v = value_at(evaluator.evaluate(e, ColumnMap(), one), 0);
  v.type = e.type;
  return v;
}

}  // namespace hdb
