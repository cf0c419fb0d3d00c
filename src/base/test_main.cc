// test_main.cc: main() of every Catch2 program. It prints the seed, a FAIL and a REPLAY line for a failed case in the form that
// mutants/README.md states, and a closing SUITE line; a run that executes no case fails.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "mutants/report.h"

namespace {

std::string g_program;
std::string g_suite;
unsigned g_seed = 1;

bool names_invariant(const std::string& word) {
  size_t i = 0;
  while (i < word.size() && std::isupper(static_cast<unsigned char>(word[i]))) ++i;
  if (i == 0 || i == word.size()) return false;
  while (i < word.size() && std::isdigit(static_cast<unsigned char>(word[i]))) ++i;
  return i == word.size();
}

// The first tag like [X1], or the name's first word if it is like C12.
std::string invariant_of(const Catch::TestCaseInfo& info) {
  for (const std::string& tag : info.tags) {
    if (names_invariant(tag)) return tag;
  }
  const std::string word = info.name.substr(0, info.name.find(' '));
  return names_invariant(word) ? word : "-";
}

// Catch2 reads , [ ] * ~ in a test name as operators of its selection language.
std::string selection_of(const std::string& name) {
  std::string out;
  for (char c : name) {
    if (c == ',' || c == '[' || c == ']' || c == '*' || c == '\\' || c == '~' || c == '"') out += '\\';
    out += c;
  }
  return out;
}

const char* kind_of(const Catch::AssertionResult& result) {
  if (result.getResultType() == Catch::ResultWas::FatalErrorCondition) return "crash";
  const bool threw = result.getResultType() == Catch::ResultWas::ThrewException;
  const bool check = threw && std::string(result.getMessage()).find("internal error: the check") != std::string::npos;
  return check ? "self-check" : "wrong-result";
}

std::string failure(const Catch::TestCaseInfo& info, const std::string& kind) {
  const std::string seed = std::to_string(g_seed);
  return "FAIL suite=" + g_suite + " case=" + report::detail::shell_quoted(info.name) + " invariant=" + invariant_of(info) + " seed=" + seed +
         " kind=" + kind + "\nREPLAY " + g_program + " --rng-seed " + seed + " " + report::detail::shell_quoted(selection_of(info.name)) + "\n";
}

struct Listener : Catch::TestEventListenerBase {
  using TestEventListenerBase::TestEventListenerBase;

  bool assertionEnded(const Catch::AssertionStats& stats) override {
    if (!stats.assertionResult.isOk() && !reported_) {
      reported_ = true;
      report::arm_crash("");
      std::fputs(failure(*currentTestCaseInfo, kind_of(stats.assertionResult)).c_str(), stdout);
      std::fflush(stdout);
    }
    return TestEventListenerBase::assertionEnded(stats);
  }
  void testCaseStarting(const Catch::TestCaseInfo& info) override {
    reported_ = false;
    report::arm_crash(failure(info, "crash"));
    TestEventListenerBase::testCaseStarting(info);
  }
  void testRunEnded(const Catch::TestRunStats& stats) override {
    report::arm_crash("");
    std::printf("SUITE suite=%s cases=%zu failed=%zu checks=%zu\n", g_suite.c_str(), stats.totals.testCases.total(),
                stats.totals.testCases.failed, stats.totals.assertions.total());
  }
  bool reported_ = false;
};
CATCH_REGISTER_LISTENER(Listener)

}  // namespace

int main(int argc, char** argv) {
  g_program = argv[0];
  g_suite = g_program.substr(g_program.rfind('/') + 1);
  Catch::Session session;
  session.configData().rngSeed = 1;
  session.configData().warnings = Catch::WarnAbout::NoTests;
  if (const int code = session.applyCommandLine(argc, argv); code != 0) return code;
  g_seed = session.configData().rngSeed;
  const std::string rapidcheck = "seed=" + std::to_string(g_seed);
  setenv("RC_PARAMS", rapidcheck.c_str(), 0);
  if (!session.configData().listTests && !session.configData().listTestNamesOnly) std::printf("seed %u\n", g_seed);
  report::catch_deaths(/*signals=*/false);  // Catch2 has its own signal handlers; this is for the sanitizers
  return session.run();
}
