#include "page_history.h"

#include <vector>

#include "base/error.h"

namespace judge {

namespace {

constexpr uint64_t kId = 0x486F6C6F;

std::string bytes_of(model::Random& r) {
  std::string out(1 + r.below(r.chance(15) ? 4000 : 260), '\0');
  uint64_t x = r.next();
  for (char& c : out) {
    x = x * 6364136223846793005ull + 1442695040888963407ull;
    c = static_cast<char>(x >> 56);
  }
  return out;
}

}  // namespace

PageHistory::PageHistory(model::Random& random, Tally& tally)
    : random_(random), tally_(tally), options_{random.chance(50) ? 512u : 1024u, 1 + static_cast<uint32_t>(random.below(4))},
      disk_(std::make_unique<hdb::SimulatedFiles>(random.next())) {
  hdb::PageStore::create(*disk_->open("d", hdb::OpenMode::kCreate), kId, options_);
  disk_->sync_directory("d");
  made_[0] = {};
}

void PageHistory::wrong(const std::string& text) { throw Failure{"wrong-result", text}; }

PageHistory::Objects PageHistory::read(const std::string& payload) {
  Objects out;
  if (payload.empty()) return out;
  const std::string text = store_->read(hdb::FieldReader(payload, "payload").ref());
  hdb::FieldReader in(text, "directory");
  for (uint32_t n = in.u32(); n > 0; --n) {
    const uint32_t number = in.u32();
    out[number] = store_->read(in.ref());
  }
  return out;
}

PageHistory::State PageHistory::read_all() {
  State out;
  out.objects = read(store_->root().payload);
  for (const hdb::KeptRoot& k : store_->kept()) out.kept[k.name] = read(store_->kept_root(k.name).payload);
  return out;
}

void PageHistory::compare(const State& want, const char* when) {
  try {
    const State got = read_all();
    if (!(got.objects == want.objects)) wrong(std::string("H7: other objects ") + when);
    if (!(got == want)) wrong(std::string("H7: other kept roots ") + when);
  } catch (const hdb::Error& e) {
    wrong(std::string("H7: cannot be read ") + when + ": " + e.what());
  }
  ++tally_.checks;
}

void PageHistory::open() {
  std::vector<std::string> notices;
  try {
    file_ = disk_->open("d", hdb::OpenMode::kReadWrite);
    store_ = std::make_unique<hdb::PageStore>(*file_, true, notices);
  } catch (const hdb::Error& e) {
    wrong(std::string("H7: the store does not open: ") + e.what());
  }
  for (const std::string& notice : notices)
    if (notice.find("cannot be used") != std::string::npos || notice.find(" is lost") != std::string::npos) wrong("H8: " + notice);
  const uint64_t found = store_->root().generation;
  const bool known = root_spoilt_ ? found + 1 == generation_ : found == generation_ || (in_flight_ && found == generation_ + 1);
  if (!known) wrong("H7: generation " + std::to_string(found) + " instead of " + std::to_string(generation_));
  // Is the root before in the other slot? Not if that was being written, or holds the spoilt one.
  if (in_flight_) before_there_ = found == generation_ + 1;
  if (root_spoilt_) before_there_ = false;
  generation_ = found;
  in_flight_ = root_spoilt_ = stopped_ = false;
  failures_ = 0;
  now_ = made_[found];
  compare(now_, "after opening");
}

void PageHistory::close() {
  store_.reset();
  file_.reset();
}

// False: it failed.
bool PageHistory::attempt(const State& after, const std::function<void()>& change) {
  const State failed = made_[generation_ + 1];
  made_[generation_ + 1] = after;
  try {
    change();
  } catch (const hdb::Error& e) {
    if (std::string(e.sqlstate()) != "58030") wrong(std::string("H9: ") + e.sqlstate() + " " + e.what());
    // After a failed sync nothing goes on: what may be there is what failed then.
    if (in_flight_ && std::string(e.what()).find("open it again") != std::string::npos) made_[generation_ + 1] = failed;
    in_flight_ = true;
    ++failures_;
    stopped_ = disk_->stopped();
    if (!stopped_) compare(now_, "after a failed step");
    return false;
  }
  ++generation_;
  if (store_->root().generation != generation_) wrong("H7: a commit is not the newest root");
  now_ = after;
  before_there_ = true;
  in_flight_ = false;
  return true;
}

void PageHistory::put() {
  Objects changed;
  for (uint64_t n = 1 + random_.below(4); n > 0; --n) changed[static_cast<uint32_t>(random_.below(12))] = random_.chance(20) ? std::string() : bytes_of(random_);
  State after = now_;
  for (const auto& [number, bytes] : changed) {
    if (bytes.empty()) after.objects.erase(number);
    else after.objects[number] = bytes;
  }
  attempt(after, [&] {
    std::map<uint32_t, hdb::ObjectRef> refs;
    const std::string payload = store_->root().payload;
    if (!payload.empty()) {
      const std::string text = store_->read(hdb::FieldReader(payload, "payload").ref());
      hdb::FieldReader in(text, "directory");
      for (uint32_t n = in.u32(); n > 0; --n) {
        const uint32_t number = in.u32();
        refs[number] = in.ref();
      }
    }
    const auto one = store_->begin();
    std::vector<hdb::ObjectRef> live;
    for (const auto& [number, bytes] : changed) {
      if (bytes.empty()) refs.erase(number);
      else refs[number] = one->add(bytes);
    }
    for (const auto& [number, ref] : refs) live.push_back(ref);
    for (const hdb::ObjectRef& old : one->half_dead(live))
      for (auto& [number, ref] : refs)
        if (ref == old) ref = one->add(store_->read(old));
    std::string list;
    hdb::put32(&list, static_cast<uint32_t>(refs.size()));
    live.clear();
    for (const auto& [number, ref] : refs) {
      hdb::put32(&list, number);
      hdb::put_ref(&list, ref);
      live.push_back(ref);
    }
    live.push_back(one->add(list));
    std::string root;
    hdb::put_ref(&root, live.back());
    one->commit({0, generation_ + 1, root}, live);
  });
}

void PageHistory::step() {
  const std::string name(1, static_cast<char>('a' + random_.below(3)));
  const bool there = now_.kept.contains(name);
  State after = now_;
  switch (random_.below(10)) {
    case 0:
    case 1:
      if (there) {
        after.kept.erase(name);
        attempt(after, [&] { store_->drop(name); });
      } else {
        after.kept[name] = now_.objects;
        attempt(after, [&] { store_->keep(name); });
      }
      break;
    case 2:
      if (!there) return;
      after.objects = now_.kept[name];
      attempt(after, [&] { store_->restore(name, generation_ + 1, store_->kept_root(name).payload); });
      break;
    default:
      put();
  }
}

void PageHistory::end_round() {
  close();
  if (stopped_ || random_.chance(50)) {
    // A crash: what was not synced is there, gone or torn.
    std::vector<std::unique_ptr<hdb::SimulatedFiles>> images;
    disk_->for_each_image(8, [&](std::unique_ptr<hdb::SimulatedFiles> image) { images.push_back(std::move(image)); });
    disk_ = std::move(images[random_.below(images.size())]);
  } else {
    disk_ = disk_->copy();
  }
  if (random_.chance(60)) spoil();
}

// One page, or both copies of the newest root.
void PageHistory::spoil() {
  std::string bytes = disk_->contents("d");
  const uint64_t pages = (bytes.size() - hdb::kStripesAt) / options_.page_bytes;
  if (random_.chance(30) && !in_flight_ && before_there_) {
    for (uint64_t copy = 0; copy < 2; ++copy) bytes[hdb::root_copy_at(generation_, copy) + random_.below(76)] ^= 16;
    root_spoilt_ = true;
  } else if (pages > 0) {
    const uint64_t at = hdb::kStripesAt + random_.below(pages) * options_.page_bytes;
    for (uint64_t n = 1 + random_.below(5); n > 0; --n) bytes[at + random_.below(options_.page_bytes)] ^= static_cast<char>(1 + random_.below(255));
  }
  disk_->set_contents("d", std::move(bytes));
  spoilt_ = true;
}

void PageHistory::run() {
  for (uint64_t rounds = 3 + random_.below(4); rounds > 0; --rounds) {
    open();
    if (spoilt_ || random_.chance(20)) {  // one loss a stripe is what parity is for
      spoilt_ = false;
      if (!store_->scrub(true).lost.empty()) wrong("H8: scrub lost something");
      if (!store_->scrub(false).clean()) wrong("H8: scrub leaves damage");
      compare(now_, "after scrub");
    }
    const uint64_t fault = random_.below(4);
    if (fault == 0) disk_->crash_at(disk_->calls() + 1 + random_.below(40));
    if (fault == 1) disk_->fail_call(disk_->calls() + 1 + random_.below(40), random_.chance(70) ? hdb::Fault::kError : hdb::Fault::kNoSpace);
    for (uint64_t steps = 1 + random_.below(8); steps > 0 && failures_ < 3 && !stopped_; --steps) step();
    end_round();
  }
  open();
  if (!store_->scrub(true).lost.empty()) wrong("H8: something is lost in the end");
}

}  // namespace judge
