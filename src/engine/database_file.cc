#include "engine/database_file.h"

#include <cstring>

#include "engine/checkpoint.h"
#include "engine/column_pages.h"
#include "engine/replay.h"
#include "log/file_log.h"
#include "log/log_format.h"

namespace hdb {

namespace {

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
  check_unfinished(files, path);
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
    write_whole(*file, encode_file_header({1, header.database_id, {}, false}));
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

// The state that the newest root names, if there is one.
struct Pages {
  std::unique_ptr<PageStore> store;
  StateImage image;
  uint64_t commit = 0;
};

// Into a database that is being opened. columns: null: block columns are read now, too.
void read_state(Database& database, const Root& root, const std::shared_ptr<ColumnCache>& columns, Pages* pages) {
  PageSource source(*pages->store);
  const uint32_t threads = database.threads_default();
  LoadedState state = load_state(decode_root_payload(root.payload, root.commit), source, &database.budget(), threads > 1 ? &database.pool() : nullptr, threads, columns);
  adopt_state(database, state);
  pages->commit = root.commit;
  pages->image = std::move(state.image);
}

Pages open_pages(Database& database, File& file, const FileHeader& header, bool writable, std::vector<std::string>* notices) {
  Pages pages;
  if (header.format < 2) return pages;
  pages.store = std::make_unique<PageStore>(file, writable, *notices);
  database.columns()->set_reader(std::make_unique<ColumnPages>(std::make_unique<PageSource>(*pages.store)));
  read_state(database, pages.store->root(), database.columns(), &pages);
  pin_homes(pages.image, pages.store->pin());
  for (std::string& one : pages.store->take_notices()) notices->push_back(std::move(one));
  return pages;
}

// A store of a file that somebody else may be writing to, and the kept root of this name, which stays as long as the file is open here (C14). What is read of the
// roots may be half of one version and half of the next: then it is read again.
std::unique_ptr<PageStore> open_kept(File& file, const std::string& name, Root* root) {
  constexpr int kTries = 50;
  for (int tries = 1;; ++tries) {
    try {
      std::vector<std::string> notices;
      auto store = std::make_unique<PageStore>(file, false, notices);
      *root = store->kept_root(name);
      if (!file.lock_mark(root->generation, false)) fail(sqlstate::kInUse, "the restore point \"" + name + "\" of " + file.path() + " is just being dropped");
      // Had it gone before the lock was there, it would not be found again.
      store = std::make_unique<PageStore>(file, false, notices);
      if (store->kept_root(name).generation == root->generation) return store;
      file.unlock_mark(root->generation);
    } catch (const Error&) {
      if (tries == kTries) throw;
    }
    if (tries == kTries) fail(sqlstate::kInUse, "the restore point \"" + name + "\" of " + file.path() + " does not stay long enough to be opened");
  }
}

std::shared_ptr<Database> open_restore_point(FileSystem& files, const std::string& path, const DatabaseOptions& options) {
  if (!files.exists(path)) fail_io("open", path, "No such file or directory");
  auto file = files.open(path, OpenMode::kRead);
  const FileHeader header = read_file_header(*file);
  if (header.format < 2) fail(sqlstate::kUndefinedObject, "there is no restore point \"" + options.restore_point + "\" in " + path);
  DatabaseOptions reading = options;
  reading.read_only = true;
  for (char& c : reading.restore_point) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  auto database = std::make_shared<Database>(reading, Database::Recovering{});
  Root root;
  Pages pages;
  pages.store = open_kept(*file, reading.restore_point, &root);
  read_state(*database, root, nullptr, &pages);
  for (const auto& def : database->catalog().tables({database->manager().registry().newest(), nullptr, 0})) find_free_slots(*def->table);
  database->start(nullptr, false);
  auto checkpointer = std::make_unique<Checkpointer>(*database, files, *file, header.database_id, std::move(pages.store), std::move(pages.image), options.pages);
  checkpointer->read_kept_only();
  database->keep_file(std::move(file), {}, std::move(checkpointer));
  return database;
}

// A log that begins behind `base` and is empty takes the place of one that ends before it.
std::unique_ptr<File> fresh_log(FileSystem& files, const std::string& log, LogHeader* header, uint64_t base, LogTail* tail) {
  ++header->epoch;
  header->base = base;
  {
    const auto fresh = files.open(log + "-new", OpenMode::kCreate);
    write_whole(*fresh, encode_log_header(*header));
  }
  files.rename(log + "-new", log);
  files.sync_directory(log);
  *tail = {};
  tail->end = kLogHeaderBytes;
  tail->last = base;
  return files.open(log, OpenMode::kReadWrite);
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
      if (!replay_group(*connection, GroupReader(group, header))) continue;
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

// Pages as they are: whoever opens the copy finds in them what can be found. A damaged header loses only the id, which the log has as well.
void copy_pages(File& from, File& to, uint64_t id) {
  FileHeader header;
  bool pages = false;
  try {
    header = read_file_header(from);
    pages = header.format >= 2;
  } catch (const Error&) {
    pages = from.size() > kStripesAt;
  }
  if (!pages) return write_whole(to, encode_file_header({1, id, {}, false}));
  to.truncate(0);
  std::string bytes;
  for (uint64_t at = 0, size = from.size(); at < size; at += bytes.size()) {
    bytes.resize(static_cast<size_t>(std::min<uint64_t>(size - at, 1u << 20)));
    if (from.read(at, bytes.data(), bytes.size()) != bytes.size()) fail_io("read", from.path(), "it is shorter than it was");
    to.write(at, bytes.data(), bytes.size());
  }
  to.sync();
}

}  // namespace

std::string log_path(const std::string& path) { return path + "-log"; }

void check_unfinished(FileSystem& files, const std::string& path) {
  for (const std::string& name : {path + "-new", log_path(path) + "-new"}) {
    if (files.exists(log_path(name))) fail_io("use the name", name, "there is a database of that name, and " + path + " is made under it at first");
    if (!files.exists(name)) continue;
    const auto file = files.open(name, OpenMode::kRead);
    char begin[4] = {};
    file->read(0, begin, sizeof begin);
    const bool ours = std::memcmp(begin, "Holo", 4) == 0 || std::memcmp(begin, "\0\0\0\0", 4) == 0;
    if (!ours || file->size() > kSectorBytes)
      fail_io("use the name", name, "what is there is not ours to write over, and " + path + " is made under it at first (remove it if nobody needs it)");
  }
}

std::shared_ptr<Database> open_database(FileSystem& files, const std::string& given, const DatabaseOptions& options) {
  const std::string path = files.resolve(given);
  if (!options.restore_point.empty()) return open_restore_point(files, path, options);
  std::unique_ptr<File> file = open_file(files, path, options.read_only);
  const FileHeader file_header = read_file_header(*file);
  LogHeader header;
  auto log = open_log(files, path, file_header.database_id, options.read_only ? OpenMode::kRead : OpenMode::kReadWrite, &header);
  auto database = std::make_shared<Database>(options, Database::Recovering{});
  database->keep_columns(options.column_cache);
  Recovery recovery;
  std::vector<std::string> notices;
  Pages pages = open_pages(*database, *file, file_header, !options.read_only, &notices);
  // K1: a log that begins later needs a root that is not there (the older of the two, perhaps, for the newest is damaged).
  if (header.base > pages.commit)
    fail(sqlstate::kDamaged, path + ": its newest root is of commit " + std::to_string(pages.commit) + ", but " + log->path() + " begins behind commit " +
                                 std::to_string(header.base) + ": the commits between are missing");
  LogReader reader(*log, header);
  recover(*database, reader, log->path(), &recovery);
  for (const auto& def : database->catalog().tables({database->manager().registry().newest(), nullptr, 0})) find_free_slots(*def->table);
  for (const std::string& one : notices) recovery.notice += (recovery.notice.empty() ? "" : "\n") + path + ": " + one;
  if (!options.read_only) {
    LogTail tail = reader.tail();
    // What is behind the last whole group goes before anything is written there; and nothing is built on what only might be durable.
    if (tail.bytes_behind > 0) log->truncate(tail.end);
    log->sync();
    if (tail.last < pages.commit) log = fresh_log(files, log->path(), &header, pages.commit, &tail);
    database->start(std::make_unique<FileLog>(database->manager(), std::move(log), header, tail), true);
  } else {
    database->start(nullptr, false);
  }
  auto checkpointer = std::make_unique<Checkpointer>(*database, files, *file, file_header.database_id, std::move(pages.store), std::move(pages.image),
                                                     options.pages);
  Checkpointer* watching = options.read_only || options.single_thread ? nullptr : checkpointer.get();
  database->keep_file(std::move(file), std::move(recovery), std::move(checkpointer));
  if (watching != nullptr) watching->start_idle();
  return database;
}

std::string salvage_database(FileSystem& files, const std::string& from, const std::string& to) {
  const std::string source = files.resolve(from);
  const auto file = files.open(source, OpenMode::kRead);
  if (!file->lock(false)) fail_in_use(source);
  LogHeader header;
  const auto log = files.open(log_path(source), OpenMode::kRead);
  header = read_log_header(*log);
  if (files.exists(to) || files.exists(log_path(to))) fail_io("salvage into", to, "it exists already");
  check_unfinished(files, to);
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
  copy_pages(*file, *copy, header.database_id);
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
