// A database that was made is there after a crash.
#include "mutants/witness/disk.h"

int main() {
  SimulatedFiles disk;
  hdb::testing::Session s(open_on(disk));
  s.run("CREATE TABLE t(id BIGINT PRIMARY KEY); INSERT INTO t VALUES (1)");
  return right(rows(*crashed(disk), "SELECT COUNT(*) FROM t"), "1");
}
