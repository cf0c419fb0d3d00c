#include "sql/position.h"

#include <catch2/catch.hpp>

using hdb::sql::locate;
using hdb::sql::TextPosition;

namespace {
std::string shown(std::string_view text, int64_t offset) {
  const TextPosition p = locate(text, offset);
  return std::to_string(p.line) + ":" + std::to_string(p.column) + "|" + p.line_text + "|" + p.caret;
}
}  // namespace

TEST_CASE("an offset is shown as line, column and caret", "[sql]") {
  REQUIRE(shown("SELECT 1\nSELECT id/0 FROM t;\n", 18) == "2:10|SELECT id/0 FROM t;|         ^");
  REQUIRE(shown("abc", 3) == "1:4|abc|   ^");
  REQUIRE(shown("abc", 99) == "1:4|abc|   ^");
  REQUIRE(shown("", 0) == "1:1||^");
  REQUIRE(shown("a\n", 2) == "2:1||^");
  REQUIRE(shown("a\r\nb", 1) == "1:2|a| ^");
  REQUIRE(shown("\ta b", 3) == "1:4|\ta b|\t  ^");
  REQUIRE(shown("\xC3\xA9\xC3\xA9 x", 5) == "1:4|\xC3\xA9\xC3\xA9 x|   ^");
  REQUIRE(shown("\xC3\xA9x", 1) == "1:1|\xC3\xA9x|^");
}

TEST_CASE("a long line is cut around the place", "[sql]") {
  const std::string text = std::string(1000, 'a') + "X" + std::string(1000, 'b');
  const TextPosition p = locate(text, 1000);
  REQUIRE(p.column == 1001);
  REQUIRE(p.line_text.size() < 200);
  REQUIRE(p.line_text.substr(0, 3) == "...");
  REQUIRE(p.line_text[p.caret.size() - 1] == 'X');
  const TextPosition start = locate(text, 0);
  REQUIRE(start.line_text.substr(0, 3) == "aaa");
  REQUIRE(start.caret == "^");
}
