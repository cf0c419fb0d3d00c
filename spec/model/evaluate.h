// spec/model/evaluate.h: what an expression and a query mean, told the slow way.
//
// What:       evaluate() computes one expression over one combination of rows; run_query() makes every combination of rows,
//             filters, groups, and computes every aggregate from the list of its values.
// Invariants: Q1 an aggregate's overflow is that of the final exact total only, whatever the order of rows.
//             Q2 where the specification leaves open whether a statement fails (an overflow in a group that HAVING drops, a fault
//                in a row that LIMIT cuts), the outcome is kOpen and no engine is judged by it.
// Callers:    spec/model/database, oracle/, properties/, fuzz/.
// Held by:    oracle/model_selftest.cc
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tree.h"

namespace model {

using RowPtr = std::shared_ptr<const Row>;
struct Table {
  std::shared_ptr<const TableDef> definition;
  std::vector<RowPtr> rows;
};

struct Result {
  std::vector<Type> types;
  std::vector<Row> rows;
  bool ordered = false;
  bool open = false;  // Q2
};

// rows[i] is the row of relation i. Throws Fault.
Value evaluate(const Expr& e, const std::vector<const Row*>& rows);

using TableLookup = std::function<const Table&(const std::string&)>;
Result run_query(const Query& query, const TableLookup& tables);
void finish_query(const Query& query, Result& result);  // DISTINCT, ORDER BY, LIMIT, OFFSET over its rows

}  // namespace model
