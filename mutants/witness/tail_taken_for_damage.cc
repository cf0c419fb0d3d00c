// Commits that a crash tore before they were durable are a tail, not damage.
#include "mutants/witness/disk.h"

int main() {
  SimulatedFiles disk;
  {
    hdb::testing::Session s(open_on(disk));
    s.run("CREATE TABLE t(id BIGINT PRIMARY KEY); SET synchronous = normal; INSERT INTO t VALUES (1); INSERT INTO t VALUES (2)");
    std::string log = disk.contents(kLogName);
    log[log.size() - 90] ^= 1;  // in the first of the two
    const auto after = disk.copy();
    after->set_contents(kLogName, log);
    return right(rows(*after, "SELECT COUNT(*) FROM t"), "0");
  }
}
