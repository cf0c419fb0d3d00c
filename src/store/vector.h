// store/vector.h: a run of values of one type, as operators pass them on; a chunk is several of them.
//
// What:       non-owning views; the data lies in an arena, a pinned block column or a result. TEXT is either views or codes of a
//             dictionary (then `text` may be null: the reader maps codes).
// Invariants: W1 exactly the pointer that `lane` names is set, except TEXT in code form.
//             W2 constant: index 0 stands for every row. nulls: bit set = NULL; null pointer = no NULLs. A NULL row's data is
//                readable but has no meaning (0, an empty view, or code 0 of a non-empty dictionary).
//             W3 at most kVectorRows rows, densely stored (no selection vector travels with a chunk).
// Callers:    plane/, exec/. Not thread-safe; belongs to one pipeline instance.
// Held by:    src/exec/evaluate_test.cc, src/exec/scan_test.cc
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/int128.h"
#include "base/limits.h"
#include "store/dictionary.h"
#include "store/type.h"

namespace hdb {

struct Vector {
  Type type;
  Lane lane = Lane::kInt64;
  bool constant = false;
  union {
    const int64_t* i64 = nullptr;
    const int128* i128;
    const double* f64;
    const std::string_view* text;
  };
  const uint32_t* codes = nullptr;          // TEXT in code form
  const Dictionary* dictionary = nullptr;   // of codes
  const uint64_t* nulls = nullptr;

  uint32_t at(uint32_t row) const { return constant ? 0 : row; }
  bool is_null(uint32_t row) const {
    const uint32_t i = at(row);
    return nulls != nullptr && ((nulls[i >> 6] >> (i & 63)) & 1) != 0;
  }
  std::string_view text_at(uint32_t row) const {
    const uint32_t i = at(row);
    return codes != nullptr ? dictionary->text(codes[i]) : text[i];
  }
};

struct Chunk {
  uint32_t rows = 0;
  std::vector<Vector> columns;  // in the order of the operator's output columns
};

}  // namespace hdb
