#include "external.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "exact_token.h"
#include "support/compare.h"

namespace engines {

namespace {

constexpr const char* kMark = "holodb_mark";

std::string read_all(const std::filesystem::path& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

// Just enough of JSON: arrays of flat objects, and flat objects.
class Json {
 public:
  explicit Json(const std::string& text) : text_(text) {}
  // The next object of the text, over the brackets and commas between objects; false at the end, or where there is no JSON.
  bool next(std::vector<std::pair<std::string, Token>>& object) {
    object.clear();
    while (at_ < text_.size() && text_[at_] != '{') ++at_;
    if (at_ >= text_.size()) return false;
    ++at_;
    for (;;) {
      space();
      if (at_ >= text_.size()) return false;
      if (text_[at_] == '}') return ++at_, true;
      if (text_[at_] == ',') {
        ++at_;
        continue;
      }
      const std::string name = string();
      space();
      if (at_ >= text_.size() || text_[at_] != ':') return false;
      ++at_;
      object.emplace_back(name, value());
    }
  }

 private:
  void space() {
    while (at_ < text_.size() && std::strchr(" \t\r\n", text_[at_]) != nullptr) ++at_;
  }
  std::string string() {
    std::string out;
    if (at_ >= text_.size() || text_[at_] != '"') return ++at_, out;
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] != '\\') {
        out += text_[at_];
        continue;
      }
      ++at_;
      const char c = at_ < text_.size() ? text_[at_] : '"';
      if (c == 'u') {
        const long code = std::strtol(text_.substr(at_ + 1, 4).c_str(), nullptr, 16);
        if (code < 0x80) out += static_cast<char>(code);
        else if (code < 0x800) out += static_cast<char>(0xc0 | code >> 6), out += static_cast<char>(0x80 | (code & 63));
        else out += static_cast<char>(0xe0 | code >> 12), out += static_cast<char>(0x80 | (code >> 6 & 63)), out += static_cast<char>(0x80 | (code & 63));
        at_ += 4;
      } else {
        out += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c == 'b' ? '\b' : c == 'f' ? '\f' : c;
      }
    }
    ++at_;
    return out;
  }
  Token value() {
    space();
    if (at_ < text_.size() && text_[at_] == '"') return {Token::Kind::kText, string()};
    const size_t end = std::min(text_.find_first_of(",} \n\r\t]", at_), text_.size());
    const std::string word = text_.substr(at_, end - at_);
    at_ = end;
    if (word == "null") return {};
    if (word == "true" || word == "false") return {Token::Kind::kBool, word};
    return {Token::Kind::kNumber, word};
  }
  const std::string& text_;
  size_t at_ = 0;
};

// One text a value: equal where the expected type says that the values are.
std::string key_of(const Token& token, const model::Type& type) {
  using model::Kind;
  if (token.kind == Token::Kind::kNull) return "NULL|";
  switch (type.kind) {
    case Kind::kInt:
    case Kind::kDec:
      return exact_text(token.text) + "|";
    case Kind::kDbl:
      return model::key_of(model::make_dbl(std::strtod(token.text.c_str(), nullptr))) + "|";
    case Kind::kBool:
      return token.text == "true" || token.text == "1" ? "true|" : token.text == "false" || token.text == "0" ? "false|" : token.text + "|";
    default:
      return "'" + token.text + "'|";
  }
}
Token token_from(const model::Value& v) {
  using model::Kind;
  if (v.is_null()) return {};
  if (v.kind == Kind::kBool) return {Token::Kind::kBool, v.truth() ? "true" : "false"};
  return {v.kind == Kind::kText || v.kind == Kind::kDate ? Token::Kind::kText : Token::Kind::kNumber, model::to_text(v)};
}

using Row = std::vector<Token>;
std::string shown(const std::vector<Row>& rows) {
  std::string out;
  for (size_t i = 0; i < rows.size() && i < 5; ++i) {
    out += i > 0 ? "; " : "";
    for (size_t c = 0; c < rows[i].size(); ++c) out += (c > 0 ? "|" : "") + (rows[i][c].kind == Token::Kind::kNull ? "NULL" : rows[i][c].text);
  }
  return rows.size() > 5 ? out + "; ... " + std::to_string(rows.size()) + " rows" : out;
}

