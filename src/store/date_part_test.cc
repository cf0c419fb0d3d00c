#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <vector>

#include "store/date_part.h"
#include "store/value.h"

using namespace hdb;

TEST_CASE("parts of many dates are the parts one by one, whatever order they come in") {
  std::mt19937_64 random(11);
  const int64_t low = days_from_civil(1, 1, 1), high = days_from_civil(9999, 12, 31);
  for (int field = 0; field <= static_cast<int>(DateField::kEpoch); ++field) {
    for (const bool from_date : {true, false}) {
      for (const bool truncate : {true, false}) {
        const DatePart part{static_cast<DateField>(field), truncate, from_date, truncate && from_date};
        if (truncate && !can_truncate(part.field)) continue;
        std::vector<int64_t> values;
        for (int i = 0; i < 3000; ++i) {
          const bool near = i < 1500;  // days that share places, and days that come again
          const int64_t days = i == 0 ? low : i == 1 ? high : i == 2 ? 0 : near ? static_cast<int64_t>(random() % 200) - 100
                                                            : low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low));
          values.push_back(from_date ? days : days * 86'400'000'000 + static_cast<int64_t>(random() % 86'400'000'000));
        }
        std::vector<int64_t> out(values.size());
        date_parts(part, values.data(), static_cast<uint32_t>(values.size()), out.data());
        std::vector<int64_t> different(out);
        std::sort(different.begin(), different.end());
        different.erase(std::unique(different.begin(), different.end()), different.end());
        for (size_t i = 0; i < values.size(); ++i) REQUIRE(out[i] == date_part(part, values[i]));
        if (const uint32_t most = date_part_values(part); most != 0) REQUIRE(different.size() <= most);
      }
    }
  }
}

TEST_CASE("a part of the calendar and one of the time of day, before and after 1970") {
  const int64_t eve = parse_timestamp("1969-12-31 23:59:59.5"), leap = parse_timestamp("2024-02-29 07:08:09");
  const auto part = [](const char* name, int64_t t) { return date_part({*date_field(name), false, false, false}, t); };
  const auto truncated = [](const char* name, int64_t t) { return timestamp_text(date_part({*date_field(name), true, false, false}, t)); };
  REQUIRE(part("YEAR", eve) == 1969);
  REQUIRE(part("hour", eve) == 23);
  REQUIRE(part("second", eve) == 59);
  REQUIRE(part("microseconds", eve) == 59'500'000);
  REQUIRE(part("epoch", eve) == -1);
  REQUIRE(part("doy", leap) == 60);
  REQUIRE(part("isodow", leap) == 4);
  REQUIRE(part("minute", leap) == 8);
  REQUIRE(truncated("day", eve) == "1969-12-31 00:00:00");
  REQUIRE(truncated("minute", eve) == "1969-12-31 23:59:00");
  REQUIRE(truncated("month", leap) == "2024-02-01 00:00:00");
  REQUIRE(!date_field("eon"));
}
