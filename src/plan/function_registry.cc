// The scalar functions by name: how many arguments of which types, and what they become.
#include <algorithm>
#include <unordered_map>

#include "base/error.h"
#include "plan/make.h"
#include "plan/operators.h"
#include "plan/type_rules.h"

namespace hdb {
namespace {

using Args = std::vector<ExprPtr>;

// Letters: t TEXT, i BIGINT, d DOUBLE, b BOOLEAN, n any number, T DATE or TIMESTAMP; those behind ? are optional.
// A result of '=' is the first number's or date's own type, 'r' what rounding makes of it.
struct Signature {
  std::string_view name;
  Function function;
  char result;
  std::string_view arguments;
};

constexpr Signature kSignatures[] = {
    {"length", Function::kLength, 'i', "t"},          {"char_length", Function::kLength, 'i', "t"},
    {"character_length", Function::kLength, 'i', "t"}, {"lower", Function::kLower, 't', "t"},
    {"upper", Function::kUpper, 't', "t"},            {"trim", Function::kTrim, 't', "t?t"},
    {"btrim", Function::kTrim, 't', "t?t"},           {"ltrim", Function::kLtrim, 't', "t?t"},
    {"rtrim", Function::kRtrim, 't', "t?t"},          {"substr", Function::kSubstr, 't', "ti?i"},
    {"substring", Function::kSubstr, 't', "ti?i"},    {"replace", Function::kReplace, 't', "ttt"},
    {"instr", Function::kInstr, 'i', "tt"},           {"strpos", Function::kInstr, 'i', "tt"},
    {"starts_with", Function::kStartsWith, 'b', "tt"}, {"abs", Function::kAbs, '=', "n"},
    {"sign", Function::kSign, 's', "n"},              {"round", Function::kRound, 'r', "n?i"},
    {"trunc", Function::kTrunc, 'r', "n?i"},          {"floor", Function::kFloor, 'r', "n"},
    {"ceil", Function::kCeil, 'r', "n"},              {"ceiling", Function::kCeil, 'r', "n"},
    {"sqrt", Function::kSqrt, 'd', "d"},              {"power", Function::kPower, 'd', "dd"},
    {"pow", Function::kPower, 'd', "dd"},             {"date_trunc", Function::kDateTrunc, '=', "tT"},
    {"date_part", Function::kExtract, 'i', "tT"},
};

Type type_of_letter(char letter) {
  switch (letter) {
    case 't': return Type::text();
    case 'i': return Type::bigint();
    case 'd': return Type::real();
    case 'b': return Type::boolean();
    case 'T': return Type::timestamp();
    default: return Type::bigint();
  }
}

bool accepts(char letter, const Expr& e) {
  if (is_untyped(e)) return true;
  switch (letter) {
    case 'n': case 'd': return e.type.number();
    case 'T': return e.type.id == TypeId::kDate || e.type.id == TypeId::kTimestamp || is_unknown_text(e);
    default: return e.type.id == type_of_letter(letter).id;
  }
}

// round(d), floor(d): no digits behind the point; round(d, 2): as many as asked for, where that is a literal.
Type rounded_type(const Args& args) {
  const Type& t = args[0]->type;
  if (t.id != TypeId::kDecimal) return t;
  const int whole = t.precision - t.scale + 1;
  if (args.size() == 1) return to_type(decimal_type_of(whole, 0));
  const Expr& digits = *args[1];
  if (!is_constant(digits) || digits.constant.null) return to_type(decimal_type_of(whole, t.scale));
  return to_type(decimal_type_of(whole, static_cast<int>(std::clamp<int64_t>(digits.constant.int64(), 0, t.scale))));
}

Type result_type(char letter, const Args& args) {
  switch (letter) {
    case '=': return args.back()->type;
    case 's': return args[0]->type.id == TypeId::kDouble ? Type::real() : Type::bigint();
    case 'r': return rounded_type(args);
    default: return type_of_letter(letter);
  }
}

[[noreturn]] void no_function(std::string_view name, const Args& args, int64_t position) {
  std::string text = "there is no function " + std::string(name) + "(";
  for (size_t i = 0; i < args.size(); ++i) text += (i > 0 ? ", " : "") + to_string(args[i]->type);
  fail(sqlstate::kUndefinedFunction, text + ")", position);
}

ExprPtr bind_signature(const Signature& s, Args args, int64_t position, Coercion& coercion) {
  std::string letters;
  size_t required = std::string_view::npos;
  for (const char c : s.arguments) {
    if (c == '?') {
      required = letters.size();
    } else {
      letters += c;
    }
  }
  if (args.size() > letters.size() || args.size() < std::min(required, letters.size())) no_function(s.name, args, position);
  for (size_t i = 0; i < args.size(); ++i) {
    if (!accepts(letters[i], *args[i])) no_function(s.name, args, position);
  }
  for (size_t i = 0; i < args.size(); ++i) {
    const char c = letters[i];
    const bool own = (c == 'n' && args[i]->type.number()) || (c == 'T' && !is_untyped(*args[i]) && !is_unknown_text(*args[i]));
    if (!own) args[i] = coercion.to(std::move(args[i]), type_of_letter(c));
  }
  const Type type = result_type(s.result, args);
  return make_call(s.function, type, std::move(args), position);
}

ExprPtr bind_nullif(Args args, int64_t position, Coercion& coercion) {
  if (args.size() != 2) no_function("nullif", args, position);
  if (is_untyped(*args[0])) args[0] = coercion.to(args[0], is_untyped(*args[1]) ? Type::text() : args[1]->type);
  const Type type = args[0]->type;
  ExprPtr same = bind_comparison(Function::kEqual, args[0], args[1], position, coercion);
  return make_case(type, {std::move(same), make_null(type, position), args[0]}, position);
}

ExprPtr bind_extreme(Function f, std::string_view name, Args args, int64_t position, Coercion& coercion) {
  if (args.empty()) no_function(name, args, position);
  const Type type = common_type(args, name);
  for (ExprPtr& a : args) a = coercion.to(std::move(a), type);
  return args.size() == 1 ? args[0] : make_call(f, type, std::move(args), position);
}

}  // namespace

ExprPtr bind_function(std::string_view name, Args args, int64_t position, Coercion& coercion) {
  static const std::unordered_map<std::string_view, const Signature*> by_name = [] {
    std::unordered_map<std::string_view, const Signature*> map;
    for (const Signature& s : kSignatures) map.emplace(s.name, &s);
    return map;
  }();
  if (const auto found = by_name.find(name); found != by_name.end()) {
    return bind_signature(*found->second, std::move(args), position, coercion);
  }
  if (name == "coalesce" || (name == "ifnull" && args.size() == 2)) {
    if (args.empty()) no_function(name, args, position);
    return bind_coalesce(std::move(args), "COALESCE", position, coercion);
  }
  if (name == "nullif") return bind_nullif(std::move(args), position, coercion);
  if (name == "greatest") return bind_extreme(Function::kGreatest, "GREATEST", std::move(args), position, coercion);
  if (name == "least") return bind_extreme(Function::kLeast, "LEAST", std::move(args), position, coercion);
  if (name == "mod" && args.size() == 2) return bind_arithmetic(Function::kModulo, args[0], args[1], position, coercion);
  if ((name == "year" || name == "month" || name == "day") && args.size() == 1) {
    args.insert(args.begin(), make_constant(Value::make_text(std::string(name)), position));
    return bind_function("date_part", std::move(args), position, coercion);
  }
  no_function(name, args, position);
}

bool is_aggregate_name(std::string_view n) {
  return n == "count" || n == "sum" || n == "avg" || n == "min" || n == "max" || n == "sum_exact";
}

std::string_view name_of(Function f) {
  static constexpr std::string_view kNames[] = {
      "-", "+", "-", "*", "/", "%", "=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM",
      "NOT", "IS NULL", "IS NOT NULL", "IS TRUE", "IS FALSE", "IS NOT TRUE", "IS NOT FALSE", "||", "LIKE", "ILIKE",
      "abs", "length", "lower", "upper", "trim", "ltrim", "rtrim", "substr", "replace", "round", "floor", "ceil", "trunc", "sign", "mod",
      "sqrt", "power", "nullif", "greatest", "least", "date_trunc", "date_part", "instr", "starts_with"};
  static_assert(std::size(kNames) == static_cast<size_t>(Function::kStartsWith) + 1);
  return kNames[static_cast<size_t>(f)];
}

}  // namespace hdb
