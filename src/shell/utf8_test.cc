#include "shell/utf8.h"

#include <catch2/catch.hpp>
#include <rapidcheck.h>

using namespace hdb::shell;

TEST_CASE("UTF-8 is checked by the shortest-form rule") {
  REQUIRE(find_invalid_utf8("plain") == std::string_view::npos);
  REQUIRE(find_invalid_utf8("gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x98\x80") == std::string_view::npos);
  REQUIRE(find_invalid_utf8("ab\xC0\x80") == 2);          // an overlong NUL
  REQUIRE(find_invalid_utf8("\xE0\x80\x80") == 0);        // overlong
  REQUIRE(find_invalid_utf8("x\xED\xA0\x80") == 1);       // a surrogate
  REQUIRE(find_invalid_utf8("\xF4\x90\x80\x80") == 0);    // above U+10FFFF
  REQUIRE(find_invalid_utf8("ok\xE2\x82") == 2);          // cut short
  REQUIRE(find_invalid_utf8("\xFF") == 0);
}

TEST_CASE("characters and cells are counted, not bytes") {
  REQUIRE(count_characters("gr\xC3\xBC\xC3\x9F") == 4);
  REQUIRE(count_characters("a\xFF\xFE") == 3);
  REQUIRE(display_cells("abc") == 3);
  REQUIRE(display_cells("\xE6\x97\xA5\xE6\x9C\xAC") == 4);  // two wide characters
  REQUIRE(display_cells("e\xCC\x81") == 1);                 // a combining accent
}

TEST_CASE("printable text cannot drive a terminal") {
  REQUIRE(printable("a\nb\tc\x1b[2J") == "a\\nb\\tc\\x1b[2J");
  REQUIRE(printable(std::string_view("\0\xFF", 2)) == "\\x00\\xff");
  REQUIRE(printable("\xC2\x9B") == "\xEF\xBF\xBD");
  REQUIRE(rc::check("any bytes become valid text without controls", [](const std::string& bytes) {
    const std::string shown = printable(bytes);
    RC_ASSERT(find_invalid_utf8(shown) == std::string_view::npos);
    for (const char c : shown) RC_ASSERT(static_cast<unsigned char>(c) >= 0x20);
  }));
}

TEST_CASE("every code point survives encoding and decoding") {
  for (uint32_t code = 0; code <= 0x10FFFF; code += 7) {
    if (code >= 0xD800 && code <= 0xDFFF) continue;
    std::string text;
    append_utf8(&text, code);
    const Decoded back = decode_utf8(text, 0);
    REQUIRE((back.valid && back.code == code && back.bytes == text.size()));
  }
}
