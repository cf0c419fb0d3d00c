#include "exec/rows.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace hdb {

namespace {

uint32_t width_of(const Type& type) {
  switch (type.lane()) {
    case Lane::kInt128:
    case Lane::kText: return 16;
    default: return 8;
  }
}

template <class T>
void put(T* out, const T* data, bool constant, uint32_t count, const uint32_t* rows) {
  if (constant) {
    std::fill(out, out + count, data[0]);
  } else if (rows == nullptr) {
    std::memcpy(static_cast<void*>(out), data, size_t{count} * sizeof(T));
  } else {
    for (uint32_t i = 0; i < count; ++i) out[i] = data[rows[i]];
  }
}

}  // namespace

void Buffer::grow(size_t needed) {
  size_t capacity = std::max<size_t>(capacity_ * 2, 16);
  if (capacity < needed) capacity = needed;
  std::unique_ptr<char[]> data(new char[capacity * width_]);
  if (size_ > 0) std::memcpy(data.get(), data_.get(), size_ * width_);
  data_ = std::move(data);
  capacity_ = capacity;
}

Rows::Rows(std::vector<Type> types, MemoryBudget* budget, Texts texts) : budget_(budget), texts_(texts) {
  columns_.reserve(types.size());
  for (const Type& t : types) columns_.emplace_back(t, width_of(t));
}

Rows::~Rows() {
  if (budget_ != nullptr) budget_->release(charged_);
}

Rows::Rows(Rows&& o) noexcept
    : columns_(std::move(o.columns_)), budget_(o.budget_), texts_(o.texts_), heap_(std::move(o.heap_)), heap_left_(o.heap_left_),
      heap_next_(o.heap_next_), heap_bytes_(o.heap_bytes_), charged_(std::exchange(o.charged_, 0)), size_(std::exchange(o.size_, 0)) {}

std::string_view Rows::keep(std::string_view text) {
  if (text.empty()) return std::string_view("", 0);
  if (text.size() > heap_left_) {
    const size_t bytes = std::max<size_t>(text.size(), std::min<size_t>(std::max<size_t>(heap_bytes_, 1024), 1u << 18));
    heap_.push_back(std::unique_ptr<char[]>(new char[bytes]));  // not emplace_back: it would lose the text if it could not grow
    heap_next_ = heap_.back().get();
    heap_left_ = bytes;
    heap_bytes_ += bytes;
  }
  char* place = heap_next_;
  std::memcpy(place, text.data(), text.size());
  heap_next_ += text.size();
  heap_left_ -= text.size();
  return {place, text.size()};
}

void Rows::settle_budget() {
  uint64_t bytes = heap_bytes_;
  for (const Column& c : columns_) bytes += c.data.bytes() + c.nulls.bytes() + c.owned_codes.size() * sizeof(std::string_view);
  if (bytes <= charged_) return;
  if (budget_ != nullptr) budget_->charge(bytes - charged_);
  charged_ = bytes;
}

void Rows::to_views(Column& c) {
  Buffer views(16);
  auto* out = static_cast<std::string_view*>(views.extend(c.data.size()));
  const auto* codes = c.data.as<uint32_t>();
  std::vector<std::string_view> kept(c.dictionary != nullptr ? c.dictionary->size() : 0);
  for (size_t i = 0; i < c.data.size(); ++i) {
    std::string_view& k = kept[codes[i]];
    if (k.data() == nullptr) k = keep(c.dictionary->text(codes[i]));
    out[i] = k;
  }
  c.data = std::move(views);
  c.coded = false;
}

void Rows::append_text(Column& c, const Vector& v, uint32_t count, const uint32_t* rows) {
  if (texts_ == Texts::kKeepCodes && v.codes != nullptr && (c.coded ? c.dictionary == v.dictionary : c.data.size() == 0)) {
    if (!c.coded) {
      c.coded = true;
      c.dictionary = v.dictionary;
      c.data = Buffer(4);
    }
    put(static_cast<uint32_t*>(c.data.extend(count)), v.codes, v.constant, count, rows);
    return;
  }
  if (c.coded) to_views(c);
  auto* out = static_cast<std::string_view*>(c.data.extend(count));
  if (v.constant) {
    std::fill(out, out + count, keep(v.text_at(0)));
    return;
  }
  if (v.codes == nullptr) {
    for (uint32_t i = 0; i < count; ++i) out[i] = keep(v.text[rows != nullptr ? rows[i] : i]);
    return;
  }
  if (c.dictionary != v.dictionary) {
    c.owned_codes.clear();
    c.dictionary = v.dictionary;
  }
  c.owned_codes.resize(std::max<size_t>(c.owned_codes.size(), v.dictionary->size()));
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t code = v.codes[rows != nullptr ? rows[i] : i];
    std::string_view& k = c.owned_codes[code];
    if (k.data() == nullptr) k = keep(v.dictionary->text(code));
    out[i] = k;
  }
}

