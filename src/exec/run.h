// exec/run.h: drives one pipeline into one sink, on one worker or many; and counts what passes for EXPLAIN ANALYZE.
//
// Invariants: C17, U3 of exec/pipeline.h. U4 short work runs on the caller: waking a worker costs about as much as kSerialRows rows.
// Callers:    exec/build.
// Held by:    src/exec/build_test.cc
#pragma once

#include <atomic>
#include <deque>

#include "exec/pipeline.h"

namespace hdb {

// What EXPLAIN ANALYZE learns of one node. ns below: time that passed inside of the stages after it.
struct Probe {
  const Node* node = nullptr;
  std::atomic<uint64_t> rows{0}, ns_after{0};
  uint64_t ns = 0;
};
std::unique_ptr<Stage> probe_rows_stage(Probe& probe);

// probes: of the pipeline's nodes in the order of its stages, the source's node first; empty unless analyzing. ns of each is filled from the total.
void run_pipeline(Pipeline& pipeline, Sink& sink, ExecContext& context, const std::vector<Probe*>& probes);

}  // namespace hdb
