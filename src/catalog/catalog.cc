#include "catalog/catalog.h"

#include <algorithm>

#include "base/check.h"
#include "base/error.h"
#include "store/table.h"
#include "txn/sinks.h"
#include "txn/transaction.h"

namespace hdb {

std::string fold_name(std::string_view name) {
  std::string folded(name);
  for (char& c : folded) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  return folded;
}

Catalog::~Catalog() {
  for (const auto& [id, versions] : tables_) {
    for (const Version& v : versions) {
      if (v.table->table != nullptr) v.table->table->sinks.clear();
    }
  }
}

bool Catalog::visible(const Version& v, const Snapshot& s) {
  const auto sees = [&](const TransactionState& t, uint64_t position) { return s.sees(t.commit.load(std::memory_order_acquire), &t, position); };
  return sees(*v.created, v.created_position) && (v.dropped == nullptr || !sees(*v.dropped, v.dropped_position));
}

Catalog::TablePtr Catalog::find_table(std::string_view folded, const Snapshot& snapshot) const {
  const SharedLatch hold(latch_);
  const auto ids = names_.find(folded);
  if (ids == names_.end()) return nullptr;
  for (const uint64_t id : ids->second) {
    for (const Version& v : tables_.at(id)) {
      if (v.table->folded == folded && visible(v, snapshot)) return v.table;
    }
  }
  return nullptr;
}

Catalog::TablePtr Catalog::find_table(uint64_t id, const Snapshot& snapshot) const {
  const SharedLatch hold(latch_);
  const auto at = tables_.find(id);
  if (at == tables_.end()) return nullptr;
  for (const Version& v : at->second) {
    if (visible(v, snapshot)) return v.table;
  }
  return nullptr;
}

Catalog::TablePtr Catalog::require_table(std::string_view name, const Snapshot& snapshot, int64_t position) const {
  TablePtr table = find_table(fold_name(name), snapshot);
  if (table == nullptr) fail(sqlstate::kUndefinedTable, "there is no table \"" + std::string(name) + "\"", position);
  return table;
}

Catalog::IndexPtr Catalog::find_index(std::string_view folded, const Snapshot& snapshot) const {
  const SharedLatch hold(latch_);
  for (const auto& [id, versions] : tables_) {
    for (const Version& v : versions) {
      if (!visible(v, snapshot)) continue;
      for (const IndexPtr& index : v.table->indexes) {
        if (index->folded == folded) return index;
      }
    }
  }
  return nullptr;
}

std::vector<Catalog::TablePtr> Catalog::tables(const Snapshot& snapshot) const {
  std::vector<TablePtr> found;
  const SharedLatch hold(latch_);
  for (const auto& [id, versions] : tables_) {
    for (const Version& v : versions) {
      if (visible(v, snapshot)) found.push_back(v.table);
    }
  }
  return found;
}

std::vector<Catalog::TablePtr> Catalog::children(uint64_t table_id, const Snapshot& snapshot) const {
  std::vector<TablePtr> found = tables(snapshot);
  std::erase_if(found, [&](const TablePtr& t) {
    return std::none_of(t->foreign_keys.begin(), t->foreign_keys.end(), [&](const ForeignKeyDef& f) { return f.parent_table_id == table_id; });
  });
  return found;
}

uint64_t Catalog::version_count() const {
  const SharedLatch hold(latch_);
  uint64_t n = 0;
  for (const auto& [id, versions] : tables_) n += versions.size();
  return n;
}

// Every change and every undoing gives the writer a mark that was never used before, so no plan of an undone state is taken for another.
void Catalog::note_change(const std::shared_ptr<TransactionState>& state, int by) {
  if (writer_.load(std::memory_order_relaxed) != state.get()) changes_ = 0;
  changes_ += static_cast<uint64_t>(static_cast<int64_t>(by));
  writer_.store(changes_ == 0 ? nullptr : state.get(), std::memory_order_relaxed);
  mark_ = version_.fetch_add(1, std::memory_order_acq_rel) + 1;
}

void Catalog::remove_version(const TableDef* table) {
  TablePtr kept;  // freed behind the latch
  const ExclusiveLatch hold(latch_);
  const auto at = tables_.find(table->id);
  CHECK(at != tables_.end());
  auto& versions = at->second;
  const auto it = std::find_if(versions.begin(), versions.end(), [&](const Version& v) { return v.table.get() == table; });
  CHECK(it != versions.end());
  kept = std::move(it->table);
  versions.erase(it);
  if (!versions.empty()) return;
  const auto name = names_.find(kept->folded);
  if (name != names_.end()) {
    std::erase(name->second, kept->id);
    if (name->second.empty()) names_.erase(name);
  }
  tables_.erase(at);
}

void Catalog::set_dropped(const TableDef* table, std::shared_ptr<TransactionState> by, uint64_t position) {
  const ExclusiveLatch hold(latch_);
  for (Version& v : tables_.at(table->id)) {
    if (v.table.get() != table) continue;
    v.dropped = std::move(by);
    v.dropped_position = position;
    return;
  }
  CHECK(!"a version that is dropped must be there");
}

void Catalog::change(Transaction& transaction, TablePtr old, TablePtr fresh, std::string redo, uint64_t redo_id) {
  const std::shared_ptr<TransactionState> state = transaction.state();
  const uint64_t position = transaction.position();
  auto action = std::make_shared<JournalAction>();
  action->redo = std::move(redo);
  action->redo_id = redo_id;
  // Undone newest first, so this is the catalog's newest change when it runs.
  action->undo = [this, old, fresh, state] {
    if (fresh != nullptr) remove_version(fresh.get());
    if (old != nullptr) set_dropped(old.get(), nullptr, 0);
    note_change(state, -1);
  };
  action->publish = [this](uint64_t commit) {
    last_change_.store(commit, std::memory_order_release);
    writer_.store(nullptr, std::memory_order_relaxed);
    changes_ = 0;
    version_.fetch_add(1, std::memory_order_acq_rel);
  };
  if (old != nullptr) action->reclaim = [this, old] { remove_version(old.get()); };
  transaction.push_action(action);
  try {
    if (fresh != nullptr) {
      const ExclusiveLatch hold(latch_);
      std::vector<Version>& versions = tables_[fresh->id];
      std::vector<uint64_t>& ids = names_[fresh->folded];
      if (std::find(ids.begin(), ids.end(), fresh->id) == ids.end()) ids.push_back(fresh->id);
      versions.push_back({fresh, state, nullptr, position, 0});
    }
  } catch (...) {
    // What the action would take back is not there.
    const ExclusiveLatch hold(latch_);
    if (const auto name = names_.find(fresh->folded); old == nullptr && name != names_.end()) {
      std::erase(name->second, fresh->id);
      if (name->second.empty()) names_.erase(name);
    }
    if (const auto at = tables_.find(fresh->id); at != tables_.end() && at->second.empty()) tables_.erase(at);
    action->undo = [] {};
    action->publish = nullptr;
    action->reclaim = nullptr;
    throw;
  }
  if (old != nullptr) set_dropped(old.get(), state, position);
  note_change(state, +1);
}

}  // namespace hdb
