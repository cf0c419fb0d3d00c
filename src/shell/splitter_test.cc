#include "shell/splitter.h"

#include <catch2/catch.hpp>
#include <rapidcheck.h>

#include <vector>

using namespace hdb::shell;

namespace {

std::vector<std::string> split(std::string_view script, size_t step = std::string_view::npos) {
  StatementSplitter splitter;
  std::vector<std::string> out;
  Piece piece;
  const auto drain = [&] {
    while (splitter.next(&piece)) {
      out.push_back(std::to_string(piece.line) + (piece.command ? " command " : " ") + piece.text);
    }
  };
  for (size_t i = 0; i < script.size(); i += step) {
    splitter.feed(script.substr(i, step));
    drain();
    if (step == std::string_view::npos) break;
  }
  splitter.finish();
  drain();
  return out;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("statements end at a semicolon outside of quotes and comments") {
  REQUIRE(split("SELECT 1; SELECT 2;\nSELECT 3") == Lines{"1 SELECT 1;", "1 SELECT 2;", "2 SELECT 3"});
  REQUIRE(split("SELECT 'a;b''c;', \"d;\" ;x") == Lines{"1 SELECT 'a;b''c;', \"d;\" ;", "1 x"});
  REQUIRE(split("-- first; comment\n/* a; /* b; */ c; */ SELECT -- x;\n 1 /* ; */;") ==
          Lines{"2 SELECT -- x;\n 1 /* ; */;"});
  REQUIRE(split(" ;; \n ; -- nothing") == Lines{});
  REQUIRE(split("") == Lines{});
  REQUIRE(split("SELECT 'open;\nx") == Lines{"1 SELECT 'open;\nx"});
  REQUIRE(split("SELECT 1 - 2; SELECT 6/3;") == Lines{"1 SELECT 1 - 2;", "1 SELECT 6/3;"});
  REQUIRE(split("/* never; closed") == Lines{"1 /* never; closed"});
  REQUIRE(split("SELECT 1;/* never; closed") == Lines{"1 SELECT 1;", "1 /* never; closed"});
}

TEST_CASE("a dot command is a line of its own where a statement could begin") {
  REQUIRE(split(".tables\nSELECT 1\n.5;\n  .read x;y \n") == Lines{"1 command .tables", "2 SELECT 1\n.5;", "4 command .read x;y"});
  REQUIRE(split(".quit") == Lines{"1 command .quit"});
}

TEST_CASE("a script is cut at the same places however it arrives") {
  const std::string script = "SELECT 'a;''b' -- c;\n, \"x;y\"/* ; /* */ */; .5;\n.mode csv\nSELECT 3;\r\n--end";
  const Lines whole = split(script);
  REQUIRE(whole.size() == 4);
  for (size_t step = 1; step < script.size(); ++step) REQUIRE(split(script, step) == whole);
  REQUIRE(rc::check("random scripts", [] {
    const auto text = *rc::gen::container<std::string>(rc::gen::element('a', ';', '\'', '"', '-', '/', '*', '\n', ' ', '.'));
    const auto step = *rc::gen::inRange<size_t>(1, 5);
    RC_ASSERT(split(text, step) == split(text));
  }));
}

TEST_CASE("places are lines of the whole script and columns in characters") {
  StatementSplitter splitter;
  splitter.feed("SELECT 1;\nSELECT 2; SELECT '\xC3\xBC\xC3\xBC',\n  '\xE2\x82\xAC' / 0, 7; SELECT 5;\n");
  Piece piece;
  REQUIRE(splitter.next(&piece));
  REQUIRE(splitter.next(&piece));
  REQUIRE(splitter.next(&piece));
  Place place = place_in_script(piece, 0);
  REQUIRE(place.line == 2);
  REQUIRE(place.column == 11);
  REQUIRE(place.text == "SELECT 2; SELECT '\xC3\xBC\xC3\xBC',");
  place = place_in_script(piece, piece.text.find('/'));
  REQUIRE(place.line == 3);
  REQUIRE(place.column == 7);
  REQUIRE(place.text == "  '\xE2\x82\xAC' / 0, 7; SELECT 5;");
  place = place_in_script(piece, piece.text.size());
  REQUIRE(place.line == 3);
  REQUIRE(place.column == 14);
  REQUIRE(place_in_script(piece, 1000).column == 14);
}

TEST_CASE("a prompt knows that a statement goes on, and Ctrl-C drops it") {
  StatementSplitter splitter;
  Piece piece;
  splitter.feed("SELECT 1,\n");
  REQUIRE_FALSE(splitter.next(&piece));
  REQUIRE(splitter.pending());
  splitter.drop_pending();
  REQUIRE_FALSE(splitter.pending());
  splitter.feed("SELECT 2;\n");
  REQUIRE(splitter.next(&piece));
  REQUIRE(piece.text == "SELECT 2;");
  REQUIRE_FALSE(splitter.next(&piece));
  REQUIRE_FALSE(splitter.pending());
}

TEST_CASE("a hundred thousand statements on one line took minutes: each moved the rest of the script") {
  constexpr size_t kStatements = 100'000;
  std::string script = "SELECT '\xC3\xBC';";
  for (size_t i = 1; i < kStatements; ++i) script += "SELECT 1;";
  StatementSplitter splitter;
  splitter.feed(script);
  splitter.finish();
  Piece piece, last;
  size_t pieces = 0, copied = 0;
  for (; splitter.next(&piece); ++pieces) {
    copied += piece.line_before.size() + piece.line_after.size();
    last = piece;
  }
  REQUIRE(pieces == kStatements);
  REQUIRE(copied <= kStatements * 2 * kLineBytesKept);
  const Place place = place_in_script(last, 7);
  REQUIRE(place.line == 1);
  REQUIRE(place.column == 11 + (kStatements - 2) * 9 + 8);
  REQUIRE(place.text.substr(place.caret_offset) == "1;");
}
