#include "exec/evaluate.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "exec/test_chunks.h"

using namespace hdb;
using namespace hdb::testing;
using F = Function;
using S = std::vector<std::string>;

namespace {

S run(TestChunk& t, const ExprPtr& e) {
  Evaluator ev({}, t.scratch, nullptr);
  return shown(ev.evaluate(*e, t.map, t.chunk), t.chunk.rows);
}
std::string one(const ExprPtr& e) { return [&] { const Value v = evaluate_constant(*e, {}); return v.null ? std::string("NULL") : to_text(v); }(); }

std::string error_of(const ExprPtr& e, int64_t* position = nullptr) {
  try {
    one(e);
  } catch (const Error& error) {
    if (position != nullptr) *position = error.position();
    return error.sqlstate();
  }
  return "none";
}
ExprPtr text_of(const char* v) { return lit(v); }
ExprPtr dec(int64_t v, uint8_t p, uint8_t s) { return lit(Value::make_number(Type::decimal(p, s), v)); }
ExprPtr real(double v) { return lit(Value::make_real(v)); }
const Type B = Type::bigint(), D = Type::real(), T = Type::text(), Bool = Type::boolean();

}  // namespace

TEST_CASE("integers are checked, and NULL rows never raise") {
  TestChunk t;
  const ExprPtr a = t.ints({1, std::nullopt, INT64_MAX, -7}), b = t.ints({2, 5, 0, 2});
  REQUIRE(run(t, call(F::kAdd, B, {a, b})) == S{"3", "NULL", "9223372036854775807", "-5"});
  REQUIRE_THROWS_AS(run(t, call(F::kAdd, B, {a, lit(1)})), Error);
  TestChunk u;  // garbage under NULL overflows, and that is nobody's error
  const ExprPtr c = u.ints({std::nullopt, 4});
  const_cast<int64_t*>(u.chunk.columns[0].i64)[0] = INT64_MAX;
  REQUIRE(run(u, call(F::kAdd, B, {c, lit(1)})) == S{"NULL", "5"});
  REQUIRE(run(u, call(F::kMultiply, B, {c, lit(3)})) == S{"NULL", "12"});
  REQUIRE(run(u, call(F::kDivide, B, {c, lit(3)})) == S{"NULL", "1"});
  int64_t position = 0;
  REQUIRE(error_of(call(F::kDivide, B, {lit(1), lit(0)}, 42), &position) == "22012");
  REQUIRE(position == 42);
  REQUIRE(one(call(F::kDivide, B, {lit(Value::make_null(B)), lit(0)})) == "NULL");
  REQUIRE(error_of(call(F::kDivide, B, {lit(INT64_MIN), lit(-1)})) == "22003");
  REQUIRE(one(call(F::kModulo, B, {lit(INT64_MIN), lit(-1)})) == "0");
  REQUIRE(one(call(F::kDivide, B, {lit(-7), lit(2)})) == "-3");
  REQUIRE(one(call(F::kModulo, B, {lit(-7), lit(2)})) == "-1");
  REQUIRE(error_of(call(F::kNegate, B, {lit(INT64_MIN)})) == "22003");
  REQUIRE(error_of(call(F::kMultiply, B, {lit(INT64_MAX), lit(2)})) == "22003");
}

TEST_CASE("decimals of different scales and lanes") {
  REQUIRE(one(call(F::kAdd, Type::decimal(6, 2), {dec(150, 4, 2), dec(5, 3, 1)})) == "2.00");
  REQUIRE(one(call(F::kSubtract, Type::decimal(20, 2), {dec(150, 4, 2), dec(5, 19, 1)})) == "1.00");
  REQUIRE(one(call(F::kMultiply, Type::decimal(7, 3), {dec(-150, 4, 2), dec(5, 3, 1)})) == "-0.750");
  REQUIRE(one(call(F::kDivide, Type::decimal(12, 6), {dec(100, 4, 2), dec(30, 3, 1)})) == "0.333333");
  REQUIRE(one(call(F::kDivide, Type::decimal(12, 6), {dec(200, 4, 2), dec(30, 3, 1)})) == "0.666667");
  REQUIRE(error_of(call(F::kDivide, Type::decimal(12, 6), {dec(200, 4, 2), dec(0, 3, 1)})) == "22012");
  REQUIRE(one(call(F::kEqual, Bool, {dec(150, 4, 2), dec(15, 3, 1)})) == "true");
  REQUIRE(one(call(F::kLess, Bool, {dec(150, 20, 2), dec(16, 3, 1)})) == "true");
  const Type widest = Type::decimal(38, 0);
  int128 nines = 0;
  for (int i = 0; i < 38; ++i) nines = nines * 10 + 9;
  const ExprPtr top = lit(Value::make_number(widest, nines));
  REQUIRE(error_of(call(F::kAdd, widest, {top, top})) == "22003");
  REQUIRE(one(call(F::kSubtract, widest, {top, top})) == "0");
}

