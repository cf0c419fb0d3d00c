#include "pages/stripe.h"

#include <cstring>

#include "base/check.h"
#include "base/checksum.h"

namespace hdb {

namespace {

void add_to(char* to, const char* from, size_t bytes) {  // bytes: a multiple of 8
  for (size_t i = 0; i < bytes; i += 8) {
    uint64_t a, b;
    std::memcpy(&a, to + i, 8);
    std::memcpy(&b, from + i, 8);
    parity_add(a, b);
    std::memcpy(to + i, &a, 8);
  }
}
static_assert(kPageHeaderBytes % 8 == 0 && kPageBytesMin % 8 == 0);

class Pages {
 public:
  Pages(const PageGeometry& geometry, std::string* bytes) : geometry_(geometry), bytes_(bytes) {}
  char* page(uint32_t place) { return bytes_->data() + size_t{place} * geometry_.options.page_bytes; }
  char* payload(uint32_t place) { return page(place) + kPageHeaderBytes; }
  uint32_t payload_sum(uint32_t place) { return crc32c(payload(place), geometry_.payload()); }
  // The exclusive or of all other payloads of the stripe.
  void rebuild(uint32_t place, uint32_t used) {
    std::memset(payload(place), 0, geometry_.payload());
    for (uint32_t i = 0; i <= used; ++i)
      if (i != place) add_to(payload(place), payload(i), geometry_.payload());
  }
  bool parity_fits(uint32_t used) {
    std::string sum(payload(0), geometry_.payload());
    for (uint32_t i = 1; i <= used; ++i) add_to(sum.data(), payload(i), sum.size());
    return sum == std::string(geometry_.payload(), '\0');
  }
  std::vector<uint32_t> sums(uint32_t used) {
    std::vector<uint32_t> out;
    for (uint32_t i = 1; i <= used; ++i) out.push_back(payload_sum(i));
    return out;
  }

 private:
  const PageGeometry& geometry_;
  std::string* bytes_;
};

}  // namespace

uint32_t seal_stripe(const PageGeometry& geometry, uint64_t database_id, uint32_t stripe, const StripeMark& mark, std::string* pages) {
  CHECK(mark.used >= 1 && mark.used <= geometry.options.data_pages);
  Pages all(geometry, pages);
  all.rebuild(0, mark.used);
  const uint32_t sum = page_sum(database_id, stripe, mark, all.sums(mark.used));
  for (uint32_t place = 0; place <= mark.used; ++place)
    seal_page(all.page(place), geometry.options.page_bytes, {place == 0, geometry.page_of(stripe, place), sum, mark});
  return sum;
}

StripeCheck check_stripe(const PageGeometry& geometry, uint64_t database_id, uint32_t stripe, uint32_t sum, bool thorough, std::string* pages) {
  Pages all(geometry, pages);
  StripeCheck out;
  std::vector<uint32_t> bad;
  const uint32_t n = geometry.options.data_pages;
  for (uint32_t place = 0; place <= n; ++place) {
    PageHeader header;
    const bool whole = open_page(all.page(place), geometry.options.page_bytes, geometry.page_of(stripe, place), &header) && header.sum == sum &&
                       header.parity == (place == 0) && header.mark.used >= 1 && header.mark.used <= n;
    if (!whole) {
      bad.push_back(place);
    } else if (!out.known) {
      out.known = true;
      out.mark = header.mark;
    }
  }
  for (const uint32_t place : bad)
    if (!out.known || place <= out.mark.used) out.damaged.push_back(place);
  if (!out.known) return out;
  const uint32_t used = out.mark.used;
  if (out.damaged.empty() && !thorough) {
    out.whole = true;
    return out;
  }
  if (out.damaged.empty() && !all.parity_fits(used)) out.damaged.push_back(0);
  if (out.damaged.size() == 1) all.rebuild(out.damaged[0], used);
  out.whole = out.damaged.size() <= 1 && page_sum(database_id, stripe, out.mark, all.sums(used)) == sum;
  if (!out.whole || out.damaged.empty()) return out;
  const uint32_t place = out.damaged[0];
  seal_page(all.page(place), geometry.options.page_bytes, {place == 0, geometry.page_of(stripe, place), sum, out.mark});
  return out;
}

}  // namespace hdb
