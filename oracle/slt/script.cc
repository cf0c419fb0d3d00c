#include "script.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "md5.h"

namespace slt {

namespace {

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> out;
  std::string word;
  for (const char c : line) {
    if (c == ' ' || c == '\t') {
      if (!word.empty()) out.push_back(std::move(word));
      word.clear();
      continue;
    }
    word += c;
  }
  if (!word.empty()) out.push_back(std::move(word));
  return out;
}

class Parser {
 public:
  Parser(std::string_view text, std::string_view engine) : engine_(engine) {
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      std::string_view line = text.substr(0, end);
      if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
      lines_.emplace_back(line);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  std::vector<Record> run() {
    std::vector<Record> out;
    bool skip = false;
    while (at_ < lines_.size()) {
      const std::string& line = lines_[at_];
      const std::vector<std::string> words = line.empty() || line[0] == '#' ? std::vector<std::string>{} : words_of(line);
      if (words.empty()) {
        ++at_;
      } else if (words[0] == "skipif" || words[0] == "onlyif") {
        if (words.size() < 2) wrong("a name is missing");
        skip |= (words[1] == engine_) == (words[0] == "skipif");
        ++at_;
      } else if (words[0] == "halt") {
        if (!skip) return out;
        skip = false, ++at_;
      } else if (words[0] == "hash-threshold") {
        threshold_ = words.size() == 2 ? static_cast<size_t>(std::strtoull(words[1].c_str(), nullptr, 10)) : 0;
        skip = false, ++at_;
      } else {
        Record record = this->record(words);
        if (!skip) out.push_back(std::move(record));
        skip = false;
      }
    }
    return out;
  }

 private:
  [[noreturn]] void wrong(const std::string& what) const { throw std::runtime_error("line " + std::to_string(at_ + 1) + ": " + what + ": " + lines_[at_]); }

  Record record(const std::vector<std::string>& words) {
    Record out;
    out.line = static_cast<int>(at_) + 1;
    out.hash_threshold = threshold_;
    if (words[0] == "statement" && words.size() >= 2 && (words[1] == "ok" || words[1] == "error")) {
      out.kind = words[1] == "ok" ? Record::Kind::kOk : Record::Kind::kError;
    } else if (words[0] == "query" && words.size() >= 2 && words[1].find_first_not_of("ITR") == std::string::npos) {
      out.kind = Record::Kind::kQuery;
      out.types = words[1];
      if (words.size() > 2) {
        if (words[2] != "nosort" && words[2] != "rowsort" && words[2] != "valuesort") wrong("no such order");
        out.sort = words[2] == "rowsort" ? Sort::kRows : words[2] == "valuesort" ? Sort::kValues : Sort::kNone;
      }
      if (words.size() > 3) out.label = words[3];
    } else {
      wrong("no such record");
    }
    for (++at_; at_ < lines_.size() && !lines_[at_].empty() && lines_[at_] != "----"; ++at_) out.sql += (out.sql.empty() ? "" : "\n") + lines_[at_];
    if (at_ < lines_.size() && lines_[at_] == "----") {
      for (++at_; at_ < lines_.size() && !lines_[at_].empty(); ++at_) out.expected.push_back(lines_[at_]);
    }
    return out;
  }

  std::string_view engine_;
  std::vector<std::string> lines_;
  size_t at_ = 0, threshold_ = 0;
};

std::string printable(const std::string& text) {
  if (text.empty()) return "(empty)";
  std::string out = text;
  for (char& c : out) {
    if (c < ' ' || c > '~') c = '@';
  }
  return out;
}

double number_of(const judge::Cell& cell, model::Kind kind) {
  return kind == model::Kind::kBool ? (cell.text == "true" ? 1 : 0) : std::strtod(cell.text.c_str(), nullptr);
}

// As the format's reference does: a double's integer part, at the ends of 64 bits when it is beyond them.
std::string integer_of(const judge::Cell& cell, model::Kind kind) {
  if (kind == model::Kind::kInt) return cell.text;
  if (kind == model::Kind::kBool) return cell.text == "true" ? "1" : "0";
  if (kind != model::Kind::kDbl) return std::to_string(std::strtoll(cell.text.c_str(), nullptr, 10));  // digits up to the point, or 0
  const double x = std::trunc(std::strtod(cell.text.c_str(), nullptr));
  if (std::isnan(x)) return "0";
  if (x >= 9223372036854775807.0) return "9223372036854775807";
  if (x <= -9223372036854775808.0) return "-9223372036854775808";
  return std::to_string(static_cast<long long>(x));
}

std::string rendered(const judge::Cell& cell, model::Kind kind, char type) {
  if (cell.null) return "NULL";
  if (type == 'I') return integer_of(cell, kind);
  if (type == 'T') return kind == model::Kind::kBool ? integer_of(cell, kind) : printable(cell.text);
  char text[400];  // 1e308 has 309 digits
  std::snprintf(text, sizeof text, "%.3f", number_of(cell, kind));
  return text;
}

}  // namespace

std::vector<Record> parse(std::string_view text, std::string_view engine) { return Parser(text, engine).run(); }

std::vector<std::string> render(const Record& record, const judge::Reply& reply) {
  std::vector<std::vector<std::string>> rows;
  for (const std::vector<judge::Cell>& row : reply.rows) {
    std::vector<std::string> values;
    for (size_t c = 0; c < row.size(); ++c) values.push_back(rendered(row[c], reply.types[c].kind, record.types[c]));
    rows.push_back(std::move(values));
  }
  if (record.sort == Sort::kRows) std::sort(rows.begin(), rows.end());
  std::vector<std::string> out;
  for (std::vector<std::string>& row : rows) {
    for (std::string& value : row) out.push_back(std::move(value));
  }
  if (record.sort == Sort::kValues) std::sort(out.begin(), out.end());
  return out;
}

std::string hashed(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) text += value + "\n";
  return std::to_string(values.size()) + " values hashing to " + md5(text);
}

bool matches(const Record& record, const std::vector<std::string>& values) {
  if (record.expected.size() == 1 && record.expected[0].find(" values hashing to ") != std::string::npos) return record.expected[0] == hashed(values);
  return record.expected == values;
}

}  // namespace slt
