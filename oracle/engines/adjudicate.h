// oracle/engines/adjudicate.h: two engines differ in an aggregate: exact rational arithmetic says who is right.
//
// What:       SELECT of aggregates and group keys over FROM ... WHERE ... GROUP BY becomes the query of the rows that feed them. If both
//             engines agree about those rows, COUNT, SUM, AVG, MIN and MAX are computed from them as ratios of unbounded integers and
//             rounded once, and each answer is right or wrong by that.
// Invariants: AJ1 who is judged has no part in the arithmetic; without agreement on the rows, nobody is judged.
// Callers:    oracle/engines/.
// Held by:    ci/compare_test
#pragma once

#include <functional>
#include <string>

#include "external.h"

namespace engines {

// The query of the rows that feed an aggregate query, or empty with the reason.
std::string feeding_query(const std::string& sql, std::string* why_not);

using Ask = std::function<Answer(const std::string& sql)>;
struct Judgement {
  bool possible = false;
  std::string why_not;
  std::string exact;  // the right rows, in words: the ratio and what it rounds to
  bool holodb_right = false, engine_right = false;
};
// types: of the feeding query's columns, as HoloDb tells them.
Judgement adjudicate(const std::string& sql, const Answer& holodb, const Answer& engine, const Ask& ask_holodb, const Ask& ask_engine,
                     const std::function<std::vector<model::Type>(const std::string&)>& types);

}  // namespace engines
