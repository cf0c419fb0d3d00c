// engine/replay.h: redo groups applied to a database, as recovery does.
//
// What:       each group becomes one transaction: definitions run as SQL with the ids that they had, rows go into the slots that they had.
// Invariants: C12 deletions come first within a stretch, so nothing is checked for uniqueness or references. Nobody else writes meanwhile, and no
//             snapshot is open: a slot may be used again by the very next group.
//             D1 a group is applied exactly once: one whose number the database has reached is passed over.
// Errors:     58030 for a group that does not fit the database.
// Callers:    engine/database_file (recovery), tests. One thread.
// Held by:    src/engine/replay_test.cc
#pragma once

#include <string>
#include <vector>

#include "engine/connection.h"
#include "log/record.h"

namespace hdb {

// False: the database has this group already.
bool replay_group(Connection& connection, std::string_view group);
bool replay_group(Connection& connection, GroupReader reader);
void replay(Connection& connection, const std::vector<std::string>& groups);

}  // namespace hdb
