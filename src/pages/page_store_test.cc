// The page store: what is added and committed is what is read, by this store and by one that opens the file later.
#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <map>
#include <random>
#include <thread>

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

TEST_CASE("a kept root stays as it was until it is dropped, and can be restored") {
  Disk disk({512, 2});
  PageStore store(*disk.file, true, disk.notices);
  Shelf shelf(store);
  std::map<std::string, Objects> want;
  Objects now;
  for (uint32_t i = 1; i <= 6; ++i) {
    for (uint32_t j = 0; j < 4; ++j) {
      now[(i + j) % 8] = text_of(200 + 70 * j, i * 10 + j);
      shelf.put({{(i + j) % 8, now[(i + j) % 8]}}, i);
    }
    store.keep("p" + std::to_string(i));
    want["p" + std::to_string(i)] = now;
  }
  const auto check = [&](PageStore& s) {
    REQUIRE(s.kept().size() == want.size());
    for (const auto& [name, objects] : want) REQUIRE(Shelf(s).objects(s.kept_root(name).payload) == objects);
    REQUIRE(Shelf(s).objects(s.root().payload) == now);
    REQUIRE(s.scrub(false).clean());
  };
  check(store);
  REQUIRE(failure([&] { store.keep("p3"); }) == "42710 there is a restore point p3 already");
  REQUIRE(failure([&] { store.drop("none"); }) == "42704 there is no restore point none");
  REQUIRE(failure([&] { store.kept_root("none"); }).substr(0, 5) == "42704");
  REQUIRE(failure([&] { store.restore("none", 1, ""); }).substr(0, 5) == "42704");
  REQUIRE(failure([&] { store.keep(std::string(1001, 'n')); }).substr(0, 5) == "54000");
  store.keep(std::string(1000, 'n'));
  want[std::string(1000, 'n')] = now;
  check(store);
  for (const char* name : {"p2", "p5"}) {
    store.drop(name);
    want.erase(name);
    check(store);
  }
  const Objects later = now;
  store.restore("p1", 100, store.kept_root("p1").payload);
  now = want["p1"];
  check(store);
  REQUIRE(store.root().commit == 100);
  // The root before is there still: undone.
  REQUIRE(Shelf(store).objects(store.root_before().payload) == later);
  PageStore again(*disk.file, false, disk.notices);
  check(again);
}

TEST_CASE("stripes of a dropped root are free one commit later, and the file gets shorter") {
  Disk disk({512, 2});
  PageStore store(*disk.file, true, disk.notices);
  Shelf shelf(store);
  shelf.put({{1, text_of(50000, 1)}}, 1);
  store.keep("k");
  shelf.put({{1, "small"}}, 2);
  shelf.put({{2, "small"}}, 3);
  REQUIRE(store.figures().file_bytes > 50000 + kStripesAt);
  REQUIRE(store.figures().held_bytes > 50000);
  store.drop("k");
  REQUIRE(store.figures().held_bytes > 50000);
  shelf.put({{2, "less"}}, 4);
  REQUIRE(store.figures().held_bytes < 20 * 1536);
  shelf.put({{2, "more"}}, 5);
  shelf.put({{2, "most"}}, 6);
  REQUIRE(store.figures().file_bytes < kStripesAt + 20 * 1536);
  REQUIRE(shelf.objects(store.root().payload).at(1) == "small");
}

TEST_CASE("what a pinned root names is readable while it is pinned, and free afterwards") {
  Disk disk({512, 2});
  PageStore store(*disk.file, true, disk.notices);
  Shelf shelf(store);
  Objects old;
  for (uint32_t i = 0; i < 10; ++i) old[i] = text_of(300, i);
  shelf.put(old, 1);
  const auto refs = shelf.refs();
  auto pin = store.pin();
  for (uint64_t c = 2; c < 12; ++c) {
    Objects next;
    for (uint32_t i = 0; i < 10; ++i) next[i] = text_of(300, 100 * c + i);
    shelf.put(next, c);
    for (const auto& [i, ref] : refs) REQUIRE(store.read(ref) == old[i]);
  }
  const uint64_t held = store.figures().held_bytes;
  pin.reset();
  shelf.put({{1, "x"}}, 20);
  REQUIRE(store.figures().held_bytes < held);
}

