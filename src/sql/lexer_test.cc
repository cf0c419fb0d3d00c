// Invariants checked: L1, L2, N1, N2.
#include "sql/lexer.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <random>

#include "base/error.h"
#include "sql/number.h"

using namespace hdb;
using namespace hdb::sql;

namespace {
std::string tokens(std::string_view text) {
  Lexer lexer(text);
  std::string out;
  for (Token token = lexer.next(); token.kind != TokenKind::kEnd; token = lexer.next()) {
    if (!out.empty()) out += '|';
    out += lexer.text_of(token);
    if (token.keyword != Keyword::kNone) out += '!';
  }
  return out;
}
std::string extent(std::string_view text, size_t start = 0) {
  const StatementExtent e = next_statement(text, start);
  return std::to_string(e.begin) + "-" + std::to_string(e.end) + (e.terminated ? ";" : "") + (e.open ? "open" : "");
}
}  // namespace

TEST_CASE("tokens are what the grammar says", "[sql]") {
  REQUIRE(tokens("select a.b,c<>d") == "select!|a|.|b|,|c|<>|d");
  REQUIRE(tokens("a--b\n-c") == "a|-|c");
  REQUIRE(tokens("a/* x /* y */ z */b") == "a|b");
  REQUIRE(tokens("1 1.5 .5 1. 1e3 1.5E-3 1e+2") == "1|1.5|.5|1.|1e3|1.5E-3|1e+2");
  REQUIRE(tokens("a::b :c ?1 ? $2 ?") == "a|::|b|:c|?1|?|$2|?");
  REQUIRE(tokens("<= >= != == || | <") == "<=|>=|!=|==||||||<");
  REQUIRE(tokens("'a''b' \"c\"\"d\"") == "'a''b'|\"c\"\"d\"");
  REQUIRE(tokens("\xEF\xBB\xBFSELECT") == "SELECT!");
  REQUIRE(tokens("Current_Timestamp selec selectx") == "Current_Timestamp!|selec|selectx");
}

TEST_CASE("every key word is found in any case, nothing else is", "[sql]") {
  for (uint32_t k = 1; k < static_cast<uint32_t>(Keyword::kCount); ++k) {
    const Keyword keyword = static_cast<Keyword>(k);
    std::string word(keyword_text(keyword));
    REQUIRE(find_keyword(word) == keyword);
    word[0] = static_cast<char>(word[0] | 0x20);
    REQUIRE(find_keyword(word) == keyword);
    REQUIRE(find_keyword(word + "q") == Keyword::kNone);
  }
  REQUIRE(find_keyword("") == Keyword::kNone);
  REQUIRE(find_keyword(std::string(300, 'a')) == Keyword::kNone);
}

TEST_CASE("a statement's extent skips semicolons in strings, names and comments", "[sql]") {
  REQUIRE(extent("SELECT ';'; SELECT 2") == "0-11;");
  REQUIRE(extent("SELECT ';'; SELECT 2", 11) == "12-20");
  REQUIRE(extent("a /* ; /* ; */ ; */ b \";\" -- ;\n;x") == "0-32;");
  REQUIRE(extent("  -- only\n ") == "11-11");
  REQUIRE(extent("SELECT 'a") == "0-9open");
  REQUIRE(extent("SELECT /* a") == "0-11open");
  REQUIRE(extent("SELECT 'a''") == "0-11open");
  REQUIRE(extent("SELECT 'a'''") == "0-12");
  REQUIRE(extent("", 5) == "0-0");
}

TEST_CASE("doubles are correctly rounded, as strtod in the C locale", "[sql]") {
  const uint64_t seed = 7;
  std::mt19937_64 random(seed);
  for (int i = 0; i < 20000; ++i) {
    std::string text = std::to_string(random() >> (random() % 60));
    if (random() % 2 == 0) text.insert(random() % text.size(), 1, '.');
    text += "e" + std::to_string(static_cast<int>(random() % 640) - 320);
    double value = 0;
    const bool fits = parse_double(text, value);
    const double expected = std::strtod(text.c_str(), nullptr);
    INFO("seed " << seed << ": " << text);
    REQUIRE(value == expected);
    REQUIRE(fits == (expected <= 1.7976931348623157e308));
  }
  double value = 1;
  REQUIRE(parse_double("1e-99999999999999999999", value));
  REQUIRE(value == 0);
  REQUIRE_FALSE(parse_double("1e99999999999999999999", value));
}
