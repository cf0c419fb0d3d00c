// The state of a snapshot into objects (engine/checkpoint_state.h).
#include <algorithm>

#include "base/checksum.h"
#include "base/epoch.h"
#include "engine/checkpoint_bytes.h"
#include "engine/checkpoint_format.h"
#include "engine/checkpoint_state.h"
#include "plane/summary.h"
#include "store/key_index.h"
#include "store/table.h"
#include "txn/block_view.h"

namespace hdb {

namespace {

// S2: what is not visible is written as if nothing had been there.
std::string encode_column(const ColumnBuffer& b, uint32_t rows, const uint64_t* visible) {
  ByteWriter out;
  const uint32_t words = bitmap_words(rows);
  std::vector<uint64_t> nulls;
  if (b.nulls != nullptr) {
    nulls.assign(b.nulls, b.nulls + words);
    for (uint32_t w = 0; w < words; ++w) nulls[w] &= visible[w];
  }
  out.put(static_cast<uint8_t>(b.encoding));
  out.put(b.width);
  out.put<uint8_t>(b.nulls != nullptr ? 1 : 0);
  out.put<uint8_t>(0);
  out.put(rows);
  out.put(b.base);
  out.put_bytes(nulls.data(), nulls.size() * 8);
  if (b.encoding == Encoding::kHeap) {
    for (uint32_t r = 0; r < rows; ++r) {
      if (bit_test(visible, r) && !b.is_null(r)) out.put_text(b.at(r).text()->view());
    }
    return out.take();
  }
  if (b.width == 0) return out.take();
  std::string data(reinterpret_cast<const char*>(b.data), size_t{rows} * b.width);
  for (uint32_t r = 0; r < rows; ++r) {
    if (!bit_test(visible, r) || b.is_null(r)) std::memset(data.data() + size_t{r} * b.width, 0, b.width);
  }
  out.put_bytes(data.data(), data.size());
  return out.take();
}

void put_zone(ByteWriter& out, Lane lane, const Zone& z) {
  out.put<uint8_t>(static_cast<uint8_t>((z.loose ? 1 : 0) | (z.unbounded ? 2 : 0)));
  out.put(z.nulls);
  if (lane == Lane::kInt64) {
    out.put(z.low);
    out.put(z.high);
    out.put(z.sum.lo);
    out.put(z.sum.hi);
  } else if (lane == Lane::kDouble) {
    out.put(z.low_real);
    out.put(z.high_real);
  }
}

// The zone of a block's latest state if that is what the snapshot sees (C6), else one of its own.
Zone zone_at(const BlockView& view, uint32_t column, Lane lane) {
  if (view.current()) return view.zone(column);
  Zone z;
  for_each_bit(view.visible(), bitmap_words(view.rows()), [&](uint32_t slot) { z.add(lane, view.column(column).at(slot)); });
  return z;
}

class Writer {
 public:
  Writer(const CapturedState& state, const StateImage& last, ObjectSink& sink, EpochManager& epochs)
      : state_(state), last_(last), sink_(sink), epochs_(epochs), snapshot_{state.commit, nullptr, 0} {}

  StateImage run() {
    out_.commit = state_.commit;
    out_.next_id = state_.next_id;
    for (const CapturedTable& t : state_.tables) write_table(t);
    write_directory();
    return std::move(out_);
  }

 private:
  void write_table(const CapturedTable& t) {
    const std::shared_ptr<Table>& table = t.def->table;
    const auto at = last_.tables.find(t.def->id);
    static const TableImage kNone;
    const TableImage& last = at != last_.tables.end() && at->second.table.lock() == table ? at->second : kNone;
    TableImage& image = out_.tables[t.def->id];
    image.table = table;
    write_dictionaries(t, last, image);
    write_blocks(t, last, image);
    for (const auto& index : t.def->indexes) {
      if (index->key != nullptr) write_key(*index->key, find(last.keys, index->id), image.keys[index->id]);
      if (index->summary != nullptr) write_summary(*index->summary, find(last.summaries, index->id), image.summaries[index->id]);
    }
  }
  template <class T>
  static const T* find(const std::map<uint64_t, T>& in, uint64_t id) {
    const auto at = in.find(id);
    return at == in.end() ? nullptr : &at->second;
  }

  // `old` if it holds these bytes: compared themselves, for a checksum alone could lie.
  ObjectRef add_or_keep(const std::string& bytes, const ObjectRef* old) {
    if (old != nullptr && old->where != 0 && old->bytes == bytes.size() && old->checksum == crc32c(bytes.data(), bytes.size()) &&
        sink_.read(*old) == bytes)
      return sink_.keep(*old);
    return sink_.add(bytes);
  }

