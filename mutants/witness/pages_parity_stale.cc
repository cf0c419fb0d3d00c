// Parity is that of the data it was written with.
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
