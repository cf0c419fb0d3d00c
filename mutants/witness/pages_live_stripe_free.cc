// A change that is given up has touched nothing that is live.
#include "mutants/witness/pages.h"

int main() {
  const auto disk = new_disk();
  {
    OpenStore opened(*disk);
    put(opened.store, "first");
    opened.store.begin()->add(std::string(5000, 'x'));
  }
  const std::string got = what(*disk);
  return right(got == "first", got);
}