TEST_CASE("space stays in proportion to what is live, however often small things change") {
  Disk disk({512, 4});
  PageStore store(*disk.file, true, disk.notices);
  Shelf shelf(store);
  std::mt19937_64 random(5);
  Objects all;
  for (uint32_t i = 0; i < 200; ++i) all[i] = text_of(150, i);
  shelf.put(all, 1);
  uint64_t most = 0;
  for (uint64_t c = 2; c < 150; ++c) {
    Objects some;
    for (int j = 0; j < 4; ++j) {
      const uint32_t i = static_cast<uint32_t>(random() % 200);
      some[i] = all[i] = text_of(150, random());
    }
    shelf.put(some, c);
    most = std::max(most, store.figures().live_bytes);
  }
  REQUIRE(shelf.objects(store.root().payload) == all);
  // 200 objects of 150 bytes and a directory of 4,000 bytes: 20 stripes of 2,560 bytes if they were packed.
  REQUIRE(most < 45 * 2560);
  REQUIRE(store.figures().file_bytes < kStripesAt + 120 * 2560);
}

TEST_CASE("readers in parallel with commits and scrubs see their pinned root") {
  Disk disk({512, 4});
  PageStore store(*disk.file, true, disk.notices);
  Shelf shelf(store);
  Objects all;
  for (uint32_t i = 0; i < 30; ++i) all[i] = text_of(400, i);
  shelf.put(all, 1);
  const auto refs = shelf.refs();
  const auto pin = store.pin();
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> wrong{0}, reads{0};
  std::vector<std::thread> readers;
  for (uint32_t t = 0; t < 2; ++t) {
    readers.emplace_back([&, t] {
      for (uint32_t i = t; !stop; i = (i + 1) % 30) {
        try {
          if (store.read(refs.at(i)) != all.at(i)) ++wrong;
        } catch (const std::exception&) {
          ++wrong;
        }
        ++reads;
      }
    });
  }
  for (uint64_t c = 2; c < 40; ++c) {
    shelf.put({{static_cast<uint32_t>(c % 30), text_of(500, c)}}, c);
    if (c % 8 == 0) wrong += store.scrub(true).clean() ? 0 : 1;
  }
  while (reads < 200) std::this_thread::yield();
  stop = true;
  for (std::thread& t : readers) t.join();
  REQUIRE(wrong == 0);
}

TEST_CASE("changes wait for each other") {
  Disk disk({512, 2});
  PageStore store(*disk.file, true, disk.notices);
  auto change = store.begin();
  std::atomic<bool> kept{false};
  std::thread other([&] {
    store.keep("k");
    kept = true;
  });
  const ObjectRef ref = change->add("text");
  REQUIRE(!kept);
  change->commit({0, 1, "p"}, {ref});
  REQUIRE(!kept);
  change.reset();
  other.join();
  REQUIRE((kept && store.kept().size() == 1 && store.kept()[0].commit == 1 && store.root().generation == 2));
}

TEST_CASE("random histories of commits, kept roots, crashes of a page and reopening against a map") {
  for (uint64_t seed = 1; seed <= 25; ++seed) {
    std::mt19937_64 random(seed);
    const PageOptions options{uint32_t{512} << random() % 2, 1 + static_cast<uint32_t>(random() % 4)};
    Disk disk(options);
    auto store = std::make_unique<PageStore>(*disk.file, true, disk.notices);
    State want;
    for (uint64_t step = 1; step <= 60; ++step) {
      const std::string name = "k" + std::to_string(random() % 4);
      switch (random() % 8) {
        case 0:
          if (want.kept.contains(name)) store->drop(name), want.kept.erase(name);
          else store->keep(name), want.kept[name] = want.objects;
          break;
        case 1:
          if (!want.kept.contains(name)) break;
          store->restore(name, step, store->kept_root(name).payload);
          want.objects = want.kept[name];
          want.commit = step;
          break;
        case 2: {
          store.reset();
          // One page somewhere is spoilt: nobody may notice.
          const PageGeometry g{options};
          const uint64_t pages = (disk.file->size() - kStripesAt) / options.page_bytes;
          if (pages > 0) {
            const std::string noise = text_of(options.page_bytes, random());
            disk.file->write(g.page_at(random() % pages), noise.data(), noise.size());
          }
          store = std::make_unique<PageStore>(*disk.file, true, disk.notices);
          REQUIRE(state_of(*store) == want);
          REQUIRE(store->scrub(true).lost.empty());
          REQUIRE(store->scrub(false).clean());
          break;
        }
        default: {
          Objects some;
          for (uint64_t n = 1 + random() % 5; n > 0; --n) {
            const uint32_t i = static_cast<uint32_t>(random() % 20);
            some[i] = random() % 5 == 0 ? std::string() : text_of(1 + random() % (random() % 8 == 0 ? 6000 : 400), random());
            if (some[i].empty()) want.objects.erase(i);
            else want.objects[i] = some[i];
          }
          Shelf(*store).put(some, step);
          want.commit = step;
        }
      }
      if (step % 10 == 0) REQUIRE(state_of(*store) == want);
    }
    INFO("seed " << seed);
    REQUIRE(state_of(*store) == want);
    REQUIRE(store->scrub(false).clean());
  }
}
