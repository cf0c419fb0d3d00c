// mutants/report.h: how a suite tells the gate what failed, and how to see it again.
//
// What:       begin, start_case, checked, failed, finish: the lines FAIL, REPLAY and SUITE of mutants/README.md. A crash or a
//             sanitizer's report ends the process; the handlers here still print both lines for the case that ran.
// Invariants: R1 one FAIL and one REPLAY line for a case that failed, whatever ended it.
//             R2 finish() is 0 only if at least one case ran, at least one check was made, and none failed.
// Callers:    main() of a suite, one thread; checked() and failed() from any thread.
// Held by:    ci/gate_test
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>

extern "C" void __sanitizer_set_death_callback(void (*)()) __attribute__((weak));
// In the tree of generated faults only: told the lines of the case that begins, nothing when one has ended (mutants/generate).
extern "C" void holodb_mutant_case(const char*, size_t) __attribute__((weak));

namespace report {

struct Options {
  uint64_t seed = 1;
  std::string only;  // --case NAME
  bool selects(std::string_view name) const { return only.empty() || only == name; }
};

namespace detail {
struct State {
  std::mutex mutex;
  std::string program, suite, name, invariant, extra;
  uint64_t seed = 1;
  bool open = false, reported = false;
  uint64_t cases = 0, failures = 0;
  std::atomic<uint64_t> checks{0};
  // Ready-made text for a crash: nothing is allocated in a signal handler.
  char crash_text[4096] = "";
  std::atomic<int> crash_bytes{0};
};
inline State& state() {
  static State* s = new State;  // never destroyed: a crash in a static destructor still reports
  return *s;
}
inline std::string shell_quoted(std::string_view text) {
  std::string out = "'";
  for (char c : text) {
    if (c == '\'') out += "'\\''";
    else out += c == '\n' ? ' ' : c;
  }
  return out + "'";
}
inline std::string lines(const char* kind) {
  State& s = state();
  const std::string seed = std::to_string(s.seed);
  return "FAIL suite=" + s.suite + " case=" + shell_quoted(s.name) + " invariant=" + s.invariant + " seed=" + seed + " kind=" + kind +
         "\nREPLAY " + s.program + " --seed " + seed + " --case " + shell_quoted(s.name) + s.extra + "\n";
}
inline void print_crash() {
  State& s = state();
  const int bytes = s.crash_bytes.exchange(0);
  if (bytes > 0 && write(STDOUT_FILENO, s.crash_text, static_cast<size_t>(bytes)) < 0) _exit(3);
}
inline void on_signal(int number) {
  print_crash();
  signal(number, SIG_DFL);
  raise(number);
}
}  // namespace detail

// The death of the process before finish() is reported as `lines` (an alternative to start_case for programs with their own main).
inline void arm_crash(std::string_view lines) {
  detail::State& s = detail::state();
  s.crash_bytes = 0;
  const size_t bytes = lines.size() < sizeof s.crash_text ? lines.size() : sizeof s.crash_text;
  std::memcpy(s.crash_text, lines.data(), bytes);
  s.crash_bytes = static_cast<int>(bytes);
  if (holodb_mutant_case != nullptr) holodb_mutant_case(s.crash_text, bytes);
}
inline void catch_deaths(bool signals = true) {
  if (__sanitizer_set_death_callback != nullptr) {
    __sanitizer_set_death_callback(detail::print_crash);
    return;  // the sanitizer's own handlers print the place first
  }
  if (!signals) return;
  for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) signal(number, detail::on_signal);
}

// Reads `--seed N` and `--case NAME`; other arguments are the suite's own. Prints the seed.
inline Options begin(std::string_view suite, int argc, char** argv, uint64_t default_seed = 1) {
  Options options;
  options.seed = default_seed;
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::strcmp(argv[i], "--seed") == 0) options.seed = std::strtoull(argv[i + 1], nullptr, 10);
    if (std::strcmp(argv[i], "--case") == 0) options.only = argv[i + 1];
  }
  detail::State& s = detail::state();
  s.program = argv[0];
  s.suite = suite;
  s.seed = options.seed;
  catch_deaths();
  std::printf("seed %llu\n", static_cast<unsigned long long>(options.seed));
  std::fflush(stdout);
  return options;
}

// `extra`: further arguments of the REPLAY command, each with a space before it.
inline void start_case(std::string_view name, std::string_view invariant, std::string_view extra = "") {
  detail::State& s = detail::state();
  std::lock_guard guard(s.mutex);
  s.name = name;
  s.invariant = invariant.empty() ? "-" : invariant;
  s.extra = extra;
  s.open = true;
  s.reported = false;
  ++s.cases;
  arm_crash(detail::lines("crash"));
}

inline void checked(uint64_t count = 1) { detail::state().checks.fetch_add(count, std::memory_order_relaxed); }

inline const char* kind_of(std::string_view message) {
  return message.find("internal error") != std::string_view::npos || message.find("XX000") != std::string_view::npos ? "self-check" : "wrong-result";
}

// The first failure of a case prints FAIL and REPLAY; every one prints its text, up to a few.
inline void failed(const char* kind, std::string_view text) {
  detail::State& s = detail::state();
  std::lock_guard guard(s.mutex);
  if (!s.reported) {
    std::fputs(detail::lines(kind).c_str(), stdout);
    s.crash_bytes = 0;
    ++s.failures;
    s.reported = true;
    std::printf("  %.*s\n", static_cast<int>(text.size() < 2000 ? text.size() : 2000), text.data());
  }
  std::fflush(stdout);
}
inline bool enough() { return detail::state().failures >= 20; }

// The exit status: 0 all good, 1 a case failed, 2 nothing was tested.
inline int finish() {
  detail::State& s = detail::state();
  arm_crash("");
  const uint64_t checks = s.checks;
  std::printf("SUITE suite=%s cases=%llu failed=%llu checks=%llu\n", s.suite.c_str(), static_cast<unsigned long long>(s.cases),
              static_cast<unsigned long long>(s.failures), static_cast<unsigned long long>(checks));
  std::fflush(stdout);
  if (s.failures > 0) return 1;
  return s.cases == 0 || checks == 0 ? 2 : 0;
}

}  // namespace report
