#include "plane/block_cells.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/bitmap.h"
#include "base/check.h"
#include "base/hash.h"
#include "plane/radix.h"

namespace hdb {

namespace {

// One dimension inside of one block: code 0 is NULL, code 1 + (value - base) or 1 + dictionary code.
struct BlockDimension {
  uint32_t column = 0;
  bool text = false;
  int64_t base = 0;
  uint32_t capacity = 1;

  uint32_t code_of(const Datum& d) const {
    if (d.null) return 0;
    const uint64_t offset = text ? d.text()->code : static_cast<uint64_t>(d.i64()) - static_cast<uint64_t>(base);
    return offset < capacity - 1 ? static_cast<uint32_t>(offset) + 1 : capacity;  // capacity: not known here
  }
};

struct MeasureCells {
  uint32_t column = 0;
  std::vector<Sum128> sum;
  std::vector<uint32_t> count;
};

constexpr uint32_t kFewRows = 128;  // so many appended rows are added one by one, in place

// Cells of one block over one set of dimensions, as arrays over the mixed-radix address. They are those of the visible rows in slots below `covered`:
// rows that are appended wait there until somebody asks, and cost their writer nothing.
struct CellSet {
  std::vector<BlockDimension> dims;
  uint32_t covered = 0;
  uint32_t size = 1;
  std::vector<uint32_t> weight;
  std::vector<MeasureCells> measures;

  bool serves(const CellRequest& r) const {
    if (dims.size() != r.dimensions.size()) return false;
    for (size_t d = 0; d < dims.size(); ++d) {
      if (dims[d].column != r.dimensions[d]) return false;
    }
    return std::all_of(r.measures.begin(), r.measures.end(), [&](uint32_t m) { return measure(m) != nullptr; });
  }
  const MeasureCells* measure(uint32_t column) const {
    for (const MeasureCells& m : measures) {
      if (m.column == column) return &m;
    }
    return nullptr;
  }
  bool same_dimensions(const CellSet& other) const {
    return std::equal(dims.begin(), dims.end(), other.dims.begin(), other.dims.end(), [](const BlockDimension& a, const BlockDimension& b) { return a.column == b.column; });
  }
  bool includes(const CellSet& other) const {
    return same_dimensions(other) && std::all_of(other.measures.begin(), other.measures.end(), [&](const MeasureCells& m) { return measure(m.column) != nullptr; });
  }
  void start() {
    weight.assign(size, 0);
    for (MeasureCells& m : measures) {
      m.sum.assign(size, {});
      m.count.assign(size, 0);
    }
  }
};

// What hangs on a block: under its latch.
struct BlockCells final : BlockExtension {
  std::vector<CellSet> sets;  // oldest first

  bool adjust(const Block& block, uint32_t slot, int sign) noexcept override {
    for (size_t k = sets.size(); k-- > 0;) {
      if (!adjust_set(sets[k], block, slot, sign)) sets.erase(sets.begin() + static_cast<long>(k));
    }
    return !sets.empty();
  }
  // Rows [covered, rows) join the k-th set. False: one has no cell there, and the set is gone.
  bool catch_up(size_t k, const Block& block, uint32_t rows) noexcept {
    const uint32_t from = sets[k].covered;
    sets[k].covered = rows;
    const bool here = is_here(sets[k], block);  // else it is computed again when it is asked for
    for (uint32_t slot = from; slot < rows; ++slot) {
      if (here && (!bit_test(block.visible->words, slot) || adjust_set(sets[k], block, slot, +1))) continue;
      sets.erase(sets.begin() + static_cast<long>(k));
      return false;
    }
    return true;
  }
  void truncated(uint32_t rows) noexcept override {
    for (CellSet& set : sets) set.covered = std::min(set.covered, rows);
  }

