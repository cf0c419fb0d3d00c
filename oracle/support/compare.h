// oracle/support/compare.h: is the engine's reply what the judge says?
//
// What:       rows as lists where the query orders them, as multisets where it does not; numbers by value, doubles bit by bit
//             (0.0 = -0.0, NaN = NaN), types by kind and scale.
// Invariants: J1 an error is right only where the judge expects one, with one of the SQLSTATEs that it allows.
// Callers:    oracle/, properties/, fuzz/.
// Held by:    oracle/model_selftest.cc (a comparator that is always content fails there)
#pragma once

#include <string>
#include <vector>

#include "model/database.h"
#include "peer.h"

namespace judge {

// One key a row: equal keys if and only if equal rows.
std::vector<std::string> row_keys(const model::Result& result);
std::vector<std::string> row_keys(const Reply& reply);
model::Value value_from(const Cell& cell, const model::Type& type);

// Empty if equal, else the difference in words.
std::string difference(const model::Outcome& expected, const Reply& got);
std::string difference(const model::Outcome& expected, const model::Outcome& got);  // two judges
std::string difference(const Reply& a, const Reply& b, bool ordered);               // two paths of the engine

}  // namespace judge
