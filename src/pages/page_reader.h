// pages/page_reader.h: reads objects and stripes of a file, checks every page, and rebuilds what is lost.
//
// What:       read() gives an object's bytes; a page of it that cannot be read, or is not what the stripe's sum says, is rebuilt in memory from the
//             rest of its stripe, and a notice says so. The file is not changed.
// Invariants: G7 bytes leave read() only if every page had the sum that the map names and the object its own checksum.
// Errors:     XX001 naming path, page and offset if a second page of the stripe is lost too, or the reference leads nowhere; 58030 if that is
//             so because the system did not read.
// Callers:    pages/. Thread-safe.
// Held by:    spec/pages.md, src/pages/page_damage_test.cc
#pragma once

#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "pages/stripe.h"
#include "pages/stripe_map.h"

namespace hdb {

class PageReader {
 public:
  PageReader(File& file, const PageGeometry& geometry, const uint64_t& database_id, const StripeMap& map)
      : file_(file), geometry_(geometry), id_(database_id), map_(map) {}

  std::string read(const ObjectRef& ref);
  // What the pages of a stripe have in common, from any whole one. XX001 if there is none.
  StripeMark mark(uint32_t stripe, uint32_t sum);
  // The whole stripe, as far as it can be read or rebuilt.
  StripeCheck load(uint32_t stripe, uint32_t sum, bool thorough, std::string* pages, std::string* errors);
  // "page P at offset O"
  std::string name(uint32_t stripe, uint32_t place) const;
  std::vector<std::string> take_notices();  // each page is named once

 private:
  bool page_is_good(const char* bytes, uint32_t stripe, uint32_t place, uint32_t sum) const;
  // What the system said is added to *errors.
  void read_some(uint64_t offset, char* data, size_t bytes, std::string* errors);
  void rebuild(uint32_t stripe, uint32_t place, uint32_t sum, char* page);
  void append_from(uint32_t stripe, uint32_t place, uint32_t at, size_t bytes, std::string* out);

  File& file_;
  const PageGeometry& geometry_;
  const uint64_t& id_;
  const StripeMap& map_;
  std::mutex mutex_;
  std::set<uint64_t> told_;
  std::vector<std::string> notices_;
};

}  // namespace hdb
