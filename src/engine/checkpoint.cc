#include "engine/checkpoint.h"

#include <algorithm>
#include <chrono>
#include <set>

#include "base/protocol.h"
#include "engine/column_pages.h"
#include "engine/database.h"
#include "engine/database_file.h"
#include "log/file_log.h"
#include "store/table.h"
#include "txn/sinks.h"

namespace hdb {

namespace {

// New objects of a change. Old ones that lie in stripes which are mostly dead move.
class PageSink final : public ObjectSink {
 public:
  PageSink(PageStore& store, PageStore::Change& change, const std::vector<ObjectRef>& moving) : store_(store), change_(change) {
    for (const ObjectRef& ref : moving) moving_.insert(ref.where);
  }
  std::string read(const ObjectRef& ref) override { return store_.read(ref); }
  ObjectRef add(std::string_view bytes) override { return change_.add(bytes); }
  ObjectRef keep(const ObjectRef& ref) override { return moving_.count(ref.where) == 0 ? ref : change_.add(store_.read(ref)); }

 private:
  PageStore& store_;
  PageStore::Change& change_;
  std::set<uint64_t> moving_;
};

std::vector<ObjectRef> objects_of(const StateImage& image) {
  std::vector<ObjectRef> all;
  image.each_object([&](const ObjectRef& ref) { all.push_back(ref); });
  return all;
}

// The newest durable commit, and what is needed to read it as long as this lives.
class Pinned {
 public:
  explicit Pinned(SnapshotRegistry& registry) : registry_(registry), commit_(registry.open()) {}
  ~Pinned() { registry_.close(commit_); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  uint64_t commit() const { return commit_; }

 private:
  SnapshotRegistry& registry_;
  const uint64_t commit_;
};

}  // namespace

Checkpointer::Checkpointer(Database& database, FileSystem& files, File& file, uint64_t database_id, std::unique_ptr<PageStore> store, StateImage image,
                           const PageOptions& pages)
    : database_(database), files_(files), file_(file), id_(database_id), pages_(pages), store_(std::move(store)), image_(std::move(image)) {
  if (store_ != nullptr && database.file_log() != nullptr)
    protocol::tell({protocol::Event::kPages, &database.manager().registry(), image_.commit, database.file_log()->base()});
}

Checkpointer::~Checkpointer() { stop_idle(); }

void Checkpointer::run() {
  const std::lock_guard<std::mutex> hold(mutex_);
  run_locked();
}

// C is D: what is acknowledged. Open transactions and newer commits are rewound, nobody is waited for.
void Checkpointer::run_locked() {
  database_.manager().check_writable();
  FileLog& log = *database_.file_log();
  const Pinned pinned(database_.manager().registry());
  const CapturedState state = capture_state(database_.catalog(), pinned.commit());
  log.sync_up_to(state.commit);  // K3: without synchronous = full it may not be
  if (store_ == nullptr) {
    // An empty root, while the log still has everything: as good as the header that was there.
    std::vector<std::string> notices;
    PageStore::create(file_, id_, pages_);
    store_ = std::make_unique<PageStore>(file_, true, notices);
    database_.columns()->set_reader(std::make_unique<ColumnPages>(std::make_unique<PageSource>(*store_)));
  }
  if (image_.directory.where == 0 || image_.commit != state.commit) {
    const auto change = store_->begin();
    PageSink sink(*store_, *change, change->half_dead(objects_of(image_)));
    StateImage next = write_state(state, image_, sink, database_.manager().epochs());
    change->commit({0, state.commit, encode_root_payload({next.directory, state.commit, next.next_id})}, objects_of(next));
    protocol::tell({protocol::Event::kRoot, &database_.manager().registry(), state.commit});
    image_ = std::move(next);  // K2: not before it is durable
    move_homes(image_, store_->pin());
  }
  if (log.base() != state.commit) log.cut(files_, state.commit);  // K1
  not_before_.store(0, std::memory_order_relaxed);
  failure_.clear();
}

void Checkpointer::run_if_due() noexcept {
  FileLog* log = database_.file_log();
  const uint64_t bytes = log->bytes();
  if (bytes < std::max(limit(), not_before_.load(std::memory_order_relaxed)) || database_.manager().poisoned()) return;
  run_quietly(bytes);
}

void Checkpointer::run_quietly(uint64_t log_bytes) noexcept {
  const std::unique_lock<std::mutex> hold(mutex_, std::try_to_lock);
  if (!hold.owns_lock()) return;
  try {
    run_locked();
  } catch (const std::exception& e) {
    // Every commit stands, and so does the log. It is tried again when that has grown as much once more.
    not_before_.store(limit() > UINT64_MAX - log_bytes ? UINT64_MAX : log_bytes + limit(), std::memory_order_relaxed);
    try {
      failure_ = e.what();
    } catch (const std::bad_alloc&) {
      failure_.assign("out of memory");  // short enough to need none
    }
  }
}

std::string Checkpointer::failure() {
  const std::lock_guard<std::mutex> hold(mutex_);
  return failure_;
}

// ---- while nothing is committed

void Checkpointer::start_idle() {
  try {
    idle_ = std::thread([this] { watch(); });
  } catch (const std::exception&) {
    // Without it the log is cut when it has grown, and at the end.
  }
}

uint64_t Checkpointer::idle_ms() const {
  const std::lock_guard<std::mutex> hold(idle_mutex_);
  return idle_ms_;
}

void Checkpointer::set_idle_ms(uint64_t ms) {
  const std::lock_guard<std::mutex> hold(idle_mutex_);
  idle_ms_ = ms;
  idle_changed_.notify_all();
}

// Looks at the log's end from time to time, so that a commit pays nothing for being watched: idle is what has not moved between two looks.
void Checkpointer::watch() noexcept {
  std::unique_lock<std::mutex> hold(idle_mutex_);
  uint64_t seen = 0;
  while (!idle_over_) {
    if (idle_ms_ == 0) {
      idle_changed_.wait(hold);
      continue;
    }
    if (idle_changed_.wait_for(hold, std::chrono::milliseconds(idle_ms_)) != std::cv_status::timeout) continue;
    hold.unlock();
    const uint64_t bytes = database_.file_log()->bytes();
    const bool due = bytes == seen && bytes >= std::max(kLogBytesAtClose, not_before_.load(std::memory_order_relaxed));
    if (due && !database_.manager().poisoned()) run_quietly(bytes);
    seen = bytes;
    hold.lock();
  }
}

void Checkpointer::stop_idle() noexcept {
  {
    const std::lock_guard<std::mutex> hold(idle_mutex_);
    idle_over_ = true;
    idle_changed_.notify_all();
  }
  if (idle_.joinable()) idle_.join();
}

void Checkpointer::close() noexcept {
  stop_idle();
  try {
    if (database_.manager().poisoned() || database_.file_log()->bytes() < std::min(limit(), kLogBytesAtClose)) return;
    run();
  } catch (const std::exception&) {
    // The log has everything.
  }
}

// ---- restore points

void Checkpointer::create_restore_point(const std::string& name) {
  if (name == kBeforeRestore) fail(sqlstate::kInvalidParameter, "the restore point before_restore is the one that RESTORE TO makes itself");
  const std::lock_guard<std::mutex> hold(mutex_);
  if (store_ != nullptr) {
    for (const KeptRoot& kept : store_->kept()) {
      if (kept.name == name) fail(sqlstate::kDuplicateObject, "there is a restore point \"" + name + "\" already");
    }
  }
  run_locked();
  store_->keep(name);
  pin_homes(image_, store_->pin());
}

void Checkpointer::drop_restore_point(const std::string& name) {
  const std::lock_guard<std::mutex> hold(mutex_);
  if (store_ == nullptr) fail(sqlstate::kUndefinedObject, "there is no restore point \"" + name + "\"");
  take_away(name);
}

// C14: not while it is open somewhere, in this process or another one (open_database). Who opens it locks the mark and looks again.
void Checkpointer::take_away(const std::string& name) {
  const uint64_t mark = store_->kept_root(name).generation;
  if (!file_.lock_mark(mark, true)) fail(sqlstate::kInUse, "the restore point \"" + name + "\" is open somewhere and cannot go");
  try {
    store_->drop(name);
    pin_homes(image_, store_->pin());  // the one of before holds what has been dropped
  } catch (...) {
    file_.unlock_mark(mark);
    throw;
  }
  file_.unlock_mark(mark);
}

std::vector<KeptRoot> Checkpointer::restore_points() {
  const std::lock_guard<std::mutex> hold(mutex_);
  return store_ == nullptr ? std::vector<KeptRoot>() : store_->kept();
}

// Every table object of now goes, those of the state come: changes of the catalog like any other, so that older snapshots go on with what they see.
void Checkpointer::replace_tables(Transaction& t, const LoadedState& state) {
  Catalog& catalog = database_.catalog();
  for (const auto& old : catalog.tables(t.snapshot())) {
    t.keep(old->table);
    catalog.change(t, old, nullptr);
  }
  for (const auto& def : state.tables) {
    t.keep(def->table);
    catalog.change(t, nullptr, def);
  }
}

void Checkpointer::restore(const std::string& name) {
  const std::lock_guard<std::mutex> hold(mutex_);
  TransactionManager& manager = database_.manager();
  if (store_ == nullptr) fail(sqlstate::kUndefinedObject, "there is no restore point \"" + name + "\"");
  Transaction t(manager);
  t.begin_write();
  Root kept = store_->kept_root(name);  // 42704
  const auto pin = store_->pin();
  // The state of now becomes a restore point of its own: that is how this is undone.
  database_.log().wait_durable(manager.registry().newest());
  run_locked();
  const uint64_t commit = manager.registry().newest() + 1;
  StateRoot root = decode_root_payload(kept.payload, commit);
  root.next_id = std::max(root.next_id, database_.catalog().peek_id());
  PageSource source(*store_);
  LoadedState state = load_state(root, source, &database_.budget(), nullptr, 1, database_.columns());
  for (const auto& def : state.tables) find_free_slots(*def->table);
  if (name != kBeforeRestore) {
    for (const KeptRoot& one : store_->kept()) {
      if (one.name == kBeforeRestore) take_away(kBeforeRestore);
    }
    store_->keep(kBeforeRestore);
  }
  std::vector<std::shared_ptr<const TableDef>> old = database_.catalog().tables(t.snapshot());
  replace_tables(t, state);
  t.end_statement();
  try {
    // C14: the root of the new commit first, then the commit. A crash between them finds the new root, and a log that ends before it.
    store_->restore(name, commit, encode_root_payload(root));
    protocol::tell({protocol::Event::kRestoreRoot, &manager.registry(), commit});
    pin_homes(state.image, store_->pin());
    t.commit();
  } catch (const std::exception& e) {
    manager.poison(std::string("a restore broke off, and its outcome is unknown until the database is opened again: ") + e.what(), sqlstate::kIo);
    throw;
  }
  state.adopted = true;
  image_ = std::move(state.image);
  // Summaries and their tables hold each other; readers with older snapshots have the summaries from their definitions.
  {
    Transaction turn(manager);
    turn.begin_write();
    for (const auto& def : old) def->table->sinks.clear();
  }
  database_.file_log()->cut(files_, commit);
}

std::unique_ptr<ScrubReport> Checkpointer::scrub(bool repair) {
  const std::lock_guard<std::mutex> hold(mutex_);
  if (store_ == nullptr || kept_only_) return nullptr;
  return std::make_unique<ScrubReport>(store_->scrub(repair));
}

// ---- backups

void backup_database(Database& database, FileSystem& files, const std::string& path) {
  if (files.exists(path) || files.exists(log_path(path))) fail_io("back up to", path, "it exists already");
  TransactionManager& manager = database.manager();
  const Pinned pinned(manager.registry());
  const CapturedState state = capture_state(database.catalog(), pinned.commit());
  const std::string path_new = path + "-new", log_new = log_path(path) + "-new";
  check_unfinished(files, path);
  auto file = files.open(path_new, OpenMode::kCreate);
  // The lock on the new name is the right to make it, and to remove what was made.
  if (!file->lock(true) || !files.is_at(*file, path_new) || files.exists(path)) fail_io("back up to", path, "another backup to it is under way, or was just made");
  try {
    LogHeader header;
    header.database_id = files.random();
    header.salt = static_cast<uint32_t>(files.random());
    header.base = state.commit;
    {
      std::vector<std::string> notices;
      PageStore::create(*file, header.database_id);
      PageStore store(*file, true, notices);
      const auto change = store.begin();
      PageSink sink(store, *change, {});
      const StateImage image = write_state(state, {}, sink, manager.epochs());
      change->commit({0, state.commit, encode_root_payload({image.directory, state.commit, image.next_id})}, objects_of(image));
      const auto log = files.open(log_new, OpenMode::kCreate);
      const std::string bytes = encode_log_header(header);
      log->truncate(0);
      log->write(0, bytes.data(), bytes.size());
      log->sync();
    }
    files.rename(log_new, log_path(path));
    files.sync_directory(path);
    files.rename(path_new, path);
    files.sync_directory(path);
    file.reset();
    // It is a backup only if it opens: every object is read, every reference followed.
    DatabaseOptions options;
    options.read_only = options.single_thread = true;
    options.column_cache = 0;
    const auto copy = open_database(files, path, options);
    if (copy->manager().registry().newest() != state.commit || copy->catalog().tables({state.commit, nullptr, 0}).size() != state.tables.size())
      fail(sqlstate::kIo, path + ": the backup is not what was to be backed up");
    for (const auto& def : copy->catalog().tables({state.commit, nullptr, 0})) {
      for (uint64_t b = 0; b < def->table->block_count(); ++b) {
        for (uint32_t c = 0; c < def->table->column_count(); ++c) def->table->pin(b, c);
      }
    }
  } catch (...) {
    for (const std::string& left : {path, log_path(path), path_new, log_new}) {
      try {
        files.remove(left);
      } catch (const std::exception&) {
        // The reason why the backup failed counts.
      }
    }
    throw;
  }
}

}  // namespace hdb
