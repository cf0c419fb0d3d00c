// holodb-conformance: does this build of the library keep its promises? Suites over the C ABI alone, judged by exact arithmetic and by the
// executable model; oracle/README.md tells how to run it elsewhere.
//
// Invariants checked: those of suites.h. Exit: 0 it conforms, 1 it does not, 2 it could not be judged (usage, no library, another version, a
// report that could not be written).
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "base/source_id.h"
#include "verdict.h"

namespace conformance {

namespace {

constexpr const char* kUsage =
    "holodb-conformance [--library PATH] [--quick] [--suite NAME]... [--case NAME] [--seed N] [--json FILE] [--junit FILE] [--matrix FILE] [--bail] [--list]\n"
    "  --library PATH  the libholodb.so to judge; without it the one that is installed with this program\n"
    "  --quick         of cases that differ in their seed alone, only the first few\n"
    "  --suite, --case this suite (repeat for more), this case alone; --list names them\n"
    "  --seed N        other choices of the generated cases (1)\n"
    "  --json, --junit FILE  the verdict for programs; --matrix FILE: another kill matrix than the installed one\n"
    "  --bail          stop at the first failure\n"
    "Exit status: 0 the library conforms; 1 it does not; 2 it could not be judged.\n";

struct Options {
  std::string library, json, junit, matrix;
  std::vector<std::string> suites;
  RunOptions run;
  bool quick = false, list = false, bail = false;
};

[[noreturn]] void stop(const std::string& why) {
  std::fprintf(stderr, "holodb-conformance: %s\n", why.c_str());
  std::exit(2);
}

Options parse(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&]() -> std::string {
      if (i + 1 >= argc) stop(word + " needs a value\n" + kUsage);
      return argv[++i];
    };
    if (word == "--library") o.library = value();
    else if (word == "--json") o.json = value();
    else if (word == "--junit") o.junit = value();
    else if (word == "--matrix") o.matrix = value();
    else if (word == "--suite") o.suites.push_back(value());
    else if (word == "--case") o.run.only = value();
    else if (word == "--seed") o.run.seed = std::strtoull(value().c_str(), nullptr, 10);
    else if (word == "--quick") o.quick = true;
    else if (word == "--bail") o.bail = true;
    else if (word == "--list") o.list = true;
    else if (word == "--help") std::fputs(kUsage, stdout), std::exit(0);
    else stop("no such option: " + word + "\n" + kUsage);
  }
  if (o.bail) o.run.failures_max = 1;
  return o;
}

std::string default_matrix() {
  char self[4096];
  const ssize_t bytes = readlink("/proc/self/exe", self, sizeof self);
  const std::string path(self, bytes > 0 ? static_cast<size_t>(bytes) : 0);
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  for (const char* place : {HOLODB_MATRIX_FROM_PROGRAM, "../gate/conformance-matrix.txt"}) {
    if (access((folder + place).c_str(), R_OK) == 0) return folder + place;
  }
  return folder + HOLODB_MATRIX_FROM_PROGRAM;
}

void say(const SuiteResult& s, const Options& o, const Library& library) {
  double ms = 0;
  for (const CaseResult& c : s.cases) ms += c.ms;
  std::printf("SUITE suite=%s cases=%zu failed=%llu checks=%llu  %.1f s: %s\n", s.name.c_str(), s.cases.size(), static_cast<unsigned long long>(s.count(true)),
              static_cast<unsigned long long>(s.checks()), ms / 1000, s.promise.c_str());
  for (const CaseResult& c : s.cases) {
    if (c.kind.empty() || c.kind == "not run") continue;
    std::printf("FAIL suite=%s case='%s' invariant=%s seed=%llu kind=%s\nREPLAY holodb-conformance --library %s --seed %llu --suite %s --case '%s'\n  %s\n",
                s.name.c_str(), c.name.c_str(), c.invariant.c_str(), static_cast<unsigned long long>(o.run.seed), c.kind.c_str(), library.path.c_str(),
                static_cast<unsigned long long>(o.run.seed), s.name.c_str(), c.name.c_str(), c.text.substr(0, 1500).c_str());
  }
  const uint64_t left = s.cases.size() - s.count(true) - s.count(false);
  if (left > 0) std::printf("  %llu cases were not run, behind too many failures\n", static_cast<unsigned long long>(left));
  std::fflush(stdout);
}

void write(const std::string& path, const std::string& text) {
  if (path.empty()) return;
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) stop("cannot write " + path);
}

int judge_library(const Options& o) {
  std::vector<Suite> all = suites(o.quick);
  for (const std::string& name : o.suites) {
    if (std::none_of(all.begin(), all.end(), [&](const Suite& s) { return s.name == name; })) stop("no such suite: " + name);
  }
  if (o.list) {
    for (const Suite& s : all) {
      std::printf("%s: %s\n", s.name.c_str(), s.promise.c_str());
      for (const judge::Case& c : s.cases) std::printf("  %s\n", c.name.c_str());
    }
    return 0;
  }
  Verdict v;
  const std::string why = load(o.library, v.library);
  if (!why.empty()) stop(why);
  std::printf("judging %s, build id %s, version %s, source %s\n", v.library.path.c_str(), v.library.build_id.c_str(), v.library.version.c_str(), v.library.source_id.c_str());
  v.source_id = hdb::source_id(), v.seed = o.run.seed, v.quick = o.quick;
  v.partial = !o.suites.empty() || !o.run.only.empty();
  bool failed = false;
  for (const Suite& s : all) {
    if (!o.suites.empty() && std::find(o.suites.begin(), o.suites.end(), s.name) == o.suites.end()) continue;
    SuiteResult result = run_suite(s, o.run);
    if (result.cases.empty()) continue;
    say(result, o, v.library);
    failed |= result.count(true) > 0;
    v.suites.push_back(std::move(result));
    if (failed && o.bail) break;
  }
  if (v.suites.empty()) stop("no such case: " + o.run.only);
  v.matrix = read_matrix(o.matrix.empty() ? default_matrix() : o.matrix, v.source_id);
  write(o.json, json_of(v));
  write(o.junit, junit_of(v));
  std::fputs(text_of(v).c_str(), stdout);
  return v.conforms() ? 0 : 1;
}

}  // namespace

}  // namespace conformance

int main(int argc, char** argv) {
  try {
    return conformance::judge_library(conformance::parse(argc, argv));
  } catch (const std::exception& e) {
    conformance::stop(e.what());
  }
}
