// Invariants checked: X11 (number_text.h), X14 X15 (decimal_text.h), X16 X17 (double_text.h).
#include <catch2/catch.hpp>

#include <charconv>
#include <cstring>

#include "base/error.h"
#include "exact/decimal_text.h"
#include "exact/double_text.h"
#include "exact/test_reference.h"
#include "exact/wide.h"

namespace hdb {
namespace {

using reference::Integer;
using reference::integer;
using reference::power10;
using reference::Random;
using reference::Rational;
using reference::same_bits;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST_CASE("X11 what is a number, and what is not") {
  NumberText n;
  for (const char* good : {"0", "1", " 1 ", "\t-1\n", "+1", "1.", ".5", "-.5", "1.5", "00012", "1e5", "1E+5", "1.e-5", ".5e5"}) {
    INFO(good);
    REQUIRE(scan_number(good, n));
    double d = 0;
    REQUIRE(try_parse_double(good, d) == ParseStatus::kOk);
    REQUIRE(d == std::strtod(good, nullptr));
  }
  for (const char* bad : {"", " ", ".", "-", "+", "e5", ".e5", "1e", "1e+", "--1", "+-1", "1 2", "1_000", "1,000", "0x10", "1.2.3",
                          "1e5.0", "1e5e5", "- 1", "1a", "five", "1\x01", "infinit", "nan0", "i"}) {
    INFO(bad);
    REQUIRE_FALSE(scan_number(bad, n));
    double d = 0;
    int128 v = 0;
    int64_t i = 0;
    REQUIRE(try_parse_double(bad, d) == ParseStatus::kInvalid);
    REQUIRE(try_parse_decimal(bad, {38, 2}, v) == ParseStatus::kInvalid);
    REQUIRE(try_parse_int64(bad, i) == ParseStatus::kInvalid);
  }
  REQUIRE_FALSE(scan_number(std::string_view("1\0", 2), n));
}

TEST_CASE("integers as text, at their limits and one past") {
  REQUIRE(parse_int64("9223372036854775807") == INT64_MAX);
  REQUIRE(parse_int64(" -9223372036854775808 ") == INT64_MIN);
  REQUIRE(parse_int64("-0") == 0);
  REQUIRE(parse_int64("+0000000000000000000000000007") == 7);
  int64_t v = 0;
  REQUIRE(try_parse_int64("9223372036854775808", v) == ParseStatus::kOutOfRange);
  REQUIRE(try_parse_int64("-9223372036854775809", v) == ParseStatus::kOutOfRange);
  REQUIRE(try_parse_int64("99999999999999999999999", v) == ParseStatus::kOutOfRange);
  REQUIRE(try_parse_int64("1.0", v) == ParseStatus::kInvalid);
  REQUIRE(try_parse_int64("1e3", v) == ParseStatus::kInvalid);
  Random random("integers as text");
  for (int i = 0; i < 5000; ++i) {
    const int64_t w = random.word();
    REQUIRE(parse_int64(std::to_string(w)) == w);
    const auto x = static_cast<int128>(((static_cast<uint128>(random.bits()) << 64) | random.bits()) >> random.below(128));
    REQUIRE(int128_to_text(x) == integer(x).str());
    REQUIRE(int128_to_text(-x) == integer(-x).str());
  }
  const auto min = static_cast<int128>(uint128{1} << 127);
  REQUIRE(int128_to_text(min) == "-170141183460469231731687303715884105728");
}

TEST_CASE("decimals print all digits of their scale") {
  REQUIRE(decimal_to_text(150, 2) == "1.50");
  REQUIRE(decimal_to_text(0, 2) == "0.00");
  REQUIRE(decimal_to_text(-5, 2) == "-0.05");
  REQUIRE(decimal_to_text(-5, 0) == "-5");
  REQUIRE(decimal_to_text(1, 38) == "0.00000000000000000000000000000000000001");
  REQUIRE(decimal_to_text(static_cast<int128>(kDecimalMax), 38) == "0.99999999999999999999999999999999999999");
}

TEST_CASE("X14 decimals come back from their text, and parsing rounds once, half away from zero") {
  Random random("decimal text");
  for (int i = 0; i < 5000; ++i) {
    const int128 v = random.decimal();
    const int scale = static_cast<int>(random.below(39));
    const std::string text = decimal_to_text(v, scale);
    REQUIRE(parse_decimal(text, {38, scale}) == v);
    // The same text with an exponent, into another type.
    const int exponent = static_cast<int>(random.below(90)) - 45;
    const DecimalType type{1 + static_cast<int>(random.below(38)), static_cast<int>(random.below(39))};
    const int power = exponent + type.scale - scale;
    const Integer expected = reference::round_half_away(integer(v) * power10(std::max(0, power)), power10(std::max(0, -power)));
    int128 out = 0;
    const ParseStatus status = try_parse_decimal(text + "e" + std::to_string(exponent), type, out);
    INFO(text << "e" << exponent << " into " << type.precision << "," << type.scale);
    REQUIRE((status == ParseStatus::kOk) == (reference::magnitude(expected) < power10(type.precision)));
    if (status == ParseStatus::kOk) REQUIRE(integer(out) == expected);
    else REQUIRE(status == ParseStatus::kOutOfRange);
  }
  REQUIRE(parse_decimal("0.125", {10, 2}) == 13);
  REQUIRE(parse_decimal("-0.125", {10, 2}) == -13);
  REQUIRE(parse_decimal("0.12499999999999999999999999999999999999999999999999999999999", {10, 2}) == 12);
  REQUIRE(parse_decimal("0.004", {10, 2}) == 0);
  REQUIRE(parse_decimal("0.005", {10, 2}) == 1);
  REQUIRE(parse_decimal("0e999999999999999999999", {10, 2}) == 0);
  REQUIRE(parse_decimal("7e-999999999999999999999", {10, 2}) == 0);
  REQUIRE_THROWS_AS(parse_decimal("7e999999999999999999999", {10, 2}), Error);
  REQUIRE_THROWS_AS(parse_decimal("99999999.995", {10, 2}), Error);
  REQUIRE(parse_decimal("99999999.994", {10, 2}) == 9999999999);
  REQUIRE(parse_decimal("1" + std::string(1000, '0') + "e-1000", {10, 2}) == 100);
}

TEST_CASE("the type of a literal holds all digits that are written") {
  const auto type_of = [](const char* text) {
    DecimalType type{0, 0};
    int128 v = 0;
    const ParseStatus status = try_decimal_literal(text, type, v);
    return status == ParseStatus::kOk ? std::to_string(type.precision) + "," + std::to_string(type.scale) + ":" + decimal_to_text(v, type.scale)
                                      : std::string(status == ParseStatus::kInvalid ? "invalid" : "range");
  };
  REQUIRE(type_of("1.50") == "3,2:1.50");
  REQUIRE(type_of("0.05") == "2,2:0.05");
  REQUIRE(type_of("0") == "1,0:0");
  REQUIRE(type_of("0.00") == "2,2:0.00");
  REQUIRE(type_of("-12.") == "2,0:-12");
  REQUIRE(type_of("1e2") == "3,0:100");
  REQUIRE(type_of("1.25e1") == "3,1:12.5");
  REQUIRE(type_of("00.5") == "1,1:0.5");
  REQUIRE(type_of("99999999999999999999999999999999999999") == "38,0:99999999999999999999999999999999999999");
  REQUIRE(type_of("100000000000000000000000000000000000000") == "range");
  REQUIRE(type_of("0.000000000000000000000000000000000000001") == "range");
  REQUIRE(type_of("x") == "invalid");
}

TEST_CASE("X15 decimals to the nearest double") {
  Random random("decimal to double");
  for (int i = 0; i < 3000; ++i) {
    const int128 v = random.decimal();
    const int scale = static_cast<int>(random.below(39));
    INFO(decimal_to_text(v, scale));
    REQUIRE(same_bits(decimal_to_double(v, scale), reference::nearest(Rational(integer(v), power10(scale)))));
  }
}

TEST_CASE("X15 doubles to decimals: the exact binary value, half away from zero") {
  Random random("double to decimal");
  int fitting = 0;
  for (int i = 0; i < 20000; ++i) {
    double x = 0;
    switch (random.below(4)) {
      case 0: x = static_cast<double>(random.word() % 100000) / 8; break;
      case 1: x = std::ldexp(static_cast<double>(random.bits() >> 11), static_cast<int>(random.below(260)) - 180); break;
      case 2: x = -std::ldexp(static_cast<double>(random.bits() >> 11), -static_cast<int>(random.below(250))); break;
      default: x = random.real();
    }
    const DecimalType type{1 + static_cast<int>(random.below(38)), static_cast<int>(random.below(39))};
    const Integer expected = reference::round_half_away(reference::units(x) * power10(type.scale), Integer(1) << 1074);
    INFO(double_to_text(x) << " into " << type.precision << "," << type.scale);
    if (reference::magnitude(expected) < power10(type.precision)) {
      ++fitting;
      REQUIRE(integer(decimal_from_double(x, type)) == expected);
    } else {
      REQUIRE_THROWS_AS(decimal_from_double(x, type), Error);
    }
  }
  REQUIRE(fitting > 2000);
  REQUIRE(decimal_from_double(0.125, {10, 2}) == 13);
  REQUIRE(decimal_from_double(-0.125, {10, 2}) == -13);
  REQUIRE(decimal_from_double(-0.0, {10, 2}) == 0);
  REQUIRE_THROWS_AS(decimal_from_double(kInfinity, {38, 0}), Error);
  REQUIRE_THROWS_AS(decimal_from_double(std::nan(""), {38, 0}), Error);
  REQUIRE(double_to_int64(-1.9) == -1);
  REQUIRE(double_to_int64(-0x1p63) == INT64_MIN);
  REQUIRE_THROWS_AS(double_to_int64(0x1p63), Error);
  REQUIRE_THROWS_AS(double_to_int64(std::nan("")), Error);
}

TEST_CASE("doubles print as pinned") {
  REQUIRE(double_to_text(3) == "3.0");
  REQUIRE(double_to_text(0.5) == "0.5");
  REQUIRE(double_to_text(1e100) == "1e+100");
  REQUIRE(double_to_text(-0.0) == "-0.0");
  REQUIRE(double_to_text(0.0) == "0.0");
  REQUIRE(double_to_text(0.1 + 0.2) == "0.30000000000000004");
  REQUIRE(double_to_text(1e15) == "1000000000000000.0");
  REQUIRE(double_to_text(9007199254740993.0) == "9007199254740992.0");
  REQUIRE(double_to_text(1e16) == "1e+16");
  REQUIRE(double_to_text(1.5e16) == "1.5e+16");
  REQUIRE(double_to_text(0.0001) == "0.0001");
  REQUIRE(double_to_text(0.00001) == "1e-05");
  REQUIRE(double_to_text(5e-324) == "5e-324");
  REQUIRE(double_to_text(std::numeric_limits<double>::max()) == "1.7976931348623157e+308");
  REQUIRE(double_to_text(kInfinity) == "Infinity");
  REQUIRE(double_to_text(-kInfinity) == "-Infinity");
  REQUIRE(double_to_text(-std::nan("")) == "NaN");
}

TEST_CASE("X16 doubles come back from their text, and no shorter digits do") {
  Random random("double text");
  for (int i = 0; i < 20000; ++i) {
    const double x = random.below(3) == 0 ? static_cast<double>(random.word()) / 100 : random.real();
    const std::string text = double_to_text(x);
    REQUIRE(same_bits(parse_double(text), x));
    REQUIRE(text.find_first_of(".e") != std::string::npos);
    // The standard library's shortest digits, read independently, have as many significant digits.
    char buffer[64];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, x, std::chars_format::scientific);
    const auto digits = [](std::string_view t) {
      std::string d;
      for (const char c : t.substr(0, t.find('e'))) if (c >= '0' && c <= '9') d += c;
      d.erase(0, d.find_first_not_of('0') == std::string::npos ? d.size() : d.find_first_not_of('0'));
      while (!d.empty() && d.back() == '0') d.pop_back();
      return d;
    };
    REQUIRE(digits(text) == digits(std::string_view(buffer, static_cast<size_t>(end.ptr - buffer))));
  }
}

TEST_CASE("X17 parsing doubles rounds to the nearest; too large is an error, too small a zero") {
  double d = 1;
  REQUIRE(try_parse_double("1e309", d) == ParseStatus::kOutOfRange);
  REQUIRE(try_parse_double("-1e400", d) == ParseStatus::kOutOfRange);
  REQUIRE(parse_double("1.7976931348623158e308") == std::numeric_limits<double>::max());
  REQUIRE(try_parse_double("1.797693134862315808e308", d) == ParseStatus::kOutOfRange);
  REQUIRE(same_bits(parse_double("-1e-400"), -0.0));
  REQUIRE(same_bits(parse_double("-0"), -0.0));
  REQUIRE(parse_double("1e-39") == 1e-39);
  REQUIRE(parse_double("9007199254740993") == 9007199254740992.0);
  REQUIRE(parse_double("9007199254740993.00000000000000000000000000000000000000001") == 9007199254740994.0);
  REQUIRE(parse_double(" Infinity ") == kInfinity);
  REQUIRE(parse_double("-inf") == -kInfinity);
  REQUIRE(std::isnan(parse_double("NAN")));
  REQUIRE_THROWS_AS(parse_double("-nan"), Error);
  REQUIRE_THROWS_AS(parse_double("nan(1)"), Error);
  Random random("double parse");
  for (int i = 0; i < 2000; ++i) {  // long digits around every size
    const int128 v = random.decimal();
    const int exponent = static_cast<int>(random.below(600)) - 330;
    const Integer n = integer(v) * power10(std::max(0, exponent));
    const double expected = v == 0 ? 0.0 : reference::nearest(Rational(n, power10(std::max(0, -exponent))));
    const ParseStatus status = try_parse_double(int128_to_text(v) + "e" + std::to_string(exponent), d);
    INFO(integer(v) << "e" << exponent);
    REQUIRE((status == ParseStatus::kOk) == !std::isinf(expected));
    if (status == ParseStatus::kOk) REQUIRE(same_bits(d, expected));
  }
}

}  // namespace
}  // namespace hdb
