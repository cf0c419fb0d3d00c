#include "plan/make.h"

#include <utility>

#include "base/hash.h"

namespace hdb {
namespace {

uint64_t hash_type(const Type& t) {
  return static_cast<uint64_t>(t.id) << 48 | static_cast<uint64_t>(t.precision) << 40 | static_cast<uint64_t>(t.scale) << 32 | t.length;
}

uint64_t hash_of(const Expr& e) {
  uint64_t h = hash_combine(static_cast<uint64_t>(e.kind) << 56 ^ hash_type(e.type), static_cast<uint64_t>(e.function) << 32);
  switch (e.kind) {
    case ExprKind::kConstant: {
      const Value& v = e.constant;
      uint64_t bits = 0;
      std::memcpy(&bits, &v.real, sizeof bits);
      if (!v.null) {
        h = hash_combine(h, bits ^ static_cast<uint64_t>(v.number) ^ static_cast<uint64_t>(v.number >> 64));
        h = hash_combine(h, hash_bytes(v.text.data(), v.text.size()));
      }
      break;
    }
    case ExprKind::kParameter: h = hash_combine(h, e.parameter); break;
    case ExprKind::kColumn: h = hash_combine(h, e.column); break;
    default:
      for (const ExprPtr& a : e.args) h = hash_combine(h, a->hash);
  }
  return h | 1;  // 0 is "not computed"
}

std::shared_ptr<Expr> start(ExprKind kind, const Type& type, int64_t position) {
  auto e = std::make_shared<Expr>();
  e->kind = kind;
  e->type = type;
  e->position = position;
  return e;
}

ExprPtr finish(std::shared_ptr<Expr> e) {
  e->hash = hash_of(*e);
  return e;
}

// AND for is_and, else OR: B4.
ExprPtr make_logical(bool is_and, std::vector<ExprPtr> args, int64_t position) {
  const ExprKind kind = is_and ? ExprKind::kAnd : ExprKind::kOr;
  std::vector<ExprPtr> flat;
  flat.reserve(args.size());
  for (ExprPtr& a : args) {
    if (a->kind == kind) {
      flat.insert(flat.end(), a->args.begin(), a->args.end());
      continue;
    }
    if (is_constant(*a) && !a->constant.null) {
      if ((a->constant.number != 0) == is_and) continue;  // x AND TRUE, x OR FALSE
      return make_boolean(!is_and, position);             // x AND FALSE, x OR TRUE
    }
    flat.push_back(std::move(a));
  }
  if (flat.empty()) return make_boolean(is_and, position);
  if (flat.size() == 1) return flat[0];
  auto e = start(kind, Type::boolean(), position);
  e->args = std::move(flat);
  return finish(std::move(e));
}

}  // namespace

ExprPtr make_constant(Value value, int64_t position) {
  auto e = start(ExprKind::kConstant, value.type, position);
  e->constant = std::move(value);
  return finish(std::move(e));
}

ExprPtr make_boolean(bool value, int64_t position) { return make_constant(Value::boolean(value), position); }
ExprPtr make_null(const Type& type, int64_t position) { return make_constant(Value::make_null(type), position); }

ExprPtr make_parameter(uint32_t index, const Type& type, int64_t position) {
  auto e = start(ExprKind::kParameter, type, position);
  e->parameter = index;
  return finish(std::move(e));
}

ExprPtr make_column(ColumnId id, const Type& type, int64_t position) {
  auto e = start(ExprKind::kColumn, type, position);
  e->column = id;
  return finish(std::move(e));
}

ExprPtr make_call(Function function, const Type& type, std::vector<ExprPtr> args, int64_t position) {
  auto e = start(ExprKind::kCall, type, position);
  e->function = function;
  e->args = std::move(args);
  bool constant = true;
  for (const ExprPtr& a : e->args) constant = constant && is_constant(*a);
  if (constant) {
    if (ExprPtr folded = fold_call(*e)) return folded;
  }
  return finish(std::move(e));
}

ExprPtr make_cast(ExprPtr arg, const Type& type, int64_t position) {
  const bool narrows_text = type.id == TypeId::kText && type.length != 0 && (arg->type.length == 0 || arg->type.length > type.length);
  if (arg->type == type && !narrows_text) return arg;
  auto e = start(ExprKind::kCast, type, position);
  e->args.push_back(std::move(arg));
  if (is_constant(*e->args[0])) {
    if (ExprPtr folded = fold_cast(*e)) return folded;
  }
  return finish(std::move(e));
}

ExprPtr make_and(std::vector<ExprPtr> args, int64_t position) { return make_logical(true, std::move(args), position); }
ExprPtr make_or(std::vector<ExprPtr> args, int64_t position) { return make_logical(false, std::move(args), position); }

ExprPtr make_not(ExprPtr arg, int64_t position) {
  if (arg->kind == ExprKind::kCall) {
    // NOT NOT x, NOT x IS NULL, NOT x = y: the same in three-valued logic.
    static constexpr std::pair<Function, Function> kOpposites[] = {
        {Function::kIsNull, Function::kIsNotNull}, {Function::kIsTrue, Function::kIsNotTrue}, {Function::kIsFalse, Function::kIsNotFalse},
        {Function::kEqual, Function::kNotEqual},   {Function::kDistinctFrom, Function::kNotDistinctFrom}};
    for (const auto& [a, b] : kOpposites) {
      if (arg->function == a) return make_call(b, Type::boolean(), arg->args, arg->position);
      if (arg->function == b) return make_call(a, Type::boolean(), arg->args, arg->position);
    }
    if (arg->function == Function::kNot) return arg->args[0];
  }
  std::vector<ExprPtr> args;
  args.push_back(std::move(arg));
  return make_call(Function::kNot, Type::boolean(), std::move(args), position);
}

ExprPtr make_case(const Type& type, std::vector<ExprPtr> args, int64_t position) {
  std::vector<ExprPtr> kept;
  ExprPtr otherwise = args.back();
  for (size_t i = 0; i + 1 < args.size(); i += 2) {
    if (is_constant(*args[i])) {
      if (args[i]->constant.null || args[i]->constant.number == 0) continue;  // never taken
      otherwise = args[i + 1];
      break;  // always taken: what follows is not reached
    }
    kept.push_back(args[i]);
    kept.push_back(args[i + 1]);
  }
  if (kept.empty()) return otherwise;
  kept.push_back(std::move(otherwise));
  auto e = start(ExprKind::kCase, type, position);
  e->args = std::move(kept);
  return finish(std::move(e));
}

ExprPtr make_coalesce(const Type& type, std::vector<ExprPtr> args, int64_t position) {
  std::vector<ExprPtr> kept;
  for (ExprPtr& a : args) {
    if (is_null_constant(*a)) continue;
    const bool last = is_constant(*a);
    kept.push_back(std::move(a));
    if (last) break;
  }
  if (kept.empty()) return make_null(type, position);
  if (kept.size() == 1) return kept[0];
  auto e = start(ExprKind::kCoalesce, type, position);
  e->args = std::move(kept);
  return finish(std::move(e));
}

ExprPtr make_in(std::vector<ExprPtr> args, int64_t position) {
  if (args.size() == 2) return make_call(Function::kEqual, Type::boolean(), std::move(args), position);
  auto e = start(ExprKind::kIn, Type::boolean(), position);
  e->args = std::move(args);
  return finish(std::move(e));
}

ExprPtr with_args(const Expr& e, std::vector<ExprPtr> args) {
  switch (e.kind) {
    case ExprKind::kCall: return make_call(e.function, e.type, std::move(args), e.position);
    case ExprKind::kCast: return make_cast(std::move(args[0]), e.type, e.position);
    case ExprKind::kAnd: return make_and(std::move(args), e.position);
    case ExprKind::kOr: return make_or(std::move(args), e.position);
    case ExprKind::kCase: return make_case(e.type, std::move(args), e.position);
    case ExprKind::kCoalesce: return make_coalesce(e.type, std::move(args), e.position);
    case ExprKind::kIn: return make_in(std::move(args), e.position);
    default: return finish(std::make_shared<Expr>(e));
  }
}

bool is_true(const Expr& e) { return is_constant(e) && !e.constant.null && e.constant.number != 0; }

void split_conjuncts(const ExprPtr& condition, std::vector<ExprPtr>* out) {
  if (is_true(*condition)) return;
  if (condition->kind != ExprKind::kAnd) {
    out->push_back(condition);
    return;
  }
  out->insert(out->end(), condition->args.begin(), condition->args.end());  // flat by B4
}

bool can_raise(const Expr& e) {
  switch (e.kind) {
    case ExprKind::kConstant: case ExprKind::kParameter: case ExprKind::kColumn: return false;
    case ExprKind::kCast: {
      const Type& from = e.args[0]->type;
      const bool safe = e.type.id == TypeId::kDouble ? from.number() : e.type.id == TypeId::kText && e.type.length == 0;
      const bool widens = from.exact_number() && e.type.id == TypeId::kDecimal && e.type.precision >= 19 + e.type.scale;
      if (!safe && !(widens && from.id == TypeId::kBigint)) return true;
      break;
    }
    case ExprKind::kCall:
      switch (e.function) {
        case Function::kEqual: case Function::kNotEqual: case Function::kLess: case Function::kLessEqual: case Function::kGreater:
        case Function::kGreaterEqual: case Function::kDistinctFrom: case Function::kNotDistinctFrom: case Function::kNot:
        case Function::kIsNull: case Function::kIsNotNull: case Function::kIsTrue: case Function::kIsFalse: case Function::kIsNotTrue:
        case Function::kIsNotFalse: case Function::kLength: case Function::kLower: case Function::kUpper: case Function::kInstr:
        case Function::kStartsWith: break;
        case Function::kLike: case Function::kILike:
          if (e.args.size() > 2 || !is_constant(*e.args[1])) return true;  // a bad ESCAPE raises
          break;
        default: return true;
      }
      break;
    default: break;
  }
  for (const ExprPtr& a : e.args) {
    if (can_raise(*a)) return true;
  }
  return false;
}

}  // namespace hdb
