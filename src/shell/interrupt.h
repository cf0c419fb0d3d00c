// shell/interrupt.h: Ctrl-C ends the running statement, not the program.
//
// What:       while a connection is set, SIGINT becomes holodb_interrupt on it, from a thread of its own (a signal handler may not
//             take the engine's locks). Without a running statement a script ends as any program does, and a prompt clears its line.
// Invariants: I1 the handler only writes a byte to a pipe and sets a flag.
// Callers:    shell/. install() once, from the main thread.
// Held by:    src/shell/transcript_test.sh
#pragma once

#include "include/holodb/holodb.hpp"

namespace hdb::shell {

// ends_idle: a Ctrl-C while no statement runs ends the program (scripts), instead of being left to the prompt.
void install_interrupts(bool ends_idle);

// Ctrl-C arrived since the last clear. Scripts stop, imports roll back.
bool interrupt_requested();
void clear_interrupt();

// While it lives, Ctrl-C goes to the connection. Not nested.
class InterruptScope {
 public:
  explicit InterruptScope(holodb::Connection& connection);
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;
  ~InterruptScope();
};

}  // namespace hdb::shell
