// shell/report.h: errors and warnings as the text that INTERFACE pins.
//
// What:       `error[SQLSTATE] line L:C: sentence`, then the line and a caret where there is a place to show.
// Invariants: Q1 the caret stands below the first cell of the character at column C, whatever stands before it.
// Callers:    shell/. Thread-safe (no state).
// Held by:    src/shell/report_test.cc, src/shell/transcript_test.sh
#pragma once

#include <string>
#include <string_view>

#include "shell/splitter.h"
#include "shell/terminal.h"

namespace hdb::shell {

// With a place; the line and the caret are shown if `show_line`.
std::string format_error(std::string_view sqlstate, std::string_view message, const Place& place, bool show_line, const Style& style);
// Without a place: a failure that no text has caused.
std::string format_error(std::string_view sqlstate, std::string_view message, const Style& style);
std::string format_warning(std::string_view message, const Style& style);

}  // namespace hdb::shell
