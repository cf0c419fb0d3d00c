// Files: the same promises on the machine, in memory and in the simulation; and the simulation breaks exactly what it says.
#include <catch2/catch.hpp>

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <set>

#include "base/error.h"
#include "io/memory_files.h"
#include "io/posix_files.h"
#include "io/simulated_files.h"

using namespace hdb;

namespace {

// A directory of its own, gone at the end.
class Scratch {
 public:
  Scratch() {
    char name[] = "io_test_XXXXXX";
    REQUIRE(mkdtemp(name) != nullptr);
    path_ = name;
  }
  ~Scratch() { CHECK_NOFAIL(system(("rm -rf " + path_).c_str()) == 0); }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string text(File& f) {
  std::string out(f.size(), '\0');
  out.resize(f.read(0, out.data(), out.size()));
  return out;
}
void put(File& f, uint64_t offset, const std::string& bytes) { f.write(offset, bytes.data(), bytes.size()); }
template <class F>
std::string failure(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return std::string(e.sqlstate()) + " " + e.message();
  }
  return {};
}

void keeps_promises(FileSystem& files, const std::string& dir) {
  const std::string a = dir + "a", b = dir + "b";
  REQUIRE(!files.exists(a));
  REQUIRE(failure([&] { files.open(a, OpenMode::kReadWrite); }) == "58030 cannot open " + a + ": No such file or directory");
  auto f = files.open(a, OpenMode::kCreate);
  REQUIRE((files.exists(a) && f->size() == 0));
  put(*f, 0, "hello");
  put(*f, 8, "world");
  f->sync();
  files.sync_directory(a);
  REQUIRE(text(*f) == std::string("hello\0\0\0world", 13));
  f->truncate(4);
  REQUIRE((f->size() == 4 && text(*f) == "hell"));
  char one[8];
  REQUIRE(f->read(4, one, 8) == 0);
  REQUIRE(f->read(2, one, 8) == 2);
  // Locks: one writer or many readers, and they end with the file.
  auto g = files.open(a, OpenMode::kRead);
  REQUIRE(failure([&] { put(*g, 0, "x"); }).substr(0, 19) == "58030 cannot write ");
  REQUIRE(g->lock(false));
  REQUIRE(!f->lock(true));
  auto h = files.open(a, OpenMode::kRead);
  REQUIRE(h->lock(false));
  g.reset();
  h.reset();
  REQUIRE(f->lock(true));
  REQUIRE(!files.open(a, OpenMode::kRead)->lock(false));
  // Marks: of one number, beside the lock of the whole, and they end with the file, too.
  {
    auto reader = files.open(a, OpenMode::kRead), second = files.open(a, OpenMode::kRead);
    REQUIRE((reader->lock_mark(7, false) && second->lock_mark(7, false) && second->lock_mark(9, false)));
    REQUIRE((!f->lock_mark(7, true) && f->lock_mark(8, true) && !second->lock_mark(8, false)));
    f->unlock_mark(8);
    REQUIRE(second->lock_mark(8, false));
    second->unlock_mark(7);
    REQUIRE(!f->lock_mark(7, true));
    reader.reset();
    REQUIRE((f->lock_mark(7, true) && !f->lock_mark(9, true)));
    second.reset();
    REQUIRE((f->lock_mark(8, true) && f->lock_mark(9, true)));
    REQUIRE(!files.open(a, OpenMode::kRead)->lock(false));
  }
  // Names: the lock goes with the file, not with the name.
  REQUIRE(files.is_at(*f, a));
  files.rename(a, b);
  REQUIRE((files.is_at(*f, b) && !files.is_at(*f, a) && !files.exists(a)));
  REQUIRE(!files.open(b, OpenMode::kRead)->lock(false));
  auto other = files.open(a, OpenMode::kCreate);
  put(*other, 0, "new");
  files.rename(a, b);
  REQUIRE(text(*files.open(b, OpenMode::kRead)) == "new");
  REQUIRE(text(*f) == "hell");
  files.remove(b);
  files.remove(b);
  REQUIRE(!files.exists(b));
  REQUIRE(files.random() != files.random());
}

}  // namespace

