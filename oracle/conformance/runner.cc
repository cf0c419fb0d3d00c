#include "runner.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace conformance {

namespace {

// Told by the worker; the text follows behind a result.
struct Told {
  enum : uint32_t { kBegins, kEnded } what = kBegins;
  uint32_t place = 0;
  char kind[16] = "";
  uint64_t checks = 0, text_bytes = 0;
  double ms = 0;
};

void put(int pipe, const void* data, size_t bytes) {
  const char* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t done = write(pipe, at, bytes);
    if (done <= 0) _exit(5);
    at += done, bytes -= static_cast<size_t>(done);
  }
}
bool get(int pipe, void* data, size_t bytes) {
  char* at = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t done = read(pipe, at, bytes);
    if (done <= 0) return false;
    at += done, bytes -= static_cast<size_t>(done);
  }
  return true;
}

void run_case(const judge::Case& c, const RunOptions& options, Told& told, std::string& text) {
  judge::Tally tally;
  judge::Context context{model::Random(model::seed_for(options.seed, c.name)), tally};
  const uint64_t before = report::detail::state().checks;
  std::string kind;
  const auto start = std::chrono::steady_clock::now();
  try {
    c.body(context);
  } catch (const judge::Failure& f) {
    kind = f.kind, text = f.text;
  } catch (const model::Fault& f) {
    kind = "wrong-result", text = std::string("the judge itself failed with ") + f.state;
  } catch (const std::exception& e) {
    kind = report::kind_of(e.what()), text = e.what();
  }
  told.ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  told.checks = report::detail::state().checks - before + tally.checks + tally.both_err + tally.verified;
  if (kind.empty() && told.checks == 0) kind = "wrong-result", text = "nothing was checked";
  std::strncpy(told.kind, kind.c_str(), sizeof told.kind - 1);
}

[[noreturn]] void work(const std::vector<const judge::Case*>& cases, size_t from, const RunOptions& options, int pipe) {
  for (size_t i = from; i < cases.size(); ++i) {
    Told told;
    told.place = static_cast<uint32_t>(i);
    put(pipe, &told, sizeof told);
    alarm(options.case_s_max);  // its signal ends the worker
    std::string text;
    run_case(*cases[i], options, told, text);
    alarm(0);
    told.what = Told::kEnded;
    told.text_bytes = text.size();
    put(pipe, &told, sizeof told);
    put(pipe, text.data(), text.size());
  }
  _exit(0);
}

// Takes what a worker tells until it ends; returns the place where the next one goes on.
size_t listen(int pipe, size_t from, std::vector<CaseResult>& results, int& failures, const RunOptions& options, bool& stopped) {
  size_t next = from;
  Told told;
  while (get(pipe, &told, sizeof told)) {
    CaseResult& result = results[told.place];
    if (told.what == Told::kBegins) {
      result.kind = "crash";  // until it is told otherwise
      next = told.place + 1;
      continue;
    }
    result.kind = told.kind, result.checks = told.checks, result.ms = told.ms;
    result.text.resize(told.text_bytes);
    if (!get(pipe, result.text.data(), told.text_bytes)) break;
    if (!result.kind.empty() && ++failures >= options.failures_max) {
      stopped = true;
      break;
    }
  }
  return next;
}

}  // namespace

uint64_t SuiteResult::count(bool failed) const {
  uint64_t n = 0;
  for (const CaseResult& c : cases) n += c.kind != "not run" && c.kind.empty() != failed ? 1 : 0;
  return n;
}
uint64_t SuiteResult::checks() const {
  uint64_t n = 0;
  for (const CaseResult& c : cases) n += c.checks;
  return n;
}

SuiteResult run_suite(const Suite& suite, const RunOptions& options) {
  SuiteResult out{suite.name, suite.promise, {}};
  std::vector<const judge::Case*> cases;
  for (const judge::Case& c : suite.cases) {
    if (!options.only.empty() && c.name != options.only) continue;
    cases.push_back(&c);
    out.cases.push_back({c.name, c.invariant, "not run", "", 0, 0});
  }
  int failures = 0;
  bool stopped = false;
  for (size_t next = 0; next < cases.size() && !stopped;) {
    std::string folder = (std::filesystem::temp_directory_path() / "holodb-conformance-XXXXXX").string();
    int ends[2];
    if (mkdtemp(folder.data()) == nullptr || pipe(ends) != 0) throw std::runtime_error(std::string("no worker: ") + std::strerror(errno));
    std::fflush(nullptr);
    const pid_t worker = fork();
    if (worker == 0) {
      close(ends[0]);
      if (chdir(folder.c_str()) != 0) _exit(5);
      work(cases, next, options, ends[1]);
    }
    close(ends[1]);
    if (worker < 0) throw std::runtime_error(std::string("no worker: ") + std::strerror(errno));
    const size_t first = next;
    next = listen(ends[0], next, out.cases, failures, options, stopped);
    close(ends[0]);
    if (stopped) kill(worker, SIGKILL);
    int status = 0;
    waitpid(worker, &status, 0);
    std::filesystem::remove_all(folder);
    if (stopped || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) continue;
    if (next == first) throw std::runtime_error("a worker ended before its first case");
    CaseResult& last = out.cases[next - 1];
    if (last.kind == "crash" && WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) last.kind = "hang";
    if (last.text.empty())
      last.text = WIFSIGNALED(status) ? std::string("the process ended: ") + strsignal(WTERMSIG(status)) : "the process exited with " + std::to_string(WEXITSTATUS(status));
    stopped = ++failures >= options.failures_max;
  }
  return out;
}

}  // namespace conformance
