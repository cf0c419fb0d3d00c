// pages/page_store.h: objects in checksummed pages with parity, and the root that names them.
//
// What:       a Change adds objects in new stripes and commits a root, which is then the state of the store; what no root names any more is free.
//             Names may keep a root: then what it names stays. A page that is lost is rebuilt from its stripe; scrub() looks at all of them.
// Terms:      object: bytes that a reference names. Root: a payload of the caller, which leads to all that it has stored. Version: a root as committed,
//             with its kept roots. Generation: counts the versions of a file.
// Invariants: G5 a stripe is free only if no version that can be asked for names it: the newest, the one before (in the other slot), pins, and
//                each of their kept roots. G8 a commit writes its root only after a sync of everything that the root names, into the slot
//                of the version before, and returns after a sync of that. G9 nothing is ever written over a stripe that is not free, except by
//                scrub() the very bytes that were there. G10 after a failed sync or root write nothing is committed before the file is opened anew.
// Cost:       a commit writes its objects, one table (12 bytes a live stripe), 8 KiB of root, and syncs twice. read() reads whole pages.
// Errors:     58030 (the system; the store is as before), XX001 (damage that parity cannot make good), 42710, 42704 (names of kept roots).
// Callers:    engine/. read(), root(), pin(), kept_root() from any thread; one change at a time, others wait in begin(), keep(), drop(), restore().
// Held by:    spec/pages.md, src/pages/page_store_test.cc, src/pages/page_crash_test.cc, src/pages/page_damage_test.cc, spec/models/run_pages
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "pages/page_reader.h"

namespace hdb {

struct Root {
  uint64_t generation = 0;   // given by the store
  uint64_t commit = 0;       // the caller's
  std::string payload;       // at most kRootPayloadMax
};
struct KeptRoot {
  std::string name;
  uint64_t generation = 0, commit = 0;
};

struct PageFigures {
  uint64_t file_bytes = 0;
  uint64_t live_bytes = 0;   // of stripes that the newest root names
  uint64_t held_bytes = 0;   // of those that anything holds
  uint64_t free_bytes = 0;   // the rest of the stripes in the file
};

struct ScrubReport {
  struct Lost {
    uint64_t page = 0, offset = 0;
    std::vector<std::string> roots;   // what needs it: "" is the root as it is now, else names of kept roots
  };
  uint64_t stripes = 0, pages = 0, bytes = 0;
  std::vector<uint64_t> rebuilt;      // pages; written again if `repair`
  std::vector<Lost> lost;
  std::vector<std::string> messages;  // one for each finding
  bool clean() const { return rebuilt.empty() && lost.empty() && messages.empty(); }
};

class PageStore {
 public:
  // Makes the file (whatever it was) an empty store: header, its copy, two root slots with an empty root of generation 0. Synced. The header comes
  // last, so that a file of format 1 is one of format 2 afterwards, or still one of format 1, or has a whole copy of its header of format 2.
  static void create(File& file, uint64_t database_id, const PageOptions& options = {});

  // Takes the newest whole root of a file of format 2. `file` must outlive the store. A root that is only half there is written again if `writable`.
  PageStore(File& file, bool writable, std::vector<std::string>& notices);
  ~PageStore();

  Root root() const;
  // The other slot's root, if it is whole: what a commit would be undone to. generation == root().generation if there is none.
  Root root_before() const;
  std::string read(const ObjectRef& ref);
  std::vector<std::string> take_notices() { return reader_.take_notices(); }
  // While this lives, what the newest root (now) names is not written over.
  std::shared_ptr<const void> pin() const;

  class Change;
  std::unique_ptr<Change> begin();

  // Each is a commit of its own: the newest root stays as it is.
  void keep(const std::string& name);   // 42710 if there is one
  void drop(const std::string& name);   // 42704 if there is none
  std::vector<KeptRoot> kept() const;   // in the order in which they were kept
  Root kept_root(const std::string& name) const;
  // What `name` names becomes the newest root, with this commit number and payload (which leads to what the kept root led to).
  void restore(const std::string& name, uint64_t commit, std::string payload);

  ScrubReport scrub(bool repair);
  // Does the object need this page? For saying what is affected by a loss.
  bool needs(const ObjectRef& ref, uint64_t page) const;
  PageFigures figures() const;
  uint64_t database_id() const { return id_; }

 private:
  struct KeptRecord {
    std::string name;
    RootSlot slot;           // .kept is not used
    StripeTablePtr table;    // nullptr: its table is lost
  };
  struct Version {
    RootSlot slot;
    StripeTablePtr table;
    std::vector<KeptRecord> kept;
  };
  using VersionPtr = std::shared_ptr<const Version>;

  VersionPtr load(const RootSlot& slot, std::vector<std::string>& notices);
  StripeTablePtr load_table(const RootSlot& slot);
  void heal_root(const RootSlot& slot, const std::vector<bool>& whole, std::vector<std::string>& notices);
  uint32_t stripes_max() const;
  std::vector<StripeTablePtr> holders() const;   // with mutex_
  const KeptRecord& find_kept(const Version& version, const std::string& name) const;
  void write_root(const RootSlot& slot);
  // stripes: that hold what the root leads to
  void commit(Change& change, const Root& root, std::vector<uint32_t> stripes, std::vector<KeptRecord> kept);
  void end_change();
  void shrink();
  void scrub_stripe(const StripeEntry& entry, bool repair, ScrubReport* report);
  void scrub_roots(bool repair, ScrubReport* report);
  std::string sector_at(uint64_t offset);

  File& file_;
  const bool writable_;
  uint64_t id_ = 0;
  PageGeometry geometry_;
  StripeMap map_;
  PageReader reader_;
  mutable std::mutex mutex_;               // of what follows; not held over calls of the file
  std::condition_variable change_ended_;
  bool changing_ = false;
  std::string broken_;                     // why nothing can be committed any more
  VersionPtr newest_, before_;             // before_ may be null
  mutable std::vector<std::weak_ptr<const Version>> versions_;
};

// Ends with its destruction; what it has added and not committed is free then.
class PageStore::Change {
 public:
  ~Change();
  Change(const Change&) = delete;
  Change& operator=(const Change&) = delete;

  // 1 byte to 4 GiB - 1. In new stripes; can be read once it is committed.
  ObjectRef add(std::string_view bytes);
  // Those of `live` that should be read and added again: because most of their stripes is dead and there is enough of that to pay (about as many
  // bytes as the stripes will give back), or because they lie far behind everything else and keep the file long (a quarter of what is live at most).
  std::vector<ObjectRef> half_dead(const std::vector<ObjectRef>& live) const;
  // The root, and every object that it leads to, new and old. Durable when it returns. 58030: it may be there or not when the file is opened again.
  void commit(Root root, const std::vector<ObjectRef>& live);

 private:
  friend class PageStore;
  explicit Change(PageStore& store) : store_(store) {}
  void make_room();   // a stripe that has room for a byte is open
  void seal();

  PageStore& store_;
  StripeMark mark_;
  std::string pages_;             // of the open stripe
  uint32_t open_ = 0;             // 0: none
  uint64_t filled_ = 0;           // payload bytes of it
  std::vector<uint32_t> taken_;
  bool ended_ = false;            // committed, or a write failed
};

}  // namespace hdb
