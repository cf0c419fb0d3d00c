#include "engine/column_pages.h"

#include <algorithm>

#include "base/check.h"
#include "engine/checkpoint_bytes.h"
#include "store/table.h"

namespace hdb {

namespace {

struct ColumnHeader {
  Encoding encoding = Encoding::kOffset;
  uint8_t width = 0;
  bool nulls = false;
  int64_t base = 0;
};

ColumnHeader read_column_header(ByteReader& in, Lane lane, uint32_t rows) {
  ColumnHeader h;
  const auto encoding = in.take<uint8_t>();
  h.width = in.take<uint8_t>();
  h.nulls = in.take<uint8_t>() != 0;
  in.take<uint8_t>();
  if (in.take<uint32_t>() != rows) fail_object("a block's column has another number of rows than its block");
  h.base = in.take<int64_t>();
  if (encoding > static_cast<uint8_t>(Encoding::kHeap)) fail_object("a column has an unknown encoding");
  h.encoding = static_cast<Encoding>(encoding);
  const bool power = h.width == 1 || h.width == 2 || h.width == 4;
  bool fits = false;
  switch (h.encoding) {
    case Encoding::kOffset: fits = lane == Lane::kInt64 && (h.width == 0 || power || (h.width == 8 && h.base == 0)); break;
    case Encoding::kDouble: fits = lane == Lane::kDouble && h.width == 8; break;
    case Encoding::kCode: fits = lane == Lane::kText && power; break;
    case Encoding::kHeap: fits = lane == Lane::kText && h.width == 8; break;
  }
  if (!fits) fail_object("a column has an encoding that its type does not have");
  return h;
}

void check_codes(const ColumnBuffer& buffer, uint32_t size, uint32_t rows, const uint64_t* visible) {
  for (uint32_t r = 0; r < rows; ++r) {
    if (buffer.unsigned_at(r) >= size && bit_test(visible, r) && !buffer.is_null(r)) fail_object("a column has a code of no text");
  }
}

void read_heap(ByteReader& in, Dictionary& dictionary, uint32_t rows, const uint64_t* visible, ColumnBuffer& buffer) {
  if (dictionary.size() == 0) fail_object("a column has texts without a code, and its dictionary is empty");
  for (uint32_t r = 0; r < rows; ++r) {
    // S4: whatever is not there still has a representable value.
    const bool there = bit_test(visible, r) && !buffer.is_null(r);
    const TextEntry* entry = there ? dictionary.intern(in.take_text()) : dictionary.entry(0);
    const auto address = reinterpret_cast<uint64_t>(entry);
    std::memcpy(buffer.data + size_t{r} * 8, &address, 8);
  }
}

// heap: the column's own, if texts may come into it now; else null. segment: gives memory for the buffer, or null.
template <class SegmentFor>
BufferRef decode_column(const Table& table, uint32_t column, const std::string& bytes, uint32_t rows, const uint64_t* visible, Dictionary* heap,
                        const SegmentFor& segment) {
  ByteReader in(bytes);
  const ColumnHeader h = read_column_header(in, table.type(column).lane(), rows);
  const Dictionary* dictionary = table.dictionary(column);
  BufferRef buffer(ColumnBuffer::make(h.encoding, h.width, h.base, h.nulls, dictionary, table.budget(), segment(h.width)));
  if (h.nulls) std::memcpy(buffer->nulls, in.take_bytes(size_t{bitmap_words(rows)} * 8).data(), size_t{bitmap_words(rows)} * 8);
  if (h.encoding == Encoding::kHeap) {
    if (heap == nullptr) fail_object("a column has texts of the heap where it should have none");
    read_heap(in, *heap, rows, visible, *buffer);
  } else if (h.width > 0) {
    std::memcpy(buffer->data, in.take_bytes(size_t{rows} * h.width).data(), size_t{rows} * h.width);
    if (h.encoding == Encoding::kCode) check_codes(*buffer, dictionary->size(), rows, visible);
  }
  in.end();
  return buffer;
}

void load_dictionary(Dictionary& dictionary, ObjectSource& source, const DictionaryImage& image, bool overflowed) {
  uint32_t code = 0;
  for (const ObjectRef& ref : image.chunks) {
    const std::string bytes = source.read(ref);
    ByteReader in(bytes);
    const uint32_t count = in.take_count(4);
    for (uint32_t i = 0; i < count; ++i, ++code) {
      if (dictionary.intern(in.take_text())->code != code) fail_object("a dictionary has a text twice, or too many");
    }
    in.end();
  }
  if (code != image.size) fail_object("a dictionary has another number of texts than it says");
  if (overflowed && code == kDictionaryValuesMax) dictionary.set_overflowed();
}

}  // namespace

void load_column(Table& table, uint32_t column, ObjectSource& source, const DictionaryImage& dictionary, bool overflowed,
                 const std::vector<BlockImage>& blocks) {
  ColumnStore& store = table.column(column);
  Dictionary* const texts = store.dictionary.get();
  if (texts != nullptr) load_dictionary(*texts, source, dictionary, overflowed);
  const bool now = table.cache() == nullptr || (texts != nullptr && texts->overflowed());
  for (uint64_t b = 0; b < blocks.size(); ++b) {
    Block& block = table.block(b);
    const ObjectRef& ref = blocks[b].columns[column];
    if (ref.where == 0) {
      if (block.rows > 0) fail_object("a block has rows but no column");
      continue;
    }
    if (block.rows == 0) fail_object("a block has a column but no rows");
    if (now) {
      // Side by side in segments.
      const auto segment = [&](uint8_t width) {
        const uint64_t need = (uint64_t{width} * kBlockRows + 128) / 64 * 64;
        if (width > 0 && (store.segment == nullptr || store.segment->bytes - store.segment->used < need)) {
          Segment* fresh = Segment::make(need * std::min<uint64_t>(kSegmentBlocks, blocks.size() - b), table.budget());
          if (store.segment != nullptr) store.segment->release();
          store.segment = fresh;
        }
        return store.segment;
      };
      BufferRef buffer = decode_column(table, column, source.read(ref), block.rows, block.visible->words, texts, segment);
      const ExclusiveLatch hold(block.latch);
      block.columns[column] = std::move(buffer);
    }
    const ExclusiveLatch hold(block.latch);
    if (table.cache() != nullptr && (!now || block.columns[column]->encoding != Encoding::kHeap)) table.cache()->give_home(table, block, column, home_of(ref));
  }
}

BufferRef ColumnPages::read(const AbsentColumn& c) {
  const std::string bytes = source_->read({c.home.where, c.home.bytes, c.home.checksum});
  return decode_column(c.table, c.column, bytes, c.rows, c.visible, nullptr, [](uint8_t) { return static_cast<Segment*>(nullptr); });
}

void pin_homes(const StateImage& image, const std::shared_ptr<const void>& pin) {
  for (const auto& [id, one] : image.tables) {
    const auto table = one.table.lock();
    if (table == nullptr || table->cache() == nullptr) continue;
    if (table->home_pins.empty()) table->home_pins.push_back(pin);
    else table->home_pins.back() = pin;
  }
}

namespace {

// The block's homes become those of its image, if that is still what the block is. False: something is left to be brought in.
bool move_block(Table& table, Block& b, const BlockImage* image) {
  const ExclusiveLatch hold(b.latch);
  const bool same = image != nullptr && image->clean && image->version == b.version();
  bool done = true;
  for (uint32_t c = 0; c < table.column_count(); ++c) {
    const ColumnHome to = image == nullptr ? ColumnHome() : home_of(image->columns[c]);
    const bool had = !b.homes.empty() && b.homes[c].where != 0;
    if (same && to.where != 0 && (!b.columns[c] || b.columns[c]->encoding != Encoding::kHeap)) {
      table.cache()->give_home(table, b, c, to);
    } else if (had && !(b.homes[c] == to)) {
      if (b.columns[c]) table.cache()->no_home(b, c);
      else done = false;
    }
  }
  return done;
}

// The columns whose place is not the new root's come in and stay.
void bring_in(Table& table, Block& b, const BlockImage* image) {
  for (uint32_t c = 0; c < table.column_count(); ++c) {
    const BufferRef pinned = table.pin(b.index(), c);
    const ExclusiveLatch hold(b.latch);
    if (b.homes.empty() || b.homes[c].where == 0) continue;
    if (image == nullptr || !(b.homes[c] == home_of(image->columns[c]))) table.cache()->no_home(b, c);
  }
}

}  // namespace

void move_homes(const StateImage& image, const std::shared_ptr<const void>& pin) {
  for (const auto& [id, one] : image.tables) {
    const auto table = one.table.lock();
    if (table == nullptr || table->cache() == nullptr) continue;
    bool moved = true;
    for (uint64_t i = 0; i < table->block_count(); ++i) {
      Block& block = table->block(i);
      const BlockImage* of = i < one.blocks.size() ? &one.blocks[i] : nullptr;
      try {
        if (!move_block(*table, block, of)) bring_in(*table, block, of);
      } catch (const std::exception&) {
        moved = false;  // it is read when somebody asks for it, and until then from where it was
      }
    }
    if (moved) table->home_pins.clear();
    table->home_pins.push_back(pin);
    table->cache()->trim();
  }
}

}  // namespace hdb
