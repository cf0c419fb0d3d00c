#include "exec/key_table.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/check.h"
#include "exec/kernels.h"

namespace hdb {

namespace {

constexpr uint64_t kEmpty = ~uint64_t{0};

uint64_t mix(uint64_t x) {
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93u;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93u;
  return x ^ (x >> 32);
}

uint64_t double_word(double x) {
  if (x == 0) return 0;                                                      // -0.0 as well
  if (x != x) return std::bit_cast<uint64_t>(std::numeric_limits<double>::quiet_NaN());
  return std::bit_cast<uint64_t>(x);
}

}  // namespace

KeyTable::KeyTable(std::vector<Type> types, uint64_t rows_hint, MemoryBudget* budget)
    : slots_max_(std::min<uint64_t>(kDirectSlotsMax, std::max<uint64_t>(4096, rows_hint * 2))), budget_(budget) {
  CHECK(!types.empty());
  for (const Type& t : types) {
    Column c;
    c.type = t;
    c.word = word_count_;
    c.wide = t.lane() == Lane::kInt128;
    word_count_ += c.wide ? 2 : 1;
    direct_ = direct_ && can_direct(c);
    columns_.push_back(std::move(c));
  }
  if (columns_.size() > kMaskColumns) {
    null_word_ = word_count_;
    word_count_ += bitmap_words(static_cast<uint32_t>(columns_.size()));
    direct_ = false;
  }
}

KeyTable::~KeyTable() {
  if (budget_ != nullptr) budget_->release(charged_);
}

void KeyTable::settle_budget() {
  uint64_t bytes = keys_.capacity() * 8 + nulls_.capacity() * 4 + slots_.capacity() * 4 + table_.capacity() * 8;
  for (const Column& c : columns_) bytes += c.texts.bytes();
  if (bytes <= charged_) return;
  if (budget_ != nullptr) budget_->charge(bytes - charged_);
  charged_ = bytes;
}

void KeyTable::number_words(const Vector& v, const Column& c, uint32_t rows, uint64_t** out) const {
  uint64_t* words = out[c.word];
  switch (v.lane) {
    case Lane::kInt64:
      if (!v.constant && v.nulls == nullptr) out[c.word] = const_cast<uint64_t*>(reinterpret_cast<const uint64_t*>(v.i64));  // read only: no NULL to put right
      else if (!v.constant) std::memcpy(words, v.i64, size_t{rows} * 8);
      else std::fill(words, words + rows, static_cast<uint64_t>(v.i64[0]));
      return;
    case Lane::kDouble:
      for (uint32_t i = 0; i < rows; ++i) words[i] = double_word(v.f64[v.at(i)]);
      return;
    case Lane::kInt128:
      for (uint32_t i = 0; i < rows; ++i) {
        words[i] = static_cast<uint64_t>(v.i128[v.at(i)]);
        out[c.word + 1][i] = static_cast<uint64_t>(static_cast<uint128>(v.i128[v.at(i)]) >> 64);
      }
      return;
    case Lane::kText: CHECK(false);
  }
}

void KeyTable::null_bits(const Vector* keys, uint32_t rows, Scratch& scratch, Words* out) const {
  for (uint32_t w = null_word_; w < word_count_; ++w) std::fill(out->words[w], out->words[w] + rows, uint64_t{0});
  for (uint32_t c = 0; c < columns_.size(); ++c) {
    if (keys[c].nulls == nullptr) continue;
    if (out->nulls == nullptr && null_word_ == kNone) out->nulls = scratch.zeroed<uint32_t>(rows);
    for (uint32_t i = 0; i < rows; ++i) {
      if (!keys[c].is_null(i)) continue;
      if (null_word_ == kNone) out->nulls[i] |= 1u << c;
      else out->words[null_word_ + c / 64][i] |= uint64_t{1} << (c % 64);
      out->words[columns_[c].word][i] = 0;
      if (columns_[c].wide) out->words[columns_[c].word + 1][i] = 0;
    }
  }
}

void KeyTable::insert(const Vector* keys, uint32_t rows, Scratch& scratch, uint32_t* ids) {
  if (rows == 0) return;
  const Scratch::Mark mark = scratch.mark();
  Words w;
  for (uint32_t i = 0; i < word_count_; ++i) w.words.push_back(scratch.array<uint64_t>(rows));
  for (uint32_t c = 0; c < columns_.size(); ++c) {
    if (columns_[c].type.lane() == Lane::kText) columns_[c].texts.insert(keys[c], rows, w.words[columns_[c].word]);
    else number_words(keys[c], columns_[c], rows, w.words.data());
  }
  null_bits(keys, rows, scratch, &w);
  if (direct_ && !fit_ranges(w, rows)) leave_direct();
  if (direct_) insert_direct(w, rows, scratch, ids);
  else insert_hashed(w, rows, ids);
  settle_budget();
  scratch.rewind(mark);
}

// Widens the direct form to the values of these rows. False: it would be too large.
bool KeyTable::fit_ranges(const Words& w, uint32_t rows) {
  bool moved = slots_.empty();
  std::vector<std::pair<int64_t, uint64_t>> wanted(columns_.size());
  for (uint32_t c = 0; c < columns_.size(); ++c) {
    Column& column = columns_[c];
    int64_t low = INT64_MAX, high = INT64_MIN;
    const uint64_t* words = w.words[column.word];
    if (w.nulls == nullptr) {
      int_range(reinterpret_cast<const int64_t*>(words), rows, &low, &high);
    } else {
      for (uint32_t i = 0; i < rows; ++i) {
        if ((w.nulls[i] >> c & 1) != 0) continue;
        low = std::min(low, static_cast<int64_t>(words[i]));
        high = std::max(high, static_cast<int64_t>(words[i]));
      }
    }
    wanted[c] = {column.low, column.span};
    if (low > high) continue;
    const int64_t old_low = column.low, old_high = column.low + static_cast<int64_t>(column.span) - 1;
    if (column.span > 0 && low >= old_low && high <= old_high) continue;
    moved = true;
    if (column.span > 0) {
      low = std::min(low, old_low);
      high = std::max(high, old_high);
    }
    const uint64_t span = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;
    if (span == 0 || span > slots_max_) return false;
    // Room to grow, on the side where values came.
    const uint64_t roomy = std::max<uint64_t>(span, std::min<uint64_t>(span + span / 2 + 6, slots_max_));
    if (low < old_low && column.span > 0 && low >= INT64_MIN + static_cast<int64_t>(roomy - span)) low -= static_cast<int64_t>(roomy - span);
    if (low > INT64_MAX - static_cast<int64_t>(roomy)) return false;  // the very top of the range: not worth the care
    wanted[c] = {low, roomy};
  }
  if (!moved) return true;
  uint64_t slots = 1;
  for (const auto& [low, span] : wanted) {
    if (slots > slots_max_ / (span + 1) + 1) return false;
    slots *= span + 1;
  }
  if (slots > slots_max_ + slots_max_ / 2) return false;
  for (uint32_t c = 0; c < columns_.size(); ++c) {
    columns_[c].low = wanted[c].first;
    columns_[c].span = wanted[c].second;
  }
  slots_.assign(slots, kNone);
  rebuild_direct();
  return true;
}

void KeyTable::rebuild_direct() {
  for (uint32_t id = 0; id < size_; ++id) {
    uint64_t slot = 0, stride = 1;
    for (uint32_t c = 0; c < columns_.size(); ++c) {
      const Column& column = columns_[c];
      const bool null = !nulls_.empty() && (nulls_[id] >> c & 1) != 0;
      slot += stride * (null ? column.span : keys_[size_t{id} * word_count_ + column.word] - static_cast<uint64_t>(column.low));
      stride *= column.span + 1;
    }
    slots_[slot] = id;
  }
}

uint64_t KeyTable::slot_of(const Words& w, uint32_t row) const {
  uint64_t slot = 0, stride = 1;
  for (uint32_t c = 0; c < columns_.size(); ++c) {
    const Column& column = columns_[c];
    const bool null = w.nulls != nullptr && (w.nulls[row] >> c & 1) != 0;
    slot += stride * (null ? column.span : w.words[column.word][row] - static_cast<uint64_t>(column.low));
    stride *= column.span + 1;
  }
  return slot;
}

uint32_t KeyTable::add(const Words& w, uint32_t row) {
  if (size_ >= kNone - 1) fail(sqlstate::kProgramLimit, "over 4,294,967,293 groups");
  for (uint32_t i = 0; i < word_count_; ++i) keys_.push_back(w.words[i][row]);
  const uint32_t nulls = w.nulls != nullptr ? w.nulls[row] : 0;
  if (nulls != 0 && nulls_.empty()) nulls_.resize(size_, 0);
  if (nulls != 0 || !nulls_.empty()) nulls_.push_back(nulls);
  return size_++;
}

void KeyTable::insert_direct(const Words& w, uint32_t rows, Scratch& scratch, uint32_t* ids) {
  const uint64_t* first = w.words[0];
  if (w.nulls == nullptr && columns_.size() == 1) {
    const auto low = static_cast<uint64_t>(columns_[0].low);
    for (uint32_t i = 0; i < rows; ++i) {
      uint32_t& id = slots_[first[i] - low];
      if (__builtin_expect(id == kNone, 0)) id = add(w, i);
      ids[i] = id;
    }
    return;
  }
  auto* slots = scratch.array<uint32_t>(rows);
  if (w.nulls == nullptr) {
    std::fill(slots, slots + rows, 0u);
    uint32_t stride = 1;
    for (const Column& c : columns_) {
      const uint64_t* words = w.words[c.word];
      const auto low = static_cast<uint64_t>(c.low);
      for (uint32_t i = 0; i < rows; ++i) slots[i] += static_cast<uint32_t>(words[i] - low) * stride;
      stride *= static_cast<uint32_t>(c.span + 1);
    }
  } else {
    for (uint32_t i = 0; i < rows; ++i) slots[i] = static_cast<uint32_t>(slot_of(w, i));
  }
  for (uint32_t i = 0; i < rows; ++i) {
    uint32_t& id = slots_[slots[i]];
    if (__builtin_expect(id == kNone, 0)) id = add(w, i);
    ids[i] = id;
  }
}

bool KeyTable::has_null(const Words& w, uint32_t row) const {
  for (uint32_t i = null_word_; i < word_count_; ++i) {
    if (w.words[i][row] != 0) return true;
  }
  return w.nulls != nullptr && w.nulls[row] != 0;
}

uint64_t KeyTable::hash(const Words& w, uint32_t row) const {
  uint64_t h = w.nulls != nullptr ? w.nulls[row] : 0;
  for (uint32_t i = 0; i < word_count_; ++i) h = mix(h * 0x9e3779b97f4a7c15u + w.words[i][row]);
  return h;
}

bool KeyTable::same(uint32_t id, const Words& w, uint32_t row) const {
  const uint64_t* key = keys_.data() + size_t{id} * word_count_;
  for (uint32_t i = 0; i < word_count_; ++i) {
    if (key[i] != w.words[i][row]) return false;
  }
  return (nulls_.empty() ? 0 : nulls_[id]) == (w.nulls != nullptr ? w.nulls[row] : 0);
}

void KeyTable::grow_hash() {
  const size_t slots = std::bit_ceil(std::max<size_t>(64, (size_t{size_} + kVectorRows) * 2));
  if (table_.size() >= slots) return;
  table_.assign(std::max(slots, table_.size() * 2), kEmpty);
  const size_t mask = table_.size() - 1;
  Words w;
  w.words.resize(word_count_);
  uint32_t null = 0;
  for (uint32_t id = 0; id < size_; ++id) {
    for (uint32_t i = 0; i < word_count_; ++i) w.words[i] = keys_.data() + size_t{id} * word_count_ + i;
    null = nulls_.empty() ? 0 : nulls_[id];
    w.nulls = null != 0 ? &null : nullptr;
    const uint64_t h = hash(w, 0);
    size_t at = h & mask;
    while (table_[at] != kEmpty) at = (at + 1) & mask;
    table_[at] = (h & 0xFFFFFFFF00000000u) | id;
  }
}

void KeyTable::leave_direct() {
  direct_ = false;
  slots_ = {};
}

void KeyTable::insert_hashed(const Words& w, uint32_t rows, uint32_t* ids) {
  grow_hash();  // room for all of them, so that the loop below never rebuilds
  const size_t mask = table_.size() - 1;
  for (uint32_t i = 0; i < rows; ++i) {
    const uint64_t h = hash(w, i);
    const uint64_t tag = h & 0xFFFFFFFF00000000u;
    for (size_t at = h & mask;; at = (at + 1) & mask) {
      const uint64_t entry = table_[at];
      if (entry == kEmpty) {
        ids[i] = add(w, i);
        table_[at] = tag | ids[i];
        break;
      }
      if ((entry & 0xFFFFFFFF00000000u) == tag && same(static_cast<uint32_t>(entry), w, i)) {
        ids[i] = static_cast<uint32_t>(entry);
        break;
      }
    }
  }
}

void KeyTable::find(const Vector* keys, uint32_t rows, Scratch& scratch, Finder& finder, uint32_t* ids) const {
  const Scratch::Mark mark = scratch.mark();
  Words w;
  finder.foreigns.resize(columns_.size());
  for (uint32_t i = 0; i < word_count_; ++i) w.words.push_back(scratch.array<uint64_t>(rows));
  for (uint32_t c = 0; c < columns_.size(); ++c) {
    if (columns_[c].type.lane() == Lane::kText) columns_[c].texts.find(keys[c], rows, finder.foreigns[c], w.words[columns_[c].word]);
    else number_words(keys[c], columns_[c], rows, w.words.data());
  }
  null_bits(keys, rows, scratch, &w);
  if (size_ > 0 && direct_ && columns_.size() == 1 && w.nulls == nullptr) {
    const auto low = static_cast<uint64_t>(columns_[0].low), span = columns_[0].span;
    const uint64_t* words = w.words[0];
    for (uint32_t i = 0; i < rows; ++i) {
      const uint64_t slot = words[i] - low;
      ids[i] = slot < span ? slots_[slot] : kNone;
    }
    scratch.rewind(mark);
    return;
  }
  const size_t mask = table_.empty() ? 0 : table_.size() - 1;
  for (uint32_t i = 0; i < rows; ++i) {
    ids[i] = kNone;
    if (size_ == 0 || has_null(w, i)) continue;
    if (direct_) {
      bool inside = true;
      for (const Column& c : columns_) inside = inside && w.words[c.word][i] - static_cast<uint64_t>(c.low) < c.span;
      if (inside) ids[i] = slots_[slot_of(w, i)];
      continue;
    }
    const uint64_t h = hash(w, i);
    for (size_t at = h & mask; table_[at] != kEmpty; at = (at + 1) & mask) {
      if (((table_[at] ^ h) >> 32) == 0 && same(static_cast<uint32_t>(table_[at]), w, i)) {
        ids[i] = static_cast<uint32_t>(table_[at]);
        break;
      }
    }
  }
  scratch.rewind(mark);
}

Vector KeyTable::key(uint32_t column, const uint32_t* ids, uint32_t count, Scratch& scratch) const {
  const Column& c = columns_[column];
  const auto word = [&](uint32_t i, uint32_t part) { return keys_[size_t{ids[i]} * word_count_ + c.word + part]; };
  const auto null = [&](uint32_t i) {
    if (null_word_ != kNone) return (keys_[size_t{ids[i]} * word_count_ + null_word_ + column / 64] >> (column % 64) & 1) != 0;
    return !nulls_.empty() && (nulls_[ids[i]] >> column & 1) != 0;
  };
  uint64_t* bits = nullptr;
  for (uint32_t i = 0; i < count; ++i) {
    if (!null(i)) continue;
    if (bits == nullptr) bits = scratch.zeroed<uint64_t>(bitmap_words(count));
    bit_set(bits, i);
  }
  const auto filled = [&](auto* out, auto get) {
    for (uint32_t i = 0; i < count; ++i) out[i] = get(i);
    return make_vector(c.type, static_cast<const std::remove_pointer_t<decltype(out)>*>(out), bits);
  };
  switch (c.type.lane()) {
    case Lane::kInt64: return filled(scratch.array<int64_t>(count), [&](uint32_t i) { return static_cast<int64_t>(word(i, 0)); });
    case Lane::kDouble: return filled(scratch.array<double>(count), [&](uint32_t i) { return std::bit_cast<double>(word(i, 0)); });
    case Lane::kInt128:
      return filled(scratch.array<int128>(count), [&](uint32_t i) { return static_cast<int128>((static_cast<uint128>(word(i, 1)) << 64) | word(i, 0)); });
    case Lane::kText: break;
  }
  bool coded = c.texts.home() != nullptr && c.texts.home()->size() > 0;
  for (uint32_t i = 0; i < count && coded; ++i) coded = null(i) || TextIds::is_code(word(i, 0));
  if (!coded) {
    return filled(scratch.array<std::string_view>(count), [&](uint32_t i) { return null(i) ? std::string_view("", 0) : c.texts.text(word(i, 0)); });
  }
  auto* codes = scratch.array<uint32_t>(count);
  for (uint32_t i = 0; i < count; ++i) codes[i] = null(i) ? 0 : static_cast<uint32_t>(word(i, 0));
  Vector v;
  v.type = c.type;
  v.lane = Lane::kText;
  v.codes = codes;
  v.dictionary = c.texts.home();
  v.nulls = bits;
  return v;
}

}  // namespace hdb