 private:
  static bool is_here(const CellSet& set, const Block& block) noexcept {
    return std::all_of(set.dims.begin(), set.dims.end(), [&](const BlockDimension& d) { return static_cast<bool>(block.columns[d.column]); }) &&
           std::all_of(set.measures.begin(), set.measures.end(), [&](const MeasureCells& m) { return static_cast<bool>(block.columns[m.column]); });
  }
  static bool adjust_set(CellSet& set, const Block& block, uint32_t slot, int sign) noexcept {
    if (slot >= set.covered) return true;
    uint32_t at = 0;
    for (const BlockDimension& d : set.dims) {
      const uint32_t code = d.code_of(block.columns[d.column]->at(slot));
      if (code == d.capacity) return false;  // a value that had no cell here: computed again when it is asked for
      at = pack_digit(at, d.capacity, code);
    }
    set.weight[at] += static_cast<uint32_t>(sign);
    for (MeasureCells& m : set.measures) {
      const Datum v = block.columns[m.column]->at(slot);
      if (v.null) continue;
      if (sign > 0) m.sum[at].add(static_cast<uint64_t>(v.i64()));
      else m.sum[at].sub(static_cast<uint64_t>(v.i64()));
      m.count[at] += static_cast<uint32_t>(sign);
    }
    return true;
  }
};

bool plan_dimensions(const Table& table, const BlockView& view, const CellRequest& request, CellSet* set) {
  uint64_t size = 1;
  for (size_t d = 0; d < request.dimensions.size(); ++d) {
    BlockDimension dim;
    dim.column = request.dimensions[d];
    dim.text = table.type(dim.column).lane() == Lane::kText;
    uint64_t capacity = 1;
    if (dim.text) {
      const ColumnBuffer& b = view.column(d);
      if (b.encoding != Encoding::kCode) return false;
      capacity += table.dictionary(dim.column)->size();
    } else {
      const Zone& z = view.zone(d);
      if (z.low <= z.high) {
        const uint64_t range = static_cast<uint64_t>(z.high) - static_cast<uint64_t>(z.low);
        if (range >= kBlockCellsMax) return false;
        capacity += range + 1;
        dim.base = z.low;
      }
    }
    size *= capacity;
    if (size > kBlockCellsMax) return false;
    dim.capacity = static_cast<uint32_t>(capacity);
    set->dims.push_back(dim);
  }
  set->size = static_cast<uint32_t>(size);
  return true;
}

// at = at * capacity + code for every row, code being offset + shift + 1. Narrow columns, which codes mostly are, by 8 rows at once (in GCC's and
// clang's vectors: left to itself the compiler would not, as bytes may alias anything).
template <class Word>
void add_codes(const Word* data, uint32_t rows, uint64_t shift, uint32_t capacity, bool first, uint16_t* at) {
  const auto add = static_cast<uint16_t>(shift + 1), times = static_cast<uint16_t>(first ? 0 : capacity);
  uint32_t i = 0;
  if constexpr (sizeof(Word) <= 2) {
    typedef Word Narrow __attribute__((vector_size(8 * sizeof(Word))));
    typedef uint16_t Wide __attribute__((vector_size(16)));
    for (; i + 8 <= rows; i += 8) {
      Narrow from;
      Wide to;
      std::memcpy(&from, data + i, sizeof from);
      std::memcpy(&to, at + i, sizeof to);
      to = to * times + __builtin_convertvector(from, Wide) + add;
      std::memcpy(at + i, &to, sizeof to);
    }
  }
  for (; i < rows; ++i) at[i] = static_cast<uint16_t>(at[i] * times + static_cast<uint16_t>(data[i]) + add);
}

// at[i] for slots [set.covered, view.rows()).
void address_rows(const BlockView& view, const CellSet& set, const uint64_t* visible, uint16_t* at) {
  const uint32_t from = set.covered, rows = view.rows();
  for (size_t d = 0; d < set.dims.size(); ++d) {
    const bool first = d == 0;
    const BlockDimension& dim = set.dims[d];
    const ColumnBuffer& b = view.column(d);
    // Offsets are from the buffer's base, codes from the zone's: the difference is the same for every row. Rows that are not visible or NULL may
    // come to any number; they are not used or put right below.
    const uint64_t shift = dim.text ? 0 : static_cast<uint64_t>(b.base) - static_cast<uint64_t>(dim.base);
    switch (b.width) {
      case 0:
        for (uint32_t i = from; i < rows; ++i) at[i] = static_cast<uint16_t>((first ? 0 : at[i] * dim.capacity) + 1 + shift);
        break;
      case 1: add_codes(b.data + from, rows - from, shift, dim.capacity, first, at + from); break;
      case 2: add_codes(reinterpret_cast<const uint16_t*>(b.data) + from, rows - from, shift, dim.capacity, first, at + from); break;
      case 4: add_codes(reinterpret_cast<const uint32_t*>(b.data) + from, rows - from, shift, dim.capacity, first, at + from); break;
      default: add_codes(reinterpret_cast<const uint64_t*>(b.data) + from, rows - from, shift, dim.capacity, first, at + from);
    }
  }
  // Rows with a NULL in some dimension are few: their addresses are worked out one by one.
  for (size_t d = 0; d < set.dims.size(); ++d) {
    const ColumnBuffer& b = view.column(d);
    if (b.nulls == nullptr) continue;
    for (uint32_t w = from / 64; w < bitmap_words(rows); ++w) {
      for (uint64_t rest = b.nulls[w] & visible[w]; rest != 0; rest &= rest - 1) {
        const uint32_t i = w * 64 + static_cast<uint32_t>(__builtin_ctzll(rest));
        uint32_t a = 0;
        for (size_t k = 0; k < set.dims.size(); ++k) a = pack_digit(a, set.dims[k].capacity, set.dims[k].code_of(view.column(k).at(i)));
        at[i] = static_cast<uint16_t>(a);
      }
    }
  }
  // What is not visible goes to a cell of its own behind the others, so that the loops to come have no branch.
  if (view.all_visible()) return;
  for (uint32_t w = from / 64; w < bitmap_words(rows); ++w) {
    uint64_t gone = ~visible[w];
    if (w == rows / 64) gone &= (uint64_t{1} << (rows % 64)) - 1;
    for (; gone != 0; gone &= gone - 1) at[w * 64 + static_cast<uint32_t>(__builtin_ctzll(gone))] = static_cast<uint16_t>(set.size);
  }
}

template <class F>
void each_visible(const BlockView& view, F&& f) {
  if (view.all_visible()) {
    for (uint32_t i = 0; i < view.rows(); ++i) f(i);
  } else {
    for_each_bit(view.visible(), bitmap_words(view.rows()), f);
  }
}

// Adding up by address. Four tables in turn while they are small: else each row would wait for the last one of its cell.
class Adder {
 public:
  Adder(uint32_t from, uint32_t rows, uint32_t cells) : from_(from), rows_(rows), cells_(cells), stride_(cells + 1), tables_(stride_ <= kFourTablesMax ? 4 : 1) {}

