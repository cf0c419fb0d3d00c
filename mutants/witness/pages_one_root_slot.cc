// A root that is torn while it is written leaves the one before.
#include "mutants/witness/pages.h"

int main() {
  const auto disk = new_disk();
  {
    OpenStore opened(*disk);
    put(opened.store, "first");
    put(opened.store, "second");
  }
  for (uint64_t copy = 0; copy < 2; ++copy) rot(*disk, hdb::root_copy_at(2, copy) + 30);
  const std::string got = what(*disk);
  return right(got == "first", got);
}