TEST_CASE("doubles overflow to infinity, NaN is the greatest, zero has one value") {
  REQUIRE(one(call(F::kMultiply, D, {real(1e308), real(10)})) == "Infinity");
  REQUIRE(error_of(call(F::kDivide, D, {real(1), real(0)})) == "22012");
  REQUIRE(one(call(F::kEqual, Bool, {real(-0.0), real(0)})) == "true");
  REQUIRE(one(call(F::kEqual, Bool, {real(NAN), real(NAN)})) == "true");
  REQUIRE(one(call(F::kGreater, Bool, {real(NAN), real(INFINITY)})) == "true");
  REQUIRE(one(call(F::kLess, Bool, {real(1), real(NAN)})) == "true");
}

TEST_CASE("a branch that is not reached raises nothing") {
  TestChunk t;
  const ExprPtr a = t.ints({0, 2, std::nullopt, 5});
  const ExprPtr inverse = call(F::kDivide, B, {lit(10), a});
  const ExprPtr zero = call(F::kEqual, Bool, {a, lit(0)});
  REQUIRE(run(t, make(ExprKind::kCase, B, {zero, lit(-1), inverse})) == S{"-1", "5", "NULL", "2"});
  const ExprPtr big = call(F::kGreater, Bool, {inverse, lit(3)});
  const ExprPtr not_zero = call(F::kNotEqual, Bool, {a, lit(0)});
  REQUIRE(run(t, make(ExprKind::kAnd, Bool, {not_zero, big})) == S{"false", "true", "NULL", "false"});
  REQUIRE(run(t, make(ExprKind::kOr, Bool, {zero, big})) == S{"true", "true", "NULL", "false"});
  REQUIRE_THROWS_AS(run(t, make(ExprKind::kAnd, Bool, {big, not_zero})), Error);
  const ExprPtr b = t.ints({7, std::nullopt, 1, std::nullopt});
  REQUIRE(run(t, make(ExprKind::kCoalesce, B, {b, inverse, lit(-9)})) == S{"7", "5", "1", "2"});
  REQUIRE(run(t, make(ExprKind::kIn, Bool, {a, a, inverse})) == S{"true", "true", "NULL", "true"});
}

TEST_CASE("a long IN list is what its equalities say, for integers, texts, decimals of other scales, and with NULL") {
  std::mt19937 random(31);
  for (int round = 0; round < 40; ++round) {
    TestChunk t;
    Dictionary dictionary(nullptr);
    Ints numbers;
    Texts texts;
    for (int i = 0; i < 300; ++i) {
      const auto n = static_cast<int64_t>(random() % 60);
      numbers.push_back(random() % 9 == 0 ? std::nullopt : std::optional<int64_t>(n));
      texts.push_back(random() % 9 == 0 ? std::nullopt : std::optional<std::string>(std::to_string(n)));
    }
    const Type cents = Type::decimal(9, 2);
    const ExprPtr columns[] = {t.ints(numbers), t.texts(texts), t.coded(texts, dictionary), t.ints(numbers, cents)};
    const ExprPtr probe = round % 8 == 7 ? lit(7) : columns[round % 4];
    std::vector<ExprPtr> list{probe}, same;
    for (uint32_t n = 1 + random() % 30; n > 0; --n) {
      const auto x = static_cast<int64_t>(random() % 60);
      Value v = probe->type.id == TypeId::kText ? Value::make_text(std::to_string(x))
                : probe->type.id == TypeId::kBigint ? Value::bigint(x) : Value::make_number(random() % 3 == 0 ? Type::decimal(9, 1) : cents, x);
      if (random() % 40 == 0) v = Value::make_null(v.type);
      list.push_back(lit(v));
      same.push_back(call(F::kEqual, Bool, {probe, list.back()}));
    }
    REQUIRE(run(t, make(ExprKind::kIn, Bool, list)) == run(t, make(ExprKind::kOr, Bool, same)));
  }
}

