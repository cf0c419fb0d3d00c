#include "store/date_part.h"

#include <algorithm>
#include <array>
#include <string>

#include "store/value.h"

namespace hdb {

namespace {

constexpr int64_t kSecondUs = 1'000'000, kMinuteUs = 60 * kSecondUs, kHourUs = 60 * kMinuteUs, kDayUs = 24 * kHourUs;

int64_t floor_div(int64_t a, int64_t b) { return a / b - static_cast<int64_t>(a % b != 0 && (a < 0) != (b < 0)); }
int64_t iso_weekday(int64_t days) { return days - floor_div(days + 3, 7) * 7 + 4; }  // Monday 1 .. Sunday 7; day 0 is a Thursday

int64_t iso_week(int64_t days) {
  // The week belongs to the year of its Thursday.
  const int64_t thursday = days - iso_weekday(days) + 4;
  return (thursday - days_from_civil(civil_from_days(thursday).year, 1, 1)) / 7 + 1;
}

// Is it the same for all times of a day?
bool of_calendar(const DatePart& part) {
  switch (part.field) {
    case DateField::kMicrosecond: case DateField::kMillisecond: case DateField::kSecond: case DateField::kMinute: case DateField::kHour:
    case DateField::kEpoch: return false;
    default: return true;
  }
}

int64_t truncated_days(DateField field, int64_t days) {
  const CivilDate d = civil_from_days(days);
  switch (field) {
    case DateField::kWeek: return days - iso_weekday(days) + 1;
    case DateField::kMonth: return days_from_civil(d.year, d.month, 1);
    case DateField::kQuarter: return days_from_civil(d.year, (d.month - 1) / 3 * 3 + 1, 1);
    case DateField::kYear: return days_from_civil(d.year, 1, 1);
    case DateField::kDecade: return days_from_civil(std::max<int64_t>(1, d.year / 10 * 10), 1, 1);
    case DateField::kCentury: return days_from_civil((d.year - 1) / 100 * 100 + 1, 1, 1);
    default: return days;
  }
}

int64_t extracted_days(DateField field, int64_t days) {
  const CivilDate d = civil_from_days(days);
  switch (field) {
    case DateField::kWeek: return iso_week(days);
    case DateField::kMonth: return d.month;
    case DateField::kQuarter: return (d.month - 1) / 3 + 1;
    case DateField::kYear: return d.year;
    case DateField::kDecade: return floor_div(d.year, 10);
    case DateField::kCentury: return (d.year - 1) / 100 + 1;
    case DateField::kDow: return iso_weekday(days) % 7;
    case DateField::kIsoDow: return iso_weekday(days);
    case DateField::kDoy: return days - days_from_civil(d.year, 1, 1) + 1;
    default: return d.day;
  }
}

// Of the calendar: the value for a day, in the part's own units.
int64_t part_of_day(const DatePart& part, int64_t days) {
  if (!part.truncate) return extracted_days(part.field, days);
  return truncated_days(part.field, days) * (part.to_date ? 1 : kDayUs);
}

int64_t part_of_time(const DatePart& part, int64_t t) {
  if (part.truncate) {
    switch (part.field) {
      case DateField::kMillisecond: return floor_div(t, 1000) * 1000;
      case DateField::kSecond: return floor_div(t, kSecondUs) * kSecondUs;
      case DateField::kMinute: return floor_div(t, kMinuteUs) * kMinuteUs;
      case DateField::kHour: return floor_div(t, kHourUs) * kHourUs;
      default: return t;
    }
  }
  if (part.field == DateField::kEpoch) return floor_div(t, kSecondUs);
  const int64_t of_day = t - floor_div(t, kDayUs) * kDayUs;
  switch (part.field) {
    case DateField::kMicrosecond: return of_day % kMinuteUs;
    case DateField::kMillisecond: return of_day % kMinuteUs / 1000;
    case DateField::kSecond: return of_day % kMinuteUs / kSecondUs;
    case DateField::kMinute: return of_day % kHourUs / kMinuteUs;
    default: return of_day / kHourUs;
  }
}

int64_t timed(const DatePart& part, int64_t value) {
  const int64_t made = part_of_time(part, part.from_date ? value * kDayUs : value);
  return part.truncate && part.to_date ? floor_div(made, kDayUs) : made;
}

}  // namespace

std::optional<DateField> date_field(std::string_view name) {
  struct Named {
    std::string_view name;
    DateField field;
  };
  static constexpr std::array<Named, 16> kFields{{
      {"microseconds", DateField::kMicrosecond}, {"milliseconds", DateField::kMillisecond}, {"second", DateField::kSecond},
      {"minute", DateField::kMinute}, {"hour", DateField::kHour}, {"day", DateField::kDay}, {"week", DateField::kWeek},
      {"month", DateField::kMonth}, {"quarter", DateField::kQuarter}, {"year", DateField::kYear}, {"decade", DateField::kDecade},
      {"century", DateField::kCentury}, {"dow", DateField::kDow}, {"isodow", DateField::kIsoDow}, {"doy", DateField::kDoy},
      {"epoch", DateField::kEpoch}}};
  std::string lower(name);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  for (const Named& n : kFields) {
    if (n.name == lower) return n.field;
  }
  return std::nullopt;
}

bool can_truncate(DateField field) {
  return field != DateField::kDow && field != DateField::kIsoDow && field != DateField::kDoy && field != DateField::kEpoch;
}

uint32_t date_part_values(const DatePart& part) {
  if (part.truncate) return 0;
  switch (part.field) {
    case DateField::kSecond: case DateField::kMinute: return 60;
    case DateField::kHour: return 24;
    case DateField::kDay: return 31;
    case DateField::kWeek: return 53;
    case DateField::kMonth: return 12;
    case DateField::kQuarter: return 4;
    case DateField::kCentury: return 100;
    case DateField::kDow: case DateField::kIsoDow: return 7;
    case DateField::kDoy: return 366;
    default: return 0;
  }
}

int64_t date_part(const DatePart& part, int64_t value) {
  if (!of_calendar(part)) return timed(part, value);
  return part_of_day(part, part.from_date ? value : floor_div(value, kDayUs));
}

void date_parts(const DatePart& part, const int64_t* values, uint32_t count, int64_t* out) {
  if (!of_calendar(part)) {
    for (uint32_t i = 0; i < count; ++i) out[i] = timed(part, values[i]);
    return;
  }
  // Days come again: a table of the last ones spares the calendar. Day 1 is at place 1, so day 0 is not where the table says it is at first.
  struct Known {
    int64_t days = 1, part = 0;
  };
  std::array<Known, 64> known;
  known[1].days = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const int64_t days = part.from_date ? values[i] : floor_div(values[i], kDayUs);
    Known& k = known[static_cast<uint64_t>(days) % known.size()];
    if (k.days != days) k = {days, part_of_day(part, days)};
    out[i] = k.part;
  }
}

}  // namespace hdb