  void write_dictionaries(const CapturedTable& t, const TableImage& last, TableImage& image) {
    image.dictionaries.resize(t.def->columns.size());
    for (uint32_t c = 0; c < t.def->columns.size(); ++c) {
      const Dictionary* dictionary = t.def->table->dictionary(c);
      if (dictionary == nullptr) continue;
      DictionaryImage& to = image.dictionaries[c];
      const DictionaryImage* from = c < last.dictionaries.size() ? &last.dictionaries[c] : nullptr;
      to.size = t.dictionary_sizes[c];
      // Codes are never used again (C9): a chunk is as it was unless it has grown.
      for (uint32_t first = 0; first < to.size; first += kDictionaryChunk) {
        const uint32_t end = std::min(first + kDictionaryChunk, to.size), chunk = first / kDictionaryChunk;
        if (from != nullptr && chunk < from->chunks.size() && std::min(first + kDictionaryChunk, from->size) == end) {
          to.chunks.push_back(sink_.keep(from->chunks[chunk]));
          continue;
        }
        ByteWriter out;
        out.put(end - first);
        for (uint32_t code = first; code < end; ++code) out.put_text(dictionary->text(code));
        to.chunks.push_back(sink_.add(out.bytes()));
      }
    }
  }

  // Blocks at the end without a row at C are not part of the state.
  uint64_t blocks_at(const Table& table, uint64_t blocks) {
    BlockView view;
    for (; blocks > 0; --blocks) {
      const EpochManager::Guard guard(epochs_);
      view.open(table, blocks - 1, {}, snapshot_);
      if (view.visible_count() > 0) break;
    }
    return blocks;
  }

  void write_blocks(const CapturedTable& t, const TableImage& last, TableImage& image) {
    const Table& table = *t.def->table;
    const uint64_t blocks = blocks_at(table, t.blocks);
    image.blocks.resize(blocks);
    const auto end_of = [](uint64_t group, uint64_t count) { return std::min((group + 1) * kGroupBlocks, count); };
    std::vector<bool> changed((blocks + kGroupBlocks - 1) / kGroupBlocks);
    for (uint64_t g = 0; g < changed.size(); ++g) changed[g] = end_of(g, blocks) != end_of(g, last.blocks.size());
    for (uint64_t b = 0; b < blocks; ++b) {
      const BlockImage* old = b < last.blocks.size() ? &last.blocks[b] : nullptr;
      if (!write_block(table, b, b + 1 == blocks, old, image.blocks[b])) changed[b / kGroupBlocks] = true;
    }
    for (uint64_t first = 0; first < blocks; first += kGroupBlocks) {
      const uint64_t group = first / kGroupBlocks;
      if (!changed[group] && group < last.groups.size()) {
        image.groups.push_back(sink_.keep(last.groups[group]));
        continue;
      }
      ByteWriter out;
      const uint64_t end = end_of(group, blocks);
      out.put(static_cast<uint32_t>(end - first));
      for (uint64_t b = first; b < end; ++b) {
        out.put_text(image.blocks[b].head);
        out.put_all(image.blocks[b].columns);
      }
      image.groups.push_back(sink_.add(out.bytes()));
    }
  }

  // True: its head and all of its objects are those of the last image.
  bool write_block(const Table& table, uint64_t index, bool is_last, const BlockImage* old, BlockImage& to) {
    const Block& block = table.block(index);
    if (old != nullptr && old->clean) {
      const SharedLatch hold(block.latch);
      if (block.version() == old->version) {
        to = *old;  // C13: nothing has changed since its flush
      }
    }
    if (!to.columns.empty()) {
      bool same = true;
      for (ObjectRef& ref : to.columns) {
        const ObjectRef kept = ref.where == 0 ? ref : sink_.keep(ref);
        same &= kept == ref;
        ref = kept;
      }
      return same;
    }
    return encode_block(table, index, is_last, old, to);
  }

  bool encode_block(const Table& table, uint64_t index, bool is_last, const BlockImage* old, BlockImage& to) {
    std::vector<uint32_t> all(table.column_count());
    for (uint32_t c = 0; c < all.size(); ++c) all[c] = c;
    BlockView view;
    {
      const EpochManager::Guard guard(epochs_);
      view.open(table, index, all, snapshot_);
    }
    uint32_t rows = view.rows();
    if (is_last && !view.current()) {
      while (rows > 0 && !bit_test(view.visible(), rows - 1)) --rows;
    }
    to.clean = view.current();
    to.version = view.version();
    ByteWriter head;
    head.put(rows);
    head.put(view.visible_count());
    const bool all_visible = view.visible_count() == rows;
    head.put<uint8_t>(all_visible ? 1 : 0);
    if (!all_visible) head.put_bytes(view.visible(), size_t{bitmap_words(rows)} * 8);
    bool same = old != nullptr;
    for (uint32_t c = 0; c < all.size(); ++c) {
      if (rows == 0) {
        // It may not even have buffers.
        put_zone(head, table.type(c).lane(), Zone());
        to.columns.emplace_back();
        continue;
      }
      put_zone(head, table.type(c).lane(), zone_at(view, c, table.type(c).lane()));
      const std::string bytes = encode_column(view.column(c), rows, view.visible());
      to.columns.push_back(add_or_keep(bytes, old != nullptr ? &old->columns[c] : nullptr));
    }
    to.head = head.take();
    return same && to.head == old->head && to.columns == old->columns;
  }

