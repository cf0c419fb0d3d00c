// store/date_part.h: parts of dates and timestamps: what EXTRACT and DATE_TRUNC give.
//
// What:       a DatePart is a function from what a DATE or TIMESTAMP column keeps to an integer: the part's number, or the truncated date or time.
//             Weeks are ISO weeks, beginning on Monday.
// Units:      dates in days, timestamps in microseconds, both since 1970-01-01.
// Cost:       a part of the time of day 1 to 2 ns a value; one of the calendar as much where the day came lately, else about 5 ns.
// Callers:    plan/ (estimates), plane/ (cells added up by parts), exec/. Pure.
// Held by:    src/store/date_part_test.cc, src/exec/evaluate_test.cc
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "store/type.h"

namespace hdb {

enum class DateField : uint8_t {
  kMicrosecond, kMillisecond, kSecond, kMinute, kHour, kDay, kWeek, kMonth, kQuarter, kYear, kDecade, kCentury, kDow, kIsoDow, kDoy, kEpoch
};

struct DatePart {
  DateField field = DateField::kDay;
  bool truncate = false;   // DATE_TRUNC
  bool from_date = false;  // of a DATE; else of a TIMESTAMP
  bool to_date = false;    // truncate: to a DATE; else to a TIMESTAMP

  bool operator==(const DatePart&) const = default;
};

// Of the result.
inline Type type_of(const DatePart& part) { return !part.truncate ? Type::bigint() : part.to_date ? Type::date() : Type::timestamp(); }
// Without regard to case; nothing for what is no field.
std::optional<DateField> date_field(std::string_view name);
bool can_truncate(DateField field);
// At most so many different results; 0: no such bound.
uint32_t date_part_values(const DatePart& part);

int64_t date_part(const DatePart& part, int64_t value);
void date_parts(const DatePart& part, const int64_t* values, uint32_t count, int64_t* out);

}  // namespace hdb
