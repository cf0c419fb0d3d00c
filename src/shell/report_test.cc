#include "shell/report.h"

#include <catch2/catch.hpp>

using namespace hdb::shell;

namespace {

std::string report(std::string_view script, std::string_view at) {
  StatementSplitter splitter;
  splitter.feed(script);
  splitter.finish();
  Piece piece;
  while (splitter.next(&piece)) {
    const size_t position = piece.text.find(at);
    if (position != std::string::npos) return format_error("22012", "division by zero", place_in_script(piece, position), true, {});
  }
  return "not found";
}

}  // namespace

TEST_CASE("an error names the line and column of the script and shows a caret") {
  REQUIRE(report("SELECT 1;\nSELECT id/0 FROM t;\n", "/") ==
          "error[22012] line 2:10: division by zero\nSELECT id/0 FROM t;\n         ^\n");
  REQUIRE(report("SELECT 1; SELECT '\xE6\x97\xA5',\t1/0;", "/") ==
          "error[22012] line 1:24: division by zero\nSELECT 1; SELECT '\xE6\x97\xA5', 1/0;\n                        ^\n");
}

TEST_CASE("a long line is shown around its caret") {
  const std::string text = report("SELECT " + std::string(5000, 'a') + "/0, " + std::string(5000, 'b'), "/");
  const size_t first = text.find('\n') + 1;
  const size_t second = text.find('\n', first) + 1;
  REQUIRE(text.substr(0, first) == "error[22012] line 1:5008: division by zero\n");
  REQUIRE(text.substr(first, 4) == "... ");
  REQUIRE(second - first < 200);
  REQUIRE(text[first + (text.find('^', second) - second)] == '/');
}

TEST_CASE("errors without a place, and warnings") {
  REQUIRE(format_error("0A000", "files come later", {}) == "error[0A000]: files come later\n");
  REQUIRE(format_warning("rolled back", {}) == "warning: rolled back\n");
  REQUIRE(format_error("42P01", "no table\x1b[2J", {}) == "error[42P01]: no table\\x1b[2J\n");
}
