// shell/commands.h: the dot commands.
//
// What:       .dump .export .help .import .mode .quit .read .schema .tables .timer .verify. A command is one line: words divided by blanks, where
//             '...' or "..." make one word of several.
// Callers:    shell/runner.cc. A failure is holodb::Error, as for a statement.
// Held by:    src/shell/transcript_test.sh
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hdb::shell {

class Runner;

void run_command(Runner* runner, std::string_view line);

std::vector<std::string> split_words(std::string_view line);  // Error 42601 for a quote that is not closed
std::string rest_behind(std::string_view line, size_t count);  // so many words, without blanks around it and semicolons behind it
std::string quote_identifier(std::string_view name);          // my "t" -> "my ""t"""
std::string quote_text(std::string_view text);                // it's -> 'it''s'

}  // namespace hdb::shell
