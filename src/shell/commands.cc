#include "shell/commands.h"

#include <algorithm>
#include <optional>

#include "shell/csv_import.h"
#include "shell/dump.h"
#include "shell/interrupt.h"
#include "shell/report.h"
#include "shell/runner.h"
#include "shell/verify.h"

namespace hdb::shell {

namespace {

using Words = std::vector<std::string>;

[[noreturn]] void usage(const char* form) { throw holodb::Error(HOLODB_ERROR, "42601", std::string("usage: ") + form); }

const char* const kHelp =
    ".dump [FILE]                         the database as a script that makes it again\n"
    ".export FILE TABLE|QUERY             a table or a query as a CSV file, which .import reads\n"
    ".help                                this text\n"
    ".import FILE TABLE [--skip-rejects]  a CSV file into a table, which is made if there is none\n"
    ".mode [box|csv|json|line|markdown]   how results are shown\n"
    ".quit                                leave\n"
    ".read FILE                           run a script\n"
    ".schema [TABLE]                      the statements that make the tables\n"
    ".scrub                               check every page, table, key and summary (CHECK DATABASE)\n"
    ".tables                              the tables\n"
    ".timer on|off                        show how long each statement takes\n"
    ".verify [NAME]                       compare summary indexes with a rebuild from the rows, and keys with their columns\n";

Words query_words(Runner* runner, const std::string& sql) {
  Words words;
  for (const holodb::Row row : runner->connection().query(sql)) words.push_back(row.get<std::string>(0));
  return words;
}

void command_help(Runner* runner, const Words&) { runner->write(kHelp); }

void command_import(Runner* runner, const Words& words) {
  ImportJob job;
  Words names;
  for (size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "--skip-rejects" || words[i] == "-skip-rejects") {
      job.skip_rejects = true;
    } else {
      names.push_back(words[i]);
    }
  }
  if (names.size() != 2) usage(".import FILE TABLE [--skip-rejects]");
  job.file = names[0];
  job.table = names[1];
  const InterruptScope scope(runner->connection());
  const ImportReport report = import_csv(runner->connection(), job);
  std::string text;
  for (const Reject& reject : report.first_rejects) {
    text += "rejected line " + std::to_string(reject.line) + (reject.column.empty() ? "" : ", column " + reject.column) + ": " + reject.reason + "\n";
  }
  if (report.rejected > report.first_rejects.size()) {
    text += "and " + format_count(report.rejected - report.first_rejects.size()) + " more\n";
  }
  runner->notice(text);
  const std::string lines = format_count(report.rejected) + (report.rejected == 1 ? " line was" : " lines were") + " rejected";
  if (!report.kept) {
    throw holodb::Error(HOLODB_ERROR, "22P02", lines + ", and nothing was imported (--skip-rejects keeps the other lines)");
  }
  if (report.rejected > 0) {
    runner->mark_failed();
    runner->notice(format_warning(lines + "; " + format_count(report.rows) + " rows were imported", runner->error_style()));
  } else if (runner->settings().interactive) {
    runner->notice(format_count(report.rows) + (report.rows == 1 ? " row" : " rows") + " imported into " + job.table +
                   (report.created ? ", which is new (.schema shows its types)\n" : "\n"));
  }
}

void command_dump(Runner* runner, const Words& words) {
  if (words.size() > 2) usage(".dump [FILE]");
  const InterruptScope scope(runner->connection());
  if (words.size() == 1) return dump_database(runner->connection(), [&](std::string_view text) { runner->write(text); });
  write_file(words[1], [&](const Sink& sink) { dump_database(runner->connection(), sink); });
}

// The last word is all that follows the file's name: a name, or a query with its own quotes.
void command_export(Runner* runner, const Words& words) {
  if (words.size() != 3) usage(".export FILE TABLE|QUERY");
  std::string query = words[2];
  if (split_words(query).size() == 1) query = "SELECT * FROM " + (query[0] == '"' ? query : quote_identifier(query));
  const InterruptScope scope(runner->connection());
  uint64_t rows = 0;
  write_file(words[1], [&](const Sink& sink) { rows = export_csv(runner->connection(), query, sink); });
  if (runner->settings().interactive) runner->notice(format_count(rows) + (rows == 1 ? " row" : " rows") + " exported to " + words[1] + "\n");
}

void command_mode(Runner* runner, const Words& words) {
  RenderOptions& render = runner->settings().render;
  if (words.size() == 1) {
    runner->write(std::string(output_mode_name(render.mode)) + "\n");
  } else if (words.size() != 2 || !parse_output_mode(words[1], &render.mode)) {
    usage(".mode box|csv|json|line|markdown");
  }
}

void command_quit(Runner* runner, const Words&) { runner->stop(); }

void command_read(Runner* runner, const Words& words) {
  if (words.size() != 2) usage(".read FILE");
  runner->run_file(words[1]);
}

void command_schema(Runner* runner, const Words& words) {
  if (words.size() > 2) usage(".schema [TABLE]");
  const Words tables = words.size() == 2 ? Words{words[1]} : query_words(runner, "SHOW TABLES");
  for (const std::string& table : tables) {
    for (std::string sql : query_words(runner, "SHOW CREATE TABLE " + quote_identifier(table))) {
      while (!sql.empty() && (sql.back() == '\n' || sql.back() == ' ')) sql.pop_back();
      if (!sql.ends_with(';')) sql += ';';
      runner->write(sql + "\n");
    }
  }
}

void command_tables(Runner* runner, const Words& words) {
  if (words.size() != 1) usage(".tables");
  for (const std::string& table : query_words(runner, "SHOW TABLES")) runner->write(table + "\n");
}

void command_timer(Runner* runner, const Words& words) {
  if (words.size() != 2 || (words[1] != "on" && words[1] != "off")) usage(".timer on|off");
  runner->settings().timer = words[1] == "on";
}

void command_verify(Runner* runner, const Words& words) {
  if (words.size() > 2) usage(".verify [NAME]");
  const InterruptScope scope(runner->connection());
  const std::optional<std::string> name = words.size() == 2 ? std::optional(words[1]) : std::nullopt;
  for (const IndexVerdict& verdict : verify_indexes(runner->connection(), name)) {
    runner->write(verdict.text + "\n");
    if (!verdict.good) runner->mark_failed();
  }
}

void command_scrub(Runner* runner, const Words& words) {
  if (words.size() != 1) usage(".scrub");
  const InterruptScope scope(runner->connection());
  for (const holodb::Row row : runner->connection().query("CHECK DATABASE")) {
    const auto findings = row.get<int64_t>(2);
    runner->write(row.get<std::string>(0) + ": " + format_count(static_cast<uint64_t>(row.get<int64_t>(1))) + " checked, " +
                  (findings == 0 ? "ok" : format_count(static_cast<uint64_t>(findings)) + " found: " + row.get<std::string>(3)) + "\n");
    if (findings != 0) runner->mark_failed();
  }
}

struct Command {
  const char* name;
  void (*run)(Runner*, const Words&);
};
constexpr Command kCommands[] = {{".dump", command_dump},     {".export", command_export}, {".help", command_help},     {".import", command_import}, {".mode", command_mode},
                                 {".quit", command_quit},     {".exit", command_quit},     {".read", command_read},
                                 {".schema", command_schema}, {".scrub", command_scrub},   {".tables", command_tables}, {".timer", command_timer},
                                 {".verify", command_verify}};

}  // namespace

