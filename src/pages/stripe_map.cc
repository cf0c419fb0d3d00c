#include "pages/stripe_map.h"

#include <algorithm>
#include <mutex>

#include "base/error.h"

namespace hdb {

std::string encode_table(const StripeTable& table) {
  std::string out;
  out.reserve(4 + 12 * table.size());
  put32(&out, static_cast<uint32_t>(table.size()));
  for (const StripeEntry& e : table) {
    put32(&out, e.stripe);
    put32(&out, e.next);
    put32(&out, e.sum);
  }
  return out;
}

StripeTable decode_table(std::string_view bytes, uint32_t stripes_max, const std::string& path) {
  FieldReader in(bytes, path + ": the table of stripes");
  const uint32_t n = in.u32();
  if (in.left() != uint64_t{n} * 12) fail(sqlstate::kDamaged, path + ": the table of stripes is damaged: it has another size than it says");
  StripeTable out(n);
  uint32_t last = 0;
  for (StripeEntry& e : out) {
    e.stripe = in.u32();
    e.next = in.u32();
    e.sum = in.u32();
    if (e.stripe <= last || e.stripe > stripes_max)  // .next may be long gone
      fail(sqlstate::kDamaged, path + ": the table of stripes is damaged: it names stripes that are not there");
    last = e.stripe;
  }
  return out;
}

void sort_table(StripeTable* table) {
  std::sort(table->begin(), table->end(), [](const StripeEntry& a, const StripeEntry& b) { return a.stripe < b.stripe; });
  table->erase(std::unique(table->begin(), table->end(), [](const StripeEntry& a, const StripeEntry& b) { return a.stripe == b.stripe; }), table->end());
}

StripeEntry StripeMap::find(uint32_t stripe) const {
  const std::shared_lock<std::shared_mutex> hold(mutex_);
  return stripe < entries_.size() ? entries_[stripe] : StripeEntry{};
}

void StripeMap::learn(const StripeEntry& entry) {
  const std::unique_lock<std::shared_mutex> hold(mutex_);
  if (entry.stripe >= entries_.size()) entries_.resize(entry.stripe + size_t{1});
  entries_[entry.stripe] = entry;
}

void StripeMap::hold(const std::vector<StripeTablePtr>& holders) {
  const std::unique_lock<std::shared_mutex> hold(mutex_);
  std::fill(held_.begin(), held_.end(), uint8_t{0});
  for (const StripeTablePtr& table : holders) {
    for (const StripeEntry& e : *table) {
      if (e.stripe >= held_.size()) held_.resize(e.stripe + size_t{1}, 0);
      held_[e.stripe] = 1;
    }
  }
  first_free_ = 1;
}

uint32_t StripeMap::take() {
  const std::unique_lock<std::shared_mutex> hold(mutex_);
  while (first_free_ < held_.size() && held_[first_free_] != 0) ++first_free_;
  if (first_free_ >= held_.size()) held_.resize(first_free_ + size_t{1}, 0);
  held_[first_free_] = 1;
  return first_free_++;
}

bool StripeMap::is_held(uint32_t stripe) const {
  const std::shared_lock<std::shared_mutex> hold(mutex_);
  return stripe < held_.size() && held_[stripe] != 0;
}

uint32_t StripeMap::highest_held() const {
  const std::shared_lock<std::shared_mutex> hold(mutex_);
  size_t n = held_.size();
  while (n > 1 && held_[n - 1] == 0) --n;
  return n <= 1 ? 0 : static_cast<uint32_t>(n - 1);
}

uint64_t StripeMap::held() const {
  const std::shared_lock<std::shared_mutex> hold(mutex_);
  return static_cast<uint64_t>(std::count(held_.begin(), held_.end(), uint8_t{1}));
}

bool StripeMap::chain(const PageGeometry& geometry, const ObjectRef& ref, std::vector<uint32_t>* out) const {
  uint32_t stripe = 0, place = 0, at = 0;
  out->clear();
  if (!geometry.locate(ref.where, &stripe, &place, &at)) return false;
  const uint64_t before = uint64_t{place - 1} * geometry.payload() + at;
  const uint64_t stripes = (before + ref.bytes + geometry.stripe_payload() - 1) / geometry.stripe_payload();
  const std::shared_lock<std::shared_mutex> hold(mutex_);
  for (uint64_t i = 0; i < stripes; ++i) {
    if (stripe == 0 || stripe >= entries_.size() || entries_[stripe].stripe == 0) return false;
    out->push_back(stripe);
    stripe = entries_[stripe].next;
  }
  return true;
}

}  // namespace hdb
