// What was cut stays cut: bytes behind a log that was closed are none.
#include "mutants/witness/disk.h"

int main() {
  SimulatedFiles disk;
  rows(disk, "CREATE TABLE t(id BIGINT PRIMARY KEY); INSERT INTO t VALUES (1)");
  disk.set_contents(kLogName, disk.contents(kLogName) + std::string(500, 'x'));
  rows(disk, "INSERT INTO t VALUES (2)");
  return right(std::to_string(open_on(disk)->recovery().bytes_cut), "0");
}
