// pages/stripe_map.h: which stripes there are, what each should hold, which come after which, and which are free.
//
// What:       for each stripe the sum that its pages must have and the stripe in which its change went on; and who holds it.
// Invariants: G5 a stripe is free only if no holder names it and no change has taken it: holders are the versions of the root that can still be
//                asked for, with their kept roots. G6 take() gives the lowest free stripe, so that the file stays short.
// Callers:    pages/. Thread-safe.
// Held by:    spec/pages.md, src/pages/page_store_test.cc, src/pages/page_crash_test.cc, spec/models/run_pages
#pragma once

#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "pages/page_format.h"

namespace hdb {

struct StripeEntry {
  uint32_t stripe = 0;  // 0: none
  uint32_t next = 0;    // 0: the change ended there
  uint32_t sum = 0;
};
using StripeTable = std::vector<StripeEntry>;  // ascending by stripe
using StripeTablePtr = std::shared_ptr<const StripeTable>;

std::string encode_table(const StripeTable& table);
StripeTable decode_table(std::string_view bytes, uint32_t stripes_max, const std::string& path);  // XX001
void sort_table(StripeTable* table);                                        // ascending, each stripe once

class StripeMap {
 public:
  StripeEntry find(uint32_t stripe) const;  // .stripe == 0: nothing is known of it
  void learn(const StripeEntry& entry);
  // From now on exactly the stripes of these tables are not free, whatever was taken before.
  void hold(const std::vector<StripeTablePtr>& holders);
  uint32_t take();
  bool is_held(uint32_t stripe) const;
  uint32_t highest_held() const;            // 0: none
  uint64_t held() const;
  // The stripes that an object covers, in order. False: the chain is broken.
  bool chain(const PageGeometry& geometry, const ObjectRef& ref, std::vector<uint32_t>* out) const;

 private:
  mutable std::shared_mutex mutex_;
  std::vector<StripeEntry> entries_;        // by stripe
  std::vector<uint8_t> held_;               // by stripe
  uint32_t first_free_ = 1;                 // none below
};

}  // namespace hdb