  // Values of at most 32 bits: a table gets at most 2^14 of them, so a sum stays below 2^46 and its count has room above it.
  template <class Word>
  void sums(const Word* data, const uint16_t* at, uint64_t* sum, uint32_t* count) {
    run(at, [&](uint32_t i) { return kOne + data[i]; });
    for (uint32_t c = 0; c < cells_; ++c) {
      for (uint32_t t = 0; t < tables_; ++t) {
        const uint64_t x = parts_[t * stride_ + c];
        sum[c] += x % kOne;
        count[c] += static_cast<uint32_t>(x / kOne);
      }
    }
  }
  void counts(const uint16_t* at, uint32_t* count) {
    run(at, [](uint32_t) { return uint64_t{1}; });
    for (uint32_t c = 0; c < cells_; ++c) {
      for (uint32_t t = 0; t < tables_; ++t) count[c] += static_cast<uint32_t>(parts_[t * stride_ + c]);
    }
  }

 private:
  static constexpr uint64_t kOne = uint64_t{1} << 48;
  static constexpr uint32_t kFourTablesMax = 1024;

  template <class Value>
  void run(const uint16_t* at, Value&& value) {
    parts_.assign(size_t{tables_} * stride_, 0);
    uint64_t* a = parts_.data();
    uint32_t i = from_;
    if (tables_ == 4) {
      uint64_t *b = a + stride_, *c = b + stride_, *d = c + stride_;
      for (; i + 4 <= rows_; i += 4) {
        a[at[i]] += value(i);
        b[at[i + 1]] += value(i + 1);
        c[at[i + 2]] += value(i + 2);
        d[at[i + 3]] += value(i + 3);
      }
    }
    for (; i < rows_; ++i) a[at[i]] += value(i);
  }

