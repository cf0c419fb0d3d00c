// oracle/conformance/verdict.h: what was found, as text, JSON and JUnit; and the kill matrix of the suites that found it.
//
// What:       a Matrix says which seeded faults these suites have caught. ci/conformance_matrix measures it and stamps it with the id of the
//             source; it is believed only if that is the source of this program.
// Invariants: CV1 a matrix of another source, or none, is said to be `no matrix: not gated`.
//             CV2 the verdict is `conforms` only if a case ran, none failed, none was left out.
// Callers:    oracle/conformance/main.cc.
// Held by:    ci/conformance_test
#pragma once

#include <string>
#include <vector>

#include "library.h"
#include "runner.h"

namespace conformance {

struct MatrixRow {
  std::string mutant, layer, effect, verdict, suite, name;  // verdict: killed, survived, not reached
};
struct Matrix {
  bool gated = false;
  std::string why_not, source_id;
  std::vector<MatrixRow> rows;
};
Matrix read_matrix(const std::string& path, const std::string& source_id);

struct Verdict {
  Library library;
  std::string source_id;  // of this program
  uint64_t seed = 1;
  bool quick = false, partial = false;  // partial: a suite or a case was chosen
  std::vector<SuiteResult> suites;
  Matrix matrix;
  bool conforms() const;
};
std::string text_of(const Verdict& verdict);
std::string json_of(const Verdict& verdict);
std::string junit_of(const Verdict& verdict);

}  // namespace conformance
