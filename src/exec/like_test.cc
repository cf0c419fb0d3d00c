#include "exec/like.h"

#include <catch2/catch.hpp>
#include <random>

#include "base/error.h"

using hdb::LikePattern;

namespace {

// By its definition, for texts of single bytes.
bool naive(const char* text, const char* pattern) {
  if (*pattern == 0) return *text == 0;
  if (*pattern == '%') return naive(text, pattern + 1) || (*text != 0 && naive(text + 1, pattern));
  return *text != 0 && (*pattern == '_' || *pattern == *text) && naive(text + 1, pattern + 1);
}

}  // namespace

TEST_CASE("LIKE equals its definition on random texts") {
  std::mt19937 random(3);
  uint32_t hits = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text, pattern;
    for (uint32_t n = random() % 8; n > 0; --n) text += "ab"[random() % 2];
    for (uint32_t n = random() % 6; n > 0; --n) pattern += "ab%_%"[random() % 5];
    const bool expected = naive(text.c_str(), pattern.c_str());
    INFO(text << " LIKE " << pattern);
    REQUIRE(LikePattern(pattern, "", false).matches(text) == expected);
    hits += expected;
  }
  REQUIRE(hits > 1000);
}

TEST_CASE("LIKE: characters, escapes, case") {
  REQUIRE(LikePattern("_ü_", "", false).matches("äü€"));
  REQUIRE_FALSE(LikePattern("__", "", false).matches("ä"));
  REQUIRE(LikePattern("50!%", "!", false).matches("50%"));
  REQUIRE_FALSE(LikePattern("50!%", "!", false).matches("50x"));
  REQUIRE(LikePattern("a!!b", "!", false).matches("a!b"));
  REQUIRE(LikePattern("\\%", "", false).matches("\\x"));
  REQUIRE(LikePattern("AbC%", "", true).matches("aBcd"));
  REQUIRE_FALSE(LikePattern("AbC%", "", false).matches("aBcd"));
  REQUIRE_THROWS_AS(LikePattern("a!", "!", false), hdb::Error);
  REQUIRE_THROWS_AS(LikePattern("a", "xy", false), hdb::Error);
  REQUIRE(LikePattern(std::string(200, '%') + "b", "", false).matches(std::string(100000, 'a') + "b"));
}
