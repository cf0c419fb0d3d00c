#include "shell/csv_reader.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <rapidcheck.h>

using namespace hdb::shell;

namespace {

// "3:a|b" for a good record at line 3, with "" quoted fields in brackets; "3!2 reason" for a bad one in field 2.
std::vector<std::string> read_all(std::string_view text, size_t expected = 0) {
  CsvReader reader(text);
  reader.expect_fields(expected);
  std::vector<std::string> out;
  CsvRecord record;
  while (reader.next(&record)) {
    std::string shown = std::to_string(record.line);
    if (!record.good()) {
      REQUIRE(record.fields.empty());
      shown += "!" + std::to_string(record.problem_field) + " " + record.problem;
    }
    for (size_t i = 0; i < record.fields.size(); ++i) {
      const CsvField& field = record.fields[i];
      shown += i == 0 ? ":" : "|";
      shown += field.quoted ? "[" + std::string(field.text) + "]" : std::string(field.text);
    }
    out.push_back(shown);
  }
  return out;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("plain and quoted fields, LF and CRLF, with and without a last line end") {
  REQUIRE(read_all("a,b\n1,2\n") == Lines{"1:a|b", "2:1|2"});
  REQUIRE(read_all("a,b\r\n1,2\r\n3,4") == Lines{"1:a|b", "2:1|2", "3:3|4"});
  REQUIRE(read_all("\"a,1\",\"say \"\"hi\"\"\",\"\"\n") == Lines{"1:[a,1]|[say \"hi\"]|[]"});
  REQUIRE(read_all("\"two\nlines\",x\ny,z\n") == Lines{"1:[two\nlines]|x", "3:y|z"});
  REQUIRE(read_all(",\n,,\n") == Lines{"1:|", "2:||"});
  REQUIRE(read_all("a,") == Lines{"1:a|"});
  REQUIRE(read_all("5\" disk,b\n") == Lines{"1:5\" disk|b"});
}

TEST_CASE("an empty field is NULL and a quoted one is the empty string") {
  CsvReader reader(",\"\"\n");
  CsvRecord record;
  REQUIRE(reader.next(&record));
  REQUIRE(record.fields[0].is_null());
  REQUIRE_FALSE(record.fields[1].is_null());
}

TEST_CASE("several quoted fields with doubled quotes keep their own texts") {
  REQUIRE(read_all("\"a\"\"1\",\"b\"\"2\",\"c\"\"3\"\n\"d\"\"4\",x,y\n") == Lines{"1:[a\"1]|[b\"2]|[c\"3]", "2:[d\"4]|x|y"});
}

TEST_CASE("a byte order mark is skipped and UTF-16 and emptiness are refused") {
  REQUIRE(read_all("\xEF\xBB\xBF" "a\n") == Lines{"1:a"});
  REQUIRE(CsvReader("\xEF\xBB\xBF").file_problem() == "the file is empty: the first line must name the columns");
  REQUIRE(CsvReader("").file_problem() == "the file is empty: the first line must name the columns");
  REQUIRE(CsvReader("\xFF\xFE" "a").file_problem() == "the file is UTF-16; it must be UTF-8");
  REQUIRE(CsvReader("a").file_problem().empty());
}

TEST_CASE("what cannot be read is told with its line and field, and reading goes on") {
  REQUIRE(read_all("a,b\n1,\"x\ny,z\n") == Lines{"1:a|b", "2!2 the quote that opens here is never closed"});
  REQUIRE(read_all("\"a\"x,b\n1,2\n") == Lines{"1!1 text after the closing quote", "2:1|2"});
  REQUIRE(read_all("a\rb\n1,2\n") == Lines{"1!1 a carriage return without a line feed", "2:1|2"});
  REQUIRE(read_all(std::string_view("a,b\0c\n1,2\n", 10)) == Lines{"1!2 a NUL byte", "2:1|2"});
  REQUIRE(read_all("a,\xFF\n1,2\n") == Lines{"1!2 bytes that are not UTF-8", "2:1|2"});
  REQUIRE(read_all("1,2\n1,2,3\n4\n5,6\n", 2) ==
          Lines{"1:1|2", "2!0 3 fields where the header has 2", "3!0 1 field where the header has 2", "4:5|6"});
}

TEST_CASE("empty lines are skipped where records have several fields, and NULL where they have one") {
  REQUIRE(read_all("a,b\n\n\r\n1,2\n\n", 2) == Lines{"1:a|b", "4:1|2"});
  REQUIRE(read_all("a\n\n2\n", 1) == Lines{"1:a", "2:", "3:2"});
}

TEST_CASE("a record with too many fields is one problem") {
  REQUIRE(read_all(std::string(CsvReader::kFieldsMax - 1, ','), 0)[0].starts_with("1:"));
  REQUIRE(read_all(std::string(CsvReader::kFieldsMax, ','), 0) == Lines{"1!0 more than 4096 fields"});
}

TEST_CASE("what is written as CSV reads back equal") {
  REQUIRE(rc::check("any fields", [] {
    const auto cell = rc::gen::container<std::string>(rc::gen::element('a', ',', '"', '\n', '\r', ' ', '7'));
    const auto rows = *rc::gen::container<std::vector<std::vector<std::string>>>(rc::gen::container<std::vector<std::string>>(3, cell));
    std::string text = "\"x\",\"y\",\"z\"\n";
    for (const auto& row : rows) {
      for (size_t i = 0; i < 3; ++i) {
        text += i == 0 ? "\"" : ",\"";
        for (const char c : row[i]) text += c == '"' ? std::string("\"\"") : std::string(1, c);
        text += '"';
      }
      text += '\n';
    }
    CsvReader reader(text);
    reader.expect_fields(3);
    CsvRecord record;
    RC_ASSERT(reader.next(&record));
    for (const auto& row : rows) {
      RC_ASSERT(reader.next(&record));
      RC_ASSERT(record.good());
      for (size_t i = 0; i < 3; ++i) RC_ASSERT(record.fields[i].text == row[i]);
    }
    RC_ASSERT_FALSE(reader.next(&record));
  }));
}

TEST_CASE("any bytes end in records or problems, each at a later line") {
  REQUIRE(rc::check("any bytes", [] {
    const auto text = *rc::gen::container<std::string>(rc::gen::element('a', ',', '"', '\n', '\r', '\0', '\xFF', '\xC3', '\xBC'));
    CsvReader reader(text);
    CsvRecord record;
    uint64_t line = 0;
    while (reader.next(&record)) {
      RC_ASSERT(record.line > line);
      line = record.line;
      RC_ASSERT(record.good() != record.fields.empty());
    }
    RC_ASSERT(reader.offset() == text.size());
  }));
}

TEST_CASE("marks are found wherever they stand in and between blocks of 64 bytes") {
  std::string text(300, 'x');
  for (uint32_t i = 0, seed = 7; i < text.size(); ++i) {
    seed = seed * 1103515245 + 12345;
    if ((seed >> 16) % 23 == 0 || i == 63 || i == 64 || i == 191) text[i] = ",\n\r"[(seed >> 8) % 3];
    if (i > 200 && i < 290) text[i] = '-';  // a block without any
  }
  for (size_t size = 0; size <= text.size(); ++size) {
    const std::string_view part = std::string_view(text).substr(0, size);
    CsvMarks marks(part);
    for (size_t at = 0; at <= size; ++at) {
      const size_t wanted = std::min(part.find_first_of(",\n\r", at), size);
      REQUIRE(marks.next(at) == wanted);
    }
  }
}
