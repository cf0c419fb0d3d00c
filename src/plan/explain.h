// plan/explain.h: a routed plan as text and as JSON (INTERFACE, "Looking inside").
//
// What:       a line a node, two spaces a level. An access node starts with zone sums, block cells, summary NAME, limb NAME, index NAME or scan,
//             followed by the table and what it reads; `declined: PATH (reason)` lines follow it, one level in. With times (EXPLAIN
//             ANALYZE) each node's line ends in its rows and time.
// Callers:    engine/. Pure.
// Held by:    src/plan/explain_test.cc
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "plan/logical.h"

namespace hdb {

struct NodeTime {
  uint64_t rows = 0;  // that the node put out
  uint64_t ns = 0;    // spent in it
};
using NodeTimes = std::unordered_map<const Node*, NodeTime>;

std::vector<std::string> explain_lines(const Plan& plan, const NodeTimes* times = nullptr);
std::string explain_json(const Plan& plan, const NodeTimes* times = nullptr);  // one line

}  // namespace hdb
