#include "engine/database_file.h"

#include <cstring>

#include "base/checksum.h"
#include "engine/replay.h"
#include "log/file_log.h"
#include "log/log_format.h"

namespace hdb {

namespace {

constexpr char kFileMagic[8] = {'H', 'o', 'l', 'o', 'D', 'b', '\r', '\n'};
constexpr uint32_t kByteOrder = 0x01020304;
constexpr size_t kSumAt = kFileHeaderBytes - 4;

std::string encode_file_header(uint64_t id) {
  std::string out(kFileHeaderBytes, '\0');
  std::memcpy(out.data(), kFileMagic, 8);
  std::memcpy(out.data() + 8, &kFileFormat, 4);
  std::memcpy(out.data() + 12, &kByteOrder, 4);
  std::memcpy(out.data() + 16, &id, 8);
  const uint32_t sum = crc32c(out.data(), kSumAt);
  std::memcpy(out.data() + kSumAt, &sum, 4);
  return out;
}

// The database's id.
uint64_t read_file_header(File& file) {
  std::string bytes(kFileHeaderBytes, '\0');
  const size_t n = file.read(0, bytes.data(), bytes.size());
  const auto refuse = [&](const std::string& why) { fail_io("open", file.path(), why); };
  if (n == 0) refuse("it is empty, not a HoloDb database (remove it to have one made)");
  if (std::memcmp(bytes.data(), kFileMagic, std::min(n, sizeof kFileMagic)) != 0) refuse("it is not a HoloDb database");
  if (n < kFileHeaderBytes) refuse("it was cut short: it has " + std::to_string(n) + " bytes, which is less than its header");
  uint32_t version = 0, order = 0, sum = 0;
  uint64_t id = 0;
  std::memcpy(&version, bytes.data() + 8, 4);
  std::memcpy(&order, bytes.data() + 12, 4);
  std::memcpy(&id, bytes.data() + 16, 8);
  std::memcpy(&sum, bytes.data() + kSumAt, 4);
  if (order == __builtin_bswap32(kByteOrder)) refuse("it was written on a machine of the other byte order");
  if (version > kFileFormat)
    refuse("it has file format " + std::to_string(version) + ", and this library reads up to format " + std::to_string(kFileFormat));
  if (version == 0 || crc32c(bytes.data(), kSumAt) != sum)
    fail(sqlstate::kIo, file.path() + " is damaged at offset 0: the checksum of its header is wrong");
  return id;
}

[[noreturn]] void fail_in_use(const std::string& path) {
  fail_io("open", path, "another process, or another handle of this one, has it open");
}

void write_whole(File& file, const std::string& bytes) {
  file.truncate(0);
  file.write(0, bytes.data(), bytes.size());
  file.sync();
}

// A log without its database file: nothing if it cannot hold a commit, as when an earlier creation was cut short; else somebody's data.
void check_no_orphan(FileSystem& files, const std::string& log) {
  if (!files.exists(log)) return;
  const auto file = files.open(log, OpenMode::kRead);
  const uint64_t size = file->size();
  bool ours = size == kLogHeaderBytes;
  if (ours) read_log_header(*file);
  if (!ours) fail_io("create a database beside", log, "there is such a log already, but not the database file that it belongs to");
}

// D3. Returns the locked file.
std::unique_ptr<File> create(FileSystem& files, const std::string& path) {
  const std::string log = log_path(path), path_new = path + "-new", log_new = log + "-new";
  auto file = files.open(path_new, OpenMode::kCreate);
  if (!file->lock(true) || !files.is_at(*file, path_new)) fail_in_use(path);
  // The lock on the new name is the right to create: somebody may have been faster.
  if (files.exists(path)) {
    files.remove(path_new);
    fail_in_use(path);
  }
  check_no_orphan(files, log);
  try {
    LogHeader header;
    header.database_id = files.random();
    header.salt = static_cast<uint32_t>(files.random());
    write_whole(*file, encode_file_header(header.database_id));
    write_whole(*files.open(log_new, OpenMode::kCreate), encode_log_header(header));
    files.rename(log_new, log);
    files.sync_directory(log);
    files.rename(path_new, path);  // from here on it is a database
    files.sync_directory(path);
  } catch (...) {
    try {
      if (!files.exists(path)) {
        files.remove(log_new);
        files.remove(log);
        files.remove(path_new);
      }
    } catch (...) {
      // What is left has names that the next creation takes over.
    }
    throw;
  }
  return file;
}

std::unique_ptr<File> open_file(FileSystem& files, const std::string& path, bool read_only) {
  if (!files.exists(path)) {
    if (read_only) fail_io("open", path, "No such file or directory");
    return create(files, path);
  }
  auto file = files.open(path, read_only ? OpenMode::kRead : OpenMode::kReadWrite);
  if (!file->lock(!read_only) || !files.is_at(*file, path)) fail_in_use(path);
  return file;
}

std::unique_ptr<File> open_log(FileSystem& files, const std::string& path, uint64_t id, OpenMode mode, LogHeader* header) {
  const std::string log = log_path(path);
  if (!files.exists(log)) fail_io("open", path, "its log " + log + " is missing, and with it the changes that it holds");
  auto file = files.open(log, mode);
  *header = read_log_header(*file);
  if (header->database_id != id) fail_io("open", path, log + " is the log of another database");
  return file;
}

// Replays every group; D1.
void recover(Database& database, LogReader& reader, const std::string& log, Recovery* recovery) {
  const auto connection = std::make_shared<Connection>(database.shared_from_this());
  std::string_view group;
  GroupHeader header;
  while (reader.next(&group, &header)) {
    try {
      replay_group(*connection, GroupReader(group, header));
    } catch (const Error& e) {
      if (std::string_view(e.sqlstate()) == sqlstate::kMemory) throw;
      fail(sqlstate::kIo, log + ": group " + std::to_string(header.sequence) + ", which ends at offset " + std::to_string(reader.offset()) +
                              ", cannot be replayed: " + e.message());
    }
    ++recovery->groups;
  }
  const LogTail& tail = reader.tail();
  recovery->bytes_cut = tail.bytes_behind;
  if (tail.bytes_behind == 0) return;
  recovery->notice = log + ": the last " + std::to_string(tail.bytes_behind) + " bytes, from offset " + std::to_string(tail.end) +
                     " on, were no whole commit and are left out: the last session broke off while it wrote them";
  if (tail.groups_behind > 0)
    recovery->notice += " (" + std::to_string(tail.groups_behind) + " later commits among them were never known to be durable)";
}

}  // namespace

std::string log_path(const std::string& path) { return path + "-log"; }

std::shared_ptr<Database> open_database(FileSystem& files, const std::string& given, const DatabaseOptions& options) {
  const std::string path = files.resolve(given);
  std::unique_ptr<File> file = open_file(files, path, options.read_only);
  const uint64_t id = read_file_header(*file);
  LogHeader header;
  auto log = open_log(files, path, id, options.read_only ? OpenMode::kRead : OpenMode::kReadWrite, &header);
  auto database = std::make_shared<Database>(options, Database::Recovering{});
  Recovery recovery;
  database->manager().registry().publish(header.base);
  LogReader reader(*log, header);
  recover(*database, reader, log->path(), &recovery);
  if (!options.read_only) {
    const LogTail& tail = reader.tail();
    // What is behind the last whole group goes before anything is written there; and nothing is built on what only might be durable.
    if (tail.bytes_behind > 0) log->truncate(tail.end);
    log->sync();
    database->start(std::make_unique<FileLog>(database->manager(), std::move(log), header, tail), true);
  } else {
    database->start(nullptr, false);
  }
  database->keep_file(std::move(file), std::move(recovery));
  return database;
}

std::string salvage_database(FileSystem& files, const std::string& from, const std::string& to) {
  const std::string source = files.resolve(from);
  const auto file = files.open(source, OpenMode::kRead);
  if (!file->lock(false)) fail_in_use(source);
  LogHeader header;
  // A damaged database file loses only its id, which the log has as well.
  const auto log = files.open(log_path(source), OpenMode::kRead);
  header = read_log_header(*log);
  if (files.exists(to) || files.exists(log_path(to))) fail_io("salvage into", to, "it exists already");
  LogReader reader(*log, header, true);
  const auto copy_log = files.open(log_path(to) + "-new", OpenMode::kCreate);
  write_whole(*copy_log, encode_log_header(header));
  uint64_t end = kLogHeaderBytes, groups = 0;
  std::string_view group;
  GroupHeader one;
  for (; reader.next(&group, &one); ++groups) {
    copy_log->write(end, group.data(), group.size());
    end += group.size();
  }
  copy_log->sync();
  const auto copy = files.open(to + "-new", OpenMode::kCreate);
  write_whole(*copy, encode_file_header(header.database_id));
  files.rename(log_path(to) + "-new", log_path(to));
  files.sync_directory(to);
  files.rename(to + "-new", to);
  files.sync_directory(to);
  const LogTail& tail = reader.tail();
  std::string report = to + ": " + std::to_string(groups) + " commits, up to number " + std::to_string(tail.last) + ", are whole and were copied";
  if (tail.bytes_behind == 0) return report + "; there was nothing else";
  return report + "; " + std::to_string(tail.bytes_behind) + " bytes of " + log->path() + " from offset " + std::to_string(tail.end) +
         " on were left behind, with " + std::to_string(tail.groups_behind) + " later commits that are whole but build on what is lost";
}

}  // namespace hdb
