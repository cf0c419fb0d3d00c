// exec/text_ids.h: a number for each distinct text of a key column.
//
// What:       texts of the first dictionary seen ("home") are their codes; other texts are numbered after them, by content.
// Invariants: H3 a text has one id, in whatever form it comes. A text that a writer gives a code later keeps the id it was entered with.
// Callers:    exec/key_table. insert: one owner; find: any number of threads, each with its own Foreigns, once nothing is inserted any more.
// Held by:    src/exec/key_table_test.cc
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "exec/vector_ops.h"

namespace hdb {

class TextIds {
 public:
  static constexpr uint32_t kNone = 0xFFFFFFFFu;
  // What a reader that must not insert knows about dictionaries that are not home.
  struct Foreign {
    const Dictionary* dictionary = nullptr;
    std::vector<uint32_t> ids;  // by code; kUnknown: not asked yet
  };
  using Foreigns = std::vector<Foreign>;

  void insert(const Vector& v, uint32_t rows, uint64_t* words);
  void find(const Vector& v, uint32_t rows, Foreigns& foreigns, uint64_t* words) const;  // kNone if not there
  std::string_view text(uint64_t id) const { return id < kFirstExtra ? home_->text(static_cast<uint32_t>(id)) : extras_[id - kFirstExtra]; }
  const Dictionary* home() const { return home_; }
  static bool is_code(uint64_t id) { return id < kFirstExtra; }
  uint64_t bytes() const { return bytes_; }

 private:
  static constexpr uint32_t kFirstExtra = kDictionaryValuesMax;
  static constexpr uint32_t kUnknown = 0xFFFFFFFEu;
  uint32_t insert_text(std::string_view text);
  uint32_t find_text(std::string_view text) const;
  static Foreign& of(Foreigns& all, const Dictionary* dictionary);

  const Dictionary* home_ = nullptr;
  std::vector<std::string_view> extras_;
  boost::unordered_flat_map<std::string_view, uint32_t> by_text_;
  std::vector<std::unique_ptr<char[]>> heap_;
  Foreigns foreigns_;
  uint64_t bytes_ = 0;
};

}  // namespace hdb
