// After a sync that failed nothing is acknowledged, for what it was to write may be lost.
#include "mutants/witness/disk.h"

int main() {
  for (uint64_t seed = 1; seed < 9; ++seed) {
    SimulatedFiles disk(seed);
    hdb::testing::Session s(open_on(disk));
    s.run("CREATE TABLE t(id BIGINT PRIMARY KEY)");
    disk.fail_call(disk.calls() + 2, Fault::kError);
    const bool told = s.run("INSERT INTO t VALUES (1)").empty();
    if (told && rows(*crashed(disk), "SELECT COUNT(*) FROM t") != "1") return 1;
  }
  return 0;
}
