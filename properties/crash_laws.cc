// Histories on a disk that fails and crashes.
//
// Invariants checked: H4, H5 (oracle/support/crash.h): every acknowledged commit is there, nothing that failed or was rolled back is.
// H7 to H9 (oracle/support/page_history.h): the same of the page store, and what is spoilt is put right.
#include "laws.h"
#include "support/crash.h"
#include "support/page_history.h"

namespace judge {

std::vector<Case> crash_laws() {
  std::vector<Case> cases;
  for (int i = 0; i < 150; ++i) cases.push_back({"crash-" + std::to_string(i), "H4", [](Context& c) { run_crash_history(c.random, c.tally); }});
  for (int i = 0; i < 60; ++i) cases.push_back({"pages-" + std::to_string(i), "H7", [](Context& c) { run_page_history(c.random, c.tally); }});
  return cases;
}

}  // namespace judge
