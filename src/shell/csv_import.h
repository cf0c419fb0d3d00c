// shell/csv_import.h: .import: a CSV file into a table, all of it or nothing.
//
// What:       reads the file, makes the table with sniffed types if there is none, else matches columns by the header's names, and
//             loads through the appender. Lines that cannot be read, do not fit a type, or that the table refuses are rejected.
// Invariants: M1 without skip_rejects a rejected line leaves the database as it was; every rejected line is counted.
//             M2 inside of an open transaction the import is a part of it: it neither commits nor ends it.
//             M3 a new table's types are those that all lines ask for.
// How:        types of a large file are guessed from its beginning and watched while it is loaded (csv_types.h, T2); where the guess does not hold,
//             all lines are looked at and the load begins anew.
//             The appender takes rows fast but cannot say which ones it will not take; when it refuses, the rows are loaded again
//             one INSERT at a time, so that each refused line is known.
// Callers:    shell/commands.cc. One thread.
// Held by:    src/shell/transcript_test.sh
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "include/holodb/holodb.hpp"

namespace hdb::shell {

struct ImportJob {
  std::string file;
  std::string table;
  bool skip_rejects = false;
};

struct Reject {
  uint64_t line = 0;
  std::string column;  // empty: the line as a whole
  std::string reason;
};

struct ImportReport {
  static constexpr size_t kRejectsKept = 20;

  uint64_t rows = 0;      // in the table now
  uint64_t rejected = 0;  // lines
  std::vector<Reject> first_rejects;
  bool created = false;
  bool kept = false;      // false: rejected lines, and nothing was imported
};

// Throws holodb::Error for what is not a matter of single lines: no file, no header, a column that the table does not have.
ImportReport import_csv(holodb::Connection& connection, const ImportJob& job);

}  // namespace hdb::shell
