// store/value.h: one SQL value on its own: literals, parameters, defaults, rows at the edge of the engine.
//
// What:       a Type, a NULL flag, and the value in the field of its lane. Never used per row inside of the engine.
// Invariants: V1 the field that type.lane() names holds the value; int64-lane values are in `number` as well, sign-extended.
// Callers:    all layers from store/ up. A plain value; thread rules of its fields.
// Held by:    src/store/store_test.cc
#pragma once

#include <string>
#include <string_view>

#include "base/int128.h"
#include "store/type.h"

namespace hdb {

struct Value {
  Type type;
  bool null = true;
  int128 number = 0;  // BOOLEAN, BIGINT, DECIMAL, DATE, TIMESTAMP
  double real = 0;    // DOUBLE
  std::string text;   // TEXT

  static Value make_null(Type t = Type::null()) { return Value{t, true, 0, 0, {}}; }
  static Value boolean(bool b) { return Value{Type::boolean(), false, b ? 1 : 0, 0, {}}; }
  static Value bigint(int64_t v) { return Value{Type::bigint(), false, v, 0, {}}; }
  static Value make_real(double v) { return Value{Type::real(), false, 0, v, {}}; }
  static Value make_text(std::string v) { return Value{Type::text(), false, 0, 0, std::move(v)}; }
  static Value make_number(Type t, int128 v) { return Value{t, false, v, 0, {}}; }

  int64_t int64() const { return static_cast<int64_t>(number); }
};

// Text as INTERFACE pins it ("1.50", "3.0", "2026-11-30", "true"); NULL gives "".
std::string to_text(const Value& value);

// Dates and timestamps. Parsing throws 22007 or 22008. Range: years 0001 to 9999.
int64_t parse_date(std::string_view text);
int64_t parse_timestamp(std::string_view text);  // "2026-11-30", "2026-11-30 12:00[:00[.ffffff]]", also with 'T'
std::string date_text(int64_t days);
std::string timestamp_text(int64_t microseconds);
struct CivilDate { int64_t year; unsigned month, day; };
CivilDate civil_from_days(int64_t days);
int64_t days_from_civil(int64_t year, unsigned month, unsigned day);

}  // namespace hdb
