// Objects back into the state of a database (engine/checkpoint_state.h). Every reference is checked by the store; what is inside of an object is
// checked here before it is believed.
#include <algorithm>

#include "base/pool.h"
#include "engine/checkpoint_format.h"
#include "engine/checkpoint_state.h"
#include "engine/column_pages.h"
#include "engine/database.h"
#include "engine/ddl.h"
#include "plane/summary.h"
#include "store/key_index.h"
#include "store/table.h"
#include "txn/sinks.h"

namespace hdb {

namespace {

Zone read_zone(ByteReader& in, Lane lane) {
  Zone z;
  const auto flags = in.take<uint8_t>();
  z.loose = (flags & 1) != 0;
  z.unbounded = (flags & 2) != 0;
  z.nulls = in.take<uint32_t>();
  if (lane == Lane::kInt64) {
    z.low = in.take<int64_t>();
    z.high = in.take<int64_t>();
    z.sum.lo = in.take<uint64_t>();
    z.sum.hi = in.take<uint64_t>();
  } else if (lane == Lane::kDouble) {
    z.low_real = in.take<double>();
    z.high_real = in.take<double>();
  }
  return z;
}

class Loader {
 public:
  Loader(ObjectSource& source, MemoryBudget* budget, Pool* pool, uint32_t threads, const std::shared_ptr<ColumnCache>& columns)
      : source_(source), budget_(budget), pool_(pool), threads_(threads), cache_(columns) {}

  LoadedState run(const StateRoot& root) {
    out_.commit = out_.image.commit = root.commit;
    out_.next_id = out_.image.next_id = root.next_id;
    if (root.directory.where == 0) return std::move(out_);  // nothing has been written yet
    out_.image.directory = root.directory;
    const std::string bytes = source_.read(root.directory);
    ByteReader in(bytes);
    if (in.take<uint32_t>() != kStateMagic) fail_object("its directory is none");
    if (const auto format = in.take<uint32_t>(); format != kStateFormat)
      fail(sqlstate::kIo, "the checkpoint has state format " + std::to_string(format) + ", and this library reads format " + std::to_string(kStateFormat));
    const uint32_t tables = in.take_count(20);
    for (uint32_t t = 0; t < tables; ++t) read_table(in);
    in.end();
    run_all(columns_);
    run_all(summaries_);
    for (const auto& def : out_.tables) link_foreign_keys(*def);
    return std::move(out_);
  }

 private:
  using Tasks = std::vector<std::function<void()>>;

  void run_all(const Tasks& tasks) {
    const auto count = static_cast<uint32_t>(tasks.size());
    if (pool_ != nullptr && threads_ > 1 && count > 1) {
      pool_->parallel_for(count, pool_->workers_for(count, threads_), [&](uint32_t, uint32_t task) { tasks[task](); });
    } else {
      for (const auto& task : tasks) task();
    }
  }

  void read_table(ByteReader& in) {
    std::shared_ptr<TableDef> def = read_definition(in);
    def->folded = fold_name(def->name);
    std::vector<ColumnShape> shape;
    for (ColumnDef& c : def->columns) {
      c.folded = fold_name(c.name);
      shape.push_back({c.name, c.type, c.not_null});
    }
    if (out_.image.tables.count(def->id) != 0) fail_object("two tables have the same number");
    def->table = std::make_shared<Table>(def->id, def->name, std::move(shape), budget_);
    if (cache_ != nullptr) def->table->keep_in(cache_);
    TableImage& image = out_.image.tables[def->id];
    image.table = def->table;
    const auto blocks = in.take<uint64_t>();
    image.groups = in.take_all<ObjectRef>();
    if (blocks > kTableRowsMax / kBlockRows || image.groups.size() != (blocks + kGroupBlocks - 1) / kGroupBlocks)
      fail_object("a table has another number of blocks than it says");
    for (const ObjectRef& ref : image.groups) read_group(*def->table, source_.read(ref), image);
    if (image.blocks.size() != blocks) fail_object("a table has another number of blocks than it says");
    for (uint32_t c = 0; c < def->columns.size(); ++c) {
      DictionaryImage dictionary;
      dictionary.size = in.take<uint32_t>();
      const bool overflowed = in.take<uint8_t>() != 0;
      dictionary.chunks = in.take_all<ObjectRef>();
      image.dictionaries.push_back(std::move(dictionary));
      columns_.push_back([this, def, c, overflowed] {
        const TableImage& of = out_.image.tables.at(def->id);
        load_column(*def->table, c, source_, of.dictionaries[c], overflowed, of.blocks);
      });
    }
    out_.tables.push_back(def);  // from here on it is let go of with the state
    for (auto& index : def->indexes) read_index(in, *def, const_cast<IndexDef&>(*index), image);
  }