TEST_CASE("three-valued logic") {
  TestChunk t;
  Ints left, right;
  for (const std::optional<int64_t> x : Ints{1, 0, std::nullopt}) {
    for (const std::optional<int64_t> y : Ints{1, 0, std::nullopt}) {
      left.push_back(x);
      right.push_back(y);
    }
  }
  const ExprPtr a = t.ints(left, Bool), b = t.ints(right, Bool);
  const std::string n = "NULL", y = "true", f = "false";
  REQUIRE(run(t, make(ExprKind::kAnd, Bool, {a, b})) == S{y, f, n, f, f, f, n, f, n});
  REQUIRE(run(t, make(ExprKind::kOr, Bool, {a, b})) == S{y, y, y, y, f, n, y, n, n});
  REQUIRE(run(t, call(F::kNot, Bool, {b})) == S{f, y, n, f, y, n, f, y, n});
  REQUIRE(run(t, call(F::kDistinctFrom, Bool, {a, b})) == S{f, y, y, y, f, y, y, y, f});
  REQUIRE(run(t, call(F::kIsNotTrue, Bool, {b})) == S{f, y, y, f, y, y, f, y, y});
  REQUIRE(run(t, make(ExprKind::kIn, Bool, {a, b, lit(Value::make_null(Bool))})) == S{y, n, n, n, y, n, n, n, n});
}

TEST_CASE("texts: functions count characters, LIKE takes one character for an underscore") {
  REQUIRE(one(call(F::kLength, B, {text_of("häß€")})) == "4");
  REQUIRE(one(call(F::kSubstr, T, {text_of("häß€x"), lit(2), lit(3)})) == "äß€");
  REQUIRE(one(call(F::kSubstr, T, {text_of("hello"), lit(0), lit(3)})) == "he");
  REQUIRE(one(call(F::kSubstr, T, {text_of("hello"), lit(4)})) == "lo");
  REQUIRE(one(call(F::kSubstr, T, {text_of("hello"), lit(2), lit(INT64_MAX)})) == "ello");
  REQUIRE(error_of(call(F::kSubstr, T, {text_of("hello"), lit(2), lit(-1)})) == "22023");
  REQUIRE(one(call(F::kTrim, T, {text_of("  a b ")})) == "a b");
  REQUIRE(one(call(F::kLtrim, T, {text_of("äxa"), text_of("xä")})) == "a");
  REQUIRE(one(call(F::kReplace, T, {text_of("aXbX"), text_of("X"), text_of("yy")})) == "ayybyy");
  REQUIRE(one(call(F::kInstr, B, {text_of("äbc"), text_of("c")})) == "3");
  REQUIRE(one(call(F::kInstr, B, {text_of("abc"), text_of("z")})) == "0");
  REQUIRE(one(call(F::kConcat, T, {text_of("a"), text_of("")})) == "a");
  REQUIRE(one(call(F::kUpper, T, {text_of("aé1")})) == "Aé1");
  REQUIRE(one(call(F::kGreatest, T, {text_of("a"), lit(Value::make_null(T)), text_of("b")})) == "b");
}

TEST_CASE("casts") {
  REQUIRE(one(cast(real(-2.9), B)) == "-2");
  REQUIRE(one(cast(dec(-29, 3, 1), B)) == "-2");
  REQUIRE(error_of(cast(real(1e19), B)) == "22003");
  REQUIRE(error_of(cast(real(NAN), B)) == "22003");
  REQUIRE(one(cast(text_of(" 12 "), B)) == "12");
  int64_t position = 0;
  REQUIRE(error_of(cast(text_of("12x"), B, 3), &position) == "22P02");
  REQUIRE(position == 3);
  REQUIRE(one(cast(text_of("1.005"), Type::decimal(5, 2))) == "1.01");
  REQUIRE(one(cast(dec(-1005, 5, 3), Type::decimal(5, 2))) == "-1.01");
  REQUIRE(error_of(cast(lit(1000), Type::decimal(5, 2))) == "22003");
  REQUIRE(error_of(cast(text_of("abcd"), Type::text(3))) == "22001");
  REQUIRE(one(cast(text_of("äöü"), Type::text(3))) == "äöü");
  REQUIRE(one(cast(text_of("2026-11-30"), Type::date())) == "2026-11-30");
  REQUIRE(one(cast(cast(text_of("2026-11-30"), Type::date()), Type::timestamp())) == "2026-11-30 00:00:00");
  REQUIRE(one(cast(cast(text_of("1969-12-31 23:59:59.5"), Type::timestamp()), Type::date())) == "1969-12-31");
  REQUIRE(one(cast(real(0.1), T)) == "0.1");
  REQUIRE(one(cast(text_of("Yes"), Bool)) == "true");
  REQUIRE(one(cast(lit(0), Bool)) == "false");
  REQUIRE(one(cast(lit(Value::make_null()), B)) == "NULL");
}

