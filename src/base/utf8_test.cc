// Invariants checked: U1.
#include "base/utf8.h"

#include <catch2/catch.hpp>
#include <string>

using namespace hdb;

namespace {
std::string encode(uint32_t code) {  // the plain definition, without any of the rules
  if (code < 0x80) return {static_cast<char>(code)};
  std::string out;
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
  if (code < 0x800) return out += static_cast<char>(0xC0 | (code >> 6)), tail(0), out;
  if (code < 0x10000) return out += static_cast<char>(0xE0 | (code >> 12)), tail(6), tail(0), out;
  return out += static_cast<char>(0xF0 | (code >> 18)), tail(12), tail(6), tail(0), out;
}
}  // namespace

TEST_CASE("ASCII without NUL is told from everything else at every length and place", "[base]") {
  for (size_t length = 0; length <= 20; ++length) {
    const std::string plain(length, 'a');
    REQUIRE(ascii_without_nul(plain));
    for (size_t at = 0; at < length; ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string text = plain;
        text[at] = static_cast<char>(byte);
        REQUIRE(ascii_without_nul(text) == (byte >= 1 && byte <= 127));
      }
    }
  }
}

TEST_CASE("every code point but the surrogates is valid, in its one form", "[base]") {
  for (uint32_t code = 0; code < 0x120000; code += code < 0x10000 ? 1 : 61) {
    const std::string text = encode(code);
    const bool valid = code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
    REQUIRE(utf8_sequence(text.data(), text.data() + text.size()) == (valid ? text.size() : 0));
    if (text.size() > 1) REQUIRE(utf8_sequence(text.data(), text.data() + text.size() - 1) == 0);
  }
  REQUIRE(utf8_invalid_at("\xC0\x80") == 0);              // overlong
  REQUIRE(utf8_invalid_at("ab\xE0\x80\x80") == 2);
  REQUIRE(utf8_invalid_at("\xF0\x80\x80\x80") == 0);
  REQUIRE(utf8_invalid_at("12345678\x80") == 8);           // a stray tail behind eight plain bytes
  REQUIRE(utf8_invalid_at("1234567\xC3\xA9" "12345678\xFF") == 17);
  REQUIRE(utf8_invalid_at("plain and \xE2\x82\xAC") == std::string_view::npos);
  REQUIRE(utf8_count("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80") == 4);
}
