// store/column_run.h: values of one column on their way into a table, many at once.
//
// What:       a ColumnRun points to raw values (as Datum::raw) and, where there are NULLs, to their bitmap. describe() finds in one pass what a
//             block needs to know of them before they are written (layout, bounds, exact sum); put_run() writes them.
// Invariants: R1 the description of a run is what Zone::add and layout_for say of its values one by one. R2 the raw value at a NULL is never read.
// Cost:       describe and put together 1 to 2 ns a value without NULLs; about 4 with them.
// Callers:    txn/bulk, engine/appender, exec/modify, plane/summary. The caller keeps what a run points to until the call returns.
// Held by:    src/store/column_run_test.cc
#pragma once

#include <cstdint>

#include "store/column.h"
#include "store/zone_map.h"

namespace hdb {

struct ColumnRun {
  const uint64_t* raw = nullptr;
  const uint64_t* nulls = nullptr;  // bit i: value i is NULL; null pointer: none is

  bool is_null(uint32_t i) const { return nulls != nullptr && bit_test(nulls, i); }
  Datum at(uint32_t i) const { return is_null(i) ? Datum{} : Datum{raw[i], false}; }
};

struct RunDescription {
  Layout layout;
  Zone zone;  // of these values alone
};

// Values [from, from + count) of a run of a column of this type; count <= kBlockRows.
RunDescription describe(const Type& type, const ColumnRun& run, uint32_t from, uint32_t count);

// Writes values [from, from + count) to slots [slot, ...) of a buffer whose layout covers them. Only under S2.
void put_run(ColumnBuffer& buffer, uint32_t slot, const ColumnRun& run, uint32_t from, uint32_t count);

// What `other` describes besides: both are sums over disjoint rows (Z3).
void merge_zone(Zone& zone, const Zone& other);

}  // namespace hdb
