#include "runner.h"

#include <algorithm>

namespace slt {

namespace {

constexpr size_t kShown = 20;

std::string joined(const std::vector<std::string>& values, size_t hash_threshold) {
  if (hash_threshold > 0 && values.size() > hash_threshold) return hashed(values);
  std::string out;
  for (size_t i = 0; i < std::min(values.size(), kShown); ++i) out += (i > 0 ? "|" : "") + values[i];
  return values.size() > kShown ? out + "|... (" + std::to_string(values.size()) + ")" : out;
}

// The object that a statement makes, drops or changes; empty for a query.
std::string object_of(const std::vector<std::string>& words) {
  static const std::set<std::string> kBefore = {"table", "view", "index", "into", "update", "from", "trigger", "exists"};
  if (words.empty() || words[0] == "select" || words[0] == "values" || words[0] == "with") return "";
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    if (kBefore.count(words[i]) > 0 && words[i + 1] != "if" && words[i + 1] != "or") return words[i + 1];
  }
  return "";
}

class Runner {
 public:
  Runner(const Run& run, bool foreign) : run_(run), foreign_(foreign) {}

  void one(const Record& record) {
    const std::vector<std::string> words = words_of_sql(record.sql);
    if (foreign_) {
      const bool depends = std::any_of(words.begin(), words.end(), [&](const std::string& w) { return lost_.count(w) > 0; });
      if (depends) return decline("depends on a declined record", words, record);
    }
    judge::Reply reply;
    try {
      reply = run_(record.sql);
    } catch (const judge::Failure& f) {
      return wrong(record, "the engine caught itself: " + f.text);
    }
    if (!reply.ok) return refused(record, words, reply);
    if (record.kind == Record::Kind::kError) return wrong(record, "an error was expected");
    if (record.kind == Record::Kind::kQuery && !answered(record, reply)) return;
    ++verdicts.right;
  }
  Verdicts verdicts;

 private:
  void decline(const std::string& why, const std::vector<std::string>& words, const Record& record) {
    ++verdicts.declined;
    ++verdicts.reasons[why];
    const std::string object = record.kind == Record::Kind::kOk ? object_of(words) : "";
    // The tables of an index that was not made are as they should be.
    if (!object.empty()) lost_.insert(object);
  }

  void wrong(const Record& record, const std::string& what) {
    ++verdicts.wrong;
    if (verdicts.wrong <= 5) verdicts.first_wrong += "\n  line " + std::to_string(record.line) + ": " + what + "\n    " + record.sql.substr(0, 300);
  }

  void refused(const Record& record, const std::vector<std::string>& words, const judge::Reply& reply) {
    const std::string why = reply.state == "0A000" ? "0A000 " + reply.message : foreign_ ? refused_because(reply.state, reply.message, record.sql) : "";
    if (reply.state == "XX000") return wrong(record, "XX000 " + reply.message);
    if (record.kind == Record::Kind::kError && (!foreign_ || why.empty())) {
      ++verdicts.right;
    } else if (!why.empty()) {
      decline(why, words, record);
    } else {
      wrong(record, reply.state + " " + reply.message);
    }
  }

  bool answered(const Record& record, const judge::Reply& reply) {
    if (reply.types.size() != record.types.size()) {
      wrong(record, std::to_string(reply.types.size()) + " columns");
      return false;
    }
    const std::vector<std::string> values = render(record, reply);
    if (!matches(record, values)) {
      const std::string why = foreign_ ? differs_because(record.sql) : "";
      if (!why.empty()) {
        decline(why, {}, record);
      } else {
        wrong(record, "expected " + joined(record.expected, 0) + ", got " + joined(values, record.hash_threshold));
      }
      return false;
    }
    if (!record.label.empty()) {
      const auto [place, is_new] = labels_.emplace(record.label, hashed(values));
      if (!is_new && place->second != hashed(values)) {
        wrong(record, "another result than before under the label " + record.label);
        return false;
      }
    }
    return true;
  }

  const Run& run_;
  const bool foreign_;
  std::set<std::string> lost_;  // objects that are not as the file takes them to be
  std::map<std::string, std::string> labels_;
};

}  // namespace

void Verdicts::add(const Verdicts& other) {
  right += other.right, wrong += other.wrong, declined += other.declined;
  for (const auto& [reason, count] : other.reasons) reasons[reason] += count;
  if (first_wrong.empty()) first_wrong = other.first_wrong;
}

Verdicts run_records(const std::vector<Record>& records, const Run& run, bool foreign) {
  Runner runner(run, foreign);
  for (const Record& record : records) runner.one(record);
  return runner.verdicts;
}

std::vector<std::string> words_of_sql(const std::string& sql) {
  std::vector<std::string> out;
  std::string word;
  bool quoted = false;
  for (const char c : sql + " ") {
    if (c == '\'') quoted = !quoted;
    const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    const bool upper = c >= 'A' && c <= 'Z';
    if (!quoted && (letter || upper)) {
      word += upper ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (!word.empty()) {
      out.push_back(std::move(word));
      word.clear();
    }
  }
  return out;
}

}  // namespace slt
