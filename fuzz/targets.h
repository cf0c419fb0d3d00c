// fuzz/targets.h: what is done with a fuzzer's bytes, whoever makes them.
//
// What:       SQL text, CSV text, whole histories, histories on a disk that crashes, the page store, exact sums, encoded columns, identities, isolation,
//             calls of the C ABI, expressions, a database's files with bytes changed. libFuzzer
//             calls the targets with what coverage suggests; the suite `fuzz` calls the same functions with bytes from fixed seeds, so it
//             also builds with g++ and repeats exactly.
// Invariants: F1 no input crashes the engine or makes a CHECK fail; every failure is one error with a SQLSTATE and a place inside
//                of the text, and the connection goes on working.
//             F2 a history is answered as the executable model says (H1, H2, H3).
//             F3 CSV that was written from fields reads back as those fields; a record is good or has a problem, never both.
//             F6 exact sums are the sums of unbounded integers; F7 an encoded column gives back what was put into it.
//             F8 identities (ID1 to ID4) and the isolation of interleaved connections (IS1) hold.
//             F5 as F2 after every crash (H4, H5).
//             F9 a history of the page store with faults, rot and crashes ends as maps of bytes say (H7 to H9); a file of pages with any bytes
//                changed gives what was stored or one error.
//             F10 calls of the C ABI in any order give documented results; totals stay their scan. F11 an expression is for each row what the model says.
//             F12 a database whose files had bytes changed opens in a state that was committed, or is refused with XX001 or 58030.
//             F4 HOLODB_FUZZ_CANARY plants a property that must fail: a fuzzer that cannot see it sees nothing.
// Callers:    fuzz/main.cc, fuzz/libfuzzer.cc.
// Held by:    the canary, the mutation gate
#pragma once

#include <cstddef>
#include <cstdint>

#include "support/suite.h"

namespace judge {

// Each throws Failure.
void fuzz_sql(const uint8_t* data, size_t size, Tally& tally);
void fuzz_csv(const uint8_t* data, size_t size, Tally& tally);
void fuzz_history(const uint8_t* data, size_t size, Tally& tally);
void fuzz_crash(const uint8_t* data, size_t size, Tally& tally);
void fuzz_pages(const uint8_t* data, size_t size, Tally& tally);
void fuzz_sums(const uint8_t* data, size_t size, Tally& tally);
void fuzz_columns(const uint8_t* data, size_t size, Tally& tally);
void fuzz_identity(const uint8_t* data, size_t size, Tally& tally);
void fuzz_isolation(const uint8_t* data, size_t size, Tally& tally);
void fuzz_api(const uint8_t* data, size_t size, Tally& tally);
void fuzz_expressions(const uint8_t* data, size_t size, Tally& tally);
void fuzz_files(const uint8_t* data, size_t size, Tally& tally);

}  // namespace judge
