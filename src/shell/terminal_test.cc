#include "shell/terminal.h"

#include <catch2/catch.hpp>

using namespace hdb::shell;

TEST_CASE("durations have three digits and the unit that suits them") {
  REQUIRE(format_seconds(0) == "0 ns");
  REQUIRE(format_seconds(840e-9) == "840 ns");
  REQUIRE(format_seconds(999.9e-9) == "1.00 µs");
  REQUIRE(format_seconds(12.34e-6) == "12.3 µs");
  REQUIRE(format_seconds(4.561e-3) == "4.56 ms");
  REQUIRE(format_seconds(0.1234) == "123 ms");
  REQUIRE(format_seconds(0.9999) == "1.00 s");
  REQUIRE(format_seconds(75.0) == "75.0 s");
}

TEST_CASE("counts and bytes are readable") {
  REQUIRE(format_count(0) == "0");
  REQUIRE(format_count(999) == "999");
  REQUIRE(format_count(1000) == "1,000");
  REQUIRE(format_count(1234567) == "1,234,567");
  REQUIRE(format_bytes(480) == "480 B");
  REQUIRE(format_bytes(3'100'000) == "3.1 MB");
  REQUIRE(format_bytes(999'700) == "1.0 MB");
}

TEST_CASE("a bar always has its width") {
  REQUIRE(bar(0, 4) == "    ");
  REQUIRE(bar(1, 4) == "████");
  REQUIRE(bar(0.5, 4) == "██  ");
  REQUIRE(bar(0.53125, 4) == "██▏ ");
  REQUIRE(bar(7, 2) == "██");
  REQUIRE(bar(-1, 2) == "  ");
}

TEST_CASE("progress and colour keep away from a file") {
  std::FILE* file = std::tmpfile();
  REQUIRE(file != nullptr);
  REQUIRE_FALSE(Style::of(file).colour);
  {
    Progress progress("load", 10, file);
    progress.update(5);
    progress.finish();
  }
  REQUIRE(std::ftell(file) == 0);
  std::fclose(file);
}
