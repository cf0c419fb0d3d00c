// shell/interactive.h: the prompt on a terminal: line editing and history by libedit.
//
// What:       reads lines, runs each statement when it is complete, shows a second prompt while one is not. Ctrl-C drops what has
//             been typed; Ctrl-D leaves. History is kept in ~/.holodb_history (or $HOLODB_HISTORY; empty: nowhere).
// Callers:    shell/main.cc. One thread.
// Held by:    src/shell/transcript_test.sh (through a pseudo terminal, where script(1) is there)
#pragma once

#include "shell/runner.h"

namespace hdb::shell {

void run_interactive(Runner* runner);

}  // namespace hdb::shell