void Rows::append_nulls(Column& c, const Vector& v, uint32_t count, const uint32_t* rows) {
  const size_t words = bitmap_words(size_ + count);
  if (v.nulls == nullptr && !c.any_null) return;
  if (c.nulls.size() < words) {
    const size_t more = words - c.nulls.size();
    std::memset(c.nulls.extend(more), 0, more * 8);
  }
  if (v.nulls == nullptr) return;
  auto* bits = c.nulls.as<uint64_t>();
  if (rows == nullptr && !v.constant && size_ % 64 == 0) {
    std::memcpy(bits + size_ / 64, v.nulls, bitmap_words(count) * 8);
    if (count % 64 != 0) bits[words - 1] &= (uint64_t{1} << (count % 64)) - 1;
    c.any_null = true;
    return;
  }
  for (uint32_t i = 0; i < count; ++i) {
    if (!v.is_null(rows != nullptr ? rows[i] : i)) continue;
    bit_set(bits, size_ + i);
    c.any_null = true;
  }
}

void Rows::append(const Vector* columns, uint32_t count, const uint32_t* rows) {
  if (count == 0) return;
  if (count > UINT32_MAX - 1 - size_) fail(sqlstate::kProgramLimit, "an intermediate result has over 4,294,967,294 rows");
  for (size_t i = 0; i < columns_.size(); ++i) {
    Column& c = columns_[i];
    const Vector& v = columns[i];
    if (v.nulls != nullptr || c.any_null) append_nulls(c, v, count, rows);
    switch (c.type.lane()) {
      case Lane::kInt64: put(static_cast<int64_t*>(c.data.extend(count)), v.i64, v.constant, count, rows); break;
      case Lane::kInt128: put(static_cast<int128*>(c.data.extend(count)), v.i128, v.constant, count, rows); break;
      case Lane::kDouble: put(static_cast<double*>(c.data.extend(count)), v.f64, v.constant, count, rows); break;
      case Lane::kText: append_text(c, v, count, rows); break;
    }
  }
  size_ += count;
  settle_budget();
}

void Rows::append(const Rows& from, uint32_t first, uint32_t count, Scratch& scratch) {
  std::vector<Vector> columns(columns_.size());
  while (count > 0) {
    const uint32_t n = std::min(count, kVectorRows);
    const Scratch::Mark mark = scratch.mark();
    auto* rows = scratch.array<uint32_t>(n);
    for (uint32_t i = 0; i < n; ++i) rows[i] = first + i;
    for (uint32_t c = 0; c < columns_.size(); ++c) columns[c] = from.whole(c);
    append(columns.data(), n, rows);
    scratch.rewind(mark);
    first += n;
    count -= n;
  }
}

Vector Rows::view(uint32_t column, uint32_t first) const {
  const Column& c = columns_[column];
  Vector v;
  v.type = c.type;
  v.lane = c.type.lane();
  if (c.any_null) {
    CHECK(first % 64 == 0);
    v.nulls = c.nulls.as<uint64_t>() + first / 64;
  }
  if (size_ == 0) return null_vector(c.type);
  switch (v.lane) {
    case Lane::kInt64: v.i64 = c.data.as<int64_t>() + first; break;
    case Lane::kInt128: v.i128 = c.data.as<int128>() + first; break;
    case Lane::kDouble: v.f64 = c.data.as<double>() + first; break;
    case Lane::kText:
      if (c.coded) {
        v.codes = c.data.as<uint32_t>() + first;
        v.dictionary = c.dictionary;
      } else {
        v.text = c.data.as<std::string_view>() + first;
      }
      break;
  }
  return v;
}

Vector Rows::gather(uint32_t column, const uint32_t* rows, uint32_t count, Scratch& scratch) const {
  return hdb::gather(whole(column), rows, count, scratch);
}

}  // namespace hdb
