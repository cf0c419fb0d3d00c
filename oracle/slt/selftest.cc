#include "selftest.h"

#include <stdexcept>

#include "md5.h"
#include "runner.h"

namespace slt {

namespace {

using judge::Cell;
using judge::Context;
using judge::Reply;
using judge::require;

Reply reply_of(const std::vector<model::Type>& types, const std::vector<std::vector<const char*>>& rows) {
  Reply out;
  out.types = types;
  for (const auto& row : rows) {
    out.rows.emplace_back();
    for (const char* text : row) out.rows.back().push_back(text == nullptr ? Cell{} : Cell{false, text});
  }
  return out;
}
Reply error_of(const char* state, const char* message) {
  Reply out;
  out.ok = false, out.state = state, out.message = message;
  return out;
}
Verdicts verdicts(const std::string& file, const Reply& reply, bool foreign) {
  return run_records(
      parse(file, foreign ? "sqlite" : "holodb"), [&](const std::string&) { return reply; }, foreign);
}
void expect(const std::string& file, const Reply& reply, bool foreign, uint64_t right, uint64_t wrong, uint64_t declined) {
  const Verdicts v = verdicts(file, reply, foreign);
  require(v.right == right && v.wrong == wrong && v.declined == declined,
          std::to_string(v.right) + " right, " + std::to_string(v.wrong) + " wrong, " + std::to_string(v.declined) + " declined\n" + file);
}

void digests(Context&) {
  require(md5("") == "d41d8cd98f00b204e9800998ecf8427e", "MD5 of nothing");
  require(md5("abc") == "900150983cd24fb0d6963f7d28e17f72", "MD5 of abc");
  require(md5("12345678901234567890123456789012345678901234567890123456789012345678901234567890") == "57edf4a22be3c955ac49da2e2107b67a", "MD5 of two blocks");
  require(md5("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789") == "d174ab98d277d9f5a5611c2c9f419d9f", "MD5 of a padded block");
}

void values(Context&) {
  using model::Kind;
  const auto one = [](const char* letter, const model::Type& type, const char* text) {
    Record record;
    record.types = letter;
    return render(record, reply_of({type}, {{text}})).at(0);
  };
  const model::Type integer = model::int_type(), real = model::simple_type(Kind::kDbl), text = model::simple_type(Kind::kText),
                    boolean = model::simple_type(Kind::kBool), decimal = model::dec_type(9, 2);
  require(one("I", integer, "-7") == "-7" && one("I", integer, nullptr) == "NULL", "I of integers");
  require(one("I", real, "2.9") == "2" && one("I", real, "-0.5") == "0" && one("I", real, "1e+300") == "9223372036854775807", "I of doubles truncates");
  require(one("I", decimal, "-1.99") == "-1" && one("I", decimal, "0.50") == "0", "I of decimals truncates");
  require(one("I", text, "12ab") == "12" && one("I", text, "ab") == "0", "I of text is the leading integer");
  require(one("I", boolean, "true") == "1" && one("I", boolean, "false") == "0", "I of conditions");
  require(one("R", integer, "3") == "3.000" && one("R", real, "0.12345") == "0.123" && one("R", decimal, "1.50") == "1.500", "R has three digits");
  require(one("T", text, "") == "(empty)" && one("T", text, "a\x01z") == "a@z" && one("T", text, nullptr) == "NULL", "T of text");
}

void orders(Context&) {
  const model::Type integer = model::int_type();
  const Reply reply = reply_of({integer, integer}, {{"9", "1"}, {"10", "2"}});
  Record record;
  record.types = "II";
  require(render(record, reply) == std::vector<std::string>({"9", "1", "10", "2"}), "nosort");
  record.sort = Sort::kRows;
  require(render(record, reply) == std::vector<std::string>({"10", "2", "9", "1"}), "rowsort is by text");
  record.sort = Sort::kValues;
  require(render(record, reply) == std::vector<std::string>({"1", "10", "2", "9"}), "valuesort");
}

void format(Context&) {
  const std::string text =
      "# a comment\nskipif holodb # why\nstatement ok\nA\n\nonlyif other\nquery I\nB\n----\n1\n\nonlyif other\nhalt\n\nhash-threshold 3\n\nquery IT rowsort "
      "x-1\nC\nD\n----\n"
      "2\na\n\nstatement error\nE\n\nquery I\nF\n\nhalt\n\nstatement ok\nG\n";
  const std::vector<Record> records = parse(text, "holodb");
  require(records.size() == 3, "three records are for holodb, not " + std::to_string(records.size()));
  require(records[0].sql == "C\nD" && records[0].types == "IT" && records[0].label == "x-1" && records[0].hash_threshold == 3, "the query");
  require(records[0].expected.size() == 2 && records[0].line == 17, "its result, its line");
  require(records[1].kind == Record::Kind::kError && records[2].expected.empty(), "an error, and a query of no rows");
  require(parse(text, "other").size() == 2, "a condition holds for one name alone, and so does a halt");
  for (const char* bad : {"statement maybe\nA\n", "query I upside\nA\n", "query X\nA\n", "quarry I\nA\n"}) {
    bool refused = false;
    try {
      parse(bad, "holodb");
    } catch (const std::runtime_error&) {
      refused = true;
    }
    require(refused, std::string("not refused: ") + bad);
  }
}

void judgement(Context&) {
  const model::Type integer = model::int_type();
  const Reply two = reply_of({integer}, {{"2"}});
  for (const bool foreign : {false, true}) {
    expect("query I\nQ\n----\n2\n", two, foreign, 1, 0, 0);
    expect("query I\nQ\n----\n3\n", two, foreign, 0, 1, 0);
    expect("query I\nQ\n----\n2\n2\n", two, foreign, 0, 1, 0);
    expect("query I\nQ\n", two, foreign, 0, 1, 0);
    expect("query II\nQ\n----\n2\n", two, foreign, 0, 1, 0);
    expect("query I\nQ\n----\n1 values hashing to 26ab0db90d72e28ad0ba1e22ee510510\n", two, foreign, 1, 0, 0);  // of "2\n"
    expect("query I\nQ\n----\n1 values hashing to 26ab0db90d72e28ad0ba1e22ee510511\n", two, foreign, 0, 1, 0);
    expect("statement error\nQ\n", two, foreign, 0, 1, 0);
    expect("statement ok\nQ\n", error_of("XX000", "internal error"), foreign, 0, 1, 0);
    expect("statement error\nQ\n", error_of("XX000", "internal error"), foreign, 0, 1, 0);
    expect("statement ok\nQ\n", error_of("23505", "twice"), foreign, 0, 1, 0);
    expect("statement error\nQ\n", error_of("23505", "twice"), foreign, 1, 0, 0);
    expect("query I\nQ\n----\n2\n", error_of("0A000", "not supported"), foreign, 0, 0, 1);
    expect("query I\nQ\n----\n2\n", error_of("42803", "not grouped"), foreign, 0, foreign ? 0 : 1, foreign ? 1 : 0);
  }
  int run = 0;
  const Verdicts v = run_records(
      parse("query I nosort x\nQ\n----\n2\n\nquery I nosort x\nQ\n----\n3\n", "holodb"),
      [&](const std::string&) { return reply_of({integer}, {{run++ == 0 ? "2" : "3"}}); }, false);
  require(v.right == 1 && v.wrong == 1, "one label, two results");
}

void dependence(Context&) {
  const Verdicts v = run_records(
      parse("statement ok\nCREATE VIEW v1 AS SELECT 1\n\nquery I\nSELECT * FROM V1\n----\n1\n\nquery I\nSELECT 'v1' FROM t\n----\n2\n", "sqlite"),
      [&](const std::string& sql) { return sql.find("VIEW") != std::string::npos ? error_of("0A000", "views") : reply_of({model::int_type()}, {{"2"}}); },
      true);
  require(v.declined == 2 && v.right == 1 && v.reasons.at("depends on a declined record") == 1,
          "what a declined record makes is declined too, and nothing else");
}

}  // namespace

std::vector<judge::Case> selftest() {
  return {{"selftest: digests", "L1", digests}, {"selftest: values", "L1", values},       {"selftest: orders", "L1", orders},
          {"selftest: format", "L1", format},   {"selftest: judgement", "L3", judgement}, {"selftest: dependence", "L3", dependence}};
}

}  // namespace slt
