#include "shell/options.h"

#include <catch2/catch.hpp>

using namespace hdb::shell;

namespace {

struct Parsed {
  ParseOutcome outcome;
  Options options;
  std::string text;
};

Parsed parse(const std::vector<std::string>& arguments) {
  Parsed parsed;
  parsed.outcome = parse_options(arguments, &parsed.options, &parsed.text);
  return parsed;
}

}  // namespace

TEST_CASE("long options take one dash or two") {
  for (const char* option : {"-csv", "--csv"}) {
    const Parsed parsed = parse({option, "-noheader", "--bail", "-readonly"});
    REQUIRE(parsed.outcome == ParseOutcome::kRun);
    REQUIRE(parsed.options.mode == OutputMode::kCsv);
    REQUIRE_FALSE(parsed.options.header);
    REQUIRE(parsed.options.bail);
    REQUIRE(parsed.options.readonly);
    REQUIRE(parsed.options.file.empty());
  }
  REQUIRE(parse({}).options.mode == OutputMode::kBox);
  REQUIRE(parse({"-json"}).options.mode == OutputMode::kJson);
  REQUIRE(parse({"-line"}).options.mode == OutputMode::kLine);
  REQUIRE(parse({"-markdown"}).options.mode == OutputMode::kMarkdown);
}

TEST_CASE("-c and -f keep their order, and SQL arguments follow the file") {
  const Parsed parsed = parse({"-c", "-csv", "-f", "a.sql", "-c", "SELECT 2", ":memory:", "SELECT 3", "SELECT 4"});
  REQUIRE(parsed.outcome == ParseOutcome::kRun);
  REQUIRE(parsed.options.file == ":memory:");
  std::string order;
  for (const ScriptSource& source : parsed.options.scripts) order += (source.is_file ? "file " : "sql ") + source.text + ";";
  REQUIRE(order == "sql -csv;file a.sql;sql SELECT 2;sql SELECT 3;sql SELECT 4;");
  REQUIRE(parsed.options.mode == OutputMode::kBox);
}

TEST_CASE("-c took the file and the SQL that followed it for scripts of its own") {
  const Parsed parsed = parse({"-c", "SELECT 1", ":memory:", "SELECT 2"});
  REQUIRE(parsed.outcome == ParseOutcome::kRun);
  REQUIRE(parsed.options.file == ":memory:");
  REQUIRE(parsed.options.scripts.size() == 2);
  REQUIRE(parse({"-f", "a.sql", ":memory:"}).options.file == ":memory:");
}

TEST_CASE("the demo takes a number of rows") {
  REQUIRE(parse({"-demo", "-rows", "5000"}).options.demo_rows == 5000);
  REQUIRE(parse({"--demo", "--rows=5000"}).options.demo_rows == 5000);
  REQUIRE(parse({"--demo"}).options.demo_rows == 1'000'000);
  REQUIRE(parse({"-rows", "5000"}).outcome == ParseOutcome::kExitUsage);
  REQUIRE(parse({"-demo", "-rows", "999"}).outcome == ParseOutcome::kExitUsage);
  REQUIRE(parse({"-demo", "x"}).outcome == ParseOutcome::kExitUsage);
}

TEST_CASE("wrong usage is told, help and version are given") {
  REQUIRE(parse({"-nosuch"}).outcome == ParseOutcome::kExitUsage);
  REQUIRE(parse({"--nosuch"}).text.find("nosuch") != std::string::npos);
  REQUIRE(parse({"-c"}).outcome == ParseOutcome::kExitUsage);
  REQUIRE(parse({"-rows", "x", "-demo"}).outcome == ParseOutcome::kExitUsage);
  REQUIRE(parse({"-csv", "-json"}).outcome == ParseOutcome::kExitUsage);
  REQUIRE(parse({"-help"}).outcome == ParseOutcome::kExitGood);
  REQUIRE(parse({"-help"}).text.find("--markdown") != std::string::npos);
  REQUIRE(parse({"-version"}).text.starts_with("holodb "));
}