  void write_key(const KeyIndex& key, const KeyImage* last, KeyImage& image) {
    for (uint32_t s = 0; s < KeyIndex::kShards; ++s) {
      if (last != nullptr && key.shard_changes(s) == last->versions[s]) {
        image.versions.push_back(last->versions[s]);
        image.shards.push_back(last->shards[s].where == 0 ? ObjectRef{} : sink_.keep(last->shards[s]));
        continue;
      }
      uint64_t changes = 0;
      const std::vector<uint64_t> entries = key.shard_entries(s, &changes);
      ByteWriter out;
      out.put_all(entries);
      image.versions.push_back(changes);
      image.shards.push_back(entries.empty() ? ObjectRef{} : sink_.add(out.bytes()));
    }
  }

  void write_summary(const Summary& summary, const SummaryImage* last, SummaryImage& image) {
    const auto before = summary.settled_version(state_.commit);
    if (last != nullptr && last->clean && before && *before == last->version) {
      image = *last;
      for (ObjectRef& ref : image.parts) ref = sink_.keep(ref);
      return;
    }
    const CellRequest request{summary.dimensions(), summary.measures(), false};
    CellBatch batch;
    for (uint64_t next = 0; next != UINT64_MAX;) {
      next = summary.read(snapshot_, next, request, &batch);
      if (batch.rows == 0) continue;
      const size_t part = image.parts.size();
      image.parts.push_back(add_or_keep(encode_cells(batch), last != nullptr && part < last->parts.size() ? &last->parts[part] : nullptr));
    }
    const auto after = summary.settled_version(state_.commit);
    image.clean = before && after && *before == *after;
    image.version = before.value_or(0);
  }

  void write_directory() {
    ByteWriter out;
    out.put(kStateMagic);
    out.put(kStateFormat);
    out.put(static_cast<uint32_t>(state_.tables.size()));
    for (const CapturedTable& t : state_.tables) {
      put_definition(out, *t.def);
      const TableImage& image = out_.tables[t.def->id];
      out.put(static_cast<uint64_t>(image.blocks.size()));
      out.put_all(image.groups);
      for (uint32_t c = 0; c < t.def->columns.size(); ++c) {
        out.put(image.dictionaries[c].size);
        out.put<uint8_t>(t.def->table->dictionary(c) != nullptr && t.def->table->dictionary(c)->overflowed() ? 1 : 0);
        out.put_all(image.dictionaries[c].chunks);
      }
      for (const auto& index : t.def->indexes) {
        if (index->key != nullptr) {
          out.put_all(index->key->all_runs());
          out.put_all(image.keys.at(index->id).shards);
        }
        if (index->summary != nullptr) out.put_all(image.summaries.at(index->id).parts);
      }
    }
    out_.directory = sink_.add(out.bytes());
  }

  const CapturedState& state_;
  const StateImage& last_;
  ObjectSink& sink_;
  EpochManager& epochs_;
  const Snapshot snapshot_;
  StateImage out_;
};

}  // namespace

CapturedState capture_state(Catalog& catalog, uint64_t commit) {
  CapturedState state;
  state.commit = commit;
  state.next_id = catalog.peek_id();
  for (const auto& def : catalog.tables({commit, nullptr, 0})) {
    CapturedTable t;
    t.def = def;
    t.blocks = def->table->block_count();
    for (uint32_t c = 0; c < def->columns.size(); ++c)
      t.dictionary_sizes.push_back(def->table->dictionary(c) == nullptr ? 0 : def->table->dictionary(c)->size());
    state.tables.push_back(std::move(t));
  }
  return state;
}

StateImage write_state(const CapturedState& state, const StateImage& last, ObjectSink& sink, EpochManager& epochs) {
  return Writer(state, last, sink, epochs).run();
}

std::string encode_root_payload(const StateRoot& root) {
  ByteWriter out;
  out.put(root.directory);
  out.put(root.next_id);
  return out.take();
}

StateRoot decode_root_payload(std::string_view payload, uint64_t commit) {
  StateRoot root;
  root.commit = commit;
  if (payload.empty()) return root;  // nothing has been written yet
  ByteReader in(payload);
  root.directory = in.take<ObjectRef>();
  root.next_id = in.take<uint64_t>();
  in.end();
  return root;
}

void StateImage::each_object(const std::function<void(const ObjectRef&)>& f) const {
  const auto all = [&](const std::vector<ObjectRef>& refs) {
    for (const ObjectRef& ref : refs) {
      if (ref.where != 0) f(ref);
    }
  };
  for (const auto& [id, t] : tables) {
    all(t.groups);
    for (const BlockImage& b : t.blocks) all(b.columns);
    for (const DictionaryImage& d : t.dictionaries) all(d.chunks);
    for (const auto& [index, key] : t.keys) all(key.shards);
    for (const auto& [index, summary] : t.summaries) all(summary.parts);
  }
  if (directory.where != 0) f(directory);
}

}  // namespace hdb
