// A write that took some of its bytes goes on with the rest.
#include "mutants/witness/disk.h"

int main() {
  SimulatedFiles disk;
  {
    hdb::testing::Session s(open_on(disk));
    s.run("CREATE TABLE t(id BIGINT PRIMARY KEY)");
    disk.fail_call(disk.calls() + 1, Fault::kShort);
    s.run("INSERT INTO t VALUES (1)");
  }
  return right(rows(disk, "SELECT COUNT(*) FROM t"), "1");
}
