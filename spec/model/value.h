// spec/model/value.h: the values of the executable model, and arithmetic that is exact because it is slow.
//
// What:       a value is NULL, BOOLEAN, BIGINT, DECIMAL (a scaled integer), DOUBLE, TEXT or DATE (days since 1970-01-01).
//             Every sum and product is made in Boost's unbounded integers and checked against the type's range last.
// Invariants: V1 integers lie in 64 bits, decimals in 38 digits; what does not fit is a Fault, never wrapped.
//             V2 a DOUBLE total is the correctly rounded value of the exact rational sum, independent of order.
// Callers:    spec/model/, oracle/, properties/, fuzz/. Includes nothing of the engine and links none of its symbols.
// Held by:    oracle/model_selftest.cc (against SQLite), ci/tidy (include direction)
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace model {

using Big = boost::multiprecision::cpp_int;
__extension__ typedef __int128 Wide;

enum class Kind : uint8_t { kNull, kBool, kInt, kDec, kDbl, kText, kDate };

struct Type {
  Kind kind = Kind::kNull;
  int precision = 0;
  int scale = 0;
};

Type int_type();
Type dec_type(int precision, int scale);
Type simple_type(Kind kind);
std::string type_name(const Type& type);  // as SQL spells it

// A statement's failure, by the SQLSTATE that the specification gives it.
struct Fault {
  const char* state;
};

struct Value {
  Kind kind = Kind::kNull;
  int scale = 0;  // of kDec: the value is n / 10^scale
  Wide n = 0;     // kBool, kInt, kDec, kDate
  double d = 0;   // kDbl
  std::string s;  // kText

  bool is_null() const { return kind == Kind::kNull; }
  bool truth() const { return kind == Kind::kBool && n != 0; }
};
using Row = std::vector<Value>;

Value make_bool(bool b);
Value make_int(int64_t n);
Value make_int_checked(const Big& n);             // 22003 outside of 64 bits
Value make_dec_checked(const Big& n, int scale);  // 22003 beyond 38 digits
Value make_dbl(double d);
Value make_text(std::string s);
Value make_date(int64_t days);

Big to_big(Wide n);
Big power_of_ten(int exponent);
Big divide_half_away(const Big& numerator, const Big& denominator);  // rounded half away from zero
double round_ratio(const Big& numerator, const Big& denominator);    // the nearest double, ties to even; denominator > 0

// -1, 0, 1 of two non-NULL values of one kind; BIGINT and DECIMAL compare by value.
int compare(const Value& a, const Value& b);
// Equal keys if and only if the values are the same group (NULL is one group; 1.50 and 1.5 are one).
std::string key_of(const Value& value);
std::string to_text(const Value& value);          // as INTERFACE.md pins it (DOUBLE: any text that reads back equal)
int64_t days_from_text(const std::string& text);  // "YYYY-MM-DD"

// The exact sum of doubles: a fixed-point number with unit 2^-1074 that never rounds, and counters of what is not finite.
class RealSum {
 public:
  void add(double x);
  double total() const;
  double average(int64_t count) const;

 private:
  double special() const;
  Big units_ = 0;
  int64_t positive_infinities_ = 0, negative_infinities_ = 0, nans_ = 0;
};

}  // namespace model
