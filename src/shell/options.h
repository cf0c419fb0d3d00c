// shell/options.h: the command line of `holodb`.
//
// What:       holodb [OPTIONS] [FILE] [SQL ...], with one dash or two. A one-dash long option gets its second dash before CLI11 sees
//             it, because CLI11 would read -csv as -c sv.
// Invariants: O1 -c and -f run in the order in which they were given, then the SQL arguments.
// Callers:    shell/main.cc
// Held by:    src/shell/options_test.cc, src/shell/transcript_test.sh
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shell/render.h"

namespace hdb::shell {

struct ScriptSource {
  bool is_file = false;
  std::string text;  // SQL, or a file's name
};

struct Options {
  std::string salvage;  // --salvage: the copy to make of `file`
  std::string restore_point;  // --restore-point: of `file`, to read only
  std::string file;  // empty or ":memory:": in memory
  std::vector<ScriptSource> scripts;
  OutputMode mode = OutputMode::kBox;
  bool header = true;
  bool bail = false;
  bool readonly = false;
  bool demo = false;
  uint64_t demo_rows = 1'000'000;
};

enum class ParseOutcome { kRun, kExitGood, kExitUsage };

// On kExitGood *text is for standard output (help, version); on kExitUsage for standard error.
ParseOutcome parse_options(const std::vector<std::string>& arguments, Options* options, std::string* text);

}  // namespace hdb::shell
