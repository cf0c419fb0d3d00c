// oracle/engines/shown.h: small things that findings are told with.
//
// What:       rows as one line; a finding as a sqllogictest file; a peer that answers nothing, for the shrinker.
// Callers:    oracle/engines/.
// Held by:    ci/compare_test
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "external.h"
#include "finding.h"
#include "support/peer.h"

namespace engines {

// The law asks the engines itself.
class NoPeer : public judge::Peer {
 public:
  judge::Reply run(const std::string&) override { return {}; }
  judge::Reply append(const model::TableDef&, const std::vector<model::Row>&) override { return {}; }
};

inline std::string shown(const Answer& answer) {
  if (!answer.ok) return "error " + answer.error;
  std::string out;
  for (size_t i = 0; i < answer.rows.size() && i < 8; ++i) {
    out += i > 0 ? "; " : "";
    for (size_t c = 0; c < answer.rows[i].size(); ++c)
      out += (c > 0 ? "|" : "") + (answer.rows[i][c].kind == Token::Kind::kNull ? std::string("NULL") : answer.rows[i][c].text);
  }
  return answer.rows.empty() ? "no rows" : out;
}

inline std::string slt_of(const std::vector<std::string>& setup, const std::string& question, const model::Result& result) {
  std::string out, letters, values;
  for (const std::string& sql : setup) out += "statement ok\n" + sql + "\n\n";
  for (const model::Type& t : result.types) {
    const bool text = t.kind == model::Kind::kText || t.kind == model::Kind::kDate, whole = t.kind == model::Kind::kInt || t.kind == model::Kind::kBool;
    letters += text ? 'T' : whole ? 'I' : 'R';
  }
  for (const model::Row& row : result.rows) {
    for (size_t c = 0; c < row.size(); ++c) {
      char number[400];
      std::snprintf(number, sizeof number, "%.3f", row[c].kind == model::Kind::kDbl ? row[c].d : std::strtod(model::to_text(row[c]).c_str(), nullptr));
      values += (row[c].is_null() ? std::string("NULL") : letters[c] == 'R' ? number : model::to_text(row[c])) + "\n";
    }
  }
  return out + "query " + letters + " rowsort\n" + question + "\n----\n" + values + "\n";
}

void judge_finding(Finding& finding, const judge::Reply& holodb, const Answer& engine_answer, const External& engine, bool model_agrees_with_holodb);

}  // namespace engines
