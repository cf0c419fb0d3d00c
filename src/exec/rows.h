// exec/rows.h: rows that were materialised, column by column: what sorts, joins, groups and results are made of.
//
// What:       append chunks, read them back as vectors: dense ranges without a copy, any rows by gathering. TEXT stays in code form while all
//             chunks share one dictionary that outlives the rows; else it is views of texts that the rows own.
// Invariants: R1 a row, once appended, reads back equal; texts in view form are copies, so the source may die.
//             R2 what it holds is charged to the budget and released at its end. R3 at most 2^32 - 2 rows (54000).
// Callers:    exec/, engine/ (results). Not thread-safe while it grows; then readers at any time.
// Held by:    src/exec/join_test.cc, src/exec/sort_test.cc
#pragma once

#include <cstring>
#include <memory>
#include <vector>

#include "base/budget.h"
#include "exec/scratch.h"
#include "exec/vector_ops.h"

namespace hdb {

// A growing array of equally wide elements.
class Buffer {
 public:
  explicit Buffer(uint32_t width) : width_(width) {}
  template <class T>
  const T* as() const { return reinterpret_cast<const T*>(data_.get()); }
  template <class T>
  T* as() { return reinterpret_cast<T*>(data_.get()); }
  size_t size() const { return size_; }
  uint64_t bytes() const { return capacity_ * width_; }
  // Room for n more elements; returns where they go. The caller fills them.
  void* extend(size_t n) {
    if (size_ + n > capacity_) grow(size_ + n);
    char* place = data_.get() + size_ * width_;
    size_ += n;
    return place;
  }
  void clear() { size_ = 0; }

 private:
  void grow(size_t needed);
  std::unique_ptr<char[]> data_;
  size_t size_ = 0, capacity_ = 0;
  uint32_t width_;
};

class Rows {
 public:
  enum class Texts : uint8_t { kKeepCodes, kOwn };  // kOwn: nothing points into a dictionary (results outlive their tables)

  Rows(std::vector<Type> types, MemoryBudget* budget, Texts texts = Texts::kKeepCodes);
  ~Rows();
  Rows(Rows&& o) noexcept;
  Rows& operator=(Rows&&) = delete;
  Rows(const Rows&) = delete;

  uint32_t size() const { return size_; }
  uint32_t column_count() const { return static_cast<uint32_t>(columns_.size()); }
  const Type& type(uint32_t column) const { return columns_[column].type; }
  uint64_t bytes() const { return charged_; }

  // All rows of the chunk, or those with the given numbers.
  void append(const Chunk& chunk) { append(chunk.columns.data(), chunk.rows, nullptr); }
  void append(const Vector* columns, uint32_t count, const uint32_t* rows);
  // `count` rows of another Rows of the same types, from `first` on.
  void append(const Rows& from, uint32_t first, uint32_t count, Scratch& scratch);

  // Rows [first, first + count) without a copy of the data; first is a multiple of 64 if there are NULLs.
  Vector view(uint32_t column, uint32_t first) const;
  Vector gather(uint32_t column, const uint32_t* rows, uint32_t count, Scratch& scratch) const;
  bool is_null(uint32_t column, uint32_t row) const {
    const Column& c = columns_[column];
    return c.any_null && bit_test(c.nulls.as<uint64_t>(), row);
  }
  // The whole column as one vector; valid until the next append.
  Vector whole(uint32_t column) const { return view(column, 0); }

 private:
  struct Column {
    Type type;
    Buffer data;
    Buffer nulls{8};
    bool any_null = false;
    bool coded = false;
    const Dictionary* dictionary = nullptr;
    std::vector<std::string_view> owned_codes;  // kOwn: what a code was copied to
    Column(const Type& t, uint32_t width) : type(t), data(width) {}
  };

  void append_text(Column& c, const Vector& v, uint32_t count, const uint32_t* rows);
  void to_views(Column& c);
  void append_nulls(Column& c, const Vector& v, uint32_t count, const uint32_t* rows);
  std::string_view keep(std::string_view text);
  void settle_budget();

  std::vector<Column> columns_;
  MemoryBudget* budget_;
  Texts texts_;
  std::vector<std::unique_ptr<char[]>> heap_;
  size_t heap_left_ = 0;
  char* heap_next_ = nullptr;
  uint64_t heap_bytes_ = 0;
  uint64_t charged_ = 0;
  uint32_t size_ = 0;
};

}  // namespace hdb
