// shell/dump.h: .dump and .export: a database as a script that makes it again, a table or a query as CSV.
//
// What:       dump_database writes, as of one snapshot: BEGIN, each table (those that others refer to first), its rows, then its indexes and
//             summaries, COMMIT. Restore points are no part of it, which a comment says. export_csv writes what .import reads.
// Invariants: U1 the script run in an empty database makes one whose dump is the same text: each value comes back as it was, bit by bit, NULL apart
//                from the empty text; a double keeps its sign of zero, its infinity, its NaN.
//             U2 a file that could not be written whole does not take the place of one that was there.
// Errors:     holodb::Error: 58030 (the file), 54000 (a row, or a table that refers to itself, is longer than a statement may be).
// Callers:    shell/commands.cc. One thread.
// Held by:    src/shell/dump_test.cc, src/shell/transcript_test.sh
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "include/holodb/holodb.hpp"
#include "shell/render.h"

namespace hdb::shell {

void dump_database(holodb::Connection& connection, const Sink& sink);

// A query's rows with a header; returns how many.
uint64_t export_csv(holodb::Connection& connection, const std::string& query, const Sink& sink);

// A value as SQL that reads back as this value of this type.
std::string sql_literal(holodb::Type type, const char* text, size_t bytes);

// Calls body with a sink that writes to `file`, under another name until it is whole.
void write_file(const std::string& file, const std::function<void(const Sink&)>& body);

}  // namespace hdb::shell
