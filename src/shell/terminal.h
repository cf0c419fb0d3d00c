// shell/terminal.h: what the shell knows about where it writes: colours, a progress bar, durations as text.
//
// What:       Style gives escape sequences on a terminal and empty text elsewhere (also under NO_COLOR and TERM=dumb). Progress
//             draws one line on standard error while work goes on, and takes it away at the end.
// Invariants: P1 nothing but text reaches a stream that is not a terminal.
// Callers:    shell/. One thread.
// Held by:    src/shell/terminal_test.cc, src/shell/transcript_test.sh (P1)
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace hdb::shell {

bool is_terminal(std::FILE* stream);

struct Style {
  bool colour = false;

  static Style of(std::FILE* stream);
  const char* bold() const { return colour ? "\x1b[1m" : ""; }
  const char* dim() const { return colour ? "\x1b[2m" : ""; }
  const char* red() const { return colour ? "\x1b[31m" : ""; }
  const char* green() const { return colour ? "\x1b[32m" : ""; }
  const char* yellow() const { return colour ? "\x1b[33m" : ""; }
  const char* cyan() const { return colour ? "\x1b[36m" : ""; }
  const char* reset() const { return colour ? "\x1b[0m" : ""; }
};

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

std::string format_seconds(double seconds);      // "840 ns", "12.3 µs", "4.56 ms", "1.23 s": three digits
std::string format_count(uint64_t count);        // "1,000,000"
std::string format_bytes(uint64_t bytes);        // "3.1 MB"
std::string bar(double share, size_t cells);     // ████████▌ padded with blanks to `cells`

// Shows itself on a terminal only, and only from its first tenth of a second on.
class Progress {
 public:
  Progress(std::string label, uint64_t total, std::FILE* stream = stderr);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { finish(); }

  void update(uint64_t done);  // cheap enough for every few thousand rows
  void finish();               // takes the line away

 private:
  void draw(uint64_t done);

  std::string label_;
  uint64_t total_;
  std::FILE* stream_;
  Style style_;
  bool enabled_;
  bool drawn_ = false;
  Stopwatch since_start_;
  double next_draw_ = 0.1;
};

}  // namespace hdb::shell
