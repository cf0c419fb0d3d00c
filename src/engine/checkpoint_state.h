// engine/checkpoint_state.h: the state of a database at a commit, as objects: written from a snapshot, read back without counting anything again.
//
// Terms:      object: some bytes that a store keeps under a reference. Image: which objects a state consists of, and of which versions of blocks, shards
//             and planes they are. Head: what a block knows without its columns (rows, visibility, zones with sums).
// What:       one object for each block column; heads by groups of blocks; dictionaries by chunks of codes; keys by shard; summaries by parts; and the
//             directory: definitions, ids, and all references (spec/format.md).
// Invariants: S1 load_state(write_state(state)) is the state: rows, row ids, definitions, keys, cells, dictionary codes; nothing is recounted.
//             C13 blocks are written as rewound to C, planes as cells minus the deltas after C. What is in the last image at the same version is
//                dirty iff its last change is after its last flush, and keeps its object if it is clean; a column of a dirty block keeps it if its bytes
//                are the same, which is found by comparing them.
//             S2 the bytes are a function of the state at C and of the layouts: what is not visible at C (uncommitted, deleted) is not in them.
// Errors:     58030 for objects that are not valid; those of the store.
// Callers:    engine/checkpoint, engine/database_file. capture_state and write_state: while a snapshot at C is registered, beside readers
//             and the writer. load_state: before anybody else sees the database.
// Held by:    src/engine/checkpoint_state_test.cc, src/engine/checkpoint_test.cc
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.h"
#include "engine/checkpoint_objects.h"

namespace hdb {

class ColumnCache;
class Database;
class EpochManager;
class MemoryBudget;
class Pool;

struct BlockImage {
  bool clean = false;                // false: it was newer than C, so its version says nothing
  uint64_t version = 0;
  std::string head;
  std::vector<ObjectRef> columns;
};
struct DictionaryImage {
  uint32_t size = 0;                 // codes in the chunks
  std::vector<ObjectRef> chunks;
};
struct KeyImage {
  std::vector<ObjectRef> shards;     // where == 0: empty
  std::vector<uint64_t> versions;
};
struct SummaryImage {
  bool clean = false;
  uint64_t version = 0;
  std::vector<ObjectRef> parts;
};
struct TableImage {
  std::weak_ptr<Table> table;        // whose versions these are
  std::vector<BlockImage> blocks;
  std::vector<ObjectRef> groups;
  std::vector<DictionaryImage> dictionaries;  // by column
  std::map<uint64_t, KeyImage> keys;          // by index id
  std::map<uint64_t, SummaryImage> summaries;
};
struct StateImage {
  uint64_t commit = 0, next_id = 1;
  std::map<uint64_t, TableImage> tables;      // by id
  ObjectRef directory;
  void each_object(const std::function<void(const ObjectRef&)>& f) const;
};

struct CapturedTable {
  std::shared_ptr<const TableDef> def;
  uint64_t blocks = 0;
  std::vector<uint32_t> dictionary_sizes;
};
struct CapturedState {
  uint64_t commit = 0, next_id = 1;
  std::vector<CapturedTable> tables;
};

// What there is at a commit whose snapshot is registered; the rest is read through that. Without the turn: newer blocks and texts may be counted.
CapturedState capture_state(Catalog& catalog, uint64_t commit);
StateImage write_state(const CapturedState& state, const StateImage& last, ObjectSink& sink, EpochManager& epochs);

// What a root says: where the state is, the commit that it is the state of, and the id that the next definition gets.
struct StateRoot {
  ObjectRef directory;
  uint64_t commit = 0, next_id = 1;
};
std::string encode_root_payload(const StateRoot& root);
StateRoot decode_root_payload(std::string_view payload, uint64_t commit);

// The definitions and storage of a state, not yet in any catalog. A table and its summaries hold each other: what comes into no catalog (adopted)
// lets go of them, since nobody else would.
struct LoadedState {
  LoadedState() = default;
  LoadedState(LoadedState&&) = default;
  LoadedState& operator=(LoadedState&&) = delete;
  ~LoadedState();

  bool adopted = false;
  uint64_t commit = 0, next_id = 1;
  std::vector<std::shared_ptr<TableDef>> tables;
  StateImage image;
};
// budget: of the database. pool: null for the caller's thread alone. columns: what its tables are kept in, so that their block columns are read when they
// are asked for; null: all are read now.
LoadedState load_state(const StateRoot& root, ObjectSource& source, MemoryBudget* budget, Pool* pool, uint32_t threads,
                       const std::shared_ptr<ColumnCache>& columns = nullptr);
// Of a database that is being opened: its catalog and its commit number.
void adopt_state(Database& database, LoadedState& state);
// Of a database that nobody sees yet, when all is replayed.
void find_free_slots(Table& table);

}  // namespace hdb
