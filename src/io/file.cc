#include "io/file.h"

#include "base/error.h"

namespace hdb {

void fail_io(std::string_view what, const std::string& path, std::string_view reason) {
  fail(sqlstate::kIo, "cannot " + std::string(what) + " " + path + ": " + std::string(reason));
}

size_t File::read(uint64_t offset, void* data, size_t bytes) {
  size_t done = 0;
  while (done < bytes) {
    const size_t n = read_some(offset + done, static_cast<char*>(data) + done, bytes - done);
    if (n == 0) break;
    done += n;
  }
  return done;
}

void File::write(uint64_t offset, const void* data, size_t bytes) {
  for (size_t done = 0; done < bytes;) {
    const size_t n = write_some(offset + done, static_cast<const char*>(data) + done, bytes - done);
    if (n == 0) fail_io("write", path_, "no byte was taken");
    done += n;
  }
}

}  // namespace hdb
