#include "shell/render.h"

#include <catch2/catch.hpp>
#include <rapidcheck.h>

#include "shell/csv_reader.h"

using namespace hdb::shell;

namespace {

const std::vector<RenderColumn> kColumns = {
    {"g", ColumnKind::kText}, {"n", ColumnKind::kNumber}, {"d", ColumnKind::kDouble}, {"b", ColumnKind::kBoolean}};

std::string render(const RenderOptions& options, const std::vector<RenderColumn>& columns,
                   const std::vector<std::vector<RenderCell>>& rows) {
  std::string out;
  const auto renderer = make_renderer(options, [&](std::string_view text) { out += text; });
  renderer->start(columns);
  for (const auto& row : rows) renderer->row(row);
  renderer->finish();
  return out;
}

RenderCell null() { return {"", true}; }

}  // namespace

TEST_CASE("CSV quotes only where needed and tells NULL from the empty string") {
  REQUIRE(render({OutputMode::kCsv, true, false}, {{"'a,b'", ColumnKind::kText}, {"n", ColumnKind::kNumber}},
                 {{{"a,b"}, {"1"}}, {{"say \"hi\""}, null()}, {{""}, {"-2"}}, {{"two\nlines"}, {"3"}}, {null(), {"4"}}}) ==
          "\"'a,b'\",n\n\"a,b\",1\n\"say \"\"hi\"\"\",\n\"\",-2\n\"two\nlines\",3\n,4\n");
  REQUIRE(render({OutputMode::kCsv, false, false}, {{"x", ColumnKind::kText}}, {{{"1"}}}) == "1\n");
  REQUIRE(render({OutputMode::kCsv, true, false}, {{"x", ColumnKind::kText}}, {}) == "x\n");
}

TEST_CASE("JSON is one array on one line, with numbers in full") {
  REQUIRE(render({OutputMode::kJson, true, false}, kColumns,
                 {{{"x\"\\\n\x01"}, {"12345678901234567890.50"}, {"1e+100"}, {"true"}}, {null(), null(), {"NaN"}, {"false"}},
                  {{""}, {"-1"}, {"-Infinity"}, null()}}) ==
          "[{\"g\":\"x\\\"\\\\\\n\\u0001\",\"n\":12345678901234567890.50,\"d\":1e+100,\"b\":true},"
          "{\"g\":null,\"n\":null,\"d\":\"NaN\",\"b\":false},{\"g\":\"\",\"n\":-1,\"d\":\"-Infinity\",\"b\":null}]\n");
  REQUIRE(render({OutputMode::kJson, true, false}, kColumns, {}) == "[]\n");
}

TEST_CASE("a box lines up wide characters, numbers to the right, and shows NULL") {
  REQUIRE(render({OutputMode::kBox, true, false}, {{"name", ColumnKind::kText}, {"n", ColumnKind::kNumber}},
                 {{{"\xE6\x97\xA5\xE6\x9C\xAC"}, {"1"}}, {null(), {"-200"}}, {{"a\nb"}, null()}}) ==
          "┌──────┬──────┐\n"
          "│ name │    n │\n"
          "├──────┼──────┤\n"
          "│ 日本 │    1 │\n"
          "│ NULL │ -200 │\n"
          "│ a\\nb │ NULL │\n"
          "└──────┴──────┘\n");
  REQUIRE(render({OutputMode::kBox, false, false}, {{"name", ColumnKind::kText}}, {{{"x"}}}) == "┌───┐\n│ x │\n└───┘\n");
}

TEST_CASE("lines and Markdown") {
  REQUIRE(render({OutputMode::kLine, true, false}, {{"g", ColumnKind::kText}, {"SUM(a)", ColumnKind::kNumber}},
                 {{{"x"}, {"6"}}, {{"y"}, null()}}) == "     g = x\nSUM(a) = 6\n\n     g = y\nSUM(a) = NULL\n");
  REQUIRE(render({OutputMode::kMarkdown, true, false}, {{"g", ColumnKind::kText}, {"n", ColumnKind::kNumber}},
                 {{{"a|b"}, {"6"}}}) == "| g    |   n |\n| ---- | --: |\n| a\\|b |   6 |\n");
}

TEST_CASE("a failed statement takes its short result back, and closes a long one") {
  std::string out;
  const auto renderer = make_renderer({OutputMode::kJson, true, false}, [&](std::string_view text) { out += text; });
  renderer->start({{"x", ColumnKind::kText}});
  renderer->row({{"1"}});
  renderer->abandon();
  REQUIRE(out.empty());

  const std::string big(Renderer::kBufferBytes, 'x');
  const auto second = make_renderer({OutputMode::kJson, true, false}, [&](std::string_view text) { out += text; });
  second->start({{"x", ColumnKind::kText}});
  second->row({{big}});
  second->abandon();
  REQUIRE(out.ends_with("\"}]\n"));
}

TEST_CASE("any text survives CSV output and the CSV reader") {
  REQUIRE(rc::check("any cells", [] {
    const auto texts = *rc::gen::container<std::vector<std::string>>(
        3, rc::gen::container<std::string>(rc::gen::element('a', ',', '"', '\n', '\r', ' ')));
    const std::string csv = render({OutputMode::kCsv, false, false}, {{"a", {}}, {"b", {}}, {"c", {}}},
                                   {{{texts[0]}, {texts[1]}, {texts[2]}}});
    CsvReader reader(csv);
    CsvRecord record;
    RC_ASSERT(reader.next(&record));
    RC_ASSERT(record.good());
    for (size_t i = 0; i < 3; ++i) {
      RC_ASSERT(record.fields[i].text == texts[i]);
      RC_ASSERT_FALSE(record.fields[i].is_null());
    }
  }));
}

TEST_CASE("modes have names") {
  OutputMode mode = OutputMode::kBox;
  for (const char* name : {"box", "csv", "json", "line", "markdown"}) {
    REQUIRE(parse_output_mode(name, &mode));
    REQUIRE(std::string(output_mode_name(mode)) == name);
  }
  REQUIRE_FALSE(parse_output_mode("xml", &mode));
}
