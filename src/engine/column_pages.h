// engine/column_pages.h: block columns out of the pages of a database file, when they are asked for.
//
// What:       load_column opens a table's column: its dictionary, and homes for its blocks. ColumnPages reads an absent column. move_homes makes the homes
//             of all tables those of a new root.
// Invariants: B1-B4 of store/column_cache.h. B5 what a home names is held by the newest root or by a pin of its table (home_pins) until no home names
//             it: so a checkpoint that moves objects, a restore, or a table that is dropped takes nothing from under a reader.
//             B6 a block column of heap texts has no home: it stays (its texts are addresses of the column's heap).
// Errors:     XX001, 58030 (the store's; bytes that are no column), 53200.
// Callers:    engine/checkpoint*. ColumnPages: any thread. The others: the checkpointer, one at a time, or before the tables are shared.
// Held by:    src/engine/paging_test.cc, src/engine/checkpoint_state_test.cc
#pragma once

#include <memory>
#include <vector>

#include "engine/checkpoint_state.h"
#include "store/column_cache.h"

namespace hdb {

inline ColumnHome home_of(const ObjectRef& ref) { return {ref.where, ref.bytes, ref.checksum}; }

// The blocks have their heads. A table without a cache, or whose texts may be in the heap, has all of its block columns read now.
void load_column(Table& table, uint32_t column, ObjectSource& source, const DictionaryImage& dictionary, bool overflowed,
                 const std::vector<BlockImage>& blocks);

class ColumnPages final : public ColumnReader {
 public:
  explicit ColumnPages(std::unique_ptr<ObjectSource> source) : source_(std::move(source)) {}
  BufferRef read(const AbsentColumn& column) override;

 private:
  const std::unique_ptr<ObjectSource> source_;
};

// What `pin` holds has the homes of `image`'s tables: it takes the place of the newest pin of each.
void pin_homes(const StateImage& image, const std::shared_ptr<const void>& pin);
// After the commit of a root with this image, while what held the homes of before holds them still. What is in another place there gets its new home;
// what is not there comes in and has none. If something of a table cannot be read, its old pins stay as well.
void move_homes(const StateImage& image, const std::shared_ptr<const void>& pin);

}  // namespace hdb
