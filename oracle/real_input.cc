// real_input: real files, imported by the program `holodb` and read by SQLite: every aggregate equal.
//
// What:       the files of a data folder (default ../shared/data) are imported with .import; questions are asked before and after
//             summaries; SQLite answers over the same file, parsed here by another reader. Without the files: SKIPPED.
// Invariants checked: H2 over real rows; text that looks like a number keeps its zeros; a decimal keeps its digits.
// Usage:      real_input [--data FOLDER] [--holodb PROGRAM] [--case FILE]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "mutants/report.h"
#include "support/compare.h"
#include "support/sqlite_judge.h"

namespace {

using judge::Cell;
using judge::Failure;
using model::Kind;
using model::Type;

using Records = std::vector<std::vector<Cell>>;

// RFC 4180, told a second time and simply: an empty unquoted field is NULL.
Records read_csv(const std::string& text) {
  Records out;
  size_t i = 0;
  while (i < text.size()) {
    std::vector<Cell> record;
    for (;;) {
      Cell cell;
      if (i < text.size() && text[i] == '"') {
        cell.null = false;
        for (++i; i < text.size(); ++i) {
          if (text[i] != '"') {
            cell.text += text[i];
          } else if (i + 1 < text.size() && text[i + 1] == '"') {
            cell.text += text[i++];
          } else {
            break;
          }
        }
        ++i;
      } else {
        while (i < text.size() && text[i] != ',' && text[i] != '\n' && text[i] != '\r') cell.text += text[i++];
        cell.null = cell.text.empty();
      }
      record.push_back(std::move(cell));
      if (i < text.size() && text[i] == ',') {
        ++i;
        continue;
      }
      break;
    }
    if (i < text.size() && text[i] == '\r') ++i;
    if (i < text.size() && text[i] == '\n') ++i;
    out.push_back(std::move(record));
  }
  return out;
}

struct Question {
  const char* holo;
  const char* sqlite;  // with exact_sum and exact_avg; a decimal column is its scaled integer
  const char* types;   // a letter a column: i integer, t text, d double, l decimal of the file's scale, 6 that scale + 6
};
struct File {
  const char* name;
  const char* columns;  // a letter a column: i integer, t text, l decimal
  const char* summary;
  std::vector<Question> questions;
};

const std::vector<File>& files() {
  static const std::vector<File> kFiles = {
      {"flights",
       "tiitt",
       "CREATE INDEX s ON flights USING SUMMARY (origin, destination) INCLUDE (delay, distance)",
       {{"SELECT COUNT(*), SUM(delay), AVG(delay), SUM(distance), MIN(delay), MAX(delay), COUNT(DISTINCT origin) FROM flights",
         "SELECT COUNT(*), exact_sum(c1), exact_avg(c1), exact_sum(c2), MIN(c1), MAX(c1), COUNT(DISTINCT c3) FROM t", "iidiiii"},
        {"SELECT origin, COUNT(*), SUM(delay), AVG(distance) FROM flights GROUP BY origin ORDER BY origin",
         "SELECT c3, COUNT(*), exact_sum(c1), exact_avg(c2) FROM t GROUP BY c3 ORDER BY c3", "tiid"},
        {"SELECT origin, destination, COUNT(*) AS n, SUM(delay) FROM flights GROUP BY origin, destination ORDER BY n DESC, origin, destination LIMIT 50",
         "SELECT c3, c4, COUNT(*) AS n, exact_sum(c1) FROM t GROUP BY c3, c4 ORDER BY n DESC, c3, c4 LIMIT 50", "ttii"},
        {"SELECT destination, COUNT(*), MAX(delay) FROM flights WHERE delay > 60 AND origin IN ('ORD', 'ATL', 'LAX') GROUP BY destination ORDER BY destination",
         "SELECT c4, COUNT(*), MAX(c1) FROM t WHERE c1 > 60 AND c3 IN ('ORD', 'ATL', 'LAX') GROUP BY c4 ORDER BY c4", "tii"},
        {"SELECT MIN(date), MAX(date), COUNT(DISTINCT date) FROM flights", "SELECT MIN(c0), MAX(c0), COUNT(DISTINCT c0) FROM t", "tti"},
        {"SELECT COUNT(*), SUM(distance) FROM flights WHERE date >= TIMESTAMP '2001-01-08 00:00:00' AND date < TIMESTAMP '2001-01-09 00:00:00'",
         "SELECT COUNT(*), exact_sum(c2) FROM t WHERE c0 >= '2001-01-08 00:00:00' AND c0 < '2001-01-09 00:00:00'", "ii"},
        {"SELECT origin, SUM(delay) AS s FROM flights WHERE destination LIKE 'S%' GROUP BY origin HAVING COUNT(*) > 100 ORDER BY s DESC, origin",
         "SELECT c3, exact_sum(c1) AS s FROM t WHERE c4 LIKE 'S%' GROUP BY c3 HAVING COUNT(*) > 100 ORDER BY s DESC, c3", "ti"}}},
      {"birdstrikes",
       "tttttttttt"
       "iiii",
       "CREATE INDEX s ON birdstrikes USING SUMMARY (\"Origin State\", \"Wildlife Size\") INCLUDE (\"Cost Total $\", \"Speed IAS in knots\")",
       {{"SELECT COUNT(*), SUM(\"Cost Total $\"), COUNT(\"Speed IAS in knots\"), AVG(\"Speed IAS in knots\") FROM birdstrikes",
         "SELECT COUNT(*), exact_sum(c12), COUNT(c13), exact_avg(c13) FROM t", "iiid"},
        {"SELECT \"Origin State\", COUNT(*), SUM(\"Cost Total $\"), COUNT(\"Speed IAS in knots\") FROM birdstrikes GROUP BY \"Origin State\" ORDER BY \"Origin "
         "State\"",
         "SELECT c5, COUNT(*), exact_sum(c12), COUNT(c13) FROM t GROUP BY c5 ORDER BY c5", "tiii"},
        {"SELECT \"Wildlife Size\", \"Time of day\", COUNT(*), SUM(\"Cost Repair\") FROM birdstrikes GROUP BY \"Wildlife Size\", \"Time of day\" ORDER BY "
         "\"Wildlife Size\", \"Time of day\"",
         "SELECT c7, c9, COUNT(*), exact_sum(c11) FROM t GROUP BY c7, c9 ORDER BY c7, c9", "ttii"},
        {"SELECT MIN(\"Flight Date\"), MAX(\"Flight Date\"), COUNT(DISTINCT \"Flight Date\"), COUNT(DISTINCT \"Wildlife Species\") FROM birdstrikes",
         "SELECT MIN(c3), MAX(c3), COUNT(DISTINCT c3), COUNT(DISTINCT c8) FROM t", "ttii"},
        {"SELECT COUNT(*), SUM(\"Cost Other\") FROM birdstrikes WHERE \"Origin State\" = 'Texas' AND \"Effect Amount of damage\" <> 'None'",
         "SELECT COUNT(*), exact_sum(c10) FROM t WHERE c5 = 'Texas' AND c2 <> 'None'", "ii"}}},
      {"airports",
       "tttttll",
       "CREATE INDEX s ON airports USING SUMMARY (state, country) INCLUDE (latitude, longitude)",
       {{"SELECT COUNT(*), SUM(latitude), AVG(latitude), MIN(longitude), MAX(latitude) FROM airports",
         "SELECT COUNT(*), exact_sum(c5), exact_dec_avg(c5), MIN(c6), MAX(c5) FROM t", "il6ll"},
        {"SELECT state, COUNT(*), SUM(latitude), SUM(longitude) FROM airports GROUP BY state ORDER BY state",
         "SELECT c3, COUNT(*), exact_sum(c5), exact_sum(c6) FROM t GROUP BY c3 ORDER BY c3", "till"},
        {"SELECT iata, name, city FROM airports WHERE name LIKE '%\"%' OR name LIKE '%,%' ORDER BY iata",
         "SELECT c0, c1, c2 FROM t WHERE c1 LIKE '%\"%' OR c1 LIKE '%,%' ORDER BY c0", "ttt"},
        {"SELECT country, COUNT(DISTINCT state), MIN(name) FROM airports GROUP BY country ORDER BY country",
         "SELECT c4, COUNT(DISTINCT c3), MIN(c1) FROM t GROUP BY c4 ORDER BY c4", "tit"}}},
      {"zipcodes",
       "tllttt",
       "CREATE INDEX s ON zipcodes USING SUMMARY (state) INCLUDE (latitude)",
       {{"SELECT COUNT(*), MIN(zip_code), MAX(zip_code), COUNT(DISTINCT zip_code) FROM zipcodes",
         "SELECT COUNT(*), MIN(c0), MAX(c0), COUNT(DISTINCT c0) FROM t", "itti"},
        {"SELECT * FROM zipcodes WHERE zip_code = '00501'", "SELECT * FROM t WHERE c0 = '00501'", "tllttt"},
        {"SELECT state, COUNT(*), AVG(latitude), SUM(latitude), COUNT(DISTINCT county) FROM zipcodes GROUP BY state ORDER BY state",
         "SELECT c4, COUNT(*), exact_dec_avg(c1), exact_sum(c1), COUNT(DISTINCT c5) FROM t GROUP BY c4 ORDER BY c4", "ti6li"},
        {"SELECT county, COUNT(*) AS n FROM zipcodes WHERE zip_code LIKE '0%' GROUP BY county ORDER BY n DESC, county LIMIT 20",
         "SELECT c5, COUNT(*) AS n FROM t WHERE c0 LIKE '0%' GROUP BY c5 ORDER BY n DESC, c5 LIMIT 20", "ti"}}}};
  return kFiles;
}

std::string output_of(const std::string& command, int* status) {
  std::string out;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw Failure{"wrong-result", "cannot run " + command};
  char buffer[65536];
  for (size_t n = 0; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) out.append(buffer, n);
  *status = pclose(pipe);
  return out;
}

std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

bool exists(const std::string& path) { return std::ifstream(path).good(); }

int scale_of(const Records& records, const char* columns) {
  size_t scale = 0;
  for (size_t r = 1; r < records.size(); ++r) {
    for (size_t c = 0; columns[c] != 0; ++c) {
      const size_t point = columns[c] == 'l' ? records[r][c].text.find('.') : std::string::npos;
      if (point != std::string::npos) scale = std::max(scale, records[r][c].text.size() - point - 1);
    }
  }
  return static_cast<int>(scale);
}

void load(judge::SqliteJudge& sqlite, const Records& records, const char* columns, int scale) {
  model::TableDef def;
  def.name = "t";
  std::string sql = "CREATE TABLE t(";
  for (size_t c = 0; columns[c] != 0; ++c) {
    def.columns.emplace_back();
    sql += (c > 0 ? ", c" : "c") + std::to_string(c) + (columns[c] == 't' ? " TEXT" : " INTEGER");
  }
  sqlite.execute(sql + ")");
  std::vector<model::Row> rows;
  for (size_t r = 1; r < records.size(); ++r) {
    model::Row row;
    for (size_t c = 0; columns[c] != 0; ++c) {
      const Type type = columns[c] == 'i' ? model::int_type() : columns[c] == 't' ? model::simple_type(Kind::kText) : model::dec_type(18, scale);
      model::Value v = judge::value_from(records[r].at(c), type);
      if (columns[c] == 'l' && !v.is_null()) v = model::make_dec_checked(model::to_big(v.n) * model::power_of_ten(scale - v.scale), scale);
      row.push_back(std::move(v));
    }
    rows.push_back(std::move(row));
  }
  sqlite.load(def, rows);
}

std::vector<Type> types_of(const char* letters, int scale) {
  std::vector<Type> out;
  for (const char* c = letters; *c != 0; ++c) {
    out.push_back(*c == 'i'   ? model::int_type()
                  : *c == 'd' ? model::simple_type(Kind::kDbl)
                  : *c == 'l' ? model::dec_type(38, scale)
                  : *c == '6' ? model::dec_type(38, scale + 6)
                              : model::simple_type(Kind::kText));
  }
  return out;
}

void check_file(const File& file, const std::string& folder, const std::string& program) {
  std::string path = folder + "/" + file.name + ".csv";
  int status = 0;
  if (!exists(path)) {  // flights-500k.csv.zst
    const std::string packed = folder + "/" + file.name + "-500k.csv.zst";
    path = std::string(file.name) + ".csv";
    output_of("zstd -q -d -f '" + packed + "' -o '" + path + "'", &status);
    if (status != 0) throw Failure{"wrong-result", "zstd does not unpack " + packed};
  }
  const Records records = read_csv(contents(path));
  const int scale = scale_of(records, file.columns);
  judge::SqliteJudge sqlite;
  load(sqlite, records, file.columns, scale);
  std::string script = ".import '" + path + "' " + file.name + "\n";
  for (int round = 0; round < 2; ++round) {
    for (const Question& q : file.questions) script += std::string(q.holo) + ";\nSELECT 'end of result';\n";
    if (round == 0) script += std::string(file.summary) + ";\n";
  }
  const std::string script_path = std::string(file.name) + ".sql";
  std::ofstream(script_path) << script << ".verify\n";
  const std::string text = output_of("'" + program + "' -csv -noheader -bail -f '" + script_path + "'", &status);
  if (status != 0) throw Failure{"wrong-result", "holodb ends with status " + std::to_string(status) + "\n" + text.substr(0, 500)};
  const Records lines = read_csv(text);
  size_t at = 0;
  for (int round = 0; round < 2; ++round) {
    for (const Question& q : file.questions) {
      const model::Outcome want = sqlite.query(q.sqlite, types_of(q.types, scale), true);
      judge::Reply got;
      got.types = want.result.types;
      for (; at < lines.size() && lines[at][0].text != "end of result"; ++at) {
        if (lines[at].size() == got.types.size()) got.rows.push_back(lines[at]);
      }
      if (at == lines.size()) throw Failure{"wrong-result", std::string("no result of ") + q.holo};
      ++at;
      const std::string difference = judge::difference(want, got);
      if (!difference.empty()) throw Failure{"wrong-result", difference + "\n  " + q.holo};
      report::checked();
    }
  }
  std::printf("%s: %zu rows, %zu questions twice, equal to SQLite\n", file.name, records.size() - 1, file.questions.size());
}

}  // namespace

int main(int argc, char** argv) {
  const report::Options options = report::begin("real_input", argc, argv);
  std::string folder = HOLODB_DATA, program = HOLODB_PROGRAM;
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::strcmp(argv[i], "--data") == 0) folder = argv[i + 1];
    if (std::strcmp(argv[i], "--holodb") == 0) program = argv[i + 1];
  }
  if (!exists(folder + "/airports.csv")) {
    std::printf("SKIPPED: no data in %s\n", folder.c_str());
    return 0;
  }
  for (const File& file : files()) {
    if (!options.selects(file.name)) continue;
    report::start_case(file.name, "H2");
    try {
      check_file(file, folder, program);
    } catch (const Failure& f) {
      report::failed(f.kind.c_str(), f.text);
    }
  }
  return report::finish();
}
