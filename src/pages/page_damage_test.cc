// Invariants checked: G1 to G4, G7: any one wrong bit is put right, a lost page is rebuilt, a second loss in a stripe is an error that names it, and what
// is whole stays readable.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>
#include <functional>

#include "base/checksum.h"
#include "io/simulated_files.h"
#include "pages/test_pages.h"

using namespace hdb;
using namespace hdb::test_pages;

namespace {

// A file with a root, one before it, a kept root, and objects over one and several stripes.
struct Small {
  explicit Small(const PageOptions& options = {512, 2}) : geometry{options} {
    Disk disk(options);
    PageStore store(*disk.file, true, disk.notices);
    Shelf shelf(store);
    shelf.put({{1, text_of(60, 1)}, {2, text_of(1500, 2)}}, 1);
    store.keep("k");
    shelf.put({{2, text_of(700, 3)}}, 2);
    shelf.put({{3, text_of(400, 4)}}, 3);
    state = state_of(store);
    refs = shelf.refs();
    bytes = disk.bytes();
  }
  PageGeometry geometry;
  std::string bytes;
  State state;
  std::map<uint32_t, ObjectRef> refs;
};

struct Opened {
  explicit Opened(const std::string& bytes, bool writable = false) {
    files.set_contents("d", bytes);
    file = files.open("d", writable ? OpenMode::kReadWrite : OpenMode::kRead);
    store = std::make_unique<PageStore>(*file, writable, notices);
  }
  MemoryFiles files;
  std::unique_ptr<File> file;
  std::vector<std::string> notices;
  std::unique_ptr<PageStore> store;
};

// The places that are in use: of page `place` of stripe `stripe`.
size_t offset_of(const PageGeometry& g, uint32_t stripe, uint32_t place) { return g.page_at(g.page_of(stripe, place)); }
void spoil(std::string* bytes, const PageGeometry& g, uint32_t stripe, uint32_t place) {
  for (size_t i = 0; i < g.options.page_bytes; i += 37) (*bytes)[offset_of(g, stripe, place) + i] = static_cast<char>((*bytes)[offset_of(g, stripe, place) + i] + 1);
}
uint32_t stripe_of(const PageGeometry& g, const ObjectRef& ref) {
  uint32_t stripe = 0, place = 0, at = 0;
  REQUIRE(g.locate(ref.where, &stripe, &place, &at));
  return stripe;
}
uint32_t place_of(const PageGeometry& g, const ObjectRef& ref) {
  uint32_t stripe = 0, place = 0, at = 0;
  REQUIRE(g.locate(ref.where, &stripe, &place, &at));
  return place;
}
uint32_t stripes_in(const Small& small) {
  return static_cast<uint32_t>((small.bytes.size() - kStripesAt + small.geometry.stripe_bytes() - 1) / small.geometry.stripe_bytes());
}

}  // namespace

TEST_CASE("every wrong bit of a small file is put right, and scrub makes the file what it was") {
  const Small small;
  std::string bytes = small.bytes;
  uint64_t bits = 0, told = 0;
  for (size_t at = 0; at < bytes.size(); ++at) {
    // All bits of pages and of what is written in headers and roots; of the zeros behind, some.
    const bool padding = at < kStripesAt && at % kSectorBytes > 160 && at % kSectorBytes < kSectorBytes - 4;
    if (padding && at % 31 != 0) continue;
    for (int bit = 0; bit < 8; ++bit) {
      if ((padding || at >= kStripesAt) && bit != static_cast<int>(at % 8)) continue;
      bytes[at] ^= static_cast<char>(1 << bit);
      Opened opened(bytes);
      if (!(state_of(*opened.store) == small.state)) FAIL("bit " << bit << " of byte " << at);
      told += opened.notices.size() + opened.store->take_notices().size();
      bytes[at] ^= static_cast<char>(1 << bit);
      ++bits;
    }
  }
  REQUIRE((bits > 7000 && told > 1000));
  for (size_t at = 0; at < bytes.size(); at += at < kStripesAt ? 97 : 13) {
    bytes[at] ^= 4;
    Opened opened(bytes, true);
    const ScrubReport report = opened.store->scrub(true);
    REQUIRE(report.lost.empty());
    REQUIRE(opened.store->scrub(false).clean());
    bytes[at] ^= 4;
    if (!report.clean()) REQUIRE(opened.files.contents("d") == bytes);
  }
}

