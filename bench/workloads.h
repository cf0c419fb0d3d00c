// bench/workloads.h: the workloads by name.
//
// What:       a function each; it measures its workload and returns the JSON of side_by_side.h.
//
// Errors:     Differs, WorkerError, PeerError, std::runtime_error
// Callers:    bench/main.cc
// Held by:    bench/selftest
#pragma once

#include "bench/side_by_side.h"

namespace hdb::bench {

Json run_billing(const Options& options);    // W1
Json run_classes(const Options& options);    // W5
Json run_dashboard(const Options& options);  // W2
Json run_durable(const Options& options);    // W8
Json run_writes(const Options& options);     // W6, W7
Json run_import(const Options& options);     // W10
Json run_ingest(const Options& options);     // W3
Json run_scaling(const Options& options);    // against rows, cells, threads
Json run_tenants(const Options& options);    // W4

}  // namespace hdb::bench
