// store/type.h: the SQL types and the lane (physical form) in which vectors carry them.
//
// What:       Type = id + DECIMAL(precision, scale) + VARCHAR length. Lane = how a value lies in a vector.
// Invariants: T1 lane(t) is kInt128 only for DECIMAL with precision > 18; a stored column never has it (kDecimalColumnDigitsMax).
// Units:      DATE in days since 1970-01-01; TIMESTAMP in microseconds since 1970-01-01 00:00:00 (no zone); DECIMAL as value * 10^scale;
//             BOOLEAN as 0 or 1 in the int64 lane.
// Callers:    all layers from store/ up.
// Held by:    src/engine/sql_test.cc
#pragma once

#include <cstdint>
#include <string>

namespace hdb {

enum class TypeId : uint8_t { kNull, kBoolean, kBigint, kDecimal, kDouble, kText, kDate, kTimestamp };
enum class Lane : uint8_t { kInt64, kInt128, kDouble, kText };

struct Type {
  TypeId id = TypeId::kNull;
  uint8_t precision = 0;  // DECIMAL only
  uint8_t scale = 0;      // DECIMAL only
  uint32_t length = 0;    // VARCHAR(n): characters at most; 0 = no limit. Not part of the type's identity.

  static constexpr Type null() { return {}; }
  static constexpr Type boolean() { return {TypeId::kBoolean}; }
  static constexpr Type bigint() { return {TypeId::kBigint}; }
  static constexpr Type real() { return {TypeId::kDouble}; }
  static constexpr Type text(uint32_t length = 0) { return {TypeId::kText, 0, 0, length}; }
  static constexpr Type date() { return {TypeId::kDate}; }
  static constexpr Type timestamp() { return {TypeId::kTimestamp}; }
  static constexpr Type decimal(uint8_t precision, uint8_t scale) { return {TypeId::kDecimal, precision, scale}; }

  constexpr Lane lane() const {
    if (id == TypeId::kDouble) return Lane::kDouble;
    if (id == TypeId::kText) return Lane::kText;
    return id == TypeId::kDecimal && precision > 18 ? Lane::kInt128 : Lane::kInt64;
  }
  constexpr bool exact_number() const { return id == TypeId::kBigint || id == TypeId::kDecimal; }
  constexpr bool number() const { return exact_number() || id == TypeId::kDouble; }
  constexpr bool operator==(const Type& o) const { return id == o.id && precision == o.precision && scale == o.scale; }
};

// "BIGINT", "DECIMAL(10,2)", "VARCHAR(20)", "TEXT", ...
std::string to_string(const Type& type);

}  // namespace hdb