TEST_CASE("files of the machine, in memory and simulated keep the same promises") {
  Scratch dir;
  keeps_promises(PosixFiles::instance(), dir.path() + "/");
  MemoryFiles memory;
  keeps_promises(memory, "");
  SimulatedFiles simulated;
  keeps_promises(simulated, "");
}

TEST_CASE("what is not a regular file is refused by name and reason") {
  Scratch dir;
  PosixFiles& files = PosixFiles::instance();
  REQUIRE(failure([&] { files.open(dir.path(), OpenMode::kRead); }) == "58030 cannot open " + dir.path() + ": it is a directory");
  REQUIRE(failure([&] { files.open(dir.path(), OpenMode::kReadWrite); }).find("irectory") != std::string::npos);
  REQUIRE(mkfifo((dir / "pipe").c_str(), 0600) == 0);
  REQUIRE(failure([&] { files.open(dir / "pipe", OpenMode::kRead); }).find("not a regular file") != std::string::npos);
  put(*files.open(dir / "real", OpenMode::kCreate), 0, "x");
  REQUIRE(symlink("real", (dir / "link").c_str()) == 0);
  REQUIRE(symlink("nowhere", (dir / "dangling").c_str()) == 0);
  REQUIRE(symlink("loop", (dir / "loop").c_str()) == 0);
  REQUIRE(failure([&] { files.open(dir / "link", OpenMode::kRead); }).find("symbolic link") != std::string::npos);
  const std::string real = files.resolve(dir / "link");
  REQUIRE(real.substr(real.size() - 5) == "/real");
  REQUIRE(files.resolve(dir / "real") == dir / "real");
  REQUIRE(files.resolve(dir / "not there") == dir / "not there");
  REQUIRE(failure([&] { files.resolve(dir / "dangling"); }).find("No such file") != std::string::npos);
  REQUIRE(failure([&] { files.resolve(dir / "loop"); }).find("loop") != std::string::npos);
  REQUIRE(failure([&] { files.open(std::string("a\0b", 3), OpenMode::kCreate); }).find("NUL") != std::string::npos);
}

TEST_CASE("a crash keeps, loses or tears each piece that was not synced, and nothing else") {
  SimulatedFiles disk;
  auto f = disk.open("a", OpenMode::kCreate);
  put(*f, 0, std::string(600, 'a'));
  f->sync();
  disk.sync_directory("a");
  put(*f, 0, std::string(10, 'b'));
  put(*f, 512, std::string(4, 'c'));
  std::set<std::string> images;
  REQUIRE(disk.for_each_image(100, [&](auto image) { images.insert(image->contents("a")); }) == 9);
  REQUIRE(images.size() == 9);
  for (const std::string& s : images) REQUIRE(s.size() == 600);
  REQUIRE(images.contains(std::string(600, 'a')));
  f->sync();
  REQUIRE(disk.for_each_image(100, [&](auto image) { REQUIRE(image->contents("a") == disk.contents("a")); }) == 1);
  // Growth without the bytes: zeros. A cut that is lost.
  put(*f, 600, "zz");
  images.clear();
  disk.for_each_image(100, [&](auto image) { images.insert(image->contents("a").substr(600)); });
  REQUIRE(images == std::set<std::string>{"", "z", std::string("z\0", 2), "zz", std::string("\0\0", 2)});
  f->sync();
  f->truncate(5);
  images.clear();
  disk.for_each_image(100, [&](auto image) { images.insert(std::to_string(image->contents("a").size())); });
  REQUIRE(images == std::set<std::string>{"5", "602"});
}