  const uint32_t from_, rows_, cells_, stride_, tables_;
  std::vector<uint64_t> parts_;
};

// rows: whose value is NULL go to the cell behind the others, as those that are not visible did.
const uint16_t* without_nulls(const BlockView& view, const ColumnBuffer& b, const CellSet& set, const uint16_t* at, uint16_t* copy) {
  if (b.nulls == nullptr) return at;
  std::copy(at, at + view.rows(), copy);
  const uint32_t words = bitmap_words(view.rows());
  for_each_bit(b.nulls, words, [&](uint32_t i) {
    if (i < view.rows()) copy[i] = static_cast<uint16_t>(set.size);
  });
  return copy;
}

// Adds the rows that the set does not cover yet.
void compute(const BlockView& view, const std::vector<uint32_t>& columns, CellSet* set) {
  static thread_local std::array<uint16_t, kBlockRows> all, present;
  address_rows(view, *set, view.visible(), all.data());
  Adder adder(set->covered, view.rows(), set->size);
  bool weighed = false;
  std::vector<uint64_t> part;
  std::vector<uint32_t> counts;
  const auto weigh = [&] {
    for (uint32_t c = 0; c < set->size; ++c) set->weight[c] += counts[c];
    weighed = true;
  };
  for (MeasureCells& m : set->measures) {
    const size_t position = static_cast<size_t>(
        std::find(columns.begin() + static_cast<long>(set->dims.size()), columns.end(), m.column) - columns.begin());
    const ColumnBuffer& b = view.column(position);
    const uint16_t* at = without_nulls(view, b, *set, all.data(), present.data());
    part.assign(set->size, 0);
    counts.assign(set->size, 0);
    switch (b.width) {
      case 0: adder.counts(at, counts.data()); break;
      case 1: adder.sums(b.data, at, part.data(), counts.data()); break;
      case 2: adder.sums(reinterpret_cast<const uint16_t*>(b.data), at, part.data(), counts.data()); break;
      case 4: adder.sums(reinterpret_cast<const uint32_t*>(b.data), at, part.data(), counts.data()); break;
      default:
        m.sum.resize(set->size + 1);
        for (uint32_t i = set->covered; i < view.rows(); ++i) m.sum[at[i]].add(b.unsigned_at(i));
        m.sum.resize(set->size);
        adder.counts(at, counts.data());
    }
    // base * count is added in 128 bits; 8-byte values are whole ones.
    for (uint32_t c = 0; b.width < 8 && c < set->size; ++c) {
      m.sum[c].add_unsigned(part[c]);
      m.sum[c].add_product(b.base, counts[c]);
    }
    for (uint32_t c = 0; c < set->size; ++c) m.count[c] += counts[c];
    if (b.nulls == nullptr && !weighed) weigh();
  }
  if (!weighed) {
    counts.assign(set->size, 0);
    adder.counts(all.data(), counts.data());
    weigh();
  }
  set->covered = view.rows();
}

// The cells of `from`, which has the same dimensions and at least the measures, in the layout of `to`. False: one has no place there.
bool carry_over(const CellSet& from, CellSet* to) {
  for (uint32_t at = 0; at < from.size; ++at) {
    if (from.weight[at] == 0) continue;
    uint32_t there = 0, rest = at, divisor = from.size;
    for (size_t d = 0; d < from.dims.size(); ++d) {
      const BlockDimension &a = from.dims[d], &b = to->dims[d];
      divisor /= a.capacity;
      uint64_t code = rest / divisor;
      rest %= divisor;
      if (code != 0) {
        code += static_cast<uint64_t>(a.base) - static_cast<uint64_t>(b.base);
        if (code == 0 || code >= b.capacity) return false;
      }
      there = pack_digit(there, b.capacity, static_cast<uint32_t>(code));
    }
    to->weight[there] = from.weight[at];
    for (MeasureCells& m : to->measures) {
      const MeasureCells& own = *from.measure(m.column);
      m.sum[there] = own.sum[at];
      m.count[there] = own.count[at];
    }
  }
  to->covered = from.covered;
  return true;
}

void resize_batch(const Table& table, const CellRequest& request, CellBatch* out) {
  out->rows = 0;
  out->weight.clear();
  out->dimensions.assign(request.dimensions.size(), {});
  out->measures.assign(request.measures.size(), {});
  for (size_t d = 0; d < request.dimensions.size(); ++d) out->dimensions[d].type = table.type(request.dimensions[d]);
}

void push_dimension(CellDimension* to, const Dictionary* dictionary, uint32_t row, bool null, int64_t value) {
  if (to->nulls.size() * 64 <= row) to->nulls.resize(row / 64 + 1, 0);
  if (null) {
    to->any_null = true;
    bit_set(to->nulls.data(), row);
  }
  if (dictionary != nullptr) {
    to->dictionary = dictionary;
    to->codes.push_back(null ? 0 : static_cast<uint32_t>(value));
  } else {
    to->values.push_back(null ? 0 : value);
  }
}

void emit(const Table& table, const CellSet& set, const CellRequest& request, CellBatch* out) {
  std::vector<uint32_t> kept;
  for (uint32_t at = 0; at < set.size; ++at) {
    if (set.weight[at] != 0) kept.push_back(at);
  }
  const auto rows = static_cast<uint32_t>(kept.size());
  out->rows = rows;
  out->weight.resize(rows);
  for (uint32_t i = 0; i < rows; ++i) out->weight[i] = set.weight[kept[i]];
  uint32_t divisor = 1;
  for (size_t d = set.dims.size(); d-- > 0;) {
    const BlockDimension& dim = set.dims[d];
    CellDimension& to = out->dimensions[d];
    to.nulls.assign(bitmap_words(rows), 0);
    if (dim.text) to.dictionary = table.dictionary(dim.column);
    if (dim.text) to.codes.resize(rows);
    else to.values.resize(rows);
    for (uint32_t i = 0; i < rows; ++i) {
      const uint32_t code = kept[i] / divisor % dim.capacity;
      if (dim.text) to.codes[i] = code == 0 ? 0 : code - 1;
      else to.values[i] = code == 0 ? 0 : static_cast<int64_t>(static_cast<uint64_t>(dim.base) + code - 1);
      if (code != 0) continue;
      to.any_null = true;
      bit_set(to.nulls.data(), i);
    }
    divisor *= dim.capacity;
  }
  for (size_t m = 0; m < request.measures.size(); ++m) {
    const MeasureCells& from = *set.measure(request.measures[m]);
    CellMeasure& to = out->measures[m];
    to.sum.resize(rows);
    to.count.resize(rows);
    for (uint32_t i = 0; i < rows; ++i) to.sum[i] = from.sum[kept[i]].value();
    for (uint32_t i = 0; i < rows; ++i) to.count[i] = from.count[kept[i]];
  }
}

// Any block, any values: by hashing, never kept.
void compute_hashed(const Table& table, const BlockView& view, const CellRequest& request, CellBatch* out) {
  const size_t dims = request.dimensions.size();
  struct Cell {
    std::vector<Datum> key;
    int64_t weight = 0;
    std::vector<std::pair<Sum128, int64_t>> measures;
  };
  std::vector<Cell> cells;
  boost::unordered_flat_map<uint64_t, std::vector<uint32_t>> by_hash;
  std::vector<Datum> key(dims);
  each_visible(view, [&](uint32_t i) {
    uint64_t hash = 0;
    for (size_t d = 0; d < dims; ++d) {
      key[d] = view.column(d).at(i);
      const bool text = table.type(request.dimensions[d]).lane() == Lane::kText;
      const uint64_t part = key[d].null ? 1 : text ? hash_bytes(key[d].text()->data, key[d].text()->bytes) : key[d].raw;
      hash = hash_combine(hash, part);
    }
    const auto equal = [&](const Cell& c) {
      for (size_t d = 0; d < dims; ++d) {
        if (c.key[d].null != key[d].null) return false;
        if (key[d].null || c.key[d].raw == key[d].raw) continue;
        if (table.type(request.dimensions[d]).lane() != Lane::kText || c.key[d].text()->view() != key[d].text()->view()) return false;
      }
      return true;
    };
    auto& same = by_hash[hash];
    auto it = std::find_if(same.begin(), same.end(), [&](uint32_t c) { return equal(cells[c]); });
    if (it == same.end()) {
      same.push_back(static_cast<uint32_t>(cells.size()));
      cells.push_back({key, 0, std::vector<std::pair<Sum128, int64_t>>(request.measures.size())});
      it = same.end() - 1;
    }
    Cell& c = cells[*it];
    ++c.weight;
    for (size_t m = 0; m < request.measures.size(); ++m) {
      const Datum v = view.column(dims + m).at(i);
      if (v.null) continue;
      c.measures[m].first.add(v.raw);
      ++c.measures[m].second;
    }
  });
  for (const Cell& c : cells) {
    for (size_t d = 0; d < dims; ++d) {
      CellDimension& to = out->dimensions[d];
      if (to.type.lane() != Lane::kText) {
        push_dimension(&to, nullptr, out->rows, c.key[d].null, c.key[d].null ? 0 : c.key[d].i64());
        continue;
      }
      if (to.nulls.size() * 64 <= out->rows) to.nulls.resize(out->rows / 64 + 1, 0);
      if (c.key[d].null) {
        to.any_null = true;
        bit_set(to.nulls.data(), out->rows);
      }
      to.texts.push_back(c.key[d].null ? std::string_view() : c.key[d].text()->view());
    }
    out->weight.push_back(c.weight);
    for (size_t m = 0; m < request.measures.size(); ++m) {
      out->measures[m].sum.push_back(c.measures[m].first.value());
      out->measures[m].count.push_back(c.measures[m].second);
    }
    ++out->rows;
  }
}

// From the kept cells, if they are those of the view. *behind: what is kept, but has not seen many rows that have been appended since.
bool read_kept(const Table& table, const BlockView& view, const CellRequest& request, bool keep, CellBatch* out, std::optional<CellSet>* behind) {
  auto* cells = dynamic_cast<BlockCells*>(view.extension().get());
  if (cells == nullptr) return false;
  Block& b = table.block(view.block());
  // The cells follow the block's latest state. That is still what the view shows if the version has not moved since it was pinned (C6).
  const auto find = [&] {
    if (b.version() != view.version()) return cells->sets.end();
    return std::find_if(cells->sets.begin(), cells->sets.end(), [&](const CellSet& s) { return s.serves(request); });
  };
  {
    const SharedLatch hold(b.latch);
    const auto set = find();
    if (set == cells->sets.end()) return false;
    if (set->covered >= view.rows()) {
      emit(table, *set, request, out);
      return true;
    }
    if (!keep || view.rows() - set->covered > kFewRows) {
      *behind = *set;
      return false;
    }
  }
  const ExclusiveLatch hold(b.latch);
  const auto set = find();
  if (set == cells->sets.end() || !cells->catch_up(static_cast<size_t>(set - cells->sets.begin()), b, std::max(set->covered, view.rows()))) return false;
  emit(table, *set, request, out);
  return true;
}

// Attaches a set that was computed from the latest state at view.version().
void install(const Table& table, const BlockView& view, CellSet set) {
  Block& b = table.block(view.block());
  const ExclusiveLatch hold(b.latch);
  if (b.version() != view.version()) return;  // C6: the block has moved on
  auto cells = std::dynamic_pointer_cast<BlockCells>(b.extension);
  if (cells == nullptr) {
    cells = std::make_shared<BlockCells>();
    b.extension = cells;
  }
  cells->sets.erase(std::remove_if(cells->sets.begin(), cells->sets.end(), [&](const CellSet& other) { return set.includes(other); }), cells->sets.end());
  uint64_t kept = set.size;
  for (const CellSet& other : cells->sets) kept += other.size;
  while (!cells->sets.empty() && (cells->sets.size() >= kBlockCellsSetsMax || kept > kBlockCellsKeptMax)) {
    kept -= cells->sets.front().size;
    cells->sets.erase(cells->sets.begin());
  }
  cells->sets.push_back(std::move(set));
}

}  // namespace

std::vector<uint32_t> block_cells_columns(const CellRequest& request) {
  std::vector<uint32_t> columns = request.dimensions;
  columns.insert(columns.end(), request.measures.begin(), request.measures.end());
  return columns;
}

bool block_cells_eligible(const Table& table, const CellRequest& request, uint32_t* cells_per_block, double* cells_whole, std::string* reason) {
  if (request.dimensions.empty() || request.dimensions.size() > kBlockCellsDimensionsMax) {
    *reason = "it serves 1 to " + std::to_string(kBlockCellsDimensionsMax) + " columns";
    return false;
  }
  for (const uint32_t m : request.measures) {
    if (table.type(m).exact_number()) continue;
    *reason = "column " + table.shape(m).name + " of type " + to_string(table.type(m)) + " is not kept as exact sums";
    return false;
  }
  uint64_t size = 1;
  double whole = 1;
  const uint64_t blocks = table.block_count();
  for (const uint32_t c : request.dimensions) {
    uint64_t capacity = 1, all = 0;
    if (table.type(c).lane() == Lane::kDouble) {
      *reason = "column " + table.shape(c).name + " is a DOUBLE";
      return false;
    }
    if (table.type(c).lane() == Lane::kText) {
      capacity += table.dictionary(c)->overflowed() ? kBlockCellsMax : table.dictionary(c)->size();
    } else {
      uint64_t widest = 0;
      int64_t low = INT64_MAX, high = INT64_MIN;
      for (const uint64_t i : {uint64_t{0}, blocks / 2, blocks - 1}) {
        if (i >= blocks) continue;
        const Block& b = table.block(i);
        const SharedLatch hold(b.latch);
        const Zone& z = b.zones[c];
        if (z.low <= z.high) widest = std::max(widest, std::min<uint64_t>(kBlockCellsMax, static_cast<uint64_t>(z.high) - static_cast<uint64_t>(z.low)) + 1);
        low = std::min(low, z.low);
        high = std::max(high, z.high);
      }
      capacity += widest;
      all = low <= high ? static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1 : 0;
    }
    size *= capacity;
    whole *= static_cast<double>(std::max(capacity, all));
    if (size <= kBlockCellsMax) continue;
    *reason = "column " + table.shape(c).name + " has too many values";
    return false;
  }
  *cells_per_block = static_cast<uint32_t>(size);
  *cells_whole = std::min(whole, static_cast<double>(size) * static_cast<double>(blocks));
  return true;
}

void read_block_cells(const Table& table, const BlockView& view, const CellRequest& request, bool keep, CellBatch* out) {
  resize_batch(table, request, out);
  if (view.visible_count() == 0) return;
  std::optional<CellSet> behind;
  if (view.current() && view.extension() != nullptr && read_kept(table, view, request, keep, out, &behind)) return;
  CellSet set;
  if (request.dimensions.size() > kBlockCellsDimensionsMax || !plan_dimensions(table, view, request, &set)) {
    compute_hashed(table, view, request, out);
    return;
  }
  for (const uint32_t m : request.measures) {
    if (set.measure(m) == nullptr) set.measures.push_back({m, {}, {}});
  }
  set.start();
  if (behind && !carry_over(*behind, &set)) set.start();
  compute(view, block_cells_columns(request), &set);
  emit(table, set, request, out);
  if (keep && view.current()) install(table, view, std::move(set));
}

bool zones_suffice(const BlockView& view, const CellRequest& request) {
  bool exact = view.current();
  for (size_t m = 0; m < request.measures.size() && request.extremes; ++m) exact = exact && !view.zone(m).loose;
  return exact;
}

void append_zone_sums(const Table& table, const BlockView& view, const CellRequest& request, CellBatch* out) {
  if (view.visible_count() == 0) return;
  out->measures.resize(request.measures.size());
  out->weight.push_back(view.visible_count());
  ++out->rows;
  for (size_t m = 0; m < request.measures.size(); ++m) {
    const Lane lane = table.type(request.measures[m]).lane();
    Zone z = view.zone(m);
    if (!view.current() || (request.extremes && z.loose)) {
      Zone counted;
      const ColumnBuffer& b = view.column(m);
      each_visible(view, [&](uint32_t i) { counted.add(lane, b.at(i)); });
      z = counted;
      if (view.current()) tighten_zone(table, view.block(), request.measures[m], view.version(), z);
    }
    CellMeasure& to = out->measures[m];
    to.sum.push_back(z.sum.value());
    to.count.push_back(int64_t{view.visible_count()} - z.nulls);
    if (!request.extremes) continue;
    to.min.push_back(z.low);
    to.max.push_back(z.high);
  }
}

}  // namespace hdb
