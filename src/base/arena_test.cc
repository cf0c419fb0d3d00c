// Invariants checked: A2, A3.
#include "base/arena.h"

#include <catch2/catch.hpp>

using namespace hdb;

TEST_CASE("what an arena made stays in place, aligned", "[base]") {
  Arena arena;
  std::vector<const uint64_t*> made;
  for (uint64_t i = 0; i < 20000; ++i) {
    arena.allocate(1 + i % 7, 1);
    made.push_back(arena.make<uint64_t>(i));
    REQUIRE(reinterpret_cast<uintptr_t>(made.back()) % alignof(uint64_t) == 0);
  }
  for (uint64_t i = 0; i < made.size(); ++i) REQUIRE(*made[i] == i);
  const int numbers[] = {1, 2, 3};
  const List<int> copy = arena.copy(numbers, 3);
  REQUIRE(copy.size() == 3);
  REQUIRE(copy.back() == 3);
  REQUIRE(arena.copy_text("text") == "text");
  REQUIRE(arena.copy(numbers, 0).empty());
}

TEST_CASE("an arena keeps to its limit, and a large request gets a chunk of its own", "[base]") {
  Arena arena(100000);
  REQUIRE(arena.bytes_reserved() == 0);
  arena.allocate(50000, 8);
  REQUIRE(arena.bytes_reserved() >= 50000);
  REQUIRE_THROWS_AS(arena.allocate(60000, 8), Error);
  REQUIRE_THROWS_AS(arena.allocate(SIZE_MAX, 8), Error);
  REQUIRE(arena.bytes_reserved() <= arena.bytes_max());
  arena.allocate(100, 8);
  arena.reset();
  REQUIRE(arena.bytes_reserved() <= 50064);
  REQUIRE_NOTHROW(arena.allocate(40000, 8));
}
