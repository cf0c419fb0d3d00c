#include "shell/options.h"

#include <CLI/CLI.hpp>

#include <algorithm>

#include "include/holodb/holodb.h"

namespace hdb::shell {

namespace {

constexpr const char* kLongOptions[] = {"csv",      "json", "box",      "line",    "markdown", "noheader",
                                        "bail",     "demo", "readonly", "version", "help",     "rows", "salvage", "restore-point"};
constexpr uint64_t kDemoRowsMin = 1'000;
constexpr uint64_t kDemoRowsMax = 1'000'000'000;

// "-csv" -> "--csv", also "-rows=5". The value of -c or -f and everything behind "--" stay as they are.
std::vector<std::string> with_two_dashes(const std::vector<std::string>& arguments) {
  std::vector<std::string> out;
  bool is_value = false;
  bool options_ended = false;
  for (const std::string& argument : arguments) {
    std::string one = argument;
    if (!is_value && !options_ended && one.size() > 2 && one[0] == '-' && one[1] != '-') {
      const std::string name = one.substr(1, one.find('=') - 1);
      if (std::find(std::begin(kLongOptions), std::end(kLongOptions), name) != std::end(kLongOptions)) one.insert(0, "-");
    }
    options_ended |= !is_value && one == "--";
    is_value = !is_value && !options_ended && (one == "-c" || one == "-f");
    out.push_back(std::move(one));
  }
  return out;
}

std::string version_text() { return std::string("holodb ") + holodb_version() + " (source " + holodb_source_id() + ")\n"; }

const char* const kFooter =
    "Without FILE, or with :memory:, the database is in memory; another FILE is made if it is not there. SQL arguments run in order; without them, and without -c or -f, a\n"
    "terminal gets the interactive shell and anything else on standard input is a script. Options take one dash or two.\n"
    "Exit status: 0 all good, 1 a statement failed, 2 wrong usage.\n";

}  // namespace

ParseOutcome parse_options(const std::vector<std::string>& arguments, Options* options, std::string* text) {
  CLI::App app("HoloDb: an SQL database that keeps its aggregates exact.", "holodb");
  std::vector<std::string> positional;
  std::vector<std::string> commands;
  std::vector<std::string> files;
  bool csv = false;
  bool json = false;
  bool box = false;
  bool line = false;
  bool markdown = false;
  bool noheader = false;
  bool version = false;
  app.set_help_flag("--help,-h", "this text");
  app.add_flag("--csv", csv, "results as CSV");
  app.add_flag("--json", json, "results as JSON, an array a line");
  app.add_flag("--box", box, "results in boxes (the default)");
  app.add_flag("--line", line, "results with a line a value");
  app.add_flag("--markdown", markdown, "results as Markdown tables");
  app.add_flag("--noheader", noheader, "no column names");
  app.add_flag("--bail", options->bail, "stop a script at its first error");
  app.add_flag("--readonly", options->readonly, "refuse every change");
  CLI::Option* c_option = app.add_option("-c", commands, "run this SQL; may be repeated")->type_name("SQL")->expected(1)->take_all()->allow_extra_args(false);
  CLI::Option* f_option = app.add_option("-f", files, "run this script; may be repeated")->type_name("FILE")->expected(1)->take_all()->allow_extra_args(false);
  app.add_option("--salvage", options->salvage, "copy what is whole of the damaged FILE to COPY")->type_name("COPY");
  app.add_option("--restore-point", options->restore_point, "open this restore point of FILE, to read only, also while FILE is written to")->type_name("NAME");
  app.add_flag("--demo", options->demo, "make a ledger, show what its totals cost, verify them");
  CLI::Option* rows_option = app.add_option("--rows", options->demo_rows, "invoices of the demo's ledger (1,000,000)")->type_name("N");
  app.add_flag("--version", version, "the version and the source that it was built from");
  app.add_option("FILE", positional, "the database, then SQL to run")->type_name("[SQL ...]");
  app.footer(kFooter);

  std::vector<std::string> reversed = with_two_dashes(arguments);
  std::reverse(reversed.begin(), reversed.end());  // the order that CLI11 takes a vector in
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    *text = app.help();
    return ParseOutcome::kExitGood;
  } catch (const CLI::Error& error) {
    *text = std::string("holodb: ") + error.what() + "\nTry holodb -help.\n";
    return ParseOutcome::kExitUsage;
  }
  if (version) {
    *text = version_text();
    return ParseOutcome::kExitGood;
  }
  const auto usage = [&](const char* sentence) {
    *text = std::string("holodb: ") + sentence + "\nTry holodb -help.\n";
    return ParseOutcome::kExitUsage;
  };
  if (csv + json + box + line + markdown > 1) return usage("give one of -csv, -json, -box, -line and -markdown");
  if (rows_option->count() > 0 && !options->demo) return usage("-rows belongs to -demo");
  if (options->demo_rows < kDemoRowsMin || options->demo_rows > kDemoRowsMax) return usage("-rows takes 1000 to 1000000000");
  if (options->demo && (!positional.empty() || !commands.empty() || !files.empty())) return usage("-demo takes no FILE and no SQL");

  if (!options->salvage.empty() && (positional.size() != 1 || !commands.empty() || !files.empty())) return usage("-salvage takes one FILE and no SQL");

  const bool of_memory = positional.empty() || positional[0].empty() || positional[0] == ":memory:";
  if (!options->restore_point.empty() && (of_memory || !options->salvage.empty())) return usage("-restore-point goes with a FILE");

  options->mode = csv ? OutputMode::kCsv : json ? OutputMode::kJson : line ? OutputMode::kLine : markdown ? OutputMode::kMarkdown : OutputMode::kBox;
  options->header = !noheader;
  size_t next_command = 0;
  size_t next_file = 0;
  for (const CLI::Option* option : app.parse_order()) {
    if (option == c_option && next_command < commands.size()) options->scripts.push_back({false, commands[next_command++]});
    if (option == f_option && next_file < files.size()) options->scripts.push_back({true, files[next_file++]});
  }
  if (!positional.empty()) options->file = positional[0];
  for (size_t i = 1; i < positional.size(); ++i) options->scripts.push_back({false, positional[i]});
  return ParseOutcome::kRun;
}

}  // namespace hdb::shell
