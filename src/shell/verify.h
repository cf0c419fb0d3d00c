// shell/verify.h: compares indexes with the rows that they stand for.
//
// What:       a summary index cell by cell with a rebuild (summary_verify); a primary or unique key by looking for values that two
//             rows share. Used by .verify and by the demo.
// Callers:    shell/. Throws holodb::Error 42704 if there is no such index.
// Held by:    src/shell/transcript_test.sh
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "include/holodb/holodb.hpp"

namespace hdb::shell {

struct IndexVerdict {
  std::string name;
  std::string text;       // "s on t: ok, 480 cells equal a rebuild from the rows"
  uint64_t checked = 0;   // cells or rows
  uint64_t differences = 0;
  bool good = true;
};

// Every index, or the one with this name (matched without case).
std::vector<IndexVerdict> verify_indexes(holodb::Connection& connection, const std::optional<std::string>& name);

// cells_checked and differences of one summary.
IndexVerdict verify_summary(holodb::Connection& connection, const std::string& table, const std::string& name);

}  // namespace hdb::shell