TEST_CASE("rounding and dates") {
  REQUIRE(one(call(F::kRound, Type::decimal(5, 1), {dec(-125, 4, 2), lit(1)})) == "-1.3");
  REQUIRE(one(call(F::kRound, B, {lit(1250), lit(-2)})) == "1300");
  REQUIRE(one(call(F::kFloor, Type::decimal(5, 0), {dec(-125, 4, 2)})) == "-2");
  REQUIRE(one(call(F::kCeil, Type::decimal(5, 0), {dec(-125, 4, 2)})) == "-1");
  REQUIRE(one(call(F::kTrunc, D, {real(-1.29), lit(1)})) == "-1.2");
  REQUIRE(one(call(F::kRound, D, {real(2.5)})) == "3.0");
  REQUIRE(error_of(call(F::kSqrt, D, {real(-1)})) == "22003");
  const auto date = [](const char* d) { return lit(Value::make_number(Type::date(), parse_date(d))); };
  const auto at = [](const char* d) { return lit(Value::make_number(Type::timestamp(), parse_timestamp(d))); };
  REQUIRE(one(call(F::kDateTrunc, Type::date(), {text_of("month"), date("2024-02-29")})) == "2024-02-01");
  REQUIRE(one(call(F::kDateTrunc, Type::date(), {text_of("week"), date("1969-12-31")})) == "1969-12-29");
  REQUIRE(one(call(F::kDateTrunc, Type::timestamp(), {text_of("hour"), at("1969-12-31 23:59:59")})) == "1969-12-31 23:00:00");
  REQUIRE(one(call(F::kExtract, B, {text_of("Week"), date("2021-01-03")})) == "53");
  REQUIRE(one(call(F::kExtract, B, {text_of("dow"), date("2026-11-29")})) == "0");
  REQUIRE(one(call(F::kExtract, B, {text_of("doy"), date("2024-12-31")})) == "366");
  REQUIRE(one(call(F::kExtract, B, {text_of("quarter"), date("2024-12-31")})) == "4");
  REQUIRE(error_of(call(F::kExtract, B, {text_of("eon"), date("2024-12-31")})) == "22023");
  REQUIRE(one(call(F::kAdd, Type::date(), {date("2024-02-28"), lit(2)})) == "2024-03-01");
  REQUIRE(one(call(F::kSubtract, B, {date("2024-03-01"), date("2024-02-28")})) == "2");
  REQUIRE(error_of(call(F::kAdd, Type::date(), {date("9999-12-31"), lit(1)})) == "22008");
}

TEST_CASE("the memo over codes gives what plain evaluation gives, and raises only for texts that occur") {
  Dictionary dictionary(nullptr);
  dictionary.intern("bad");  // in the dictionary, in no row
  Texts values;
  std::mt19937 random(5);
  for (int i = 0; i < 500; ++i) values.push_back(random() % 7 == 0 ? std::nullopt : std::optional<std::string>(std::to_string(random() % 20)));
  TestChunk coded, plain;
  const ExprPtr a = coded.coded(values, dictionary), b = plain.texts(values);
  const auto expressions = [&](const ExprPtr& c) {
    return std::vector<ExprPtr>{call(F::kLike, Bool, {c, text_of("1%")}), call(F::kConcat, T, {c, text_of("!")}), call(F::kIsNull, Bool, {c}),
                                make(ExprKind::kCoalesce, T, {c, text_of("none")}),
                                cast(make(ExprKind::kCase, T, {call(F::kEqual, Bool, {c, text_of("")}), text_of("0"), c}), B),
                                make(ExprKind::kIn, Bool, {c, text_of("3"), text_of("7")})};
  };
  const auto left = expressions(a), right = expressions(b);
  for (size_t i = 0; i < left.size(); ++i) REQUIRE(run(coded, left[i]) == run(plain, right[i]));
}

// ---- Random integer expressions against a row-by-row evaluator ---------------------------------------------------------

