// A checkpoint beside an open transaction: what that has changed is not in it.
#include "mutants/witness/disk.h"

int main() {
  SimulatedFiles disk;
  rows(disk, "CREATE TABLE t(id BIGINT PRIMARY KEY, v BIGINT); INSERT INTO t VALUES (1, 10)");
  std::unique_ptr<SimulatedFiles> image;
  {
    hdb::testing::Session writer(open_on(disk));
    hdb::testing::Session other(writer.database_ptr());
    writer.run("BEGIN; UPDATE t SET v = 666; INSERT INTO t VALUES (2, 20)");
    other.run("CHECKPOINT");
    image = crashed(disk);
  }
  return right(rows(*image, "SELECT COUNT(*), SUM(v) FROM t"), "1|10");
}
