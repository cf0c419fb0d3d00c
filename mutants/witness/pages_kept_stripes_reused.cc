// What a kept root names stays, however much is written.
#include "mutants/witness/pages.h"

int main() {
  const auto disk = new_disk();
  std::string got;
  try {
    OpenStore opened(*disk);
    put(opened.store, "first");
    opened.store.keep("k");
    for (int i = 0; i < 6; ++i) put(opened.store, "later");
    got = read(opened.store, opened.store.kept_root("k"));
  } catch (const hdb::Error& e) {
    got = e.what();
  }
  return right(got == "first", got);
}
