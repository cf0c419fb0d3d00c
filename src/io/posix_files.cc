#include "io/posix_files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <system_error>

#include "base/error.h"

namespace hdb {

namespace {

std::string reason() { return std::generic_category().message(errno); }

template <class F>
auto retried(F&& call) {
  auto r = call();
  while (r < 0 && errno == EINTR) r = call();
  return r;
}

class PosixFile final : public File {
 public:
  PosixFile(std::string path, int fd) : File(std::move(path)), fd_(fd) {}
  ~PosixFile() override { ::close(fd_); }

  void sync() override {
    if (retried([&] { return ::fdatasync(fd_); }) != 0) fail_io("sync", path(), reason());
  }
  void truncate(uint64_t bytes) override {
    if (retried([&] { return ::ftruncate(fd_, static_cast<off_t>(bytes)); }) != 0) fail_io("truncate", path(), reason());
  }
  uint64_t size() override {
    struct stat s;
    if (::fstat(fd_, &s) != 0) fail_io("look at", path(), reason());
    return static_cast<uint64_t>(s.st_size);
  }
  bool lock(bool exclusive) override {
    if (retried([&] { return ::flock(fd_, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB); }) == 0) return true;
    if (errno == EWOULDBLOCK) return false;
    fail_io("lock", path(), reason());
  }
  // One byte far behind the file's end: locks of bytes and the lock of the whole do not know of each other.
  bool lock_mark(uint64_t mark, bool exclusive) override { return set_mark(mark, exclusive ? F_WRLCK : F_RDLCK); }
  void unlock_mark(uint64_t mark) override { set_mark(mark, F_UNLCK); }
  int fd() const { return fd_; }

 protected:
  size_t read_some(uint64_t offset, void* data, size_t bytes) override {
    const ssize_t n = retried([&] { return ::pread(fd_, data, bytes, static_cast<off_t>(offset)); });
    if (n < 0) fail_io("read", path(), reason());
    return static_cast<size_t>(n);
  }
  size_t write_some(uint64_t offset, const void* data, size_t bytes) override {
    const ssize_t n = retried([&] { return ::pwrite(fd_, data, bytes, static_cast<off_t>(offset)); });
    if (n < 0) fail_io("write", path(), reason());
    return static_cast<size_t>(n);
  }

 private:
  bool set_mark(uint64_t mark, short type) {
    struct flock where = {};
    where.l_type = type;
    where.l_whence = SEEK_SET;
    where.l_start = static_cast<off_t>((uint64_t{1} << 62) + mark);
    where.l_len = 1;
    if (retried([&] { return ::fcntl(fd_, F_OFD_SETLK, &where); }) == 0) return true;
    if (errno == EAGAIN || errno == EACCES) return false;
    fail_io("lock a part of", path(), reason());
  }
  const int fd_;
};

std::string directory_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

PosixFiles& PosixFiles::instance() {
  static PosixFiles files;
  return files;
}

std::unique_ptr<File> PosixFiles::open(const std::string& path, OpenMode mode) {
  if (path.find('\0') != std::string::npos) fail_io("open", path, "the name holds a NUL byte");
  int flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;  // a pipe must not block; of a regular file it changes nothing
  flags |= mode == OpenMode::kRead ? O_RDONLY : O_RDWR;
  if (mode == OpenMode::kCreate) flags |= O_CREAT;
  const int fd = retried([&] { return ::open(path.c_str(), flags, 0666); });
  if (fd < 0) {
    const int code = errno;
    if (code == ELOOP) fail_io("open", path, "it is a symbolic link");
    errno = code;
    fail_io("open", path, reason());
  }
  auto file = std::make_unique<PosixFile>(path, fd);
  struct stat s;
  if (::fstat(fd, &s) != 0) fail_io("look at", path, reason());
  if (S_ISDIR(s.st_mode)) fail_io("open", path, "it is a directory");
  if (!S_ISREG(s.st_mode)) fail_io("open", path, "it is not a regular file");
  return file;
}

bool PosixFiles::exists(const std::string& path) {
  struct stat s;
  if (::lstat(path.c_str(), &s) == 0) return true;
  if (errno == ENOENT) return false;
  fail_io("look at", path, reason());
}

void PosixFiles::rename(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) fail_io("rename to " + to, from, reason());
}

void PosixFiles::remove(const std::string& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) fail_io("remove", path, reason());
}

void PosixFiles::sync_directory(const std::string& path) {
  const std::string directory = directory_of(path);
  const int fd = retried([&] { return ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (fd < 0) fail_io("open", directory, reason());
  const int failed = retried([&] { return ::fsync(fd); });
  const std::string why = failed != 0 ? reason() : std::string();
  ::close(fd);
  if (failed != 0) fail_io("sync", directory, why);
}

std::string PosixFiles::resolve(const std::string& path) {
  struct stat s;
  if (::lstat(path.c_str(), &s) != 0 || !S_ISLNK(s.st_mode)) return path;
  char* real = ::realpath(path.c_str(), nullptr);
  if (real == nullptr) fail_io("follow the symbolic link", path, reason());
  std::string out = real;
  std::free(real);
  return out;
}

bool PosixFiles::is_at(File& file, const std::string& path) {
  struct stat a, b;
  if (::fstat(static_cast<PosixFile&>(file).fd(), &a) != 0) fail_io("look at", file.path(), reason());
  if (::stat(path.c_str(), &b) != 0) return false;
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

uint64_t PosixFiles::random() {
  uint64_t r = 0;
  if (::getrandom(&r, sizeof r, 0) != static_cast<ssize_t>(sizeof r)) fail(sqlstate::kIo, "the system has no random numbers: " + reason());
  return r;
}

}  // namespace hdb
