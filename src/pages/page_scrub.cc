#include <algorithm>
#include <map>

#include "base/error.h"
#include "pages/page_store.h"

namespace hdb {

// Empty if it cannot be read.
std::string PageStore::sector_at(uint64_t offset) {
  std::string bytes(kSectorBytes, '\0');
  try {
    bytes.resize(file_.read(offset, bytes.data(), bytes.size()));
  } catch (const Error&) {
    bytes.clear();
  }
  return bytes;
}

void PageStore::scrub_roots(bool repair, ScrubReport* report) {
  std::vector<RootSlot> roots;
  {
    const std::lock_guard<std::mutex> hold(mutex_);
    roots.push_back(newest_->slot);
    if (before_ != nullptr) roots.push_back(before_->slot);
  }
  bool written = false;
  for (const RootSlot& slot : roots) {
    const std::string want = encode_root(slot);
    for (uint64_t copy = 0; copy < 2; ++copy) {
      const uint64_t at = root_copy_at(slot.generation, copy);
      if (sector_at(at) == want) continue;
      report->messages.push_back("copy " + std::to_string(copy + 1) + " of root " + std::to_string(slot.generation) + " at offset " + std::to_string(at) + " is damaged");
      if (!repair) continue;
      file_.write(at, want.data(), want.size());
      written = true;
    }
  }
  FileHeader header;
  header.database_id = id_;
  header.pages = geometry_.options;
  const std::string sector = encode_file_header(header);
  for (const uint64_t at : {uint64_t{0}, kHeaderCopyAt}) {
    if (sector_at(at) == sector) continue;
    report->messages.push_back("the header at offset " + std::to_string(at) + " is damaged");
    if (!repair) continue;
    file_.write(at, sector.data(), sector.size());
    written = true;
  }
  if (written) file_.sync();
}

void PageStore::scrub_stripe(const StripeEntry& entry, bool repair, ScrubReport* report) {
  std::string pages, errors;
  const StripeCheck found = reader_.load(entry.stripe, entry.sum, true, &pages, &errors);
  ++report->stripes;
  report->pages += found.pages();
  report->bytes += uint64_t{found.pages()} * geometry_.options.page_bytes;
  for (const uint32_t place : found.damaged) {
    const uint64_t page = geometry_.page_of(entry.stripe, place), offset = geometry_.page_at(page);
    if (!found.whole) {
      report->lost.push_back({page, offset, {}});
      continue;
    }
    report->rebuilt.push_back(page);
    report->messages.push_back(reader_.name(entry.stripe, place) + (repair ? " was damaged and is written again from its stripe"
                                                                                  : " is damaged and can be rebuilt from its stripe"));
    // The very bytes that were there: a crash meanwhile leaves what can be rebuilt from the others as before.
    if (repair) file_.write(offset, pages.data() + size_t{place} * geometry_.options.page_bytes, geometry_.options.page_bytes);
  }
  if (found.whole && !found.damaged.empty() && repair) file_.sync();
}

ScrubReport PageStore::scrub(bool repair) {
  ScrubReport report;
  std::vector<VersionPtr> versions;  // these pin their stripes
  {
    const std::lock_guard<std::mutex> hold(mutex_);
    versions.push_back(newest_);
    if (before_ != nullptr) versions.push_back(before_);
  }
  std::map<uint32_t, StripeEntry> all;
  std::map<uint32_t, std::vector<std::string>> named;
  const auto add = [&](const StripeTable& table, const std::string* name) {
    for (const StripeEntry& e : table) {
      all[e.stripe] = e;
      if (name != nullptr) named[e.stripe].push_back(*name);
    }
  };
  const std::string newest;
  add(*versions[0]->table, &newest);
  for (const KeptRecord& k : versions[0]->kept) {
    if (k.table != nullptr) add(*k.table, &k.name);
    else report.messages.push_back("restore point " + k.name + " is lost");
  }
  if (versions.size() > 1) {
    add(*versions[1]->table, nullptr);
    for (const KeptRecord& k : versions[1]->kept)
      if (k.table != nullptr) add(*k.table, nullptr);
  }
  scrub_roots(repair, &report);
  for (const auto& [stripe, entry] : all) {
    const size_t lost = report.lost.size();
    scrub_stripe(entry, repair, &report);
    for (size_t i = lost; i < report.lost.size(); ++i) {
      ScrubReport::Lost& one = report.lost[i];
      one.roots = named[stripe];
      std::string text = "page " + std::to_string(one.page) + " at offset " + std::to_string(one.offset) + " is lost, with others of its stripe";
      for (const std::string& name : one.roots) text += name.empty() ? "; the database needs it" : "; restore point " + name + " needs it";
      report.messages.push_back(text);
    }
  }
  return report;
}

}  // namespace hdb