  void read_group(Table& table, const std::string& bytes, TableImage& image) {
    ByteReader in(bytes);
    const uint32_t count = in.take_count(8);
    if (count == 0 || count > kGroupBlocks) fail_object("a group has no block, or too many");
    for (uint32_t i = 0; i < count; ++i) {
      Block& block = table.add_block();
      BlockImage one;
      one.head = std::string(in.take_text());
      one.columns = in.take_all<ObjectRef>();
      if (one.columns.size() != table.column_count()) fail_object("a block has another number of columns than its table");
      one.clean = true;
      one.version = block.version();
      read_head(table, block, one.head);
      image.blocks.push_back(std::move(one));
    }
    in.end();
  }

  void read_head(Table& table, Block& block, const std::string& bytes) {
    ByteReader in(bytes);
    block.rows = in.take<uint32_t>();
    block.live = in.take<uint32_t>();
    if (block.rows > kBlockRows || block.live > block.rows) fail_object("a block has more rows than a block can have");
    if (in.take<uint8_t>() != 0) bitmap_fill(block.visible->words, block.rows);
    else std::memcpy(block.visible->words, in.take_bytes(size_t{bitmap_words(block.rows)} * 8).data(), size_t{bitmap_words(block.rows)} * 8);
    const uint32_t words = bitmap_words(block.rows);
    if (block.rows % 64 != 0 && words > 0 && (block.visible->words[words - 1] >> (block.rows % 64)) != 0)
      fail_object("a block has visible rows behind its last");
    if (bitmap_count(block.visible->words, words) != block.live) fail_object("a block has another number of visible rows than it says");
    for (uint32_t c = 0; c < table.column_count(); ++c) block.zones[c] = read_zone(in, table.type(c).lane());
    in.end();
    block.last = {nullptr, out_.commit};
    table.live_rows.fetch_add(block.live, std::memory_order_relaxed);
  }

  void read_index(ByteReader& in, const TableDef& def, IndexDef& index, TableImage& image) {
    index.folded = fold_name(index.name);
    if (index.kind == IndexKind::kSummary) {
      index.summary = std::make_shared<Summary>(index.name, def.table, index.columns, index.measures, index.max_cells, budget_);
      SummaryImage& to = image.summaries[index.id];
      to.parts = in.take_all<ObjectRef>();
      def.table->sinks.push_back(index.summary);
      summaries_.push_back([this, &index, &to, table = def.table] {
        for (const ObjectRef& ref : to.parts) {
          const std::string bytes = source_.read(ref);
          if (!index.summary->load(decode_cells(bytes, *table, index.columns, index.measures.size()))) fail_object("a summary has a cell twice");
        }
        index.summary->loaded(out_.commit);
        to.version = index.summary->settled_version(out_.commit).value_or(0);
        to.clean = true;
      });
      return;
    }
    const bool integer = index.columns.size() == 1 && def.columns[index.columns[0]].type.id == TypeId::kBigint;
    index.key = std::make_shared<KeyIndex>(index.name, index.columns, index.kind == IndexKind::kPrimary, integer, budget_);
    def.table->keys.push_back(index.key);
    if (!index.key->load_runs(in.take_all<KeyIndex::Run>())) fail_object("a key has runs that overlap");
    KeyImage& to = image.keys[index.id];
    to.shards = in.take_all<ObjectRef>();
    if (to.shards.size() != KeyIndex::kShards) fail_object("a key has another number of shards");
    to.versions.assign(KeyIndex::kShards, 0);
    columns_.push_back([this, &index, &to] {
      for (uint32_t s = 0; s < KeyIndex::kShards; ++s) {
        if (to.shards[s].where == 0) continue;
        const std::string bytes = source_.read(to.shards[s]);
        ByteReader shard(bytes);
        if (!index.key->load_shard(s, shard.take_all<uint64_t>())) fail_object("a key has entries that are none");
        shard.end();
      }
    });
  }

