// A rotten page is rebuilt, and not taken for what it is.
#include "mutants/witness/pages.h"

int main() {
  const auto disk = new_disk();
  {
    OpenStore opened(*disk);
    put(opened.store, "first");
  }
  rot(*disk, hdb::kStripesAt + 512 + hdb::kPageHeaderBytes);
  const std::string got = what(*disk);
  return right(got == "first", got);
}
