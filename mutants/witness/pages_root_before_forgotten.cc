// What the root before the newest names is not written over: a rotten root leaves that one whole.
#include "mutants/witness/pages.h"

int main() {
  const auto disk = new_disk();
  {
    OpenStore opened(*disk);
    put(opened.store, "first");
    put(opened.store, "second");
    opened.store.begin()->add(std::string(5000, 'x'));
  }
  for (uint64_t copy = 0; copy < 2; ++copy) rot(*disk, hdb::root_copy_at(2, copy) + 30);
  const std::string got = what(*disk);
  return right(got == "first", got);
}
