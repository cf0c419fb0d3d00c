// pages/stripe.h: the pages of one stripe in memory: sealed with their parity, checked, and what is lost rebuilt.
//
// What:       seal_stripe() before a stripe is written, check_stripe() after it was read. The payload of the parity page is the exclusive or of the
//             payloads of the data pages, so any one page follows from the others.
// Invariants: G3 a page counts as whole only with the stripe's sum that is asked for: one of an earlier stripe at the same place, or of another
//                place, is a damaged one. G4 what is rebuilt gives that sum again, or it counts as lost.
// Callers:    pages/. Thread-safe (no state).
// Held by:    spec/pages.md, spec/proofs/packed.cc (G4), src/pages/page_damage_test.cc
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pages/page_format.h"

namespace hdb {

// One word of the exclusive or of pages.
template <class Word>
constexpr void parity_add(Word& sum, Word word) {
  sum = sum ^ word;
}

// *pages: (1 + mark.used) pages, the payloads of the data pages filled in. Writes parity and headers; returns the stripe's sum.
uint32_t seal_stripe(const PageGeometry& geometry, uint64_t database_id, uint32_t stripe, const StripeMark& mark, std::string* pages);

struct StripeCheck {
  bool known = false;             // at least one page is whole, so mark says what the stripe was
  StripeMark mark;
  std::vector<uint32_t> damaged;  // places that were not whole; if !known, all of them
  bool whole = false;             // nothing was damaged, or it is rebuilt
  uint32_t pages() const { return known ? mark.used + 1u : 0; }
};

// *pages: stripe_bytes() read from the file, zeros where nothing could be read. Rebuilds one damaged page in place.
// thorough: looks also whether parity and sum fit the data, which matters only if the writer or the memory was at fault.
StripeCheck check_stripe(const PageGeometry& geometry, uint64_t database_id, uint32_t stripe, uint32_t sum, bool thorough, std::string* pages);

}  // namespace hdb
