// What a root names is durable before the root is written.
#include "mutants/witness/pages.h"

int main() {
  const auto disk = new_disk();
  const std::string first(700, 'a'), second(6000, 'b');  // of several stripes
  {
    OpenStore opened(*disk);
    put(opened.store, first);
    // Every call of the next commit, and every image of a crash there.
  }
  std::string wrong;
  for (uint64_t call = 1; call < 60; ++call) {
    const auto copy = disk->copy();
    try {
      OpenStore opened(*copy);
      copy->crash_at(copy->calls() + call);
      put(opened.store, second);
    } catch (const hdb::Error&) {
    }
    copy->for_each_image(400, [&](std::unique_ptr<SimulatedFiles> image) {
      const std::string got = what(*image);
      if (got != first && got != second) wrong = got;
    });
  }
  return right(wrong.empty(), wrong);
}
