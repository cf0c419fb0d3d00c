// pages/test_pages.h: what the tests of the page store share.
#pragma once

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