TEST_CASE("any page of any stripe may be lost: it is rebuilt, and a notice names it") {
  for (const PageOptions options : {PageOptions{512, 1}, PageOptions{512, 2}, PageOptions{1024, 4}}) {
    const Small small(options);
    uint64_t found = 0;
    for (uint32_t stripe = 1; stripe <= stripes_in(small); ++stripe) {
      for (uint32_t place = 0; place <= options.data_pages; ++place) {
        if (offset_of(small.geometry, stripe, place) >= small.bytes.size()) continue;
        for (const bool zeros : {false, true}) {
          std::string bytes = small.bytes;
          if (zeros) bytes.replace(offset_of(small.geometry, stripe, place), options.page_bytes, options.page_bytes, '\0');
          else spoil(&bytes, small.geometry, stripe, place);
          Opened opened(bytes, true);
          REQUIRE(state_of(*opened.store) == small.state);
          std::vector<std::string> notices = opened.notices;
          for (const std::string& s : opened.store->take_notices()) notices.push_back(s);
          const std::string name = "page " + std::to_string(small.geometry.page_of(stripe, place)) + " at offset " + std::to_string(offset_of(small.geometry, stripe, place));
          for (const std::string& s : notices) REQUIRE(s == "d: " + name + " was damaged and is rebuilt from its stripe");
          REQUIRE((notices.empty() || place != 0));
          const ScrubReport report = opened.store->scrub(true);
          REQUIRE(report.lost.empty());
          if (!notices.empty()) REQUIRE(report.rebuilt == std::vector<uint64_t>{small.geometry.page_of(stripe, place)});
          found += report.rebuilt.size();
          REQUIRE(opened.store->scrub(false).clean());
          if (!report.clean()) REQUIRE(opened.files.contents("d") == small.bytes);
        }
      }
    }
    REQUIRE(found >= 12);
  }
}

TEST_CASE("a second loss in a stripe is an error that names it, and what is whole stays readable") {
  const Small small;
  const PageGeometry& g = small.geometry;
  for (const auto& [number, ref] : small.refs) {
    const uint32_t stripe = stripe_of(g, ref), place = place_of(g, ref);
    std::string bytes = small.bytes;
    spoil(&bytes, g, stripe, place);
    spoil(&bytes, g, stripe, 0);
    std::unique_ptr<Opened> opened;
    const std::string refused = failure([&] { opened = std::make_unique<Opened>(bytes); });
    if (!refused.empty()) {  // the table of stripes was there, too
      REQUIRE(refused.substr(0, 18) == "XX001 d is damaged");
      continue;
    }
    const std::string name = "page " + std::to_string(g.page_of(stripe, place)) + " at offset " + std::to_string(offset_of(g, stripe, place));
    const std::string error = failure([&] { opened->store->read(ref); });
    REQUIRE(error.find("XX001 d is damaged: " + name + " cannot be rebuilt") == 0);
    REQUIRE(error.find("page " + std::to_string(g.page_of(stripe, 0))) != std::string::npos);
    REQUIRE(opened->store->needs(ref, g.page_of(stripe, place)));
    uint64_t readable = 0;
    for (const auto& [other, where] : small.refs) {
      if (opened->store->needs(where, g.page_of(stripe, place))) continue;
      REQUIRE(opened->store->read(where) == small.state.objects.at(other));
      ++readable;
    }
    REQUIRE(readable > 0);
    const ScrubReport report = opened->store->scrub(false);
    REQUIRE((report.lost.size() == 2 && report.rebuilt.empty()));
    REQUIRE(report.lost[1].page == g.page_of(stripe, place));
    REQUIRE(report.lost[0].page == g.page_of(stripe, 0));
    REQUIRE((!report.lost[0].roots.empty() && report.lost[0].roots[0].empty()));
  }
}

