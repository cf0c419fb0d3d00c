// Invariants checked: X0 X1 X2 X3 (word.h, sum128.h), X4 (sum192.h).
#include <catch2/catch.hpp>
#include <rapidcheck.h>

#include <vector>

#include "exact/sum128.h"
#include "exact/sum192.h"
#include "exact/test_reference.h"

namespace hdb {
namespace {

using reference::Integer;
using reference::integer;
using reference::Random;

Integer integer(const Sum192& s) {
  Integer r = (Integer(s.l2) << 128) + (Integer(s.l1) << 64) + s.l0;
  return s.negative() ? Integer(r - (Integer(1) << 192)) : r;
}

int16_t small(const BasicSum128<uint8_t>& s) { return static_cast<int16_t>(static_cast<uint16_t>(s.hi << 8 | s.lo)); }

TEST_CASE("X0 X1 the shipped code is right for every input of 8-bit words") {
  for (int a = -32768; a <= 32767; ++a) {
    const auto bits = static_cast<uint16_t>(a);
    for (int x = -128; x <= 127; ++x) {
      BasicSum128<uint8_t> s{static_cast<uint8_t>(bits), static_cast<uint8_t>(bits >> 8)};
      const auto start = s;
      s.add(static_cast<uint8_t>(x));
      if (small(s) != static_cast<int16_t>(a + x)) FAIL("add " << a << " " << x);
      s.sub(static_cast<uint8_t>(x));
      if (s != start) FAIL("sub does not undo add " << a << " " << x);
      s.sub(static_cast<uint8_t>(x));
      if (small(s) != static_cast<int16_t>(a - x)) FAIL("sub " << a << " " << x);
      s = start;
      s.add_unsigned(static_cast<uint8_t>(x));
      if (small(s) != static_cast<int16_t>(a + static_cast<uint8_t>(x))) FAIL("add_unsigned " << a << " " << x);
    }
  }
}

TEST_CASE("X4 three limbs carry and borrow through the middle one, all 8-bit middles") {
  const auto value = [](const BasicSum192<uint8_t>& s) { return s.l2 << 16 | s.l1 << 8 | s.l0; };
  for (int l1 = 0; l1 < 256; ++l1) {
    for (int x1 = 0; x1 < 256; ++x1) {
      for (const auto& [l0, x0] : {std::pair{0, 0}, {255, 1}, {0, 1}, {255, 255}, {128, 127}, {128, 128}}) {
        const BasicSum192<uint8_t> a{static_cast<uint8_t>(l0), static_cast<uint8_t>(l1), 7};
        const BasicSum192<uint8_t> b{static_cast<uint8_t>(x0), static_cast<uint8_t>(x1), 250};
        auto s = a;
        s.merge(b);
        if (value(s) != ((value(a) + value(b)) & 0xffffff)) FAIL("merge " << value(a) << " " << value(b));
        s.unmerge(b);
        if (s != a) FAIL("unmerge does not undo merge");
        s.unmerge(b);
        if (value(s) != ((value(a) - value(b)) & 0xffffff)) FAIL("unmerge " << value(a) << " " << value(b));
      }
    }
  }
}

TEST_CASE("X1 X3 a history of adds, subtracts, products and merges is the mathematical sum") {
  Random random("sum128 history");
  for (int round = 0; round < 200; ++round) {
    Sum128 sum, part;
    Integer expected = 0, part_expected = 0;
    for (int step = 0; step < 50; ++step) {
      const int64_t x = random.word(), n = random.word();
      switch (random.below(7)) {
        case 0: sum.add(static_cast<uint64_t>(x)), expected += x; break;
        case 1: sum.sub(static_cast<uint64_t>(x)), expected -= x; break;
        case 2: part.add(static_cast<uint64_t>(x)), part_expected += x; break;
        case 3: sum.add_unsigned(static_cast<uint64_t>(x)), expected += static_cast<uint64_t>(x); break;
        case 4: sum.add_product(x, n >> 24), expected += Integer(x) * (n >> 24); break;
        case 5: sum.merge(part), expected += part_expected; break;
        default: sum.negate(), expected = -expected; break;
      }
      if (step % 16 == 15) sum.unmerge(part), expected -= part_expected;
      REQUIRE(integer(sum.value()) == expected);
      REQUIRE(sum.fits_int64() == (expected >= INT64_MIN && expected <= INT64_MAX));
      REQUIRE((sum < part) == (expected < part_expected));
    }
  }
}

TEST_CASE("X3 the order of addends does not change a bit") {
  REQUIRE(rc::check([](std::vector<int64_t> values) {
    Sum128 forward, backward;
    for (const int64_t v : values) forward.add(static_cast<uint64_t>(v));
    for (auto v = values.rbegin(); v != values.rend(); ++v) backward.add(static_cast<uint64_t>(*v));
    RC_ASSERT(forward == backward);
    for (const int64_t v : values) backward.sub(static_cast<uint64_t>(v));
    RC_ASSERT(backward.is_zero());
  }));
}

TEST_CASE("a BIGINT sum over the limit is an error that names sum_exact, and is back after a delete") {
  Sum128 sum;
  sum.add(2);
  sum.add(INT64_MAX);
  REQUIRE(integer(sum.value()) == Integer("9223372036854775809"));
  try {
    bigint_sum(sum);
    FAIL("no error");
  } catch (const Error& e) {
    REQUIRE(std::string(e.sqlstate()) == sqlstate::kOutOfRange);
    REQUIRE(e.message().find("sum_exact") != std::string::npos);
  }
  sum.sub(2);
  REQUIRE(bigint_sum(sum) == INT64_MAX);
  sum.add(1);
  sum.add(static_cast<uint64_t>(int64_t{-5}));
  REQUIRE(bigint_sum(sum) == INT64_MAX - 4);
  REQUIRE(bigint_sum(Sum128::of(INT64_MIN)) == INT64_MIN);
  REQUIRE_THROWS_AS(bigint_sum(Sum128::of(static_cast<int128>(INT64_MIN) - 1)), Error);
}

TEST_CASE("two partial sums near the limit overflow only when merged: the same error, never a wrapped value") {
  Sum128 a, b;
  a.add(INT64_MAX);
  b.add(INT64_MAX);
  REQUIRE(bigint_sum(a) == INT64_MAX);
  a.merge(b);
  REQUIRE_THROWS_AS(bigint_sum(a), Error);
  REQUIRE(integer(a.value()) == 2 * Integer(INT64_MAX));
}

TEST_CASE("X4 sums of decimals of 38 digits are exact beyond 128 bits") {
  Random random("sum192 history");
  for (int round = 0; round < 200; ++round) {
    Sum192 sum, part;
    Integer expected = 0, part_expected = 0;
    for (int step = 0; step < 50; ++step) {
      const int128 v = random.decimal();
      switch (random.below(6)) {
        case 0: sum.add_int128(v), expected += integer(v); break;
        case 1: sum.sub_int128(v), expected -= integer(v); break;
        case 2: part.add_int128(v), part_expected += integer(v); break;
        case 3: sum.merge(part), expected += part_expected; break;
        case 4: sum.negate(), expected = -expected; break;
        default: sum.add(static_cast<uint64_t>(v)), expected += static_cast<int64_t>(v); break;
      }
      if (step % 16 == 15) sum.unmerge(part), expected -= part_expected;
      REQUIRE(integer(sum) == expected);
      REQUIRE(sum.fits_decimal38() == (reference::magnitude(expected) < reference::power10(38)));
      if (sum.fits_decimal38()) REQUIRE(integer(decimal_sum(sum)) == expected);
      else REQUIRE_THROWS_AS(decimal_sum(sum), Error);
    }
  }
}

TEST_CASE("X4 the limits of 128 bits and of 38 digits, and one past each") {
  Sum192 sum;
  const auto max128 = static_cast<int128>(~uint128{0} >> 1);
  sum.add_int128(max128);
  REQUIRE(sum.fits_int128());
  REQUIRE_FALSE(sum.fits_decimal38());
  sum.add(1);
  REQUIRE_FALSE(sum.fits_int128());
  sum.negate();
  REQUIRE(sum.fits_int128());
  sum.sub(1);
  REQUIRE_FALSE(sum.fits_int128());
  Sum192 nines;
  nines.add_int128(static_cast<int128>(kDecimalMax));
  REQUIRE(nines.fits_decimal38());
  nines.add(1);
  REQUIRE_FALSE(nines.fits_decimal38());
}

TEST_CASE("X1 sums of 128 bits compare as the numbers that they are, and a product leaves as it came") {
  Random random("sum128 order");
  for (int i = 0; i < 2000; ++i) {
    const int128 a = random.decimal(), b = random.below(4) == 0 ? a : random.below(4) == 0 ? a + 1 : random.decimal();
    Sum128 x, y;
    x.add_int128(a);
    y.sub_int128(-b);
    REQUIRE(x.value() == a);
    REQUIRE(y.value() == b);
    REQUIRE((x < y) == (a < b));
    REQUIRE((x > y) == (a > b));
    REQUIRE((x <= y) == (a <= b));
    REQUIRE((x == y) == (a == b));
    const int64_t base = random.word(), count = static_cast<int64_t>(random.below(1'000'000)) - 500'000;
    Sum128 z = x;
    z.sub_product(base, count);
    Sum128 expected = x;
    expected.sub_int128(static_cast<int128>(base) * count);
    REQUIRE(z == expected);
    z.add_product(base, count);
    REQUIRE(z == x);
  }
}

}  // namespace
}  // namespace hdb
