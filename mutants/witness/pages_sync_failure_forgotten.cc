// After a failed sync nothing is committed before the file is opened again.
#include "mutants/witness/pages.h"

int main() {
  const auto disk = new_disk();
  OpenStore opened(*disk);
  put(opened.store, "first");
  bool refused = false;
  for (uint64_t call = 1; call < 8 && !refused; ++call) {
    disk->fail_call(disk->calls() + call, Fault::kError);
    try {
      put(opened.store, "second");
    } catch (const hdb::Error&) {
      try {
        put(opened.store, "third");
      } catch (const hdb::Error&) {
        refused = true;
      }
    }
  }
  return right(refused);
}
