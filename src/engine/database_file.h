// engine/database_file.h: a database that is a file: created, opened, recovered, salvaged.
//
// What:       NAME holds the id, the lock and the last checkpoint (spec/pages.md); NAME-log beside it holds every commit behind that (spec/format.md,
//             spec/log.md). Opening takes the lock, reads the newest root's state, replays the log, cuts a torn tail, and goes on writing behind it.
// Invariants: D1 each group behind the root's commit is applied exactly once, in order, others not. D2 whatever is refused is left as it was: nothing
//             is written before every check has passed. D3 creating makes both files under other names first, so that a crash leaves a whole database or none.
//             D4 one process (and one open in it) writes; several may read while nobody writes.
//             D5 a restore point is read by any number, whoever writes meanwhile; it cannot be dropped as long (C14).
// Errors:     58030 naming the path and the reason; XX001 for damage.
// Callers:    engine/c_api, tests.
// Held by:    src/engine/file_test.cc, src/engine/crash_test.cc, spec/recovery.md
#pragma once

#include <memory>
#include <string>

#include "engine/database.h"
#include "io/file.h"

namespace hdb {

// The path of the log of a database file.
std::string log_path(const std::string& path);
// Before PATH-new or PATH-log-new is written: 58030 if one of them is anything but nothing, or what a creation left that broke off.
void check_unfinished(FileSystem& files, const std::string& path);

// Opens the database, or creates it unless options.read_only; or one of its restore points (42704 if there is none of this name, 55006 if it just goes).
std::shared_ptr<Database> open_database(FileSystem& files, const std::string& path, const DatabaseOptions& options);

// Copies what is provably whole of a damaged database into a new one, and says what that is and what is left behind. `from` is not changed.
std::string salvage_database(FileSystem& files, const std::string& from, const std::string& to);

}  // namespace hdb
