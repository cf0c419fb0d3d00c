// bench/ledger_tables.h: the ledger's tables (shell/ledger.h) for the workloads that use them.
//
// What:       customers and invoices; shuffled: amount_cents permuted over the rows; keys: with REFERENCES (in HoloDb). Invoices may have
//             more numbers than rows: those are further invoices of the same kind.
// Callers:    billing.cc, classes.cc, writes.cc, ingest.cc, scaling.cc
// Held by:    bench/selftest
#pragma once

#include <array>

#include "bench/peers/peer.h"
#include "bench/tables.h"
#include "shell/ledger.h"

namespace hdb::bench {

Table ledger_customers(uint64_t invoices);
Table ledger_invoices(uint64_t rows, bool shuffled, bool keys);
std::vector<std::string_view> ledger_months();
// The values of an INSERT of invoice id.
std::array<Value, 9> invoice_values(const shell::Ledger& ledger, uint64_t id);
// Filters and sums columns that are BIGINT in all arms, with arithmetic enough that a call lasts some milliseconds. (Q8 of W1 compares one
// column in under a millisecond: there DuckDB's waking of its threads is what is timed.)
extern const char* const kLedgerControl;

}  // namespace hdb::bench
