#include "pages/page_store.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "base/check.h"
#include "base/checksum.h"
#include "base/error.h"

namespace hdb {

namespace {

constexpr uint32_t kNameMax = 1000;
constexpr uint64_t kDeadStripesKept = 4;  // so little that is dead is not worth a copy

std::vector<uint32_t> stripes_of(const StripeTable& table) {
  std::vector<uint32_t> out;
  for (const StripeEntry& e : table) out.push_back(e.stripe);
  return out;
}

}  // namespace

// ---- making and opening

void PageStore::create(File& file, uint64_t database_id, const PageOptions& options) {
  FileHeader header;
  header.database_id = database_id;
  header.pages = options;
  const std::string sector = encode_file_header(header);
  RootSlot empty;
  empty.database_id = database_id;
  std::string rest(kStripesAt - kSectorBytes, '\0');
  for (uint64_t copy = 0; copy < 2; ++copy) rest.replace(root_copy_at(0, copy) - kSectorBytes, kSectorBytes, encode_root(empty));
  rest.replace(kHeaderCopyAt - kSectorBytes, kSectorBytes, sector);
  file.write(kSectorBytes, rest.data(), rest.size());
  file.truncate(kStripesAt);
  file.sync();
  file.write(0, sector.data(), sector.size());
  file.sync();
}

PageStore::PageStore(File& file, bool writable, std::vector<std::string>& notices)
    : file_(file), writable_(writable), reader_(file, geometry_, id_, map_) {
  const FileHeader header = read_file_header(file);
  if (header.format < 2) fail_io("open", file.path(), "it has no pages, since it is of format 1");
  id_ = header.database_id;
  geometry_.options = header.pages;
  RootSlot newest, other;
  std::vector<bool> newest_whole;
  bool found = false, found_other = false;
  for (uint64_t slot = 0; slot < 2; ++slot) {
    RootSlot best, copies[2];
    std::vector<bool> whole(2);
    for (uint64_t copy = 0; copy < 2; ++copy) {
      std::string bytes(kSectorBytes, '\0');
      file.read(root_copy_at(slot, copy), bytes.data(), bytes.size());
      whole[copy] = decode_root(bytes, id_, &copies[copy]) && copies[copy].generation % 2 == slot;
    }
    if (!whole[0] && !whole[1]) continue;
    best = !whole[1] || (whole[0] && copies[0].generation >= copies[1].generation) ? copies[0] : copies[1];
    for (size_t copy = 0; copy < 2; ++copy) whole[copy] = whole[copy] && copies[copy].generation == best.generation;
    if (!found || best.generation > newest.generation) {
      found_other = std::exchange(found, true);
      other = std::exchange(newest, best);
      newest_whole = whole;
    } else {
      other = best;
      found_other = true;
    }
  }
  if (!found) fail(sqlstate::kDamaged, file.path() + " is damaged: neither of its two root slots holds a whole root");
  newest_ = load(newest, notices);
  versions_.push_back(newest_);
  // Only the version right before the newest is known to have its stripes still.
  if (found_other && other.generation + 1 == newest.generation) {
    try {
      before_ = load(other, notices);
      versions_.push_back(before_);
    } catch (const Error& e) {
      if (std::string_view(e.sqlstate()) != sqlstate::kDamaged) throw;
      notices.push_back(std::string("the root before the newest cannot be used: ") + e.what());
    }
  }
  map_.hold(holders());
  if (writable) heal_root(newest, newest_whole, notices);
  if (header.from_copy) notices.push_back(file.path() + ": the header at offset 0 is damaged; its copy was used");
  for (std::string& notice : reader_.take_notices()) notices.push_back(std::move(notice));
}

PageStore::~PageStore() = default;

uint32_t PageStore::stripes_max() const {
  const uint64_t size = file_.size();
  return size <= kStripesAt ? 0 : static_cast<uint32_t>(std::min<uint64_t>((size - kStripesAt + geometry_.stripe_bytes() - 1) / geometry_.stripe_bytes(), UINT32_MAX - 1));
}

// The stripes in which the table itself ends are not in it: their sums lead from the root backwards.
StripeTablePtr PageStore::load_table(const RootSlot& slot) {
  auto table = std::make_shared<StripeTable>();
  if (slot.space.where == 0) return table;
  uint32_t first = 0, place = 0, at = 0;
  if (!geometry_.locate(slot.space.where, &first, &place, &at)) fail(sqlstate::kDamaged, file_.path() + " is damaged: a root names no table of stripes");
  const uint32_t stripes = stripes_max();
  StripeEntry entry{slot.last_stripe, 0, slot.last_sum};
  for (;;) {
    if (entry.stripe == 0 || entry.stripe > stripes || table->size() > slot.space.bytes / geometry_.stripe_payload() + 2)
      fail(sqlstate::kDamaged, file_.path() + " is damaged: the table of stripes of root " + std::to_string(slot.generation) + " is cut off");
    const StripeMark mark = reader_.mark(entry.stripe, entry.sum);
    map_.learn(entry);
    table->push_back(entry);
    if (entry.stripe == first) break;
    entry = {mark.before, entry.stripe, mark.before_sum};
  }
  for (const StripeEntry& e : decode_table(reader_.read(slot.space), stripes, file_.path())) {
    map_.learn(e);
    table->push_back(e);
  }
  sort_table(table.get());
  return table;
}

PageStore::VersionPtr PageStore::load(const RootSlot& slot, std::vector<std::string>& notices) {
  auto out = std::make_shared<Version>();
  out->slot = slot;
  out->table = load_table(slot);
  if (slot.kept.where == 0) return out;
  const std::string list = reader_.read(slot.kept);
  FieldReader in(list, file_.path() + ": the list of kept roots");
  for (uint32_t left = in.u32(); left > 0; --left) {
    KeptRecord record;
    const uint16_t name_bytes = in.u16();
    record.name = in.text(name_bytes);
    const std::string root = in.text(kSectorBytes);
    if (!decode_root(root, id_, &record.slot)) fail(sqlstate::kDamaged, file_.path() + " is damaged: kept root " + record.name + " is not whole");
    try {
      record.table = load_table(record.slot);
    } catch (const Error& e) {
      if (std::string_view(e.sqlstate()) != sqlstate::kDamaged) throw;
      notices.push_back("kept root " + record.name + " is lost: " + e.what());
    }
    out->kept.push_back(std::move(record));
  }
  return out;
}

// The copy of the newest root that a crash or decay has spoilt: the other one stays as it is meanwhile.
void PageStore::heal_root(const RootSlot& slot, const std::vector<bool>& whole, std::vector<std::string>& notices) {
  const std::string bytes = encode_root(slot);
  bool written = false;
  for (uint64_t copy = 0; copy < 2; ++copy) {
    if (whole[copy]) continue;
    file_.write(root_copy_at(slot.generation, copy), bytes.data(), bytes.size());
    written = true;
  }
  if (!written) return;
  file_.sync();
  notices.push_back(file_.path() + ": one of the two copies of the root was not whole and is written again");
}

// ---- asking

Root PageStore::root() const {
  const std::lock_guard<std::mutex> hold(mutex_);
  return {newest_->slot.generation, newest_->slot.commit, newest_->slot.payload};
}

Root PageStore::root_before() const {
  const std::lock_guard<std::mutex> hold(mutex_);
  const Version& v = before_ != nullptr ? *before_ : *newest_;
  return {v.slot.generation, v.slot.commit, v.slot.payload};
}

std::string PageStore::read(const ObjectRef& ref) { return reader_.read(ref); }

std::shared_ptr<const void> PageStore::pin() const {
  const std::lock_guard<std::mutex> hold(mutex_);
  return newest_;
}

std::vector<KeptRoot> PageStore::kept() const {
  const std::lock_guard<std::mutex> hold(mutex_);
  std::vector<KeptRoot> out;
  for (const KeptRecord& k : newest_->kept) out.push_back({k.name, k.slot.generation, k.slot.commit});
  return out;
}

const PageStore::KeptRecord& PageStore::find_kept(const Version& version, const std::string& name) const {
  for (const KeptRecord& k : version.kept)
    if (k.name == name) return k;
  fail(sqlstate::kUndefinedObject, "there is no restore point " + name);
}

Root PageStore::kept_root(const std::string& name) const {
  const std::lock_guard<std::mutex> hold(mutex_);
  const KeptRecord& k = find_kept(*newest_, name);
  if (k.table == nullptr) fail(sqlstate::kDamaged, file_.path() + " is damaged: restore point " + name + " is lost");
  return {k.slot.generation, k.slot.commit, k.slot.payload};
}

bool PageStore::needs(const ObjectRef& ref, uint64_t page) const {
  std::vector<uint32_t> stripes;
  uint32_t first = 0, place = 0, at = 0;
  if (!geometry_.locate(ref.where, &first, &place, &at) || !map_.chain(geometry_, ref, &stripes)) return false;
  uint64_t from = uint64_t{place - 1} * geometry_.payload() + at, left = ref.bytes;
  for (const uint32_t stripe : stripes) {
    const uint64_t n = std::min(left, geometry_.stripe_payload() - from);
    const uint64_t low = geometry_.page_of(stripe, static_cast<uint32_t>(from / geometry_.payload()) + 1);
    const uint64_t high = geometry_.page_of(stripe, static_cast<uint32_t>((from + n - 1) / geometry_.payload()) + 1);
    if (page >= low && page <= high) return true;
    left -= n;
    from = 0;
  }
  return false;
}

PageFigures PageStore::figures() const {
  PageFigures out;
  out.file_bytes = file_.size();
  {
    const std::lock_guard<std::mutex> hold(mutex_);
    out.live_bytes = newest_->table->size() * geometry_.stripe_bytes();
  }
  out.held_bytes = map_.held() * geometry_.stripe_bytes();
  const uint64_t all = uint64_t{stripes_max()} * geometry_.stripe_bytes();
  out.free_bytes = all - std::min(all, out.held_bytes);
  return out;
}

// ---- changing

std::vector<StripeTablePtr> PageStore::holders() const {
  std::vector<StripeTablePtr> out;
  std::erase_if(versions_, [](const std::weak_ptr<const Version>& v) { return v.expired(); });
  for (const auto& weak : versions_) {
    const VersionPtr version = weak.lock();
    if (version == nullptr) continue;
    out.push_back(version->table);
    for (const KeptRecord& k : version->kept)
      if (k.table != nullptr) out.push_back(k.table);
  }
  return out;
}

std::unique_ptr<PageStore::Change> PageStore::begin() {
  CHECK(writable_);
  std::unique_lock<std::mutex> hold(mutex_);
  change_ended_.wait(hold, [&] { return !changing_; });
  if (!broken_.empty()) fail_io("write", file_.path(), "an earlier write of a root failed, open it again (" + broken_ + ")");
  auto out = std::unique_ptr<Change>(new Change(*this));
  out->mark_.generation = newest_->slot.generation + 1;
  map_.hold(holders());
  changing_ = true;
  return out;
}

void PageStore::end_change() {
  const std::lock_guard<std::mutex> hold(mutex_);
  map_.hold(holders());
  changing_ = false;
  change_ended_.notify_one();
}

PageStore::Change::~Change() { store_.end_change(); }

void PageStore::Change::make_room() {
  CHECK(!ended_);
  const PageGeometry& g = store_.geometry_;
  if (open_ != 0 && filled_ < g.stripe_payload()) return;
  if (open_ != 0) seal();
  open_ = store_.map_.take();
  CHECK(open_ < UINT32_MAX - 1);
  if (mark_.before != 0) store_.map_.learn({mark_.before, open_, mark_.before_sum});
  store_.map_.learn({open_, 0, 0});
  taken_.push_back(open_);
  pages_.assign(g.stripe_bytes(), '\0');
  filled_ = 0;
}

void PageStore::Change::seal() {
  const PageGeometry& g = store_.geometry_;
  mark_.used = static_cast<uint16_t>((filled_ + g.payload() - 1) / g.payload());
  const uint32_t sum = seal_stripe(g, store_.id_, open_, mark_, &pages_);
  ended_ = true;
  store_.file_.write(g.stripe_at(open_), pages_.data(), (mark_.used + size_t{1}) * g.options.page_bytes);
  ended_ = false;
  store_.map_.learn({open_, 0, sum});
  mark_.before = open_;
  mark_.before_sum = sum;
  open_ = 0;
}

ObjectRef PageStore::Change::add(std::string_view bytes) {
  CHECK(!bytes.empty());
  if (bytes.size() > UINT32_MAX) fail(sqlstate::kProgramLimit, "an object of more than 4 GiB cannot be stored");
  const PageGeometry& g = store_.geometry_;
  make_room();
  ObjectRef out;
  out.bytes = static_cast<uint32_t>(bytes.size());
  out.checksum = crc32c(bytes.data(), bytes.size());
  out.where = g.page_at(g.page_of(open_, static_cast<uint32_t>(filled_ / g.payload()) + 1)) + kPageHeaderBytes + filled_ % g.payload();
  while (!bytes.empty()) {
    make_room();
    const uint64_t in_page = filled_ % g.payload(), place = filled_ / g.payload() + 1;
    const size_t n = std::min<uint64_t>(bytes.size(), g.payload() - in_page);
    std::memcpy(pages_.data() + place * g.options.page_bytes + kPageHeaderBytes + in_page, bytes.data(), n);
    bytes.remove_prefix(n);
    filled_ += n;
  }
  return out;
}

std::vector<ObjectRef> PageStore::Change::half_dead(const std::vector<ObjectRef>& live) const {
  const uint64_t capacity = store_.geometry_.stripe_payload();
  std::map<uint32_t, uint64_t> bytes;  // live, by stripe
  std::vector<uint32_t> stripes;
  const auto each_part = [&](const ObjectRef& ref, const auto& part) {
    uint32_t first = 0, place = 0, at = 0;
    CHECK(store_.geometry_.locate(ref.where, &first, &place, &at) && store_.map_.chain(store_.geometry_, ref, &stripes));
    uint64_t from = uint64_t{place - 1} * store_.geometry_.payload() + at, left = ref.bytes;
    for (const uint32_t stripe : stripes) {
      const uint64_t n = std::min(left, capacity - from);
      part(stripe, n);
      left -= n;
      from = 0;
    }
  };
  for (const ObjectRef& ref : live) each_part(ref, [&](uint32_t stripe, uint64_t n) { bytes[stripe] += n; });
  for (const uint32_t stripe : taken_) bytes.erase(stripe);
  uint64_t dead = 0;
  for (const auto& [stripe, n] : bytes) dead += capacity - std::min(n, capacity);
  const bool pays = dead > std::max(kDeadStripesKept * capacity, bytes.size() * capacity / 4);
  // What lies far behind everything else keeps the file long: some of it moves to the front each time.
  const uint64_t far = 2 * store_.map_.held() + 4 * kDeadStripesKept;
  uint64_t may_move = (kDeadStripesKept + bytes.size() / 4) * capacity;
  std::vector<ObjectRef> out;
  for (const ObjectRef& ref : live) {
    bool half = false, is_far = false;
    each_part(ref, [&](uint32_t stripe, uint64_t) {
      half = half || (bytes.contains(stripe) && bytes[stripe] * 2 < capacity);
      is_far = is_far || (bytes.contains(stripe) && stripe > far);
    });
    // An object of many stripes would have to be copied for the sake of one: its ends may stay half dead.
    half = half && pays && stripes.size() <= 2;
    if (!half && is_far && ref.bytes <= may_move) may_move -= ref.bytes;
    else if (!half) continue;
    out.push_back(ref);
  }
  return out;
}

void PageStore::Change::commit(Root root, const std::vector<ObjectRef>& live) {
  CHECK(!ended_);
  std::vector<uint32_t> stripes, one;
  for (const ObjectRef& ref : live) {
    CHECK(store_.map_.chain(store_.geometry_, ref, &one));
    for (const uint32_t stripe : one) CHECK(store_.map_.is_held(stripe));
    stripes.insert(stripes.end(), one.begin(), one.end());
  }
  store_.commit(*this, root, std::move(stripes), store_.newest_->kept);
}

void PageStore::write_root(const RootSlot& slot) {
  const std::string one = encode_root(slot), both = one + one;
  file_.write(root_copy_at(slot.generation, 0), both.data(), both.size());
  file_.sync();
}

void PageStore::commit(Change& change, const Root& root, std::vector<uint32_t> stripes, std::vector<KeptRecord> kept) {
  CHECK(root.payload.size() <= kRootPayloadMax);
  auto version = std::make_shared<Version>();
  RootSlot& slot = version->slot;
  slot.database_id = id_;
  slot.generation = change.mark_.generation;
  slot.commit = root.commit;
  slot.payload = root.payload;
  std::vector<uint32_t> one;
  if (!kept.empty()) {
    std::string list;
    put32(&list, static_cast<uint32_t>(kept.size()));
    for (const KeptRecord& k : kept) {
      put16(&list, static_cast<uint16_t>(k.name.size()));
      list += k.name + encode_root(k.slot);
    }
    slot.kept = change.add(list);
    CHECK(map_.chain(geometry_, slot.kept, &one));
    stripes.insert(stripes.end(), one.begin(), one.end());
  }
  version->kept = std::move(kept);
  // The stripe in which the table begins must be open now: it is not in the table, and a stripe that is sealed later would be missing there.
  change.make_room();
  StripeTable table;
  for (const uint32_t stripe : stripes)
    if (stripe != change.open_) table.push_back(map_.find(stripe));
  sort_table(&table);
  slot.space = change.add(encode_table(table));
  change.seal();
  change.ended_ = true;
  slot.last_stripe = change.mark_.before;
  slot.last_sum = change.mark_.before_sum;
  CHECK(map_.chain(geometry_, slot.space, &one));
  for (const uint32_t stripe : one) table.push_back(map_.find(stripe));
  sort_table(&table);
  version->table = std::make_shared<StripeTable>(std::move(table));
  try {
    file_.sync();
    write_root(slot);
  } catch (const std::exception& e) {
    const std::lock_guard<std::mutex> hold(mutex_);
    broken_ = e.what();
    throw;
  }
  {
    const std::lock_guard<std::mutex> hold(mutex_);
    before_ = std::exchange(newest_, version);
    versions_.push_back(newest_);
    map_.hold(holders());
  }
  shrink();
}

// Gives back the end of the file if there is much that nothing holds. Not synced: what a crash brings back is free.
void PageStore::shrink() {
  try {
    const uint64_t size = file_.size(), end = geometry_.stripe_at(map_.highest_held() + 1);
    if (size > end && size - end >= std::max(size / 4, 4 * geometry_.stripe_bytes())) file_.truncate(end);
  } catch (const Error&) {
    // The commit stands; the file is only longer than it might be.
  }
}

// ---- kept roots

void PageStore::keep(const std::string& name) {
  if (name.size() > kNameMax) fail(sqlstate::kProgramLimit, "the name of a restore point has more than " + std::to_string(kNameMax) + " bytes");
  const auto change = begin();
  std::vector<KeptRecord> kept = newest_->kept;
  for (const KeptRecord& k : kept)
    if (k.name == name) fail(sqlstate::kDuplicateObject, "there is a restore point " + name + " already");
  KeptRecord record{name, newest_->slot, newest_->table};
  record.slot.kept = {};
  kept.push_back(std::move(record));
  commit(*change, root(), stripes_of(*newest_->table), std::move(kept));
}

void PageStore::drop(const std::string& name) {
  const auto change = begin();
  find_kept(*newest_, name);
  std::vector<KeptRecord> kept = newest_->kept;
  std::erase_if(kept, [&](const KeptRecord& k) { return k.name == name; });
  commit(*change, root(), stripes_of(*newest_->table), std::move(kept));
}

void PageStore::restore(const std::string& name, uint64_t commit_number, std::string payload) {
  const auto change = begin();
  const KeptRecord& k = find_kept(*newest_, name);
  if (k.table == nullptr) fail(sqlstate::kDamaged, file_.path() + " is damaged: restore point " + name + " is lost");
  commit(*change, {0, commit_number, std::move(payload)}, stripes_of(*k.table), newest_->kept);
}

}  // namespace hdb
