#include "shell/commands.h"

#include <catch2/catch.hpp>

#include "include/holodb/holodb.hpp"

using namespace hdb::shell;

using Words = std::vector<std::string>;

TEST_CASE("a command is cut into words, and quotes keep blanks together") {
  REQUIRE(split_words(".import  a.csv\tt") == Words{".import", "a.csv", "t"});
  REQUIRE(split_words(".import 'my file.csv' \"my table\" --skip-rejects") == Words{".import", "my file.csv", "my table", "--skip-rejects"});
  REQUIRE(split_words(".read ''") == Words{".read", ""});
  REQUIRE(split_words("").empty());
  REQUIRE_THROWS_AS(split_words(".read 'open"), holodb::Error);
}

TEST_CASE("names and texts are quoted so that they come back") {
  REQUIRE(quote_identifier("my \"t\"") == "\"my \"\"t\"\"\"");
  REQUIRE(quote_text("it's") == "'it''s'");
}
