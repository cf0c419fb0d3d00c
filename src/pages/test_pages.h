// pages/test_pages.h: what the tests of the page store share.
#pragma once

#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/error.h"
#include "io/memory_files.h"
#include "pages/page_store.h"

namespace hdb::test_pages {

inline constexpr uint64_t kId = 0x1234567890ABCDEFu;

// `bytes` bytes that follow from the seed.
inline std::string text_of(size_t bytes, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string out(bytes, '\0');
  for (char& c : out) c = static_cast<char>(random());
  return out;
}

// One file in memory that is an empty store.
struct Disk {
  explicit Disk(const PageOptions& options) : file(files.open("d", OpenMode::kCreate)) { PageStore::create(*file, kId, options); }
  std::string bytes() { return files.contents("d"); }
  MemoryFiles files;
  std::unique_ptr<File> file;
  std::vector<std::string> notices;
};

// What the tests store: numbered objects, and a directory object of their references that the root's payload names.
using Objects = std::map<uint32_t, std::string>;
class Shelf {
 public:
  explicit Shelf(PageStore& store) : store_(store) { refs_ = directory(store.root().payload); }

  // Commits these objects instead of the ones with the same numbers; an empty one goes away. Copies forward what the store asks for.
  void put(const Objects& objects, uint64_t commit) {
    auto change = store_.begin();
    std::map<uint32_t, ObjectRef> refs = refs_;
    for (const auto& [number, bytes] : objects) {
      if (bytes.empty()) refs.erase(number);
      else refs[number] = change->add(bytes);
    }
    std::vector<ObjectRef> live;
    for (const auto& [number, ref] : refs) live.push_back(ref);
    for (const ObjectRef& old : change->half_dead(live))
      for (auto& [number, ref] : refs)
        if (ref == old) ref = change->add(store_.read(old));
    std::string list;
    put32(&list, static_cast<uint32_t>(refs.size()));
    live.clear();
    for (const auto& [number, ref] : refs) {
      put32(&list, number);
      put_ref(&list, ref);
      live.push_back(ref);
    }
    const ObjectRef at = change->add(list);
    live.push_back(at);
    std::string payload;
    put_ref(&payload, at);
    change->commit({0, commit, payload}, live);
    refs_ = std::move(refs);
  }
  std::map<uint32_t, ObjectRef> directory(const std::string& payload) {
    std::map<uint32_t, ObjectRef> out;
    if (payload.empty()) return out;
    const std::string list = store_.read(FieldReader(payload, "root").ref());
    FieldReader in(list, "directory");
    for (uint32_t n = in.u32(); n > 0; --n) {
      const uint32_t number = in.u32();
      out[number] = in.ref();
    }
    return out;
  }
  Objects objects(const std::string& payload) {
    Objects out;
    for (const auto& [number, ref] : directory(payload)) out[number] = store_.read(ref);
    return out;
  }
  const std::map<uint32_t, ObjectRef>& refs() const { return refs_; }

 private:
  PageStore& store_;
  std::map<uint32_t, ObjectRef> refs_;
};

// Everything that a store says: what a test compares.
struct State {
  uint64_t commit = 0;
  Objects objects;
  std::map<std::string, Objects> kept;
  bool operator==(const State&) const = default;
};
inline State state_of(PageStore& store) {
  Shelf shelf(store);
  State out{store.root().commit, shelf.objects(store.root().payload), {}};
  for (const KeptRoot& k : store.kept()) out.kept[k.name] = shelf.objects(store.kept_root(k.name).payload);
  return out;
}

template <class F>
std::string failure(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return std::string(e.sqlstate()) + " " + e.message();
  }
  return {};
}

}  // namespace hdb::test_pages