TEST_CASE("a loss that only a kept root feels names it, and leaves the rest alone") {
  const PageGeometry g{{512, 2}};
  Disk disk(g.options);
  Objects now;
  ObjectRef old;
  {
    PageStore store(*disk.file, true, disk.notices);
    Shelf shelf(store);
    shelf.put({{1, text_of(5000, 1)}, {2, text_of(60, 2)}}, 1);
    old = shelf.refs().at(1);
    store.keep("k");
    shelf.put({{1, "short"}}, 2);
    now = shelf.objects(store.root().payload);
  }
  std::string bytes = disk.bytes();
  const uint32_t victim = stripe_of(g, old) + 2;  // in the middle of the object
  for (uint32_t place = 1; place <= 2; ++place) spoil(&bytes, g, victim, place);
  Opened opened(bytes);
  REQUIRE(opened.notices.empty());
  REQUIRE(Shelf(*opened.store).objects(opened.store->root().payload) == now);
  const ScrubReport report = opened.store->scrub(false);
  REQUIRE(report.lost.size() == 2);
  REQUIRE(report.lost[0].roots == std::vector<std::string>{"k"});
  REQUIRE(report.messages[0].find("restore point k needs it") != std::string::npos);
  REQUIRE(failure([&] { opened.store->read(old); }).substr(0, 5) == "XX001");
  REQUIRE((opened.store->needs(old, g.page_of(victim, 1)) && !opened.store->needs(old, g.page_of(victim, 0))));
}

TEST_CASE("a file that was cut short is right, or refused with its name") {
  const Small small;
  uint64_t right = 0, refused = 0;
  for (size_t n = 0; n < small.bytes.size(); n += n < kStripesAt ? 509 : 101) {
    std::string error = failure([&] {
      Opened opened(small.bytes.substr(0, n));
      REQUIRE(state_of(*opened.store) == small.state);
      ++right;
    });
    if (error.empty()) continue;
    REQUIRE((error.substr(0, 5) == "XX001" || error.substr(0, 5) == "58030"));
    REQUIRE(error.find("d") != std::string::npos);
    ++refused;
  }
  REQUIRE((right > 0 && refused > 50));
}

TEST_CASE("a page that the disk cannot read is a lost page") {
  const Small small;
  SimulatedFiles files(1);
  files.set_contents("d", small.bytes);
  uint64_t right = 0, refused = 0;
  uint64_t calls = 0;
  {
    auto file = files.open("d", OpenMode::kRead);
    std::vector<std::string> notices;
    PageStore store(*file, false, notices);
    state_of(store);
    calls = files.calls();
  }
  for (uint64_t call = 1; call <= calls; ++call) {
    const auto copy = files.copy();
    copy->fail_call(call, Fault::kError);
    const std::string error = failure([&] {
      auto file = copy->open("d", OpenMode::kRead);
      std::vector<std::string> notices;
      PageStore store(*file, false, notices);
      REQUIRE(state_of(store) == small.state);
      ++right;
    });
    if (error.empty()) continue;
    REQUIRE(error.substr(0, 5) == "58030");  // the header, a root or the size
    ++refused;
  }
  REQUIRE((right > 5 && refused <= 12));
}

TEST_CASE("pages that changed places, and pages of an earlier use, are damaged pages") {
  const Small small;
  const PageGeometry& g = small.geometry;
  // Every page over every other one.
  uint64_t swaps = 0;
  for (uint64_t from = 0; g.page_at(from + 1) <= small.bytes.size(); ++from) {
    for (uint64_t to = 0; g.page_at(to + 1) <= small.bytes.size(); ++to) {
      if (from == to) continue;
      std::string bytes = small.bytes;
      bytes.replace(g.page_at(to), g.options.page_bytes, small.bytes, g.page_at(from), g.options.page_bytes);
      Opened opened(bytes);
      REQUIRE(state_of(*opened.store) == small.state);
      ++swaps;
    }
  }
  REQUIRE(swaps > 100);
  // A write that was lost: the page is what the stripe held before, whole and with its right number.
  Disk disk({512, 2});
  PageStore store(*disk.file, true, disk.notices);
  Shelf shelf(store);
  uint64_t reused = 0;
  for (uint64_t i = 1; i < 12; ++i) {
    const std::string earlier = disk.bytes();
    shelf.put({{1, text_of(900, i)}}, i);
    const std::string later = disk.bytes();
    const State state = state_of(store);
    for (uint64_t page = 0; g.page_at(page + 1) <= std::min(earlier.size(), later.size()); ++page) {
      PageHeader header;
      if (!open_page(earlier.data() + g.page_at(page), 512, page, &header)) continue;
      if (earlier.substr(g.page_at(page), 512) == later.substr(g.page_at(page), 512)) continue;
      std::string bytes = later;
      bytes.replace(g.page_at(page), 512, earlier, g.page_at(page), 512);
      Opened opened(bytes);
      REQUIRE(state_of(*opened.store) == state);
      ++reused;
    }
  }
  REQUIRE(reused > 10);
}