namespace {

struct Failed {};
using Cell = std::optional<int64_t>;

Cell naive(const Expr& e, const std::vector<Ints>& columns, size_t row) {
  const auto arg = [&](size_t i) { return naive(*e.args[i], columns, row); };
  const auto checked = [](int128 v) -> Cell {
    if (v > INT64_MAX || v < INT64_MIN) throw Failed();
    return static_cast<int64_t>(v);
  };
  switch (e.kind) {
    case ExprKind::kConstant: return e.constant.null ? Cell() : Cell(e.constant.int64());
    case ExprKind::kColumn: return columns[e.column][row];
    case ExprKind::kAnd:
    case ExprKind::kOr: {
      const int64_t deciding = e.kind == ExprKind::kOr;
      bool unknown = false;
      for (size_t i = 0; i < e.args.size(); ++i) {
        const Cell c = arg(i);
        if (c == deciding) return deciding;
        unknown = unknown || !c;
      }
      return unknown ? Cell() : Cell(1 - deciding);
    }
    case ExprKind::kCase:
      for (size_t i = 0; i + 1 < e.args.size(); i += 2) {
        if (arg(i) == 1) return arg(i + 1);
      }
      return arg(e.args.size() - 1);
    case ExprKind::kCoalesce:
      for (size_t i = 0; i < e.args.size(); ++i) {
        if (const Cell c = arg(i)) return c;
      }
      return {};
    default: break;
  }
  const Cell x = arg(0);
  if (e.function == F::kIsNull) return int64_t{!x};
  if (e.function == F::kNot) return x ? Cell(1 - *x) : Cell();
  const Cell y = arg(1);
  if (!x || !y) return {};
  switch (e.function) {
    case F::kAdd: return checked(static_cast<int128>(*x) + *y);
    case F::kSubtract: return checked(static_cast<int128>(*x) - *y);
    case F::kMultiply: return checked(static_cast<int128>(*x) * *y);
    case F::kDivide:
      if (*y == 0) throw Failed();
      return checked(static_cast<int128>(*x) / *y);
    case F::kLess: return int64_t{*x < *y};
    default: return int64_t{*x == *y};
  }
}

struct Generator {
  std::mt19937 random;
  ExprPtr number(int depth) {
    const uint32_t r = random() % 10;
    if (depth == 0 || r < 2) {
      if (random() % 3 == 0) return random() % 5 == 0 ? lit(Value::make_null(B)) : lit(static_cast<int64_t>(random() % 7) - 3);
      return col(random() % 3, B);
    }
    if (r < 6) {
      const F f[] = {F::kAdd, F::kSubtract, F::kMultiply, F::kDivide};
      return call(f[random() % 4], B, {number(depth - 1), number(depth - 1)});
    }
    if (r < 8) return make(ExprKind::kCase, B, {truth(depth - 1), number(depth - 1), truth(depth - 1), number(depth - 1), number(depth - 1)});
    return make(ExprKind::kCoalesce, B, {number(depth - 1), number(depth - 1), number(depth - 1)});
  }
  ExprPtr truth(int depth) {
    const uint32_t r = random() % 8;
    if (depth == 0 || r < 3) return call(random() % 2 == 0 ? F::kLess : F::kEqual, Bool, {number(depth / 2), number(depth / 2)});
    if (r == 3) return call(F::kIsNull, Bool, {number(depth - 1)});
    if (r == 4) return call(F::kNot, Bool, {truth(depth - 1)});
    return make(r == 5 ? ExprKind::kAnd : ExprKind::kOr, Bool, {truth(depth - 1), truth(depth - 1), truth(depth - 1)});
  }
};

}  // namespace

TEST_CASE("random expressions equal a row-by-row evaluator, errors included") {
  const uint32_t seed = 20261130;
  INFO("seed " << seed);
  Generator g{std::mt19937(seed)};
  uint32_t failures = 0, results = 0;
  for (int round = 0; round < 1500; ++round) {
    const size_t rows = 1 + g.random() % 70;
    std::vector<Ints> columns(3);
    TestChunk t;
    for (Ints& c : columns) {
      for (size_t i = 0; i < rows; ++i) {
        const uint32_t r = g.random() % 12;
        c.push_back(r == 0 ? Cell() : r == 1 && round % 3 == 0 ? Cell(INT64_MAX) : Cell(static_cast<int64_t>(g.random() % 9) - (round % 2) * 4));
      }
      t.ints(c);
    }
    const ExprPtr e = g.number(4);
    bool fails = false;
    S expected;
    try {
      for (size_t i = 0; i < rows; ++i) {
        const Cell c = naive(*e, columns, i);
        expected.push_back(c ? std::to_string(*c) : "NULL");
      }
    } catch (const Failed&) {
      fails = true;
    }
    if (fails) {
      ++failures;
      REQUIRE_THROWS_AS(run(t, e), Error);
    } else {
      ++results;
      REQUIRE(run(t, e) == expected);
    }
  }
  REQUIRE(failures > 100);
  REQUIRE(results > 100);
}
