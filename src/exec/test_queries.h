// exec/test_queries.h: plans made by hand over the table of txn/test_store.h, and their rows as text.
//
// Callers:    *_test.cc only.
// Held by:    the tests that use it
#pragma once

#include "exec/test_run.h"
#include "txn/test_store.h"

namespace hdb::testing {

// (id, g, v, d) of TestStore as columns 0 to 3 of a scan.
struct Queries {
  TestStore* store;
  Snapshot snapshot;
  std::shared_ptr<TableDef> def = std::make_shared<TableDef>();

  Queries(TestStore& s, const Snapshot& at) : store(&s), snapshot(at) {
    def->name = "t";
    auto primary = std::make_shared<IndexDef>();
    primary->kind = IndexKind::kPrimary;
    primary->columns = {0};
    primary->key = s.key;
    def->indexes.push_back(primary);
    def->table = s.table;
    for (uint32_t c = 0; c < 4; ++c) def->columns.push_back({s.table->shape(c).name, s.table->shape(c).name, s.table->type(c), false, false, {}});
  }
  NodePtr scan(std::vector<ExprPtr> filters) const {
    auto n = std::make_shared<Node>();
    n->kind = NodeKind::kScan;
    n->table = def;
    n->filters = std::move(filters);
    for (uint32_t c = 0; c < 4; ++c) {
      n->columns.push_back({c, c});
      n->output.push_back({c, {}, def->columns[c].type});
    }
    return n;
  }
  ExecResult execute_on(Bench& bench, NodePtr root) const {
    bench.context.epochs = &store->manager.epochs();
    bench.context.snapshot = snapshot;
    Plan plan;
    plan.result = root->output;
    plan.root = std::move(root);
    return execute(plan, bench.context);
  }
  std::vector<std::string> run(NodePtr root, uint32_t threads) const {
    Bench bench(threads);
    const ExecResult r = execute_on(bench, std::move(root));
    std::vector<std::string> out(r.rows.row_count());
    for (uint32_t i = 0; i < out.size(); ++i) {
      for (uint32_t c = 0; c < r.rows.column_count(); ++c) out[i] += (c > 0 ? "|" : "") + (r.rows.is_null(c, i) ? std::string("NULL") : to_text(r.rows.value(c, i)));
    }
    return out;
  }
};

}  // namespace hdb::testing
