// What a failed commit has written is taken back.
#include "mutants/witness/disk.h"

int main() {
  SimulatedFiles disk;
  {
    hdb::testing::Session s(open_on(disk));
    s.run("CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT)");
    disk.fail_call(disk.calls() + 1, Fault::kNoSpace);
    s.run("INSERT INTO t VALUES (1, '" + std::string(400, 'x') + "')");
  }
  return right(std::to_string(open_on(disk)->recovery().bytes_cut), "0");
}
