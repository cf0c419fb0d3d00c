// A flipped bit in a row is found, not read.
#include "mutants/witness/disk.h"

int main() {
  SimulatedFiles disk;
  rows(disk, "CREATE TABLE t(id BIGINT PRIMARY KEY); INSERT INTO t VALUES (1)");
  std::string log = disk.contents(kLogName);
  log[log.size() - hdb::kGroupHeaderBytes - 8] ^= 4;
  disk.set_contents(kLogName, log);
  return right(rows(disk, "SELECT id FROM t"), "error 58030");
}
