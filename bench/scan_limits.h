// bench/scan_limits.h: what the machine allows: memory bandwidth, and W1's questions as loops over narrow columns.
//
// What:       measure_limits(rows, threads): the ledger as arrays as narrow as its values (a byte for a code, 2 for a day, 4 for an amount or
//             a customer), and a loop for each question that has no index to use: one thread a part of the rows, tables of its own, merged.
//             Answers are text as Rows make it, so that a loop which answers wrong is no limit (they are compared).
// How:        few groups: 64-bit sums in four copies of the table, so that neighbouring rows do not wait for each other; a join is a byte
//             array from customer to attribute; top-n keeps a bound and looks at a block only if its maximum passes it.
// Units:      seconds (the best of nine), bytes, bytes a second.
// Callers:    bench/billing.cc, bench/side_by_side.cc, in a process of their own.
// Held by:    bench/billing.cc (answers are compared)
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hdb::bench {

struct Limit {
  std::string id;
  double seconds = 0;
  uint64_t bytes = 0;  // read at least once: columns, and the arrays that a join looks into
  std::string answer;
};

std::vector<Limit> measure_limits(uint64_t rows, unsigned threads);

// Bytes a second that threads 1..threads read together, from arrays far larger than the caches.
std::vector<double> measure_bandwidth(unsigned threads);

}  // namespace hdb::bench
