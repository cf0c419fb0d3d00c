// properties/laws.h: what must hold of the engine whatever the data: laws that compare it with itself, and histories judged by the
// executable model.
//
// What:       lists of cases for the suite `properties`.
// Callers:    properties/main.cc, fuzz/target_identity.cc.
// Held by:    the mutation gate
#pragma once

#include <string>
#include <vector>

#include "support/suite.h"

namespace judge {

std::vector<Case> group_laws();
std::vector<Case> order_laws();
std::vector<Case> rebuild_laws();
std::vector<Case> thread_laws();
std::vector<Case> contract_laws();
std::vector<Case> history_laws();
std::vector<Case> crash_laws();
std::vector<Case> identity_laws();
std::vector<Case> pivot_laws();
std::vector<Case> isolation_laws();
std::vector<Case> protocol_laws();

// One case of these laws, for fuzz/.
void identities(Context& context, const std::string& name, bool blocks, int rounds);
void interleaved(Context& context, int steps);

// A random schema with rows, in as many engines as a law needs.
struct World {
  model::Schema schema;
  std::vector<model::Row> parents, facts;
  std::vector<model::Query> panel;
};
World random_world(model::Random& r, int64_t parents, int64_t facts);
void create(Connection& c, const World& world);
void insert(Connection& c, const std::shared_ptr<const model::TableDef>& table, const std::vector<model::Row>& rows, size_t chunk);
Reply must(Connection& c, const std::string& sql);
// The panel's answers. Each is one or more checks.
std::vector<Reply> answers(Connection& c, const std::vector<model::Query>& panel);
void same_answers(const std::vector<model::Query>& panel, const std::vector<Reply>& a, const std::vector<Reply>& b, const std::string& law);
void verify_summary(Connection& c, const std::string& name);

}  // namespace judge
