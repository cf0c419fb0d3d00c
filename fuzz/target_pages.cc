#include "base/error.h"
#include "io/memory_files.h"
#include "pages/page_store.h"
#include "support/page_history.h"
#include "targets.h"

namespace judge {

namespace {

// A store with a kept root, then bytes of its file changed as the fuzzer says, with right checksums of roots and header now and then.
void change_bytes(model::Random& random) {
  hdb::MemoryFiles files;
  const std::string first(700, 'a'), second(40, 'b');
  hdb::ObjectRef one, two;
  std::vector<std::string> notices;
  {
    const auto file = files.open("d", hdb::OpenMode::kCreate);
    hdb::PageStore::create(*file, 7, {512, 2});
    hdb::PageStore store(*file, true, notices);
    {
      const auto change = store.begin();
      one = change->add(first);
      change->commit({0, 1, "one"}, {one});
    }
    store.keep("k");
    const auto change = store.begin();
    two = change->add(second);
    change->commit({0, 2, "two"}, {one, two});
  }
  std::string bytes = files.contents("d");
  for (uint64_t n = 1 + random.below(6); n > 0; --n) {
    // Half of it in the pages, half in what is written of headers and roots.
    const size_t at = random.chance(50) ? hdb::kStripesAt + random.below(bytes.size() - hdb::kStripesAt) : hdb::kSectorBytes * random.below(6) + random.below(120);
    bytes[at] = static_cast<char>(random.below(256));
  }
  if (random.chance(20)) bytes.resize(random.below(bytes.size()));
  files.set_contents("d", bytes);
  try {
    const auto file = files.open("d", hdb::OpenMode::kReadWrite);
    hdb::PageStore store(*file, true, notices);
    const hdb::Root root = store.root();
    require(root.commit <= 2 && (root.commit != 2 || root.payload == "two"), "F9: a root that nobody wrote");
    require(store.read(one) == first, "F9: other bytes");
    if (root.commit == 2) require(store.read(two) == second, "F9: other bytes");
    store.scrub(true);
  } catch (const hdb::Error& e) {
    const std::string state = e.sqlstate();
    require(state == "XX001" || state == "58030", "F9: " + state + " " + e.what());
  }
}

}  // namespace

void fuzz_pages(const uint8_t* data, size_t size, Tally& tally) {
  model::Random random(data, size);
  run_page_history(random, tally);  // takes as many bytes as there are
  model::Random rest(data, size);
  for (int i = 0; i < 20; ++i) change_bytes(rest);
}

}  // namespace judge
