#include <catch2/catch.hpp>

#include <string>

#include "base/checksum.h"

using namespace hdb;

TEST_CASE("CRC-32C of the published test vectors") {
  REQUIRE(crc32c("123456789", 9) == 0xE3069283u);
  const std::string zeros(32, '\0'), ones(32, '\xFF');
  REQUIRE(crc32c(zeros.data(), zeros.size()) == 0x8A9136AAu);
  REQUIRE(crc32c(ones.data(), ones.size()) == 0x62A8AB43u);
  REQUIRE(crc32c("", 0) == 0);
}

TEST_CASE("both forms agree, whole and in parts (Q1)") {
  std::string text;
  uint64_t seed = 0x9E3779B97F4A7C15u;
  for (size_t n = 0; n < 300; ++n) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    text += static_cast<char>(seed >> 56);
    const uint32_t whole = crc32c(text.data(), text.size());
    REQUIRE(crc32c_portable(text.data(), text.size()) == whole);
    const size_t cut = n / 3;
    REQUIRE(crc32c(text.data() + cut, text.size() - cut, crc32c(text.data(), cut)) == whole);
  }
}

TEST_CASE("one flipped bit changes the sum") {
  std::string text = "a group of a commit";
  const uint32_t sum = crc32c(text.data(), text.size());
  for (char& c : text) {
    for (int bit = 0; bit < 8; ++bit) {
      c = static_cast<char>(c ^ (1 << bit));
      REQUIRE(crc32c(text.data(), text.size()) != sum);
      c = static_cast<char>(c ^ (1 << bit));
    }
  }
}