  const TableDef* find(uint64_t id) const {
    for (const auto& def : out_.tables) {
      if (def->id == id) return def.get();
    }
    return nullptr;
  }

  void link_foreign_keys(const TableDef& def) {
    for (const ForeignKeyDef& foreign : def.foreign_keys) {
      const TableDef* parent = find(foreign.parent_table_id);
      ReferenceCheck check;
      check.name = column_list(def, foreign.columns);
      check.columns = foreign.columns;
      check.parent_columns = foreign.parent_columns;
      for (size_t i = 0; parent != nullptr && check.parent_key == nullptr && i < parent->indexes.size(); ++i) {
        if (parent->indexes[i]->key != nullptr && parent->indexes[i]->columns == foreign.parent_columns) check.parent_key = parent->indexes[i]->key;
      }
      if (check.parent_key == nullptr || foreign.columns.size() != foreign.parent_columns.size()) fail_object("a foreign key refers to no key");
      check.parent = parent->table;
      def.table->references.push_back(std::move(check));
      parent->table->children.push_back({def.table, foreign.columns, foreign.parent_columns});
    }
  }

  ObjectSource& source_;
  MemoryBudget* budget_;
  Pool* pool_;
  const uint32_t threads_;
  const std::shared_ptr<ColumnCache>& cache_;
  LoadedState out_;
  Tasks columns_, summaries_;
};

}  // namespace

LoadedState load_state(const StateRoot& root, ObjectSource& source, MemoryBudget* budget, Pool* pool, uint32_t threads,
                       const std::shared_ptr<ColumnCache>& columns) {
  Loader loader(source, budget, pool, threads, columns);
  return loader.run(root);
}

// Every slot that no row is in may be used again: nobody can see what was there.
void find_free_slots(Table& table) {
  table.free_slots.clear();
  table.append_block = 0;
  for (uint64_t b = table.block_count(); b-- > 0;) {
    const Block& block = table.block(b);
    for (uint32_t slot = block.live == block.rows ? 0 : block.rows; slot-- > 0;) {
      if (!bit_test(block.visible->words, slot)) table.free_slots.push_back(block.first_row() + slot);
    }
  }
}

LoadedState::~LoadedState() {
  if (adopted) return;
  for (const auto& def : tables) {
    if (def->table != nullptr) def->table->sinks.clear();
  }
}

void adopt_state(Database& database, LoadedState& state) {
  SnapshotRegistry& registry = database.manager().registry();
  if (state.tables.empty()) {
    registry.publish(state.commit);
  } else {
    if (state.commit == 0) fail_object("it has tables, and no commit made them");
    registry.publish(state.commit - 1);
    Transaction t(database.manager());
    t.begin_write();
    for (const auto& def : state.tables) {
      t.keep(def->table);
      database.catalog().change(t, nullptr, def);
    }
    t.commit();
  }
  state.adopted = true;
  database.catalog().set_next_id(state.next_id);
}

}  // namespace hdb