void run_command(Runner* runner, std::string_view line) {
  Words words = split_words(line);
  if (words.size() > 1 && words.back() == ";") words.pop_back();
  if (!words.empty()) {
    std::string& last = words.back();
    if (last.size() > 1 && last.ends_with(';') && words.size() == 1) last.pop_back();  // ".tables;" out of habit
  }
  if (words[0] == ".export") {
    words.resize(std::min<size_t>(words.size(), 2));
    if (std::string rest = rest_behind(line, 2); !rest.empty()) words.push_back(std::move(rest));
  }
  for (const Command& command : kCommands) {
    if (words[0] == command.name) return command.run(runner, words);
  }
  throw holodb::Error(HOLODB_ERROR, "42601", "there is no command " + words[0] + "; .help lists them", 0);
}

std::string rest_behind(std::string_view line, size_t count) {
  size_t i = 0;
  for (; i < line.size() && count > 0; --count) {
    i = std::min(line.find_first_not_of(" \t\r", i), line.size());
    if (i < line.size() && (line[i] == '\'' || line[i] == '"')) i = std::min(line.find(line[i], i + 1), line.size() - 1) + 1;
    else i = std::min(line.find_first_of(" \t\r", i), line.size());
  }
  line.remove_prefix(i);
  const size_t first = line.find_first_not_of(" \t\r"), last = line.find_last_not_of(" \t\r;");
  return first == std::string_view::npos || last == std::string_view::npos || last < first ? "" : std::string(line.substr(first, last - first + 1));
}

std::vector<std::string> split_words(std::string_view line) {
  Words words;
  size_t i = 0;
  while (i < line.size()) {
    if (line[i] == ' ' || line[i] == '\t' || line[i] == '\r') {
      ++i;
    } else if (line[i] == '\'' || line[i] == '"') {
      const size_t end = line.find(line[i], i + 1);
      if (end == std::string_view::npos) {
        throw holodb::Error(HOLODB_ERROR, "42601", "a quote is not closed", static_cast<int64_t>(i));
      }
      words.emplace_back(line.substr(i + 1, end - i - 1));
      i = end + 1;
    } else {
      const size_t end = std::min(line.find_first_of(" \t\r", i), line.size());
      words.emplace_back(line.substr(i, end - i));
      i = end;
    }
  }
  return words;
}

namespace {
std::string quote_with(std::string_view text, char quote) {
  std::string quoted(1, quote);
  for (const char c : text) {
    if (c == quote) quoted += quote;
    quoted += c;
  }
  return quoted + quote;
}
}  // namespace

std::string quote_identifier(std::string_view name) { return quote_with(name, '"'); }
std::string quote_text(std::string_view text) { return quote_with(text, '\''); }

}  // namespace hdb::shell
