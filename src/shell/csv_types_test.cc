#include "shell/csv_types.h"

#include <catch2/catch.hpp>
#include <rapidcheck.h>

using namespace hdb::shell;

namespace {

std::string sniff(const std::vector<std::string>& fields) {
  CsvSniffer sniffer;
  for (const std::string& field : fields) {
    if (field == "\"\"") {
      sniffer.add({"", true});
    } else {
      sniffer.add({field, false});
    }
  }
  return sniffer.result().sql();
}

}  // namespace

TEST_CASE("whole numbers are BIGINT while they come back as they were") {
  REQUIRE(sniff({"1", "-5", "", "0"}) == "BIGINT");
  REQUIRE(sniff({"9223372036854775807", "-9223372036854775808"}) == "BIGINT");
  REQUIRE(sniff({"1", "9223372036854775808"}) == "TEXT");
  REQUIRE(sniff({"00501", "12345"}) == "TEXT");
  REQUIRE(sniff({"+1"}) == "TEXT");
  REQUIRE(sniff({"-0"}) == "TEXT");
  REQUIRE(sniff({"1", " 2"}) == "TEXT");
  REQUIRE(sniff({"1", "\"\""}) == "TEXT");
  REQUIRE(sniff({"", ""}) == "TEXT");
  REQUIRE(sniff({"1", "x"}) == "TEXT");
}

TEST_CASE("a point makes DECIMAL, wide enough for both sides of it") {
  REQUIRE(sniff({"1.5", "12"}) == "DECIMAL(3,1)");
  REQUIRE(sniff({"0.25", "-100.5"}) == "DECIMAL(5,2)");
  REQUIRE(sniff({"0.5"}) == "DECIMAL(1,1)");
  REQUIRE(sniff({".5"}) == "DECIMAL(1,1)");
  REQUIRE(sniff({"00.5"}) == "TEXT");
  REQUIRE(sniff({"5."}) == "TEXT");
  REQUIRE(sniff({"1.2.3"}) == "TEXT");
  REQUIRE(sniff({"123456789.123456789"}) == "DECIMAL(18,9)");
  REQUIRE(sniff({"1234567890.123456789"}) == "DOUBLE");
  REQUIRE(sniff({"9007199254740993", "0.123456789"}) == "TEXT");
}

TEST_CASE("an exponent makes DOUBLE, unless a whole number would lose digits") {
  REQUIRE(sniff({"1e3", "2"}) == "DOUBLE");
  REQUIRE(sniff({"1.5E-3"}) == "DOUBLE");
  REQUIRE(sniff({"1e999"}) == "TEXT");
  REQUIRE(sniff({"1e3", "9007199254740993"}) == "TEXT");
  REQUIRE(sniff({"NaN", "1.5"}) == "DOUBLE");
  REQUIRE(sniff({"NaN"}) == "TEXT");
  REQUIRE(sniff({"-0.0"}) == "DOUBLE");
  REQUIRE(sniff({"1e"}) == "TEXT");
}

TEST_CASE("dates, timestamps and booleans") {
  REQUIRE(sniff({"2024-02-29", "1999-12-31"}) == "DATE");
  REQUIRE(sniff({"2023-02-29"}) == "TEXT");
  REQUIRE(sniff({"2001-01-01 00:01:00", "2001-01-02T10:30"}) == "TIMESTAMP");
  REQUIRE(sniff({"2001-01-01 00:01:00.25", "2001-01-02"}) == "TIMESTAMP");
  REQUIRE(sniff({"2001-01-01 24:00:00"}) == "TEXT");
  REQUIRE(sniff({"true", "FALSE", ""}) == "BOOLEAN");
  REQUIRE(sniff({"true", "1"}) == "TEXT");
  REQUIRE(normal_timestamp("2001-01-02T10:30") == "2001-01-02 10:30:00");
  REQUIRE(normal_timestamp("2001-01-02") == "2001-01-02 00:00:00");
}

TEST_CASE("a value is refused with the reason") {
  REQUIRE(check_value("007", {CsvType::kBigint, 0, 0}).empty());
  REQUIRE(check_value("9223372036854775808", {CsvType::kBigint, 0, 0}) == "is not a whole number that fits BIGINT");
  REQUIRE(check_value("1.50", {CsvType::kDecimal, 4, 2}).empty());
  REQUIRE(check_value("1.500", {CsvType::kDecimal, 4, 2}).empty());
  REQUIRE(check_value("1.505", {CsvType::kDecimal, 4, 2}) == "has more than 2 digits after the point");
  REQUIRE(check_value("100", {CsvType::kDecimal, 4, 2}) == "does not fit DECIMAL(4,2)");
  REQUIRE(check_value("1e2", {CsvType::kDecimal, 4, 2}) == "is not a decimal number");
  REQUIRE(check_value("yes", {CsvType::kBoolean, 0, 0}) == "is not true or false");
  REQUIRE(check_value("2001-13-01", {CsvType::kDate, 0, 0}) == "is not a date (YYYY-MM-DD)");
}

TEST_CASE("whatever a column holds, every field is a value of the sniffed type") {
  REQUIRE(rc::check("fields of digits and signs", [] {
    const auto field = rc::gen::container<std::string>(rc::gen::element('0', '1', '9', '-', '+', '.', 'e'));
    const auto fields = *rc::gen::container<std::vector<std::string>>(field);
    CsvSniffer sniffer;
    for (const std::string& text : fields) sniffer.add({text, false});
    const CsvColumnType type = sniffer.result();
    for (const std::string& text : fields) {
      if (!text.empty()) RC_ASSERT(check_value(text, type) == "");
    }
  }));
}
