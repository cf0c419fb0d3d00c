// DATE_TRUNC and EXTRACT over DATE and TIMESTAMP. Weeks are ISO weeks, beginning on Monday.

#include <algorithm>
#include <array>

#include "base/check.h"
#include "exec/evaluate.h"
#include "exec/utf8.h"

namespace hdb {

namespace {

constexpr int64_t kSecondUs = 1'000'000, kMinuteUs = 60 * kSecondUs, kHourUs = 60 * kMinuteUs, kDayUs = 24 * kHourUs;

enum class Field { kMicrosecond, kMillisecond, kSecond, kMinute, kHour, kDay, kWeek, kMonth, kQuarter, kYear, kDecade, kCentury, kDow, kIsoDow, kDoy, kEpoch };

Field field_of(const Call& c, uint32_t row) {
  struct Named { std::string_view name; Field field; };
  static constexpr std::array<Named, 16> kFields{{
      {"microseconds", Field::kMicrosecond}, {"milliseconds", Field::kMillisecond}, {"second", Field::kSecond}, {"minute", Field::kMinute},
      {"hour", Field::kHour}, {"day", Field::kDay}, {"week", Field::kWeek}, {"month", Field::kMonth}, {"quarter", Field::kQuarter},
      {"year", Field::kYear}, {"decade", Field::kDecade}, {"century", Field::kCentury}, {"dow", Field::kDow}, {"isodow", Field::kIsoDow},
      {"doy", Field::kDoy}, {"epoch", Field::kEpoch}}};
  std::string name(c.args[0].text_at(row));
  std::transform(name.begin(), name.end(), name.begin(), ascii_lower);
  for (const Named& n : kFields) {
    if (n.name == name) return n.field;
  }
  fail(sqlstate::kInvalidParameter, "there is no date field \"" + name + "\"", c.e.position);
}

int64_t floor_div(int64_t a, int64_t b) { return a / b - static_cast<int64_t>(a % b != 0 && (a < 0) != (b < 0)); }
int64_t iso_weekday(int64_t days) { return days - floor_div(days + 3, 7) * 7 + 4; }  // Monday 1 .. Sunday 7; day 0 is a Thursday

int64_t microseconds_at(const Vector& v, uint32_t row) {
  const int64_t raw = v.i64[v.at(row)];
  return v.type.id == TypeId::kDate ? raw * kDayUs : raw;
}

int64_t iso_week(int64_t days) {
  // The week belongs to the year of its Thursday.
  const int64_t thursday = days - iso_weekday(days) + 4;
  return (thursday - days_from_civil(civil_from_days(thursday).year, 1, 1)) / 7 + 1;
}

int64_t truncated_days(Field field, int64_t days, const Call& c) {
  const CivilDate d = civil_from_days(days);
  switch (field) {
    case Field::kDay: return days;
    case Field::kWeek: return days - iso_weekday(days) + 1;
    case Field::kMonth: return days_from_civil(d.year, d.month, 1);
    case Field::kQuarter: return days_from_civil(d.year, (d.month - 1) / 3 * 3 + 1, 1);
    case Field::kYear: return days_from_civil(d.year, 1, 1);
    case Field::kDecade: return days_from_civil(std::max<int64_t>(1, d.year / 10 * 10), 1, 1);
    case Field::kCentury: return days_from_civil((d.year - 1) / 100 * 100 + 1, 1, 1);
    default: fail(sqlstate::kInvalidParameter, "DATE_TRUNC does not take this field", c.e.position);
  }
}

int64_t truncated(Field field, int64_t t, const Call& c) {
  switch (field) {
    case Field::kMicrosecond: return t;
    case Field::kMillisecond: return floor_div(t, 1000) * 1000;
    case Field::kSecond: return floor_div(t, kSecondUs) * kSecondUs;
    case Field::kMinute: return floor_div(t, kMinuteUs) * kMinuteUs;
    case Field::kHour: return floor_div(t, kHourUs) * kHourUs;
    default: return truncated_days(field, floor_div(t, kDayUs), c) * kDayUs;
  }
}

// In microseconds for kEpoch and the parts of a second, so that every result type can be made from it.
int64_t extracted(Field field, int64_t t) {
  const int64_t days = floor_div(t, kDayUs), of_day = t - days * kDayUs;
  const CivilDate d = civil_from_days(days);
  switch (field) {
    case Field::kMicrosecond: return of_day % kMinuteUs;
    case Field::kMillisecond: return of_day % kMinuteUs / 1000;
    case Field::kSecond: return of_day % kMinuteUs;
    case Field::kMinute: return of_day % kHourUs / kMinuteUs;
    case Field::kHour: return of_day / kHourUs;
    case Field::kDay: return d.day;
    case Field::kWeek: return iso_week(days);
    case Field::kMonth: return d.month;
    case Field::kQuarter: return (d.month - 1) / 3 + 1;
    case Field::kYear: return d.year;
    case Field::kDecade: return floor_div(d.year, 10);
    case Field::kCentury: return (d.year - 1) / 100 + 1;
    case Field::kDow: return iso_weekday(days) % 7;
    case Field::kIsoDow: return iso_weekday(days);
    case Field::kDoy: return days - days_from_civil(d.year, 1, 1) + 1;
    case Field::kEpoch: return t;
  }
  return 0;
}

}  // namespace

Vector kernel_date_trunc(const Call& c) {
  const bool to_date = c.e.type.id == TypeId::kDate;
  auto* out = c.scratch.zeroed<int64_t>(c.rows);
  for (uint32_t i = 0; i < c.rows; ++i) {
    if (c.nulls != nullptr && bit_test(c.nulls, i)) continue;
    const int64_t t = truncated(field_of(c, i), microseconds_at(c.args[1], i), c);
    out[i] = to_date ? floor_div(t, kDayUs) : t;
  }
  return make_vector(c.e.type, static_cast<const int64_t*>(out), c.nulls);
}

Vector kernel_extract(const Call& c) {
  const bool real = c.e.type.lane() == Lane::kDouble;
  auto* whole = c.scratch.zeroed<int64_t>(c.rows);
  auto* parts = c.scratch.zeroed<double>(c.rows);
  for (uint32_t i = 0; i < c.rows; ++i) {
    if (c.nulls != nullptr && bit_test(c.nulls, i)) continue;
    const Field field = field_of(c, i);
    const int64_t v = extracted(field, microseconds_at(c.args[1], i));
    const bool micro = field == Field::kSecond || field == Field::kEpoch;
    whole[i] = micro ? floor_div(v, kSecondUs) : v;
    parts[i] = micro ? static_cast<double>(v) / static_cast<double>(kSecondUs) : static_cast<double>(v);
  }
  if (real) return make_vector(c.e.type, static_cast<const double*>(parts), c.nulls);
  CHECK(c.e.type.id == TypeId::kBigint);
  return make_vector(c.e.type, static_cast<const int64_t*>(whole), c.nulls);
}

}  // namespace hdb
