// A group that comes twice is refused, not applied again.
#include "mutants/witness/disk.h"

int main() {
  SimulatedFiles disk;
  rows(disk, "CREATE TABLE t(id BIGINT PRIMARY KEY)");
  rows(disk, "INSERT INTO t VALUES (1)");
  std::string log = disk.contents(kLogName);
  hdb::GroupHeader header;
  hdb::read_group_header(log.data() + hdb::kLogHeaderBytes, &header);
  disk.set_contents(kLogName, log + log.substr(hdb::kLogHeaderBytes, header.bytes));
  return right(rows(disk, "SELECT COUNT(*) FROM t"), "error 58030");
}
