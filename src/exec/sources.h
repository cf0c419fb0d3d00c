// exec/sources.h: sources that read no table: VALUES and summary_verify.
//
// What:       each fills `map` with what it puts out.
// Callers:    exec/build.
// Held by:    src/exec/build_test.cc
#pragma once

#include "exec/pipeline.h"

namespace hdb {

std::unique_ptr<Source> values_source(const Node& node, ExecContext& context, ColumnMap* map);
std::unique_ptr<Source> table_function_source(const Node& node, ExecContext& context, ColumnMap* map);

}  // namespace hdb
