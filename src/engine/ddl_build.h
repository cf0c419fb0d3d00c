// engine/ddl_build.h: what CREATE TABLE and CREATE INDEX make, before anything of it is attached or published.
//
// What:       build_table: columns, keys, foreign keys and the storage. build_index: a unique key over the rows of the writer's view, or a
//             summary that was filled from them. A throw leaves nothing behind.
// Invariants: C8 a unique key holds every row that the writer sees. F1 a foreign key's columns stand in the order of the parent's key.
// Callers:    engine/ddl.cc. The transaction holds the writer's turn.
// Held by:    src/engine/ddl_test.cc
#pragma once

#include <memory>

#include "engine/ddl.h"

namespace hdb {

std::shared_ptr<TableDef> build_table(const DdlContext& ctx, const sql::CreateTableStatement& s);
std::shared_ptr<IndexDef> build_index(const DdlContext& ctx, const TableDef& table, const sql::CreateIndexStatement& s);

}  // namespace hdb
