// A log that was not cut after its checkpoint is passed over: each group counts once.
#include "mutants/witness/disk.h"

int main() {
  SimulatedFiles disk;
  rows(disk, "CREATE TABLE t(id BIGINT, v BIGINT); INSERT INTO t VALUES (1, 10)");
  const std::string log = disk.contents(kLogName);
  rows(disk, "CHECKPOINT");
  disk.set_contents(kLogName, log);
  return right(rows(disk, "SELECT COUNT(*), SUM(v) FROM t"), "1|10");
}