// Sorted by what is exact first, so that rows that differ in a double alone stand beside each other.
void sort_rows(std::vector<Row>& rows, const std::vector<model::Type>& types) {
  const auto key = [&types](const Row& row, bool doubles) {
    std::string out;
    for (size_t c = 0; c < row.size() && c < types.size(); ++c) {
      if ((types[c].kind == model::Kind::kDbl) == doubles) out += key_of(row[c], types[c]);
    }
    return out;
  };
  std::sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
    const std::string x = key(a, false), y = key(b, false);
    return x != y ? x < y : key(a, true) < key(b, true);
  });
}

}  // namespace

std::string Profile::translated(const std::string& sql) const {
  for (const std::regex& r : skip) {
    if (std::regex_search(sql, r)) return "";
  }
  std::string out = sql;
  for (const auto& [what, with] : replace) out = std::regex_replace(out, what, with);
  return out;
}

const Known* Profile::known_for(const std::string& sql, const std::string& difference) const {
  for (const Known& k : known) {
    if (std::regex_search(sql, k.statement) && std::regex_search(difference, k.difference)) return &k;
  }
  return nullptr;
}

Profile read_profile(const std::string& name) {
  Profile out;
  const bool is_path = name.find('/') != std::string::npos || name.find('.') != std::string::npos;
  const std::string path = is_path ? name : std::string(HOLODB_PROFILES) + "/" + name + ".profile";
  std::ifstream file(path);
  if (!file) throw std::runtime_error("there is no profile " + path);
  out.name = std::filesystem::path(path).stem().string();
  const auto flags = std::regex::icase | std::regex::ECMAScript;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    const size_t space = line.find(' ');
    const std::string word = line.substr(0, space), rest = space == std::string::npos ? "" : line.substr(space + 1);
    const auto parts = [&rest](const std::string& between) {
      std::vector<std::string> list;
      for (size_t from = 0;;) {
        const size_t at = rest.find(between, from);
        list.push_back(rest.substr(from, at - from));
        if (at == std::string::npos) return list;
        from = at + between.size();
      }
    };
    if (word.empty() || word[0] == '#') continue;
    if (word == "prelude") out.prelude.push_back(rest);
    else if (word == "skip") out.skip.emplace_back(rest, flags);
    else if (word == "decimals") out.decimals = rest == "exact";
    else if (word == "replace" && parts(" => ").size() == 2) out.replace.emplace_back(std::regex(parts(" => ")[0], flags), parts(" => ")[1]);
    else if (word == "known" && parts(" | ").size() == 3)
      out.known.push_back({parts(" | ")[0], std::regex(parts(" | ")[1], flags), std::regex(parts(" | ")[2], flags)});
    else throw std::runtime_error(path + " line " + std::to_string(number) + ": prelude, skip, replace A => B, known NAME | STATEMENT | DIFFERENCE, decimals exact");
  }
  return out;
}

std::vector<Answer> read_answers(const std::string& out, const std::string& err, const std::vector<int>& line_of) {
  std::vector<Answer> answers(line_of.size());
  Json json(out);
  std::vector<std::pair<std::string, Token>> object;
  Answer now;
  size_t next = 0;
  const auto skip_left_out = [&] {
    while (next < line_of.size() && line_of[next] == 0) ++next;
  };
  for (skip_left_out(); json.next(object) && next < line_of.size();) {
    if (object.size() == 1 && object[0].first == kMark) {
      answers[next++] = std::move(now);
      now = Answer{};
      skip_left_out();
    } else if (object.size() == 1 && object[0].first == "error") {
      now.ok = false, now.error = object[0].second.text;
    } else {
      std::vector<Token> row;
      for (auto& [name, value] : object) row.push_back(std::move(value));
      now.rows.push_back(std::move(row));
    }
  }
  std::istringstream lines(err);
  std::smatch found;
  static const std::regex kLine("line (\\d+)");
  for (std::string line; std::getline(lines, line);) {
    if (!std::regex_search(line, found, kLine)) continue;
    for (size_t i = 0; i < line_of.size(); ++i) {
      if (line_of[i] == std::atoi(found[1].str().c_str())) answers[i].ok = false, answers[i].error = line;
    }
  }
  for (; next < line_of.size(); ++next) {  // EN1
    if (line_of[next] != 0) answers[next].ok = false, answers[next].error = "the engine ended: " + err.substr(0, 300);
  }
  return answers;
}

