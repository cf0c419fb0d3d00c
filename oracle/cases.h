// oracle/cases.h: the small shapes that broke systems like this one, each told once and run over every path.
//
// What:       lists of cases for the suite `oracle`. A case's name opens with the symptom that it guards against. The right value
//             is the mathematically exact one, written out by hand.
// Callers:    oracle/main.cc.
// Held by:    the mutation gate
#pragma once

#include <string>
#include <vector>

#include "support/suite.h"

namespace judge {

std::vector<Case> sum_cases();
std::vector<Case> delete_cases();
std::vector<Case> rollback_cases();
std::vector<Case> generated_cases();

// One table t, one summary s, the same story on every path; `asks` runs again behind COMMIT if the path is in a transaction.
struct Story {
  std::string table, summary, rows;
  std::function<void(Scene&)> changes;
  std::function<void(Scene&)> asks;
};
inline void tell(const Story& story) {
  for (const Path& path : paths()) {
    try {
      Scene s;
      s.run(story.table);
      if (path.summary == Path::kBefore && !story.summary.empty()) s.run(story.summary);
      if (!story.rows.empty()) s.run(story.rows);
      if (path.summary == Path::kAfter && !story.summary.empty()) s.run(story.summary);
      if (path.transaction) s.run("BEGIN");
      s.mode(path.mode);
      if (story.changes) story.changes(s);
      if (story.asks) story.asks(s);
      if (path.transaction) {
        s.run("COMMIT");
        if (story.asks) story.asks(s);
      }
      if (path.summary != Path::kNone && !story.summary.empty()) s.verify("s");
    } catch (Failure& f) {
      f.text = std::string("on the path '") + path.name + "': " + f.text;
      throw;
    }
  }
}

}  // namespace judge
