// A crash at any call of a checkpoint leaves what was committed.
#include "mutants/witness/disk.h"

int main() {
  std::string bad;
  for (uint64_t n = 1; n < 80 && bad.empty(); ++n) {
    SimulatedFiles disk(n);
    rows(disk, "CREATE TABLE t(id BIGINT PRIMARY KEY); INSERT INTO t VALUES (1)");
    const uint64_t before = disk.calls();
    disk.crash_at(before + n);
    rows(disk, "CHECKPOINT");
    disk.for_each_image(4, [&](auto image) {
      const std::string got = rows(*image, "SELECT COUNT(*) FROM t");
      if (got != "1") bad = got;
    });
  }
  return right(bad, "");
}
