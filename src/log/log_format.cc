#include "log/log_format.h"

#include <algorithm>
#include <cstring>

#include "base/checksum.h"
#include "base/error.h"

namespace hdb {

namespace {

constexpr char kLogMagic[8] = {'H', 'o', 'l', 'o', 'L', 'o', 'g', '\n'};
constexpr uint32_t kByteOrder = 0x01020304;
constexpr size_t kSumAt = kLogHeaderBytes - 4;

[[noreturn]] void fail_at(const File& file, uint64_t offset, const std::string& why) {
  fail(sqlstate::kIo, file.path() + " is damaged at offset " + std::to_string(offset) + ": " + why);
}

}  // namespace

std::string encode_log_header(const LogHeader& h) {
  std::string out(kLogHeaderBytes, '\0');
  std::memcpy(out.data(), kLogMagic, 8);
  std::memcpy(out.data() + 8, &kLogFormat, 4);
  std::memcpy(out.data() + 12, &kByteOrder, 4);
  std::memcpy(out.data() + 16, &h.database_id, 8);
  std::memcpy(out.data() + 24, &h.epoch, 8);
  std::memcpy(out.data() + 32, &h.base, 8);
  std::memcpy(out.data() + 40, &h.salt, 4);
  const uint32_t sum = crc32c(out.data(), kSumAt);
  std::memcpy(out.data() + kSumAt, &sum, 4);
  return out;
}

LogHeader read_log_header(File& file) {
  char bytes[kLogHeaderBytes];
  const size_t n = file.read(0, bytes, sizeof bytes);
  if (n < sizeof bytes) fail_io("read", file.path(), "it has " + std::to_string(n) + " bytes, which is less than the header of a log");
  if (std::memcmp(bytes, kLogMagic, sizeof kLogMagic) != 0) fail_io("read", file.path(), "it is not the log of a HoloDb database");
  uint32_t version = 0, order = 0, sum = 0;
  std::memcpy(&version, bytes + 8, 4);
  std::memcpy(&order, bytes + 12, 4);
  std::memcpy(&sum, bytes + kSumAt, 4);
  if (order == __builtin_bswap32(kByteOrder)) fail_io("read", file.path(), "it was written on a machine of the other byte order");
  if (version > kLogFormat)
    fail_io("read", file.path(), "it has log format " + std::to_string(version) + ", and this library reads up to format " + std::to_string(kLogFormat));
  if (version == 0 || crc32c(bytes, kSumAt) != sum) fail_at(file, 0, "the checksum of the log's header is wrong");
  LogHeader h;
  std::memcpy(&h.database_id, bytes + 16, 8);
  std::memcpy(&h.epoch, bytes + 24, 8);
  std::memcpy(&h.base, bytes + 32, 8);
  std::memcpy(&h.salt, bytes + 40, 4);
  return h;
}

LogReader::LogReader(File& file, const LogHeader& header, bool salvage)
    : file_(file), header_(header), salvage_(salvage), size_(file.size()), last_(header.base) {}

bool LogReader::have(uint64_t at, uint64_t bytes) {
  if (at > size_ || bytes > size_ - at) return false;
  if (at >= buffer_at_ && at + bytes <= buffer_at_ + buffer_.size()) return true;
  buffer_.resize(std::min(std::max<uint64_t>(bytes, kChunkBytes), size_ - at));
  buffer_at_ = at;
  // A file that became shorter meanwhile.
  buffer_.resize(file_.read(at, buffer_.data(), buffer_.size()));
  return buffer_.size() >= bytes;
}

bool LogReader::whole(uint64_t at, GroupHeader* header) {
  if (!have(at, kGroupHeaderBytes) || !read_group_header(data(at), header)) return false;
  if (header->salt != header_.salt || !have(at, header->bytes)) return false;
  return group_is_whole({data(at), header->bytes}, *header);
}

bool LogReader::next(std::string_view* group, GroupHeader* header) {
  for (;;) {
    // What is not whole is read once more: a read that went wrong must not cut a log.
    if (!whole(at_, header) && (at_ >= size_ || (buffer_.clear(), !whole(at_, header)))) {
      end_here("a group is not whole, and what was written behind it says that it was");
      return false;
    }
    const bool mark = header->records == 0 && header->sequence == last_;
    if (!mark && header->sequence != last_ + 1) {
      if (!salvage_) fail_at(file_, at_, "group " + std::to_string(header->sequence) + " follows group " + std::to_string(last_));
      end_here("");
      return false;
    }
    *group = {data(at_), header->bytes};
    at_ += header->bytes;
    tail_.marked = mark;
    if (mark) continue;
    last_ = header->sequence;
    return true;
  }
}

// L3: is there a whole group behind this place that was written when the group that is missing here was durable?
void LogReader::end_here(const char* why) {
  tail_.end = at_;
  tail_.last = last_;
  tail_.bytes_behind = size_ - std::min(size_, at_);
  for (uint64_t at = at_ + 1; at + kGroupHeaderBytes <= size_; ++at) {
    if (!have(at, kGroupHeaderBytes)) break;
    const auto* first = static_cast<const char*>(std::memchr(data(at), 'H', buffer_at_ + buffer_.size() - at));
    if (first == nullptr) {
      at = buffer_at_ + buffer_.size() - 1;
      continue;
    }
    at += static_cast<uint64_t>(first - data(at));
    GroupHeader header;
    if (!whole(at, &header)) continue;
    ++tail_.groups_behind;
    if (header.synced <= last_) continue;
    tail_.damaged = true;
    if (!salvage_) fail_at(file_, at_, why);
  }
  if (salvage_ && have(at_, kGroupHeaderBytes)) {
    GroupHeader header;
    tail_.damaged |= whole(at_, &header);  // whole, but out of order
  }
}

}  // namespace hdb
