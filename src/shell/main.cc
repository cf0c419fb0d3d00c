// main.cc: the program `holodb`.
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "include/holodb/holodb.hpp"
#include "shell/demo.h"
#include "shell/interactive.h"
#include "shell/interrupt.h"
#include "shell/options.h"
#include "shell/report.h"
#include "shell/runner.h"

namespace hdb::shell {
namespace {

constexpr int kGood = 0;
constexpr int kFailed = 1;
constexpr int kUsage = 2;

void run_sources(Runner* runner, const Options& options, bool interactive) {
  for (const ScriptSource& source : options.scripts) {
    if (runner->stopped()) break;
    if (!source.is_file) {
      runner->run_text(source.text);
      continue;
    }
    try {
      runner->run_file(source.text);
    } catch (const holodb::Error& error) {
      runner->mark_failed();
      runner->notice(format_error(error.sqlstate(), error.what(), runner->error_style()));
      if (options.bail) runner->stop();
    }
  }
  if (!options.scripts.empty()) return;
  if (interactive) {
    run_interactive(runner);
  } else {
    runner->run_stream(stdin);
  }
}

int run(const Options& options) {
  if (options.demo) return run_demo(options.demo_rows) ? kGood : kFailed;
  if (!options.salvage.empty()) {
    std::fputs((holodb::Database::salvage(options.file, options.salvage) + "\n").c_str(), stdout);
    return kGood;
  }
  const bool interactive = options.scripts.empty() && is_terminal(stdin) && is_terminal(stdout);
  const uint32_t flags = options.readonly ? holodb::Database::kReadOnly : holodb::Database::kDefault;
  holodb::Database database = options.restore_point.empty() ? holodb::Database(options.file.empty() ? ":memory:" : options.file, flags)
                                                            : holodb::Database::at_restore_point(options.file, options.restore_point);
  holodb::Connection connection(database);
  Settings settings;
  settings.render = {options.mode, options.header, Style::of(stdout).colour};
  settings.bail = options.bail;
  settings.interactive = interactive;
  install_interrupts(!interactive);
  Runner runner(connection, settings);
  if (!database.notice().empty()) runner.notice("notice: " + database.notice() + "\n");
  run_sources(&runner, options, interactive);
  runner.finish();
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    runner.notice(format_error("58030", "the standard output could not be written", runner.error_style()));
    return kFailed;
  }
  return runner.failed() ? kFailed : kGood;
}

}  // namespace
}  // namespace hdb::shell

int main(int argc, char** argv) {
  using namespace hdb::shell;
  Options options;
  std::string text;
  switch (parse_options(std::vector<std::string>(argv + 1, argv + argc), &options, &text)) {
    case ParseOutcome::kExitGood: std::fputs(text.c_str(), stdout); return kGood;
    case ParseOutcome::kExitUsage: std::fputs(text.c_str(), stderr); return kUsage;
    case ParseOutcome::kRun: break;
  }
  try {
    return run(options);
  } catch (const holodb::Error& error) {
    std::fputs(format_error(error.sqlstate(), error.what(), Style::of(stderr)).c_str(), stderr);
  } catch (const std::exception& error) {
    std::fputs(format_error("XX000", error.what(), Style::of(stderr)).c_str(), stderr);
  }
  return kFailed;
}
