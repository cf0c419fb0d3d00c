// A block that has changed since the last checkpoint is written by the next.
#include "mutants/witness/disk.h"

int main() {
  SimulatedFiles disk;
  rows(disk, "CREATE TABLE t(id BIGINT PRIMARY KEY, v BIGINT); INSERT INTO t VALUES (1, 10); CHECKPOINT; UPDATE t SET v = 11; CHECKPOINT");
  return right(rows(disk, "SELECT SUM(v) FROM t"), "11");
}
