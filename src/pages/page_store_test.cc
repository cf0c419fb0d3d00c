// The page store: what is added and committed is what is read, by this store and by one that opens the file later.
#include <catch2/catch.hpp>

#include <map>
#include <random>

#include "base/error.h"
#include "io/memory_files.h"
#include "pages/page_store.h"
#include "pages/test_pages.h"

using namespace hdb;
using namespace hdb::test_pages;

TEST_CASE("objects of every size come back, from this store and after it is opened again") {
  for (const PageOptions options : {PageOptions{512, 1}, PageOptions{512, 2}, PageOptions{4096, 4}, PageOptions{16384, 8}, PageOptions{65536, 64}}) {
    Disk disk(options);
    const PageGeometry g{options};
    std::map<std::string, ObjectRef> refs;
    {
      PageStore store(*disk.file, true, disk.notices);
      auto change = store.begin();
      std::vector<ObjectRef> live;
      const uint64_t payload = g.payload(), stripe = g.stripe_payload();
      for (const uint64_t n : {uint64_t{1}, uint64_t{2}, payload - 1, payload, payload + 1, 2 * payload, stripe - 1, stripe, stripe + 1, 3 * stripe + 7}) {
        if (n == 0 || n > 9000000) continue;
        const std::string bytes = text_of(n, n);
        live.push_back(refs[bytes] = change->add(bytes));
      }
      change->commit({0, 5, "root"}, live);
      for (const auto& [bytes, ref] : refs) REQUIRE(store.read(ref) == bytes);
    }
    PageStore store(*disk.file, false, disk.notices);
    REQUIRE((store.root().generation == 1 && store.root().commit == 5 && store.root().payload == "root"));
    for (const auto& [bytes, ref] : refs) REQUIRE(store.read(ref) == bytes);
    REQUIRE(store.scrub(false).clean());
    REQUIRE(disk.notices.empty());
  }
}

TEST_CASE("a store that was just made has an empty root, and roots alternate between two slots") {
  Disk disk({512, 2});
  {
    PageStore store(*disk.file, true, disk.notices);
    REQUIRE((store.root().generation == 0 && store.root().payload.empty() && store.kept().empty()));
    REQUIRE(store.scrub(false).clean());
  }
  for (uint64_t i = 1; i <= 5; ++i) {
    PageStore store(*disk.file, true, disk.notices);
    auto change = store.begin();
    const ObjectRef ref = change->add(text_of(300, i));
    std::string payload;
    put_ref(&payload, ref);
    change->commit({0, i, payload}, {ref});
    RootSlot slot;
    for (uint64_t copy = 0; copy < 2; ++copy) {
      REQUIRE(decode_root(disk.bytes().substr(root_copy_at(i, copy), kSectorBytes), kId, &slot));
      REQUIRE((slot.generation == i && slot.payload == payload));
      REQUIRE(decode_root(disk.bytes().substr(root_copy_at(i - 1, copy), kSectorBytes), kId, &slot));
      REQUIRE(slot.generation == i - 1);
    }
    REQUIRE(store.root_before().generation == i - 1);
  }
}

TEST_CASE("what a change did not commit is free, and the root stays") {
  Disk disk({512, 2});
  PageStore store(*disk.file, true, disk.notices);
  ObjectRef first;
  {
    auto change = store.begin();
    first = change->add("kept");
    change->commit({0, 1, "a"}, {first});
  }
  for (int i = 0; i < 10; ++i) {
    auto change = store.begin();
    change->add(text_of(5000, 1));
  }
  REQUIRE(store.root().generation == 1);
  REQUIRE(store.read(first) == "kept");
  const uint64_t held = store.figures().held_bytes;
  REQUIRE(held == store.figures().live_bytes);
  REQUIRE(store.figures().file_bytes < kStripesAt + 10 * 512 * 3);
}

TEST_CASE("a payload of the largest size fits a root") {
  Disk disk({512, 2});
  const std::string payload = text_of(kRootPayloadMax, 3);
  {
    PageStore store(*disk.file, true, disk.notices);
    store.begin()->commit({0, 1, payload}, {});
    REQUIRE_THROWS_AS(store.begin()->commit({0, 1, payload + "x"}, {}), Error);
    REQUIRE(store.root().payload == payload);
  }
  REQUIRE(PageStore(*disk.file, false, disk.notices).root().payload == payload);
}

TEST_CASE("a file of format 1 becomes one of format 2, with its id") {
  MemoryFiles files;
  auto file = files.open("d", OpenMode::kCreate);
  FileHeader old;
  old.format = 1;
  old.database_id = 77;
  const std::string header = encode_file_header(old);
  file->write(0, header.data(), header.size());
  REQUIRE((read_file_header(*file).format == 1 && read_file_header(*file).database_id == 77));
  std::vector<std::string> notices;
  REQUIRE_THROWS_AS(PageStore(*file, true, notices), Error);
  PageStore::create(*file, 77);
  REQUIRE((read_file_header(*file).format == 2 && read_file_header(*file).database_id == 77));
  REQUIRE(PageStore(*file, true, notices).root().generation == 0);
  REQUIRE(notices.empty());
}
