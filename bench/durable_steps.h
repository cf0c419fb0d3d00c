// bench/durable_steps.h: what W8 does with files, each step in a process of its own: the disk's rates, opening, commits, damage and its repair.
//
// What:       durable_steps(options) answers
//             disk DIR              -> "WRITE READ SYNC": bytes/s written with one sync at the end, read back from the disk, seconds of a sync of 4 KiB
//             open FILE KEY COLD    -> "LOOKUP SCAN BYTES": seconds from holodb_open until the first lookup's row, and of a scan after it; resident bytes
//                                      COLD 1: what the system keeps of the file is dropped first
//             tail FILE COMMITS     -> seconds; that many INSERTs, a commit each, not synced one by one
//             commits ENGINE FILE CONNECTIONS SECONDS -> a Loop: seconds a commit of one row, of so many connections at once; the count is checked
//             check FILE            -> "SECONDS FINDINGS" of CHECK DATABASE
//             damage FILE EVERY     -> pages: a bit of one page in every so many stripes is changed
// Units:      seconds, bytes.
// Callers:    bench/durable.cc
// Held by:    bench/selftest
#pragma once

#include "bench/process.h"
#include "bench/worker.h"

namespace hdb::bench {

inline constexpr uint64_t kSmallPart = 10;  // the second size is a tenth

Worker::Handler durable_steps(const Options& options);

}  // namespace hdb::bench