std::vector<Answer> External::run(const std::vector<std::string>& statements) const {
  std::string folder = (std::filesystem::temp_directory_path() / "holodb-engine-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error(std::string("no folder: ") + std::strerror(errno));
  std::vector<int> line_of(statements.size(), 0);
  {
    std::ofstream script(folder + "/in");
    int line = 0;
    for (const std::string& sql : profile_.prelude) script << sql << ";\n", ++line;
    for (size_t i = 0; i < statements.size(); ++i) {
      std::string sql = profile_.translated(statements[i]);
      if (sql.empty()) continue;
      std::replace(sql.begin(), sql.end(), '\n', ' ');
      script << sql << ";\nSELECT " << i << " AS " << kMark << ";\n";
      line_of[i] = ++line;
      ++line;
    }
  }
  const std::string command = "cd '" + folder + "' && timeout 60 " + command_ + " <in >out 2>err";
  const int status = std::system(command.c_str());
  const std::string out = read_all(folder + "/out"), err = read_all(folder + "/err");
  std::filesystem::remove_all(folder);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  if ((code >= 124 && code <= 127) || (out.empty() && code != 0))
    throw std::runtime_error("the engine '" + command_ + "' ends with " + std::to_string(code) + ": " + err.substr(0, 300));
  return read_answers(out, err, line_of);
}

Answer answer_from(const model::Outcome& outcome) {
  Answer out;
  out.ok = outcome.ending != model::Ending::kError;
  if (!out.ok) out.error = *outcome.states.begin();
  for (const model::Row& row : outcome.result.rows) {
    out.rows.emplace_back();
    for (const model::Value& v : row) out.rows.back().push_back(token_from(v));
  }
  return out;
}

Answer answer_from(const judge::Reply& reply) {
  Answer out = answer_from(outcome_from(reply));
  if (!out.ok) out.error += " " + reply.message;
  return out;
}

model::Outcome outcome_from(const judge::Reply& reply) {
  model::Outcome out;
  out.ending = !reply.ok ? model::Ending::kError : reply.types.empty() ? model::Ending::kDone : model::Ending::kRows;
  if (!reply.ok) out.states = {reply.state};
  out.result = result_from(reply);
  return out;
}

model::Result result_from(const judge::Reply& reply) {
  model::Result out;
  out.types = reply.types;
  for (const auto& cells : reply.rows) {
    model::Row row;
    for (size_t c = 0; c < cells.size(); ++c) row.push_back(judge::value_from(cells[c], reply.types[c]));
    out.rows.push_back(std::move(row));
  }
  return out;
}

Difference difference(const model::Outcome& want, const Answer& got) {
  using model::Ending;
  if (want.ending == Ending::kOpen) return {};
  if (want.ending == Ending::kError) {
    if (!got.ok) return {};
    return {"no error", "no error: " + *want.states.begin() + " expected, got " + shown(got.rows)};
  }
  if (!got.ok) return {"error", "error: " + got.error};
  if (want.ending != Ending::kRows) return {};
  const std::vector<model::Type>& types = want.result.types;
  std::vector<Row> expected = answer_from(want).rows, rows = got.rows;
  const std::string text = "expected " + shown(expected) + ", got " + shown(rows);
  if (rows.size() != expected.size()) return {"rows", "rows: " + text};
  sort_rows(expected, types);
  sort_rows(rows, types);
  std::string kind;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].size() != types.size()) return {"rows", "columns: " + text};
    for (size_t c = 0; c < types.size(); ++c) {
      if (key_of(rows[i][c], types[c]) == key_of(expected[i][c], types[c])) continue;
      const double a = std::strtod(expected[i][c].text.c_str(), nullptr), b = std::strtod(rows[i][c].text.c_str(), nullptr);
      const bool near = types[c].kind == model::Kind::kDbl && std::fabs(a - b) <= 1e-9 * std::max(std::fabs(a), std::fabs(b));
      if (!near) return {"value", "value: " + text};
      kind = "rounding";
    }
  }
  return kind.empty() ? Difference{} : Difference{kind, kind + ": " + text};
}

}  // namespace engines