TEST_CASE("names change in order, and last once the directory is synced") {
  SimulatedFiles disk;
  disk.open("a", OpenMode::kCreate);
  disk.sync_directory("a");
  disk.rename("a", "b");
  disk.open("c", OpenMode::kCreate);
  std::set<std::string> images;
  disk.for_each_image(100, [&](auto image) {
    images.insert(std::string(image->exists("a") ? "a" : "") + (image->exists("b") ? "b" : "") + (image->exists("c") ? "c" : ""));
  });
  REQUIRE(images == std::set<std::string>{"a", "b", "bc"});
  disk.sync_directory("c");
  disk.for_each_image(100, [&](auto image) { REQUIRE((image->exists("b") && image->exists("c"))); });
}

TEST_CASE("the n-th call fails, and a failed sync never makes up for itself") {
  SimulatedFiles disk;
  auto f = disk.open("a", OpenMode::kCreate);
  disk.sync_directory("a");
  disk.fail_call(disk.calls() + 1, Fault::kNoSpace);
  REQUIRE(failure([&] { put(*f, 0, "abcdef"); }) == "58030 cannot write a: No space left on device");
  REQUIRE(disk.contents("a") == "abc");
  disk.fail_call(disk.calls() + 1, Fault::kShort);
  put(*f, 0, std::string(2000, 'x'));
  REQUIRE(disk.contents("a") == std::string(2000, 'x'));
  disk.fail_call(disk.calls() + 1, Fault::kShort);
  REQUIRE(text(*f) == std::string(2000, 'x'));
  disk.fail_call(disk.calls() + 1, Fault::kError);
  REQUIRE(failure([&] { f->sync(); }) == "58030 cannot sync a: Input/output error");
  f->sync();
  std::set<std::string> images;
  disk.for_each_image(100, [&](auto image) { images.insert(image->contents("a")); });
  REQUIRE((images.size() == 1 && *images.begin() != disk.contents("a")));
  REQUIRE(disk.faults_met() == 3);
  // A lie, a flipped bit, a write elsewhere.
  put(*f, 0, "y");
  disk.fail_call(disk.calls() + 1, Fault::kLie);
  f->sync();
  uint64_t without = 0;
  disk.for_each_image(100, [&](auto image) { without += image->contents("a")[0] != 'y'; });
  REQUIRE(without > 0);
  disk.fail_call(disk.calls() + 1, Fault::kFlip);
  char c = 0;
  f->read(0, &c, 1);
  REQUIRE((c != 'y' && disk.contents("a")[0] == 'y'));
  disk.fail_call(disk.calls() + 1, Fault::kMisdirect);
  put(*f, 0, "QQQQ");
  REQUIRE(disk.contents("a").substr(0, 4) != "QQQQ");
  REQUIRE(disk.contents("a").find("QQQ") != std::string::npos);
  // A full disk takes what fits.
  SimulatedFiles full;
  full.set_space(100);
  auto g = full.open("a", OpenMode::kCreate);
  REQUIRE(failure([&] { put(*g, 0, std::string(150, 'x')); }) == "58030 cannot write a: No space left on device");
  REQUIRE(g->size() == 100);
  put(*g, 0, std::string(100, 'y'));
  // Once it has stopped, it has stopped.
  disk.crash_at(disk.calls() + 2);
  REQUIRE(f->size() > 0);
  for (int i = 0; i < 3; ++i) REQUIRE(failure([&] { f->sync(); }) == "58030 cannot sync a: the machine has stopped");
}

TEST_CASE("the same seed and calls give the same images") {
  std::vector<std::string> runs[2];
  for (auto& run : runs) {
    SimulatedFiles disk(42);
    auto f = disk.open("a", OpenMode::kCreate);
    for (int i = 0; i < 20; ++i) put(*f, i * 700, std::string(600, static_cast<char>('a' + i)));
    REQUIRE(disk.for_each_image(200, [&](auto image) { run.push_back(image->contents("a")); }) == 200);
  }
  REQUIRE(runs[0] == runs[1]);
}