TEST_CASE("a rotten root leaves the root before it") {
  Disk disk({512, 2});
  State before;
  {
    PageStore store(*disk.file, true, disk.notices);
    Shelf shelf(store);
    shelf.put({{1, text_of(60, 1)}}, 1);
    shelf.put({{1, text_of(61, 2)}}, 2);
    store.keep("k");
    before = state_of(store);
    shelf.put({{1, text_of(62, 3)}, {2, text_of(3000, 3)}}, 3);
  }
  std::string bytes = disk.bytes();
  bytes[root_copy_at(4, 0) + 30] ^= 1;
  {
    Opened opened(bytes, true);
    REQUIRE(opened.store->root().commit == 3);
    REQUIRE(opened.notices.size() == 1);
    REQUIRE(opened.files.contents("d") == disk.bytes());
  }
  bytes[root_copy_at(4, 1) + 30] ^= 1;
  {
    Opened opened(bytes, true);
    REQUIRE(state_of(*opened.store) == before);
    Shelf(*opened.store).put({{5, "new"}}, 9);
    REQUIRE(opened.store->root().generation == 4);
  }
  for (uint64_t copy = 0; copy < 2; ++copy) bytes[root_copy_at(3, copy) + 30] ^= 1;
  REQUIRE(failure([&] { Opened opened(bytes); }) == "XX001 d is damaged: neither of its two root slots holds a whole root");
}

TEST_CASE("a newer format, another byte order and other files are refused by reason") {
  const Small small;
  const auto with_header = [&](const std::function<void(std::string*)>& change) {
    std::string sector = small.bytes.substr(0, kSectorBytes);
    change(&sector);
    std::string sum;
    put32(&sum, crc32c(sector.data(), kSectorBytes - 4));
    sector.replace(kSectorBytes - 4, 4, sum);
    std::string bytes = small.bytes;
    bytes.replace(0, kSectorBytes, sector);
    bytes.replace(kHeaderCopyAt, kSectorBytes, sector);
    return failure([&] { Opened opened(bytes); });
  };
  REQUIRE(with_header([](std::string*) {}).empty());
  REQUIRE(with_header([](std::string* s) { (*s)[8] = 3; }) == "58030 cannot open d: it has file format 3, and this library reads up to format 2");
  REQUIRE(with_header([](std::string* s) { std::reverse(s->begin() + 12, s->begin() + 16); }) == "58030 cannot open d: it was written on a machine of the other byte order");
  for (const uint32_t page_bytes : {0u, 511u, 513u, 131072u})
    REQUIRE(with_header([&](std::string* s) { std::memcpy(s->data() + 24, &page_bytes, 4); }).find("size of pages") != std::string::npos);
  REQUIRE(with_header([](std::string* s) { (*s)[28] = 65; }).find("size of pages") != std::string::npos);
  REQUIRE(with_header([](std::string* s) { (*s)[16] ^= 1; }).substr(0, 5) == "XX001");  // roots of another database
  REQUIRE(failure([&] { Opened opened(""); }).find("58030 cannot open d: it is empty") == 0);
  REQUIRE(failure([&] { Opened opened(std::string(30000, 'x')); }) == "58030 cannot open d: it is not a HoloDb database");
}
