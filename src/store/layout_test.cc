// Symptom: INSERT of -2^63, -2^63 + 1 and then, in one statement, of 2^63 - 2, 2^63 - 1 read back small negative numbers.
// Invariants checked: S1, S3 (a buffer that covers a layout represents every value of it).
#include <catch2/catch.hpp>

#include <vector>

#include "store/column.h"

using namespace hdb;

TEST_CASE("a buffer that covers a layout represents its values, also across the whole range of int64") {
  std::vector<int64_t> edges;
  for (const int64_t middle : {INT64_MIN, int64_t{-(int64_t{1} << 32)}, int64_t{-70000}, int64_t{0}, int64_t{256}, int64_t{1} << 40, INT64_MAX}) {
    for (const int64_t step : {-65537, -256, -255, -1, 0, 1, 254, 255, 256, 65535}) {
      int64_t v = 0;
      if (!__builtin_add_overflow(middle, step, &v)) edges.push_back(v);
    }
  }
  int covered = 0, refused = 0;
  for (const int64_t a : edges) {
    for (const int64_t b : edges) {
      const Datum first[2] = {Datum::of(a), Datum::of(b)};
      const Layout l = layout_for(Type::bigint(), first, 2);
      const BufferRef buffer(ColumnBuffer::make(l.encoding, l.width, l.base, l.nulls, nullptr, nullptr));
      for (const int64_t c : edges) {
        for (const int64_t d : {c, edges.back(), edges.front(), c == INT64_MAX ? c : c + 1}) {
          const Datum more[2] = {Datum::of(c), Datum::of(d)};
          const Layout add = layout_for(Type::bigint(), more, 2);
          if (!covers(*buffer, add)) {
            ++refused;
            const Layout wide = widen(*buffer, 0, add, true);
            const BufferRef wider(ColumnBuffer::make(wide.encoding, wide.width, wide.base, wide.nulls, nullptr, nullptr));
            if (!wider->represents(more[0]) || !wider->represents(more[1]) || !wider->represents(first[0]) || !wider->represents(first[1]))
              FAIL("widening " << a << ", " << b << " by " << c << ", " << d);
          } else {
            ++covered;
            if (!buffer->represents(more[0]) || !buffer->represents(more[1])) FAIL(a << ", " << b << " does not cover " << c << ", " << d);
          }
        }
      }
    }
  }
  REQUIRE(covered > 1000);
  REQUIRE(refused > 1000);
}
