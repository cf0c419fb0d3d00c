// oracle/conformance/suites.h: what a library is asked, by promise.
//
// What:       named suites of cases over the C ABI; most cases are those of oracle/ and properties/, which know the engine only by its C ABI.
//             What needs the engine's inside is listed as not applicable, with the reason.
// Callers:    oracle/conformance/main.cc.
// Held by:    ci/conformance_test, the kill matrix (ci/conformance_matrix)
#pragma once

#include <string>
#include <vector>

#include "support/suite.h"

namespace conformance {

struct Suite {
  std::string name, promise;
  std::vector<judge::Case> cases;
};
// quick: of cases that differ in their seed alone, only the first few.
std::vector<Suite> suites(bool quick);

struct NotApplicable {
  const char *what, *why;
};
std::vector<NotApplicable> not_applicable();

// Cases that exist here alone.
std::vector<judge::Case> exactness_cases();
std::vector<judge::Case> atomicity_cases();
std::vector<judge::Case> limit_cases();
std::vector<judge::Case> error_cases();
std::vector<judge::Case> durability_cases();

}  // namespace conformance
