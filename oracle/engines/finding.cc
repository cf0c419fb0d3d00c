#include "finding.h"

#include <algorithm>
#include <map>

#include "properties/experiment.h"
#include "shown.h"

namespace engines {

namespace {

std::string upper_start(const std::string& sql) {
  std::string out;
  for (const char c : sql.substr(0, 12)) out += c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  return out;
}
bool is_query(const std::string& sql) { return upper_start(sql).rfind("SELECT", 0) == 0; }

// What HoloDb answers to the last of these statements, all run on a new database.
judge::Reply ask_holodb(const std::vector<std::string>& setup, const std::string& question) {
  judge::Engine engine;
  const auto connection = engine.connection();
  for (const std::string& sql : setup) connection->run(sql);
  return connection->run(question);
}
Answer ask_engine(const External& engine, const std::vector<std::string>& setup, const std::string& question) {
  std::vector<std::string> all = setup;
  all.push_back(question);
  return engine.run(all).back();
}

}  // namespace

std::vector<std::string> statements_of(const std::string& script) {
  std::vector<std::string> out;
  std::string now;
  char quote = 0;
  const auto end = [&] {
    const size_t first = now.find_first_not_of(" \t\r\n");
    if (first != std::string::npos) out.push_back(now.substr(first, now.find_last_not_of(" \t\r\n") - first + 1));
    now.clear();
  };
  for (size_t i = 0; i < script.size(); ++i) {
    const char c = script[i];
    if (quote == 0 && c == '-' && i + 1 < script.size() && script[i + 1] == '-') {
      i = std::min(script.find('\n', i), script.size());
      now += ' ';
      continue;
    }
    if (quote != 0 ? c == quote : c == '\'' || c == '"') quote = quote != 0 ? 0 : c;
    if (c == ';' && quote == 0) end();
    else now += c;
  }
  end();
  return out;
}

// INSERT ... VALUES of several rows as several statements, so that rows can be taken away.
std::vector<std::string> one_row_each(const std::string& sql) {
  const size_t values = [&] {
    std::string text = sql;
    for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    return text.rfind("INSERT", 0) == 0 ? text.find("VALUES") : std::string::npos;
  }();
  if (values == std::string::npos) return {sql};
  std::vector<std::string> out;
  int depth = 0;
  char quote = 0;
  size_t from = 0;
  for (size_t i = values + 6; i < sql.size(); ++i) {
    const char c = sql[i];
    if (quote != 0 ? c == quote : c == '\'') quote = quote != 0 ? 0 : c;
    if (quote != 0) continue;
    if (c == '(' && depth++ == 0) from = i;
    if (c == ')' && --depth == 0) out.push_back(sql.substr(0, values + 6) + " " + sql.substr(from, i - from + 1));
  }
  return out.empty() ? std::vector<std::string>{sql} : out;
}

void judge_finding(Finding& f, const judge::Reply& holodb, const Answer& theirs, const External& engine, bool model_agrees_with_holodb) {
  f.holodb = shown(answer_from(holodb)), f.engine = shown(theirs);
  const Judgement j = adjudicate(
      f.question, answer_from(holodb), theirs, [&](const std::string& sql) { return answer_from(ask_holodb(f.setup, sql)); },
      [&](const std::string& sql) { return ask_engine(engine, f.setup, sql); }, [&](const std::string& sql) { return ask_holodb(f.setup, sql).types; });
  f.exact = j.possible ? j.exact : "not asked: " + j.why_not;
  const bool by_model = !f.model.empty();
  const bool holodb_right = (!j.possible || j.holodb_right) && (!by_model || model_agrees_with_holodb);
  if (!j.possible && !by_model) f.verdict = "not decided: " + j.why_not;
  else if (holodb_right && !(j.possible && j.engine_right)) f.verdict = "the engine is wrong";
  else if (j.possible && by_model && j.holodb_right != model_agrees_with_holodb) f.verdict = "not decided: the model and exact arithmetic differ";
  else f.verdict = j.possible && !j.engine_right ? "both are wrong" : "HoloDb is wrong";
  if (f.slt.empty() && holodb_right && holodb.ok) f.slt = slt_of(f.setup, f.question, result_from(holodb));
}

Found compare_script(const std::string& script, const External& engine, const Profile& profile) {
  Found out;
  std::map<std::string, uint64_t> known;
  const std::vector<std::string> statements = statements_of(script);
  const std::vector<Answer> theirs = engine.run(statements);
  judge::Engine database;
  const auto connection = database.connection();
  for (size_t i = 0; i < statements.size() && out.findings.empty(); ++i) {
    const judge::Reply ours = connection->run(statements[i]);
    if (profile.translated(statements[i]).empty()) continue;
    ++out.compared;
    const Difference d = difference(outcome_from(ours), theirs[i]);
    if (d.kind.empty()) continue;
    if (const Known* k = profile.known_for(statements[i], d.text)) {
      ++known[k->name];
      continue;
    }
    judge::Experiment e;
    for (size_t s = 0; s < i; ++s) {
      for (const std::string& sql : one_row_each(statements[s])) {
        if (!is_query(sql)) e.setup.push_back(sql);
      }
    }
    const judge::Law law = [&, question = statements[i]](judge::Script&, const judge::Experiment& tried) -> std::string {
      const Difference now = difference(outcome_from(ask_holodb(tried.setup, question)), ask_engine(engine, tried.setup, question));
      return now.kind == d.kind && profile.known_for(question, now.text) == nullptr ? now.text : "";
    };
    e = judge::shrink([] { return std::make_unique<NoPeer>(); }, e, law, 20000);
    Finding f;
    f.setup = e.setup, f.question = statements[i];
    const judge::Reply again = ask_holodb(f.setup, f.question);
    const Answer their_answer = ask_engine(engine, f.setup, f.question);
    f.text = difference(outcome_from(again), their_answer).text;
    f.kind = d.kind;
    judge_finding(f, again, their_answer, engine, false);
    out.findings.push_back(std::move(f));
  }
  out.known.assign(known.begin(), known.end());
  return out;
}

}  // namespace engines
