// shell/runner.h: runs scripts: statements and dot commands, one after the other, with their results and errors.
//
// What:       run_text() a whole script, run_stream() one that arrives, run_piece() one statement or command of the prompt.
//             Results go to standard output, errors and notices to standard error; output is flushed before an error is written,
//             so that both keep their order in one terminal or file.
// Invariants: N1 a script goes on after an error, unless Settings::bail; failed() remembers.
//             N2 an error's line and column are those of the whole script, not of the statement.
// Callers:    shell/main.cc, shell/interactive.cc, shell/commands.cc (.read). One thread.
// Held by:    src/shell/transcript_test.sh
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "include/holodb/holodb.hpp"
#include "shell/render.h"
#include "shell/splitter.h"
#include "shell/terminal.h"

namespace hdb::shell {

struct Settings {
  RenderOptions render;
  bool bail = false;
  bool timer = false;
  bool interactive = false;
};

class Runner {
 public:
  static constexpr int kReadDepthMax = 16;  // .read inside of .read

  Runner(holodb::Connection& connection, Settings settings);

  void run_text(std::string_view script);
  void run_stream(std::FILE* stream);
  void run_file(const std::string& file);  // throws Error 58030 if it cannot be read
  void run_piece(const Piece& piece);

  // Warns if a transaction is still open.
  void finish();
  bool failed() const { return failed_; }
  bool stopped() const { return stopped_; }  // .quit, -bail or Ctrl-C
  void stop() { stopped_ = true; }
  void mark_failed() { failed_ = true; }

  holodb::Connection& connection() { return *connection_; }
  Settings& settings() { return settings_; }
  const Style& error_style() const { return error_style_; }

  // Runs a query and renders its result; the statement's text is whole. Returns the rows.
  uint64_t show(holodb::Statement& statement);
  void write(std::string_view text);   // standard output
  void notice(std::string_view text);  // standard error, behind all that was written

 private:
  void run_pieces(StatementSplitter* splitter);
  void run_sql(const Piece& piece);
  void report(const Piece& piece, const holodb::Error& error, size_t offset);

  holodb::Connection* connection_;
  Settings settings_;
  Style error_style_;
  int read_depth_ = 0;
  bool failed_ = false;
  bool stopped_ = false;
};

// The whole of a file; Error 58030 if it cannot be read.
std::string read_file(const std::string& file);

}  // namespace hdb::shell
