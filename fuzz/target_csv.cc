#include "shell/csv_reader.h"
#include "shell/csv_types.h"
#include "targets.h"

namespace judge {

namespace {

using hdb::shell::CsvField;
using hdb::shell::CsvReader;
using hdb::shell::CsvRecord;

// Arbitrary bytes: F3's second half, and every place moves forward.
void read_anything(const std::string& text) {
  CsvReader reader(text);
  CsvRecord record;
  uint64_t line = 0, records = 0;
  size_t place = 0;
  std::vector<hdb::shell::CsvSniffer> columns;
  std::vector<std::vector<std::pair<std::string, bool>>> kept;
  while (reader.next(&record)) {
    require(record.good() || record.fields.empty(), "F3: a record with fields and a problem");
    require(record.line > line || records == 0, "F3: lines do not rise");
    require(reader.offset() >= place && reader.offset() <= text.size(), "F3: the place does not advance");
    require(++records <= text.size() + 1, "F3: more records than bytes");
    line = record.line;
    place = reader.offset();
    if (!record.good()) continue;
    if (columns.size() < record.fields.size()) columns.resize(record.fields.size());
    kept.emplace_back();
    for (size_t i = 0; i < record.fields.size(); ++i) {
      columns[i].add(record.fields[i]);
      kept.back().emplace_back(std::string(record.fields[i].text), record.fields[i].quoted);
    }
  }
  require(!reader.next(&record), "F3: a record behind the end");
  for (const auto& fields : kept) {
    for (size_t i = 0; i < fields.size(); ++i) {
      const CsvField field{fields[i].first, fields[i].second};
      if (field.is_null()) continue;
      const std::string reason = hdb::shell::check_value(field.text, columns[i].result());
      require(reason.empty(), "F3: a sniffed field is no value of its type " + columns[i].result().sql() + ": '" + fields[i].first + "' " + reason);
    }
  }
}

// Fields made from the bytes, written by RFC 4180 and read back.
void write_and_read(model::Random& r) {
  static const std::vector<std::string> kPieces = {"a", "1", "-2.50", ",", "\"", "\n", "\r\n", " ", "caf\xc3\xa9", "x", "2026-01-31", "''"};
  const size_t columns = 1 + r.below(4), rows = 1 + r.below(6);
  std::vector<std::vector<std::string>> all;
  std::vector<std::vector<bool>> quotes;
  std::string text;
  for (size_t i = 0; i < rows; ++i) {
    all.emplace_back();
    quotes.emplace_back();
    for (size_t c = 0; c < columns; ++c) {
      std::string field;
      for (uint64_t n = r.below(4); n > 0; --n) field += r.pick(kPieces);
      const bool quoted = field.find_first_of(",\"\r\n") != std::string::npos || field.empty() || r.chance(20);
      if (c > 0) text += ',';
      if (quoted) text += '"';
      for (char ch : field) text += quoted && ch == '"' ? std::string("\"\"") : std::string(1, ch);
      if (quoted) text += '"';
      all.back().push_back(field);
      quotes.back().push_back(quoted);
    }
    if (i + 1 < rows || r.chance(60)) text += r.chance(70) ? "\n" : "\r\n";
  }
  CsvReader reader(text);
  reader.expect_fields(columns);
  CsvRecord record;
  for (size_t i = 0; i < rows; ++i) {
    require(reader.next(&record) && record.good(), "F3: a record is missing or bad: " + record.problem + "\n" + text);
    require(record.fields.size() == columns, "F3: the number of fields\n" + text);
    for (size_t c = 0; c < columns; ++c) {
      require(record.fields[c].text == all[i][c] && record.fields[c].quoted == quotes[i][c],
              "F3: a field reads back as '" + std::string(record.fields[c].text) + "'\n" + text);
    }
  }
  require(!reader.next(&record), "F3: a record too many\n" + text);
}

}  // namespace

void fuzz_csv(const uint8_t* data, size_t size, Tally& tally) {
#ifdef HOLODB_FUZZ_CANARY
  if (size > 3 && data[0] == 'a') throw Failure{"wrong-result", "F4: the canary: the text begins with a"};
#endif
  read_anything(std::string(reinterpret_cast<const char*>(data), size));
  model::Random random(data, size);
  write_and_read(random);
  ++tally.statements;
}

}  // namespace judge
