// mutants/witness/pages.h: a page store on a simulated disk, for witnesses.
//
// What:       put() commits one object as the root's only one; what() reads it back from a disk, or says why it cannot.
// Callers:    mutants/witness/pages_*.cc.
// Held by:    the witnesses
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "io/simulated_files.h"
#include "pages/page_store.h"

using hdb::Fault;
using hdb::ObjectRef;
using hdb::PageStore;
using hdb::SimulatedFiles;

inline std::unique_ptr<SimulatedFiles> new_disk() {
  auto disk = std::make_unique<SimulatedFiles>();
  PageStore::create(*disk->open("d", hdb::OpenMode::kCreate), 1, {512, 2});
  disk->sync_directory("d");
  return disk;
}
struct OpenStore {
  explicit OpenStore(SimulatedFiles& disk) : file(disk.open("d", hdb::OpenMode::kReadWrite)), store(*file, true, notices) {}
  std::vector<std::string> notices;
  std::unique_ptr<hdb::File> file;
  PageStore store;
};
inline void put(PageStore& store, const std::string& bytes) {
  const auto change = store.begin();
  const ObjectRef ref = change->add(bytes);
  std::string payload;
  hdb::put_ref(&payload, ref);
  change->commit({0, bytes.size(), payload}, {ref});
}
inline std::string read(PageStore& store, const hdb::Root& root) { return store.read(hdb::FieldReader(root.payload, "root").ref()); }
inline std::string what(SimulatedFiles& disk) {
  try {
    OpenStore opened(disk);
    return read(opened.store, opened.store.root());
  } catch (const hdb::Error& e) {
    return std::string("error ") + e.what();
  }
}
// Bit 4 of a byte of the file is wrong from now on.
inline void rot(SimulatedFiles& disk, size_t at) {
  std::string bytes = disk.contents("d");
  bytes[at] ^= 16;
  disk.set_contents("d", std::move(bytes));
}
// One of the images of a crash: the last of the first `n`.
inline std::unique_ptr<SimulatedFiles> crashed(SimulatedFiles& disk, uint64_t n) {
  std::unique_ptr<SimulatedFiles> out;
  disk.for_each_image(n, [&](std::unique_ptr<SimulatedFiles> image) { if (n > 0) out = std::move(image), --n; });
  return out;
}
inline int right(bool ok, const std::string& got = {}) {
  std::printf("%s\n", got.c_str());
  return ok ? 0 : 1;
}
// A page rots; what it held is rebuilt from its stripe.
inline int rot_is_made_good() {
  const auto disk = new_disk();
  {
    OpenStore opened(*disk);
    put(opened.store, "first");
  }
  rot(*disk, hdb::kStripesAt + 512 + hdb::kPageHeaderBytes);
  const std::string got = what(*disk);
  return right(got == "first", got);
}
