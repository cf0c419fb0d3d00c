#include "pages/page_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/checksum.h"
#include "base/error.h"

namespace hdb {

std::string PageReader::name(uint32_t stripe, uint32_t place) const {
  const uint64_t page = geometry_.page_of(stripe, place);
  return "page " + std::to_string(page) + " at offset " + std::to_string(geometry_.page_at(page));
}

std::vector<std::string> PageReader::take_notices() {
  const std::lock_guard<std::mutex> hold(mutex_);
  return std::exchange(notices_, {});
}

bool PageReader::page_is_good(const char* bytes, uint32_t stripe, uint32_t place, uint32_t sum) const {
  PageHeader header;
  return open_page(bytes, geometry_.options.page_bytes, geometry_.page_of(stripe, place), &header) && header.sum == sum && header.parity == (place == 0);
}

// Zeros where nothing could be read: a page that the disk does not give is a lost page, and no reason to give up.
void PageReader::read_some(uint64_t offset, char* data, size_t bytes, std::string* errors) {
  size_t n = 0;
  try {
    n = file_.read(offset, data, bytes);
  } catch (const Error& e) {
    const size_t one = geometry_.options.page_bytes;
    if (bytes > one) {
      for (size_t at = 0; at < bytes; at += one) read_some(offset + at, data + at, std::min(one, bytes - at), errors);
      return;
    }
    *errors = std::string(" (") + e.what() + ")";
  }
  std::memset(data + n, 0, bytes - n);
}

StripeCheck PageReader::load(uint32_t stripe, uint32_t sum, bool thorough, std::string* pages, std::string* errors) {
  pages->resize(geometry_.stripe_bytes());
  read_some(geometry_.stripe_at(stripe), pages->data(), pages->size(), errors);
  return check_stripe(geometry_, id_, stripe, sum, thorough, pages);
}

StripeMark PageReader::mark(uint32_t stripe, uint32_t sum) {
  std::string page(geometry_.options.page_bytes, '\0'), errors;
  for (uint32_t place = 1; place <= geometry_.options.data_pages + 1; ++place) {
    const uint32_t at = place % (geometry_.options.data_pages + 1);  // the parity page last
    read_some(geometry_.page_at(geometry_.page_of(stripe, at)), page.data(), page.size(), &errors);
    PageHeader header;
    if (page_is_good(page.data(), stripe, at, sum) && open_page(page.data(), geometry_.options.page_bytes, geometry_.page_of(stripe, at), &header))
      return header.mark;
  }
  if (!errors.empty()) fail(sqlstate::kIo, file_.path() + ": the stripe of " + name(stripe, 0) + " cannot be read" + errors);
  fail(sqlstate::kDamaged, file_.path() + " is damaged: no page of the stripe of " + name(stripe, 0) + " is whole");
}

void PageReader::rebuild(uint32_t stripe, uint32_t place, uint32_t sum, char* page) {
  std::string pages, errors;
  const StripeCheck found = load(stripe, sum, false, &pages, &errors);
  if (!found.whole || place > found.mark.used) {
    if (!errors.empty()) fail(sqlstate::kIo, file_.path() + ": " + name(stripe, place) + " cannot be read, nor rebuilt" + errors);
    std::string others;
    for (const uint32_t other : found.damaged)
      if (other != place) others += (others.empty() ? "" : ", ") + name(stripe, other);
    fail(sqlstate::kDamaged, file_.path() + " is damaged: " + name(stripe, place) + " cannot be rebuilt" +
                                 (found.known && !others.empty() ? ", since there is more damage in its stripe: " + others : ": its stripe is lost"));
  }
  std::memcpy(page, pages.data() + size_t{place} * geometry_.options.page_bytes, geometry_.options.page_bytes);
  const std::lock_guard<std::mutex> hold(mutex_);
  if (told_.insert(geometry_.page_of(stripe, place)).second)
    notices_.push_back(file_.path() + ": " + name(stripe, place) + " was damaged and is rebuilt from its stripe");
}

// `bytes` bytes of one stripe, from byte `at` of the payload at `place`.
void PageReader::append_from(uint32_t stripe, uint32_t place, uint32_t at, size_t bytes, std::string* out) {
  const uint32_t page_bytes = geometry_.options.page_bytes, payload = geometry_.payload();
  const size_t pages = (at + bytes + payload - 1) / payload;
  const uint32_t sum = map_.find(stripe).sum;
  std::string buffer(pages * page_bytes, '\0'), errors;
  read_some(geometry_.page_at(geometry_.page_of(stripe, place)), buffer.data(), buffer.size(), &errors);
  for (size_t i = 0; i < pages; ++i, at = 0) {
    char* page = buffer.data() + i * page_bytes;
    const uint32_t here = place + static_cast<uint32_t>(i);
    if (!page_is_good(page, stripe, here, sum)) rebuild(stripe, here, sum, page);
    const size_t n = std::min<size_t>(bytes, payload - at);
    out->append(page + kPageHeaderBytes + at, n);
    bytes -= n;
  }
}

std::string PageReader::read(const ObjectRef& ref) {
  std::vector<uint32_t> stripes;
  uint32_t first = 0, place = 0, at = 0;
  const auto lost = [&](const std::string& why) {
    fail(sqlstate::kDamaged, file_.path() + " is damaged: the object of " + std::to_string(ref.bytes) + " bytes at offset " + std::to_string(ref.where) + why);
  };
  if (ref.bytes == 0 || !geometry_.locate(ref.where, &first, &place, &at) || !map_.chain(geometry_, ref, &stripes))
    lost(" is in no stripe that is in use");
  std::string out;
  out.reserve(ref.bytes);
  for (const uint32_t stripe : stripes) {
    const uint64_t room = geometry_.stripe_payload() - (uint64_t{place - 1} * geometry_.payload() + at);
    append_from(stripe, place, at, std::min<uint64_t>(ref.bytes - out.size(), room), &out);
    place = 1;
    at = 0;
  }
  if (crc32c(out.data(), out.size()) != ref.checksum) lost(" is not what was stored there");
  return out;
}

}  // namespace hdb
