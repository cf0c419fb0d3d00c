// Invariants checked: B1 to B4: what comes in, what leaves and what must not, with a reader that the test drives.
#include <catch2/catch.hpp>

#include <functional>

#include "store/column_cache.h"
#include "store/table.h"

using namespace hdb;

namespace {

constexpr uint32_t kRows = 100;

struct Reader final : ColumnReader {
  std::function<void(const AbsentColumn&)> before = [](const AbsentColumn&) {};
  int reads = 0;
  BufferRef read(const AbsentColumn& c) override {
    ++reads;
    const ColumnHome home = c.home;
    before(c);
    BufferRef buffer(ColumnBuffer::make(Encoding::kOffset, 8, 0, false, nullptr, c.table.budget()));
    for (uint32_t r = 0; r < c.rows; ++r) buffer->put(r, Datum::of(static_cast<int64_t>(home.where * 1000 + r)));
    return buffer;
  }
};

struct Fixture {
  MemoryBudget budget;
  std::shared_ptr<ColumnCache> cache = std::make_shared<ColumnCache>(&budget);
  Reader* reader = nullptr;
  std::shared_ptr<Table> table;

  explicit Fixture(uint64_t blocks, uint32_t columns = 1) {
    auto owned = std::make_unique<Reader>();
    reader = owned.get();
    cache->set_reader(std::move(owned));
    table = std::make_shared<Table>(1, "t", std::vector<ColumnShape>(columns, {"c", Type::bigint(), false}), &budget);
    table->keep_in(cache);
    for (uint64_t b = 0; b < blocks; ++b) {
      Block& block = table->add_block();
      block.rows = block.live = kRows;
      for (uint32_t c = 0; c < columns; ++c) cache->give_home(*table, block, c, {1 + b * columns + c, 1, 1});
    }
  }
  int64_t value(uint64_t b, uint32_t c, uint32_t slot) { return table->pin(b, c)->int_at(slot); }
  bool here(uint64_t b, uint32_t c = 0) { return static_cast<bool>(table->block(b).columns[c]); }
};

const uint64_t kColumn = uint64_t{8} * kBlockRows;

}  // namespace

TEST_CASE("a column comes in once, and leaves when there are more bytes than the limit says; the clock passes over it once if it was touched") {
  Fixture f(5);
  REQUIRE(f.value(3, 0, 7) == 4007);
  REQUIRE(f.value(3, 0, 8) == 4008);
  REQUIRE(f.reader->reads == 1);
  f.cache->set_limit(2 * kColumn);
  for (uint64_t b = 0; b < 5; ++b) REQUIRE(f.value(b, 0, 1) == static_cast<int64_t>((b + 1) * 1000 + 1));
  REQUIRE(f.cache->figures().clean_bytes <= 2 * kColumn);
  REQUIRE(f.cache->figures().left >= 3);
  f.cache->set_limit(0);
  REQUIRE(f.cache->figures().clean_bytes == 0);
  REQUIRE(f.budget.used() == 0);
  f.cache->set_limit(kColumn);
  const BufferRef kept = f.table->pin(0, 0);
  REQUIRE(f.value(1, 0, 0) == 2000);
  REQUIRE(f.here(0));  // pinned
  f.cache->set_limit(UINT64_MAX);
  f.table->pin(1, 0)->touch();
  f.table->pin(2, 0);
  f.cache->set_limit(2 * kColumn);
  REQUIRE(f.here(0));
  REQUIRE(f.here(1));
  REQUIRE(!f.here(2));
  f.table.reset();
  REQUIRE(f.cache->figures().clean_bytes == 0);
}

TEST_CASE("what has no home, what a writer holds, and what a block with undo entries has, stays") {
  Fixture f(3, 2);
  for (uint64_t b = 0; b < 3; ++b) {
    for (uint32_t c = 0; c < 2; ++c) f.table->pin(b, c);
  }
  f.cache->no_home(f.table->block(0), 1);
  f.table->block(1).held = true;
  f.table->block(2).undo_head = reinterpret_cast<UndoEntry*>(&f);
  f.cache->set_limit(0);
  REQUIRE(!f.here(0, 0));
  REQUIRE(f.here(0, 1));
  for (uint32_t c = 0; c < 2; ++c) REQUIRE((f.here(1, c) && f.here(2, c)));
  REQUIRE(f.cache->figures().clean_bytes == 4 * kColumn);
  {
    const ExclusiveLatch hold(f.table->block(1).latch);  // somebody changes it now
    f.table->block(1).held = false;
    f.cache->trim();
    REQUIRE(f.here(1, 0));
  }
  f.table->block(2).undo_head = nullptr;
  f.cache->trim();
  REQUIRE(f.cache->figures().clean_bytes == 0);
  REQUIRE((f.here(0, 1) && !f.here(1, 0) && !f.here(2, 1)));
  REQUIRE(f.value(2, 1, 5) == 6005);
}

TEST_CASE("a home that moves while it is read is read again; what cannot be read is an error, and can be tried again") {
  Fixture f(1);
  Block& block = f.table->block(0);
  const auto move = [&](uint64_t to) {
    const ExclusiveLatch hold(block.latch);
    f.cache->give_home(*f.table, block, 0, {to, 1, 1});
  };
  f.reader->before = [&](const AbsentColumn& c) {
    if (c.home.where < 4) move(c.home.where + 1);
    if (c.home.where == 2) fail(sqlstate::kDamaged, "its place was written over");
  };
  REQUIRE(f.value(0, 0, 9) == 4009);
  REQUIRE(f.reader->reads == 4);
  f.cache->set_limit(0);
  f.reader->before = [](const AbsentColumn&) { fail(sqlstate::kIo, "the disk is gone"); };
  REQUIRE_THROWS_AS(f.table->pin(0, 0), Error);
  REQUIRE(!f.here(0));
  f.reader->before = [](const AbsentColumn&) {};
  REQUIRE(f.value(0, 0, 9) == 4009);
}

TEST_CASE("a charge that does not fit makes clean columns leave before it fails") {
  Fixture f(6);
  f.budget.set_limit(4 * kColumn);
  for (uint64_t b = 0; b < 6; ++b) f.table->pin(b, 0);
  REQUIRE(f.budget.used() <= 4 * kColumn);
  REQUIRE(f.cache->figures().left >= 3);
  MemoryBudget statement(UINT64_MAX, &f.budget);
  statement.charge(3 * kColumn);
  REQUIRE(f.cache->figures().clean_bytes <= kColumn);
  REQUIRE_THROWS_AS(statement.charge(2 * kColumn), Error);
  REQUIRE(statement.used() == 3 * kColumn);
  statement.release(3 * kColumn);
  const BufferRef a = f.table->pin(0, 0), b = f.table->pin(1, 0);
  statement.charge(kColumn);
  REQUIRE_THROWS_AS(statement.charge(kColumn), Error);
  REQUIRE((f.here(0) && f.here(1)));
}
